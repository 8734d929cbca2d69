#include "core/session/action.h"

#include <algorithm>
#include <type_traits>

#include "core/session/setting.h"

namespace headscope {

Action::Action(const Action& other) = default;
Action::Action(Action&& other) noexcept = default;
Action& Action::operator=(const Action& other) = default;
Action& Action::operator=(Action&& other) noexcept = default;
Action::~Action() = default;

UndoRole undo_role(const Action& action) {
  const auto* settings = std::get_if<ChangeSettings>(&action);
  const auto selects = [](const SettingChange& change) {
    const Setting* setting = find_setting(change.key);
    return setting != nullptr && setting->selects;
  };
  if (settings != nullptr && std::ranges::all_of(settings->changes, selects)) return no_step;
  return std::visit([](const auto& a) { return std::remove_cvref_t<decltype(a)>::undo; }, action);
}

SelectPlace place_of_stage(const StageId& stage, const Selection& selection) {
  const StageScope scope = info(stage.kind).scope;
  return {scope >= StageScope::stack ? stage.stack : selection.stack,
          scope >= StageScope::layer ? stage.layer : selection.layer, stage.attention};
}

}  // namespace headscope
