#include <type_traits>

#include "core/session/action.h"

namespace headscope {

UndoRole undo_role(const Action& action) {
  return std::visit([](const auto& a) { return std::remove_cvref_t<decltype(a)>::undo; }, action);
}

}  // namespace headscope
