#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/model/stage.h"
#include "core/model/trained_model.h"
#include "core/palette/match.h"
#include "core/session/action.h"
#include "core/session/setting.h"

namespace headscope {

/// The effect of choosing an entry: the caller's number of a command to run; actions, which are none if the
/// setting has the value already; the setting whose control to show; or the name of a lesson to open.
using PaletteEffect = std::variant<int, std::vector<Action>, const Setting*, std::string>;

/// The kind of the entries of the glossary.
inline constexpr const char* term_kind = "Term";

/// An entry of the palette.
struct PaletteEntry {
  std::string name;
  std::string keywords = {};  ///< Additional search words.
  std::string about = {};     ///< Text beside the name: the present value or the meaning.
  std::string kind = {};      ///< "Stage", "Head"
  std::string shortcut = {};  ///< The shortcut of a command.
  PaletteEffect effect = {};
  /// The setting that receives a number typed after the name. Null if there is none.
  const Setting* number = nullptr;
};

/// Everything in a session that can be found by its name: commands, stages, terms, heads ("1.2" is head 2 of
/// layer 1), tokens, lessons, models, examples of the task, presets, and settings with their values.
/// Immutable.
class Palette {
 public:
  /// `given` are the caller's own entries, commands and lessons; `stages` those of the present pass at the
  /// selected place; `models` the recently open ones, latest first.
  Palette(const Session& session, std::vector<PaletteEntry> given, const std::vector<StageKind>& stages,
          const std::vector<ModelRef>& models);
  const std::vector<PaletteEntry>& entries() const { return entries_; }

  /// A matching entry, with the parts of its name that match the query.
  struct Found {
    PaletteEntry entry;
    std::vector<TextSpan> marked;
  };
  /// Returns the matching entries, best first; ties keep the order of entries(). An empty query returns all
  /// entries. Matches with abbreviated words are omitted if there are better ones. A number at the end of the
  /// query is offered to the settings that match the words before it: "temperature 0.5".
  std::vector<Found> find(std::string_view query) const;

 private:
  Session session_;
  std::vector<PaletteEntry> entries_;
};

}  // namespace headscope
