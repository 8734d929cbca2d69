#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/parts/frame.h"
#include "app/platform/frame_pacer.h"
#include "app/platform/window.h"
#include "app/shell/autosave.h"
#include "app/shell/export_desk.h"
#include "app/shell/exporter.h"
#include "app/shell/file_reader.h"
#include "app/shell/folders.h"
#include "app/shell/settings.h"
#include "app/ui/ui.h"
#include "app/widgets/toast.h"
#include "core/engine/worker.h"
#include "core/jobs/job_queue.h"
#include "core/scene/update.h"

namespace headscope {

/// The program behind a window. It holds the state (a Scene, which only update() changes), carries out the
/// effects of changes with workers, whose results return as events, and lets the views draw.
class App {
 public:
  /// `kept` is the folder in which programs keep their sessions in case of a crash. If it is empty, this
  /// program keeps none.
  App(Window& window, Settings settings, const std::filesystem::path& kept = {});
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Waits a moment for the first pass, so that the first frame already shows it: drawing an empty one takes
  /// longer than most passes.
  void wait_for_first_pass();
  /// Runs one frame, from receiving the workers' results to carrying out the views' requests.
  void frame();
  /// Whether everything in the session is on the screen, and nothing is being computed, baked or written.
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
  void undo();
  void redo();
  void run(CommandOrView id);
  /// Begins the view with which the program starts, as if it were opened from another page. Actions that
  /// depend on the pass follow as soon as there is one.
  void begin_view();
  bool begins_view() const { return begins_view_; }
  void start_export(const ExportRequest& request);
  /// Copies to the clipboard as soon as the pass to be copied is available.
  void start_copy(Copied what);
  /// Multiplies the interface scale. A factor of 0 returns to the monitor's scale.
  void zoom_interface(float factor);
  /// Draws every frame from now on for a picture of the window, without tooltips and messages.
  void hold_still() { always_still_ = true; }
  /// Plays the snapshots of the training from the current one onwards, or stops playing.
  void toggle_film();
  bool ask_for_files() { return window_.ask_for_files(); }
  void toggle_help() { help_open_ = !help_open_; }
  void say(std::string message, NoticeKind kind = NoticeKind::information) {
    screen_.toasts.push(std::move(message), kind);
  }
  /// Records that the session comes from this file: a scene, which Save writes from now on, or a figure.
  void note_scene(const std::string& file);
  /// Writes the session to the scene that it was opened from. If there is none, asks for a file.
  void save_scene();
  void quit() { quit_ = true; }
  /// Ends autosaving because the session is kept elsewhere or need not be. Leaves nothing behind for the next
  /// start.
  void end_autosave() { autosave_.finish(); }
  /// Keeps the current session for the next start, because the program is about to be ended. May be called
  /// from any thread.
  void rescue_session() {
    constexpr std::chrono::milliseconds patience(400);
    autosave_.rescue(patience);
  }

 private:
  /// Carries out the events that wait. One that takes long is carried out beside the frames, and those after
  /// it wait for it.
  void carry_out_events();
  void receive_updates();
  void take_over(const Event& event, Update next);
  /// Whether a pass or an event is still being carried out.
  bool computing() const { return worker_.busy() || !events_.empty(); }
  void carry_out(const Effect& effect);
  void carry_out(const TrainingOrder& order);
  void receive_progress();
  void receive_files();
  void play_film();
  /// Compares what the learner did with what the question of the step expects.
  void observe_lesson();
  void observe_first_minute();
  /// Moves the session on its way to that of the step, as fast as the passes in between are computed.
  void play_lesson();
  void keep_session();
  void answer_leftover();
  /// What is shown of the session and requested from the worker. It is updated when the session changes, not
  /// in every frame.
  struct Wanted {
    History::Step session;
    bool peeks = false;
    Session shown;                  ///< as in Frame
    std::vector<Request> requests;  ///< of its subjects, beginning with the one that is edited
    int max_tokens = 0;             ///< as in Frame
    bool has_words = false;
    bool is_submitted = false;  ///< whether the worker has the requests
  };
  const Wanted& wanted();
  void request_passes();
  void receive_passes();
  /// Whether none of the files from which the shown numbers were read has changed since it was opened.
  bool files_are_unchanged() const;
  void receive_page_jobs();
  /// Whether results are being computed, or are there and not shown yet.
  bool makes_pages() const { return page_jobs_.busy() || page_jobs_done_ > 0; }
  void receive_exports();
  /// Updates the preview and the folders that the export sheet shows.
  void serve_export_sheet();
  /// Lists the folder that a sheet shows.
  void list_folders();
  void carry_out_exports();
  /// The wanted pass, if the window shows it and all passes that it is compared with. Null until then.
  std::shared_ptr<const Outcome> shown_outcome();
  /// The data that an export of the current view needs.
  ExportJob export_job(const ExportRequest& request);
  void carry_out_copies();
  void receive_copies();
  bool waits_for_window_picture() const;
  bool is_under_a_sheet() const;
  void press_keys();
  void type_into_sentence();
  void draw();
  const Session* session_before() const;
  void offer_first_minute();
  void look_for_models();
  void note_model(const ModelRead& opened);
  void note_lesson(const Lesson& opened);
  void note_refused_lesson();
  float interface_scale() const;
  /// The room in the window relative to that of a usual window at the interface's scale.
  float room_of_window() const;
  float shown_scale() const;
  float page_enlargement() const;

  Window& window_;
  Settings settings_;
  Ui ui_;
  Scene scene_;
  std::deque<Event> events_;  ///< those that the scene does not show yet
  JobQueue<Update> updates_;  ///< for the first of them, if it takes long
  Wanted wanted_;
  Worker worker_;
  TrainingWorker trainer_;
  std::shared_ptr<const TrainingProgress> progress_;  ///< the last one taken from the trainer
  FileReader reader_;
  std::string lesson_being_read_;  ///< its name, or its file; empty if none is being read
  Exporter exporter_;
  ExportDesk export_desk_;
  FolderLister folder_lister_;
  JobQueue<std::vector<ShelvedModel>> shelf_;
  JobQueue<CopyResult> copier_;
  std::atomic<int> page_jobs_done_{0};  ///< those whose results the pages do not show yet
  JobThread page_jobs_{JobThread::Order::every, [](const auto&) {}};  ///< the slow work of pages
  CarryOut carry_out_ = [this](Job job) {
    page_jobs_.submit([this, job = std::move(job)] {
      if (job()) return true;
      ++page_jobs_done_;
      window_.wake();
      return false;
    });
  };
  Autosave autosave_;
  std::vector<ExportRequest> exports_;  ///< requested, but still waiting for their pass
  std::vector<Copied> copies_;          ///< the same for the clipboard
  PixelSize window_size_;               ///< in screen coordinates, as of the last frame
  FramePacer pacer_;
  ScreenState screen_;
  std::shared_ptr<const Trace> trace_;
  std::shared_ptr<const Trace> before_edit_;  ///< the pass before the sentence was changed; null: it was not
  std::shared_ptr<const TrainedModel> trace_model_;  ///< the weights of that pass; null for random ones
  std::vector<SubjectPass> held_;                    ///< the passes of the held subjects on the screen
  std::string error_;
  bool peeks_ = false;  ///< the key of the difference is held
  bool help_open_ = false;
  std::chrono::milliseconds drawing_{0};  ///< how long the last frame took, without the jobs
  bool quit_ = false;
  bool always_still_ = false;
  bool popup_was_open_ = false;  ///< in the last frame
  bool text_had_keyboard_ =
      false;  ///< in the last frame, because ImGui takes the focus before Escape is handled since 1.92
  bool new_gesture_ = true;
  bool begins_view_ = false;  ///< The first view begins once there is a pass.
  double last_edit_ = 0.0;    ///< when the sentence was last edited, in ImGui's seconds
  double clock_ = 0.0;
  /// What the question of a step was last compared with.
  struct ObservedLesson {
    History::Step session;
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const Lesson> lesson;
    std::size_t step = 0;
    bool operator==(const ObservedLesson&) const = default;
  };
  ObservedLesson observed_;
  ObservedLesson observed_minute_;  ///< the same for the tasks of the first minute
  double lesson_clock_ = 0.0;       ///< when the lesson's motion last advanced
  double film_clock_ = 0.0;         ///< when the film last advanced
  std::function<void(const Event&)> observer_;
};

}  // namespace headscope
