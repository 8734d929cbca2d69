#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/measures/head_place.h"
#include "core/measures/heads_options.h"
#include "core/model/architecture.h"
#include "core/model/attention_options.h"
#include "core/model/given_numbers.h"
#include "core/model/interventions.h"
#include "core/model/sampling_options.h"
#include "core/model/trained_model.h"
#include "core/session/decoding_options.h"
#include "core/session/lines_options.h"
#include "core/session/tiles_options.h"
#include "core/text/texts.h"
#include "core/text/tokenizer.h"
#include "core/trace/cover.h"
#include "core/trace/picture_options.h"
#include "core/trace/stage.h"
#include "core/train/training_settings.h"

namespace headscope {

inline constexpr const char* default_sentence = "The animal didn't cross the street because it was too tired";

/// A sentence for the decoder to start from, where there are two stacks.
inline constexpr const char* default_target = "Das Tier überquerte die Straße nicht , weil es zu müde war";

/// The pages are the views of the window, the inspector beside them, and an exercise for paper.
enum class PageName {
  explore,
  stages,
  heads,
  model,
  positions,
  words,
  split,
  train,
  compare,
  effects,
  lines,
  tiles,
  decoding,
  textbooks,
  scale,
  inspector,
  worksheet
};

/// Whether a page is a view of the window, which a session can show.
constexpr bool is_view(PageName page) {
  return page < PageName::inspector;
}
inline constexpr std::size_t n_views = static_cast<std::size_t>(PageName::inspector);

/// A cell held in the inspector.
struct Pin {
  StageId stage;
  int row = 0;
  int col = 0;
  bool operator==(const Pin&) const = default;
};

/// What is looked at in a subject.
struct Selection {
  StageKind stage = StageKind::weights;
  Stack stack = Stack::encoder;
  int layer = 0;
  AttentionKind attention = AttentionKind::self;
  int head = 0;
  std::optional<int> token;  ///< the query whose lines are drawn; of the selected stack
  std::optional<Pin> pin;
  std::string word;              ///< whose prediction is explained; empty: the likeliest one
  std::vector<HeadPlace> heads;  ///< picked to be shown together; of the selected stack and attention, sorted
  PickedTokens picked;           ///< whose lines are drawn instead of those of `token`

  /// The stage of a kind at the selected place.
  StageId at(StageKind kind) const { return normalized({kind, stack, layer, attention, head}); }
  bool operator==(const Selection&) const = default;
};

/// What a pass is made from, and what is looked at in it.
struct Subject {
  std::string sentence = default_sentence;  ///< the only one, or the source
  std::string target = default_target;      ///< of the decoder, where there are two stacks
  std::vector<std::string> batch;           ///< sentences padded to one length; `sentence` is batch[sequence]
  int sequence = 0;
  TokenizerKind tokenizer = TokenizerKind::word;
  /// The words that a final linear layer with random weights predicts; empty: those of the sentences, as also
  /// with the seed1 tokenizer.
  std::string output_words;
  Architecture architecture;
  /// What the weights are to be trained for, as Task::name() says it; empty: for nothing.
  std::string task;
  TrainingSettings training;
  /// Trained weights of just this architecture, with their words; null: random weights (of a task: until its
  /// first ones are there).
  ModelValue model;
  AttentionOptions attention;
  Interventions interventions;  ///< what they take from the held subject is of the first one
  GivenNumbers given;           ///< in place of what would be drawn, read or computed
  Sampling sampling;
  Selection selection;
  /// The tokens of the texts, as reduce() found them last; texts_of() makes those that are missing.
  Texts texts = {};
  bool operator==(const Subject&) const = default;
};

/// Limits of PictureOptions in the window and in files: of gamma, and of either end of a fixed range.
inline constexpr float min_gamma = 0.05F;
inline constexpr float max_gamma = 5.0F;
inline constexpr double max_fixed_range = 1e30;

/// Everything that is saved, undone or shared; nothing else is. A plain value: reduce() makes the next one.
/// Itself it is the subject that is edited; the held ones stay as they are, to be compared with it.
struct Session : Subject {
  std::vector<Subject> held;  ///< the one to compare with comes first; their stage is the session's
  PageName view = PageName::explore;
  bool difference = false;  ///< maps show the numbers minus those of the first held subject
  PictureOptions picture;
  HeadsOptions heads;
  LinesOptions lines;
  TilesOptions tiles;
  DecodingOptions decoding;
  std::string title, note;  ///< of the scene, for those who open it; may be empty
  std::string textbook;     ///< the worked example that is shown; empty: the first
  Cover cover;              ///< numbers that are hidden for an exercise

  const Subject& subject() const { return *this; }
  bool operator==(const Session&) const = default;
};

/// The same view of another subject alone. What is asked of a session can be asked of each of its subjects by
/// it.
Session with_subject(const Session& session, const Subject& subject);

/// Every subject as a session: the one that is edited, as it is, and each that is held, alone.
std::vector<Session> subjects_of(const Session& session);

/// The most subjects that are held beside the one that is edited.
inline constexpr int max_held = 3;

/// The mask of the selected attention in `options`, which are the session's or a changed copy of them.
inline const MaskSpec& selected_mask(const Session& session, const AttentionOptions& options) {
  const Selection& place = session.selection;
  return mask_of(options, session.architecture.stacks, place.stack, place.attention);
}
inline MaskSpec& selected_mask(const Session& session, AttentionOptions& options) {
  const Selection& place = session.selection;
  return mask_of(options, session.architecture.stacks, place.stack, place.attention);
}

/// The tokens of its texts: those that it carries, or that `known` has, where they are of them.
inline Texts texts_of(const Session& session, const Texts& known) {
  return tokenized({session.sentence, session.target, session.batch, session.tokenizer,
                    model_tokenizers(session.tokenizer, session.model)},
                   known);
}
inline Texts texts_of(const Session& session) {
  return texts_of(session, session.texts);
}

/// The default session: the default sentence with "it" selected.
Session default_session();

/// The settings as JSON with a `version`, and back. Unknown names are ignored and missing ones keep their
/// default; a value of the wrong type or beyond its limits is an error that names it. Loaded masks and
/// trained weights are only named in it (`mask_files`, `model`): their numbers stay in their files. `models`:
/// the weights that they name where the caller has them, of the session's own subject first, then of the held
/// ones; without them, and where they are of another architecture, a pin on one of their words is dropped.
std::string to_json(const Session& session);
Result<Session> session_from_json(std::string_view json, const std::vector<ModelValue>& models = {});

}  // namespace headscope
