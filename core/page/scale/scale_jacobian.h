#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/scale/scale_row.h"

namespace headscope {

/// Of a longer row, the Jacobian is drawn for so many keys with the greatest weights.
inline constexpr std::size_t most_in_jacobian = 96;

/// Those of the row's keys with the greatest weights, in the order of the text.
std::vector<int> strongest_keys(const ScaledRow& row, std::size_t most);

/// The label of a key of the row.
std::string key_label(const PageInputs& in, const ScaledRow& row, int key);

/// The softmax's Jacobian of the row; in a low room without titles.
Page jacobian_map(const PageInputs& in, PageTools& tools, const ScaledRow& row, bool is_divided,
                  const PageSize& room);

/// What a cell of one of the Jacobians says: "∂ weight of “animal” / ∂ score of “street” = …". Empty where
/// the table is no Jacobian.
std::string said_of_jacobian(const PageInputs& in, PageTools& tools, const std::string& table,
                             CellIndex cell);

}  // namespace headscope
