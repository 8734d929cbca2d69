#include <ostream>

#include "app/cli/commands.h"
#include "app/cli/figure_output.h"
#include "app/cli/lesson_scene.h"
#include "app/cli/option_values.h"
#include "core/lesson/lessons.h"
#include "core/page/handout.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

void list_lessons(std::ostream& out) {
  for (const LessonFile& file : lesson_files())
    out << "  " << file.name << "  " << outline_of_lesson(std::string(file.name), file.text).title << '\n';
}

/// Checks lessons and prints the mistakes of each. Fails if there are any.
Result<void> check_lessons(const std::vector<std::string>& names, std::ostream& out) {
  std::size_t n_mistakes = 0;
  for (const std::string& name : names) {
    const auto lesson = checked_lesson(name);
    if (!lesson) return tl::unexpected(lesson.error());
    const std::size_t n = lesson->mistakes.size();
    out << name << ": "
        << (n == 0 ? counted(static_cast<long long>(lesson->n_steps), "step") + ", no mistakes"
                   : std::to_string(n) + " to fix")
        << '\n';
    for (const std::string& mistake : lesson->mistakes) out << "  " << mistake << '\n';
    n_mistakes += n;
  }
  if (n_mistakes == 0) return {};
  return failure(std::to_string(n_mistakes) + (n_mistakes == 1 ? " mistake was" : " mistakes were") +
                 " found: see the list");
}

}  // namespace

Result<void> run_lesson(const CommandOptions& o, std::ostream& out) {
  if (o.checks) {
    std::vector<std::string> names;
    if (o.named) names.push_back(*o.named);
    for (const LessonFile& file : lesson_files()) {
      if (!o.named) names.emplace_back(file.name);
    }
    return check_lessons(names, out);
  }
  if (!o.named && (o.prints || o.out))
    return usage_error("--print needs the NAME or the FILE.md of a lesson: “headscope lesson” lists them");
  if (!o.named) {
    list_lessons(out);
    return {};
  }
  if (o.out && !o.out->ends_with(".pdf"))
    return wrong_value("--out", *o.out, "a handout has several pages: its name must end in .pdf");
  const auto lesson = open_lesson(*o.named);
  if (!lesson) return tl::unexpected(lesson.error());
  if (o.out) {
    return write_pages(
        [&](const MeasureText& measure) { return handout_of(**lesson, computed_trace, measure); },
        (*lesson)->title, *o.out);
  }
  out << (*lesson)->title << "\n\n" << plain_text((*lesson)->summary) << '\n';
  for (const LessonStep& step : (*lesson)->steps) {
    out << '\n' << step.title << "\n\n" << plain_text(step.says) << '\n';
    if (step.question) out << plain_text(step.question->asks) << '\n';
  }
  return {};
}

}  // namespace headscope
