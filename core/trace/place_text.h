#pragma once

#include <string>

#include "core/model/interventions.h"
#include "core/trace/trace.h"

namespace headscope {

// A place in a model has one name in sentences and headings, “layer 1, head 0”, and one as a label, “1.0”. In
// a model of two stacks, both names begin with the stack.

/// The place of a stage as a heading: “Layer 1, head 0”, “Decoder layer 1, cross-attention, head 3”, or
/// “Layer 1” for a stage that does not belong to a single head. Empty for a stage of the whole model.
std::string place_text(const Architecture& architecture, const StageId& id);
/// The same for a stage of a pass, followed by what its head was trained to do, if it was.
std::string place_text(const Trace& trace, const StageId& id);

/// Names a head within a sentence: “layer 1, head 0”, “decoder layer 1, cross-attention, head 3”.
std::string head_text(const Architecture& architecture, const HeadId& head);
/// The same for a head of a pass, followed by what it was trained to do, if it was.
std::string head_text(const Trace& trace, const HeadId& head);

/// The label of a head without its stack: “1.0” for head 0 in layer 1.
std::string head_label(int layer, int head);
/// The label of a head of any stack: “1.0” if there is only one stack, otherwise “decoder 1.0” or
/// “cross 1.0”.
std::string head_label(const Architecture& architecture, const HeadId& head);

}  // namespace headscope
