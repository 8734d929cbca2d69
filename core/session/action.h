#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/alternative_of.h"
#include "core/session/session.h"
#include "core/session/setting_change.h"

namespace headscope {

/// Says how an action enters the undo history. `is_step` is false for actions that are kept in the history
/// but are not steps themselves, such as selecting and pinning. Consecutive actions with the same non-empty
/// merge key form one step, such as a run of typing or one stroke of painting. Actions that change settings
/// use changed_option() of core/session/setting.h as their key, so dragging one slider is one step. Each
/// action declares its role as `undo`.
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

/// The actions that a user can apply to a session. Views emit them; only reduce() carries them out.
struct SetSentence {
  static constexpr UndoRole undo = step_of("sentence");
  std::string sentence;
  /// The new target, if it changes along with the sentence.
  std::optional<std::string> target = {};
};
/// Sets the sentences that a sentence with a choice in it stands for. The last one becomes the sentence, the
/// others replace the held subjects, and the page that compares them is shown.
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
  std::vector<std::string> sentences;  ///< Empty to remove the batch.
};
/// Gives settings new values by their keys. All changes together are one step, or none if they only select
/// what is seen; if one is impossible, none is made. Each change also adjusts the settings that conflict with
/// it, as their records say (see with_changes() in core/session/setting_change.h).
struct ChangeSettings {
  static constexpr UndoRole undo = step_of_setting;
  std::vector<SettingChange> changes;
};
/// Restores the model's settings and weights from a starting point. Sentences and selection stay.
struct RestoreDefaults {
  static constexpr UndoRole undo = one_step;
  Subject of;
};
/// Makes a model's task and architecture those of the session and selects the head that shows best what the
/// model learned.
struct OpenModel {
  static constexpr UndoRole undo = one_step;
  /// The model, or null for random weights of the same architecture without a task.
  ModelValue model;
  /// The example sentences, if there are any, replace those of the session unless somebody wrote these and
  /// the model can read them.
  std::string example = {}, example_target = {};
  /// The training settings with which its task is learned well.
  std::optional<TrainingSettings> training = {};
  /// The token of the last stack to select in the example.
  std::optional<int> example_token = {};
};
/// Shows newer weights for the session's task and architecture, as training produces them. Does nothing if
/// the weights are for another task or architecture.
struct ShowWeights {
  static constexpr UndoRole undo = no_step;
  ModelValue model;
};
/// Replaces the weights by random ones, from which to train the session's task.
struct TrainAnew {
  static constexpr UndoRole undo = one_step;
  std::shared_ptr<const TrainedModel> first;  ///< The first weights of a model that learns a text.
};
struct SetInterventions {
  static constexpr UndoRole undo = step_of_setting;
  Interventions interventions;
};
/// Gives numbers that replace those that would be drawn, read or computed. Does nothing if a number is not
/// finite or if the path cannot be given (see core/trace/given_stage.h). Numbers whose size differs from that
/// of their place are kept.
struct SetGiven {
  static constexpr UndoRole undo = step_of_setting;
  std::string path;
  /// The numbers, or nullopt to compute them again.
  std::optional<OwnedMatrix> numbers;
};
/// Gives several matrices in one step, as SetGiven gives one.
struct GiveAll {
  static constexpr UndoRole undo = one_step;
  std::vector<GivenMatrix> matrices;
};
/// The next four actions change the mask of the selected attention.
struct SetMaskFiles {
  static constexpr UndoRole undo = one_step;
  std::vector<std::shared_ptr<const LoadedMask>> masks;  ///< They replace those that were read before.
};
struct TogglePadding {
  static constexpr UndoRole undo = one_step;
  int token;  ///< The index of a key.
};
struct PaintCell {
  static constexpr UndoRole undo = step_of("paint");
  Cell cell;
  bool hidden;
};
struct ClearPainted {
  static constexpr UndoRole undo = one_step;
};
/// Holds a subject in place of the held ones, to compare the session with it. A subject whose interventions
/// take numbers from a held subject cannot be held; the action then does nothing.
struct Hold {
  static constexpr UndoRole undo = one_step;
  std::optional<Subject> subject = {};  ///< The subject to hold, or nullopt for the edited one.
};
/// Releases the held subjects and removes the interventions that take numbers from them.
struct Release {
  static constexpr UndoRole undo = one_step;
};
/// Makes the first held subject the edited one, and holds the previously edited one if it can be held.
struct SwapHeld {
  static constexpr UndoRole undo = one_step;
};
/// Selects another head of a held subject in its selected stack and attention.
struct OpenHeldHead {
  static constexpr UndoRole undo = no_step;
  std::size_t held;  ///< The index of the held subject.
  HeadPlace place;
};
struct SetView {
  static constexpr UndoRole undo = no_step;
  PageName view;
};
struct SelectStage {
  static constexpr UndoRole undo = no_step;
  StageKind stage;
};
/// Selects a place and keeps the selected kind of stage if the new place has it.
struct SelectPlace {
  static constexpr UndoRole undo = no_step;
  Stack stack;
  int layer;
  AttentionKind attention;
};
/// The place of a stage. A stage that all layers or both stacks share leaves those as they are selected.
SelectPlace place_of_stage(const StageId& stage, const Selection& selection);
struct SelectHead {
  static constexpr UndoRole undo = no_step;
  int head;
};
/// Selects a head of the selected stack and attention and nothing else. A pin stays on its cell, in the new
/// head.
struct OpenHead {
  static constexpr UndoRole undo = no_step;
  HeadPlace place;
};
/// Sets the heads that are shown together.
struct PickHeads {
  static constexpr UndoRole undo = no_step;
  std::vector<HeadPlace> heads;
};
/// Sets the numbers that are hidden for an exercise, and the answers found so far.
struct SetCover {
  static constexpr UndoRole undo = step_of_setting;
  Cover cover;
};
/// Sets the tokens whose lines are drawn together. An empty list releases them.
struct PickTokens {
  static constexpr UndoRole undo = no_step;
  PickedTokens picked;
};
/// Selects a token in place of any picked tokens.
struct SelectToken {
  static constexpr UndoRole undo = no_step;
  std::optional<int> token;
};
/// Selects the word whose prediction is explained. If empty, it is the likeliest word.
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
};  ///< `name` is the name of one of presets().

using AnyAction =
    std::variant<ChangeSettings, RestoreDefaults, SetSentence, SetChoices, SetTarget, SetBatch, OpenModel,
                 ShowWeights, TrainAnew, SetInterventions, SetGiven, GiveAll, SetMaskFiles, TogglePadding,
                 PaintCell, ClearPainted, SetView, SelectStage, SelectPlace, SelectHead, OpenHead, PickHeads,
                 SetCover, PickTokens, SelectToken, SelectWord, PinCell, Unpin, LoadPreset, OpenSession, Hold,
                 Release, SwapHeld, OpenHeldHead>;

/// One of these actions. It is a separate class because the functions that copy, move and destroy such a
/// large variant take seconds to compile; action.cpp compiles them once instead of every file that holds an
/// action.
struct Action : AnyAction {
  template <AlternativeOf<AnyAction> T>
  Action(T alternative) : AnyAction(std::in_place_type<T>, std::move(alternative)) {}
  Action(const Action& other);
  Action(Action&& other) noexcept;
  Action& operator=(const Action& other);
  Action& operator=(Action&& other) noexcept;
  ~Action();
};

/// Returns the session after an action. Pure. Invalid values are kept if the screen must explain them, such
/// as a d_model that is not divisible by the number of heads, and clamped if they are meaningless, such as a
/// head that no longer exists: the result has passed through repaired() of core/session/repair.h. An action
/// that cannot be carried out at all changes nothing. When a sentence or the tokenizer changes, the
/// selection, the pin, and padding, painted and covered cells follow their tokens. The answers of an exercise
/// are dropped when the numbers that they refer to change. A decoder alone is causal by nature, so turning a
/// model into one switches its causal mask on, and turning it back switches it off.
Session reduce(const Session& session, const Action& action);

/// Returns the session with an architecture as it is, which may be inconsistent, and otherwise as reduce()
/// leaves a session after a change of its sizes.
Session with_architecture(const Session& session, const Architecture& architecture);

UndoRole undo_role(const Action& action);

/// Whether the action is one of those that typing a text makes.
bool is_typing(const Action& action);

}  // namespace headscope
