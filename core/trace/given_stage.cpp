#include "core/trace/given_stage.h"

#include <optional>

#include "core/trace/absence.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

using enum StageKind;

/// Of a stage's place, whatever its kind.
Absence absence_of_place(const Architecture& a, const StageId& id) {
  if (id != normalized(id)) return Absence::unused_place;
  if (id.head < 0 || id.head >= a.n_heads) return Absence::head_out_of_range;
  if (id.layer < 0 || id.layer >= a.n_layers) return Absence::layer_out_of_range;
  return absence_of_scope(a, id);
}

constexpr Absence unless_there(bool there, Absence absence) {
  return there ? Absence::none : absence;
}

/// Of a parameter, whatever its place.
Absence absence_of_kind(const Architecture& a, bool has_table, const StageId& id) {
  const bool has_norm = a.norm != Norm::none;
  switch (id.kind) {
    case embedding_table:
      return unless_there(has_table, Absence::no_embedding_table);
    case positions_table:
      return unless_there(a.positions == Positions::learned || a.positions == Positions::relative,
                          Absence::no_positions_table);
    case norm_bias:
      if (has_norm && !a.norms_have_bias()) return Absence::no_norm_bias;
      [[fallthrough]];
    case norm_gain:
      return unless_there(has_norm, Absence::no_norms);
    case feed_forward_norm_bias:
      if (a.feed_forward_has_norm() && !a.norms_have_bias()) return Absence::no_norm_bias;
      [[fallthrough]];
    case feed_forward_norm_gain:
      if (!has_norm || a.d_ff == 0) return Absence::no_norm_around_feed_forward;
      return unless_there(a.feed_forward_has_norm(), Absence::shared_norm);
    case output_norm_bias:
      if (a.norms_outputs() && !a.norms_have_bias()) return Absence::no_norm_bias;
      [[fallthrough]];
    case output_norm_gain:
      return unless_there(a.norms_outputs(), Absence::no_output_norm);
    case feed_forward_output_norm_bias:
      if (a.norms_outputs() && a.d_ff > 0 && !a.norms_have_bias()) return Absence::no_norm_bias;
      [[fallthrough]];
    case feed_forward_output_norm_gain:
      return unless_there(a.norms_outputs() && a.d_ff > 0, Absence::no_output_norm);
    case final_norm_bias:
      if (a.has_final_norm(id.stack) && !a.norms_have_bias()) return Absence::no_norm_bias;
      [[fallthrough]];
    case final_norm_gain:
      return unless_there(a.has_final_norm(id.stack), Absence::no_final_norm);
    case w_output:
      return unless_there(a.output_projection, Absence::no_output_projection);
    case b_output:
      return a.output_projection ? unless_there(a.bias.output, Absence::no_bias)
                                 : Absence::no_output_projection;
    case b_query:
      return unless_there(a.bias.query, Absence::no_bias);
    case b_key:
      return unless_there(a.bias.key, Absence::no_bias);
    case b_value:
      return unless_there(a.bias.value, Absence::no_bias);
    case sink:
      return unless_there(a.sinks, Absence::no_sinks);
    case query_norm_gain:
    case key_norm_gain:
      return unless_there(a.qk_norm, Absence::no_qk_norm);
    case w_gate:
      return unless_there(a.output_gate, Absence::no_output_gate);
    case w_latent:
    case latent_norm_gain:
      return unless_there(a.kv_latent.has_value(), Absence::no_latent);
    case w_shared_key:
      return unless_there(a.shared_key_width(id.attention) > 0, Absence::no_shared_key);
    case w_up:
      if (a.d_ff > 0 && !a.gated) return Absence::not_gated;
      [[fallthrough]];
    case w_1:
    case w_2:
      return unless_there(a.d_ff > 0, Absence::no_feed_forward);
    case b_up:
      if (a.d_ff > 0 && !a.gated) return Absence::not_gated;
      [[fallthrough]];
    case b_1:
    case b_2:
      return a.d_ff == 0 ? Absence::no_feed_forward : unless_there(a.bias.feed_forward, Absence::no_bias);
    case w_logits:
      return unless_there(a.output_layer != OutputLayer::none, Absence::no_output_layer);
    case b_logits:
      return a.output_layer == OutputLayer::none ? Absence::no_output_layer
                                                 : unless_there(a.output_bias, Absence::no_output_bias);
    default:
      return Absence::none;
  }
}

/// What would make an axis as long as what is given; empty where only the numbers can be changed.
std::string cure_of_axis(const Architecture& a, Axis axis, int given) {
  const std::string n = std::to_string(given);
  switch (axis_in(a, axis)) {
    case Axis::query_tokens:
    case Axis::key_tokens:
      return "take a sentence of " + counted(given, "token");
    case Axis::d_model:
      return "set d_model to " + n;
    case Axis::d_head:
      return "set d_head to " + n;
    case Axis::own_key:
      return a.kv_latent ? "" : "set d_head to " + n;
    case Axis::d_value:
      return "set d_value to " + n;
    case Axis::latent:
      return "set kv_latent to " + n;
    case Axis::d_ff:
      return "set d_ff to " + n;
    default:
      return {};
  }
}

std::string numbers_text(int rows, int cols) {
  return counted(rows, "row") + " of " + counted(cols, "number");
}

std::string does_not_fit(const Architecture& a, const StageId& id, const Extent& size,
                         const GivenMatrix& matrix) {
  const OwnedMatrix& given = *matrix.numbers;
  const StageInfo& line = info(id.kind);
  std::string message = matrix.path + " takes " + numbers_text(size.rows, size.cols) + ", but " +
                        numbers_text(given.rows, given.cols) + (given.rows == 1 ? " is" : " are") +
                        " given: give as many";
  const std::string rows = given.rows == size.rows ? "" : cure_of_axis(a, line.rows, given.rows);
  const std::string cols = given.cols == size.cols ? "" : cure_of_axis(a, line.cols, given.cols);
  if (!rows.empty()) message += ", or " + rows;
  if (!cols.empty() && cols != rows) message += (rows.empty() ? ", or " : " and ") + cols;
  return message;
}

}  // namespace

bool can_be_given(StageKind kind) {
  return info(kind).is_parameter || kind == input || kind == query || kind == key || kind == value ||
         kind == raw;
}

std::string why_not_given(const Architecture& a, bool has_table, const StageId& id) {
  if (!can_be_given(id.kind)) {
    return "only parameters, the input of a stack, and the query, key, value and raw of a head can be given; "
           "everything else is computed from them";
  }
  if (id.kind == w_logits && a.output_layer == OutputLayer::tied)
    return "the final linear layer is the embedding table, transposed";
  const Absence place = absence_of_place(a, id);
  return absence_text(a, place != Absence::none ? place : absence_of_kind(a, has_table, id));
}

Extent size_to_give(const AxisSizes& sizes, const StageId& id) {
  const StageInfo& line = info(id.kind);
  return {axis_length(sizes, id, line.rows), axis_length(sizes, id, line.cols)};
}

std::vector<std::string> paths_to_give(const Architecture& a, bool has_table) {
  std::vector<std::string> paths;
  const auto add = [&](const StageId& id) {
    if (id == canonical(a, normalized(id)) && why_not_given(a, has_table, id).empty())
      paths.push_back(path(id));
  };
  for (const StageInfo& line : all_stage_kinds()) {
    if (!can_be_given(line.kind)) continue;
    for (const Stack stack : {Stack::encoder, Stack::decoder}) {
      for (const AttentionKind attention : {AttentionKind::self, AttentionKind::cross}) {
        for (int layer = 0; layer < a.n_layers; ++layer)
          for (int head = 0; head < a.n_heads; ++head) add({line.kind, stack, layer, attention, head});
      }
    }
  }
  return paths;
}

Result<void> check_given(const GivenNumbers& given, const AxisSizes& sizes) {
  for (const GivenMatrix& each : given.all) {
    const std::optional<StageId> id = parse_path(each.path);
    const std::string why = id ? why_not_given(sizes.architecture, sizes.table_rows > 0, *id)
                               : "no parameter and no stage has this path";
    if (!why.empty()) return usage_error("numbers cannot be given for " + each.path + ": " + why);
    if (const std::string own = canonical_path(sizes.architecture, each.path); own != each.path)
      return usage_error(each.path + " is the same as " + own + ", which several heads share: give that");
    const Extent size = size_to_give(sizes, *id);
    if (Extent{each.numbers->rows, each.numbers->cols} != size)
      return usage_error(does_not_fit(sizes.architecture, *id, size, each));
  }
  return {};
}

}  // namespace headscope
