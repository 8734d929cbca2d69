#pragma once

#include <cstddef>

#include "core/page/page.h"
#include "core/page/parts/page_text.h"
#include "core/textbook/computed_example.h"

namespace headscope {

/// The printed numbers of a quantity beside the computed ones, or above them where there is no room for both,
/// and what differs marked in both; of a large matrix its first rows and columns. `index`: of the quantity in
/// its example, for the regions that answer the mouse.
void add_quantity_table(PageText& page, const Quantity& quantity, const ComputedQuantity& computed,
                        std::size_t index);

}  // namespace headscope
