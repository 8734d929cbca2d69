#include "core/session/place_cover.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/session/repair.h"

namespace headscope {
namespace {

bool counts_within(int index, int size) {
  return index >= 0 && index < size;
}

void keep_indices(std::vector<int>& indices, int size) {
  std::erase_if(indices, [size](int index) { return !counts_within(index, size); });
  std::ranges::sort(indices);
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
}

void keep_cells(std::vector<StageCell>& cells, int rows, int cols) {
  std::erase_if(cells, [rows, cols](const StageCell& cell) {
    return !counts_within(cell.row, rows) || !counts_within(cell.col, cols);
  });
  std::ranges::sort(cells);
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
}

}  // namespace

Cover placed_cover(const Session& session) {
  Cover cover = session.cover;
  const int n_heads = std::max(session.architecture.n_heads, 1);
  if (!cover.stage || !is_in_model(session.architecture, *cover.stage) ||
      !counts_within(cover.stage->head, n_heads)) {
    return {};
  }
  cover.stage = canonical(session.architecture, normalized(*cover.stage));
  const StageInfo& stage = info(cover.stage->kind);
  const int rows = axis_size(session, *cover.stage, stage.rows);
  const int cols = axis_size(session, *cover.stage, stage.cols);
  keep_indices(cover.rows, rows);
  keep_indices(cover.columns, cols);
  keep_cells(cover.cells, rows, cols);
  keep_cells(cover.except, rows, cols);
  keep_cells(cover.right, rows, cols);
  cover.every = std::clamp(cover.every, 0, max_every);
  cover.share = std::isfinite(cover.share) ? std::clamp(cover.share, 0.0F, 1.0F) : 0.0F;
  if (cover.share == 0.0F) cover.seed = 0;
  const bool has_rule = cover.all || !cover.rows.empty() || !cover.columns.empty() || cover.every > 0 ||
                        cover.share > 0.0F || !cover.cells.empty();
  if (!has_rule) return {};
  std::erase_if(cover.right, [&](const StageCell& cell) { return !cover.covers(cell.row, cell.col); });
  return cover;
}

void forget_answers(const Session& before, Session& after) {
  if (after.cover.right.empty()) return;
  Subject compared = after.subject();
  compared.selection = before.selection;
  compared.training = before.training;
  compared.sampling = before.sampling;
  compared.texts = before.texts;
  if (!(compared == before.subject())) after.cover.right.clear();
}

}  // namespace headscope
