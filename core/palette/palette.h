#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/model/trained_model.h"
#include "core/palette/match.h"
#include "core/session/action.h"
#include "core/session/setting.h"
#include "core/trace/stage.h"

namespace headscope {

/// One of the caller's commands, by the caller's number.
struct RunCommand {
  int number = 0;
  bool operator==(const RunCommand&) const = default;
};
/// Shows where a setting is changed.
struct GoToControl {
  const Setting* setting = nullptr;
};
/// What choosing an entry does; no actions: what it says is so already.
using PaletteEffect = std::variant<RunCommand, std::vector<Action>, GoToControl>;

/// A line of the palette.
struct PaletteEntry {
  std::string name;
  std::string also = {};      ///< more words that find it
  std::string about = {};     ///< beside the name: what it is now, what it means
  std::string kind = {};      ///< "Stage", "Head"
  std::string shortcut = {};  ///< of a command
  PaletteEffect does = {};
  const Setting* number = nullptr;  ///< typed behind the name, a number is given to this setting
};

/// A command as the palette lists it.
struct PaletteCommand {
  std::string name, group, shortcut;
  std::string also = {};   ///< more words that find it
  std::string about = {};  ///< what it is for
  PaletteEffect does = {};
};

/// What entries are made from.
struct PaletteInputs {
  const Session& session;
  std::vector<PaletteCommand> commands = {};
  std::vector<StageKind> stages = {};   ///< of the present pass, at the selected place
  std::vector<ModelValue> models = {};  ///< that were open before, the last first
};

/// All that can be reached by its name in a session: commands, stages, heads ("1.2": layer 1, head 2),
/// tokens, models, examples of the task, starting points, and settings with their values. Immutable.
class Palette {
 public:
  explicit Palette(const PaletteInputs& inputs);
  const std::vector<PaletteEntry>& entries() const { return entries_; }

  /// An entry that was found, with what of its name answers the query.
  struct Found {
    PaletteEntry entry;
    std::vector<TextSpan> marked;
  };
  /// Best first, of equally good ones in the order of entries(); all of them for an empty query. What is only
  /// found by a shortened word is left out where there is anything better. A number at the end offers
  /// itself to the settings that are named before it: "temperature 0.5".
  std::vector<Found> find(std::string_view query) const;

 private:
  Session session_;
  std::vector<PaletteEntry> entries_;
};

}  // namespace headscope
