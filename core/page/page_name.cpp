#include "core/page/page_name.h"

#include <algorithm>
#include <cmath>

#include "core/enum_count.h"
#include "core/page/compare_page.h"
#include "core/page/covered_page.h"
#include "core/page/decoding_page.h"
#include "core/page/effects_page.h"
#include "core/page/explore_page.h"
#include "core/page/heads_page.h"
#include "core/page/inspector_page.h"
#include "core/page/lines_page.h"
#include "core/page/map_marks.h"
#include "core/page/model_page.h"
#include "core/page/page_text.h"
#include "core/page/positions_page.h"
#include "core/page/scale_page.h"
#include "core/page/split_page.h"
#include "core/page/stages_page.h"
#include "core/page/textbooks_page.h"
#include "core/page/tiled_softmax_page.h"
#include "core/page/train_page.h"
#include "core/page/words_page.h"
#include "core/page/worksheet_page.h"
#include "core/trace/intervention_text.h"

namespace headscope {

PageName page_of_view(View view) {
  static_assert(static_cast<int>(PageName::effects) == static_cast<int>(View::effects) &&
                    enum_count<PageName> == enum_count<View> + 2,
                "in the order of View, and then those that share the explorer's");
  return static_cast<PageName>(static_cast<int>(view));
}

View view_of_page(PageName name) {
  const bool has_none = name == PageName::inspector || name == PageName::worksheet;
  return has_none ? View::explore : static_cast<View>(static_cast<int>(name));
}

namespace {

Page unmarked_page(const PageInputs& in, PageName name, const PageSize& size, PageTools& tools) {
  switch (name) {
    case PageName::explore:
      return explore_page(in, size, tools);
    case PageName::stages:
      return stages_page(in, size, tools);
    case PageName::heads:
      return heads_page(in, size, tools);
    case PageName::model:
      return model_page(in, size, tools);
    case PageName::positions:
      return positions_page(in, size, tools);
    case PageName::words:
      return words_page(in, size, tools);
    case PageName::split:
      return split_page(in, size, tools);
    case PageName::train:
      return train_page(in, size, tools);
    case PageName::compare:
      return compare_page(in, size, tools);
    case PageName::effects:
      return effects_page(in, size, tools);
    case PageName::lines:
      return lines_page(in, size, tools);
    case PageName::tiles:
      return tiled_softmax_page(in, size, tools);
    case PageName::decoding:
      return decoding_page(in, size, tools);
    case PageName::textbooks:
      return textbooks_page(in, size, tools);
    case PageName::scale:
      return scale_page(in, size, tools);
    case PageName::inspector:
      return inspector_page(in, size, tools);
    case PageName::worksheet:
      return worksheet_of(in, size.width, tools).page;
  }
  return {};
}

}  // namespace

Page page_of(const PageInputs& in, PageName name, const PageSize& size, PageTools& tools) {
  const bool leaves_effects = name != PageName::effects && name != PageName::inspector;
  if (leaves_effects) tools.memo.effects.forget();
  if (name != PageName::tiles && name != PageName::inspector) {
    tools.memo.score_tiles.forget();
    tools.memo.tile_state.forget();
  }
  if (name != PageName::decoding && name != PageName::inspector) tools.memo.decoded.forget();
  if (const std::string reason = reason_covered(in, name, tools); !reason.empty()) {
    PageText instead(in, tools, size.width);
    instead.paragraph(reason, {}, page_size::body);
    return instead.take();
  }
  Page page = unmarked_page(in, name, size, tools);
  append_marks(page, in, tools);
  return page;
}

Figure figure_of_page(const PageInputs& in, PageName name, const PageSize& file_size,
                      const MeasureText& measure) {
  constexpr float margin = 24.0F;
  PageMemo memo;
  PageTools tools{measure, 0, memo};
  const PageSize room{file_size.width - 2.0F * margin, file_size.height - 2.0F * margin};
  Page page = page_of(in, name, room, tools);
  // Maps that share a range know it once all of them were drawn.
  if (!memo.held_ranges.empty() || name == PageName::compare) page = page_of(in, name, room, tools);
  Figure figure{file_size.width, 0.0F, theme_of(in.session.picture.theme).panel, {}};
  append(figure, page.figure, margin, margin);
  figure.width = std::max(figure.width, std::ceil(page.figure.width + 2.0F * margin));
  float bottom = margin + page.figure.height;
  // The page of textbooks is about its own passes.
  const bool is_of_pass = name != PageName::textbooks;
  const std::string changed = is_of_pass ? changes_sentences(*in.trace) : "";
  const bool is_untrained = is_of_pass && in.is_untrained() && name != PageName::inspector;
  if (is_untrained || !changed.empty()) {
    PageText note(in, tools, room.width);
    if (is_untrained) note.paragraph("untrained: random weights");
    if (!changed.empty()) note.paragraph(changed);
    const Page notes = note.take();
    append(figure, notes.figure, margin, bottom + page_size::spacing);
    const float note_height = notes.figure.height;
    bottom += note_height;
  }
  figure.height = std::ceil(bottom + margin);
  return figure;
}

}  // namespace headscope
