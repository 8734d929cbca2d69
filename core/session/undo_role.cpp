#include "core/overloaded.h"
#include "core/session/action.h"

namespace headscope {

UndoRole undo_role(const Action& action) {
  const UndoRole by_setting{true, {}, true};
  const Overloaded role_of{
      [](const SetSentence&) {
        return UndoRole{true, "sentence"};
      },
      [](const SetChoices&) {
        return UndoRole{true, "sentence"};
      },
      [](const SetTarget&) {
        return UndoRole{true, "target"};
      },
      [](const SetBatch&) {
        return UndoRole{true, "batch"};
      },
      [](const SetOutputWords&) {
        return UndoRole{true, "output words"};
      },
      [&](const SetSampling&) { return by_setting; },
      [](const SelectSequence&) {
        return UndoRole{false, {}};
      },
      [](const SelectPlace&) {
        return UndoRole{false, {}};
      },
      [&](const SetArchitecture&) { return by_setting; },
      [](const ShowWeights&) {
        return UndoRole{false, {}};
      },
      [&](const SetTraining&) { return by_setting; },
      [&](const SetAttention&) { return by_setting; },
      [](const PaintCell&) {
        return UndoRole{true, "paint"};
      },
      [&](const SetPicture&) { return by_setting; },
      [](const SetView&) {
        return UndoRole{false, {}};
      },
      [](const SetDifference&) {
        return UndoRole{false, {}};
      },
      [](const SelectStage&) {
        return UndoRole{false, {}};
      },
      [](const SelectHead&) {
        return UndoRole{false, {}};
      },
      [](const SelectToken&) {
        return UndoRole{false, {}};
      },
      [](const PinCell&) {
        return UndoRole{false, {}};
      },
      [](const Unpin&) {
        return UndoRole{false, {}};
      },
      [](const auto&) {
        return UndoRole{true, {}};
      },
  };
  return std::visit(role_of, action);
}

}  // namespace headscope
