#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "app/imgui/imgui_compat.h"
#include "app/imgui/keys.h"
#include "app/parts/folder_list.h"
#include "app/views/sheets.h"
#include "app/widgets/controls.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/engine/module_trace.h"

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
      "A scene, a lesson (NAME.md), a picture that Headscope made, the folder of a model, a GGUF file, captured attention, a mask, or the weights of an attention module. You can also drop it on the window.",
      ui.theme().quiet);
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

}  // namespace headscope
