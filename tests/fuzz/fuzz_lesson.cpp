// Fuzzes lessons from users' own files, which are read and walked through. Scenes are read by a stand-in that
// looks only at their words; fuzz_command_line tests the options of the command line.

#include "core/engine/engine.h"
#include "core/lesson/read_lesson.h"
#include "core/lesson/walk.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

using fuzzing::require;

void check_prose(const Prose& prose) {
  for (const ProseBlock& block : prose) {
    require(!block.spans.empty(), "each block says something");
    require(block.depth >= 0 && block.depth <= max_prose_depth, "nothing is nested too deep");
  }
  require(fuzzing::is_utf8(plain_text(prose)), "what is shown is UTF-8");
}

void check_lesson(std::string_view text) {
  const Session usual = default_session();
  const auto scene = [](const std::string& words, const LessonScene& before) -> Result<LessonScene> {
    Session session = before.session;
    if (words.empty()) return usage_error("there are no words");
    session.attention.mask.causal = words.front() == 'c';
    return session;
  };
  const ParsedLesson reading = parse_lesson("mine", text, scene);
  require(reading.mistakes.size() <= max_lesson_mistakes, "the list of mistakes has an end");
  for (const std::string& mistake : reading.mistakes) fuzzing::require_readable(mistake);
  if (!reading.mistakes.empty()) return;
  const Lesson* const lesson = &reading.lesson;
  require(!lesson->steps.empty() && !lesson->title.empty(), "a lesson has a title and steps");
  static const auto trace = Engine(1).compute(request_of(usual));
  require(trace.has_value(), "the session can be computed");
  check_prose(lesson->summary);
  LessonWalk walk = started(std::make_shared<const Lesson>(*lesson));
  for (std::size_t i = 0; i < lesson->steps.size(); ++i) {
    walk = observed(at_step(walk, i), usual, {usual, trace->get()});
    require(walk.step == i, "each step is reached");
    const LessonStep& step = walk.at();
    check_prose(step.body);
    if (!step.question) continue;
    check_prose(step.question->prompt);
    check_prose(step.question->reveal);
    require(!walk.wrong || *walk.wrong < step.question->wrong.size(),
            "a wrong answer is one of the question's");
    require(!(walk.wrong && walk.here().is_right), "no answer is right and wrong");
  }
  for (const std::string& mistake : lint_lesson(*lesson, [&](const Session&) { return *trace; }))
    fuzzing::require_readable(mistake);
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  headscope::check_lesson(headscope::fuzzing::text_of(data, size));
  return 0;
}
