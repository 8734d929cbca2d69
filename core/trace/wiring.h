#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "core/trace/graph.h"
#include "core/trace/trace.h"

namespace headscope {

/// All stages that a pass has, in the order of computation. Kinds with a deeper scope repeat once for each
/// stack, layer, attention and head.
std::vector<StageId> stages_of(const Trace& trace);

/// The stages and parameters that a stage was computed from, in the order in which its formula names them.
/// The pass has all of them. Empty for parameters and for stages that are given by hand.
std::vector<StageId> inputs_of(const Trace& trace, const StageId& id);

/// The same as if no numbers were given by hand: what a given stage would be computed from.
std::vector<StageId> computed_from(const Trace& trace, const StageId& id);

/// The last of these kinds that the pass has at the place of a stage. Returns `id` if it has none of them.
StageId last_there(const Trace& trace, const StageId& id, std::initializer_list<StageKind> kinds);

/// The stage that enters the layer: the output of the layer before, or the input of the stack.
StageId input_of_layer(StageId id);
/// The stages that enter the attention and the feed-forward layer at the place of a stage. The results are
/// added to these rows.
StageId attention_input(const Trace& trace, const StageId& id);
StageId feed_forward_input(const Trace& trace, const StageId& id);
/// The input of the norm before the feed-forward layer: what enters the feed-forward layer, or in a parallel
/// block what enters the layer.
StageId feed_forward_norm_input(const Trace& trace, const StageId& id);
/// The rows that queries, that keys and values, and that the hidden numbers of a feed-forward layer are made
/// from. Usually this is what enters the sublayer, normalised if there is a norm before it. For keys and
/// values of cross-attention, it is the output of the encoder; for the hidden numbers of a parallel block
/// without its own norm, it is what attention reads.
StageId queries_from(const Trace& trace, const StageId& id);
StageId keys_from(const Trace& trace, const StageId& id);
/// The rows that W_K and W_V multiply: those of keys_from(), or the latent made from them if there is one.
StageId kv_input(const Trace& trace, const StageId& id);
StageId hidden_from(const Trace& trace, const StageId& id);
/// The table that contains the relative positions of an attention.
StageId position_biases_from(const Trace& trace, const StageId& id);
/// The stages that leave the attention and the layer at the place of a stage.
StageId attention_result(const Trace& trace, const StageId& id);
StageId layer_result(const Trace& trace, const StageId& id);
/// The output of the stack's last layer before any final norm, and the rows that the model predicts from.
StageId last_layer_output(const Trace& trace, StageId id);
StageId model_output(const Trace& trace);
/// The input of the final linear layer: model_output(), or the result of the transform that follows it.
StageId read_by_output_layer(const Trace& trace);

}  // namespace headscope
