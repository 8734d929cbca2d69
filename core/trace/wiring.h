#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace headscope {

/// What a stage was computed from, in the order in which its formula names them: stages and parameters of
/// this pass, all of which it has. Empty for parameters, and for what is
/// drawn or given.
std::vector<StageId> inputs_of(const Trace& trace, const StageId& id);

/// The same as if nothing was given by hand: what a stage that is given would be computed from.
std::vector<StageId> computed_from(const Trace& trace, const StageId& id);

/// The stage of another kind in the same head, attention, layer and stack.
StageId at_kind(StageId id, StageKind kind);
/// The last of these kinds that the pass has at the place of a stage; `id` where it has none.
StageId last_there(const Trace& trace, const StageId& id, std::initializer_list<StageKind> kinds);

/// What enters the layer: the layer's before, or the stack's input.
StageId input_of_layer(StageId id);
/// What enters the attention, or the feed-forward layer, at the place of a stage: the row that its result is
/// added to.
StageId attention_input(const Trace& trace, const StageId& id);
StageId feed_forward_input(const Trace& trace, const StageId& id);
/// What the norm before the feed-forward layer normalises: that, or in a parallel block what enters the
/// layer.
StageId feed_forward_norm_input(const Trace& trace, const StageId& id);
/// The row that the queries of an attention, its keys and values, or the hidden numbers of a feed-forward
/// layer are made from: what enters, after its norm where there is one; the encoder's output for keys and
/// values of cross-attention; in a parallel block what attention reads for the hidden numbers.
StageId queries_from(const Trace& trace, const StageId& id);
StageId keys_from(const Trace& trace, const StageId& id);
/// What W_K and W_V multiply: that, or where there is one the latent row that is made from it.
StageId kv_input(const Trace& trace, const StageId& id);
StageId hidden_from(const Trace& trace, const StageId& id);
/// The table that relative positions of an attention are read from.
StageId position_biases_from(const Trace& trace, const StageId& id);
/// What leaves the attention, and the layer, at the place of a stage.
StageId attention_result(const Trace& trace, const StageId& id);
StageId layer_result(const Trace& trace, const StageId& id);
/// What leaves the stack's last layer, before a final norm, and what the model predicts from.
StageId last_layer_output(const Trace& trace, StageId id);
StageId model_output(const Trace& trace);
/// That, or what the transform before the final linear layer makes of it.
StageId read_by_output_layer(const Trace& trace);

}  // namespace headscope
