#include "core/page/stage_heading.h"

#include <algorithm>

#include "core/figure/pages.h"

namespace headscope {

void formula_line(PageText& page, const PageInputs& in, const StageId& stage, float room) {
  const std::string how = in.against() ? difference_formula : formula(*in.trace, stage);
  const bool has_letters = in.session.picture.details && !in.against();
  std::string letters = has_letters ? einsum_text(*in.trace, stage) : "";
  const auto width = [&](const std::string& text) {
    return page.measure()(text, Font::mono, page_size::control).width;
  };
  // A sum in letters that is cut says nothing.
  if (width(how) + 16.0F + width(letters) > (room > 0.0F ? room : page.width())) letters.clear();
  page.line({{how, Font::mono, page_size::control, page.theme().text},
             {letters, Font::mono, page_size::control, page.theme().quiet}},
            16.0F, room);
}

void stage_heading(PageText& page, const PageInputs& in, const StageId& stage, const StageId& placed,
                   float left_free) {
  if (!in.trace->has(stage)) return;
  constexpr float height = 28.0F;
  const StageInfo& about = info(stage.kind);
  const std::string shape = in.session.picture.details ? full_shape_text(*in.trace, stage) : "";
  const std::string title = std::string(about.title) + (in.against() ? ": difference" : "");
  const std::string place = place_text(*in.trace, placed);
  const float top = page.y();
  page.space(7.0F);
  page.line({{title, Font::sans_bold, page_size::body, page.theme().text},
             {shape, Font::mono, page_size::control, page.theme().quiet},
             {place, Font::sans, page_size::small, page.theme().quiet}},
            12.0F, std::max(page.width() - left_free, 80.0F));
  page.space(top + height + page_size::spacing - page.y());
  formula_line(page, in, stage);
}

}  // namespace headscope
