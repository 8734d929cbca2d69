#include "core/page/decoding_page.h"

#include <algorithm>
#include <functional>
#include <string>

#include "core/engine/decoding.h"
#include "core/figure/pages.h"
#include "core/figure/text_fit.h"
#include "core/page/cache_meter.h"
#include "core/page/page_text.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

constexpr float between_parts = 24.0F;
/// Multiplications that are done at once rather than on another thread.
constexpr double few_products = 4e6;

/// A step as the page shows it.
struct ShownStep {
  StageId head;  ///< its weights
  int newest = 0;
  int n_tokens = 0;
  bool is_cross() const { return head.attention == AttentionKind::cross; }
};

/// The selected head, or where that is in an encoder that decodes nothing, the same of the decoder.
StageId head_that_decodes(const PageInputs& in) {
  const Architecture& a = in.trace->architecture();
  StageId head = in.at(StageKind::weights);
  if (head.stack != a.last_stack()) {
    head.stack = a.last_stack();
    head.attention = a.has_self() ? AttentionKind::self : AttentionKind::cross;
  }
  return head;
}

int n_rows_of(const PageInputs& in) {
  const Trace& trace = *in.trace;
  const Architecture& a = trace.architecture();
  const auto n = static_cast<int>(trace.tokens(a.last_stack()).size());
  return a.has_cross() ? n : std::max(n - trace.batch().n_padded, 0);
}

const std::string& why_not_decoded(const PageInputs& in, PageMemo& memo) {
  DecodableMemo& known = memo.decodable;
  if (known.trace != in.trace) known = {in.trace, reason_against_decoding(*in.trace)};
  return known.reason;
}

const Work<std::vector<DecodedToken>>* decoded(const PageInputs& in, PageTools& tools, int n) {
  const double products = static_cast<double>(decoding_work(*in.trace, n).computed) * n;
  const CarryOut at_once = [](const std::function<void()>& job) { job(); };
  return tools.memo.decoded.get(
      products > few_products ? tools.carry_out : at_once, in.trace,
      [](const std::shared_ptr<const Trace>& trace, Work<std::vector<DecodedToken>>& found) {
        found.value = decoded_text(*trace, &found.stop);
      });
}

/// The tokens so far as chips, the newest marked, and those that are still to come; as many as fit, around
/// the newest.
void token_line(const PageInputs& in, const PageTools& tools, const ShownStep& step, PageText& page) {
  constexpr float height = 24.0F;
  constexpr float padding = 7.0F;
  constexpr float apart = 4.0F;
  constexpr float for_ellipsis = 18.0F;
  const std::vector<Token>& tokens = in.trace->tokens(step.head.stack);
  const auto text = [&](int token) {
    constexpr float longest = 120.0F;
    return fitted_text(tokens[static_cast<std::size_t>(token)].text, longest, Font::sans, page_size::body,
                       tools.measure);
  };
  const auto width = [&](int token) {
    return tools.measure(text(token), Font::sans, page_size::body).width + 2.0F * padding + apart;
  };
  // From the newest back, and then on, as far as there is room.
  float left = page.width() - 2.0F * for_ellipsis - width(step.newest);
  int first = step.newest;
  int last = step.newest;
  if (last + 1 < step.n_tokens && width(last + 1) <= left) left -= width(++last);
  while (first > 0 && width(first - 1) <= left) left -= width(--first);
  while (last + 1 < step.n_tokens && width(last + 1) <= left) left -= width(++last);
  const Theme& theme = page.theme();
  auto& items = page.page().figure.items;
  float x = 0.0F;
  const float middle = page.y() + 0.5F * height;
  const auto write = [&](const std::string& said, float at, Color color) {
    items.emplace_back(Label{said,
                             {at, middle},
                             color,
                             page_size::body,
                             Font::sans,
                             HorizontalAnchor::left,
                             VerticalAnchor::middle});
  };
  if (first > 0) write("…", x, theme.quiet);
  if (first > 0) x += for_ellipsis;
  for (int token = first; token <= last; ++token) {
    const Box chip{x, page.y(), width(token) - apart, height};
    const bool is_newest = token == step.newest;
    if (token <= step.newest)
      items.emplace_back(FilledRect{chip, is_newest ? theme.accent_soft : theme.control, 6.0F});
    if (is_newest) items.emplace_back(StrokedRect{chip, theme.accent, 1.5F, 6.0F});
    const Color pale = mixed(theme.panel, theme.quiet, 0.5F);
    write(text(token), x + padding, token <= step.newest ? theme.text : pale);
    x += width(token);
  }
  if (last + 1 < step.n_tokens) write("…", x, theme.quiet);
  page.space(height + page_size::spacing + 4.0F);
}

/// The rows and columns of a map that there are at a step.
struct Grown {
  int rows = 0;
  int cols = 0;
  int framed_first = 0, framed_rows = 0;  ///< what this step computes
};

/// Over what is still to come lies a veil; around what is computed now is a frame.
void mark_grown(Page& map, const std::string& slot, const Grown& grown, const Theme& theme) {
  const auto found = std::ranges::find_if(map.regions, [&](const HitRegion& region) {
    const auto* cells = std::get_if<StageCells>(&region.means);
    return cells != nullptr && cells->slot == slot;
  });
  if (found == map.regions.end()) return;
  const CellGrid& grid = std::get<StageCells>(found->means).grid;
  const float right = grid.cells.x + static_cast<float>(grown.cols) * grid.cell_width;
  const float bottom = grid.cells.y + static_cast<float>(grown.rows) * grid.cell_height;
  Color veil = theme.panel;
  veil.a = 225;
  map.figure.items.emplace_back(
      FilledRect{{right, grid.cells.y, grid.cells.right() - right, grid.cells.h}, veil});
  map.figure.items.emplace_back(
      FilledRect{{grid.cells.x, bottom, right - grid.cells.x, grid.cells.bottom() - bottom}, veil});
  const float top = grid.cells.y + static_cast<float>(grown.framed_first) * grid.cell_height;
  const float height = static_cast<float>(grown.framed_rows) * grid.cell_height;
  if (grown.framed_rows == 0) return;
  map.figure.items.emplace_back(
      StrokedRect{{grid.cells.x, top, right - grid.cells.x, height}, theme.accent, 2.0F});
}

struct PictureRoom {
  std::string slot;
  float width, height;
};

/// A stage of the head under its title, as far as it has grown.
Page picture(const PageInputs& in, PageTools& tools, const StageId& stage, const PictureRoom& room,
             const std::string& title, const std::string& said, const Grown& grown) {
  PageText page(in, tools, room.width);
  page.line({{title, Font::sans_bold, page_size::body, page.theme().text},
             {said, Font::sans, page_size::small, page.theme().quiet}},
            8.0F);
  MapLook look;
  look.color_bar_label = false;
  look.present = true;
  look.font_size = 11.0F;
  constexpr float least_height = 80.0F;
  Page map =
      map_page(in, tools, room.slot, stage, room.width, std::max(room.height - page.y(), least_height), look);
  mark_grown(map, room.slot, grown, page.theme());
  page.add(map);
  return page.take();
}

StageId used_keys(const Trace& trace, StageId head) {
  head.kind = StageKind::rotated_key;
  if (!trace.has(head)) head.kind = StageKind::key;
  return canonical(trace.architecture(), head);
}

/// “5 read, 1 computed”.
std::string read_and_computed(int read, int computed) {
  if (computed == 0) return "all " + grouped(read) + " read from the cache";
  if (read == 0) return computed == 1 ? "1 computed" : "all " + grouped(computed) + " computed";
  return grouped(read) + " read from the cache, " + grouped(computed) + " computed";
}

Page pictures(const PageInputs& in, PageTools& tools, const ShownStep& step, const PageSize& size,
              float above) {
  const Trace& trace = *in.trace;
  const bool beside = size.width >= 640.0F;
  const float half = beside ? std::floor((size.width - between_parts) / 2.0F) : size.width;
  const float height = std::clamp(size.height - above - 330.0F, 300.0F, 620.0F);
  const int n_keys = step.is_cross() ? trace.extent(step.head).cols : step.newest + 1;
  Page both = picture(in, tools, step.head, {"decoding weights", half, height}, "Weights",
                      "a row is a token’s; framed: computed now", {step.newest + 1, n_keys, step.newest, 1});
  const int n_fresh = !step.is_cross() ? 1 : step.newest == 0 ? n_keys : 0;
  const Grown cached{n_keys, 1 << 20, n_keys - n_fresh, n_fresh};
  const auto grown = [&](const StageId& stage) {
    Grown all = cached;
    all.cols = trace.extent(stage).cols;
    return all;
  };
  const std::string said = read_and_computed(n_keys - n_fresh, n_fresh);
  const float each = (height - page_size::spacing) / 2.0F;
  const StageId keys = used_keys(trace, step.head);
  StageId values = step.head;
  values.kind = StageKind::value;
  values = canonical(trace.architecture(), values);
  Page cache = picture(in, tools, keys, {"decoding keys", half, each},
                       keys.kind == StageKind::rotated_key ? "Keys, rotated" : "Keys", said, grown(keys));
  const Page below =
      picture(in, tools, values, {"decoding values", half, each}, "Values", said, grown(values));
  append(cache, below, 0.0F, std::max(cache.figure.height, beside ? each : 0.0F) + page_size::spacing);
  append(both, cache, beside ? half + between_parts : 0.0F,
         beside ? 0.0F : both.figure.height + page_size::spacing);
  return both;
}

void step_part(const PageInputs& in, const ShownStep& step, const DecodedToken& token, PageText& page) {
  const Trace& trace = *in.trace;
  const DecodingWork work = decoding_work(trace, step.newest);
  const std::int64_t bytes = bytes_per_number(in.session.decoding.numbers);
  page.section("This step, in all layers");
  page.row("multiplications, with the cache", grouped(work.computed), true);
  constexpr int digits = 3;
  const std::string times =
      number_text(static_cast<double>(work.again) / static_cast<double>(work.computed), digits);
  page.row("without it: all tokens so far again", grouped(work.again) + " = " + times + " ×");
  page.row("numbers read from the cache", grouped(work.read));
  if (trace.architecture().has_self())
    page.row("the cache now",
             grouped(token.cached_numbers) + " numbers = " + bytes_text(token.cached_numbers * bytes));
  if (token.source_numbers > 0)
    page.row("and of the source, computed in the first step",
             grouped(token.source_numbers) + " numbers = " + bytes_text(token.source_numbers * bytes));
  page.row("greatest difference from the pass of all tokens at once", number_text(token.difference, 2));
}

}  // namespace

int n_decodable(const PageInputs& in, PageMemo& memo) {
  return why_not_decoded(in, memo).empty() ? n_rows_of(in) : 0;
}

Page decoding_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  const Trace& trace = *in.trace;
  const Architecture& a = trace.architecture();
  ShownStep step{head_that_decodes(in), 0, n_rows_of(in)};
  page.line({{"Decoding, token by token", Font::sans_bold, page_size::title, page.theme().text},
             {place_text(a, step.head), Font::sans, page_size::small, page.theme().quiet}},
            12.0F);
  page.paragraph(
      "A model that writes adds one token at a time. Earlier tokens never look at later ones, so that their "
      "keys and values stay as they are: they are kept, and each step computes one row and reads the rest "
      "(KV cache).",
      {}, page_size::body);
  if (const std::string& reason = why_not_decoded(in, tools.memo); !reason.empty()) {
    page.notice(reason);
    page.add(cache_meter(in, tools, step.n_tokens, size.width));
    return page.take();
  }
  if (in.at(StageKind::weights).stack != step.head.stack)
    page.paragraph("The encoder reads its whole sentence at once; here the decoder’s head is shown.");
  const Work<std::vector<DecodedToken>>* run = decoded(in, tools, step.n_tokens);
  if (run == nullptr || !run->problem.empty() || run->value.empty()) {
    page.paragraph(run == nullptr ? "Decoding…" : run->problem, {}, page_size::body);
    return page.take();
  }
  step.n_tokens = static_cast<int>(run->value.size());
  step.newest = std::clamp(in.session.decoding.step, 1, step.n_tokens) - 1;
  const DecodedToken& token = run->value[static_cast<std::size_t>(step.newest)];
  token_line(in, tools, step, page);
  const std::string text = trace.tokens(step.head.stack)[static_cast<std::size_t>(step.newest)].text;
  std::string predicts;
  if (token.word)
    predicts = "likeliest next: “" +
               trace.label({.kind = StageKind::probabilities}, Axis::vocabulary, *token.word) + "”, " +
               number_text(token.probability, 3);
  page.line({{"Token " + grouped(step.newest + 1) + " of " + grouped(step.n_tokens) + ": “" + text + "”",
              Font::sans_bold, page_size::body, page.theme().accent},
             {predicts, Font::sans, page_size::body, page.theme().text}},
            12.0F);
  page.add(pictures(in, tools, step, size, page.y()));
  step_part(in, step, token, page);
  const std::int64_t context = a.has_self() ? step.newest + 1 : trace.n_tokens();
  page.add(cache_meter(in, tools, context, size.width));
  return page.take();
}

}  // namespace headscope
