#include "core/textbook/origin_numbers.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/measures/tiled_head.h"
#include "core/model/mask.h"
#include "core/model/parameters.h"
#include "core/model/sampling.h"
#include "core/overloaded.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

using Tables = Result<std::vector<NumberTable>>;

tl::unexpected<Error> no_stage(const StageId& stage) {
  return failure("the pass has no " + path(stage));
}

/// The requested indices along one side of a matrix. All indices if none are named.
Result<std::vector<int>> asked(const std::vector<int>& named, int n, const char* what) {
  for (const int index : named) {
    if (index >= n)
      return failure(std::string("there is no ") + what + " " + std::to_string(index) + ": there are " +
                     std::to_string(n) + ", counted from 0");
  }
  if (!named.empty()) return named;
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Takes the selected numbers of a matrix. `row_at` returns a row, which must support indexing.
template <class RowAt>
Result<NumberTable> picked(const Quantity& quantity, Extent size, std::size_t max_numbers,
                           const RowAt& row_at) {
  const auto rows = asked(quantity.rows, size.rows, "row");
  if (!rows) return tl::unexpected(rows.error());
  const auto cols = asked(quantity.cols, size.cols, "column");
  if (!cols) return tl::unexpected(cols.error());
  if (rows->size() * cols->size() > max_numbers)
    return failure("it has " + grouped(static_cast<long long>(rows->size())) + " × " +
                   grouped(static_cast<long long>(cols->size())) +
                   " numbers, more than a worked example may compute: name fewer rows and columns");
  NumberTable table{static_cast<int>(rows->size()), static_cast<int>(cols->size()), {}};
  table.values.reserve(rows->size() * cols->size());
  for (const int row : *rows) {
    const auto& numbers = row_at(row);
    for (const int col : *cols) table.values.push_back(numbers[static_cast<std::size_t>(col)]);
  }
  return table;
}

/// The same for a matrix that is completely in memory.
Tables picked(const Quantity& quantity, const NumberTable& whole, std::size_t max_numbers) {
  return picked(quantity, {whole.rows, whole.cols}, max_numbers,
                [&](int row) { return whole.values.data() + whole.index(row, 0); })
      .map([](NumberTable&& table) { return std::vector{std::move(table)}; });
}

Tables numbers_of_stages(const origin::Stages& origin, const Quantity& quantity, const Trace& pass,
                         std::size_t max_numbers) {
  std::vector<NumberTable> tables;
  tables.reserve(origin.stages.size());
  for (const StageId& stage : origin.stages) {
    if (!pass.has(stage)) return no_stage(stage);
    const Extent size = pass.extent(stage);
    std::vector<double> numbers(static_cast<std::size_t>(size.cols));
    auto table = picked(quantity, size, max_numbers, [&](int row) -> const std::vector<double>& {
      const StageNumbers read = pass.read(stage, {row, 0, 1, size.cols});
      std::ranges::copy(read.view.row(0), numbers.begin());
      return numbers;
    });
    if (!table) return tl::unexpected(table.error());
    max_numbers -= table->values.size();
    tables.push_back(std::move(*table));
  }
  return tables;
}

Tables numbers_of_mask(const origin::Visible& origin, const Quantity& quantity, const Trace& pass,
                       std::size_t max_numbers) {
  if (!pass.has(origin.head)) return no_stage(origin.head);
  const Extent size = pass.extent(origin.head);
  const CombinedMask& mask = pass.mask(origin.head);
  std::vector<double> visible(static_cast<std::size_t>(size.cols));
  auto table = picked(quantity, size, max_numbers, [&](int query) -> const std::vector<double>& {
    for (std::size_t key = 0; key < visible.size(); ++key)
      visible[key] = mask.is_visible(origin.head.head, query, static_cast<int>(key)) ? 1.0 : 0.0;
    return visible;
  });
  if (!table) return tl::unexpected(table.error());
  return std::vector{std::move(*table)};
}

Tables numbers_of_candidates(const origin::Candidates& origin, const Quantity& quantity,
                             const Session& session, const Trace& pass, std::size_t max_numbers) {
  const StageId logits{.kind = StageKind::logits};
  if (!pass.has(logits)) return no_stage(logits);
  const Extent extent = pass.extent(logits);
  if (origin.row >= extent.rows)
    return failure("there is no token " + std::to_string(origin.row) + " to predict the next word after");
  const StageNumbers row = pass.read_row(logits, origin.row);
  NumberTable table{1, extent.cols, {}};
  table.values.resize(static_cast<std::size_t>(extent.cols),
                      origin.logits ? -std::numeric_limits<double>::infinity() : 0.0);
  for (const Candidate& each : candidates(row.view.row(0), session.sampling)) {
    table.values[static_cast<std::size_t>(each.word)] =
        origin.logits ? static_cast<double>(row.view(0, each.word)) : each.probability;
  }
  return picked(quantity, table, max_numbers);
}

Tables numbers_of_tile(const origin::Tile& origin, const Quantity& quantity, const Session& session,
                       const std::shared_ptr<const Trace>& pass, std::size_t max_numbers) {
  if (!pass->has(origin.scores)) return no_stage(origin.scores);
  const TiledHead head{pass, origin.scores, session.tiles.queries, session.tiles.keys};
  const ScoreTiles grid = score_tiles(head).finish();
  if (origin.step > grid.n_tiles())
    return failure(grid.n_tiles() == 1 ? "there is only 1 tile"
                                       : "there are only " + std::to_string(grid.n_tiles()) + " tiles");
  const OnlineSoftmax kept = tile_state(head, grid, origin.step - 1).kept;
  using What = origin::Tile::What;
  if (origin.what == What::output)
    return picked(quantity, NumberTable{kept.rows(), kept.width, kept.output}, max_numbers);
  return picked(quantity, NumberTable{kept.rows(), 1, origin.what == What::sum ? kept.sum : kept.maximum},
                max_numbers);
}

NumberTable count_of(const origin::Count& origin, const Session& session) {
  std::int64_t count = 0;
  for (const NamedParameter& each : layout_of(session.architecture, origin.words).named) {
    const auto id = parse_path(each.path);
    const bool is_kind =
        origin.kinds.empty() || (id && std::ranges::find(origin.kinds, id->kind) != origin.kinds.end());
    if (is_kind && each.path.starts_with(origin.under))
      count += static_cast<std::int64_t>(each.rows) * each.cols;
  }
  return {1, 1, {static_cast<double>(count)}};
}

NumberTable bytes_of(const origin::Cache& origin) {
  NumberTable table{static_cast<int>(origin.caches.size()), 1, {}};
  table.values.reserve(origin.caches.size());
  for (const origin::Cache::Filled& each : origin.caches)
    table.values.push_back(cache_bytes(each.shape, each.load));
  return table;
}

}  // namespace

bool needs_pass(const Origin& origin) {
  return !std::holds_alternative<origin::Count>(origin) && !std::holds_alternative<origin::Cache>(origin);
}

Result<std::vector<NumberTable>> numbers_of(const Quantity& quantity, const Session& session,
                                            const std::shared_ptr<const Trace>& pass,
                                            std::size_t max_numbers) {
  return std::visit(
      Overloaded{
          [&](const origin::Stages& o) { return numbers_of_stages(o, quantity, *pass, max_numbers); },
          [&](const origin::Visible& o) { return numbers_of_mask(o, quantity, *pass, max_numbers); },
          [&](const origin::Candidates& o) {
            return numbers_of_candidates(o, quantity, session, *pass, max_numbers);
          },
          [&](const origin::Tile& o) { return numbers_of_tile(o, quantity, session, pass, max_numbers); },
          [&](const origin::Count& o) { return picked(quantity, count_of(o, session), max_numbers); },
          [&](const origin::Cache& o) { return picked(quantity, bytes_of(o), max_numbers); },
      },
      quantity.origin);
}

}  // namespace headscope
