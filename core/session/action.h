#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/alternative_of.h"
#include "core/session/session.h"
#include "core/session/setting_change.h"

namespace headscope {

/// Whether an action belongs in the undo history (selecting and pinning are kept in it but are not steps of
/// their own), and a key: consecutive actions with the same non-empty key make one step (typing in one run,
/// painting in one stroke). Actions that change settings have the key of what they change (dragging one
/// slider), changed_option() of core/session/setting.h. Each action says its own as `undo`.
struct UndoRole {
  bool is_step = true;
  std::string_view merge_key = {};
  bool merges_by_setting = false;
};
inline constexpr UndoRole one_step{};
inline constexpr UndoRole no_step{false};
inline constexpr UndoRole step_of_setting{true, {}, true};
constexpr UndoRole step_of(std::string_view merge_key) {
  return {true, merge_key};
}

/// What a user can do to a session. Views emit these; only reduce() carries them out.
struct SetSentence {
  static constexpr UndoRole undo = step_of("sentence");
  std::string sentence;
  std::optional<std::string> target = {};  ///< where it follows the sentence
};
/// The sentences that one with a choice in it stands for: the last becomes the sentence, those before it are
/// held instead of what was, and the page that compares them is shown.
struct SetChoices {
  static constexpr UndoRole undo = step_of("sentence");
  std::vector<SetSentence> sentences;
};
struct SetTarget {
  static constexpr UndoRole undo = step_of("target");
  std::string target;
};
struct SetBatch {
  static constexpr UndoRole undo = step_of("batch");
  std::vector<std::string> sentences;  ///< empty: no batch any more
};
struct SelectSequence {
  static constexpr UndoRole undo = no_step;
  int sequence;
};
struct SetOutputWords {
  static constexpr UndoRole undo = step_of("output words");
  std::string words;
};
struct SetSampling {
  static constexpr UndoRole undo = step_of_setting;
  Sampling sampling;
};
struct SetTokenizer {
  static constexpr UndoRole undo = one_step;
  TokenizerKind tokenizer;
};
/// Other values of settings, by their keys: all of them in one step, or, where one cannot be, none. What
/// cannot be beside them goes, as their records say (with_changes() of core/session/setting_change.h).
struct ChangeSettings {
  static constexpr UndoRole undo = step_of_setting;
  std::vector<SettingChange> changes;
};
/// The model's settings and weights as they are in a starting point; sentences, selection and looks stay.
struct RestoreDefaults {
  static constexpr UndoRole undo = one_step;
  Subject of;
};
struct SetArchitecture {
  static constexpr UndoRole undo = step_of_setting;
  Architecture architecture;
};
/// Its task and architecture become the session's; the head that it shows best is selected.
struct OpenModel {
  static constexpr UndoRole undo = one_step;
  ModelValue model;  ///< null: random weights of the same architecture, no task
  /// Replace the sentences if the model knows less than half of the words of one of them.
  std::string example = {}, example_target = {};
  std::optional<TrainingSettings> training = {};  ///< with which its task learns well
  std::optional<int> example_token = {};          ///< selected there; of the last stack
};
/// Other weights for the session's task and architecture, as training finds them; others change nothing.
struct ShowWeights {
  static constexpr UndoRole undo = no_step;
  ModelValue model;
};
/// Random weights for the session's task, to train from.
struct TrainAnew {
  static constexpr UndoRole undo = one_step;
};
struct SetTraining {
  static constexpr UndoRole undo = step_of_setting;
  TrainingSettings training;
};
struct SetAttention {
  static constexpr UndoRole undo = step_of_setting;
  AttentionOptions attention;
};  ///< scale, temperature, softmax axis, mask value, mask
struct SetInterventions {
  static constexpr UndoRole undo = step_of_setting;
  Interventions interventions;
};
/// Numbers in place of those that would be drawn, read or computed. Those that are not finite, or of a path
/// that cannot be given (core/trace/given_stage.h), change nothing; of another size than their place they are
/// kept.
struct SetGiven {
  static constexpr UndoRole undo = step_of_setting;
  std::string path;
  std::optional<OwnedMatrix> numbers;  ///< nothing: it is computed again
};
/// The next three change the mask of the attention that is selected.
struct TogglePadding {
  static constexpr UndoRole undo = one_step;
  int token;  ///< a key
};
struct PaintCell {
  static constexpr UndoRole undo = step_of("paint");
  Cell cell;
  bool hidden;
};
struct ClearPainted {
  static constexpr UndoRole undo = one_step;
};
/// Holds a subject, instead of those that are held, to be compared with. One whose interventions take numbers
/// from a held subject cannot be held: nothing changes.
struct Hold {
  static constexpr UndoRole undo = one_step;
  std::optional<Subject> subject = {};  ///< nothing: the one that is edited
};
/// Nothing is held any more; interventions that took numbers from it go, too.
struct Release {
  static constexpr UndoRole undo = one_step;
};
/// The first of the held subjects is edited, and the one that was is held, where it can be.
struct SwapHeld {
  static constexpr UndoRole undo = one_step;
};
/// Another head of a held subject; of its selected stack and attention.
struct OpenHeldHead {
  static constexpr UndoRole undo = no_step;
  std::size_t held;  ///< the subject's number
  HeadPlace place;
};
struct SetDifference {
  static constexpr UndoRole undo = no_step;
  bool shown;
};
struct SetPicture {
  static constexpr UndoRole undo = step_of_setting;
  PictureOptions picture;
};
struct SetView {
  static constexpr UndoRole undo = no_step;
  PageName view;
};
struct SelectStage {
  static constexpr UndoRole undo = no_step;
  StageKind stage;
};
/// Keeps the kind of stage that is selected, where the new place has it.
struct SelectPlace {
  static constexpr UndoRole undo = no_step;
  Stack stack;
  int layer;
  AttentionKind attention;
};
struct SelectHead {
  static constexpr UndoRole undo = no_step;
  int head;
};
/// A head of the selected stack and attention, and nothing else: a pin stays on its cell, in that head.
struct OpenHead {
  static constexpr UndoRole undo = no_step;
  HeadPlace place;
};
/// The heads that are shown together.
struct PickHeads {
  static constexpr UndoRole undo = no_step;
  std::vector<HeadPlace> heads;
};
struct SetHeads {
  static constexpr UndoRole undo = step_of_setting;
  HeadsOptions heads;
};
struct SetLines {
  static constexpr UndoRole undo = step_of_setting;
  LinesOptions lines;
};
/// Into which tiles the scores are cut.
struct SetTiles {
  static constexpr UndoRole undo = step_of_setting;
  int queries = 1;
  int keys = 1;
};
/// The tile that was taken in last, counted from 1.
struct SelectTile {
  static constexpr UndoRole undo = no_step;
  int step = 1;
};
/// What the cache of a decoder is compared with; its step does not count.
struct SetDecoding {
  static constexpr UndoRole undo = step_of_setting;
  DecodingOptions decoding;
};
/// The token that was decoded last, counted from 1.
struct SelectDecoded {
  static constexpr UndoRole undo = no_step;
  int step = 1;
};
/// What is hidden for an exercise, and what of it was found.
struct SetCover {
  static constexpr UndoRole undo = step_of_setting;
  Cover cover;
};
/// The worked example that the page of textbooks shows, by its name.
struct SetTextbook {
  static constexpr UndoRole undo = no_step;
  std::string name;
};
/// The tokens whose lines are drawn together; none releases them.
struct PickTokens {
  static constexpr UndoRole undo = no_step;
  PickedTokens picked;
};
/// Instead of tokens that are picked.
struct SelectToken {
  static constexpr UndoRole undo = no_step;
  std::optional<int> token;
};
/// The word whose prediction is explained; empty: the likeliest one.
struct SelectWord {
  static constexpr UndoRole undo = no_step;
  std::string word;
};
struct PinCell {
  static constexpr UndoRole undo = no_step;
  Pin pin;
};
struct Unpin {
  static constexpr UndoRole undo = no_step;
};
struct OpenSession {
  static constexpr UndoRole undo = one_step;
  Session session;
};
struct LoadPreset {
  static constexpr UndoRole undo = one_step;
  std::string name;
};  ///< a name of presets()

using AnyAction =
    std::variant<ChangeSettings, RestoreDefaults, SetSentence, SetChoices, SetTarget, SetBatch,
                 SelectSequence, SetSampling, SetOutputWords, SetTokenizer, SetArchitecture, OpenModel,
                 ShowWeights, TrainAnew, SetTraining, SetAttention, SetInterventions, SetGiven, TogglePadding,
                 PaintCell, ClearPainted, SetPicture, SetView, SelectStage, SelectPlace, SelectHead, OpenHead,
                 PickHeads, SetHeads, SetLines, SetTiles, SelectTile, SetDecoding, SelectDecoded, SetCover,
                 SetTextbook, PickTokens, SelectToken, SelectWord, PinCell, Unpin, LoadPreset, OpenSession,
                 Hold, Release, SwapHeld, OpenHeldHead, SetDifference>;

/// One of them. A class of its own, as it takes seconds to compile how a variant of so many is copied, moved
/// and destroyed: action.cpp does it once, instead of every file that holds one.
struct Action : AnyAction {
  template <AlternativeOf<AnyAction> T>
  Action(T alternative) : AnyAction(std::in_place_type<T>, std::move(alternative)) {}
  Action(const Action& other);
  Action(Action&& other) noexcept;
  Action& operator=(const Action& other);
  Action& operator=(Action&& other) noexcept;
  ~Action();
};

/// The session after an action. Pure. Invalid values are kept if the screen must explain them (a d_model not
/// divisible by the heads), and clamped if they have no meaning (a head that no longer exists): the result is
/// repaired() of core/session/repair.h. What cannot be carried out at all changes nothing. When a sentence or
/// the tokenizer changes, selection, pin, padding, painted and covered cells follow their tokens. Answers of
/// an exercise go with the numbers that they were about. A decoder alone is
/// causal by nature: turning a model into one switches its causal mask on, and turning it back switches it
/// off.
Session reduce(const Session& session, const Action& action);

UndoRole undo_role(const Action& action);

struct Preset {
  std::string name;      ///< "One head, by hand"
  std::string document;  ///< the one that it is from, "Single attention head"; may be empty
  std::string summary;   ///< one line
  std::string differs;   ///< where the document that it is from errs, and what is done here; may be empty
  Session session;
};
/// Named starting points: the default first, then the examples of the documents and models in use, all with
/// random weights, then heads whose numbers are given by hand.
std::vector<Preset> presets();

}  // namespace headscope
