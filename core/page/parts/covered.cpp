#include "core/page/parts/covered.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/model/graph.h"
#include "core/text/number_text.h"

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
    return shape_of(each.kind).scope >= StageScope::attention && each.stack == from.stack &&
           each.layer == from.layer && each.attention == from.attention;
  };
  if (!is_beside(stage) || shape_of(from.kind).is_parameter()) return false;
  return std::ranges::any_of(inputs_of(trace, stage), [&](const StageId& input) {
    const StageId own = canonical(trace.architecture(), input);
    return own == from || follows_in_attention(trace, own, from);
  });
}

/// The cover of a stage that follows from the covered one.
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
  following.all = !has_query_rows(*cover.stage) || shape_of(cover.stage->kind).rows == Axis::key_tokens ||
                  size.rows * size.cols > max_cells;
  for (int row = 0; row < size.rows && !following.all; ++row)
    if (cover.hides_in_row(row, size.cols)) following.rows.push_back(row);
  return following;
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
    return is_text ? "“" + label + "”" : what + (" " + label);
  };
  if (is_map(stage.kind)) return name(about.rows, row, "row") + " → " + name(about.cols, col, "column");
  if (about.rows == Axis::single) return name(about.cols, col, "column");
  if (about.cols == Axis::single) return name(about.rows, row, "row");
  return name(about.rows, row, "row") + ", " + name(about.cols, col, "column");
}

namespace {

/// The number of cells that a cover has. It is needed in every frame, and counting takes up to a million
/// steps.
struct CoveredCells {
  Cover cover;
  Extent size;  ///< The size of the covered stage.
  bool operator==(const CoveredCells&) const = default;

  using Answer = std::optional<CoverCount>;
  std::optional<CoverCount> answer() const { return count_covered(cover, size.rows, size.cols); }
};

}  // namespace

std::optional<CoverCount> counted_cells(const PageInputs& in, PageTools& tools) {
  const Cover& cover = in.session.cover;
  if (!cover.stage) return std::nullopt;
  const auto& count = tools.memo.results.now(CoveredCells{cover, in.trace->extent(*cover.stage)});
  return count ? *count : std::nullopt;
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

}  // namespace headscope
