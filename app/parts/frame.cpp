#include "app/parts/frame.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/widgets/text.h"
#include "core/page/pages.h"
#include "core/text/number_text.h"

namespace headscope {

void ScreenState::show_passes(const std::shared_ptr<const Trace>& trace,
                              const std::vector<SubjectPass>& compared, PageName view) {
  const bool are_others = trace != shown_trace_ || compared != shown_compared_;
  if (!are_others && view == shown_view_) return;
  memo.results.mark_all_unused();
  ended_ = are_others ? Lifetime::pass : Lifetime::view;
  shown_view_ = view;
  if (!are_others) return;
  shown_trace_ = trace;
  shown_compared_ = compared;
  memo.forget_passes();
  empty_rows_trace_.reset();
  number_editor.computed.reset();
  number_editor.computed_of.reset();
}

void ScreenState::drop_stale_pages() {
  if (const auto ended = std::exchange(ended_, std::nullopt)) memo.results.drop_unused(*ended);
  const auto is_shown = [&](const std::shared_ptr<const Trace>& pass) {
    return !pass || pass == shown_trace_ ||
           std::ranges::find(shown_compared_, pass, &SubjectPass::trace) != shown_compared_.end();
  };
  std::erase_if(memo.maps, [&](const auto& slot) {
    const MapKey& key = slot.second.key;
    return !is_shown(key.trace) || !is_shown(key.against);
  });
  if (presented_fit.trace != shown_trace_ || presented_fit.compared != shown_compared_) presented_fit = {};
  if (page_inputs.trace == shown_trace_ && page_inputs.compared == shown_compared_) return;
  page_inputs.trace.reset();
  page_inputs.trace_model.reset();
  page_inputs.before_edit.reset();
  page_inputs.compared.clear();
  pages.clear();
}

const std::vector<int>& ScreenState::empty_rows_of(const std::shared_ptr<const Trace>& trace,
                                                   const StageId& head) {
  if (empty_rows_trace_ != trace || empty_rows_head_ != head) {
    empty_rows_trace_ = trace;
    empty_rows_head_ = head;
    empty_rows_ = rows_without_keys(trace->mask(head), head.head);
  }
  return empty_rows_;
}

void command_button(Frame& frame, const char* label, const std::string& tooltip, CommandOrView what,
                    ButtonStyle style, float width) {
  if (button(frame.ui, label, frame.with_keys(tooltip, what).c_str(), "", style, width)) frame.emit(what);
}

void command_link(Frame& frame, const char* label, const std::string& tooltip, CommandOrView what, float size,
                  ButtonStyle style) {
  if (link(frame.ui, label, frame.with_keys(tooltip, what).c_str(), size, style)) frame.emit(what);
}

void progress_text(Frame& frame, double share, const std::string& of) {
  constexpr double percent = 100.0;
  text(frame.ui, number_text(std::floor(percent * share), 3) + " % of " + of + " are done", Font::sans,
       text_size::body, frame.ui.theme().quiet);
  constexpr double often = 0.1;
  frame.ui.wake_in(often);
}

std::optional<Pin> inspected(const Frame& frame) {
  if (!frame.trace) return std::nullopt;
  return inspected(*frame.trace, frame.session.selection.pin, frame.screen.hovered);
}

PageSize page_size_of_view(const ScreenState& screen, PageName view) {
  const auto shown = screen.pages.find(view);
  return shown == screen.pages.end() ? PageSize{0.0F, 0.0F} : shown->second.size;
}

}  // namespace headscope
