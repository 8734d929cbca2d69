#include "core/lesson/read_lesson.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "core/io/inside.h"
#include "core/io/matrix_text.h"
#include "core/lesson/edit_lesson.h"
#include "core/session/names.h"
#include "core/session/setting_change.h"
#include "core/split_text.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

/// The line that a mistake names. 0 if it concerns the file as a whole.
int line_of(std::string_view mistake) {
  constexpr std::string_view begin = "line ";
  int line = 0;
  if (mistake.starts_with(begin))
    std::from_chars(mistake.data() + begin.size(), mistake.data() + mistake.size(), line);
  return line;
}

/// Text that is collected line by line, with its first line or, for a directive, the line of its fence.
struct Collected {
  std::string text;
  int line = 0;

  void add(std::string_view added, int number) {
    if (text.empty()) line = number;
    text.append(added).append("\n");
  }
  bool is_blank() const { return trimmed(text).empty(); }
};

/// The setting with this key. Throws if it has no control.
const Setting* controlled_setting(std::string_view key) {
  const Setting* setting = find_setting(key);
  if (setting == nullptr || setting->control.label.empty())
    refuse(failure("there is no control for a setting " + in_quotes(key) +
                   ": a scene's file lists the keys of all settings, such as attention.causal"));
  return setting;
}

/// The words of a line.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::string_view rest = trimmed(text); !rest.empty();) {
    const std::size_t end = rest.find(' ');
    words.emplace_back(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : trimmed(rest.substr(end));
  }
  return words;
}

/// Parses “cell weights it animal”, “row it”, “column animal”, “head 1.0” or “control attention.causal”.
LessonFocus focus_of(std::string_view text) {
  const std::vector<std::string> words = words_of(text);
  LessonFocus focus;
  const std::string& kind = words.front();
  if (kind == "control" && words.size() == 2) {
    focus.setting = controlled_setting(words[1]);
    return focus;
  }
  if (kind == "head" && words.size() == 2) {
    const auto head = parse_head_name(words[1]);
    if (!head) refuse(failure(in_quotes(words[1]) + " is no head: write layer and head, such as 1.0"));
    focus.kind = LessonFocus::Kind::head;
    focus.head = *head;
    return focus;
  }
  const bool is_cell = kind == "cell";
  if ((kind == "row" || kind == "column" || is_cell) && words.size() >= (is_cell ? 3U : 2U)) {
    // The stage may be left out, which means the weights.
    const bool has_stage = words.size() == (is_cell ? 4U : 3U);
    focus.stage = stage_place(has_stage ? words[1] : "weights").value();
    focus.kind = is_cell         ? LessonFocus::Kind::cell
                 : kind == "row" ? LessonFocus::Kind::row
                                 : LessonFocus::Kind::column;
    const std::size_t first = has_stage ? 2 : 1;
    if (words.size() == first + (is_cell ? 2U : 1U)) {
      if (kind != "column") focus.row = words[first];
      if (kind != "row") focus.column = words.back();
      return focus;
    }
  }
  refuse(failure(
      in_quotes(text) +
      " is nothing to look at: write “control KEY”, “head 1.0”, “row it”, “column it” or “cell it animal”; a stage may stand after row, column and cell, such as “cell scaled it animal”"));
}

/// Parses the names of pages after “keep”.
std::vector<PageName> kept_pages(std::span<const std::string> words) {
  const auto names = std::span(names_of<PageName>).first(n_views);
  std::vector<PageName> pages;
  for (const std::string& word : words) {
    const auto found = std::ranges::find(names, word);
    if (found == names.end())
      refuse(failure("there is no page " + in_quotes(word) + ": the pages are " + join_texts(names, ", ")));
    pages.push_back(static_cast<PageName>(found - names.begin()));
  }
  return pages;
}

/// The fields of a question; the text above the first one is the question itself.
constexpr std::array<std::string_view, 6> fields{"", "expect", "wrong", "hint", "reveal", "show"};

/// The field that a line begins. Empty if none.
std::optional<std::string_view> field_start(std::string_view line) {
  for (const std::string_view name : fields) {
    if (!name.empty() && line.starts_with(name) && line.substr(name.size()).starts_with(":")) return name;
  }
  return std::nullopt;
}

[[noreturn]] void reject(int line, const std::string& why) {
  refuse(error_at_line(line, why));
}

class LessonReader {
 public:
  LessonReader(std::string name, const SceneReader& scene) : scene_(scene) {
    lesson_.name = std::move(name);
    before_.session = default_session();
  }

  ParsedLesson read(std::string_view text) {
    for (int number = 1; !text.empty() && !is_over_; ++number) {
      const std::string_view line = take_line(text);
      attempt([&] { take(line, number); });
    }
    if (!is_over_) finish();
    sort_by_line(mistakes_);
    return {std::move(lesson_), std::move(mistakes_)};
  }

 private:
  /// Records an error as a mistake. Parsing continues after it, up to a limit.
  void note(const tl::unexpected<Error>& mistake) {
    if (mistakes_.size() == max_lesson_mistakes) return;
    mistakes_.push_back(mistake.value().message);
    is_over_ = is_over_ || mistakes_.size() == max_lesson_mistakes;
  }
  /// Calls a function and records the error that it throws.
  template <class Read>
  void attempt(const Read& read) {
    if (const Result<void> ok = result_of(read); !ok) note(tl::unexpected(ok.error()));
  }
  void finish() {
    leave_open_blocks();
    attempt([&] { finish_text(); });
    if (lesson_.title.empty() && !is_missing_title_)
      note(error_at_line(1, "the lesson has no title: begin it with “# Title”"));
    else if (lesson_.steps.empty() && mistakes_.empty())
      note(error_at_line(1, "the lesson has no steps: each begins with a heading “## What it shows”"));
  }
  /// Records an open block as a mistake and leaves it. A formula may contain what looks like a heading, so
  /// nothing after an open block can be parsed.
  void leave_open_blocks() {
    if (fence_)
      note(error_at_line(fence_->line, "this block is not closed: end it with a line of ``` alone"));
    if (formula_line_)
      note(error_at_line(*formula_line_, "this formula is not closed: end it with ``` on a line of its own"));
    is_over_ = is_over_ || formula_line_;
    fence_.reset();
    formula_line_.reset();
  }
  void take(std::string_view line, int number) {
    const bool is_fence = line.starts_with(lesson_fence);
    const std::string_view name = is_fence ? trimmed(line.substr(lesson_fence.size())) : "";
    if (fence_) {
      if (is_fence && name.empty()) return finish_directive();
      if (!is_fence && !line.starts_with("## ")) {
        fence_->text.append(line).append("\n");
        return;
      }
      leave_open_blocks();
    }
    if (!name.empty()) return begin_directive(name, number);
    if (is_fence) {
      formula_line_ = formula_line_ ? std::nullopt : std::optional(number);
    } else if (!formula_line_ && (line.starts_with("# ") || line.starts_with("## "))) {
      return take_heading(line, number);
    }
    text_.add(line, number);
  }

  void begin_directive(std::string_view name, int line) {
    leave_open_blocks();
    if (is_over_) return;
    fence_ = Collected{{}, line};
    read_ = nullptr;
    const ReadDirective read = reader_of(name);
    if (read == nullptr)
      reject(line, "there is no directive " + in_quotes(name) +
                       ": a lesson has scene, focus, ask, holds and controls, and ``` alone for formulas");
    if (lesson_.steps.empty())
      reject(line, "a directive belongs to a step: begin one with “## What it shows”");
    read_ = read;
  }

  void take_heading(std::string_view line, int number) {
    attempt([&] { finish_text(); });
    const bool is_step = line.starts_with("## ");
    const std::string title(trimmed(line.substr(is_step ? 3 : 2)));
    if (title.empty()) note(error_at_line(number, "this heading has no text"));
    is_missing_title_ = is_missing_title_ || (title.empty() && !is_step);
    if (is_step) {
      is_over_ = is_over_ || lesson_.steps.size() == max_lesson_steps;
      if (lesson_.steps.size() == max_lesson_steps)
        reject(number, "a lesson has at most " + std::to_string(max_lesson_steps) + " steps");
      LessonStep next;
      static_cast<LessonScene&>(next) = before_;
      next.line = next.scene_line = number;
      next.title = title;
      lesson_.steps.push_back(std::move(next));
      return;
    }
    if (!lesson_.title.empty() || !lesson_.steps.empty())
      reject(number, "a lesson has one title: begin steps with “## ”, headings within them with “### ”");
    lesson_.title = title;
  }

  /// Assigns the text since the last heading.
  void finish_text() {
    const Collected text = std::exchange(text_, {});
    if (text.is_blank()) return;
    if (lesson_.title.empty() && lesson_.steps.empty() && !std::exchange(is_missing_title_, true))
      reject(text.line, "this text is above the title: begin the lesson with “# Title”");
    (lesson_.steps.empty() ? lesson_.summary : step().body) = read_prose(text.text, text.line).value();
  }

  void finish_directive() {
    const Collected directive = std::move(*fence_);
    fence_.reset();
    if (read_ != nullptr) (this->*read_)(directive);
  }

  void read_scene(const Collected& directive) {
    if (step().has_scene)
      reject(directive.line, "a step has one scene: begin another step for another scene");
    if (step().question) reject(directive.line, "put the scene above the question, which is asked of it");
    std::string words(trimmed(directive.text));
    std::ranges::replace(words, '\n', ' ');
    auto scene = result_of([&] { return scene_of(words, directive.line); });
    if (!scene) {
      // A scene that builds on one with a mistake is not judged.
      before_.missing_parts = scene.error().message;
      before_.has_mistake = true;
      static_cast<LessonScene&>(step()) = before_;
      refuse(tl::unexpected(scene.error()));
    }
    before_ = std::move(*scene);
    step().has_scene = true;
    step().scene_line = directive.line;
    static_cast<LessonScene&>(step()) = before_;
  }

  /// Calls `take` with each line of a directive that is not blank, and with its number, and records its
  /// errors.
  template <class Take>
  void take_lines(const Collected& directive, const Take& take) {
    std::string_view rest = directive.text;
    for (int number = directive.line + 1; !rest.empty(); ++number) {
      const std::string_view line = take_line(rest);
      if (trimmed(line).empty()) continue;
      const Result<void> ok = result_of([&] { take(line, number); });
      if (!ok) note(error_at_line(number, ok.error().message));
    }
  }

  void read_focus(const Collected& directive) {
    take_lines(directive, [&](std::string_view line, int number) {
      LessonFocus focus = focus_of(line);
      focus.line = number;
      focus.text = trimmed(line);
      step().focus.push_back(std::move(focus));
    });
    if (directive.is_blank()) reject(directive.line, "nothing to look at is named");
  }

  void read_ask(const Collected& directive) {
    if (step().question) reject(directive.line, "a step asks one question: begin another step for the next");
    LessonQuestion question;
    question.line = directive.line;
    std::string_view name;
    Collected field;
    field.line = directive.line;
    const std::size_t n_mistakes = mistakes_.size();
    std::string_view rest = directive.text;
    for (int number = directive.line + 1; !rest.empty(); ++number) {
      const std::string_view line = take_line(rest);
      if (const auto started = field_start(line)) {
        attempt([&] { take_field(question, name, field); });
        name = *started;
        field = {};
        field.add(trimmed(line.substr(started->size() + 1)), number);
      } else {
        field.add(line, number);
      }
    }
    attempt([&] { take_field(question, name, field); });
    // A part with a mistake is not reported as missing, too.
    if (mistakes_.size() > n_mistakes) return;
    const int line = directive.line;
    if (question.prompt.empty()) reject(line, "the question has no text: write it above “expect:”");
    if (question.expect.empty())
      reject(line, "the question expects nothing: add “expect:” and a condition, such as page = heads");
    if (question.reveal.empty()) reject(line, "the question has no answer: add “reveal:” and the answer");
    step().question = std::move(question);
  }

  void read_holds(const Collected& directive) {
    take_lines(directive, [&](std::string_view line, int number) {
      step().claims.push_back({number, std::string(trimmed(line)), read_condition(line).value()});
    });
  }

  void read_controls(const Collected& directive) {
    take_lines(directive, [&](std::string_view line, int) { read_control(line); });
  }

  /// Parses “hide KEY”, “lock KEY” or “keep PAGE…”.
  void read_control(std::string_view line) {
    const std::vector<std::string> words = words_of(line);
    if (words.front() == "keep" && words.size() > 1) {
      const std::vector<PageName> pages = kept_pages(std::span(words).subspan(1));
      step().pages.insert(step().pages.end(), pages.begin(), pages.end());
      return;
    }
    const bool hides = words.front() == "hide";
    if (words.size() != 2 || (!hides && words.front() != "lock"))
      refuse(failure(in_quotes(line) + " does nothing: write “hide KEY”, “lock KEY” or “keep PAGE”"));
    (hides ? step().hidden : step().locked).push_back(controlled_setting(words[1]));
  }

  void take_field(LessonQuestion& question, std::string_view name, const Collected& field) {
    if (name.empty() && field.is_blank()) return;
    if (field.is_blank()) reject(field.line, in_quotes(name) + " is empty");
    const std::string text(trimmed(field.text));
    const auto set_prose = [&](Prose& prose, std::string_view markdown) {
      if (!prose.empty()) reject(field.line, in_quotes(name) + " is given twice");
      prose = read_prose(markdown, field.line).value();
    };
    if (name == "expect" || name == "wrong") {
      const std::size_t arrow = text.find("->");
      const bool is_wrong = name == "wrong";
      if (is_wrong && arrow == std::string::npos)
        reject(field.line, "a wrong answer is a condition, ->, and what is said about it");
      const std::string_view words =
          trimmed(std::string_view(text).substr(0, is_wrong ? arrow : text.size()));
      if (const std::size_t end = words.find('\n'); end != std::string_view::npos) {
        const std::string_view next = words.substr(end + 1);
        reject(
            field.line + 1,
            in_quotes(next.substr(0, next.find('\n'))) +
                " begins no part of the question: the parts are expect, wrong, hint, reveal and show, and a condition stands on one line");
      }
      auto condition = read_condition(words);
      if (!condition) reject(field.line, condition.error().message);
      if (!is_wrong) {
        // Several lines of what is expected must all hold.
        for (ConditionTerm& term : *condition) question.expect.push_back(std::move(term));
        return;
      }
      question.wrong.push_back({std::move(*condition), {}});
      return set_prose(question.wrong.back().body, trimmed(std::string_view(text).substr(arrow + 2)));
    }
    if (name == "hint") return set_prose(question.hint, text);
    if (name == "reveal") return set_prose(question.reveal, text);
    if (name.empty()) return set_prose(question.prompt, text);
    if (question.shown || !question.missing_parts.empty())
      reject(field.line, in_quotes(name) + " is given twice");
    LessonScene scene = scene_of(text, field.line);
    question.missing_parts = scene.missing_parts;
    if (scene.missing_parts.empty()) question.shown = std::move(scene.session);
  }

  LessonScene scene_of(const std::string& words, int line) const {
    auto scene = scene_(words, before_);
    if (!scene) reject(line, scene.error().message);
    return std::move(*scene);
  }

  LessonStep& step() { return lesson_.steps.back(); }

  using ReadDirective = void (LessonReader::*)(const Collected&);
  /// The function that reads directives of this name. Null if there are none.
  static ReadDirective reader_of(std::string_view name) {
    if (name == "scene") return &LessonReader::read_scene;
    if (name == "focus") return &LessonReader::read_focus;
    if (name == "ask") return &LessonReader::read_ask;
    if (name == "holds") return &LessonReader::read_holds;
    return name == "controls" ? &LessonReader::read_controls : nullptr;
  }

  const SceneReader& scene_;
  Lesson lesson_;
  LessonScene before_;  ///< Of the step before.
  Collected text_;
  std::optional<Collected> fence_;   ///< The open directive.
  ReadDirective read_ = nullptr;     ///< Null for a directive that is passed over.
  std::optional<int> formula_line_;  ///< The line on which an open fenced block without a name begins.
  std::vector<std::string> mistakes_;
  bool is_missing_title_ = false;  ///< It has been noted that there is no title.
  bool is_over_ = false;           ///< Nothing more is read.
};

}  // namespace

void sort_by_line(std::vector<std::string>& mistakes) {
  std::ranges::stable_sort(mistakes, {}, line_of);
}

ParsedLesson parse_lesson(const std::string& name, std::string_view text, const SceneReader& scene) {
  if (text.size() > max_lesson_bytes)
    return {{},
            {"the lesson is larger than " + std::to_string(max_lesson_bytes >> 20U) +
             " MiB: divide it into several"}};
  if (valid_utf8(text) != text) return {{}, {"the lesson is not in UTF-8: save it in this encoding"}};
  return LessonReader(name, scene).read(text);
}

Result<Lesson> lesson_or_error(ParsedLesson reading) {
  if (reading.mistakes.empty()) return std::move(reading.lesson);
  std::string message = reading.mistakes.front();
  if (const std::size_t n = reading.mistakes.size() - 1; n > 0)
    message += ". There " + std::string(n == 1 ? "is " : "are ") + std::to_string(n) + " more";
  return failure(message);
}

const EmbeddedFile* lesson_file(std::string_view name) {
  const auto found = std::ranges::find(lesson_files(), name, &EmbeddedFile::name);
  return found == lesson_files().end() ? nullptr : &*found;
}

std::string linked_lesson(const Lesson& from, const std::string& address) {
  const std::filesystem::path name(address);
  std::filesystem::path folder = std::filesystem::path(from.file).parent_path();
  if (folder.empty() && !from.file.empty()) folder = ".";
  const auto file = inside(folder, address, "lesson");
  std::error_code unknown;
  const bool is_own = file && std::filesystem::exists(*file, unknown);
  const bool is_of_program = lesson_file(name.stem().string()) != nullptr;
  return !file || (!is_own && is_of_program) ? name.stem().string() : file->string();
}

LessonOutline outline_of_lesson(const std::string& name, std::string_view text) {
  LessonOutline outline{name, {}, {}};
  Collected summary;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (line.starts_with("## ")) {
      outline.steps.emplace_back(trimmed(line.substr(3)));
    } else if (outline.steps.empty() && line.starts_with("# ")) {
      outline.title = trimmed(line.substr(2));
    } else if (outline.steps.empty()) {
      summary.add(line, number);
    }
  }
  outline.summary = read_prose(summary.text, summary.line).value_or(Prose{});
  return outline;
}

}  // namespace headscope
