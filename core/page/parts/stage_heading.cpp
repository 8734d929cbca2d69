#include "core/page/parts/stage_heading.h"

#include <algorithm>

#include "core/figure/pages.h"

namespace headscope {

namespace {

std::string formula_in(const PageInputs& in, const StageId& stage) {
  return in.against() ? difference_formula : formula(*in.trace, stage);
}

}  // namespace

std::string heading_title(const PageInputs& in, StageKind kind) {
  return std::string(info(kind).title) + (in.against() ? ": difference" : "");
}

void formula_line(PageText& page, const PageInputs& in, const StageId& stage, float room) {
  const std::string how = formula_in(in, stage);
  const bool has_letters = in.session.picture.details && !in.against();
  std::string letters = has_letters ? einsum_text(*in.trace, stage) : "";
  const auto width = [&](const std::string& text) {
    return page.measure()(text, Font::mono, page_size::control).width;
  };
  // A truncated sum would be meaningless.
  if (width(how) + 16.0F + width(letters) > (room > 0.0F ? room : page.width())) letters.clear();
  page.line({{how, Font::mono, page_size::control, page.theme().text},
             {letters, Font::mono, page_size::control, page.theme().quiet}},
            16.0F, room);
}

void shape_line(PageText& page, const PageInputs& in, const StageId& stage) {
  if (!in.trace->has(stage)) return;
  const Theme& theme = page.theme();
  page.line(
      {{full_shape_text(*in.trace, stage), Font::mono, page_size::control, theme.quiet},
       {formula_in(in, stage), Font::mono, page_size::control, theme.text},
       {in.against() ? "" : einsum_text(*in.trace, stage), Font::mono, page_size::control, theme.quiet}},
      16.0F);
}

void stage_heading(PageText& page, const PageInputs& in, const StageId& stage) {
  if (!in.trace->has(stage)) return;
  constexpr float apart = 12.0F;
  const std::string title = heading_title(in, stage.kind);
  if (!in.session.picture.details) {
    page.line({{title, Font::sans_bold, page_size::body, page.theme().text},
               {formula_in(in, stage), Font::mono, page_size::control, page.theme().quiet}},
              apart);
    return;
  }
  constexpr float height = 28.0F;
  const float top = page.y();
  page.space(7.0F);
  page.line({{title, Font::sans_bold, page_size::body, page.theme().text},
             {full_shape_text(*in.trace, stage), Font::mono, page_size::control, page.theme().quiet},
             {place_text(*in.trace, stage), Font::sans, page_size::small, page.theme().quiet}},
            apart);
  page.space(top + height + page_size::spacing - page.y());
  formula_line(page, in, stage);
}

}  // namespace headscope
