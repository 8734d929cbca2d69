#pragma once

#include <string>

#include "core/model/given_numbers.h"
#include "core/model/interventions.h"
#include "core/trace/stage.h"
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

/// Names a stage as in a sentence: “Q of layer 1, head 0”, “the input”, “W_O of layer 0”. A number is left
/// out if the model has only one of that kind: “Q”.
std::string stage_words(const Architecture& architecture, const StageId& stage);

/// Names the numbers that are given by hand, with those of the same place together: “Q and K of layer 1,
/// head 0, and the input”. If there are many, it gives the first few and the number of the others.
std::string given_words(const Architecture& architecture, const GivenNumbers& given);

/// The same as a sentence, “Q, K and V given by hand”, which also says how rotary positions change them
/// afterwards.
std::string given_sentence(const Architecture& architecture, const GivenNumbers& given);

/// Says where the numbers of a pass first leave the range of float32. Empty if they do not.
std::string overflow_text(const Trace& trace);

}  // namespace headscope
