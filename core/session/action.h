#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/alternative_of.h"
#include "core/session/session.h"
#include "core/session/setting_change.h"

namespace headscope {

/// How an action enters the undo history. An action that is more or less than one step of its own declares
/// its role as `undo`; a SessionEdit carries it as `role`.
/// - `is_step`: false for actions that the history keeps without making an undo step, such as selecting.
/// - `merge_key`: consecutive actions with the same non-empty key form one undo step, such as a run of typing
///   or one brush stroke.
/// - `merges_by_setting`: the key is changed_option() of core/session/setting.h, so dragging a slider makes
///   one step.
struct UndoRole {
  bool is_step = true;
  std::string_view merge_key = {};
  bool merges_by_setting = false;
};
inline constexpr UndoRole no_step{false};
inline constexpr UndoRole step_by_setting{true, {}, true};
constexpr UndoRole step_of(std::string_view merge_key) {
  return {true, merge_key};
}

/// The actions that a user can apply to a session. Views emit them; only reduce() applies them.
struct SetSentence {
  static constexpr UndoRole undo = step_of("sentence");
  std::string sentence;
  /// The new target, or nullopt to keep the current one.
  std::optional<std::string> target = {};
};
/// Sets the alternatives of a sentence that contains a choice. The last becomes the sentence, the others
/// replace the compared subjects, and the Compare page opens.
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
/// Sets settings by key. All changes form one undo step, or none if they only select what is shown. If one of
/// them is invalid, none is applied. Conflicting settings are reconciled (see with_changes() in
/// core/session/setting_change.h).
struct ChangeSettings {
  static constexpr UndoRole undo = step_by_setting;
  std::vector<SettingChange> changes;
};
/// Restores the model's settings and weights from a starting point. Keeps the sentences and the selection.
struct RestoreDefaults {
  Subject of;
};
/// Adopts a model's task and architecture, and selects the head that best shows what the model learned.
struct OpenModel {
  /// The model, or null for random weights of the same architecture without a task.
  ModelRef model;
  /// If not empty, these replace the session's sentences, unless the user wrote those and the model can read
  /// them.
  std::string example = {}, example_target = {};
  /// Training settings that suit its task.
  std::optional<TrainingSettings> training = {};
  /// The token of the last stack to select in the example.
  std::optional<int> example_token = {};
};
/// Shows newer weights from training. Ignored if they are for another task or architecture.
struct ShowWeights {
  static constexpr UndoRole undo = no_step;
  ModelRef model;
};
/// Overrides numbers that would otherwise be drawn, read or computed. Ignored if a number is not finite or
/// the path cannot be overridden (see core/trace/given_stage.h). A matrix of the wrong size is kept.
struct SetGiven {
  static constexpr UndoRole undo = step_by_setting;
  std::string path;
  /// The numbers, or nullopt to remove the override.
  std::optional<OwnedMatrix> numbers;
};
/// Makes a subject the only compared one. Ignored if its interventions take numbers from a compared subject.
struct SetCompared {
  std::optional<Subject> subject = {};  ///< nullopt for the edited subject.
};
/// Swaps the edited subject with the first compared one. The previously edited one is dropped if it cannot be
/// compared.
struct SwapCompared {};
struct SetView {
  static constexpr UndoRole undo = no_step;
  PageName view;
};
/// Selects a token in place of any picked tokens.
struct SelectToken {
  static constexpr UndoRole undo = no_step;
  std::optional<int> token;
};
struct PinCell {
  static constexpr UndoRole undo = no_step;
  Pin pin;
};
struct OpenSession {
  Session session;
};
/// Any other change. The functions below make them.
struct SessionEdit {
  UndoRole role;
  std::function<void(Session&)> apply;
};

/// Replaces the weights with random ones, to train the session's task from scratch. `first` are the initial
/// weights of a model that learns a text; null otherwise.
SessionEdit train_from_scratch(ModelRef first);
SessionEdit set_interventions(Interventions interventions);
/// Overrides several matrices in one undo step, each like SetGiven.
SessionEdit set_given_matrices(std::vector<GivenMatrix> matrices);
// The next four change the mask of the selected attention.
/// Replaces all previous mask files.
SessionEdit set_mask_files(std::vector<std::shared_ptr<const LoadedMask>> masks);
SessionEdit toggle_padding(int key);
SessionEdit paint_cell(Cell cell, bool hidden);
SessionEdit clear_painted();
/// Clears the compared subjects and removes the interventions that take numbers from them.
SessionEdit clear_compared();
/// Selects another head of a compared subject, given by its index, in its selected stack and attention.
SessionEdit open_compared_head(std::size_t compared, HeadIndex place);
SessionEdit select_stage(StageKind stage);
/// Sets one value of the selection, such as `pin`, and nothing else.
template <class Value>
SessionEdit set_selected(Value Selection::*part, std::type_identity_t<Value> value) {
  return {no_step, [part, value = std::move(value)](Session& session) { session.selection.*part = value; }};
}
/// Selects a place. Keeps the selected kind of stage if the new place has it.
SessionEdit select_place(Stack stack, int layer, AttentionKind attention);
/// Selects the place of a stage. For a stage shared by all layers or both stacks, keeps the selected ones.
SessionEdit select_place_of(const StageId& stage, const Selection& selection);
SessionEdit select_head(int head);
/// Selects a head of the selected stack and attention, and nothing else. A pin keeps its cell and moves to
/// the new head.
SessionEdit open_head(HeadIndex place);
/// Sets the numbers that an exercise hides, and the answers found so far.
SessionEdit set_cover(Cover cover);
/// Opens one of presets() by its name.
SessionEdit load_preset(std::string name);

using AnyAction = std::variant<ChangeSettings, RestoreDefaults, SetSentence, SetChoices, SetTarget, SetBatch,
                               OpenModel, ShowWeights, SetGiven, SetView, SelectToken, PinCell, OpenSession,
                               SetCompared, SwapCompared, SessionEdit>;

/// One of these actions. A class of its own because copying, moving and destroying such a large variant takes
/// seconds to compile; action.cpp does it once for all files.
struct Action : AnyAction {
  template <AlternativeOf<AnyAction> T>
  Action(T alternative) : AnyAction(std::in_place_type<T>, std::move(alternative)) {}
  Action(const Action& other);
  Action(Action&& other) noexcept;
  Action& operator=(const Action& other);
  Action& operator=(Action&& other) noexcept;
  ~Action();
};

/// Returns the session after an action. Pure. The result is repaired() (core/session/repair.h): meaningless
/// values, such as a head that no longer exists, are clamped; invalid values that the screen must explain,
/// such as a d_model that is not divisible by the number of heads, are kept. An impossible action changes
/// nothing. When a sentence or the tokenizer changes, the selection, the pin, and padded, painted and covered
/// cells follow their tokens. Answers of an exercise are dropped when their numbers change. Turning a model
/// into a decoder alone switches its causal mask on; turning it back switches it off.
Session reduce(const Session& session, const Action& action);

/// Returns the session with this architecture, which may be inconsistent, repaired as by reduce().
Session with_architecture(const Session& session, const Architecture& architecture);

UndoRole undo_role(const Action& action);

/// Whether typing a text emits this action.
bool is_typing(const Action& action);

}  // namespace headscope
