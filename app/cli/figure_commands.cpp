#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/figure_output.h"
#include "app/cli/figure_session.h"
#include "app/cli/option_values.h"
#include "app/cli/progress.h"
#include "app/cli/session_options.h"
#include "app/cli/stage_options.h"
#include "core/engine/training_job.h"
#include "core/page/film.h"
#include "core/page/worksheet/worksheet_page.h"
#include "core/session/action.h"
#include "core/split_text.h"
#include "core/system/signals.h"

namespace headscope {
namespace {

/// The file for the solution: "sheet-solution.pdf" beside "sheet.pdf".
std::string solution_beside(const std::string& out) {
  const std::filesystem::path path(out);
  return (path.parent_path() / (path.stem().string() + "-solution" + path.extension().string())).string();
}

/// Covers the cells that --cover names; by default the pinned cell alone, or the whole stage if no cell is
/// pinned.
Session covered_session(Session session) {
  const auto& pin = session.selection.pin;
  if (session.cover.stage || !pin) return with_exercise(std::move(session), Exercise::all);
  Cover cover;
  cover.stage = pin->stage;
  cover.cells = {{pin->row, pin->col}};
  return reduce(session, set_cover(cover));
}

/// Fails for options that leave no exercise.
void check_is_exercise(const CommandOptions& o) {
  constexpr const char* all = "all";
  if (o.has(setting("cover.solution")))
    refuse(usage_error("--solution is not needed: the solution is written beside the worksheet"));
  if (o.text(setting("cover.cells")) == "none")
    refuse(usage_error("--cover none leaves nothing to fill in: name cells, or leave --cover out for all"));
  for (const Setting& each : {setting("selection.stage"), setting("selection.head")}) {
    if (o.text(each) != all) continue;
    refuse(usage_error(std::string(each.option) +
                       " all is not an exercise: a worksheet shows one stage of one head, so name it"));
  }
  if (o.is_on("--diagram"))
    refuse(usage_error("--diagram is not an exercise: leave it out, or use “headscope render”"));
  const auto page = o.text(setting("selection.view"));
  constexpr std::array<const char*, 4> with_covers{"worksheet", "explore", "stages", "inspector"};
  if (page && std::ranges::find(with_covers, *page) == with_covers.end() &&
      choice<PageName>("--page", *page)) {
    refuse(usage_error("--page " + *page +
                       " has no cells to fill in: choose worksheet, explore, stages or inspector"));
  }
}

/// The options of each page. --stage may name several stages, separated by commas.
std::vector<CommandOptions> options_of_pages(const CommandOptions& o) {
  const Setting& stage = setting("selection.stage");
  const auto named = o.text(stage);
  if (!named || named->find(',') == std::string::npos) return std::vector{o};
  if (o.text(setting("cover.cells")).value_or("").find('@') != std::string::npos)
    refuse(usage_error(
        "--cover with @ names one stage: leave @ out, so that the cover applies to each stage of " +
        ("--stage " + *named)));
  constexpr std::size_t max_pages = 32;
  if (split_text(*named, ',').size() > max_pages)
    refuse(usage_error("--stage names more than " + std::to_string(max_pages) +
                       " stages: make several worksheets"));
  std::vector<CommandOptions> pages;
  for (const std::string_view name : split_text(*named, ',')) {
    CommandOptions page = o;
    page.values[stage.option] = {std::string(name)};
    pages.push_back(std::move(page));
  }
  return pages;
}

/// Checks that several pages are worksheets in one PDF.
void check_can_hold_pages(const FigureOutput& file, std::size_t n_pages) {
  if (n_pages < 2) return;
  if (file.type != FileType::pdf)
    refuse(invalid_value("--out", file.out,
                         "only a PDF can have several pages: end the name in .pdf, or name one stage"));
  if (file.size.page == PageName::worksheet) return;
  refuse(usage_error("several stages become pages of a worksheet: leave --page out, or name one stage"));
}

}  // namespace

void run_render(const CommandOptions& o, std::ostream& out) {
  if (o.named) return run_lesson(o, out);
  Session session = figure_session(o, files()).value();
  select_default_row(o, session);
  // A scene saved on the Explore page is drawn as it was seen, with its heads and lines.
  const bool is_explored = o.scene && session.view == PageName::explore;
  const FigureOutput output =
      figure_output(o, session, is_explored ? std::optional(PageName::explore) : std::nullopt);
  const PageInputs shown = inputs_of_output(o, session, output);
  print_remarks(write_output(std::span(&shown, 1), output));
  warn_about_masks(o, session);
  const bool compares = session.difference || session.view == PageName::compare;
  if (!compares && !session.compared.empty())
    std::cerr << "headscope: the figure shows B alone: add --page compare, or --difference for B − A\n";
  if (compares && session.compared.empty())
    std::cerr << "headscope: nothing is compared: add --against, followed by what is different there\n";
}

void run_worksheet(const CommandOptions& o, std::ostream& out) {
  check_is_exercise(o);
  std::vector<PageInputs> pages;
  FigureOutput sheet;
  for (const CommandOptions& each : options_of_pages(o)) {
    const Session session = covered_session(figure_session(each, files()).value());
    sheet = figure_output(each, session, PageName::worksheet);
    if (!std::filesystem::path(sheet.out).has_extension())
      refuse(invalid_value("--out", sheet.out, "the names of the two files must end in .pdf, .svg or .png"));
    pages.push_back(inputs_of_output(each, session, sheet));
  }
  check_can_hold_pages(sheet, pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    for (std::size_t other = 0; other < pages.size(); ++other)
      if (other != i) pages[i].other_pages.push_back(pages[other].session.cover);
  }
  std::vector<PageInputs> solved = pages;
  for (PageInputs& page : solved) page.session.cover.solution = true;
  FigureOutput solution = sheet;
  solution.out = solution_beside(sheet.out);
  std::error_code unknown;
  const std::filesystem::file_status before = std::filesystem::symlink_status(solution.out, unknown);
  if (std::filesystem::is_symlink(before))
    refuse(failure("'" + solution.out +
                   "', the file for the solution, is a link: remove it, or choose another name with --out"));
  // Write the solution, the larger file, first: a full disk must not leave the exercise alone.
  print_remarks(write_output(solved, solution));
  const auto written = result_of([&] { return write_output(pages, sheet); });
  if (!written && !std::filesystem::exists(before)) std::filesystem::remove(solution.out, unknown);
  print_remarks(written.value());
  out << sheet.out << '\n' << solution.out << '\n';
  warn_about_masks(o, pages.front().session);
}

namespace {

namespace fs = std::filesystem;

FilmOptions film_options(const CommandOptions& o) {
  constexpr double shortest = 0.1;
  constexpr double longest = 30.0;
  constexpr int max_pictures = 50;
  constexpr int max_steps = 1'000'000;
  FilmOptions film;
  if (const auto given = o.text("--seconds"))
    film.seconds = parse_decimal_number("--seconds", *given, shortest, longest).value();
  if (const auto given = o.text("--fps"))
    film.rate = parse_whole_number("--fps", *given, 1, max_pictures).value();
  const auto steps = o.text(film_steps_key);
  if (!steps) return film;
  const auto ends = split_text(*steps, '-');
  constexpr std::size_t max_ends = 2;
  const auto first = parse_whole_number("--steps", std::string(ends.front()), 1, max_steps);
  const auto last = parse_whole_number("--steps", std::string(ends.back()), 1, max_steps);
  if (!first || !last || ends.size() > max_ends)
    refuse(invalid_value("--steps", *steps, "give one step, or the first and the last, as in 3-7"));
  film.first = *first;
  film.last = *last;
  return film;
}

/// Trains the model of a session from random weights to the end of its training. Returns what the run found,
/// with its snapshots.
std::shared_ptr<const TrainingProgress> trained(const Session& session) try {
  if (!can_train(session))
    refuse(usage_error(
        "a film of the page train needs a model that can be trained: add --task, or leave --model out"));
  SignalWatch signals;
  ThreadPool pool;
  auto job =
      TrainingJob::make(training_run(session, 1), session.training, pool, signals.shutdown_requested(), 0.0)
          .value();
  TrainProgress line(session.training.steps);
  while (!job->is_done()) {
    job->slice();
    if (!job->is_in_step()) line.show(job->steps(), [] { return std::string(); });
  }
  line.end();
  if (job->has_diverged()) refuse(failure("the training diverged: lower training.learning_rate with --set"));
  return job->progress(TrainingState::finished);
} catch (const TrainingStopped&) {
  refuse(failure("the training was stopped"));
}

/// The inputs of the film's pictures. The page train shows a training, which is carried out first.
PageInputs inputs_of_film(const CommandOptions& o, Session session, const FigureOutput& output) {
  if (session.view != PageName::train) return inputs_of_output(o, session, output);
  const auto progress = trained(session);
  session.model = progress->newest;
  PageInputs shown = inputs_of_output(o, session, output);
  shown.training = progress;
  return shown;
}

}  // namespace

void run_film(const CommandOptions& o, std::ostream& out) {
  const FilmOptions film = film_options(o);
  const fs::path path = o.text("--out").value_or("");
  check_film_file(path, o.is_on("--transparent"));
  if (o.is_on("--diagram"))
    refuse(usage_error("--diagram cannot be filmed: leave it out, or use “headscope render”"));
  Session session = figure_session(o, files()).value();
  select_default_row(o, session);
  CommandOptions picture = o;
  picture.values["--out"] = {"film.png"};
  FigureOutput output = figure_output(picture, session, session.view);
  if (output.size.page && output.size.page != session.view)
    refuse(usage_error("a film shows a page of the window: choose another --page"));
  if (!o.has("--scale")) output.size.scale = 1;
  const PageInputs shown = inputs_of_film(o, session, output);
  const FilmSteps steps = film_of_page(shown, output.size, compute_trace).value();
  write_film(steps, output.size.scale, film, path, out);
}

}  // namespace headscope
