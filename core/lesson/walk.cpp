#include "core/lesson/walk.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/session/settings.h"

namespace headscope {
namespace {

/// Visits the decimal attention settings, which users drag and which never change a shape.
template <class Use>
void for_each_decimal(const Use& use) {
  for (const Setting& setting : attention_settings) {
    if (const auto* decimal = std::get_if<field::Real>(&setting.field)) use(setting, decimal->value);
  }
}

Session with_decimals_of(Session session, const Session& other) {
  for_each_decimal(
      [&](const Setting&, const Accessor<float>& place) { place.write(session) = place.read(other); });
  return session;
}

std::string at_line(int line, const std::string& message) {
  return error_at_line(line, message).value().message;
}

/// Whether a step points at something that the pass has.
bool is_there(const LessonFocus& focus, const Session& session, const Trace& trace) {
  if (focus.kind == LessonFocus::Kind::control) return true;
  if (focus.kind == LessonFocus::Kind::head) {
    const Architecture& a = session.architecture;
    return focus.head.layer < a.n_layers && focus.head.head < a.n_heads;
  }
  const StageId id = canonical(trace.architecture(), focus.stage.in(session));
  if (!trace.has(id)) return false;
  return (focus.row.empty() || row_named(trace, id, focus.row)) &&
         (focus.column.empty() || column_named(trace, id, focus.column));
}

void check_question(const LessonStep& step, const Trace& trace, const ComputePass& compute,
                    std::vector<std::string>& mistakes) {
  const LessonQuestion& question = *step.question;
  if (holds(question.expect, {step.session, &trace}))
    mistakes.push_back(at_line(question.line, "the question is answered before anything was done"));
  for (const WrongAnswer& wrong : question.wrong) {
    if (holds(wrong.when, {step.session, &trace}))
      mistakes.push_back(at_line(question.line, "a wrong answer is told before anything was done"));
  }
  if (!question.missing_parts.empty())
    return mistakes.push_back(at_line(question.line, question.missing_parts));
  if (!question.shown) {
    if (const auto lacking = first_missing(question.expect, {step.session, &trace}, true))
      mistakes.push_back(
          at_line(question.line, "the scene has no " + in_quotes(*lacking) +
                                     ", which is expected: if readers are to bring it in, expect the setting "
                                     "that they change as well, or add “show:”"));
    return;
  }
  const auto shown = compute(*question.shown);
  if (!shown) return mistakes.push_back(at_line(question.line, shown.error().message));
  const ConditionContext seen{*question.shown, shown->get()};
  if (holds(question.expect, seen)) return;
  const auto lacking = first_missing(question.expect, seen);
  mistakes.push_back(
      at_line(question.line, "what “show:” shows is not what is expected" +
                                 (lacking ? ": it has no " + in_quotes(*lacking) : std::string())));
}

}  // namespace

LessonWalk started(std::shared_ptr<const Lesson> lesson) {
  LessonWalk walk;
  walk.answered.resize(lesson->steps.size());
  walk.lesson = std::move(lesson);
  return walk;
}

LessonWalk at_step(LessonWalk walk, std::size_t step) {
  walk.step = std::min(step, walk.lesson->steps.size() - 1);
  walk.wrong.reset();
  walk.is_attempted = false;
  return walk;
}

LessonWalk observed(LessonWalk walk, const Session& opened, const ConditionContext& seen,
                    const Session* last) {
  const auto& question = walk.at().question;
  LessonWalk::Answered& answered = walk.answered[walk.step];
  walk.wrong.reset();
  walk.is_attempted = false;
  if (!question || !walk.at().missing_parts.empty() || answered.is_right || answered.is_revealed) return walk;
  answered.is_right = holds(question->expect, seen);
  if (answered.is_right) return walk;
  const auto wrong =
      std::ranges::find_if(question->wrong, [&](const WrongAnswer& each) { return holds(each.when, seen); });
  if (wrong != question->wrong.end()) walk.wrong = static_cast<std::size_t>(wrong - question->wrong.begin());
  walk.is_attempted = !walk.wrong && is_attempted(question->expect, opened, seen, last);
  return walk;
}

bool can_animate(const Session& from, const Session& to) {
  return from != to && with_decimals_of(from, to) == to;
}

std::vector<SettingChange> interpolated_changes(const Session& from, const Session& to, double share) {
  std::vector<SettingChange> changes;
  for_each_decimal([&](const Setting& setting, const Accessor<float>& place) {
    const double begin = place.read(from);
    const double end = place.read(to);
    if (begin == end) return;
    const bool multiplies = begin > 0.0 && end > 0.0;
    const double between = multiplies ? begin * std::pow(end / begin, share) : begin + (end - begin) * share;
    changes.push_back({setting.key, share < 1.0 ? between : end});
  });
  return changes;
}

std::vector<std::string> lint_lesson(const Lesson& lesson, const ComputePass& compute) {
  std::vector<std::string> mistakes;
  std::string_view lacked;  // By the step before. What goes on from it lacks the same.
  for (const LessonStep& step : lesson.steps) {
    if (step.has_mistake) continue;
    if (!step.missing_parts.empty()) {
      if (step.missing_parts != lacked) mistakes.push_back(at_line(step.scene_line, step.missing_parts));
      lacked = step.missing_parts;
      continue;
    }
    const auto trace = compute(step.session);
    if (!trace) {
      mistakes.push_back(at_line(step.scene_line, trace.error().message));
      continue;
    }
    for (const LessonFocus& focus : step.focus) {
      if (!is_there(focus, step.session, **trace))
        mistakes.push_back(at_line(focus.line, in_quotes(focus.text) + " is not in the scene of the step"));
    }
    for (const LessonClaim& claim : step.claims) {
      if (!holds(claim.holds, {step.session, trace->get()}))
        mistakes.push_back(at_line(claim.line, in_quotes(claim.text) + " does not hold in the scene"));
    }
    if (step.question) check_question(step, **trace, compute, mistakes);
  }
  return mistakes;
}

}  // namespace headscope
