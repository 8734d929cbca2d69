#pragma once

#include <optional>
#include <string>

#include "core/textbook/computed_example.h"

namespace headscope {

/// One of the numbers of a quantity.
struct QuantityCell {
  std::size_t quantity = 0;
  std::optional<Cell> cell = {};  ///< The row and column of the number. Empty for all numbers.
};

/// A case of an example as a session, with the picture options and those of the Heads and Lines pages from
/// `current`. example.opens() must be true.
Session open_case(const WorkedExample& example, std::size_t index, const Session& current);

/// The session that contains a number, with its stage shown and its cell pinned if there is one. The sizes of
/// `computed`, the results of the example, determine to which stage a row belongs.
Session open_at(const WorkedExample& example, const ComputedExample& computed, const QuantityCell& at,
                const Session& current);

}  // namespace headscope
