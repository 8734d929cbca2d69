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

/// A case of an example as a session that can be viewed and changed. The picture options and those of the
/// pages for heads and lines are taken from `current`. example.opens() must be true.
Session opened_case(const WorkedExample& example, std::size_t index, const Session& current);

/// The session that contains a number, showing its stage. The cell is pinned if the stage has one for it.
/// \param computed The results of the example. Their sizes tell to which stage a row belongs.
Session opened_at(const WorkedExample& example, const ComputedExample& computed, const QuantityCell& at,
                  const Session& current);

}  // namespace headscope
