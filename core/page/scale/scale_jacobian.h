#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/scale/scale_row.h"

namespace headscope {

/// The maximum number of keys in a drawn Jacobian: those with the greatest weights.
inline constexpr std::size_t max_jacobian_keys = 96;

/// The `most` keys of the row with the greatest weights, in the order of the text.
std::vector<int> strongest_keys(const ScaledRow& row, std::size_t most);

/// The label of a key of the row.
std::string key_label(const PageInputs& in, const ScaledRow& row, int key);

/// The Jacobian of the row's softmax. Without titles if there is little height.
Page jacobian_map(const PageInputs& in, PageTools& tools, const ScaledRow& row, bool is_divided,
                  const PageSize& room);

/// Describes a cell of a Jacobian: "∂ weight of “animal” / ∂ score of “street” = …". Empty if the table is
/// not a Jacobian.
std::string describe_jacobian(const PageInputs& in, PageTools& tools, const std::string& table,
                              CellIndex cell);

}  // namespace headscope
