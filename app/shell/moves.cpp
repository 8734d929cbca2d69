#include "app/shell/moves.h"

#include <algorithm>

#include "app/shell/app.h"
#include "core/page/heads/heads_page.h"
#include "core/page/page_record.h"
#include "core/page/pages.h"

namespace headscope {

void move_head(App& app, int by) {
  const int n = app.session().architecture.n_heads;
  app.apply(select_head((app.session().selection.head + by + n) % n));
}

void move_on_heads(App& app, int right, int down) {
  const Selection& selection = app.session().selection;
  const auto page = app.screen().pages.find(PageName::heads);
  if (app.session().view != PageName::heads || page == app.screen().pages.end()) return;
  const HeadIndex from{selection.layer, selection.head};
  if (const auto to = adjacent_head(page->second.page, from, right, down)) app.apply(open_head(*to));
}

StageSteps stage_steps(const Trace& trace, const Session& session) {
  const Selection& selection = session.selection;
  const StageId chosen = canonical(session.architecture, selection.at(selection.stage));
  const bool is_parameter = info(chosen.kind).is_parameter();
  StageSteps steps{steps_of_pass(trace, is_parameter, selection.head)};
  // Without details, the steps are those that have tabs.
  if (!session.picture.details && !is_parameter)
    std::erase_if(steps.all,
                  [&](const StageId& id) { return info(id.kind).landmark.empty() && id != chosen; });
  steps.at = static_cast<int>(std::ranges::find(steps.all, chosen) - steps.all.begin());
  return steps;
}

namespace {

/// Moves through the steps of the page. Stops at the first and the last.
void move_page_step(App& app, int by) {
  const PageSteps& steps = page_record(app.session().view).steps;
  const PageInputs& in = app.screen().page_inputs;
  PageMemo& memo = app.screen().memo;
  const int last = steps.n != nullptr && in.trace ? steps.n(in, memo) : 0;
  if (last > 0) app.apply(steps.to(in, std::clamp(std::min(steps.now(in, memo), last) + by, 1, last)));
}

}  // namespace

void move_stage(App& app, int by) {
  if (!app.trace()) return;
  const PageName view = app.session().view;
  if (view == PageName::model || view == PageName::stages) return move_page_step(app, by);
  const Selection& selection = app.session().selection;
  const StageSteps steps = stage_steps(*app.trace(), app.session());
  const auto n = static_cast<int>(steps.all.size());
  if (n == 0) return;
  // Stop at the ends: an audience would not notice wrapping around.
  const int to = app.screen().presents ? std::clamp(steps.at + by, 0, n - 1) : (steps.at + by + n) % n;
  const StageId next = steps.all[static_cast<std::size_t>(to)];
  app.apply(select_place_of(next, selection));
  app.apply(select_stage(next.kind));
}

void move_token(App& app, int by) {
  if (!app.trace()) return;
  const auto n = static_cast<int>(app.trace()->tokens(app.session().selection.stack).size());
  if (n == 0) return;
  const auto& token = app.session().selection.token;
  const int first = by > 0 ? 0 : n - 1;
  app.apply(SelectToken{token ? std::clamp(*token + by, 0, n - 1) : first});
}

void move_layer(App& app, int by) {
  const Selection& selection = app.session().selection;
  const int n = app.session().architecture.layers_of(selection.stack);
  app.apply(select_place(selection.stack, (selection.layer + by + n) % n, selection.attention));
}

void move_lesson(App& app, int by) {
  const auto& lesson = app.scene().lesson;
  if (!lesson) return;
  const LessonWalk& walk = lesson->walk;
  const int last = static_cast<int>(walk.lesson->steps.size()) - 1;
  const int step = std::clamp(static_cast<int>(walk.step) + by, 0, last);
  app.dispatch(GoToStep{static_cast<std::size_t>(step)});
}

void move_presented(App& app, int by) {
  const auto& lesson = app.scene().lesson;
  const std::size_t step = lesson ? lesson->walk.step : 0;
  const Session before = app.session();
  const bool has_steps = page_record(before.view).steps.n != nullptr;
  if (lesson)
    move_lesson(app, by);
  else if (has_steps)
    move_page_step(app, by);
  else
    move_stage(app, by);
  const bool has_moved = (lesson && lesson->walk.step != step) || app.session() != before;
  if (!has_moved) app.notify(by < 0 ? "This is the first step" : "This is the last step");
}

void next_attention(App& app) {
  const Architecture& a = app.session().architecture;
  if (!a.has_cross() || !a.has_self()) return;
  const Selection& selection = app.session().selection;
  const bool is_encoder = selection.stack == Stack::encoder;
  const bool is_self = selection.attention == AttentionKind::self;
  app.apply(select_place(is_encoder || is_self ? Stack::decoder : Stack::encoder, selection.layer,
                         !is_encoder && is_self ? AttentionKind::cross : AttentionKind::self));
}

}  // namespace headscope
