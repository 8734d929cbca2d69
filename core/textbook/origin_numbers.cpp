#include "core/textbook/origin_numbers.h"

#include <algorithm>
#include <limits>

#include "core/measures/tiled_head.h"
#include "core/model/mask.h"
#include "core/model/parameters.h"
#include "core/model/sampling.h"
#include "core/overloaded.h"

namespace headscope {
namespace {

using Tables = Result<std::vector<NumberTable>>;

NumberTable sized(int rows, int cols) {
  return {rows, cols, std::vector<double>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols))};
}

NumberTable single(double number) {
  return {1, 1, {number}};
}

NumberTable all_of(const MatrixView& view) {
  NumberTable table = sized(view.rows, view.cols);
  for (int row = 0; row < view.rows; ++row) {
    for (int col = 0; col < view.cols; ++col) table.values[table.index(row, col)] = view(row, col);
  }
  return table;
}

tl::unexpected<Error> no_stage(const StageId& stage) {
  return failure("the pass has no " + path(stage));
}

Tables numbers_of_stages(const origin::Stages& origin, const Trace& pass) {
  std::vector<NumberTable> tables;
  tables.reserve(origin.stages.size());
  for (const StageId& stage : origin.stages) {
    if (!pass.has(stage)) return no_stage(stage);
    tables.push_back(all_of(pass.value(stage)));
  }
  return tables;
}

Tables numbers_of_mask(const origin::Visible& origin, const Trace& pass) {
  if (!pass.has(origin.head)) return no_stage(origin.head);
  const Extent extent = pass.extent(origin.head);
  const CombinedMask& mask = pass.mask(origin.head);
  NumberTable table = sized(extent.rows, extent.cols);
  for (int query = 0; query < extent.rows; ++query) {
    for (int key = 0; key < extent.cols; ++key)
      table.values[table.index(query, key)] = mask.is_visible(origin.head.head, query, key) ? 1.0 : 0.0;
  }
  return std::vector{table};
}

Tables numbers_of_candidates(const origin::Candidates& origin, const Session& session, const Trace& pass) {
  const StageId logits{.kind = StageKind::logits};
  const Extent extent = pass.extent(logits);
  if (origin.row >= extent.rows) return no_stage(logits);
  const StageNumbers row = pass.read(logits, {origin.row, 0, 1, extent.cols});
  NumberTable table = sized(1, extent.cols);
  if (origin.logits) std::ranges::fill(table.values, -std::numeric_limits<double>::infinity());
  for (const Candidate& each : candidates(row.view.row(0), session.sampling)) {
    table.values[static_cast<std::size_t>(each.word)] =
        origin.logits ? static_cast<double>(row.view(0, each.word)) : each.probability;
  }
  return std::vector{table};
}

Tables numbers_of_tile(const origin::Tile& origin, const Session& session,
                       const std::shared_ptr<const Trace>& pass) {
  if (!pass->has(origin.scores)) return no_stage(origin.scores);
  const TiledHead head{pass, origin.scores, session.tiles.queries, session.tiles.keys};
  const ScoreTiles grid = score_tiles(head);
  if (origin.step > grid.n_tiles())
    return failure("there are only " + std::to_string(grid.n_tiles()) + " tiles");
  const OnlineSoftmax kept = tile_state(head, grid, origin.step - 1).kept;
  using What = origin::Tile::What;
  if (origin.what == What::output) return std::vector{NumberTable{kept.rows(), kept.width, kept.output}};
  return std::vector{NumberTable{kept.rows(), 1, origin.what == What::sum ? kept.sum : kept.maximum}};
}

Tables count_of(const origin::Count& origin, const Session& session) {
  std::int64_t count = 0;
  for (const NamedParameter& each : layout_of(session.architecture, origin.words).named) {
    const auto id = parse_path(each.path);
    const bool is_kind =
        origin.kinds.empty() || (id && std::ranges::find(origin.kinds, id->kind) != origin.kinds.end());
    if (is_kind && each.path.starts_with(origin.under))
      count += static_cast<std::int64_t>(each.rows) * each.cols;
  }
  return std::vector{single(static_cast<double>(count))};
}

Tables bytes_of(const origin::Cache& origin) {
  NumberTable table{static_cast<int>(origin.caches.size()), 1, {}};
  table.values.reserve(origin.caches.size());
  for (const origin::Cache::Filled& each : origin.caches)
    table.values.push_back(static_cast<double>(cache_bytes(each.shape, each.load)));
  return std::vector{table};
}

}  // namespace

bool needs_pass(const Origin& origin) {
  return !std::holds_alternative<origin::Count>(origin) && !std::holds_alternative<origin::Cache>(origin);
}

Result<std::vector<NumberTable>> numbers_of(const Origin& origin, const Session& session,
                                            const std::shared_ptr<const Trace>& pass) {
  return std::visit(Overloaded{
                        [&](const origin::Stages& o) { return numbers_of_stages(o, *pass); },
                        [&](const origin::Visible& o) { return numbers_of_mask(o, *pass); },
                        [&](const origin::Candidates& o) { return numbers_of_candidates(o, session, *pass); },
                        [&](const origin::Tile& o) { return numbers_of_tile(o, session, pass); },
                        [&](const origin::Count& o) { return count_of(o, session); },
                        [&](const origin::Cache& o) -> Tables { return bytes_of(o); },
                    },
                    origin);
}

}  // namespace headscope
