#pragma once

#include <string>

#include "core/model/given_numbers.h"
#include "core/trace/stage.h"

namespace headscope {

/// A stage as people name it in a sentence: “Q of head 0 in layer 1”, “the input”, “W_O of layer 0”. What a
/// model has one of is not counted: “Q”.
std::string stage_words(const Architecture& architecture, const StageId& stage);

/// What is given by hand, with what is of one place named together: “Q and K of head 0 in layer 1, and the
/// input”; of much, the first and how much more.
std::string given_words(const Architecture& architecture, const GivenNumbers& given);

/// The same as a sentence: “Q, K and V given by hand”, with what rotary positions do to it afterwards.
std::string given_sentence(const Architecture& architecture, const GivenNumbers& given);

}  // namespace headscope
