#include "core/session/action.h"

#include <type_traits>

namespace headscope {

Action::Action(const Action& other) = default;
Action::Action(Action&& other) noexcept = default;
Action& Action::operator=(const Action& other) = default;
Action& Action::operator=(Action&& other) noexcept = default;
Action::~Action() = default;

UndoRole undo_role(const Action& action) {
  return std::visit([](const auto& a) { return std::remove_cvref_t<decltype(a)>::undo; }, action);
}

}  // namespace headscope
