#include "core/page/train/train_page.h"

#include <algorithm>

#include "core/figure/curves.h"
#include "core/page/parts/page_text.h"
#include "core/page/train/gradient_page.h"
#include "core/page/train/targets_page.h"
#include "core/tasks/task.h"
#include "core/trace/number_text.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

constexpr float between_curves = 24.0F;

CurveSeries series(const char* name, Color color, const std::vector<TrainingPoint>& points,
                   double TrainingPoint::*value, float thickness) {
  CurveSeries line{name, color, {}, thickness};
  line.points.reserve(points.size());
  for (const TrainingPoint& point : points)
    line.points.push_back({static_cast<double>(point.step), point.*value});
  return line;
}

/// Describes one chart. Before training begins, the chart is empty but already in place, so that nothing
/// moves then.
CurvesSpec spec_of(const PageInputs& in, bool is_loss, const Theme& theme) {
  const TrainingProgress* now = in.training.get();
  CurvesSpec spec;
  spec.title = is_loss ? "Loss, nats" : "Accuracy";
  spec.x_axis = "steps";
  const int wanted = now ? std::max(now->wanted_steps, now->steps) : in.session.training.steps;
  spec.x_high = static_cast<double>(std::max(wanted, 1));
  spec.in_percent = !is_loss;
  if (!is_loss) spec.y_high = 1.0;
  spec.if_empty = "Press Train to begin.";
  const bool looks_back = now && now->newest && in.session.model && in.session.model != now->newest;
  if (looks_back) spec.marker = in.session.model->steps;
  const auto value = is_loss ? &TrainingPoint::loss : &TrainingPoint::accuracy;
  const std::vector<TrainingPoint> none;
  spec.series = {series("held out", theme.data, now ? now->held_out : none, value, 2.0F),
                 series("train", theme.accent, now ? now->train : none, value, 1.0F)};
  return spec;
}

/// How long the weights that are shown have been trained.
std::string state_of(const PageInputs& in) {
  if (in.training) {
    const int steps = in.session.model ? in.session.model->steps : 0;
    return steps > 0 ? "the weights after " + counted(steps, "step") : "untrained: random weights";
  }
  const int steps = in.session.model ? in.session.model->steps : 0;
  if (steps > 0) return "trained earlier, for " + grouped(steps) + " steps";
  return in.is_untrained() ? "untrained: random weights" : "";
}

/// Draws the charts of the loss and the accuracy: one below the other if they are stacked, otherwise side by
/// side.
Page curves_page(const PageInputs& in, const PageSize& size, bool stacked, PageTools& tools) {
  const Theme& theme = theme_of(in.session.picture.theme);
  const float width = stacked ? size.width : (size.width - between_curves) / 2.0F;
  const float height = stacked ? (size.height - between_curves) / 2.0F : size.height;
  float label_room = 0.0F;
  for (const bool is_loss : {true, false})
    label_room = std::max(label_room, label_room_of(spec_of(in, is_loss, theme), tools.measure));
  Page both;
  for (const bool is_loss : {true, false}) {
    CurvesSpec spec = spec_of(in, is_loss, theme);
    spec.label_room = label_room;
    const Box area{0.0F, 0.0F, width, height};
    const Box plot = plot_of_curves(spec, area, tools.measure);
    append(both, Page{draw_curves(spec, area, theme, tools.measure), {{plot, StepsArea{spec.x_high}}}},
           is_loss || stacked ? 0.0F : width + between_curves,
           is_loss || !stacked ? 0.0F : height + between_curves);
  }
  return both;
}

/// Shows how the selected head develops.
Page head_part(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  const StageId weights = in.at(StageKind::weights);
  page.line({{info(weights.kind).title, Font::sans_bold, page_size::body, page.theme().text},
             {place_text(*in.trace, weights), Font::sans, page_size::small, page.theme().quiet}},
            12.0F);
  MapLook look;
  look.zoomable = true;
  // The room beside the curves is narrow.
  look.axes = false;
  look.color_bar_label = false;
  look.frames_row = true;
  look.max_cell = 64.0F;
  page.add(
      map_page(in, tools, "train map", weights, size.width, std::max(size.height - page.y(), 1.0F), look));
  return page.take();
}

Page targets_part(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  page.section("Targets of this sentence");
  page.add(targets_page(in, {size.width, std::max(size.height - page.y(), 1.0F)}, tools));
  return page.take();
}

Page gradient_part(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  page.section("Gradient of a weight matrix");
  page.add(gradient_page(in, {size.width, std::max(size.height - page.y(), 1.0F)}, tools));
  return page.take();
}

/// Places the selected head beside the stacked charts. In a narrow room, the head stands below them. The
/// targets and the gradient come last.
Page training_parts(const PageInputs& in, const PageSize& size, PageTools& tools) {
  constexpr float least_beside = 600.0F;
  constexpr float least_height = 300.0F;
  PageText page(in, tools, size.width);
  const float height = std::max(size.height, least_height);
  if (size.width < least_beside) {
    constexpr float of_curves = 170.0F;
    page.add(curves_page(in, {size.width, of_curves}, false, tools));
    page.add(head_part(in, {size.width, std::clamp(height - of_curves, least_height, 480.0F)}, tools));
  } else {
    const float head = std::floor((size.width - between_curves) * 0.62F);
    Page both = head_part(in, {head, height}, tools);
    constexpr float highest_charts = 700.0F;
    const PageSize beside{size.width - between_curves - head, std::min(height, highest_charts)};
    append(both, curves_page(in, beside, true, tools), head + between_curves, 0.0F);
    page.add(both);
  }
  page.add(targets_part(in, {size.width, least_height}, tools));
  if (in.training) page.add(gradient_part(in, {size.width, least_height}, tools));
  return page.take();
}

}  // namespace

Page train_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  const Theme& theme = page.theme();
  const auto kind = task_named(in.session.task);
  const std::string state = state_of(in);
  page.line({{kind ? task(*kind).title() : "No task", Font::sans_bold, page_size::title, theme.text},
             {state, Font::sans, page_size::small, theme.quiet},
             guess_word(*in.trace, theme)},
            12.0F);
  if (!kind) {
    page.paragraph("There is no task to learn here, so there is neither a loss nor a target to show.", {},
                   page_size::body);
    return page.take();
  }
  page.paragraph(task(*kind).summary());
  page.add(training_parts(in, {size.width, size.height - page.y()}, tools));
  return page.take();
}

}  // namespace headscope
