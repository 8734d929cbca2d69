#include "core/page/parts/stage_heading.h"

#include <algorithm>

#include "core/figure/pages.h"

namespace headscope {

namespace {

std::string formula_in(const PageInputs& in, const StageId& stage) {
  return in.against() ? difference_formula : formula(*in.trace, stage);
}

/// Writes a shape, a formula and its sum in letters, which is left out if it does not fit: a truncated sum
/// would be meaningless.
void write_formula(PageText& page, const PageInputs& in, const StageId& stage, const std::string& shape,
                   float room) {
  constexpr float apart = 16.0F;
  const std::string how = formula_in(in, stage);
  const bool has_letters = in.session.picture.details && !in.against();
  std::string letters = has_letters ? einsum_text(*in.trace, stage) : "";
  const auto width = [&](const std::string& text) {
    return page.measure()(text, Font::mono, page_size::control).width;
  };
  const float before = shape.empty() ? 0.0F : width(shape) + apart;
  if (before + width(how) + apart + width(letters) > (room > 0.0F ? room : page.width())) letters.clear();
  page.line({{shape, Font::mono, page_size::control, page.theme().quiet},
             {how, Font::mono, page_size::control, page.theme().text},
             {letters, Font::mono, page_size::control, page.theme().quiet}},
            apart, room);
}

}  // namespace

std::string heading_title(const PageInputs& in, StageKind kind) {
  return std::string(info(kind).title) + (in.against() ? ": difference" : "");
}

void formula_line(PageText& page, const PageInputs& in, const StageId& stage, float room) {
  write_formula(page, in, stage, "", room);
}

void shape_line(PageText& page, const PageInputs& in, const StageId& stage) {
  if (in.trace->has(stage)) write_formula(page, in, stage, full_shape_text(*in.trace, stage), 0.0F);
}

}  // namespace headscope
