#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/imgui/imgui_compat.h"
#include "app/imgui/keys.h"
#include "app/parts/folder_list.h"
#include "app/parts/page_part.h"
#include "app/ui/figure_painter.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/sheet.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/engine/module_trace.h"
#include "core/enum_count.h"
#include "core/page/film.h"
#include "core/page/page_record.h"
#include "core/paint/pdf_writer.h"
#include "core/session/settings.h"
#include "core/system/process.h"

namespace headscope {
namespace {

constexpr float open_sheet_width = 620.0F;
constexpr float open_sheet_height = 560.0F;

/// The field for the folder that is listed, or for a file in it. Returns true if the user ends it with Enter.
bool path_line(Frame& frame) {
  OpenForm& form = frame.screen.open_form;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (ImGui::IsWindowAppearing()) frame.ui.focus_next_item();
  text_input(frame.ui, "path", form.folder,
             {.hint = "a folder, or a file with its folder", .selects_all = true});
  const bool entered = ImGui::IsItemDeactivated() && is_key_down(Key::enter);
  tooltip_for_item(frame.ui, "The folder that is listed, or the file to open; ~ is your home folder");
  return entered;
}

void open(Frame& frame, const std::string& file) {
  frame.screen.opens_file = file;
  frame.screen.open_form.open = false;
}

/// The numbers of heads that divide the widths of queries and values, within the limits of a model.
std::vector<std::string> possible_heads(const ModuleWeights& weights) {
  const int common = std::gcd(weights.attention.query.n_out(), weights.attention.value.n_out());
  std::vector<std::string> all;
  all.reserve(ArchitectureLimits::max_heads);
  for (int n = 1; n <= std::min(common, ArchitectureLimits::max_heads); ++n) {
    if (common % n == 0) all.push_back(std::to_string(n));
  }
  return all;
}

std::string module_summary(const ModuleWeights& weights) {
  const AttentionWeights& w = weights.attention;
  std::string summary = "Named as in the format “" + std::string(name_of(weights.format)) + "”. Rows of " +
                        std::to_string(w.query.n_in()) + " numbers become queries and keys of " +
                        std::to_string(w.query.n_out()) + " and values of " +
                        std::to_string(w.value.n_out()) + ", all heads together";
  if (weights.has_output()) summary += "; the output is " + std::to_string(w.out.n_out()) + " wide";
  return summary + ".";
}

/// Opens the module as an edit of the session, so that Undo returns to the session before.
void open(Frame& frame, ModuleForm& form, const std::string& heads) {
  Session base = frame.session;
  base.architecture = {};
  base.attention = {};
  auto session = with_module(std::move(base), *form.weights, std::nullopt, std::stoi(heads));
  if (!session) {
    form.problem = session.error().message;
    return;
  }
  frame.emit(OpenSession{std::move(*session)});
  form = {};
}

void choose_heads(Frame& frame, ModuleForm& form, bool confirmed) {
  const std::vector<std::string> heads = possible_heads(*form.weights);
  paragraph(frame.ui, module_summary(*form.weights), frame.ui.theme().quiet, text_size::body);
  combo(frame.ui, "heads", heads, form.heads, "How many heads the module has; its file does not say");
  paragraph(
      frame.ui,
      "It reads the embeddings of the sentence. To give it rows of your own, edit encoder.input afterwards (Edit numbers…): type them, paste them, or open a .npy file.",
      frame.ui.theme().quiet, text_size::body);
  if (!form.problem.empty()) paragraph(frame.ui, form.problem, frame.ui.theme().text, text_size::body);
  const bool opens = button(frame.ui, "Open", "Show this module", "Enter", ButtonStyle::primary) || confirmed;
  ImGui::SameLine(0.0F, frame.ui.px(8.0F));
  const bool leaves = button(frame.ui, "Cancel", "Close without changes (Esc)");
  if (opens) return open(frame, form, heads[static_cast<std::size_t>(form.heads)]);
  if (leaves) form = {};
}

void choose_format(Frame& frame, ModuleForm& form) {
  paragraph(frame.ui, form.problem, frame.ui.theme().text, text_size::body);
  paragraph(frame.ui, "If its tensors are named in one of these ways, read it as:", frame.ui.theme().quiet,
            text_size::body);
  for (std::size_t i = 0; i < module_format_names.size(); ++i) {
    if (i > 0) ImGui::SameLine(0.0F, frame.ui.px(8.0F));
    const auto format = static_cast<ModuleFormat>(i);
    if (button(frame.ui, std::string(name_of(format)).c_str(), "Read the file in this format"))
      form.requested_format = format;
  }
  ImGui::SameLine(0.0F, frame.ui.px(24.0F));
  if (button(frame.ui, "Cancel", "Close without changes (Esc)")) form = {};
}

}  // namespace

void open_sheet(Frame& frame) {
  OpenForm& form = frame.screen.open_form;
  if (!form.open) return;
  Ui& ui = frame.ui;
  const Sheet sheet(ui, "open", form.open, open_sheet_width, open_sheet_height);
  text(ui, "Open", Font::sans_bold, text_size::title, ui.theme().text);
  paragraph(
      ui,
      "A scene, a lesson (NAME.md), a picture that Headscope made, the folder of a model, a GGUF file, captured attention, a mask, or the weights of an attention module. You can also drop it on the window.");
  const bool entered = path_line(frame);
  const FolderChoice choice = folder_list(ui, form.listing, true);
  if (!choice.folder.empty()) form.folder = choice.folder;
  if (!choice.file.empty()) return open(frame, choice.file);
  // A path that cannot be listed as a folder is taken for a file.
  const bool is_listed = !form.folder.empty() && form.listing.folder == form.folder;
  const bool can_open = is_listed && (form.listing.is_model || !form.listing.problem.empty());
  ImGui::BeginDisabled(is_listed && !can_open);
  const bool is_pressed = button(ui, "Open", "Opens the model in this folder, or the file of this name",
                                 "Enter", ButtonStyle::primary);
  ImGui::EndDisabled();
  form.opens_when_listed = form.opens_when_listed || is_pressed || entered;
  if (is_listed && std::exchange(form.opens_when_listed, false) && can_open) return open(frame, form.folder);
  ImGui::SameLine();
  if (button(ui, "Cancel", "Close without changes (Esc)")) form.open = false;
}

void module_sheet(Frame& frame) {
  ModuleForm& form = frame.screen.module;
  if (!form.open) return;
  const Sheet sheet(frame.ui, "module", form.open, 560.0F);
  text(frame.ui, "Open the module “" + form.path.substr(form.path.find_last_of('/') + 1) + "”",
       Font::sans_bold, text_size::title, frame.ui.theme().text);
  if (form.weights != nullptr) {
    choose_heads(frame, form, sheet.confirmed());
  } else {
    choose_format(frame, form);
  }
}

namespace {

constexpr float sheet_width = 960.0F;
constexpr float sheet_height = 620.0F;
constexpr float controls_width = 448.0F;
/// Below this width, the preview stands below the controls.
constexpr float min_two_column_width = 640.0F;

std::string meaning(const Frame& frame, ExportKind kind) {
  if (kind == ExportKind::model && !frame.session.model)
    return "These weights are random, so there is no model to save.";
  std::string message(kind == ExportKind::figure && frame.shows_difference()
                          ? "The page in view, as it is: with the difference."
                          : record_of(kind).meaning);
  const bool brings_weights = is_drawn(kind) || kind == ExportKind::worksheet;
  if (brings_weights && has_unsaved_models(frame.session))
    message += " The new weights are saved in a folder beside the file, which can then be opened again.";
  return message;
}

/// Draws a quiet label to the left of the next control.
void label(Ui& ui, const char* name) {
  constexpr float width = 88.0F;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float left = ImGui::GetCursorPosX();
  paint::text(ui, *ImGui::GetWindowDrawList(), at.x, at.y + ui.px(14), name, Font::sans, text_size::control,
              ui.theme().text);
  ImGui::SetCursorPosX(left + ui.px(width));
}

/// A choice between a few values, of which the first is `first`, after its label.
template <class Value>
bool labelled_choice(Ui& ui, const char* name, std::span<const std::string> options, Value& value,
                     const char* tooltip, int first = 0) {
  label(ui, name);
  int chosen = static_cast<int>(value) - first;
  if (!segmented(ui, name, options, chosen, tooltip)) return false;
  value = static_cast<Value>(chosen + first);
  return true;
}

/// A paragraph of at least this height, so that nothing below it moves.
void padded_paragraph(Ui& ui, const std::string& message, float height) {
  const float top = ImGui::GetCursorPosY();
  paragraph(ui, message);
  ImGui::SetCursorPosY(std::max(ImGui::GetCursorPosY(), top + ui.px(height)));
}

/// The kinds of files in one group, on one line. Returns true if one was chosen.
bool kinds_of(Frame& frame, ExportGroup group, const char* name, const char* about) {
  std::vector<std::string> titles;
  std::vector<ExportKind> kinds;
  for (const ExportKindRecord& record : export_kinds()) {
    if (record.group != group || !is_offered(record.kind)) continue;
    titles.emplace_back(record.title);
    kinds.push_back(record.kind);
  }
  ExportKind& what = frame.screen.export_form.kind;
  const auto chosen = std::ranges::find(kinds, what);
  int which = chosen == kinds.end() ? -1 : static_cast<int>(chosen - kinds.begin());
  if (!labelled_choice(frame.ui, name, titles, which, about)) return false;
  what = kinds[static_cast<std::size_t>(which)];
  return true;
}

void choose_kind(Frame& frame) {
  ExportForm& form = frame.screen.export_form;
  bool changed = kinds_of(frame, ExportGroup::pictures, "Picture", "A picture to save");
  changed = kinds_of(frame, ExportGroup::numbers, "Numbers", "Numbers to save") || changed;
  changed = kinds_of(frame, ExportGroup::to_open_again, "To reopen", "What opens again here") || changed;
  if (changed) update_extension(form);
  padded_paragraph(frame.ui, meaning(frame, form.kind), 36.0F);
}

/// A field for a text of the session.
void session_text_field(Frame& frame, const char* name, const Setting& what, const std::string& present,
                        const char* hint) {
  constexpr std::size_t max_bytes = 2000;
  label(frame.ui, name);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  std::string typed = present;
  if (text_input(frame.ui, name, typed, {.hint = hint, .max_bytes = max_bytes}))
    frame.emit(ChangeSettings{{{what.key, typed}}});
  tooltip_for_item(frame.ui, what.sentence);
}

void scene_options(Frame& frame) {
  session_text_field(frame, "Title", setting("title"), frame.session.title, "The title of the scene");
  session_text_field(frame, "Note", setting("note"), frame.session.note, "What there is to see");
  paragraph(frame.ui, "Both stand above the picture when you present it.");
}

void figure_options(Frame& frame) {
  static const std::array<std::string, 3> all_formats{"PNG", "SVG", "PDF"};
  const auto formats = std::span(all_formats).first(can_write_pdf() ? 3 : 2);  // PDF is the last.
  static const auto sizes = listed(paper_records, &PaperRecord::title);
  static const std::array<std::string, 2> colours{"Light", "Dark"};
  static const std::array<std::string, 4> scales{"1×", "2×", "3×", "4×"};
  Ui& ui = frame.ui;
  ExportForm& form = frame.screen.export_form;
  if (labelled_choice(ui, "Format", formats, form.format,
                      "PNG has pixels; the others stay sharp at any size, and their text can be searched"))
    update_extension(form);
  if (labelled_choice(ui, "Size", sizes, form.paper, "The size of the figure, and of the text in it"))
    form.scale = record_of(form.paper).scale;
  padded_paragraph(ui, std::string(record_of(form.paper).about), 36.0F);
  int theme = form.theme.value_or(frame.session.picture.theme) == ThemeName::dark ? 1 : 0;
  if (labelled_choice(ui, "Colours", colours, theme,
                      "The colours of the file, whatever the colours of the window are"))
    form.theme = theme == 1 ? ThemeName::dark : ThemeName::light;
  toggle(ui, "Transparent background", form.is_transparent,
         "Without a background: whatever is behind the figure shows through");
  toggle(ui, "Title", form.look.has_title, "Off for a paper, whose caption says it");
  if (form.kind == ExportKind::map) {
    toggle(ui, "Caption", form.look.has_caption, "What rows, columns and hatched cells are");
    toggle(ui, "Colour bar", form.look.has_color_bar, "The range of the colours");
    if (can_be_panels(frame.session))
      toggle(ui, "Panels of the picked heads", form.has_panels,
             "Their maps side by side, as panels a, b, c …");
  }
  if (can_write_pdf()) toggle(ui, "Serif", form.look.is_serif, "Text in a serif typeface, as in a paper");
  // The size of a paper determines its pixels. The space for the controls stays, so that nothing below moves.
  if (form.paper != Paper::page) {
    constexpr float height = 28.0F;
    return ImGui::Dummy({0.0F, ui.px(height)});
  }
  ImGui::BeginDisabled(form.format != FileType::png);
  labelled_choice(ui, "Resolution", scales, form.scale, "Pixels of a PNG per unit of the page", 1);
  ImGui::EndDisabled();
}

void film_options(Frame& frame) {
  static const auto types = make_enum_table<FilmType, std::string>("WebP", "GIF");
  static const std::array<std::string, 3> speeds{"Slow", "Usual", "Fast"};
  static constexpr std::array seconds{4.0, FilmOptions().seconds, 0.8};
  static const std::array<std::string, 2> scales{"1×", "2×"};
  Ui& ui = frame.ui;
  ExportForm& form = frame.screen.export_form;
  if (labelled_choice(ui, "Format", types, form.film_type,
                      "WebP is smaller and has all colours; a GIF is shown by everything"))
    update_extension(form);
  auto speed = static_cast<int>(std::ranges::find(seconds, form.film.seconds) - seconds.begin());
  if (labelled_choice(ui, "Speed", speeds, speed, "How long each step or word stays: 4, 2 or 0.8 seconds"))
    form.film.seconds = seconds[static_cast<std::size_t>(speed)];
  labelled_choice(ui, "Resolution", scales, form.film_scale, "Pixels per unit of the page", 1);
  if (!frame.trace) return;
  const int n = n_film_steps(page_inputs(frame), frame.screen.memo);
  if (n < 2) {
    form.film.first = 1;
    form.film.last.reset();
    return;
  }
  int last = std::clamp(form.film.last.value_or(n), 1, n);
  int first = std::clamp(form.film.first, 1, last);
  if (slider_int(ui, "first step", first, {1, n}, "The step, or the word, with which the film begins"))
    last = std::max(first, last);
  if (slider_int(ui, "last step", last, {1, n}, "The step, or the word, with which the film ends"))
    first = std::min(first, last);
  form.film.first = first;
  form.film.last = last == n ? std::nullopt : std::optional(last);
}

void worksheet_options(Frame& frame) {
  static const auto exercises = make_enum_table<Exercise, std::string>("One row", "Every second", "All");
  Ui& ui = frame.ui;
  ExportForm& form = frame.screen.export_form;
  if (frame.session.cover.stage) {
    paragraph(ui, "The cells that you covered are left empty.", ui.theme().text, text_size::control);
    if (link(ui, "Cover none", "Uncovers them, so that you can choose the empty cells here"))
      frame.emit(set_cover(Cover{}));
  } else {
    labelled_choice(ui, "Left empty", exercises, form.exercise,
                    "Which cells of the selected stage are left empty");
    paragraph(ui, "Cover cells in the view to choose them one by one.");
  }
  if (!form.sheet_of_paper) return;
  paragraph(ui,
            "On larger paper: " + std::to_string(form.sheet_of_paper->width) + " × " +
                std::to_string(form.sheet_of_paper->height) + " points.",
            ui.theme().text, text_size::control);
  if (link(ui, "Back to A4", "Puts the worksheet back on A4")) form.sheet_of_paper.reset();
}

void controls(Frame& frame) {
  text(frame.ui, "Export", Font::sans_bold, text_size::title, frame.ui.theme().text);
  choose_kind(frame);
  const ExportKind kind = frame.screen.export_form.kind;
  if (is_drawn(kind)) figure_options(frame);
  if (kind == ExportKind::film) film_options(frame);
  if (kind == ExportKind::worksheet) worksheet_options(frame);
  if (kind == ExportKind::scene || kind == ExportKind::web_page) scene_options(frame);
  if (kind == ExportKind::scene && frame.is_enabled(CommandId::copy_link))
    command_button(frame, "Copy a link", "A link that opens this page with what you see",
                   CommandId::copy_link);
  const std::string& command = frame.screen.export_form.preview.text;
  if (kind == ExportKind::command && !command.empty() &&
      button(frame.ui, "Copy", "Copies the command, to be pasted into a terminal"))
    frame.ui.set_clipboard_text(command);
}

/// Draws a chessboard behind a picture with a transparent background.
void chessboard(Ui& ui, ImDrawList& list, ImVec2 min, ImVec2 max) {
  const Theme& theme = ui.theme();
  list.AddRectFilled(min, max, packed(theme.panel));
  const float side = std::max(4.0F, ui.px(8));
  bool is_dark_row = false;
  for (float y = min.y; y < max.y; y += side, is_dark_row = !is_dark_row) {
    for (float x = min.x + (is_dark_row ? side : 0.0F); x < max.x; x += 2.0F * side)
      list.AddRectFilled({x, y}, {std::min(x + side, max.x), std::min(y + side, max.y)}, packed(theme.line));
  }
}

void preview_picture(Frame& frame, const std::shared_ptr<const Image>& image, ImVec2 corner, ImVec2 room) {
  Ui& ui = frame.ui;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto width = static_cast<float>(image->width);
  const auto height = static_cast<float>(image->height);
  const float zoom = std::min({1.0F, room.x / width, room.y / height});
  const ImVec2 min(std::round(corner.x + (room.x - zoom * width) / 2.0F),
                   std::round(corner.y + (room.y - zoom * height) / 2.0F));
  const ImVec2 max(min.x + zoom * width, min.y + zoom * height);
  if (frame.screen.export_form.is_transparent) chessboard(ui, list, min, max);
  Figure figure{width, height, {0, 0, 0, 0}, {}};
  figure.items.emplace_back(Raster{image, {0.0F, 0.0F, width, height}});
  paint_figure(ui, list, figure, min, zoom);
  list.AddRect({min.x - 1.0F, min.y - 1.0F}, {max.x + 1.0F, max.y + 1.0F}, packed(ui.theme().line));
}

/// Explains why no file can be written, with links to what would help.
void preview_problem(Frame& frame, const ExportPreview& preview) {
  ExportForm& form = frame.screen.export_form;
  notice(frame.ui, preview.problem, NoticeKind::warning);
  for (std::size_t i = 0; i < preview.advice.size(); ++i) {
    const WorksheetAdvice& advice = preview.advice[i];
    ImGui::PushID(static_cast<int>(i));
    if (button(frame.ui, advice.label.c_str(), "With this, the worksheet can be written")) {
      if (advice.paper) form.sheet_of_paper = advice.paper;
      frame.emit(advice.actions);
    }
    ImGui::PopID();
  }
}

/// Draws lines down to `height`, with "…" in place of those that do not fit.
void preview_lines(Ui& ui, const std::string& lines, float height) {
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const float last = ImGui::GetCursorPosY() + height - 2.0F * line;
  std::size_t begin = 0;
  while (begin < lines.size()) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const bool is_cut = ImGui::GetCursorPosY() > last && end + 1 < lines.size();
    const std::string message = is_cut ? "…" : lines.substr(begin, end - begin);
    text(ui, paint::fitted(ui, message, Font::mono, text_size::small, ImGui::GetContentRegionAvail().x),
         Font::mono, text_size::small, ui.theme().quiet);
    begin = is_cut ? lines.size() : end + 1;
  }
}

void preview(Frame& frame) {
  Ui& ui = frame.ui;
  ExportForm& form = frame.screen.export_form;
  const ImVec2 above = ImGui::GetCursorScreenPos();
  const ImVec2 all = ImGui::GetContentRegionAvail();
  const float caption = ui.px(26);
  constexpr float border = 1.0F;
  const ImVec2 corner(above.x + border, above.y + border);
  const ImVec2 room(std::max(1.0F, all.x - 2.0F * border - 1.0F),
                    std::max(1.0F, all.y - caption - 2.0F * border));
  form.preview_size = {static_cast<int>(room.x), static_cast<int>(room.y)};
  const ExportPreview& shown = form.preview;
  std::string message = shown.size;
  if (form.kind == ExportKind::window) {
    preview_lines(ui, std::string(meaning(frame, ExportKind::window)), room.y);
  } else if (!shown.problem.empty()) {
    preview_problem(frame, shown);
  } else if (shown.image) {
    preview_picture(frame, shown.image, corner, room);
  } else {
    preview_lines(ui, shown.text, room.y);
  }
  const PageSteps& steps = page_record(frame.session.view).steps;
  if (form.kind == ExportKind::figure && frame.trace && steps.n != nullptr) {
    const PageInputs& in = page_inputs(frame);
    const int n = steps.n(in, frame.screen.memo);
    if (n > 0)
      message += ", step " + std::to_string(std::clamp(steps.now(in, frame.screen.memo), 1, n)) + " of " +
                 std::to_string(n);
  }
  if (form.is_preview_old) message = "being drawn…";
  paint::text(ui, *ImGui::GetWindowDrawList(), corner.x + room.x / 2.0F, above.y + all.y - caption / 2.0F,
              message, Font::sans, text_size::small, ui.theme().quiet, paint::Align::center);
}

void file_or_folders(Frame& frame) {
  ExportForm& form = frame.screen.export_form;
  if (!form.chooses_folder) return preview(frame);
  const FolderChoice choice = folder_list(frame.ui, form.listing);
  if (!choice.folder.empty()) choose_folder(form, choice.folder);
  if (button(frame.ui, "Done", "Shows the file again")) form.chooses_folder = false;
}

void save(Frame& frame, ExportRequest request) {
  ExportForm& form = frame.screen.export_form;
  if (form.is_saving) return;
  request.is_from_sheet = true;
  form.progress = std::make_shared<ExportProgress>();
  request.progress = form.progress;
  form.is_saving = true;
  form.failure_kind = ExportFailure::none;
  form.problem.clear();
  frame.exports.push_back(std::move(request));
}

/// The field for the path and name of the file. Returns true if the user ends it with Enter.
bool file_line(Frame& frame) {
  Ui& ui = frame.ui;
  ExportForm& form = frame.screen.export_form;
  if (!form.has_typed_path) form.path = default_path(form, frame.shown);
  label(ui, "File");
  const char* folders_label = "Folders…";
  const float beside =
      has_visible_folders() ? button_width(ui, folders_label) + ImGui::GetStyle().ItemSpacing.x : 0.0F;
  ImGui::SetNextItemWidth(std::max(ui.px(120), ImGui::GetContentRegionAvail().x - beside));
  const bool edited = text_input(ui, "file", form.path, {.hint = "folder/name"});
  const bool entered = ImGui::IsItemDeactivated() && is_key_down(Key::enter);
  tooltip_for_item(ui, "The folder and the name of the file; ~ is your home folder");
  if (edited) {
    apply_typed_path(form);
    form.failure_kind = ExportFailure::none;
    form.problem.clear();
  }
  if (has_visible_folders()) {
    ImGui::SameLine();
    if (button(ui, folders_label, "Choose the folder from a list"))
      form.chooses_folder = !form.chooses_folder;
  }
  return entered;
}

/// Whether the folder of the path would have to be created.
bool is_folder_missing(const ExportForm& form) {
  const bool is_listed = form.has_typed_path && form.listing.folder == folder_of(form.path);
  return form.failure_kind == ExportFailure::no_folder || (is_listed && !form.listing.is_there);
}

/// The note below the path: why the file was not written, or what happens to an existing file.
void file_note(Frame& frame) {
  Ui& ui = frame.ui;
  const ExportForm& form = frame.screen.export_form;
  const float top = ImGui::GetCursorPosY();
  if (!form.problem.empty()) {
    paragraph(ui, form.problem, ui.theme().warning);
  } else if (is_folder_missing(form)) {
    paragraph(ui, "There is no folder " + folder_of(form.path) + " yet.", ui.theme().text);
  } else if (form.has_typed_path) {
    paragraph(ui, "You are asked before a file is replaced.");
  } else {
    paragraph(ui, "If the name is taken, it gets a number.");
  }
  ImGui::SetCursorPosY(std::max(ImGui::GetCursorPosY(), top + ui.px(24)));
}

/// The label of the button that saves, with the share of a film that is done.
std::string make_save_label(Ui& ui, const ExportForm& form) {
  if (!form.is_saving) return "Save";
  if (form.kind != ExportKind::film) return "Saving…###Save";
  constexpr double often = 0.1;
  constexpr float percent = 100.0F;
  ui.wake_in(often);
  return "Saving… " + std::to_string(static_cast<int>(percent * form.progress->share)) + " %###Save";
}

void buttons(Frame& frame, bool is_confirmed) {
  Ui& ui = frame.ui;
  ExportForm& form = frame.screen.export_form;
  ExportRequest request = request_of(form, frame.shown, page_size_of_view(frame.screen, frame.session.view));
  // If the folder is missing, Enter creates it. The buttons keep their places.
  const bool proposes_folder = is_folder_missing(form);
  const std::string save_label = make_save_label(ui, form);
  const bool saves = proposes_folder
                         ? button(ui, save_label.c_str(), "Write the file")
                         : button(ui, save_label.c_str(), "Write the file", "Enter", ButtonStyle::primary);
  if (saves || (is_confirmed && !proposes_folder)) save(frame, request);
  ImGui::SameLine();
  if (button(ui, "Cancel", "Close without saving (Esc)")) form.open = false;
  if (form.failure_kind == ExportFailure::taken) {
    ImGui::SameLine();
    if (button(ui, "Replace it", "Replace the existing file")) {
      request.overwrites = true;
      save(frame, request);
    }
    ImGui::SameLine();
    if (button(ui, "Keep both", "Give the new file a number")) {
      request.adds_number_if_taken = true;
      save(frame, request);
    }
  }
  if (proposes_folder) {
    ImGui::SameLine();
    if (button(ui, "Create the folder and save", "Creates it, and writes the file into it", "Enter",
               ButtonStyle::primary) ||
        is_confirmed) {
      request.creates_folder = true;
      save(frame, request);
    }
  }
}

}  // namespace

void export_sheet(Frame& frame) {
  ExportForm& form = frame.screen.export_form;
  // The sheet must not be in the picture when the window is saved.
  if (!form.open || (form.is_saving && form.kind == ExportKind::window)) return;
  Ui& ui = frame.ui;
  const Sheet sheet(ui, "export", form.open, sheet_width, sheet_height);
  constexpr float below = 108.0F;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float height = std::max(ui.px(80), room.y - ui.px(below));
  const bool has_both = room.x >= ui.px(min_two_column_width);
  begin_child("controls", ImVec2(has_both ? ui.px(controls_width) : 0.0F, height));
  controls(frame);
  if (!has_both) {
    constexpr float height_of_preview = 200.0F;
    begin_child("file below", ImVec2(0.0F, ui.px(height_of_preview)));
    file_or_folders(frame);
    end_child();
  }
  end_child();
  if (has_both) {
    ImGui::SameLine(0.0F, ui.px(24));
    begin_child("file beside", ImVec2(0.0F, height));
    file_or_folders(frame);
    end_child();
  }
  const bool entered = file_line(frame);
  file_note(frame);
  buttons(frame, entered || sheet.confirmed());
}

}  // namespace headscope
