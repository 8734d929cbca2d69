#include "core/page/strip_page.h"

#include <algorithm>

#include "core/figure/pages.h"
#include "core/page/inspector_page.h"
#include "core/page/page_text.h"
#include "core/page/readable.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

/// In cross-attention the source's tokens, which are keys, stand before the target's, which are queries.
std::vector<Token> tokens_of(const Trace& trace, const StageId& place) {
  std::vector<Token> tokens;
  if (place.attention == AttentionKind::cross) tokens = trace.tokens(Stack::encoder);
  const std::vector<Token>& queries = trace.tokens(place.stack);
  tokens.insert(tokens.end(), queries.begin(), queries.end());
  return tokens;
}

/// Of the tokens that lines can run to; none where no query is shown.
std::ptrdiff_t n_keys(const TokenStripSpec& spec) {
  const auto all = static_cast<std::ptrdiff_t>(spec.weights.size());
  return spec.first_of_second > 0 ? std::min<std::ptrdiff_t>(all, spec.first_of_second) : all;
}

void mark_padding(const PageInputs& in, int n_before, int n_weights, TokenStripSpec& spec) {
  const Trace& trace = *in.trace;
  spec.padded.clear();
  const auto& padding = trace.mask_spec(in.at(StageKind::weights)).padding;
  if (!padding.empty() || trace.batch().n_padded > 0) spec.padded.assign(spec.tokens.size(), false);
  // The pass may be behind the selection, and have no weights there.
  const int last = std::min(n_weights, static_cast<int>(spec.tokens.size()));
  const auto pad = [&spec, last](int token) {
    if (token >= 0 && token < last) spec.padded[static_cast<std::size_t>(token)] = true;
  };
  for (const int token : padding) pad(token);
  const bool sees_source = in.session.selection.stack == trace.architecture().first_stack() || n_before > 0;
  for (int i = 0; i < trace.batch().n_padded && sees_source; ++i) pad(last - 1 - i);
}

}  // namespace

int n_before_queries(const PageInputs& in) {
  if (in.session.selection.attention == AttentionKind::self) return 0;
  return static_cast<int>(in.trace->tokens(Stack::encoder).size());
}

TokenStripSpec strip_tokens(const PageInputs& in) {
  TokenStripSpec spec;
  spec.first_of_second = n_before_queries(in);
  for (const Token& token : tokens_of(*in.trace, in.at(StageKind::weights))) {
    spec.unknown.push_back(in.trace_model && !in.trace_model->vocabulary.knows(token));
    spec.tokens.push_back(token.text);
    spec.ids.push_back(token.id);
  }
  return spec;
}

void mark_strip(const PageInputs& in, PageTools& tools, TokenStripSpec& spec) {
  const Trace& trace = *in.trace;
  const int before = n_before_queries(in);
  const auto in_strip = [before](const std::optional<int>& query) {
    return query ? std::optional<int>(*query + before) : std::nullopt;
  };
  spec.hovered = in_strip(in.hovered_token);
  spec.selected = in_strip(shown_query(in));
  spec.threshold = in.session.picture.line_threshold;
  spec.weights.clear();
  const StageId weights = weights_in_use(trace, in.at(StageKind::weights));
  const Extent size = trace.extent(weights);
  if (spec.selected && *spec.selected - before < size.rows && can_read(in, tools, weights)) {
    const StageNumbers numbers = trace.read(weights, {*spec.selected - before, 0, 1, size.cols});
    const auto row = numbers.view.row(0);
    spec.weights.assign(row.begin(), row.end());
    spec.weights.resize(spec.tokens.size(), 0.0F);
  }
  mark_padding(in, before, size.cols, spec);
}

std::string strip_statement(const TokenStripSpec& spec) {
  if (!spec.selected || spec.weights.empty()) return {};
  return "from “" + spec.tokens[static_cast<std::size_t>(*spec.selected)] +
         "”: " + line_statement({spec.weights.begin(), spec.weights.begin() + n_keys(spec)}, spec.threshold);
}

Page strip_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  TokenStripSpec spec = strip_tokens(in);
  mark_strip(in, tools, spec);
  PageText heading(in, tools, size.width);
  const std::string head = place_text(in.trace->architecture(), in.at(StageKind::weights));
  const std::string said = strip_statement(spec);
  heading.line({{head, Font::sans_bold, page_size::body, heading.theme().text},
                {said, Font::sans, page_size::small, heading.theme().quiet}},
               12.0F);
  Page page = heading.take();
  constexpr float header = 24.0F;
  // In a file all rows of a long sentence are in sight.
  TokenStripLayout layout = layout_token_strip(
      spec, {0.0F, 0.0F, size.width, std::max(size.height - header, 40.0F)}, tools.measure);
  if (layout.n_visible_rows < layout.n_rows) {
    layout =
        layout_token_strip(spec, {0.0F, 0.0F, size.width, layout.height_of(layout.n_rows)}, tools.measure);
  }
  Page strip{draw_token_strip(spec, layout, theme_of(in.session.picture.theme)), {}};
  strip.figure.width = size.width;
  strip.figure.height = layout.area.h;
  for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
    if (layout.is_visible(static_cast<int>(i))) {
      strip.regions.push_back({layout.boxes[i], TokenArea{static_cast<int>(i)}});
    }
  }
  append(page, strip, 0.0F, header);
  return page;
}

}  // namespace headscope
