#include "core/page/heads/combined_page.h"

#include <algorithm>

#include "core/figure/pages.h"
#include "core/page/parts/covered_page.h"
#include "core/page/parts/page_text.h"
#include "core/page/parts/readable.h"

namespace headscope {
namespace {

std::string named(const std::vector<HeadPlace>& heads) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(heads.size(), most); ++i)
    text += (text.empty() ? "" : ", ") + head_name(heads[i]);
  return heads.size() > most ? text + " and " + std::to_string(heads.size() - most) + " more" : text;
}

std::vector<HeadPlace> combined_heads(const PageInputs& in) {
  const Selection& selection = in.session.selection;
  if (!selection.heads.empty()) return selection.heads;
  std::vector<HeadPlace> heads;
  const int n = in.trace->architecture().n_heads;
  heads.reserve(static_cast<std::size_t>(n));
  for (int head = 0; head < n; ++head) heads.push_back({selection.layer, head});
  return heads;
}

CombinedKey combined_key(const PageInputs& in) {
  const Selection& selection = in.session.selection;
  CombinedKey key{{in.trace, selection.stack, selection.attention}, in.session.heads.combine, 0, {}};
  if (key.combine == Combine::rollout) {
    key.through = selection.layer;
  } else {
    key.heads = combined_heads(in);
  }
  return key;
}

std::string title_of(const PageInputs& in, const CombinedKey& key) {
  const std::string layer = std::to_string(key.through);
  if (key.combine == Combine::rollout)
    return key.through == 0 ? "Attention rollout of layer 0" : "Attention rollout, layers 0 to " + layer;
  const bool is_picked = !in.session.selection.heads.empty();
  const std::string what = key.combine == Combine::mean ? "Mean weights" : "Greatest weights";
  return what + " of " +
         (is_picked ? "heads " + named(key.heads)
                    : "all heads of layer " + std::to_string(in.session.selection.layer));
}

std::string meaning_of(const CombinedKey& key) {
  switch (key.combine) {
    case Combine::rollout:
      return "How much of each token’s input (column) is in a query’s row after layer " +
             std::to_string(key.through) +
             ", if attention alone moved it. A layer is ½ the mean of its heads + ½ the identity, for its residual connection, with rows scaled to sum to 1; the layers are multiplied (Abnar and Zuidema 2020).";
    case Combine::max:
      return "Each cell shows the greatest weight that any of these heads has there; rows need not sum to 1. Ctrl+click picks heads.";
    default:
      return "Each cell shows the mean of these heads’ weights; rows sum to the same as the heads’ rows. Ctrl+click picks heads.";
  }
}

/// Why the map cannot be made. Empty if it can.
std::string why_no_map(const PageInputs& in, const CombinedKey& key) {
  const Extent map = in.trace->extent(in.at(StageKind::weights));
  if (key.combine == Combine::rollout && key.at.kind == AttentionKind::cross) {
    return "Rollout follows tokens through self-attention: choose the encoder’s or the decoder’s own.";
  }
  if (std::max(map.rows, map.cols) > longest_measured) {
    return "Not computed: the text has more than " + std::to_string(longest_measured) + " tokens.";
  }
  for (int layer = 0; layer <= key.through; ++layer) {
    if (!in.trace->has({StageKind::weights, key.at.stack, layer, key.at.kind, 0})) return "Computing…";
  }
  const bool are_there = std::ranges::all_of(key.heads, [&](const HeadPlace& head) {
    return in.trace->has({StageKind::weights, key.at.stack, head.layer, key.at.kind, head.head});
  });
  return are_there ? "" : "Computing…";
}

/// Why the map is hidden: it would reveal the covered weights that it is made from. Empty if it is not
/// hidden.
std::string why_covered(const PageInputs& in, PageTools& tools, const CombinedKey& key) {
  const auto head = covered_head(in, tools);
  if (!head) return {};
  const bool takes = key.combine == Combine::rollout ? head->layer <= key.through
                                                     : std::ranges::find(key.heads, *head) != key.heads.end();
  return takes ? "Some weights of head " + head_name(*head) +
                     " are covered: this map is shown once they are found."
               : "";
}

void find_map(const CombinedKey& key, Work<OwnedMatrix>& found) {
  const StageId place{StageKind::weights, key.at.stack, 0, key.at.kind, 0};
  auto map = key.combine == Combine::rollout ? rollout(*key.at.trace, key.at.stack, key.through, &found.stop)
                                             : combined_weights(*key.at.trace, place, key.heads,
                                                                key.combine == Combine::max, &found.stop);
  if (map) found.value = std::move(*map);
}

HeatmapSpec spec_of(const PageInputs& in, const OwnedMatrix& found, OwnedMatrix& numbers) {
  numbers = found;
  HeatmapSpec spec = unscaled_heatmap(*in.trace, in.at(StageKind::weights), in.session.picture);
  spec.title.clear();
  spec.shape.clear();
  spec.formula.clear();
  spec.source = source_of(numbers.view());
  constexpr bool is_signed = false;
  spec.scale = ColorScale(in.session.picture, is_signed, numbers.view());
  return spec;
}

std::string table_name(const CombinedKey& key) {
  std::string name = "combined " + std::to_string(static_cast<int>(key.combine)) + " " +
                     std::to_string(static_cast<int>(key.at.stack)) +
                     std::to_string(static_cast<int>(key.at.kind)) + " " + std::to_string(key.through);
  for (const HeadPlace& head : key.heads) name += " " + head_name(head);
  return name;
}

}  // namespace

Page combined_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  const CombinedKey key = combined_key(in);
  PageText page(in, tools, size.width);
  page.line({{title_of(in, key), Font::sans_bold, page_size::body, page.theme().text}});
  const std::string hidden = why_covered(in, tools, key);
  const std::string problem = hidden.empty() ? why_no_map(in, key) : hidden;
  if (!problem.empty()) {
    page.paragraph(problem, {}, page_size::body);
    return page.take();
  }
  page.paragraph(meaning_of(key));
  const Extent map = in.trace->extent(in.at(StageKind::weights));
  const auto n_maps =
      std::max(static_cast<int>(key.heads.size()), (key.through + 1) * in.trace->architecture().n_heads);
  const bool is_little = are_few(std::int64_t{map.rows} * map.cols * n_maps);
  const CarryOut at_once = [](const std::function<void()>& job) { job(); };
  const auto* work = tools.memo.heads.combined.get(is_little ? at_once : tools.carry_out, key, find_map);
  if (work == nullptr || work->value.values.empty()) {
    page.paragraph(work == nullptr ? "Computing…" : "It cannot be drawn: " + work->problem, {},
                   page_size::body);
    return page.take();
  }
  TableSpec table;
  table.name = table_name(key);
  table.trace = in.trace;
  table.picture = in.session.picture;
  table.max_cell = 64.0F;
  table.marked_row = in.session.selection.token;
  page.add(table_page(
      tools, "combined", table, [&](OwnedMatrix& numbers) { return spec_of(in, work->value, numbers); },
      page.width(), std::max(size.height - page.y(), 8.0F)));
  return page.take();
}

}  // namespace headscope
