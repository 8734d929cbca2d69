#include "core/page/decoding/state_pictures.h"

#include <algorithm>
#include <string>

#include "core/page/parts/readable.h"
#include "core/page/parts/table_panel.h"
#include "core/trace/number_text.h"
#include "core/trace/wiring.h"

namespace headscope {
namespace {

/// The greatest number of multiplications that are done while a picture is drawn.
constexpr double most_products = 2e7;

/// S [K, V] and z [1, K], summed over the tokens up to the newest.
struct StateNumbers {
  OwnedMatrix sums;
  OwnedMatrix keys;
};

StateNumbers state_after(const Trace& trace, const DecodingStep& step) {
  const int n = step.newest + 1;
  const Architecture& a = trace.architecture();
  const StageNumbers keys = trace.read(at_kind(step.head, StageKind::mapped_key), {0, 0, n, a.head_width()});
  const StageNumbers values = trace.read(at_kind(step.head, StageKind::value), {0, 0, n, a.value_width()});
  StateNumbers state{OwnedMatrix(a.head_width(), a.value_width()), OwnedMatrix(1, a.head_width())};
  for (int token = 0; token < n; ++token) {
    for (int k = 0; k < a.head_width(); ++k) {
      const float key = keys.view(token, k);
      state.keys.at(0, k) += key;
      for (int v = 0; v < a.value_width(); ++v) state.sums.at(k, v) += key * values.view(token, v);
    }
  }
  return state;
}

HeatmapSpec state_spec(const PageInputs& in, const OwnedMatrix& numbers, bool is_signed) {
  HeatmapSpec spec;
  spec.source = source_of(numbers.view());
  const auto name = [](int index) { return std::to_string(index); };
  if (numbers.rows > 1) spec.row_labels = {numbers.rows, name};
  spec.col_labels = {numbers.cols, name};
  PictureOptions options = in.session.picture;
  options.range = RangeMode::map;
  spec.scale = ColorScale(options, is_signed, numbers.view());
  spec.color_bar_label = false;
  if (!in.session.picture.details) spec.notation = CellNotation::rounded;
  spec.font_size = 11.0F;
  return spec;
}

/// Draws a part of the state below its title.
Page part_of_state(const PageInputs& in, PageTools& tools, const DecodingStep& step, bool is_sums,
                   const PageSize& size) {
  const Architecture& a = in.trace->architecture();
  const std::string shape = is_sums ? "[" + grouped(a.head_width()) + " × " + grouped(a.value_width()) + "]"
                                    : "[1 × " + grouped(a.head_width()) + "]";
  PageText page(in, tools, size.width);
  const std::string title = is_sums ? "S = Σ φ(k) vᵀ" : "z = Σ φ(k)";
  const std::string said = shape + (is_sums ? " of " + counted(step.newest + 1, "token") + ": keys × values"
                                            : ": outputs are divided by φ(q) · z");
  page.line({{title, Font::sans_bold, page_size::body, page.theme().text},
             {said, Font::sans, page_size::small, page.theme().quiet}},
            8.0F);
  TableSpec spec;
  spec.trace = in.trace;
  spec.name = path(step.head) + (is_sums ? " S " : " z ") + std::to_string(step.newest);
  spec.picture = in.session.picture;
  spec.max_cell = 34.0F;
  const auto make = [&](OwnedMatrix& numbers) {
    StateNumbers state = state_after(*in.trace, step);
    numbers = is_sums ? state.sums : state.keys;
    return state_spec(in, numbers, is_sums);
  };
  page.add(table_page(tools, is_sums ? "decoding state" : "decoding state sum", spec, make, size.width,
                      std::max(size.height - page.y(), 60.0F)));
  return page.take();
}

}  // namespace

Page state_pictures(const PageInputs& in, PageTools& tools, const DecodingStep& step, const PageSize& size) {
  const Architecture& a = in.trace->architecture();
  PageText page(in, tools, size.width);
  const double products = static_cast<double>(a.head_width()) * a.value_width() * (step.newest + 1);
  if (products > most_products) {
    page.paragraph("The state is not drawn: this head is too wide for a text of this length.");
    return page.take();
  }
  const bool has_keys = can_read(in, tools, at_kind(step.head, StageKind::mapped_key));
  const bool has_values = can_read(in, tools, at_kind(step.head, StageKind::value));
  if (!has_keys || !has_values) {
    page.paragraph("Computing…");
    return page.take();
  }
  constexpr float for_sum = 110.0F;
  page.add(part_of_state(in, tools, step, true, {size.width, size.height - for_sum - page_size::spacing}));
  page.add(part_of_state(in, tools, step, false, {size.width, for_sum}));
  return page.take();
}

}  // namespace headscope
