#include "core/trace/axis_length.h"

namespace headscope {

int axis_length(const AxisSizes& sizes, const StageId& id, Axis axis) {
  const Architecture& a = sizes.architecture;
  const auto tokens = [&](bool is_target) { return is_target ? sizes.n_target : sizes.n_source; };
  const bool ends_model = info(id.kind).scope == StageScope::model;
  const bool is_target = a.has_cross() && (ends_model || id.stack == Stack::decoder);
  switch (axis) {
    case Axis::query_tokens:
      return tokens(is_target);
    case Axis::key_tokens:
      return tokens(is_target && id.attention == AttentionKind::self);
    case Axis::d_model:
      return a.d_model;
    case Axis::embedding:
      return a.embedding_width();
    case Axis::output_row:
      return a.output_width();
    case Axis::segments:
      return a.foreign.segments;
    case Axis::d_head:
      return a.head_width();
    case Axis::d_value:
      return a.value_width();
    case Axis::latent:
      return a.kv_latent.value_or(0);
    case Axis::shared_key:
      return a.shared_key_width(id.attention);
    case Axis::kv_input:
      return a.kv_input_width();
    case Axis::own_key:
      return a.own_key_width(id.attention);
    case Axis::concat:
      return a.concat_width();
    case Axis::d_ff:
      return a.d_ff;
    case Axis::single:
      return 1;
    case Axis::vocabulary:
      return sizes.n_words;
    case Axis::table_rows:
      return sizes.table_rows;
    case Axis::position_rows:
      return a.positions == Positions::relative ? a.n_heads : a.foreign.position_rows;
    case Axis::position_cols:
      return a.positions == Positions::relative ? a.relative_width() : a.embedding_width();
  }
  return 0;
}

}  // namespace headscope
