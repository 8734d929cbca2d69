#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/parts/command_id.h"
#include "app/parts/export_form.h"
#include "app/parts/export_request.h"
#include "app/parts/leftover.h"
#include "app/parts/open_form.h"
#include "app/parts/page_cache.h"
#include "app/parts/scene_files.h"
#include "app/parts/side_panels.h"
#include "app/ui/ui.h"
#include "app/widgets/number_grid.h"
#include "app/widgets/toast.h"
#include "core/engine/module_weights.h"
#include "core/engine/training_worker.h"
#include "core/model/trained_model.h"
#include "core/page/page_record.h"
#include "core/palette/palette.h"
#include "core/scene/film.h"
#include "core/scene/first_minute.h"
#include "core/session/action.h"
#include "core/session/shown_figure.h"
#include "core/trace/trace.h"

namespace headscope {

/// The sheet of what a task knows.
struct KnownWordsForm {
  bool open = false;
  std::string search;
};

/// The sheet that opens an attention module.
struct ModuleForm {
  bool open = false;
  std::string path;
  std::shared_ptr<const ModuleWeights> weights;  ///< null: they could not be read
  std::string problem;                           ///< why
  std::optional<ModuleFormat> asks_for;          ///< the format in which it is to be read again
  int heads = 0;                                 ///< the place of the number that is chosen
};

/// The sheet that edits the numbers of a parameter or a stage.
struct NumberEditorForm {
  std::optional<StageId> stage;  ///< nothing: it is closed
  NumberGridState grid;
  std::string file;             ///< whose numbers are to be opened
  bool is_done = false;         ///< closes as soon as what is typed is a number
  std::optional<StageId> next;  ///< whose numbers are shown then in place of closing
  /// What the pass computed, where nothing is given, and of which pass that is.
  std::shared_ptr<const OwnedMatrix> computed;
  std::shared_ptr<const Trace> computed_of;
};

/// The panel of settings.
struct SettingsPanel {
  std::set<std::string, std::less<>> open;  ///< groups that are unfolded
  std::string search;                       ///< shows what answers it, whatever is unfolded
  /// What the model began with, to go back to; nothing before the first frame that shows it.
  std::optional<Subject> defaults;
  std::string of;            ///< which model or starting point that is
  float text_height = 0.0F;  ///< that what is said of the starting point last took
  /// A setting that was asked to be what it cannot be, and why; empty: none was.
  std::string refused_key, refusal;
};

/// What moves along an arrow of the model's diagram after a step.
struct DiagramMotion {
  std::optional<StageId> last;  ///< the stage that was selected in the last frame of the page,
  int frame = -1;               ///< which was this one of ImGui's
  StageId from, to;
  double begun = -1.0;  ///< in ImGui's seconds; negative: nothing moves
};

/// The sheet that finds anything by its name.
struct PaletteForm {
  bool open = false;
  std::string typed;
  std::shared_ptr<const Palette> palette;
  std::vector<Palette::Found> found = palette ? palette->find(typed) : std::vector<Palette::Found>();
  int selected = 0;
};

/// The state of the training page.
struct TrainScreen {
  std::string parameter;                          ///< whose gradient is shown, by its path
  std::shared_ptr<const ParameterLayout> layout;  ///< whose parameters' paths are listed
  std::vector<std::string> paths;
  std::optional<HitRegion> scrubbed;  ///< the chart that the mouse looks back on while it is held
};

/// What is typed over a covered cell while the mouse is on it.
struct AnswerDraft {
  std::optional<Pin> at;
  std::string typed;
  std::string complaint;  ///< why it was not right; empty while it is typed
  int frame = -2;         ///< of ImGui's, in which the mouse was last on the cell

  /// Whether keys are letters of an answer in this frame.
  bool listens(int now) const { return at && frame >= now - 1; }
};

/// Whether the steps of a page follow each other by themselves, and when the next does, in ImGui's seconds.
struct StepPlay {
  bool on = false;
  double next_at = 0.0;
};

/// What a click on the picture does where it does not keep what the mouse is at.
enum class ClickMode { painting, padding, covering };

/// What the screen remembers from frame to frame but no file keeps: where the mouse is, what is zoomed, what
/// was drawn. Nothing is lost with it.
/// The shown view, and the cell that was pinned before it was opened.
struct ViewOfPin {
  PageName view = PageName::explore;
  std::optional<Pin> pinned_before;
};

struct ScreenState {
  std::optional<Pin> hovered;       ///< the cell under the mouse in the last frame
  std::optional<Pin> next_hovered;  ///< the one found in this frame
  std::optional<int> hovered_token;
  std::optional<LineToken> hovered_line;  ///< the end of lines under the mouse
  std::optional<ClickMode> click_mode;
  bool paint_hides = true;  ///< what the present stroke does while painting
  bool covers = true;       ///< the same while covering
  AnswerDraft answer;
  std::optional<Cell> paint_at;  ///< where the present stroke has come to
  SidePanels panels;
  ViewOfPin view_of_pin;
  std::optional<StageId> presented;  ///< the stage that the presented page has scrolled to
  DiagramMotion diagram_motion;
  bool reduces_motion = false;  ///< nothing moves by itself
  bool presents = false;        ///< to an audience: the page alone, larger, and the mouse rings what it is at
  bool view_scrolls = false;    ///< the view is higher than the window shows
  std::optional<int> strip_row;  ///< to which the token strip was scrolled; nothing: to the selected token's
  std::optional<int> strip_token;  ///< the selected token when that was last looked at
  bool show_inspector = false;     ///< in a narrow window, where controls and inspector share a column
  int column = 0;                  ///< in a small window, which has one: 0 the view, 1 settings, 2 inspector
  bool focus_sentence = false;
  bool replaces_sentence = false;  ///< the sentence that takes the keyboard is a copy to type over
  bool focus_bar = false;          ///< the last command of the bar above takes the keyboard
  Leftovers leftovers = std::make_shared<const std::vector<Leftover>>();  ///< the newest first
  bool offers_leftovers = true;
  std::optional<LeftoverAnswer> leftover_answer;
  double leftover_answered = -1.0;           ///< when one of them was, as ImGui::GetTime() has it
  std::map<Workspace, PageName> last_views;  ///< that were shown of the workspaces
  Toasts toasts;
  FirstMinute first_minute;
  std::optional<PageName> first_minute_done_on;  ///< the page on which all was done
  ExportForm export_form;
  OpenForm open_form;
  SceneFiles scenes;
  std::string opens_file;  ///< that was chosen in this frame; empty: none
  KnownWordsForm known_words;
  ModuleForm module;
  PaletteForm palette;
  SettingsPanel settings;
  NumberEditorForm number_editor;
  TrainScreen train;
  FilmState film;
  StepPlay tile_play;
  StepPlay decoding_play;
  int n_positions = 20;  ///< on the page of positions; of biases the greatest distance
  int position_width = 512;
  PageMemo memo;                            ///< what the pages were drawn with
  PageInputs page_inputs;                   ///< of the pages in the last frame that showed one
  std::map<StageKind, double> page_ranges;  ///< the held ranges that they were drawn with
  std::uint64_t page_version = 1;           ///< changes with what pages are made from,
  std::uint64_t pointed_version = 1;        ///< this with what the mouse points at,
  std::uint64_t token_version = 1;          ///< and this with the token that it points at
  std::map<PageName, PageCache> pages;      ///< as they were last drawn

  /// Whether a stroke over cells means something else than a click.
  bool marks_cells() const { return is(ClickMode::painting) || is(ClickMode::covering); }
  bool is(ClickMode mode) const { return click_mode == mode; }

  /// Releases what was kept of passes other than these: a pass may hold a gigabyte.
  void forget_passes_but(const std::shared_ptr<const Trace>& trace, const std::vector<SubjectPass>& held);
  /// Queries that see no key; kept while the pass and the head stay.
  const std::vector<int>& empty_rows_of(const std::shared_ptr<const Trace>& trace, const StageId& head);

 private:
  std::vector<int> empty_rows_;
  std::shared_ptr<const Trace> empty_rows_trace_;
  StageId empty_rows_head_;
};

/// What a view sees in one frame, and how it answers: it emits actions and commands, and changes nothing but
/// the screen's own state.
struct Frame {
  Ui& ui;
  const Session& session;
  /// What the pages show of it: the same, with the state before the last change held where a difference is
  /// asked for and nothing is held.
  const Session& shown;
  std::shared_ptr<const Trace> trace;  ///< the newest pass; null before the first
  /// The trained weights of that pass, which may be behind the session's; null: random ones.
  std::shared_ptr<const TrainedModel> trace_model;
  const std::vector<SubjectPass>& held;  ///< of the held subjects of what is shown
  const std::string& error;              ///< why there is no pass for the session; empty where there is one
  bool computing = false;
  std::shared_ptr<const TrainingProgress> training;  ///< of the session's model; null: it is not trained here
  int max_tokens = 0;  ///< that fit into the memory with these sizes; 0 where the sizes do not hold
  ScreenState& screen;
  std::vector<Action>& actions;
  std::vector<CommandOrView>& commands;
  std::vector<ExportRequest>& exports;
  const CarryOut& carry_out;  ///< what takes long of the pages
  std::string (*keys_of)(CommandOrView);
  std::function<bool(CommandOrView)> is_enabled;

  void emit(Action action) { actions.push_back(std::move(action)); }
  void emit(CommandOrView command) { commands.push_back(command); }
  /// A tooltip that ends in the keys of what it speaks of: "Undo the last change (Ctrl+Z)".
  std::string with_keys(const std::string& tooltip, CommandOrView what) const {
    return tooltip + " (" + keys_of(what) + ")";
  }
  /// Nothing was learned: the pass's patterns mean nothing.
  bool is_untrained() const { return headscope::is_untrained({trace, trace_model}); }
  /// The session shows a snapshot of the training, not its latest weights.
  bool looks_back() const {
    return training && training->newest && session.model && session.model != training->newest;
  }
  bool shows_difference() const { return trace && shown.difference && !held.empty() && held.front().trace; }
};

/// The room that a view's page had in the window when it was last shown; none before.
PageSize room_of_view(const ScreenState& screen, PageName view);

/// The stage of this kind at the place that is selected.
StageId selected_stage(const Frame& frame, StageKind kind);

/// The cell that the inspector is about: the pinned one, else the one under the mouse.
std::optional<Pin> inspected(const Frame& frame);

}  // namespace headscope
