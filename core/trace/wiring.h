#pragma once

#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace headscope {

/// What a stage was computed from, in the order in which its formula names them: stages and parameters of
/// this pass, all of which it has. Empty for parameters and for what is drawn.
std::vector<StageId> inputs_of(const Trace& trace, const StageId& id);

/// What enters the attention or feed-forward layer that a stage belongs to: the row that its result is added
/// to.
StageId sublayer_input(const Trace& trace, const StageId& id);
/// The row that the queries, keys or values of a stage's attention are made from: the sublayer's input, after
/// its norm where there is one, or the encoder's output for keys and values of cross-attention.
StageId projected_from(const Trace& trace, const StageId& id);
/// What leaves the attention that a stage belongs to.
StageId attention_result(const Trace& trace, const StageId& id);

/// Why the pass has no stages of a kind, in words ("positions are off"); empty if it has them.
std::string why_absent(const Trace& trace, StageKind kind, AttentionKind attention);

}  // namespace headscope
