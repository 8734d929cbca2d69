#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/measures/measure.h"
#include "core/model/architecture.h"
#include "core/model/attention_options.h"
#include "core/model/interventions.h"
#include "core/model/sampling.h"
#include "core/model/stage.h"
#include "core/model/trained_model.h"
#include "core/session/page_options.h"
#include "core/text/texts.h"
#include "core/text/tokenizer.h"
#include "core/trace/cover.h"
#include "core/trace/picture_options.h"
#include "core/train/training_settings.h"

namespace headscope {

inline constexpr const char* default_sentence = "The animal didn't cross the street because it was too tired";

/// The decoder's default sentence if there are two stacks.
inline constexpr const char* default_target = "Das Tier überquerte die Straße nicht , weil es zu müde war";

/// The views of the window, then the inspector beside them and the printed exercise.
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
  by_hand,
  watch,
  lessons,
  experts,
  inspector,
  worksheet
};

/// Whether a page is a view, so that a session can show it.
constexpr bool is_view(PageName page) {
  return page < PageName::inspector;
}
inline constexpr std::size_t n_views = static_cast<std::size_t>(PageName::inspector);

/// The number of steps in which the Watch page computes a row of attention, counted from 1.
inline constexpr int last_watch_step = 9;
/// An upper bound on the steps of any diagram.
inline constexpr int max_diagram_step = 100'000;

/// A cell that is pinned in the inspector.
struct Pin {
  StageId stage;
  int row = 0;
  int col = 0;
  bool operator==(const Pin&) const = default;
};

/// The selected parts of a subject.
struct Selection {
  StageKind stage = StageKind::weights;
  Stack stack = Stack::encoder;
  int layer = 0;
  AttentionKind attention = AttentionKind::self;
  int head = 0;
  /// The query of the selected stack whose lines are drawn.
  std::optional<int> token;
  std::optional<Pin> pin;
  /// The word whose prediction is explained. Empty for the likeliest word.
  std::string word;
  /// Heads of the selected stack and attention that are shown together, sorted.
  std::vector<HeadIndex> heads;
  /// Tokens whose lines are drawn instead of those of `token`.
  PickedTokens picked;

  /// The stage of this kind at the selected place.
  StageId at(StageKind kind) const { return normalized({kind, stack, layer, attention, head}); }
  bool operator==(const Selection&) const = default;
};

/// What a pass is computed from.
struct PassRecipe {
  std::string sentence;  ///< The only sentence, or the source.
  std::string target;    ///< The decoder's sentence, if there are two stacks.
  /// Sentences that are padded to one length. The pass is that of batch[sequence].
  std::vector<std::string> batch;
  int sequence = 0;
  TokenizerKind tokenizer = TokenizerKind::word;
  /// The words that a final linear layer with random weights predicts. If empty, or with the seed1 tokenizer,
  /// those of the sentences.
  std::string output_words;
  Architecture architecture;
  /// Trained weights of exactly this architecture, with their vocabulary. Null for random weights, and while
  /// a task has no weights yet.
  ModelRef model;
  AttentionOptions attention;
  /// Numbers from a compared subject come from the first one.
  Interventions interventions;
  /// Overrides for numbers that would otherwise be drawn, read or computed.
  GivenNumbers given;
  /// The tokens of the texts as of the last reduce(). texts_of() computes missing ones.
  Texts texts = {};
  bool operator==(const PassRecipe&) const = default;
};

/// A pass, what its model learns, and the selection in it. `sentence` is batch[sequence] if there is a batch.
/// Has the default texts at first.
struct Subject : PassRecipe {
  /// The Task::name() of the task to train. Empty if there is none.
  std::string task;
  TrainingSettings training;
  Sampling sampling;
  Selection selection;

  // Defined in the .cpp file: compiling them in every file that copies a session would take a tenth of its
  // compile time.
  Subject();
  Subject(const Subject& other);
  Subject(Subject&& other) noexcept;
  Subject& operator=(const Subject& other);
  Subject& operator=(Subject&& other) noexcept;
  ~Subject();
  bool operator==(const Subject& other) const;
};

/// Limits of PictureOptions' gamma and of both ends of its fixed range.
inline constexpr float min_gamma = 0.05F;
inline constexpr float max_gamma = 5.0F;
inline constexpr double max_fixed_range = 1e30;

/// Everything that is saved, undone or shared, and nothing else. A plain value; reduce() computes the next
/// one. Its Subject base is the edited subject, which is compared with the subjects in `compared`.
struct Session : Subject {
  /// At most max_compared subjects. The first is A of the difference B − A. All share the session's stage.
  std::vector<Subject> compared;
  PageName view = PageName::explore;
  /// Maps show the numbers minus those of the first compared subject.
  bool difference = false;
  PictureOptions picture;
  HeadsOptions heads;
  LinesOptions lines;
  TilesOptions tiles;
  int watch_step = last_watch_step;  ///< The last step that the Watch page shows.
  /// The step of the walk through the diagram, counted from 1. 0 for the selected stage.
  int diagram_step = 0;
  DecodingOptions decoding;
  /// The scene's title and note for its audience. May be empty.
  std::string title, note;
  /// The worked example that is shown. Empty for the first.
  std::string textbook;
  Cover cover;  ///< The numbers that are hidden for an exercise.

  Session();
  Session(const Session& other);
  Session(Session&& other) noexcept;
  Session& operator=(const Session& other);
  Session& operator=(Session&& other) noexcept;
  ~Session();
  bool operator==(const Session& other) const;

  const Subject& subject() const { return *this; }
};

/// Returns the same view of another subject alone, so that functions of sessions apply to any subject.
Session with_subject(const Session& session, const Subject& subject);

/// Returns every subject as a session: the edited one unchanged, then each compared one alone.
std::vector<Session> subjects_of(const Session& session);

/// The maximum number of compared subjects.
inline constexpr int max_compared = 3;

/// Returns the mask of the selected attention in `options`, the session's own or a copy of them.
inline const MaskSpec& selected_mask(const Session& session, const AttentionOptions& options) {
  const Selection& place = session.selection;
  return mask_of(options, session.architecture.stacks, place.stack, place.attention);
}
inline MaskSpec& selected_mask(const Session& session, AttentionOptions& options) {
  const Selection& place = session.selection;
  return mask_of(options, session.architecture.stacks, place.stack, place.attention);
}

/// Returns the tokens of the texts. Reuses those of `known` that belong to the same texts and computes the
/// others.
inline Texts texts_of(const PassRecipe& pass, const Texts& known) {
  return tokenize_texts(
      {pass.sentence, pass.target, pass.batch, pass.tokenizer, model_tokenizers(pass.tokenizer, pass.model)},
      known);
}
inline Texts texts_of(const PassRecipe& pass) {
  return texts_of(pass, pass.texts);
}

/// Returns the default session, which has the default sentence with "it" selected.
Session default_session();

/// Convert the settings to and from JSON with a `version`. Unknown names are ignored; missing ones keep their
/// default. A value of the wrong type or out of range is an error that names it. Loaded masks and trained
/// weights are stored by name only (`mask_files`, `model`). `models` are the weights that these names refer
/// to, if the caller has them: the edited subject's first, then those of the compared ones. If they are
/// missing or have another architecture, a pin on one of their words is dropped.
std::string to_json(const Session& session);
Result<Session> session_from_json(std::string_view json, const std::vector<ModelRef>& models = {});

}  // namespace headscope
