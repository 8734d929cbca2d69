#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/parts/frame.h"
#include "app/platform/window.h"
#include "app/shell/autosave.h"
#include "app/shell/exporter.h"
#include "app/shell/files.h"
#include "app/shell/settings.h"
#include "app/ui/ui.h"
#include "app/widgets/toast.h"
#include "core/engine/worker.h"
#include "core/jobs/job_queue.h"
#include "core/scene/update.h"

namespace headscope {

/// The program behind a window. It owns the state (a Scene, which only update() changes), executes effects
/// with workers, whose results return as events, and draws the views.
class App {
 public:
  /// `kept` is the folder for autosaved sessions. If it is empty, nothing is autosaved.
  App(Window& window, Settings settings, const std::filesystem::path& kept = {});
  App(const App&) = delete;
  App& operator=(const App&) = delete;
  /// Waits until everything is written.
  ~App() { exporter_.finish(); }

  /// Waits a moment for the first pass, so that the first frame already shows it: drawing an empty one takes
  /// longer than most passes.
  void wait_for_first_pass();
  /// Runs jobs that have no thread of their own for about as long as the last frame took, within unnoticeable
  /// limits.
  void run_jobs();
  /// Runs one frame, from receiving the workers' results to executing the views' requests.
  void frame();
  /// Whether the screen shows the entire session, and nothing is being computed, baked or written.
  bool settled() const;
  bool wants_to_quit() const { return quit_; }
  FramePacer& pacer() { return pacer_; }

  const Session& session() const { return scene_.session(); }
  const Scene& scene() const { return scene_; }
  /// The pass on the screen. Null before the first.
  const std::shared_ptr<const Trace>& trace() const { return trace_; }
  const std::string& error() const { return error_; }
  ScreenState& screen() { return screen_; }
  const ScreenState& screen() const { return screen_; }
  const Settings& settings();
  /// Measures the text of pages as it appears on this screen.
  MeasureText measure() const { return ui_.page_measure(); }
  /// ImGui pixels per unit of a page.
  float page_scale() const { return ui_.page_scale(); }
  bool can_undo() const { return headscope::can_undo(scene_); }
  bool can_redo() const { return headscope::can_redo(scene_); }

  /// Sends an event to update(). This is the only way to change the scene.
  void dispatch(const Event& event);
  /// Calls `observer` with every event from now on, before it is carried out.
  void on_event(std::function<void(const Event&)> observer) { observer_ = std::move(observer); }
  void apply(const Action& action);
  void undo() { take_back(SceneOrder::undo); }
  void redo() { take_back(SceneOrder::redo); }
  void run(CommandOrView id);
  void start_export(const ExportRequest& request);
  /// Copies to the clipboard as soon as the pass to be copied is available.
  void start_copy(CopyKind what);
  /// Multiplies the interface scale. A factor of 0 returns to the monitor's scale.
  void zoom_interface(float factor);
  /// Hides tooltips and messages from now on, for a screenshot.
  void hide_transients() { always_hides_transients_ = true; }
  /// Plays or pauses the training film.
  void toggle_film();
  bool ask_for_files() { return window_.ask_for_files(); }
  void toggle_help() { help_open_ = !help_open_; }
  void notify(std::string message, NoticeKind kind = NoticeKind::information) {
    screen_.toasts.push(std::move(message), kind);
  }
  /// Records that the session comes from this file: a scene, which Save writes from now on, or a figure.
  void remember_scene(const std::string& file);
  /// Writes the session to the scene that it was opened from. If there is none, asks for a file.
  void save_scene();
  void quit() { quit_ = true; }
  /// Stops autosaving and removes the autosaved session, because it is saved elsewhere or no longer needed.
  void end_autosave() { autosave_.finish(); }
  /// Saves the session for the next start because the process is about to be killed. Thread-safe.
  void rescue_session() {
    constexpr std::chrono::milliseconds timeout(400);
    autosave_.rescue(timeout);
  }

 private:
  /// Processes queued events. A slow one runs in the background, and later events wait for it.
  void process_events();
  void receive_updates();
  void apply_update(const Event& event, Update next);
  /// Whether a pass or an event is still being processed.
  bool computing() const { return worker_.busy() || !events_.empty(); }
  void execute(const Effect& effect);
  void receive_progress();
  void receive_files();
  void play_film();
  /// Evaluates the question of the lesson's step against the session.
  void observe_lesson();
  void observe_first_minute();
  /// Advances the session towards that of the step, one computed pass at a time.
  void play_lesson();
  void keep_session();
  void handle_recovery_choice();
  /// What is shown and requested from the worker, derived from the session whenever it changes.
  struct DerivedState {
    History::Step session;
    bool is_peeking = false;
    Session shown;                  ///< as in Frame
    std::vector<Request> requests;  ///< of its subjects, beginning with the one that is edited
    int max_tokens = 0;             ///< as in Frame
    bool has_words = false;
    bool is_submitted = false;  ///< whether the worker has the requests
  };
  const DerivedState& derived();
  void request_passes();
  void receive_passes();
  /// Whether none of the files from which the shown numbers were read has changed since it was opened.
  bool files_are_unchanged() const;
  /// Whether page jobs are running, or their results are not shown yet.
  bool has_page_jobs() const { return page_jobs_.busy() || page_jobs_done_ > 0; }
  void receive_exports();
  /// Updates the preview and the folders that the export sheet shows.
  void update_export_sheet();
  /// Lists the folder that a sheet shows.
  void list_folders();
  void process_exports();
  /// The requested pass once the window shows it and all passes that it is compared with; null until then.
  std::shared_ptr<const Outcome> shown_outcome();
  /// The data that an export of the current view needs.
  ExportJob export_job(const ExportRequest& request);
  void process_copies();
  void receive_copies();
  void report_copy(const Result<Copied>& copied);
  bool is_covered_by_sheet() const;
  void take_back(SceneOrder order);
  void press_keys();
  void type_into_sentence();
  void draw();
  const Session* session_before() const;
  void scan_for_models();
  void remember_model(const ModelRead& opened);
  void remember_lesson(const Lesson& opened);
  void remember_refused_lesson();
  float interface_scale() const;
  /// The window's size relative to the default size at this interface scale.
  float relative_window_size() const;
  float shown_scale() const;
  float page_enlargement() const;

  Window& window_;
  Settings settings_;
  Ui ui_;
  Scene scene_;
  std::deque<Event> events_;  ///< not applied yet
  std::function<void()> wake_ = [this] { window_.wake(); };
  JobQueue<Update> updates_{wake_};  ///< runs the first event if it is slow
  DerivedState derived_;
  Worker worker_{wake_};
  TrainingWorker trainer_{wake_};
  std::shared_ptr<const TrainingProgress> progress_;  ///< the last one taken from the trainer
  JobQueue<Event> reader_{wake_};                     ///< Reads and writes files.
  std::string lesson_being_read_;                     ///< its name, or its file; empty if none is being read
  SavedModels saved_models_;                          ///< used only by the thread that exports
  JobQueue<ExportResult> exporter_{wake_};
  /// What the last preview, finished or not, depends on: its request without the path of the file, the
  /// version of the pages' inputs, and its room.
  std::optional<std::tuple<ExportRequest, std::uint64_t, PixelSize>> previewed_;
  PreviewFonts preview_fonts_;  ///< used only by the previews' thread
  JobQueue<ExportPreview> previews_{wake_};
  std::optional<std::string> listed_folder_;  ///< the folder listed last
  JobQueue<FolderListing> folder_lister_{wake_};
  JobQueue<std::vector<DiscoveredModel>> shelf_{wake_};
  JobQueue<Result<Copied>> copier_{wake_};
  std::atomic<int> page_jobs_done_{0};  ///< finished jobs whose results are not shown yet
  JobThread page_jobs_{JobThread::Order::every, [](const auto&) {}};  ///< the slow work of pages
  RunJob run_page_job_ = [this](Job job) {
    page_jobs_.submit([this, job = std::move(job)] {
      if (job()) return true;
      ++page_jobs_done_;
      window_.wake();
      return false;
    });
  };
  Autosave autosave_;
  std::vector<ExportRequest> exports_;  ///< requested, but still waiting for their pass
  std::vector<CopyKind> copies_;        ///< the same for the clipboard
  PixelSize window_size_;               ///< in screen coordinates, as of the last frame
  FramePacer pacer_;
  ScreenState screen_;
  std::shared_ptr<const Trace> trace_;
  std::shared_ptr<const Trace> before_edit_;  ///< the pass before the sentence was changed; null: it was not
  std::shared_ptr<const TrainedModel> trace_model_;  ///< the weights of that pass; null for random ones
  std::vector<SubjectPass> compared_;                ///< the passes of the compared subjects
  std::string error_;
  bool is_peeking_ = false;  ///< whether the difference key is down
  bool help_open_ = false;
  std::chrono::milliseconds drawing_{0};  ///< how long the last frame took
  bool quit_ = false;
  bool always_hides_transients_ = false;
  bool popup_was_open_ = false;  ///< in the last frame
  bool text_had_focus_ =
      false;  ///< in the last frame, because ImGui takes the focus before Escape is handled since 1.92
  bool new_gesture_ = true;
  double last_edit_ = 0.0;  ///< when the sentence was last edited, in ImGui's seconds
  double clock_ = 0.0;
  /// What the step's question was last evaluated against: the session, its pass, the lesson and the step.
  using ObservedLesson =
      std::tuple<History::Step, std::shared_ptr<const Trace>, std::shared_ptr<const Lesson>, std::size_t>;
  ObservedLesson observed_;
  History::Step observed_before_;   ///< the session before that of observed_; null if a drag made the change
  ObservedLesson observed_minute_;  ///< the same for the tasks of the first minute
  double lesson_clock_ = 0.0;       ///< when the lesson's motion last advanced
  double film_clock_ = 0.0;         ///< when the film last advanced
  std::function<void(const Event&)> observer_;
};

}  // namespace headscope
