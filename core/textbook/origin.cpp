#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "core/measures/cache_bytes.h"
#include "core/measures/tiled_head.h"
#include "core/model/mask.h"
#include "core/model/parameters.h"
#include "core/model/sampling.h"
#include "core/text/number_text.h"
#include "core/textbook/worked_examples.h"

namespace headscope {
namespace {

using Pass = std::shared_ptr<const Trace>;

constexpr int max_counted = std::numeric_limits<int>::max();

void check_stage(const Trace& pass, const StageId& stage) {
  if (!pass.has(stage)) refuse(failure("the pass has no " + path(stage)));
}

/// The requested indices along one side of a matrix. All indices if none are named.
std::vector<int> asked(const std::vector<int>& named, int n, const char* what) {
  for (const int index : named) {
    if (index >= n)
      refuse(failure(std::string("there is no ") + what + " " + std::to_string(index) + ": there are " +
                     std::to_string(n) + ", counted from 0"));
  }
  if (!named.empty()) return named;
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Takes the selected numbers of a matrix. `row_at` returns a row, which must support indexing.
template <class RowAt>
NumberTable picked(const Quantity& quantity, Extent size, std::size_t max_numbers, const RowAt& row_at) {
  const std::vector<int> rows = asked(quantity.rows, size.rows, "row");
  const std::vector<int> cols = asked(quantity.cols, size.cols, "column");
  if (rows.size() * cols.size() > max_numbers)
    refuse(failure("it has " + grouped(static_cast<long long>(rows.size())) + " × " +
                   grouped(static_cast<long long>(cols.size())) +
                   " numbers, more than a worked example may compute: name fewer rows and columns"));
  NumberTable table{static_cast<int>(rows.size()), static_cast<int>(cols.size()), {}};
  table.values.reserve(rows.size() * cols.size());
  for (const int row : rows) {
    const auto& numbers = row_at(row);
    for (const int col : cols) table.values.push_back(numbers[static_cast<std::size_t>(col)]);
  }
  return table;
}

/// The same for a matrix that is completely in memory.
NumberTable picked(const Quantity& quantity, const NumberTable& whole, std::size_t max_numbers) {
  return picked(quantity, {whole.rows, whole.cols}, max_numbers,
                [&](int row) { return whole.values.data() + whole.index(row, 0); });
}

/// The stage with this path, or the stage of this name at the selected place.
StageId stage_named(const JsonFields& fields, const std::string& name, const Selection& selection) {
  if (const auto whole = parse_path(name)) return *whole;
  if (const auto kind = parse_stage_kind(name)) return selection.at(*kind);
  fields.reject("there is no stage “" + name + "”");
}

NumberTable numbers_of_stages(const std::vector<StageId>& stages, const Quantity& quantity, const Trace& pass,
                              std::size_t max_numbers) {
  NumberTable all;
  for (const StageId& stage : stages) {
    check_stage(pass, stage);
    const Extent size = pass.extent(stage);
    std::vector<double> numbers(static_cast<std::size_t>(size.cols));
    all.append(
        picked(quantity, size, max_numbers - all.values.size(), [&](int row) -> const std::vector<double>& {
          const StageNumbers read = pass.read(stage, {row, 0, 1, size.cols});
          std::ranges::copy(read.view.row(0), numbers.begin());
          return numbers;
        }));
  }
  return all;
}

Origin read_stages(const JsonFields& fields, const Selection& selection) {
  Origin origin;
  const std::vector<std::string> names = fields.texts("stage");
  if (names.empty()) fields.reject(fields.name("stage") + " is empty: name at least one stage");
  origin.stages.reserve(names.size());
  for (const std::string& name : names) origin.stages.push_back(stage_named(fields, name, selection));
  origin.name = info(origin.stages.front().kind).name;
  origin.page = PageName::explore;
  origin.numbers = [stages = origin.stages](const Quantity& quantity, const Session&, const Pass& pass,
                                            std::size_t max_numbers) {
    return numbers_of_stages(stages, quantity, *pass, max_numbers);
  };
  return origin;
}

Origin read_visible(const JsonFields& fields, const Selection& selection) {
  const std::string name = fields.text("visible");
  const StageId head = stage_named(fields, name, selection);
  if (!is_map(head.kind))
    fields.reject(fields.name("visible") + " is “" + name +
                  "”, but must be a map of queries and keys, such as masked");
  StageId masked = head;
  masked.kind = StageKind::masked;
  Origin origin{.name = "mask", .stages = {masked}, .page = PageName::explore};
  origin.numbers = [head](const Quantity& quantity, const Session&, const Pass& pass,
                          std::size_t max_numbers) {
    check_stage(*pass, head);
    const Extent size = pass->extent(head);
    const CombinedMask& mask = pass->mask(head);
    std::vector<double> visible(static_cast<std::size_t>(size.cols));
    return picked(quantity, size, max_numbers, [&](int query) -> const std::vector<double>& {
      for (std::size_t key = 0; key < visible.size(); ++key)
        visible[key] = mask.is_visible(head.head, query, static_cast<int>(key)) ? 1.0 : 0.0;
      return visible;
    });
  };
  return origin;
}

Origin read_candidates(const JsonFields& fields) {
  const std::string what = fields.text("candidates");
  const bool are_logits = what == "logits";
  if (!are_logits && what != "probabilities")
    fields.reject(fields.name("candidates") + " is “" + what + "”, but must be logits or probabilities");
  const int token = fields.whole("after", 0, 0, max_counted);
  const StageId logits{.kind = StageKind::logits};
  Origin origin{.name = "next word", .stages = {logits}, .page = PageName::words};
  origin.numbers = [=](const Quantity& quantity, const Session& session, const Pass& pass,
                       std::size_t max_numbers) {
    check_stage(*pass, logits);
    const Extent extent = pass->extent(logits);
    if (token >= extent.rows)
      refuse(failure("there is no token " + std::to_string(token) + " to predict the next word after"));
    const StageNumbers row = pass->read_row(logits, token);
    NumberTable table{1, extent.cols, {}};
    table.values.resize(static_cast<std::size_t>(extent.cols),
                        are_logits ? -std::numeric_limits<double>::infinity() : 0.0);
    for (const Candidate& each : candidates(row.view.row(0), session.sampling)) {
      table.values[static_cast<std::size_t>(each.word)] =
          are_logits ? static_cast<double>(row.view(0, each.word)) : each.probability;
    }
    return picked(quantity, table, max_numbers);
  };
  return origin;
}

Origin read_tile(const JsonFields& fields, const Selection& selection) {
  const std::string what = fields.text("of");
  if (what != "maximum" && what != "sum" && what != "output")
    fields.reject(fields.name("of") + " is “" + what + "”, but must be maximum, sum or output");
  const StageId scores = selection.at(StageKind::masked);
  const int step = fields.whole("step", 1, 1, max_counted);
  fields.reject_unread_fields();
  Origin origin{.name = "tile " + std::to_string(step) + ": " + what, .page = PageName::tiles, .step = step};
  origin.numbers = [=](const Quantity& quantity, const Session& session, const Pass& pass,
                       std::size_t max_numbers) {
    check_stage(*pass, scores);
    const TiledHead head{pass, scores, session.tiles.queries, session.tiles.keys};
    const ScoreTiles grid = score_tiles(head).finish();
    if (step > grid.n_tiles())
      refuse(failure(grid.n_tiles() == 1 ? "there is only 1 tile"
                                         : "there are only " + std::to_string(grid.n_tiles()) + " tiles"));
    const OnlineSoftmax kept = tile_state(head, step - 1).kept;
    if (what == "output")
      return picked(quantity, NumberTable{kept.rows(), kept.width, kept.output}, max_numbers);
    return picked(quantity, NumberTable{kept.rows(), 1, what == "sum" ? kept.sum : kept.maximum},
                  max_numbers);
  };
  return origin;
}

Origin read_count(const JsonFields& fields) {
  std::vector<StageKind> kinds;  // If empty, all parameters count.
  const std::vector<std::string> names = fields.texts("kinds");
  kinds.reserve(names.size());
  for (const std::string& name : names) {
    // A name is the last part of a path. If a stage and a parameter have the same name, the whole path is
    // needed.
    const auto whole = parse_path(name);
    const auto kind = whole ? std::optional(whole->kind) : parse_stage_kind(name);
    if (!kind) fields.reject("there is no parameter “" + name + "”");
    kinds.push_back(*kind);
  }
  const std::string under = fields.text("under", "");          // Counts only paths with this prefix.
  const int words = fields.whole("words", 0, 0, max_counted);  // Rows of the embedding table.
  fields.reject_unread_fields();
  Origin origin{.name = "count", .needs_pass = false, .counts_parameters = true};
  origin.numbers = [=](const Quantity& quantity, const Session& session, const Pass&,
                       std::size_t max_numbers) {
    std::int64_t count = 0;
    for (const NamedParameter& each : layout_of(session.architecture, words).named) {
      const auto id = parse_path(each.path);
      const bool is_kind = kinds.empty() || (id && std::ranges::find(kinds, id->kind) != kinds.end());
      if (is_kind && each.path.starts_with(under)) count += static_cast<std::int64_t>(each.rows) * each.cols;
    }
    return picked(quantity, NumberTable{1, 1, {static_cast<double>(count)}}, max_numbers);
  };
  return origin;
}

double read_cache_bytes(const JsonFields& fields) {
  const auto whole = [&](const char* key, std::int64_t missing) -> std::int64_t {
    return fields.whole(key, static_cast<int>(missing), 0, max_counted);
  };
  CacheShape shape;
  CacheLoad load;
  shape.layers = whole("layers", 1);
  shape.window = whole("window", 0);
  const std::int64_t full = whole("full_a_group", 1);
  if (const int windows = fields.whole("windows_a_group", 0, 0, max_counted); windows > 0)
    shape.window_layers = window_layers(shape.layers, windows, full);
  shape.kv_heads = whole("kv_heads", 1);
  shape.key_width = whole("key_width", 1);
  shape.value_width = whole("value_width", shape.key_width);
  load.tokens = whole("tokens", 0);
  load.batch = whole("batch", 1);
  load.bytes_per_number = whole("bytes_per_number", load.bytes_per_number);
  fields.reject_unread_fields();
  return cache_bytes(shape, load);
}

/// Reads one cache or a list of caches.
Origin read_caches(const JsonFields& fields) {
  const std::vector<JsonFields> list = fields.objects("cache");
  if (list.empty()) fields.reject(fields.name("cache") + " is empty, but must describe at least one cache");
  NumberTable bytes{static_cast<int>(list.size()), 1, {}};
  bytes.values.reserve(list.size());
  for (const JsonFields& each : list) bytes.values.push_back(read_cache_bytes(each));
  Origin origin{.name = "cache", .needs_pass = false};
  origin.numbers = [bytes](const Quantity& quantity, const Session&, const Pass&, std::size_t max_numbers) {
    return picked(quantity, bytes, max_numbers);
  };
  return origin;
}

}  // namespace

void NumberTable::append(const NumberTable& below) {
  if (rows > 0 && cols != below.cols) refuse(failure("its matrices differ in their columns"));
  cols = below.cols;
  rows += below.rows;
  values.insert(values.end(), below.values.begin(), below.values.end());
}

Origin read_origin(const JsonFields& fields, const Selection& selection) {
  if (fields.find("stage") != nullptr) return read_stages(fields, selection);
  if (fields.find("visible") != nullptr) return read_visible(fields, selection);
  if (fields.find("candidates") != nullptr) return read_candidates(fields);
  if (fields.find("tile") != nullptr) return read_tile(fields.inside("tile"), selection);
  if (fields.find("count") != nullptr) return read_count(fields.inside("count"));
  if (fields.find("cache") != nullptr) return read_caches(fields);
  fields.reject(fields.name("stage") +
                " is missing, and so are visible, candidates, tile, count and cache: give one of them");
}

}  // namespace headscope
