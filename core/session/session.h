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
#include "core/model/sampling.h"
#include "core/model/trained_model.h"
#include "core/session/page_options.h"
#include "core/text/texts.h"
#include "core/text/tokenizer.h"
#include "core/trace/cover.h"
#include "core/trace/picture_options.h"
#include "core/trace/stage.h"
#include "core/train/training_settings.h"

namespace headscope {

inline constexpr const char* default_sentence = "The animal didn't cross the street because it was too tired";

/// The sentence from which the decoder starts if there are two stacks.
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
  by_hand,
  watch,
  lessons,
  inspector,
  worksheet
};

/// Returns whether a page is a view of the window, which a session can show.
constexpr bool is_view(PageName page) {
  return page < PageName::inspector;
}
inline constexpr std::size_t n_views = static_cast<std::size_t>(PageName::inspector);

/// The steps in which a row of attention is computed before one's eyes, counted from 1.
inline constexpr int last_watch_step = 9;
/// More steps than any diagram has.
inline constexpr int max_diagram_step = 100'000;

/// A cell that is held in the inspector.
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
  /// The word whose prediction is explained. If empty, it is the likeliest word.
  std::string word;
  /// The heads of the selected stack and attention that are shown together, sorted.
  std::vector<HeadPlace> heads;
  /// The tokens whose lines are drawn instead of those of `token`.
  PickedTokens picked;

  /// Returns the stage of a kind at the selected place.
  StageId at(StageKind kind) const { return normalized({kind, stack, layer, attention, head}); }
  bool operator==(const Selection&) const = default;
};

/// Everything from which a pass is computed, and the selection in it.
struct Subject {
  std::string sentence = default_sentence;  ///< The only sentence, or the source.
  /// The decoder's sentence, if there are two stacks.
  std::string target = default_target;
  /// Sentences that are padded to one length. `sentence` is batch[sequence].
  std::vector<std::string> batch;
  int sequence = 0;
  TokenizerKind tokenizer = TokenizerKind::word;
  /// The words that a final linear layer with random weights predicts. If empty, or with the seed1 tokenizer,
  /// it predicts those of the sentences.
  std::string output_words;
  Architecture architecture;
  /// The Task::name() of the task for which the weights are to be trained. Empty if there is none.
  std::string task;
  TrainingSettings training;
  /// Trained weights of exactly this architecture, with their words. Null for random weights, and while a
  /// task has no weights yet.
  ModelValue model;
  AttentionOptions attention;
  /// Numbers that they take from the held subjects are those of the first one.
  Interventions interventions;
  /// Numbers that replace those that would be drawn, read or computed.
  GivenNumbers given;
  Sampling sampling;
  Selection selection;
  /// The tokens of the texts as of the last reduce(). texts_of() computes missing ones.
  Texts texts = {};

  // These do what the compiler's own would do, but are compiled once instead of in every file that copies a
  // session, which is a tenth of the time that such a file takes.
  Subject();
  Subject(const Subject& other);
  Subject(Subject&& other) noexcept;
  Subject& operator=(const Subject& other);
  Subject& operator=(Subject&& other) noexcept;
  ~Subject();
  bool operator==(const Subject& other) const;
};

/// The limits in the window and in files of PictureOptions' gamma and of both ends of a fixed range.
inline constexpr float min_gamma = 0.05F;
inline constexpr float max_gamma = 5.0F;
inline constexpr double max_fixed_range = 1e30;

/// Everything that is saved, undone or shared, and nothing else. A plain value; reduce() makes the next one.
/// As a Subject it is the edited subject. The held subjects stay as they are, to be compared with it.
struct Session : Subject {
  /// The subject to compare with comes first. Their stage is the session's.
  std::vector<Subject> held;
  PageName view = PageName::explore;
  /// If true, maps show the numbers minus those of the first held subject.
  bool difference = false;
  PictureOptions picture;
  HeadsOptions heads;
  LinesOptions lines;
  TilesOptions tiles;
  int watch_step = last_watch_step;  ///< The step up to which a row is shown while one watches it.
  /// The step of the walk through the diagram, counted from 1. 0 for the selected stage.
  int diagram_step = 0;
  DecodingOptions decoding;
  /// The title and note of the scene for those who open it. May be empty.
  std::string title, note;
  /// The worked example that is shown. If empty, it is the first.
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

/// Returns the same view of another subject alone. Functions of sessions can thus be applied to each subject.
Session with_subject(const Session& session, const Subject& subject);

/// Returns every subject as a session: the edited one unchanged, and each held one alone.
std::vector<Session> subjects_of(const Session& session);

/// The greatest number of held subjects.
inline constexpr int max_held = 3;

/// Returns the mask of the selected attention in `options`, which are the session's or a changed copy of
/// them.
inline const MaskSpec& selected_mask(const Session& session, const AttentionOptions& options) {
  const Selection& place = session.selection;
  return mask_of(options, session.architecture.stacks, place.stack, place.attention);
}
inline MaskSpec& selected_mask(const Session& session, AttentionOptions& options) {
  const Selection& place = session.selection;
  return mask_of(options, session.architecture.stacks, place.stack, place.attention);
}

/// Returns the tokens of the session's texts: those that it contains, or those of `known` where they belong
/// to the same texts. Missing ones are computed.
inline Texts texts_of(const Session& session, const Texts& known) {
  return tokenized({session.sentence, session.target, session.batch, session.tokenizer,
                    model_tokenizers(session.tokenizer, session.model)},
                   known);
}
inline Texts texts_of(const Session& session) {
  return texts_of(session, session.texts);
}

/// Returns the default session, which has the default sentence with "it" selected.
Session default_session();

/// Converts the settings to and from JSON with a `version`. Unknown names are ignored and missing ones keep
/// their default. A value of the wrong type or beyond its limits is an error that names it. Loaded masks and
/// trained weights are only named (`mask_files`, `model`), because their numbers stay in their files.
/// `models` are the weights that these names refer to, if the caller has them: first those of the session's
/// own subject, then those of the held ones. If they are missing or belong to another architecture, a pin on
/// one of their words is dropped.
std::string to_json(const Session& session);
Result<Session> session_from_json(std::string_view json, const std::vector<ModelValue>& models = {});

}  // namespace headscope
