#include <array>

#include "core/trace/attention_parameter_stages.h"
#include "core/trace/feed_forward_stages.h"
#include "core/trace/foreign_stages.h"
#include "core/trace/input_stages.h"
#include "core/trace/latent_stages.h"
#include "core/trace/linear_stages.h"
#include "core/trace/output_stages.h"
#include "core/trace/parameter_stages.h"
#include "core/trace/prediction_stages.h"
#include "core/trace/projection_stages.h"
#include "core/trace/score_stages.h"
#include "core/trace/weight_stages.h"

namespace headscope {
namespace {

constexpr std::size_t n_kinds = enum_count<StageKind>;

using Records = std::array<StageRecord, n_kinds>;

/// The records of all families, each at the index of its kind.
template <class... Families>
consteval Records joined(const Families&... families) {
  static_assert((std::tuple_size_v<Families> + ...) == n_kinds, "one record for each kind of stage");
  Records records;
  const auto place = [&records](const auto& family) {
    for (const StageRecord& record : family) {
      StageRecord& placed = records.at(index_of(record.info.kind));
      placed = record;
      const StageShape& shape = shape_of(record.info.kind);
      placed.info.scope = shape.scope;
      placed.info.name = shape.name;
      placed.info.rows = shape.rows;
      placed.info.cols = shape.cols;
      placed.info.is_parameter = shape.is_parameter;
      placed.info.of_group = shape.of_group;
    }
  };
  (place(families), ...);
  return records;
}

constexpr Records records =
    joined(stages::input_stages, stages::foreign_stages, stages::latent_stages, stages::projection_stages,
           stages::linear_stages, stages::score_stages, stages::weight_stages, stages::output_stages,
           stages::output_norm_stages, stages::feed_forward_stages, stages::prediction_stages,
           stages::parameter_stages, stages::attention_parameter_stages, stages::feed_forward_parameters);

consteval bool each_kind_has_its_record() {
  for (std::size_t i = 0; i < n_kinds; ++i) {
    if (index_of(records.at(i).info.kind) != i || records.at(i).info.name.empty()) return false;
  }
  return true;
}
static_assert(each_kind_has_its_record(), "no kind has two records");

consteval bool is_complete(const StageRecord& record) {
  const StageInfo& line = record.info;
  const bool is_said =
      !line.symbol.empty() && !line.title.empty() && !line.formula.empty() && !line.meaning.empty();
  return is_said && (line.batch_einsum.empty() || !line.einsum.empty());
}

[[maybe_unused]] consteval bool all_are_complete() {
  for (const StageRecord& record : records) {
    if (!is_complete(record)) return false;
  }
  return true;
}
// With -fsanitize=undefined, GCC cannot compare functions with null in a constant expression (GCC bug 71962).
#ifndef __SANITIZE_ADDRESS__
static_assert(all_are_complete(), "a record says what it is");
#endif

constexpr auto infos = [] {
  std::array<StageInfo, n_kinds> lines;
  for (std::size_t i = 0; i < n_kinds; ++i) lines.at(i) = records.at(i).info;
  return lines;
}();

}  // namespace

std::string_view axis_name(Axis axis) {
  switch (axis) {
    case Axis::query_tokens:
    case Axis::key_tokens:
      return "tokens";
    case Axis::d_model:
    case Axis::kv_input:
    case Axis::output_row:
      return "d_model";
    case Axis::embedding:
      return "d_embedding";
    case Axis::segments:
      return "segments";
    case Axis::d_head:
    case Axis::own_key:
      return "d_head";
    case Axis::latent:
      return "d_latent";
    case Axis::shared_key:
      return "d_rotary";
    case Axis::d_value:
      return "d_value";
    case Axis::concat:
      return "heads × d_value";
    case Axis::d_ff:
      return "d_ff";
    case Axis::vocabulary:
      return "vocabulary";
    case Axis::table_rows:
      return "ids";
    case Axis::position_rows:
      return "positions";
    case Axis::position_cols:
      return "dimensions";
    case Axis::single:
      break;
  }
  return "rows";
}

Axis axis_in(const Architecture& architecture, Axis axis) {
  const Axis embedding = architecture.projects_embedding() ? Axis::embedding : Axis::d_model;
  switch (axis) {
    case Axis::kv_input:
      return architecture.kv_latent ? Axis::latent : Axis::d_model;
    case Axis::embedding:
      return embedding;
    case Axis::output_row:
      return architecture.has_output_transform() ? embedding : Axis::d_model;
    default:
      return axis;
  }
}

const StageRecord& record_of(StageKind kind) {
  return records[index_of(kind)];
}

const StageInfo& info(StageKind kind) {
  return infos[index_of(kind)];
}

std::string einsum_text(StageKind kind) {
  const StageInfo& line = info(kind);
  if (line.einsum.empty()) return {};
  std::string text = "einsum " + std::string(line.einsum);
  if (!line.batch_einsum.empty()) text.append(", with a batch ").append(line.batch_einsum);
  return text;
}

std::span<const StageInfo> all_stage_kinds() {
  return infos;
}

}  // namespace headscope
