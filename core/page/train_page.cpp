#include "core/page/train_page.h"

#include <algorithm>

#include "core/figure/curves.h"
#include "core/page/page_text.h"
#include "core/page/targets_page.h"
#include "core/tasks/task.h"
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

/// How far the weights that are shown have come.
std::string state_of(const PageInputs& in) {
  if (in.training) {
    return grouped(in.training->steps) + " of " + grouped(in.training->wanted_steps) + " steps";
  }
  const int steps = in.session.model ? in.session.model->steps : 0;
  return steps > 0 ? "trained earlier, for " + grouped(steps) + " steps" : "untrained: random weights";
}

}  // namespace

Page curves_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  if (!in.training) {
    page.paragraph("Curves of loss and accuracy appear here while a model learns.", {}, page_size::body);
    return page.take();
  }
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

Page train_attention_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  MapLook look;
  look.title = true;
  look.zoomable = true;
  look.max_cell = 64.0F;
  return map_page(in, tools, "train map", in.at(StageKind::weights), size.width, size.height, look);
}

Page train_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  const Theme& theme = page.theme();
  const auto kind = task_named(in.session.task);
  const std::string state = state_of(in);
  page.line({{kind ? task(*kind).title() : "No task", Font::sans_bold, page_size::title, theme.text},
             {state, Font::sans, page_size::small, theme.quiet}},
            12.0F);
  if (!kind) {
    page.paragraph("Random weights have no task to learn, so there is neither a loss nor a target to show.",
                   {}, page_size::body);
    return page.take();
  }
  page.paragraph(task(*kind).summary());
  constexpr float chart_height = 182.0F;
  if (in.training) {
    page.add(curves_page(in, {size.width, chart_height}, tools));
  } else {
    page.paragraph(
        "No training is running, so there are no curves and no gradients: below is what follows from "
        "the sentence and the weights.");
  }
  page.section("Targets of this sentence");
  page.add(targets_page(in, {size.width, std::clamp(size.height * 0.4F, 200.0F, 420.0F)}, tools));
  page.section("The selected head");
  const float rest = std::max(size.height - page.y(), 260.0F);
  page.add(train_attention_page(in, {size.width, rest}, tools));
  return page.take();
}

}  // namespace headscope
