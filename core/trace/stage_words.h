#pragma once

#include <string>

#include "core/model/given_numbers.h"
#include "core/trace/stage.h"

namespace headscope {

/// Names a stage as in a sentence: “Q of layer 1, head 0”, “the input”, “W_O of layer 0”. A number is left
/// out if the model has only one of that kind: “Q”.
std::string stage_words(const Architecture& architecture, const StageId& stage);

/// Names the numbers that are given by hand, with those of the same place together: “Q and K of layer 1,
/// head 0, and the input”. If there are many, it gives the first few and the number of the others.
std::string given_words(const Architecture& architecture, const GivenNumbers& given);

/// The same as a sentence, “Q, K and V given by hand”, which also says how rotary positions change them
/// afterwards.
std::string given_sentence(const Architecture& architecture, const GivenNumbers& given);

}  // namespace headscope
