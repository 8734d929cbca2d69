#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <variant>
#include <vector>

#include "app/parts/export_form.h"
#include "app/parts/folder_list.h"
#include "app/parts/persistent_state.h"
#include "app/ui/ui.h"
#include "app/widgets/controls.h"
#include "app/widgets/number_grid.h"
#include "app/widgets/toast.h"
#include "core/checkpoint/model_shelf.h"
#include "core/engine/module_weights.h"
#include "core/engine/search.h"
#include "core/engine/training_worker.h"
#include "core/lesson/edit_lesson.h"
#include "core/model/trained_model.h"
#include "core/page/page.h"
#include "core/page/page_record.h"
#include "core/palette/palette.h"
#include "core/scene/film.h"
#include "core/scene/first_minute.h"
#include "core/scene/scene.h"
#include "core/session/action.h"
#include "core/session/shown_figure.h"
#include "core/trace/trace.h"

namespace headscope {

/// Everything that a key or a button can trigger, except setting a value. The record of each command, with
/// its name, key and action, is in shell/commands.cpp.
enum class CommandId {
  undo,
  redo,
  open_file,
  save_scene,
  save_scene_as,
  export_figure,
  export_window,
  export_csv,
  export_npy,
  export_sheet,
  export_worksheet,
  copy_figure,
  copy_numbers,
  copy_link,
  open_pronouns,
  open_stories,
  open_copying,
  open_reversing,
  open_untrained,
  known_words,
  search_sentences,
  train,
  train_step,
  train_reset,
  show_latest_weights,
  play_film,
  previous_head,
  next_head,
  head_left,
  head_right,
  head_above,
  head_below,
  previous_layer,
  next_layer,
  next_attention,
  previous_stage,
  next_stage,
  previous_token,
  next_token,
  toggle_causal,
  toggle_train,
  toggle_difference,
  hold,
  release,
  swap_subjects,
  toggle_head_off,
  edit_numbers,
  toggle_paint,
  toggle_padding_clicks,
  toggle_cover,
  toggle_cover_mode,
  toggle_numbers,
  toggle_theme,
  new_seed,
  unpin,
  edit_sentence,
  palette,
  toggle_controls,
  toggle_inspector,
  present,
  blank_screen,
  next_presented,
  previous_presented,
  next_lesson_step,
  previous_lesson_step,
  restore_lesson_step,
  close_lesson,
  add_lesson_step,
  reload_lesson,
  fit_diagram,
  add_sentence,
  toggle_motion,
  recoverable_sessions,
  larger,
  smaller,
  default_size,
  help,
  quit
};

/// What a key can do: run a command or open a view.
using CommandOrView = std::variant<CommandId, PageName>;

/// The state of the sheet that opens a file.
struct OpenForm {
  bool open = false;
  std::string folder;  ///< the listed folder, as typed: “~” is the home folder
  FolderListing listing;
  bool opens_when_listed = false;  ///< whether to open what was typed as soon as it is listed
};

/// A cached page. While its inputs stay the same, it is only painted again.
struct PageCache {
  Page page;
  std::uint64_t version = 0;  ///< the version of its inputs
  std::uint64_t pointed = 0;  ///< the version of what the mouse pointed at, if the page follows it
  PageSize size;
  std::size_t fonts = 0;
};

/// The state of the sheet that lists the words of a task.
struct KnownWordsForm {
  bool open = false;
  std::string search;
};

/// The question that a search asks about the sentences of a file or, without one, about the program's own.
struct SearchQuestion {
  Request base;
  SearchCriteria criteria;
  std::string file;
  bool operator==(const SearchQuestion&) const = default;

  using Answer = SearchResult;
  static constexpr Lifetime life = Lifetime::session;
  Slices<Result<SearchResult>> answer() const {
    return file.empty() ? search(base, criteria, lines_to_search(sentences_of_program()))
                        : search_file(base, criteria, file);
  }
};

/// The state of the sheet that searches sentences.
struct SearchForm {
  bool open = false;
  std::string file;  ///< As it was typed. Empty for the program's own sentences.
  int way = 0;       ///< 0 to search from one word to another; otherwise, 1 + the index of a measure.
  std::string from = "it", to;
  bool chooses_file = false;  ///< Lists `folder` to choose a file from.
  std::string folder = "~";
  FolderListing listing;                   ///< With files of text alone.
  std::optional<SearchQuestion> question;  ///< Empty before the first search, and after one was stopped.
};

/// The state of the sheet that creates a lesson, or edits one of its steps or its introduction.
struct StepForm {
  bool open = false;
  bool takes_focus = false;              ///< whether the title takes the keyboard focus
  bool text_takes_focus = false;         ///< whether the text does
  bool is_saving = false;                ///< whether its words are being written
  bool begins = false;                   ///< whether a new lesson begins with these words as its introduction
  std::shared_ptr<const Lesson> lesson;  ///< the lesson as it was when the sheet was opened, or null
  std::optional<std::size_t> step;       ///< empty: the introduction
  StepText words;
  StepText original;  ///< the words with which it was opened
};

/// The state of the sheet that opens an attention module.
struct ModuleForm {
  bool open = false;
  std::string path;
  std::shared_ptr<const ModuleWeights> weights;  ///< null if they could not be read
  std::string problem;                           ///< why they could not be read
  std::optional<ModuleFormat> requested_format;  ///< the format in which to read the file again
  int heads = 0;                                 ///< the index of the chosen number of heads
};

/// The state of the sheet that edits the numbers of a parameter or stage.
struct NumberEditorForm {
  std::optional<StageId> stage;  ///< empty if the sheet is closed
  NumberGridState grid;
  std::string file;                         ///< the file to read numbers from
  std::optional<std::string> loading_file;  ///< the file that is being read
  bool closes_when_valid = false;           ///< whether to close the sheet once the typed text is a number
  std::optional<StageId> next;              ///< the stage to show next instead of closing
  /// The computed numbers, which are shown if none are given, and the pass that they come from.
  std::shared_ptr<const OwnedMatrix> computed;
  std::shared_ptr<const Trace> computed_of;
};

/// The state of the settings panel.
struct SettingsPanel {
  std::set<std::string, std::less<>> open;  ///< the unfolded groups
  std::string search;                       ///< shows the matching settings, even in folded groups
  /// The model's default settings, for the button that restores them. Empty until the panel is first shown.
  std::optional<Subject> defaults;
  std::string of;             ///< the name of that model or starting point
  float model_height = 0.0F;  ///< the height of the model's section, at the top of the panel
  /// The setting whose last change was refused, and the reason. Empty if none was refused.
  std::string refused_key, refusal;
};

/// The state of the sheet that finds anything by name.
struct PaletteForm {
  bool open = false;
  std::string typed;
  std::shared_ptr<const Palette> palette;
  std::vector<Palette::Found> found = palette ? palette->find(typed) : std::vector<Palette::Found>();
  int selected = 0;
};

/// Asks before training replaces trained weights.
struct RetrainConfirmation {
  std::optional<CommandId> pending_command;  ///< runs if the user agrees
  bool opens = false;                        ///< whether the question has yet to be opened
};

/// The answer typed over a covered cell while the mouse is on it.
struct TypedAnswer {
  std::optional<Pin> at;
  std::string typed;
  std::string complaint;            ///< why the answer was not right; empty while typing
  int frame = -2;                   ///< the last of ImGui's frames with the mouse on the cell
  std::optional<Pin> pointed = {};  ///< the cell under the mouse, from which Tab may have gone on to `at`

  /// Whether keys belong to the answer in frame `now`.
  bool is_active(int now) const { return at && frame >= now - 1; }
};

/// What a click on the picture does if it does not pin the cell under the mouse.
enum class ClickMode { painting, padding, covering };

/// An inline edit of a number in its cell, on the page for computing a head by hand.
struct InlineNumberEdit {
  std::string slot;  ///< the map that it stands in
  StageId stage;
  CellIndex cell;
  std::string text;
  std::optional<int> tabbed_from = {};  ///< the column from which Tab came, to which Enter returns
  std::optional<float> given = {};      ///< the last number set from this text
  bool continues = false;               ///< a number was set before from this text, and shares its undo step
  bool takes_focus = true;              ///< in the next frame
  bool mouse_moved = false;             ///< since typing began
};

/// A pen stroke over a presented page, which fades.
struct PenStroke {
  std::vector<ImVec2> points;
  double ended = 0.0;  ///< ImGui's time in seconds
};

/// The cached factor by which a presented page is reduced to fit, with its inputs.
struct PresentedFit {
  PageName view = PageName::explore;
  std::shared_ptr<const Trace> trace;
  std::vector<SubjectPass> compared;
  float width = 0.0F, height = 0.0F;  ///< Of its window, in ImGui pixels.
  float share = 1.0F;
  bool scrolls = false;  ///< It is too large at any size.
};

/// The state of the lesson beside the picture.
struct LessonPanelState {
  bool is_shown = true;                  ///< whether its column shows the lesson, not the inspector
  bool has_controls = false;             ///< whether the settings are shown, which a step may ask for
  std::shared_ptr<const Lesson> lesson;  ///< the lesson and the step that were drawn last
  std::size_t step = 0;
  double started_at = 0.0;   ///< ImGui's time at which the step was reached
  bool is_answered = false;  ///< whether the answer to its question was drawn
  int frames_to_answer = 0;  ///< the frames for which the text still scrolls to the end of the answer
};

/// State that views keep from frame to frame, one object for each type and name. State without a name has a
/// type of its own, private to its view's file unless a header declares it for tests; state of a shared type
/// has a name.
class ViewStates {
 public:
  /// Returns the state of this type and name, which is created at the first call.
  template <class State>
  State& of(std::string_view name = {}) {
    std::shared_ptr<void>& kept = kept_[{typeid(State), name}];
    if (!kept) kept = std::make_shared<State>();
    return *static_cast<State*>(kept.get());
  }

 private:
  std::map<std::pair<std::type_index, std::string_view>, std::shared_ptr<void>> kept_;
};

/// Screen state that is kept from frame to frame but not saved: the mouse, zoom, open sheets, and caches of
/// what was drawn. Losing it loses none of the user's work.
struct ScreenState {
  ViewStates own;                   ///< the views' private state
  std::optional<Pin> hovered;       ///< the cell under the mouse in the last frame
  std::optional<Pin> next_hovered;  ///< the cell found in this frame
  std::optional<int> hovered_token;
  std::optional<LineToken> hovered_line;  ///< the line end under the mouse
  std::optional<ClickMode> click_mode;
  TypedAnswer answer;
  SidePanels panels;
  std::optional<StageId> presented;  ///< the stage that the presented page has scrolled to
  PresentedFit presented_fit;
  /// The session at the beginning of the presentation, whose selection is restored at the end.
  std::optional<Session> before_presenting;
  bool presents_from_top = false;  ///< Whether the next page has to be scrolled to its top.
  bool reduces_motion = false;     ///< whether nothing may move by itself
  /// Whether a presentation shows the page alone, enlarged, with a ring around what the mouse is on.
  bool presents = false;
  bool is_black = false;  ///< whether the presentation is blanked, so that the audience looks elsewhere
  std::vector<PenStroke> strokes;  ///< drawn over a presentation; the last one may be in progress
  LessonPanelState lesson;
  PageName last_view = PageName::explore;  ///< the view that was shown last outside of *Lessons*
  bool view_scrolls = false;               ///< whether the view is too high for the window and scrolls
  std::optional<int> strip_row;  ///< the row to which the token strip is scrolled; empty: the selected one
  bool show_inspector = false;   ///< whether the column shared by settings and inspector shows the inspector
  /// In a small window, which has one column: 0 the view, 1 the settings, 2 the inspector, 3 the lesson.
  int column = 0;
  bool focus_sentence = false;
  bool replaces_sentence = false;  ///< whether the sentence in the field is a copy to type over
  bool focus_bar = false;          ///< whether the last command of the bar above takes the keyboard focus
  RecoverableSessions recoverable_sessions =
      std::make_shared<const std::vector<RecoverableSession>>();  ///< the newest first
  bool offers_recovery = true;
  std::optional<RecoveryChoice> recovery_choice;
  Toasts toasts;
  FirstMinute first_minute;
  ExportForm export_form;
  OpenForm open_form;
  SceneFiles scenes;
  std::vector<DiscoveredModel> shelf;  ///< the models that were found on the disk
  std::string opens_file;              ///< the file chosen in this frame; empty if none was
  KnownWordsForm known_words;
  SearchForm search;
  StepForm step_form;
  ModuleForm module;
  PaletteForm palette;
  SettingsPanel settings;
  NumberEditorForm number_editor;
  std::optional<InlineNumberEdit> inline_edit;  ///< the number being typed on the page by hand
  std::string trained_parameter;                ///< the path of the parameter whose gradient is shown
  RetrainConfirmation retrain_confirmation;
  FilmState film;
  float step_progress = 1.0F;  ///< the progress of a watched row's current step, 0 to 1
  int n_positions = 20;        ///< on the page of positions; for biases, the greatest distance
  int position_width = 512;
  PageMemo memo;                            ///< the data that pages keep between frames
  PageInputs page_inputs;                   ///< the inputs of the last frame that showed a page
  std::map<StageKind, double> page_ranges;  ///< the held colour ranges of the drawn pages
  std::uint64_t page_version = 1;           ///< changes with the inputs of the pages
  std::uint64_t pointed_version = 1;        ///< changes with the cell or token under the mouse
  std::uint64_t step_version = 1;           ///< changes with `step_progress`
  std::uint64_t token_version = 1;          ///< changes with the token or line under the mouse
  std::map<PageName, PageCache> pages;      ///< the pages as last drawn

  /// Whether a stroke over cells does something other than a click.
  bool marks_cells() const { return is(ClickMode::painting) || is(ClickMode::covering); }
  bool is(ClickMode mode) const { return click_mode == mode; }

  /// Drops what is cached from other passes before pages are made from these. A pass may take a gigabyte.
  void show_passes(const std::shared_ptr<const Trace>& trace, const std::vector<SubjectPass>& compared,
                   PageName view);
  /// Drops cached results that the pages just made did not use.
  void drop_stale_pages();
  /// The queries that see no key, cached for the last pass and head.
  const std::vector<int>& empty_rows_of(const std::shared_ptr<const Trace>& trace, const StageId& head);

  /// Whether the settings are shown. A lesson has its own flag.
  bool& has_controls(bool in_lesson) { return in_lesson ? lesson.has_controls : panels.has_controls; }

 private:
  std::shared_ptr<const Trace> shown_trace_;
  std::vector<SubjectPass> shown_compared_;
  PageName shown_view_ = PageName::explore;
  std::optional<Lifetime> ended_;  ///< the lifetime that ended with this frame
  std::vector<int> empty_rows_;
  std::shared_ptr<const Trace> empty_rows_trace_;
  StageId empty_rows_head_;
};

/// The inputs of a view in one frame, and its outputs: actions, commands and events. A view changes nothing
/// but the state of the screen.
struct Frame {
  Ui& ui;
  const Session& session;
  const std::string& sentence;                   ///< as typed: it may be ahead of the session
  const std::string& target;                     ///< the same for the decoder's sentence
  const std::vector<History::Step>& undo_stack;  ///< the undo stack, newest last
  /// The session that the pages show: `session`, or, while a difference is requested and nothing is held,
  /// `session` compared with the state before the last change.
  const Session& shown;
  std::shared_ptr<const Trace> trace;  ///< the newest pass; null before the first
  /// The trained weights of that pass, which may be older than the session's. Null for random weights.
  std::shared_ptr<const TrainedModel> trace_model;
  /// The pass before the last change of the sentence, if nothing else has changed since. Null otherwise.
  std::shared_ptr<const Trace> before_edit;
  const std::vector<SubjectPass>& compared;  ///< the passes of the held subjects of `shown`
  const std::string& error;                  ///< why the session has no pass; empty if it has one
  bool computing = false;
  double opening = 0.0;  ///< Progress, from 0 to 1, of a file that takes several slices to open; otherwise 0.
  std::shared_ptr<const TrainingProgress> training;  ///< of the session's model; null: not trained here
  std::vector<Snapshot> film;  ///< the snapshots that the session can step through: film_of()
  int max_tokens = 0;          ///< the maximum that fits into memory; 0 if the sizes are invalid
  ScreenState& screen;
  std::vector<Action>& actions;
  std::vector<CommandOrView>& commands;
  std::vector<ExportRequest>& exports;
  std::vector<Event>& events;  ///< requests to the lesson or the training
  const LessonState* lesson;   ///< the lesson that is open; null if there is none
  bool has_changed_scene;      ///< whether the session has changed since the lesson opened its scene
  bool is_writing_lesson;      ///< whether the file of a lesson is being written
  const RunJob& execute;       ///< runs slow jobs of pages
  std::string (*keys_of)(CommandOrView);
  std::function<bool(CommandOrView)> is_enabled;

  void emit(Action action) { actions.push_back(std::move(action)); }
  void emit(const std::vector<Action>& all) { actions.insert(actions.end(), all.begin(), all.end()); }
  void emit(CommandOrView command) { commands.push_back(command); }
  void send(Event event) { events.push_back(std::move(event)); }
  /// Adds the keys of a command or view to its tooltip: "Undo the last change (Ctrl+Z)".
  std::string with_keys(const std::string& tooltip, CommandOrView what) const {
    return tooltip + " (" + keys_of(what) + ")";
  }
  /// Whether the pass's weights are untrained, so that its patterns mean nothing.
  bool is_untrained() const { return headscope::is_untrained({trace, trace_model}); }
  /// Whether the session shows a snapshot instead of the newest numbers.
  bool shows_snapshot() const {
    return !film.empty() && session.model && session.model != ModelRef(film.back());
  }
  bool shows_difference() const {
    return trace && shown.difference && !compared.empty() && compared.front().trace;
  }
};

/// Draw a button or a link that runs a command or opens a view. Its keys follow the tooltip.
void command_button(Frame& frame, const char* label, const std::string& tooltip, CommandOrView what,
                    ButtonStyle style = ButtonStyle::plain, float width = 0.0F);
void command_link(Frame& frame, const char* label, const std::string& tooltip, CommandOrView what,
                  float size = text_size::control, ButtonStyle style = ButtonStyle::plain);

/// Says how much of something is done, and draws it again soon: "12 % of the sentences are done".
void progress_text(Frame& frame, double share, const std::string& of);

/// The size of a view's page in the window when it was last shown. Zero if it has not been shown.
PageSize page_size_of_view(const ScreenState& screen, PageName view);

/// The stage of this kind at the selected place.
inline StageId selected_stage(const Frame& frame, StageKind kind) {
  return frame.session.selection.at(kind);
}

/// The cell that the inspector describes: the pinned one, or else the one under the mouse.
std::optional<Pin> inspected(const Frame& frame);

}  // namespace headscope
