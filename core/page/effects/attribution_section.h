#pragma once

#include <vector>

#include "core/engine/part_effects.h"
#include "core/page/page.h"
#include "core/page/parts/page_builder.h"

namespace headscope {

/// The sum of attention × gradient of each head, in the order of heads_of(). Empty if it is not known.
std::vector<double> attention_gradients(const PageInputs& in, PageTools& tools, const Prediction& prediction);

/// Adds what each token contributes to a logit by its gradient, beside the attention of the selected head.
void add_attribution(PageBuilder& page, const PageInputs& in, PageTools& tools, const Prediction& prediction);

/// Adds the circuits of the selected head: where it would look, and what it would write.
void add_circuits(PageBuilder& page, const PageInputs& in, PageTools& tools, const Prediction& prediction);

/// The numbers of both: "gradient_x_input" of each token, "attention_x_gradient" of each head and key, and
/// for the selected head its cells, "qk", "ov" and "singular_values".
std::vector<DataTable> attribution_tables(const PageInputs& in, PageTools& tools,
                                          const Prediction& prediction);

}  // namespace headscope
