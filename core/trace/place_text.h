#pragma once

#include <string>

#include "core/model/given_numbers.h"
#include "core/model/interventions.h"
#include "core/trace/stage.h"
#include "core/trace/trace.h"

namespace headscope {

// A place in a model has a name, “layer 1, head 0”, and a label, “1.0”. With two stacks, both begin with the
// stack.

/// The place of a stage as a heading: “Layer 1, head 0”, “Decoder layer 1, cross-attention, head 3”, or
/// “Layer 1” for stages that are not per head. Empty for stages of the entire model.
std::string place_text(const Architecture& architecture, const StageId& id);
/// The same with a note if it is the taught head.
std::string place_text(const Trace& trace, const StageId& id);

/// A head as a phrase: “layer 1, head 0”, “decoder layer 1, cross-attention, head 3”.
std::string head_text(const Architecture& architecture, const HeadId& head);
/// The same with a note if it is the taught head.
std::string head_text(const Trace& trace, const HeadId& head);

/// The label of a head without its stack: “1.0” for head 0 in layer 1.
std::string head_label(int layer, int head);
/// The label of a head: “1.0” or, with two stacks, “decoder 1.0” or “cross 1.0”.
std::string head_label(const Architecture& architecture, const HeadId& head);

/// A stage as a phrase: “Q of layer 1, head 0”, “the input”, “W_O of layer 0”. Omits unambiguous numbers:
/// “Q”.
std::string stage_words(const Architecture& architecture, const StageId& stage);

/// Lists the given numbers, grouped by place: “Q and K of layer 1, head 0, and the input”, abbreviated if
/// there are many.
std::string given_words(const Architecture& architecture, const GivenNumbers& given);

/// The same as a sentence, “Q, K and V given by hand”, with a note on how rotary positions change them.
std::string given_sentence(const Architecture& architecture, const GivenNumbers& given);

/// Where the numbers of a pass first overflow float32. Empty if they do not.
std::string overflow_text(const Trace& trace);

}  // namespace headscope
