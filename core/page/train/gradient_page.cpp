#include "core/page/train/gradient_page.h"

#include <algorithm>

#include "core/page/parts/page_text.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

/// The parameter named in the inputs. Null if the training run has none of that name.
const NamedParameter* parameter_of(const PageInputs& in) {
  if (!in.training || !in.training->gradients) return nullptr;
  const auto& named = in.training->layout->named;
  const auto found = std::ranges::find(named, in.parameter, &NamedParameter::path);
  return found == named.end() ? nullptr : &*found;
}

OwnedMatrix gradient_of(const TrainingProgress& now, const NamedParameter& parameter) {
  OwnedMatrix numbers(parameter.rows, parameter.cols);
  for (int r = 0; r < parameter.rows; ++r) {
    const auto* from = now.gradients->data() + parameter.first + r * parameter.stride;
    std::copy_n(from, parameter.cols,
                numbers.values.begin() + static_cast<std::ptrdiff_t>(r) * parameter.cols);
  }
  return numbers;
}

HeatmapSpec gradient_spec(const PageInputs& in, const NamedParameter& parameter, OwnedMatrix& numbers) {
  const TrainingProgress& now = *in.training;
  numbers = gradient_of(now, parameter);
  HeatmapSpec spec;
  spec.source = source_of(numbers.view());
  spec.title = "∂ loss / ∂ " + parameter.path + " at step " + grouped(now.steps);
  spec.shape = shape_text(spec.extent());
  if (const auto stage = parse_path(parameter.path)) {
    const auto name = [&in](Axis axis) {
      return axis == Axis::single ? "" : std::string(axis_name(axis_in(in.session.architecture, axis)));
    };
    spec.row_axis = name(info(stage->kind).rows);
    spec.col_axis = name(info(stage->kind).cols);
  }
  PictureOptions options = in.session.picture;
  options.range = RangeMode::map;
  constexpr bool is_signed = true;
  spec.scale = ColorScale(options, is_signed, numbers.view());
  spec.numbers = false;
  return spec;
}

}  // namespace

Page gradient_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  if (!in.training || !in.training->gradients) {
    page.paragraph("Gradients appear after the first step: press Step or Train.", {}, page_size::body);
    return page.take();
  }
  const NamedParameter* parameter = parameter_of(in);
  if (parameter == nullptr) return page.take();  // The selected place has no queries of its own.
  TableSpec table;
  table.name = parameter->path + " " + std::to_string(in.training->run.attempt) + " " +
               std::to_string(in.training->steps);
  table.picture = in.session.picture;
  table.max_cell = 24.0F;
  return table_page(
      tools, "gradient", table, [&](OwnedMatrix& numbers) { return gradient_spec(in, *parameter, numbers); },
      size.width, size.height);
}

std::string said_of_gradient(const PageInputs& in, CellIndex cell) {
  const NamedParameter* parameter = parameter_of(in);
  if (parameter == nullptr || cell.row >= parameter->rows || cell.col >= parameter->cols) return {};
  return "Row " + std::to_string(cell.row) + ", column " + std::to_string(cell.col) + ": " +
         number_text(gradient_of(*in.training, *parameter).at(cell.row, cell.col), 4) +
         " in the batch of step " + grouped(in.training->steps) +
         ", the latest. A weight whose gradient stays positive decreases.";
}

}  // namespace headscope
