#pragma once

#include <optional>
#include <string>

#include "core/textbook/computed_example.h"

namespace headscope {

/// One of the numbers of a quantity.
struct QuantityCell {
  std::size_t quantity = 0;
  std::optional<Cell> cell = {};  ///< row and column of its numbers; nothing: all of them
};

/// A case of an example as a session, to look at and to change. `current`: keeps its colours, its theme and
/// the ways of its pages. The example must open.
Session opened_case(const WorkedExample& example, std::size_t index, const Session& current);

/// The session in which a number is, at its stage, with its cell pinned where the stage has one.
/// \param computed of the example, whose sizes tell which stage a row is of
Session opened_at(const WorkedExample& example, const ComputedExample& computed, const QuantityCell& at,
                  const Session& current);

}  // namespace headscope
