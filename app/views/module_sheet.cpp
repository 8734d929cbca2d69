#include <algorithm>
#include <numeric>
#include <utility>

#include "app/views/sheets.h"
#include "app/widgets/controls.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"
#include "core/engine/own_attention.h"

namespace headscope {
namespace {

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

std::string said_of(const ModuleWeights& weights) {
  const AttentionWeights& w = weights.attention;
  std::string said = "Named as in the format “" + std::string(name_of(weights.format)) + "”. Rows of " +
                     std::to_string(w.query.n_in()) + " numbers become queries and keys of " +
                     std::to_string(w.query.n_out()) + " and values of " + std::to_string(w.value.n_out()) +
                     ", all heads together";
  if (weights.has_output()) said += "; the output is " + std::to_string(w.out.n_out()) + " wide";
  return said + ".";
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
  paragraph(frame.ui, said_of(*form.weights), frame.ui.theme().quiet, text_size::body);
  combo(frame.ui, "heads", heads, form.heads, "How many heads the module has; its file does not say");
  paragraph(
      frame.ui,
      "It reads the embeddings of the sentence. To give it rows of your own, edit encoder.input afterwards (Edit numbers…): type them, paste them, or open a .npy file.",
      frame.ui.theme().quiet, text_size::body);
  if (!form.problem.empty()) paragraph(frame.ui, form.problem, frame.ui.theme().text, text_size::body);
  const bool opens = button(frame.ui, "Open", "Show this module", "Enter", ButtonLook::primary) || confirmed;
  ImGui::SameLine(0.0F, frame.ui.px(8.0F));
  const bool leaves = button(frame.ui, "Cancel", "Leave the session as it is (Esc)");
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
      form.asks_for = format;
  }
  ImGui::SameLine(0.0F, frame.ui.px(24.0F));
  if (button(frame.ui, "Cancel", "Leave the session as it is (Esc)")) form = {};
}

}  // namespace

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
