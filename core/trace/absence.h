#pragma once

#include <string>

#include "core/model/attention_options.h"
#include "core/trace/stage.h"

namespace headscope {

class Trace;

/// Why a pass has no such stage; `none` if it has it.
enum class Absence {
  none,
  unused_place,  ///< the id names a head, a layer or an attention that its kind does not have
  head_out_of_range,
  layer_out_of_range,
  no_such_stack,
  no_layers,
  no_cross_attention,
  no_self_attention,
  not_computed_yet,
  no_embedding_table,
  no_positions,
  positions_not_added,
  no_positions_table,
  position_tables_of_stacks,
  no_position_tables_of_stacks,
  positions_do_not_rotate,
  positions_add_no_bias,
  no_linear_attention,
  linear_has_no_scale,
  no_softcap,
  no_sinks,
  no_qk_norm,
  no_output_gate,
  no_latent,
  no_shared_key,
  gate_weighs_values,
  no_norms,
  no_norm_bias,
  no_norm_before,
  no_norm_after,
  no_output_norm,
  no_final_norm,
  no_bias,
  no_output_projection,
  no_dropout,
  no_residual,
  no_feed_forward,
  no_norm_around_feed_forward,
  shared_norm,
  not_gated,
  no_norm_before_feed_forward,
  no_norm_after_feed_forward,
  no_feed_forward_residual,
  no_output_layer,
  no_output_bias,
  no_segments,
  no_embedding_norm,
  no_embedding_projection,
  sum_is_input,
  no_output_transform,
};

/// What decides which stages a pass has.
struct PassTraits {
  const Architecture& architecture;
  const AttentionOptions& options;
  bool has_table = false;  ///< of embeddings
};

/// Why passes like this have no such stage, as its record says, once they are computed.
Absence absence_of(const PassTraits& pass, const StageId& id);

/// The reason in words ("positions are off"), for a person; empty for `none`.
std::string absence_text(const Trace& trace, Absence absence);
/// The same of any pass of a model.
std::string absence_text(const Architecture& architecture, Absence absence);

}  // namespace headscope
