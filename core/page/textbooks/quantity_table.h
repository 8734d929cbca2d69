#pragma once

#include <cstddef>

#include "core/page/page.h"
#include "core/page/parts/page_text.h"
#include "core/textbook/computed_example.h"

namespace headscope {

/// Adds the printed numbers of a quantity beside the computed ones, or above them if there is not enough
/// room. Differences are marked in both. Of a large matrix, only the first rows and columns are shown.
/// `index` is the position of the quantity in its example, for the regions that respond to the mouse.
void add_quantity_table(PageText& page, const Quantity& quantity, const ComputedQuantity& computed,
                        std::size_t index);

}  // namespace headscope
