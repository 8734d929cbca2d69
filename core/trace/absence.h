#pragma once

#include <string>

#include "core/model/attention_options.h"
#include "core/trace/stage.h"

namespace headscope {

class Trace;

/// The reason why a pass does not have a stage; `none` if it has it.
enum class Absence {
  none,
  unused_place,  ///< The id names a head, a layer or an attention that its kind does not have.
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
  not_captured,
};

/// The properties that determine which stages a pass has.
struct PassTraits {
  const Architecture& architecture;
  const AttentionOptions& options;
  bool has_table = false;  ///< whether the model has an embedding table
};

/// Whether the numbers of stages of this kind are read from a capture rather than computed.
bool is_read_from_capture(const Architecture& architecture, StageKind kind);

/// Why passes with these properties do not have a stage, according to its record. This does not consider
/// whether the stage has been computed yet.
Absence absence_of(const PassTraits& pass, const StageId& id);

/// Describes the reason in plain words ("positions are off"). Empty for `none`.
std::string absence_text(const Trace& trace, Absence absence);
/// The same for any pass of a model.
std::string absence_text(const Architecture& architecture, Absence absence);

}  // namespace headscope
