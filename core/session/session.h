#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/architecture.h"
#include "core/model/attention_options.h"
#include "core/text/tokenizer.h"
#include "core/trace/picture_options.h"
#include "core/trace/stage.h"

namespace headscope {

inline constexpr const char* default_sentence = "The animal didn't cross the street because it was too tired";

enum class View { explore, stages, heads };

/// A cell held in the inspector.
struct Pin {
  StageId stage;
  int row = 0;
  int col = 0;
  bool operator==(const Pin&) const = default;
};

struct Selection {
  View view = View::explore;
  StageKind stage = StageKind::weights;
  int head = 0;
  std::optional<int> token;  ///< the query whose lines are drawn
  std::optional<Pin> pin;
  bool operator==(const Selection&) const = default;
};

/// Limits of PictureOptions in the window and in files: of gamma, and of either end of a fixed range.
inline constexpr float min_gamma = 0.05F;
inline constexpr float max_gamma = 5.0F;
inline constexpr double max_fixed_range = 1e30;

/// Everything that is saved, undone or shared; nothing else is. A plain value: reduce() makes the next one.
struct Session {
  std::string sentence = default_sentence;
  TokenizerKind tokenizer = TokenizerKind::word;
  Architecture architecture;
  AttentionOptions attention;
  PictureOptions picture;
  Selection selection;
  bool operator==(const Session&) const = default;
};

/// What the program opens on: the default sentence with "it" selected.
Session default_session();

/// The settings as JSON with a `version`, and back. Unknown names are ignored and missing ones keep their
/// default; a value of the wrong type or beyond its limits is an error that names it. Loaded masks are
/// only named in it (`mask_files`): their numbers stay in their files.
std::string to_json(const Session& session);
Result<Session> session_from_json(std::string_view json);

}  // namespace headscope
