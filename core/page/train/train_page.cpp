#include "core/page/train/train_page.h"

#include <algorithm>

#include "core/figure/curves.h"
#include "core/page/parts/page_text.h"
#include "core/page/train/gradient_page.h"
#include "core/page/train/targets_page.h"
#include "core/tasks/task.h"
#include "core/trace/guess.h"
#include "core/trace/number_text.h"

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

CurvesSpec spec_of(const PageInputs& in, bool is_loss, const Theme& theme) {
  const TrainingProgress& now = *in.training;
  CurvesSpec spec;
  spec.title = is_loss ? "Loss, nats" : "Accuracy";
  spec.x_axis = "steps";
  spec.x_high = static_cast<double>(std::max({now.wanted_steps, now.steps, 1}));
  spec.in_percent = !is_loss;
  if (!is_loss) spec.y_high = 1.0;
  const bool looks_back = now.newest && in.session.model && in.session.model != now.newest;
  if (looks_back) spec.marker = in.session.model->steps;
  const auto value = is_loss ? &TrainingPoint::loss : &TrainingPoint::accuracy;
  spec.series = {series("held out", theme.accent, now.held_out, value, 2.0F),
                 series("train", theme.quiet, now.train, value, 1.0F)};
  return spec;
}

/// How long the weights that are shown have been trained.
std::string state_of(const PageInputs& in) {
  if (in.training) {
    const int steps = in.session.model ? in.session.model->steps : 0;
    return steps > 0 ? "the weights after " + counted(steps, "step") : "untrained: random weights";
  }
  const int steps = in.session.model ? in.session.model->steps : 0;
  return steps > 0 ? "trained earlier, for " + grouped(steps) + " steps" : "untrained: random weights";
}

Page curves_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  const float width = (size.width - between_curves) / 2.0F;
  Page both;
  for (const bool is_loss : {true, false}) {
    const CurvesSpec spec = spec_of(in, is_loss, page.theme());
    const Box area{0.0F, 0.0F, width, size.height};
    const Box plot = plot_of_curves(spec, area, tools.measure);
    append(both, Page{draw_curves(spec, area, page.theme(), tools.measure), {{plot, StepsArea{spec.x_high}}}},
           is_loss ? 0.0F : width + between_curves, 0.0F);
  }
  page.add(both);
  return page.take();
}

/// Shows how the selected head develops.
Page head_part(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  page.section("The selected head");
  MapLook look;
  look.title = true;
  look.zoomable = true;
  look.max_cell = 64.0F;
  page.add(map_page(in, tools, "train map", in.at(StageKind::weights), size.width,
                    std::max(size.height - page.y(), 1.0F), look));
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

/// Places the head beside its targets, or above them in a narrow room.
Page training_parts(const PageInputs& in, const PageSize& size, PageTools& tools) {
  constexpr float gap = 32.0F;
  constexpr float least_beside = 760.0F;
  constexpr float least_height = 300.0F;
  PageText page(in, tools, size.width);
  if (size.width < least_beside) {
    const PageSize part{size.width, std::clamp(size.height, least_height, 480.0F)};
    page.add(head_part(in, part, tools));
    page.add(targets_part(in, {size.width, least_height}, tools));
    if (in.training) page.add(gradient_part(in, {size.width, least_height}, tools));
    return page.take();
  }
  const float head = std::floor((size.width - gap) * 0.56F);
  const float other = size.width - gap - head;
  const float height = std::max(size.height, least_height);
  Page both = head_part(in, {head, height}, tools);
  PageText beside(in, tools, other);
  const float each = in.training ? std::max(0.5F * (height - gap), 0.75F * least_height) : height;
  beside.add(targets_part(in, {other, each}, tools));
  if (in.training) beside.add(gradient_part(in, {other, each}, tools));
  append(both, beside.take(), head + gap, 0.0F);
  page.add(both);
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
             {guess_text(*in.trace), Font::sans_bold, page_size::small, theme.warning}},
            12.0F);
  if (!kind) {
    page.paragraph("Random weights have no task to learn, so there is neither a loss nor a target to show.",
                   {}, page_size::body);
    return page.take();
  }
  page.paragraph(task(*kind).summary());
  if (in.training) {
    page.add(curves_page(in, {size.width, std::clamp(size.height * 0.26F, 170.0F, 260.0F)}, tools));
  } else {
    page.paragraph(
        "No training is running, so there are no curves and no gradients. Below is what the sentence and the "
        "weights give.");
    if (!in.is_untrained())
      page.paragraph("A new training starts from random weights. Undo brings back the trained ones.");
  }
  page.add(training_parts(in, {size.width, size.height - page.y()}, tools));
  return page.take();
}

}  // namespace headscope
