// The functions of App that change its scene and execute effects and exports.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "app/shell/app.h"
#include "app/shell/commands.h"
#include "app/shell/files.h"
#include "core/checkpoint/saved_session.h"
#include "core/engine/request.h"
#include "core/overloaded.h"
#include "core/system/process.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

/// The absolute path of a file or folder.
std::string absolute_path(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::absolute(path, unknown).lexically_normal().string();
}

/// Whether the user opens something, so that a warning about what was opened before has been read.
bool opens_something(const AnyEvent& event) {
  return std::holds_alternative<OpenFile>(event) || std::holds_alternative<OpenText>(event) ||
         std::holds_alternative<OpenBundled>(event);
}

bool answers_sheet(const ExportForm& form, const ExportRequest& request) {
  return form.open && form.is_saving && request.is_from_sheet;
}

/// Keeps the sheet open and shows why the file was not written.
void report_to_sheet(ExportForm& form, ExportFailure failure_kind, const std::string& problem) {
  form.is_saving = false;
  form.failure_kind = failure_kind;
  form.problem = problem;
}

}  // namespace

void App::dispatch(const Event& event) {
  if (observer_) observer_(event);
  if (stops_film(event)) screen_.film.is_playing = false;
  events_.push_back(event);
  process_events();
}

void App::process_events() {
  while (!events_.empty() && !updates_.busy()) {
    if (may_block_frame(scene_, events_.front())) {
      updates_.submit([scene = scene_, event = events_.front()] { return update(scene, event); },
                      [scene = scene_](const std::string& problem) {
                        return Update{scene, {ShowMessage{problem, true}}};
                      });
    } else {
      const Event event = std::move(events_.front());
      events_.pop_front();
      apply_update(event, update(scene_, event));
    }
  }
}

void App::receive_updates() {
  while (auto next = updates_.take()) {
    const Event event = std::move(events_.front());
    events_.pop_front();
    apply_update(event, std::move(*next));
    pacer_.event();
    process_events();
  }
  process_events();  // A job without an answer leaves its event in the queue.
}

void App::apply_update(const Event& event, Update next) {
  const History::Step before = scene_.history.step();
  scene_ = std::move(next.scene);
  if (scene_.lesson) {
    const LessonWalk& walk = scene_.lesson->walk;
    int& reached = screen_.scenes.lesson_progress[walk.lesson->id()];
    const bool is_done = walk.is_last() && !walk.is_open(walk.step);
    reached = std::max(reached, static_cast<int>(walk.step) + (is_done ? 2 : 1));
  }
  const auto& any = static_cast<const AnyEvent&>(event);
  const auto* edit = std::get_if<Edit>(&any);
  const bool is_edit = edit != nullptr && scene_.history.step() != before;
  if (is_edit || opens_something(any)) screen_.toasts.answer();
  // The pass kept for comparison may differ from the current one only in the sentence.
  if (is_edit && before_edit_ && !is_typing(edit->action) && !(request_of(session()) == request_of(*before)))
    before_edit_.reset();
  autosave_.note(scene_.history.step());
  for (const Effect& effect : next.effects) execute(effect);
}

void App::execute(const Effect& effect) {
  const Overloaded how{
      [this](const ShowMessage& e) {
        notify(e.message, e.is_warning ? NoticeKind::warning : NoticeKind::information);
      },
      [this](const SceneOpened& e) { remember_scene(e.path); },
      [this](const ModuleRead& e) { screen_.module = {true, e.path, e.weights, e.problem, {}, {}}; },
      [this](const AdoptRecovery& e) { autosave_.adopt_recoverable(e.folder); },
      [this](const ReadLesson& e) {
        lesson_being_read_ = e.name;
        submit_file_job(e, trainer_.n_threads(), reader_);
      },
      [this](const TrainingCommand& e) { trainer_.carry_out(e); },
      [&](const auto&) { submit_file_job(effect, trainer_.n_threads(), reader_); },
  };
  std::visit(how, effect);
}

/// Waits with newer weights until everything requested for the previous ones is computed and written; it
/// would never finish otherwise.
void App::receive_progress() {
  if (const auto latest = trainer_.latest(); latest != progress_) {
    progress_ = latest;
    if (latest) dispatch(TrainingProgressed{latest});
  }
  const bool has_work = computing() || !exports_.empty();
  if (is_behind(scene_) && !has_work) dispatch(SceneOrder::show_newest);
}

void App::toggle_film() {
  if (screen_.film.is_playing) {
    screen_.film.is_playing = false;
    return;
  }
  screen_.film.start(film_of(scene_), session().model);
  film_clock_ = clock_;
  if (!screen_.film.is_playing)
    notify("There is no training to play as a film yet: press Train on the Train page first");
}

/// Shows each snapshot until the next one can be computed.
void App::play_film() {
  if (!screen_.film.is_playing) return;
  const std::vector<Snapshot> film = film_of(scene_);
  if (film.size() < 2) {
    screen_.film.is_playing = false;
    return;
  }
  constexpr double between_frames = 1.0 / 30.0;
  pacer_.due_in(between_frames);
  if (computing()) return;
  FilmState next = screen_.film;
  const std::size_t at = next.advance(film, clock_ - std::exchange(film_clock_, clock_));
  if (at + 1 == film.size()) {
    dispatch(SceneOrder::follow_newest);
  } else if (ModelRef(film[at]) != session().model) {
    dispatch(Edit{ShowWeights{film[at]}});
  }
  screen_.film = next;
}

void App::observe_lesson() {
  if (!scene_.lesson) observed_ = {};
  if (!scene_.lesson || scene_.lesson->motion) return;
  const LessonWalk& walk = scene_.lesson->walk;
  const auto outcome = shown_outcome();
  const std::shared_ptr<const Trace> trace = outcome ? outcome->trace : nullptr;
  ObservedLesson now{scene_.history.step(), trace, walk.lesson, walk.step};
  if (now == observed_) return;
  if (const History::Step& last = std::get<History::Step>(observed_); last != scene_.history.step())
    observed_before_ = ImGui::IsMouseDown(ImGuiMouseButton_Left) ? nullptr : last;
  observed_ = std::move(now);
  LessonWalk next = observed(walk, *scene_.lesson->opened, {session(), trace.get()}, observed_before_.get());
  if (next.answered == walk.answered && next.wrong == walk.wrong && next.is_attempted == walk.is_attempted)
    return;
  dispatch(LessonObserved{std::move(next)});
  pacer_.event();
}

void App::observe_first_minute() {
  ObservedLesson now{scene_.history.step(), trace_, screen_.first_minute.lesson, std::size_t{0}};
  if (now == observed_minute_) return;
  observed_minute_ = std::move(now);
  screen_.first_minute = observed(screen_.first_minute, {session(), trace_.get()});
}

void App::play_lesson() {
  if (!scene_.lesson || !scene_.lesson->motion) return;
  constexpr double seconds = 1.6;
  constexpr double between_frames = 1.0 / 60.0;
  pacer_.due_in(between_frames);
  if (!events_.empty()) return;
  const double share = scene_.lesson->motion->share;
  if (share == 0.0) lesson_clock_ = clock_ - between_frames;
  if (screen_.reduces_motion || ui_.hides_transients()) return dispatch(LessonAnimated{1.0});
  // Shows each intermediate step before computing the next.
  if (worker_.busy()) return;
  const double passed = clock_ - std::exchange(lesson_clock_, clock_);
  dispatch(LessonAnimated{std::min(share + std::max(passed, between_frames) / seconds, 1.0)});
}

void App::receive_files() {
  for (const std::string& file : window_.take_dropped_files()) dispatch(OpenFile{file});
  if (const std::string file = std::exchange(screen_.opens_file, {}); !file.empty())
    dispatch(OpenFile{path_from_typed(file).string()});
  if (const auto format = std::exchange(screen_.module.requested_format, std::nullopt))
    dispatch(OpenModule{screen_.module.path, *format});
  while (const auto found = reader_.take()) {
    if (const auto* model = std::get_if<ModelRead>(&*found)) remember_model(*model);
    if (const auto* lesson = std::get_if<LessonRead>(&*found)) remember_lesson(*lesson->lesson);
    if (const auto* lesson = std::get_if<LessonWritten>(&*found)) remember_lesson(*lesson->lesson);
    if (const auto* said = std::get_if<ShowMessage>(&*found); said != nullptr && said->is_warning)
      remember_refused_lesson();
    dispatch(*found);
    pacer_.event();
  }
  while (auto found = shelf_.take()) {
    screen_.shelf = std::move(*found);
    pacer_.event();
  }
}

/// Looks for models in the background, in the usual folders and in those that were opened before.
void App::scan_for_models() {
  std::vector<std::filesystem::path> folders = downloaded_model_folders();
  folders.insert(folders.end(), settings_.model_folders.begin(), settings_.model_folders.end());
  shelf_.submit([folders] { return models_in(folders); },
                [](const auto&) { return std::vector<DiscoveredModel>(); });
}

/// Remembers the path of a foreign model.
void App::remember_model(const ModelRead& opened) {
  if (!opened.model || !opened.model->is_foreign() || opened.model->corpus) return;
  add_recent(settings_.model_folders, absolute_path(opened.path));
  scan_for_models();
}

/// Remembers a file as recent and, if it is a scene, as the one that Save writes. Save does not write into
/// figures.
void App::remember_scene(const std::string& file) {
  SceneFiles& scenes = screen_.scenes;
  scenes.open = is_scene_file(file) ? absolute_path(file) : "";
  if (!scenes.open.empty()) add_recent(scenes.recent, scenes.open);
}

/// Remembers a lesson of the user's own.
void App::remember_lesson(const Lesson& opened) {
  lesson_being_read_.clear();
  screen_.toasts.answer();
  if (opened.file.empty()) return;
  // A card has one line for it.
  constexpr std::size_t max_letters = 300;
  std::string about = truncated(plain_text(opened.summary), max_letters);
  std::ranges::replace(about, '\n', ' ');
  add_recent(screen_.scenes.user_lessons,
             UserLesson{absolute_path(opened.file), opened.title, std::move(about),
                        static_cast<int>(opened.steps.size())});
}

/// Marks the card of a lesson of the user's own that could not be read, or removes it if its file is gone.
void App::remember_refused_lesson() {
  const std::string name = std::exchange(lesson_being_read_, {});
  const auto found = std::ranges::find(screen_.scenes.user_lessons, absolute_path(name), &UserLesson::file);
  if (found == screen_.scenes.user_lessons.end()) return;
  const std::filesystem::path file = found->file;
  std::error_code unknown;
  // If its folder is missing as well, the disk that holds it may merely be absent.
  const bool is_gone =
      std::filesystem::exists(file.parent_path(), unknown) && !std::filesystem::exists(file, unknown);
  if (is_gone && !unknown)
    screen_.scenes.user_lessons.erase(found);
  else
    found->is_refused = true;
}

void App::keep_session() {
  const double due = autosave_.keep(scene_.history.step(), clock_);
  if (due >= 0.0) pacer_.due_in(due);
  if (const std::string complaint = autosave_.take_complaint(); !complaint.empty()) {
    notify(complaint, NoticeKind::warning);
  }
}

void App::handle_recovery_choice() {
  const auto answer = std::exchange(screen_.recovery_choice, std::nullopt);
  if (!answer ||
      !std::ranges::count(*autosave_.recoverable_sessions(), answer->folder, &RecoverableSession::folder))
    return;
  if (!answer->opens) return autosave_.discard_recoverable(answer->folder);
  dispatch(OpenRecovery{answer->folder.string()});
  autosave_.withdraw_recoverable(answer->folder);
  // Hide the links: a second click would answer for the next session.
  screen_.offers_recovery = false;
}

void App::receive_exports() {
  ExportForm& form = screen_.export_form;
  while (const auto result = exporter_.take()) {
    pacer_.event();
    const bool is_done = result->failure_kind == ExportFailure::none;
    if (is_done && result->request.kind == ExportKind::scene) remember_scene(result->file);
    if (answers_sheet(form, result->request)) {
      report_to_sheet(form, result->failure_kind, is_done ? "" : result->message);
      if (!is_done) continue;
      form.folder = result->request.folder;
      form.open = false;
    }
    notify(result->message, is_done ? NoticeKind::information : NoticeKind::warning);
  }
}

void App::update_export_sheet() {
  ExportForm& form = screen_.export_form;
  // Also take, and discard, the preview of a sheet that has since been closed.
  while (auto preview = previews_.take()) {
    form.preview = std::move(*preview);
    pacer_.event();
  }
  if (!form.open) {
    // Only films take long enough to be cancelled.
    if (form.is_saving && form.kind == ExportKind::film) form.progress->is_cancelled = true;
    previewed_.reset();
    form.preview = {};
    form.has_typed_path = false;
    form.chooses_folder = false;
    report_to_sheet(form, ExportFailure::none, "");
    return;
  }
  ExportRequest request = request_of(form, derived().shown, page_size_of_view(screen_, session().view));
  request.folder.clear();
  request.name.clear();
  std::tuple key(request, screen_.page_version, form.preview_size);
  form.is_preview_old = form.preview_size.width > 0 && trace_ && (previews_.busy() || previewed_ != key);
  if (!form.is_preview_old || previews_.busy()) return;
  const auto outcome = shown_outcome();
  if (!outcome) return;
  if (!outcome->trace) {
    form.is_preview_old = false;
    form.preview = {.problem = outcome->error};
    return;
  }
  previews_.submit([this, job = export_job(request),
                    room = form.preview_size] { return preview_of(job, room, preview_fonts_); },
                   [](const auto&) {
                     return ExportPreview{.problem = current_exception_message(
                                              "choose a smaller size, or a shorter sentence")};
                   });
  previewed_ = std::move(key);
}

/// Lists the folder of the sheet that shows one.
void App::list_folders() {
  ExportForm& exported = screen_.export_form;
  OpenForm& opened = screen_.open_form;
  SearchForm& search = screen_.search;
  const bool searches = !opened.open && search.open && search.chooses_file;
  while (auto listing = folder_lister_.take()) {
    if (searches) std::erase_if(listing->files, [](const auto& file) { return file.second != "text"; });
    (opened.open ? opened.listing : searches ? search.listing : exported.listing) = std::move(*listing);
    pacer_.event();
  }
  if (!opened.open && !exported.open && !searches) {
    listed_folder_.reset();  // the next sheet lists its folder again
    return;
  }
  const std::string folder = opened.open ? opened.folder
                             : searches  ? search.folder
                                         : request_of(exported, derived().shown, {}).folder;
  if (listed_folder_ == folder || folder_lister_.busy()) return;
  listed_folder_ = folder;
  folder_lister_.submit([folder] { return listing_of(folder); },
                        [folder](const std::string& problem) {
                          return FolderListing{folder, folder, folder, {}, {}, false, problem};
                        });
}

void App::save_scene() {
  const std::string& open = screen_.scenes.open;
  if (open.empty()) return screen_.export_form.show(ExportKind::scene);
  start_export(
      {.kind = ExportKind::scene, .folder = folder_of(open), .name = name_in(open), .overwrites = true});
}

void App::start_export(const ExportRequest& request) {
  exports_.push_back(request);
  pacer_.event();
}

std::shared_ptr<const Outcome> App::shown_outcome() {
  const std::vector<Request>& requests = derived().requests;
  auto outcome = worker_.latest();
  if (!outcome || computing() || !(outcome->request == requests.front())) return nullptr;
  bool is_shown = !outcome->trace || outcome->trace == trace_;
  for (std::size_t i = 1; i < requests.size() && is_shown; ++i) {
    const auto compared = worker_.outcome(requests[i]);
    is_shown = compared && i <= compared_.size() && compared->trace == compared_[i - 1].trace;
  }
  if (is_shown) return outcome;
  // The worker has just finished or the session has changed; the next frame receives the result.
  pacer_.event();
  return nullptr;
}

ExportJob App::export_job(const ExportRequest& request) {
  ExportJob job{request, screen_.page_inputs, nullptr};
  job.shown.session = derived().shown;
  job.shown.trace = trace_;
  job.shown.trace_model = session().model;
  job.shown.compared = compared_;
  job.shown.hovered.reset();
  job.shown.hovered_token.reset();
  job.shown.strip_row.reset();
  job.shown.step_progress = 1.0F;
  return job;
}

void App::start_copy(CopyKind what) {
  copies_.push_back(what);
  pacer_.event();
}

/// Copies are made between frames, like exports.
void App::process_copies() {
  if (copies_.empty()) return;
  const auto outcome = shown_outcome();
  if (!outcome) return;
  for (const CopyKind what : std::exchange(copies_, {})) {
    if (what == CopyKind::link) {
      report_copy(
          copy_of_link(session(), [this](const std::string& scene) { return window_.copy_link(scene); }));
      continue;
    }
    if (!outcome->trace) {
      report_copy(failure(outcome->error));
      continue;
    }
    const ExportJob job = export_job({.scale = screen_.export_form.scale, .folder = {}});
    copier_.submit(
        [what, job, &window = window_] {
          return what == CopyKind::numbers
                     ? copy_of_numbers(job.shown)
                     : copy_of_figure(job, [&](const std::string& png) { return window.copy_picture(png); });
        },
        [](const std::string& problem) { return Result<Copied>(failure(problem)); });
  }
}

void App::receive_copies() {
  while (const auto copied = copier_.take()) {
    report_copy(*copied);
    pacer_.event();
  }
}

void App::report_copy(const Result<Copied>& copied) {
  if (!copied) return notify("Nothing was copied: " + copied.error().message, NoticeKind::warning);
  if (!copied->second.empty()) ui_.set_clipboard_text(copied->second);
  notify(copied->first);
}

/// Exports are made between frames, once the window has shown what is to be saved.
void App::process_exports() {
  if (exports_.empty()) return;
  const auto outcome = shown_outcome();
  if (!outcome) return;
  for (const ExportRequest& request : std::exchange(exports_, {})) {
    const bool is_of_window = request.kind == ExportKind::window;
    if (is_of_window && (!ui_.hides_transients() || has_page_jobs())) {
      // A later frame will be drawn for it.
      exports_.push_back(request);
      pacer_.event();
      continue;
    }
    std::string problem;
    ExportJob job = export_job(request);
    if (is_of_window) {
      auto pixels = window_.read_pixels();
      if (pixels) job.window = std::make_shared<const Image>(std::move(*pixels));
      if (!pixels) problem = pixels.error().message;
    } else if (!outcome->trace && record_of(request.kind).group != ExportGroup::to_open_again) {
      problem = "Nothing was exported: " + outcome->error;
    }
    if (!problem.empty()) {
      if (answers_sheet(screen_.export_form, request)) {
        report_to_sheet(screen_.export_form, ExportFailure::other, problem);
      } else {
        notify(problem, NoticeKind::warning);
      }
      continue;
    }
    exporter_.submit(
        [this, job = std::move(job)] {
          ExportResult result = export_now(job, saved_models_);
          result.request = job.request;
          return result;
        },
        [request](const std::string& why) {
          return ExportResult{"Nothing was exported: " + why, ExportFailure::other, request};
        });
  }
}

}  // namespace headscope
