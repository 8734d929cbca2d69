#include <algorithm>
#include <cmath>
#include <vector>

#include "app/parts/page_part.h"
#include "app/parts/step_player.h"
#include "app/ui/figure_painter.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/figure/diagram.h"
#include "core/page/pages.h"
#include "core/page/parts/small_pictures.h"
#include "core/session/settings.h"
#include "core/text/tokenizer.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

constexpr double seconds_in_box = 2.5;
constexpr double slow_seconds_in_box = 6.0;

std::optional<StageId> chosen_stage(Frame& frame) {
  return walked_stage(page_inputs(frame), frame.screen.memo);
}

Diagram shown_diagram(Frame& frame) {
  return layout_diagram(*frame.trace, unfolded_layer(page_inputs(frame), frame.screen.memo),
                        frame.session.selection.head);
}

/// The heading of what stands beside the diagram. Null if there is no room for it.
const HitRegion* heading_beside(const PageMouse& page) {
  const HitRegion* found = page.first<HeadingArea>();
  return found == nullptr || found->box.x <= 0.0F ? nullptr : found;
}

/// Selects the part and opens it on its page.
void open_on_page(Frame& frame, const StageId& stage) {
  frame.emit(select_place_of(stage, frame.session.selection));
  if (info(stage.kind).scope == StageScope::head) frame.emit(select_head(stage.head));
  const bool is_word = stage.kind == StageKind::logits || stage.kind == StageKind::probabilities;
  // The page is opened first, because opening it selects the weights.
  const bool is_routed = stage.kind == StageKind::router_logits || stage.kind == StageKind::expert_shares;
  frame.emit(SetView{is_word ? PageName::words : is_routed ? PageName::experts : PageName::explore});
  frame.emit(select_stage(stage.kind));
}

/// Selects the part on the way of the row; other pages keep their selection, unless it is the box of a head.
/// A part already shown, or without space beside the diagram, opens on its page.
void go_to(Frame& frame, const DiagramArea& box, bool is_beside) {
  if (!box.is_folded && (!is_beside || chosen_stage(frame) == box.stage))
    return open_on_page(frame, box.stage);
  StageId on_path = box.stage;  // The path leads through the selected head only.
  if (info(box.stage.kind).scope == StageScope::head) {
    on_path.head = frame.session.selection.head;
    frame.emit(select_place_of(box.stage, frame.session.selection));
    frame.emit(select_head(box.stage.head));
  }
  const PageInputs& in = page_inputs(frame);
  const int step = box.is_folded ? first_step_of_layer(in, frame.screen.memo, box.stage)
                                 : step_of_stage(in, frame.screen.memo, on_path);
  if (step > 0) frame.emit(set_to("diagram.step", step));
}

std::string box_tooltip(Frame& frame, const DiagramArea& box, bool is_beside) {
  if (box.is_folded) return "A layer like the others. Click to unfold it.";
  const StageInfo& about = info(box.stage.kind);
  std::string message = path(box.stage) + "\n" + std::string(about.title) + " " +
                        full_shape_text(*frame.trace, box.stage) + ": " + formula(*frame.trace, box.stage) +
                        ".\n" + std::string(about.meaning);
  const bool opens = !is_beside || chosen_stage(frame) == box.stage;
  return message +
         (opens ? "\nClick to open it on its page." : "\nClick to see what it does, beside the diagram.");
}

/// Scrolls once to the box of a newly chosen stage.
void follow_choice(Frame& frame, const PageMouse& page) {
  const auto chosen = chosen_stage(frame);
  if (!chosen) return;
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const ImGuiID slot = ImGui::GetID("followed stage");
  const auto now = static_cast<int>(ImGui::GetID(path(*chosen).c_str()));
  if (kept.GetInt(slot) == now) return;
  const Diagram diagram = shown_diagram(frame);
  const auto place = box_of_stage(*frame.trace, diagram, *chosen);
  if (!place) return;
  const HitRegion* region =
      page.first<DiagramArea>([&](const DiagramArea& box) { return box.box == *place; });
  if (region == nullptr) return;
  kept.SetInt(slot, now);
  // What stands beside the diagram begins where both can be seen at once.
  const HitRegion* heading = heading_beside(page);
  const float top = page.origin.y - ImGui::GetWindowPos().y;
  const float scale = frame.ui.page_scale();
  if (heading != nullptr) {
    ImGui::SetScrollY(heading->box.y * scale);
  } else if (top + region->box.y * scale < 0.0F ||
             top + region->box.bottom() * scale > ImGui::GetWindowHeight()) {
    ImGui::SetScrollFromPosY(top + (region->box.y + 0.5F * region->box.h) * scale, 0.6F);
  }
  frame.ui.wake_in(0.0);
}

/// The point at a share of the length of a polyline: 0 at its beginning and 1 at its end.
Point along(const std::vector<Point>& way, float share) {
  float whole = 0.0F;
  for (std::size_t i = 1; i < way.size(); ++i)
    whole += std::hypot(way[i].x - way[i - 1].x, way[i].y - way[i - 1].y);
  float left = share * whole;
  for (std::size_t i = 1; i < way.size(); ++i) {
    const float length = std::hypot(way[i].x - way[i - 1].x, way[i].y - way[i - 1].y);
    if (left <= length && length > 0.0F) {
      const float part = left / length;
      return {way[i - 1].x + (way[i].x - way[i - 1].x) * part,
              way[i - 1].y + (way[i].y - way[i - 1].y) * part};
    }
    left -= length;
  }
  return way.back();
}

/// What moves along the arrow: the selected row as colours, or the box's picture if no row is selected. Empty
/// if the box has none.
Figure picture_of(const Frame& frame, const Diagram& diagram, std::size_t box) {
  constexpr float row_height = 8.0F;
  const DiagramBox& from = diagram.boxes[box];
  const auto* shown = frame.screen.memo.results.shown_in_slot(SmallPictures{"boxes", {}});
  std::size_t place = 0;
  for (std::size_t i = 0; i < box; ++i) place += diagram.boxes[i].picture.w > 0.0F ? 1 : 0;
  if (from.picture.w <= 0.0F || shown == nullptr || !*shown || place >= (*shown)->size()) return {};
  const Session& session = frame.session;
  const auto row = followed_row(*frame.trace, session.selection, from.stage);
  if (!row || session.cover.stage || frame.shows_difference() || !frame.trace->is_quick_to_read(from.stage))
    return (**shown)[place];
  return row_picture(*frame.trace, from.stage, *row, session.picture, from.picture.w, row_height);
}

void note_step(Frame& frame) {
  DiagramAnimation& motion = frame.screen.own.of<DiagramAnimation>();
  const auto chosen = chosen_stage(frame);
  const bool was_here = motion.frame == ImGui::GetFrameCount() - 1;
  if (was_here && chosen && motion.last && *chosen != *motion.last) {
    motion.chosen = true;
    motion.from = *motion.last;
    motion.to = *chosen;
    motion.started_at = ImGui::GetTime();
  }
  motion.last = chosen;
  motion.frame = ImGui::GetFrameCount();
}

/// Animates the data along the arrow after a step.
void animate_step(Frame& frame, const PageMouse& page) {
  constexpr double duration = 0.5;
  note_step(frame);
  DiagramAnimation& motion = frame.screen.own.of<DiagramAnimation>();
  const double passed = ImGui::GetTime() - motion.started_at;
  if (motion.started_at < 0.0) return;
  if (passed >= duration || frame.screen.reduces_motion || frame.ui.hides_transients()) {
    motion.started_at = -1.0;
    return;
  }
  const Diagram diagram = shown_diagram(frame);
  const auto from = box_of_stage(*frame.trace, diagram, motion.from);
  const auto to = box_of_stage(*frame.trace, diagram, motion.to);
  // Empty if no arrow joins the two boxes.
  const std::vector<Point> way = from && to ? path_between(diagram, *from, *to) : std::vector<Point>();
  const HitRegion* region = page.first<DiagramArea>();
  if (way.empty() || region == nullptr) {
    motion.started_at = -1.0;
    return;
  }
  const Box& first = diagram.boxes[std::get<DiagramArea>(region->meaning).box].box;
  const float scale = region->box.w / first.w;
  const auto share = static_cast<float>(passed / duration);
  const Point at = along(way, share * share * (3.0F - 2.0F * share));
  Figure sight;
  const Figure picture = picture_of(frame, diagram, *from);
  const bool has_picture = !picture.items.empty();
  const float width = has_picture ? picture.width : 12.0F;
  const float height = has_picture ? picture.height : 12.0F;
  const Box box{at.x - width / 2.0F, at.y - height / 2.0F, width, height};
  sight.items.emplace_back(FilledRect{box, frame.ui.theme().accent, 2.0F});
  if (has_picture) append(sight, picture, box.x, box.y);
  sight.items.emplace_back(StrokedRect{box, frame.ui.theme().accent, 2.0F, 2.0F});
  const float on_screen = frame.ui.page_scale();
  const ImVec2 corner{page.origin.x + (region->box.x - first.x * scale) * on_screen,
                      page.origin.y + (region->box.y - first.y * scale) * on_screen};
  paint_figure(frame.ui, *ImGui::GetWindowDrawList(), sight, corner, scale * on_screen);
  frame.ui.wake_in(0.0);
}

/// The buttons that lead the selected row through the boxes, one after the other. Until the user chooses a
/// part, playing begins at the first.
void row_player(Frame& frame) {
  DiagramAnimation& motion = frame.screen.own.of<DiagramAnimation>();
  if (motion.frame < ImGui::GetFrameCount() - 1) motion.chosen = false;
  const PageInputs& in = page_inputs(frame);
  const Steps steps{diagram_step(in, frame.screen.memo),
                    n_diagram_steps(in, frame.screen.memo),
                    "Follows the selected row through the model, box by box",
                    seconds_in_box,
                    slow_seconds_in_box,
                    !motion.chosen};
  const auto next = step_player(frame, frame.screen.own.of<StepPlay>("diagram"), steps);
  if (next) frame.emit(set_to("diagram.step", *next));
}

/// Names the token whose row is followed. The next item stands beside the name.
void name_of_row(Frame& frame) {
  const auto& token = frame.session.selection.token;
  const auto& tokens = frame.trace->tokens(frame.session.selection.stack);
  if (!token || *token >= static_cast<int>(tokens.size())) return;
  constexpr std::size_t max_letters = 16;
  const std::string word =
      truncated(display_word(tokens[static_cast<std::size_t>(*token)].text), max_letters);
  PageMemo& memo = frame.screen.memo;
  const PageInputs& in = page_inputs(frame);
  const int step = diagram_step(in, memo);
  text_line(frame.ui,
            {{"The row of " + quoted_word(word), Font::sans_bold, text_size::small, frame.ui.theme().accent},
             {step == 0 ? "" : std::to_string(step) + " of " + std::to_string(n_diagram_steps(in, memo)),
              Font::sans, text_size::small, frame.ui.theme().quiet}});
  ImGui::SameLine(0.0F, frame.ui.px(14.0F));
}

/// The heading of the view: the way of the row, and the link that changes the size of the diagram.
void heading(Frame& frame) {
  row_player(frame);
  ImGui::SameLine(0.0F, frame.ui.px(14.0F));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + frame.ui.px(7.0F));
  name_of_row(frame);
  const bool fits = !frame.session.picture.readable_diagram;
  const char* label = fits ? "Large enough to read" : "All at once";
  if (link(frame.ui, label,
           frame.with_keys("The whole diagram on the page, or large enough to read", CommandId::fit_diagram)
               .c_str(),
           text_size::small))
    frame.emit(set_to("picture.fits_diagram", fits));
  ImGui::SameLine(0.0F, frame.ui.px(14.0F));
  text_line(frame.ui, {{"Click a part to see it, a folded layer to unfold it · Alt+← → follows the arrows",
                        Font::sans, text_size::small, frame.ui.theme().quiet}});
}

}  // namespace

void model_view(Frame& frame) {
  const Panel panel(frame.ui, "model", ImGui::GetContentRegionAvail());
  heading(frame);
  // The diagram scrolls below the buttons that lead through it.
  begin_child("diagram", ImGui::GetContentRegionAvail());
  const PageMouse mouse = draw_page(frame, PageName::model);
  if (const auto* box = mouse.on<DiagramArea>()) {
    tooltip(frame.ui, box_tooltip(frame, *box, heading_beside(mouse) != nullptr));
    if (mouse.clicked) go_to(frame, *box, heading_beside(mouse) != nullptr);
  }
  follow_choice(frame, mouse);
  animate_step(frame, mouse);
  end_child();
}

}  // namespace headscope
