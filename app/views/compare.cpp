#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "app/parts/page_part.h"
#include "app/parts/stage_picker.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/page/compare/compare_page.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr float picker_width = 176.0F;
constexpr float picker_height = 28.0F;

/// A drop-down list after the subject's name ("A") that chooses a head of the subject.
void head_picker(Frame& frame, const std::string& subject_name, const Subject& subject,
                 const std::function<void(HeadIndex)>& choose) {
  const Architecture& a = subject.architecture;
  std::vector<std::string> names;
  for (int layer = 0; layer < a.layers_of(subject.selection.stack); ++layer) {
    for (int head = 0; head < a.n_heads; ++head)
      names.push_back("Layer " + std::to_string(layer) + ", head " + std::to_string(head));
  }
  int chosen = subject.selection.layer * a.n_heads + subject.selection.head;
  const std::string id = "head of " + subject_name;
  caption(frame.ui, {subject_name, Font::sans_bold, text_size::body, frame.ui.theme().accent}, picker_height);
  const InlineChild part(id.c_str(), {frame.ui.px(picker_width), frame.ui.px(picker_height)});
  if (combo(frame.ui, ("##" + id).c_str(), names, chosen, ("The head of " + subject_name).c_str()))
    choose({chosen / a.n_heads, chosen % a.n_heads});
}

/// A menu that keeps something else as A. The edited subject stays B.
void hold_menu(Frame& frame) {
  std::vector<PossibleComparison> all = comparisons(frame.session);
  std::erase_if(all, [](const PossibleComparison& each) { return each.changes_b; });
  std::vector<std::string> names = listed(all, &PossibleComparison::name);
  names.back() = "What you see now";
  if (const auto chosen =
          menu(frame.ui, "Keep as A ▾", names, "A is frozen; B follows your edits", ButtonStyle::plain))
    frame.emit(all[static_cast<std::size_t>(*chosen)].actions().front());
}

/// Lists the possible comparisons while nothing is compared yet. A click begins one.
void beginnings(Frame& frame) {
  caption(frame.ui,
          {"Compare what you see now with", Font::sans_bold, text_size::body, frame.ui.theme().text},
          picker_height);
  ImGui::Dummy({0.0F, frame.ui.px(picker_height)});
  bool is_first = true;
  for (const PossibleComparison& each : comparisons(frame.session)) {
    if (!is_first) continue_line(frame.ui.px(8.0F), button_width(frame.ui, each.name.c_str()));
    is_first = false;
    if (button(frame.ui, each.name.c_str(), "This becomes A and stays as it is; what you change is B"))
      frame.emit(each.actions());
  }
}

/// The heads of all subjects and the commands on them, in one line if it fits.
void subjects_line(Frame& frame) {
  const auto next = [&](float width) { continue_line(frame.ui.px(12.0F), width); };
  const float picker = frame.ui.px(picker_width + 28.0F);
  for (std::size_t i = 0; i < frame.session.compared.size(); ++i) {
    head_picker(frame, subject_name(static_cast<int>(i)), frame.session.compared[i],
                [&](HeadIndex place) { frame.emit(open_compared_head(i, place)); });
    next(picker);
  }
  head_picker(frame, subject_name(-1), frame.session.subject(),
              [&](HeadIndex place) { frame.emit(open_head(place)); });
  next(button_width(frame.ui, "Keep as A ▾"));
  hold_menu(frame);
  next(button_width(frame.ui, "Swap"));
  command_button(frame, "Swap", "A becomes what you edit, and B is kept", CommandId::swap_subjects);
}

/// Explains the cell under the mouse in the maps of A's parts. A click selects its head or token.
void handle_patch_mouse(Frame& frame, const PageMouse& mouse) {
  const auto cell = mouse.table_cell();
  if (!cell) return;
  const std::string& slot = mouse.on<TableCells>()->table;
  const std::string message = describe_patch(page_inputs(frame), frame.screen.memo, slot, *cell);
  if (message.empty()) return;
  tooltip(frame.ui, message);
  if (!mouse.clicked) return;
  const Architecture& a = frame.trace->architecture();
  if (slot != patched_parts_slot) {
    frame.emit(SelectToken{cell->col});
  } else if (cell->col < a.n_heads) {
    frame.emit(open_head({cell->row, cell->col}));
  } else {
    frame.emit(select_place(a.last_stack(), cell->row, frame.session.selection.attention));
  }
}

/// Starts or stops the computation of B with the parts of A, if it takes long.
void patch_controls(Frame& frame) {
  const PageInputs& in = page_inputs(frame);
  PageMemo& memo = frame.screen.memo;
  const auto progress = patch_progress(in, memo);
  if (!progress) return;
  if (!progress->is_running) {
    const std::string label =
        "Take each part in turn, about " + number_text(std::ceil(progress->seconds), 3) + " s";
    if (!button(frame.ui, label.c_str(),
                "B is computed again for each part of the model and for each token of each layer"))
      return;
    request_patches(in, memo);
    ++frame.screen.page_version;
    return;
  }
  progress_text(frame, progress->share, "A's parts");
  if (!memo.requested_patches) return;
  ImGui::SameLine(0.0F, frame.ui.px(12.0F));
  if (!button(frame.ui, "Stop", "Discards the results so far")) return;
  cancel_patches(memo);
  ++frame.screen.page_version;
}

}  // namespace

void compare_view(Frame& frame) {
  const Panel panel(frame.ui, "compare", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (frame.session.compared.empty()) {
    beginnings(frame);
  } else {
    subjects_line(frame);
    stage_tabs(frame, ImGui::GetContentRegionAvail().x);
  }
  handle_patch_mouse(frame, draw_page(frame, PageName::compare));
  patch_controls(frame);
}

}  // namespace headscope
