#include "core/page/parts/covered.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "core/figure/pages.h"
#include "core/model/graph.h"
#include "core/page/lines/lines_page.h"
#include "core/text/number_text.h"
#include "core/trace/cover.h"

namespace headscope {

bool has_hidden(const Cover& cover, const Explanation::Source& source, const Extent& size) {
  const int first_row = source.row.value_or(0);
  const int last_row = source.row.value_or(size.rows - 1);
  const int first_col = source.col.value_or(0);
  const int last_col = source.col.value_or(size.cols - 1);
  for (int row = first_row; row <= last_row; ++row) {
    for (int col = first_col; col <= last_col; ++col) {
      if (cover.hides(row, col)) return true;
    }
  }
  return false;
}

namespace {

/// Whether both stages are in one attention and one of them is computed from the other, directly or through
/// others of this attention. Heads that share keys and values have the stages of the first of them.
bool follows_in_attention(const Trace& trace, const StageId& stage, const StageId& from) {
  const auto is_beside = [&](const StageId& each) {
    return info(each.kind).scope >= StageScope::attention && each.stack == from.stack &&
           each.layer == from.layer && each.attention == from.attention;
  };
  if (!is_beside(stage) || info(from.kind).is_parameter()) return false;
  return std::ranges::any_of(inputs_of(trace, stage), [&](const StageId& input) {
    const StageId own = canonical(trace.architecture(), input);
    return own == from || follows_in_attention(trace, own, from);
  });
}

Cover following_cover(const Trace& trace, const Cover& cover, const StageId& stage) {
  const Extent size = trace.extent(*cover.stage);
  if (!hides_any(cover, size.rows, size.cols)) return {};
  Cover following;
  following.stage = stage;
  const Op op = trace.graph().op(stage);
  if (is_map(cover.stage->kind) && (op == Op::scale || op == Op::cap || op == Op::mask)) {
    following = cover;
    following.stage = stage;
    return following;
  }
  // Scanning larger stages in every frame would be too slow, and hidden keys enter every row.
  constexpr int max_cells = 4096;
  following.all = !has_query_rows(*cover.stage) || info(cover.stage->kind).rows == Axis::key_tokens ||
                  size.rows * size.cols > max_cells;
  for (int row = 0; row < size.rows && !following.all; ++row)
    if (cover.hides_in_row(row, size.cols)) following.rows.push_back(row);
  return following;
}

/// The numbers of covered and of found cells. Empty if nothing is covered or there are too many to count.
std::optional<CoverCount> counted_cells(const PageInputs& in, PageTools& tools) {
  const Cover& cover = in.session.cover;
  if (!cover.stage) return std::nullopt;
  // It is needed in every frame, and counting takes up to a million steps.
  const Extent size = in.trace->extent(*cover.stage);
  const auto& count = tools.memo.results.now(Asked<count_covered>{{cover, size.rows, size.cols}});
  return count ? *count : std::nullopt;
}

/// Whether numbers of one of these kinds are hidden at a place.
bool hides_at(const PageInputs& in, StageId place, std::initializer_list<StageKind> kinds) {
  return std::ranges::any_of(kinds, [&](StageKind kind) {
    place.kind = kind;
    return in.trace->has(place) && cover_of(in, place).stage;
  });
}

/// The same for the selected head.
bool hides_in_head(const PageInputs& in, std::initializer_list<StageKind> kinds) {
  return std::ranges::any_of(kinds, [&](StageKind kind) { return hides_at(in, in.at(kind), {kind}); });
}

bool hides_weights(const PageInputs& in, const StageId& head) {
  return hides_at(in, head, {StageKind::weights, StageKind::dropped});
}

bool lines_reveal_covered(const PageInputs& in) {
  return std::ranges::any_of(line_heads(in), [&](const HeadIndex& head) {
    const StageId lined = with_head(in.at(line_stage_kind(in)), head);
    return hides_weights(in, lined) || hides_at(in, lined, {lined.kind});
  });
}

/// A compared subject may show the same numbers, and a difference reveals one number through the other.
bool comparison_reveals_covered(const PageInputs& in) {
  if (in.session.compared.empty()) return false;
  const StageKind shown = in.session.selection.stage;
  if (hides_in_head(in, {shown})) return true;
  const StageId& covered = *in.session.cover.stage;
  return covered.kind == shown && std::ranges::any_of(in.session.compared, [&](const Subject& compared) {
           return covered == canonical(compared.architecture, compared.selection.at(covered.kind));
         });
}

/// It shows the scores of every head, and its heading names the key with the greatest weight of the selected
/// one.
bool split_reveals_covered(const PageInputs& in) {
  StageId raw = in.at(StageKind::raw);
  for (raw.head = 0; raw.head < in.trace->architecture().n_heads; ++raw.head) {
    if (hides_at(in, raw, {StageKind::raw})) return true;
    const StageId scaled = with_kind(raw, StageKind::scaled);
    const StageId& covered = *in.session.cover.stage;
    const std::vector<StageId> from = inputs_of(*in.trace, raw);
    if (covered == scaled || std::ranges::find(from, covered) != from.end()) return true;
  }
  return hides_weights(in, in.at(StageKind::weights));
}

/// Whether the pictures of a page reveal numbers of the covered stage even if its cells are empty.
bool page_reveals_covered(const PageInputs& in, PageName page) {
  using enum StageKind;
  const StageKind covered = in.session.cover.stage->kind;
  const bool is_predicted = covered == logits || covered == probabilities;
  switch (page) {
    case PageName::lines:
      return lines_reveal_covered(in);
    case PageName::compare:
      return comparison_reveals_covered(in);
    case PageName::scale:
      return hides_in_head(in, {weights, dropped, sink_share});
    case PageName::split:
      return split_reveals_covered(in);
    case PageName::tiles:
      return hides_in_head(in, {masked, output});
    case PageName::watch:  // All that it shows leads to the head's output.
      return hides_in_head(in, {output});
    case PageName::experts:
      return covered == router_logits || covered == shared_gate || covered == expert_shares;
    case PageName::words:
      return is_predicted;
    case PageName::effects:  // Its sentences name the answer, and the weight that the head gives to its word.
      return is_predicted || hides_weights(in, in.at(weights));
    default:
      return false;
  }
}

}  // namespace

Cover cover_of(const PageInputs& in, const StageId& stage) {
  const StageId own = canonical(in.trace->architecture(), stage);
  const Cover& cover = in.session.cover;
  if (!cover.stage || cover.is_over(own)) return cover.is_over(own) ? cover : Cover{};
  if (cover.solution || !in.trace->has(*cover.stage) || !follows_in_attention(*in.trace, own, *cover.stage))
    return {};
  return following_cover(*in.trace, cover, own);
}

bool is_hidden(const PageInputs& in, const Pin& cell) {
  return cover_of(in, cell.stage).hides(cell.row, cell.col);
}

bool hides_weights_of(const PageInputs& in, int query, int n_keys) {
  const Cover& cover = in.session.cover;
  const auto is_over = [&](StageKind kind) { return cover.is_over(in.at(kind)); };
  if (std::ranges::any_of(std::array{StageKind::raw, StageKind::scaled, StageKind::capped, StageKind::masked},
                          is_over))
    return !cover.solution;
  return (is_over(StageKind::weights) || is_over(StageKind::dropped)) && cover.hides_in_row(query, n_keys);
}

bool uses_hidden(const PageInputs& in, const Explanation& explanation) {
  const Cover& cover = in.session.cover;
  if (!cover.stage || cover.solution) return false;
  // The derivation of a map's cell reveals the same cell of every map that it goes through.
  const StageId& hidden = *cover.stage;
  const StageId here = canonical(in.trace->architecture(),
                                 StageId{hidden.kind, explanation.stage.stack, explanation.stage.layer,
                                         explanation.stage.attention, explanation.stage.head});
  const bool is_before =
      is_map(explanation.stage.kind) && is_map(hidden.kind) && hidden.kind < explanation.stage.kind;
  if (is_before && hidden == here && cover.hides(explanation.row, explanation.col)) return true;
  const Extent size = in.trace->extent(*cover.stage);
  return std::ranges::any_of(explanation.sources, [&](const Explanation::Source& source) {
    return cover.is_over(canonical(in.trace->architecture(), source.stage)) &&
           has_hidden(cover, source, size);
  });
}

std::optional<std::size_t> asked_in_strip(const Trace& trace, const Explanation& explanation,
                                          const Explanation::Strip& strip) {
  const Extent size = trace.extent(explanation.stage);
  if (strip.is_computed || !is_map(explanation.stage.kind) || strip.names.size() != strip.values.size())
    return std::nullopt;
  const auto n = static_cast<int>(strip.values.size());
  for (const auto& [length, place] : {std::pair(size.cols, explanation.col), {size.rows, explanation.row}}) {
    if (length != n) continue;
    const auto index = static_cast<std::size_t>(place);
    const auto held = static_cast<double>(strip.values[index]);
    const bool is_asked = std::ranges::any_of(explanation.steps, [&](const Explanation::Step& step) {
      constexpr double rounding = 1e-5;
      const bool is_same =
          step.value == held || std::abs(step.value - held) <= rounding * std::max(1.0, std::abs(held));
      return is_same && !step.cell;
    });
    if (is_asked) return index;
  }
  return std::nullopt;
}

std::string name_of_cell(const Trace& trace, const StageId& stage, int row, int col) {
  const StageInfo& about = info(stage.kind);
  const auto name = [&](Axis axis, int index, const char* what) {
    const std::string label = trace.label(stage, axis, index);
    const bool is_text = is_token_axis(axis) || axis == Axis::vocabulary;
    return is_text ? quoted_word(label) : what + (" " + label);
  };
  if (is_map(stage.kind)) return name(about.rows, row, "row") + " → " + name(about.cols, col, "column");
  if (about.rows == Axis::single) return name(about.cols, col, "column");
  if (about.cols == Axis::single) return name(about.rows, row, "row");
  return name(about.rows, row, "row") + ", " + name(about.cols, col, "column");
}

std::string cover_statement(const PageInputs& in, const StageId& stage, PageTools& tools) {
  const Cover& cover = in.session.cover;
  if (!cover.is_over(canonical(in.trace->architecture(), stage))) return {};
  const auto count = counted_cells(in, tools);
  if (!count) return "Covered.";
  if (cover.solution) return "Solution: " + count_text(count->covered, "number") + " in a frame.";
  if (count->covered > 0 && count->right == count->covered)
    return "All " + grouped(count->covered) + " found.";
  return grouped(count->right) + " of " + grouped(count->covered) + " found.";
}

bool has_hidden_number(const PageInputs& in, const StageId& stage, PageTools& tools) {
  const Cover& cover = in.session.cover;
  if (cover.solution) return false;
  if (!cover.is_over(canonical(in.trace->architecture(), stage)))
    return cover_of(in, stage).stage.has_value();
  const auto count = counted_cells(in, tools);
  return !count || count->right < count->covered;
}

std::string reason_covered(const PageInputs& in, PageName page, PageTools& tools) {
  const auto& stage = in.session.cover.stage;
  if (!stage || !has_hidden_number(in, *stage, tools) || !page_reveals_covered(in, page)) return {};
  return "Some numbers of “" + stage_title(*in.trace, *stage) +
         "” are covered: uncover them to see this page.";
}

std::optional<HeadIndex> covered_head(const PageInputs& in, PageTools& tools) {
  const auto& stage = in.session.cover.stage;
  const Selection& selection = in.session.selection;
  if (!stage || stage->stack != selection.stack || stage->attention != selection.attention ||
      !has_hidden_number(in, *stage, tools))
    return std::nullopt;
  const StageId weights{StageKind::weights, stage->stack, stage->layer, stage->attention, stage->head};
  return hides_weights(in, weights) ? std::optional(HeadIndex{stage->layer, stage->head}) : std::nullopt;
}

}  // namespace headscope
