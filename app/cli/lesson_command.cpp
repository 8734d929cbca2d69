#include "app/cli/lesson_command.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <map>
#include <ostream>
#include <set>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/figure_output.h"
#include "app/cli/figure_session.h"
#include "app/cli/option_values.h"
#include "app/cli/resource_loader.h"
#include "app/cli/set_option.h"
#include "app/cli/shell_words.h"
#include "core/checkpoint/model_folder.h"
#include "core/checkpoint/portable_files.h"
#include "core/checkpoint/saved_session.h"
#include "core/io/inside.h"
#include "core/lesson/lesson.h"
#include "core/lesson/walk.h"
#include "core/page/figure_file.h"
#include "core/page/film.h"
#include "core/system/atomic_file.h"
#include "core/system/process.h"
#include "core/system/read_file.h"
#include "core/text/number_text.h"
#include "core/text/visible.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// The stored picture of a scene. Null if there is none inside the lesson's folder.
std::shared_ptr<const std::string> picture_of_scene(fs::path scene) {
  const auto picture = inside(folder_of(scene), scene.replace_extension(".png").filename(), "scene");
  auto bytes = picture ? read_file(*picture) : tl::unexpected(picture.error());
  return bytes ? std::make_shared<const std::string>(std::move(*bytes)) : nullptr;
}

/// The session of a scene file. If the file or its model is missing, says so in `missing`.
Result<Session> session_of_scene(const std::string& file, LessonScene& missing) {
  std::error_code unknown;
  const auto report_missing = [&](const std::string& what) {
    missing.missing_parts = what;
    missing.picture = picture_of_scene(file);
    return failure(what);
  };
  if (!fs::exists(file, unknown)) return report_missing("The scene of this step is missing: " + file);
  auto kept = read_scene(file, bundled_model_folders());
  if (!kept) return tl::unexpected(kept.error());
  if (!kept->complaint.empty()) return report_missing(kept->complaint);
  return std::move(kept->session);
}

using ReadFiles = std::set<fs::path>;

/// Sources that read inside the folder of a lesson and cache models. They record what they read in `asked`,
/// and in `missing` what a scene lacks.
ResourceLoader sources_inside(const fs::path& folder, const std::shared_ptr<ReadFiles>& asked,
                              const std::shared_ptr<LessonScene>& missing) {
  const auto place_of = [folder, asked](const std::string& name) {
    return inside(folder, name, "lesson").map([&](const fs::path& place) {
      asked->insert(place);
      return place.string();
    });
  };
  const auto guarded = [place_of]<class Loaded, class... More>(
                           std::function<Result<Loaded>(const std::string&, const More&...)> read) {
    return [place_of, read](const std::string& file, const More&... more) -> Result<Loaded> {
      const auto place = place_of(file);
      if (!place) return tl::unexpected(place.error());
      return read(*place, more...);
    };
  };
  const ResourceLoader all = files();
  ResourceLoader own;
  own.model = [open = all.model, place_of, missing,
               known = std::make_shared<std::map<std::string, std::shared_ptr<const TrainedModel>>>()](
                  const std::string& name) -> Result<std::shared_ptr<const TrainedModel>> {
    if (const auto found = known->find(name); found != known->end()) return found->second;
    const auto place = is_bundled(name) ? Result<std::string>(name) : place_of(name);
    if (!place) return tl::unexpected(place.error());
    auto model = open(*place);
    if (model) (*known)[name] = *model;
    std::error_code unknown;
    if (!model && !is_bundled(name) && !fs::exists(*place, unknown))
      missing->missing_parts = "The model of this step is missing: " + *place;
    return model;
  };
  own.mask = guarded(all.mask);
  own.batch = guarded(all.batch);
  own.scene = guarded(std::function<Result<Session>(const std::string&)>(
      [missing](const std::string& file) { return session_of_scene(file, *missing); }));
  own.numbers = guarded(all.numbers);
  return own;
}

/// Whether every user has the model of a session.
bool is_available(const Session& session) {
  return std::ranges::all_of(subjects_of(session), [](const Session& subject) {
    return !subject.model || is_bundled(subject.model->name);
  });
}

/// Writes a picture of a scene beside it, for readers who lack its model. Failures are ignored: the picture
/// is optional.
void write_picture(fs::path scene, const Session& session) {
  std::vector<std::shared_ptr<const Trace>> passes;
  for (const Session& subject : subjects_of(session)) {
    const auto trace = compute_trace(subject);
    if (!trace) return;
    passes.push_back(*trace);
  }
  const FigureSize size{860, 560, 2, std::nullopt};
  (void)write_new_file(scene.replace_extension(".png"), [&](const fs::path& file) {
    const PageInputs shown = inputs_of(session, passes);
    return result_of([&] {
      print_remarks(write_output(std::span(&shown, 1), {file.string(), FileType::png, size}));
    });
  });
}

/// Reads lesson scenes, which are written as command-line options. They may name bundled models, and files
/// and model folders inside `folder`, relative to it. With an empty `folder`, no file is accessible. `asked`
/// receives the files that they name.
SceneReader scenes_in(const fs::path& folder,
                      const std::shared_ptr<ReadFiles>& asked = std::make_shared<ReadFiles>()) {
  const auto missing = std::make_shared<LessonScene>();
  return [missing, loader = sources_inside(folder, asked, missing)](
             const std::string& words, const LessonScene& before) -> Result<LessonScene> {
    if (!before.missing_parts.empty() && !determines_model(words)) return before;
    *missing = {};
    auto session = apply_words(words, before.session, loader);
    if (session) return LessonScene(std::move(*session));
    if (missing->missing_parts.empty()) return tl::unexpected(session.error());
    missing->session = before.session;
    return *missing;
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): clang-tidy 14 does not follow moved functions

/// The lesson in the text of a file.
ParsedLesson reading_of(const fs::path& file, const std::string& text,
                        const std::shared_ptr<ReadFiles>& asked = std::make_shared<ReadFiles>()) {
  ParsedLesson reading = parse_lesson(file.stem().string(), text, scenes_in(folder_of(file), asked));
  reading.lesson.file = file.string();
  reading.lesson.text = text;
  return reading;
}

/// The file of a lesson: the one that is named, or the only one in the folder that is named.
fs::path file_of_lesson(const fs::path& named) {
  std::error_code unknown;
  if (!fs::is_directory(named, unknown)) return named;
  std::vector<fs::path> lessons;
  std::error_code refused;
  for (fs::directory_iterator entry(named, refused), end; !refused && entry != end;
       entry.increment(refused)) {
    if (is_lesson_file(entry->path())) lessons.push_back(entry->path());
  }
  if (refused) refuse(failure("the folder '" + named.string() + "' cannot be read: " + refused.message()));
  if (lessons.empty()) return named;
  if (lessons.size() > 1)
    refuse(failure("the folder '" + named.string() + "' holds " +
                   count_text(static_cast<long long>(lessons.size()), "lesson") +
                   ": give the name of a file NAME.md"));
  return inside(named, lessons.front().filename(), "lesson").value();
}

/// Reads one of the program's lessons by its name, or a file.
ParsedLesson reading_of(const std::string& name_or_file) {
  if (const EmbeddedFile* own = lesson_file(name_or_file))
    return parse_lesson(name_or_file, own->text, scenes_in({}));
  const fs::path file = file_of_lesson(name_or_file);
  if (!is_lesson_file(file)) {
    std::vector<std::string> names;
    for (const EmbeddedFile& each : lesson_files()) names.emplace_back(each.name);
    const std::string asked = did_you_mean(name_or_file, names);
    refuse(usage_error(
        "there is no lesson “" + name_or_file + "”: " +
        (asked.empty() ? "“headscope lesson” lists them; a lesson of your own is a file NAME.md" : asked)));
  }
  return reading_of(file, read_file(file, max_lesson_bytes).value());
}

/// Calls `take(link, line)` for each link of a lesson to another one, with the line of its step or question.
template <class Take>
void for_each_link(const Lesson& lesson, const Take& take) {
  const auto look = [&](const Prose& prose, int line) {
    for (const ProseBlock& block : prose) {
      for (const ProseSpan& span : block.spans)
        if (is_lesson_link(span.link)) take(span.link, line);
    }
  };
  look(lesson.summary, 1);
  for (const LessonStep& step : lesson.steps) {
    look(step.body, step.line);
    if (!step.question) continue;
    for (const Prose* prose : {&step.question->prompt, &step.question->hint, &step.question->reveal})
      look(*prose, step.question->line);
    for (const WrongAnswer& wrong : step.question->wrong) look(wrong.body, step.question->line);
  }
}

/// Reports the links of a lesson that lead to missing lessons.
void check_links(const Lesson& lesson, std::vector<std::string>& mistakes) {
  for_each_link(lesson, [&](const std::string& link, int line) {
    const std::string target = linked_lesson(lesson, link);
    std::error_code unknown;
    if (lesson_file(target) == nullptr && !fs::exists(target, unknown))
      mistakes.push_back(
          error_at_line(line, "the link " + in_quotes(link) + " leads to no lesson").value().message);
  });
}

/// Adds a file that a lesson reads: a scene with its models and picture, a text or a model. Appends what had
/// to be left out to `missing_parts`.
void add_read(const fs::path& place, const fs::path& name, std::vector<PortableFile>& files,
              std::string& missing_parts) {
  std::error_code unknown;
  if (!fs::exists(place, unknown)) return;
  const auto kept = is_scene_file(place) ? read_scene(place, bundled_model_folders())
                                         : Result<LoadedSession>(LoadedSession());
  if (!is_scene_file(place) || !kept || !kept->complaint.empty()) {
    ensure(add_portable(place, name, files));
  } else {
    auto scene = portable_scene(kept->session, name).value();
    ensure(add_portable(std::move(scene.files), files));
    if (!scene.missing_parts.empty())
      missing_parts += (missing_parts.empty() ? "" : "; ") + scene.missing_parts;
  }
  const fs::path picture_name = fs::path(name).replace_extension(".png");
  const auto picture = inside(folder_of(place), picture_name.filename().string(), "scene");
  if (!is_scene_file(place) || !picture || !fs::exists(*picture, unknown)) return;
  ensure(add_portable(*picture, picture_name, files));
}

/// Writes a lesson. If its text cannot be read, the file stays as it is.
std::shared_ptr<const Lesson> write_lesson(const fs::path& file, const std::string& text) {
  auto lesson = lesson_or_error(reading_of(file, text));
  if (!lesson)
    refuse(failure("'" + file.filename().string() + "' was left as it is: with this change, " +
                   lesson.error().message));
  ensure(write_atomically(file, text));
  return std::make_shared<const Lesson>(std::move(*lesson));
}

/// Throws if the file of a lesson no longer holds a text.
void check_unchanged(const fs::path& file, const std::string& before) {
  if (read_file(file, max_lesson_bytes).value() != before)
    refuse(failure("'" + file.filename().string() +
                   "' was changed by another program: read the file again, and then repeat your change"));
}

/// Writes a session as a scene beside a lesson, and then the lesson, whose text `text_with` makes from the
/// scene's name. Overwrites no other step's scene. If the lesson cannot be written, removes the new scene.
Result<std::shared_ptr<const Lesson>> write_with_scene(
    const fs::path& file, const Session& session,
    const std::function<std::string(const std::string& scene)>& text_with) {
  std::error_code unknown;
  fs::path scene;
  // A dangling link also takes a name, so that nothing is written through it.
  const auto is_taken = [&] {
    const fs::path picture = fs::path(scene).replace_extension(".png");
    return std::ranges::any_of(std::array{scene, picture, weights_of(scene)}, [&](const fs::path& each) {
      return fs::exists(fs::symlink_status(each, unknown));
    });
  };
  for (int number = 1; scene.empty() || is_taken(); ++number)
    scene = file.parent_path() /
            (file.stem().string() + "-" + std::to_string(number) + std::string(scene_extension));
  constexpr bool is_new = true;
  if (auto written = write_scene(scene, session, is_new); !written) return tl::unexpected(written.error());
  auto lesson =
      result_of([&] { return write_lesson(file, text_with(shell_quoted(scene.filename().string()))); });
  if (!lesson) fs::remove(scene, unknown);
  if (!lesson) fs::remove_all(weights_of(scene), unknown);
  if (lesson && !is_available(session)) write_picture(scene, session);
  return lesson;
}

void list_lessons(std::ostream& out) {
  for (const EmbeddedFile& file : lesson_files())
    out << "  " << file.name << "  " << outline_of_lesson(std::string(file.name), file.text).title << '\n';
}

/// Checks lessons and prints the mistakes of each. Fails if there are any.
void check_lessons(const std::vector<std::string>& names, std::ostream& out) {
  std::size_t n_mistakes = 0;
  for (const std::string& name : names) {
    const ParsedLesson lesson = check_lesson(name).value();
    const std::size_t n = lesson.mistakes.size();
    out << name << ": "
        << (n == 0 ? count_text(std::ssize(lesson.lesson.steps), "step") + ", no mistakes"
                   : std::to_string(n) + " to fix")
        << '\n';
    for (const std::string& mistake : lesson.mistakes) out << "  " << mistake << '\n';
    n_mistakes += n;
  }
  if (n_mistakes > 0)
    refuse(failure(std::to_string(n_mistakes) + (n_mistakes == 1 ? " mistake was" : " mistakes were") +
                   " found: see the list"));
}

/// A lesson with all the files that it reads and the lessons of its folder to which it links.
PortablePage sent_lesson(const std::string& name_or_file) {
  if (const EmbeddedFile* own = lesson_file(name_or_file)) {
    const std::string text(own->text);
    return {outline_of_lesson(name_or_file, text).title, {{name_or_file + ".md", text}}, {}, {}};
  }
  const fs::path first = file_of_lesson(name_or_file);
  const fs::path root = folder_of(first);
  PortablePage page;
  std::vector<fs::path> lessons{first};
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    const fs::path name = lessons[i].lexically_relative(root);
    const auto text = read_file(lessons[i], max_lesson_bytes);
    if (!text && i > 0) continue;
    const auto asked = std::make_shared<ReadFiles>();
    const ParsedLesson reading = reading_of(lessons[i], text.value(), asked);
    if (i == 0) page.title = lesson_or_error(reading).value().title;
    page.files.push_back({name.generic_string(), *text});
    for (const fs::path& place : *asked) {
      ensure(result_of("'" + place.string() + "' cannot be sent with the lesson: ", [&] {
        add_read(place, place.lexically_relative(root), page.files, page.missing_parts);
      }));
    }
    for_each_link(reading.lesson, [&](const std::string& link, int) {
      const auto other = inside(folder_of(lessons[i]), link, "lesson");
      if (other && is_lesson_file(*other) && std::ranges::find(lessons, *other) == lessons.end())
        lessons.push_back(*other);
    });
  }
  return page;
}

}  // namespace

Result<std::shared_ptr<const Lesson>> create_lesson(const fs::path& folder, const StepText& introduction,
                                                    const Session& session) {
  std::string stem = file_stem(introduction.title);
  if (stem.empty()) stem = file_stem(default_lesson_title);
  std::error_code refused;
  std::error_code ignored;
  std::vector<fs::path> missing;
  for (fs::path each = folder; !each.empty() && !fs::exists(each, ignored); each = each.parent_path())
    missing.push_back(each);
  fs::create_directories(folder, refused);
  std::string name = stem;
  // An existing folder belongs to something else, even if it was made a moment ago. A file or a dangling link
  // also takes the name.
  for (int number = 2;
       (!refused || refused == std::errc::file_exists) && !fs::create_directory(folder / name, refused);
       ++number)
    name = stem + "-" + std::to_string(number);
  const fs::path own = folder / name;
  Result<std::shared_ptr<const Lesson>> lesson =
      failure("the folder '" + own.string() + "' cannot be made: " + refused.message());
  if (!refused)
    lesson = write_with_scene(own / (name + ".md"), session,
                              [&](const std::string& scene) { return new_lesson(introduction, scene); });
  if (lesson) return lesson;
  // This leaves folders that are not empty.
  if (!refused) fs::remove(own, ignored);
  for (const fs::path& each : missing) fs::remove(each, ignored);
  return lesson;
}

Result<std::shared_ptr<const Lesson>> write_step(const fs::path& file, const std::string& before,
                                                 std::size_t step, bool is_new, const Session& session) {
  return result_of([&] { check_unchanged(file, before); }).and_then([&] {
    return write_with_scene(file, session, [&](const std::string& scene) {
      return is_new ? with_new_step(before, step, scene) : with_scene_of_step(before, step, scene);
    });
  });
}

Result<std::shared_ptr<const Lesson>> update_lesson(const fs::path& file, const std::string& before,
                                                    const std::string& after) {
  return result_of([&] {
    check_unchanged(file, before);
    return write_lesson(file, after);
  });
}

bool is_lesson_file(const fs::path& file) {
  return file.extension() == ".md";
}

Result<std::shared_ptr<const Lesson>> open_lesson(const std::string& name_or_file) {
  return result_of([&] {
    ParsedLesson reading = reading_of(name_or_file);
    const std::string file = reading.lesson.file;
    const bool has_more = reading.mistakes.size() > 1;
    auto lesson = lesson_or_error(std::move(reading));
    if (!lesson)
      refuse(failure((file.empty() ? "" : "'" + file + "', ") + lesson.error().message +
                     (has_more ? ": “headscope lesson --check " + file + "” lists them" : std::string())));
    return std::make_shared<const Lesson>(std::move(*lesson));
  });
}

Result<ParsedLesson> check_lesson(const std::string& name_or_file) {
  return result_of([&] {
    ParsedLesson reading = reading_of(name_or_file);
    for (std::string& mistake : lint_lesson(reading.lesson, compute_trace))
      reading.mistakes.push_back(std::move(mistake));
    check_links(reading.lesson, reading.mistakes);
    sort_by_line(reading.mistakes);
    return reading;
  });
}

void run_lesson(const CommandOptions& o, std::ostream& out) {
  if (o.is_on("--check")) {
    std::vector<std::string> names;
    if (o.named) names.push_back(*o.named);
    for (const EmbeddedFile& file : lesson_files()) {
      if (!o.named) names.emplace_back(file.name);
    }
    return check_lessons(names, out);
  }
  if (!o.named && (o.is_on("--print") || o.has("--out")))
    refuse(usage_error("--print needs the NAME or the FILE.md of a lesson: “headscope lesson” lists them"));
  if (!o.named) {
    list_lessons(out);
    return;
  }
  if (o.has("--out") && o.text("--out")->ends_with(".html")) {
    PortablePage page = sent_lesson(*o.named);
    // The steps that lack a model say so themselves.
    if (const std::string missing_parts = std::exchange(page.missing_parts, {}); !missing_parts.empty())
      std::cerr << "headscope: the page is without " << missing_parts << '\n';
    return ensure(write_atomically(*o.text("--out"), web_page(page).value()));
  }
  const bool is_film =
      o.has("--out") && (o.text("--out")->ends_with(".webp") || o.text("--out")->ends_with(".gif"));
  if (o.has("--out") && !is_film && !o.text("--out")->ends_with(".pdf"))
    refuse(invalid_value(
        "--out", *o.text("--out"),
        "the name must end in .pdf for a handout, .html for a web page, or .webp or .gif for a film"));
  if (is_film) check_film_file(*o.text("--out"), false);
  const auto lesson = open_lesson(*o.named).value();
  if (is_film) {
    constexpr int pixels_per_unit = 2;
    return write_film(film_of_lesson(*lesson, compute_trace), pixels_per_unit, {}, *o.text("--out"), out);
  }
  if (o.has("--out")) {
    return print_remarks(
        write_pages([&](const MeasureText& measure) { return handout_of(*lesson, compute_trace, measure); },
                    lesson->title, *o.text("--out")));
  }
  out << lesson->title << "\n\n" << plain_text(lesson->summary) << '\n';
  for (const LessonStep& step : lesson->steps) {
    out << '\n' << step.title << "\n\n" << plain_text(step.body) << '\n';
    if (step.question) out << plain_text(step.question->prompt) << '\n';
  }
}

}  // namespace headscope
