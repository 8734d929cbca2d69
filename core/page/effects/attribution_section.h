#pragma once

#include <memory>
#include <vector>

#include "core/engine/attribution.h"
#include "core/engine/head_circuits.h"
#include "core/engine/part_effects.h"
#include "core/page/page.h"
#include "core/page/parts/page_builder.h"

namespace headscope {

/// The attribution of a prediction.
struct AttributedPrediction {
  std::shared_ptr<const Trace> trace;
  Prediction prediction;
  bool operator==(const AttributedPrediction&) const = default;

  using Answer = Attribution;
  static constexpr Lifetime life = Lifetime::view;
  Slices<Attribution> answer() const { return attribution(*trace, prediction); }
};

/// The circuits of a head, with the scale that the final norm has in a row of the logits.
struct HeadInQuestion {
  std::shared_ptr<const Trace> trace;
  HeadId head;
  int row = 0;
  bool operator==(const HeadInQuestion&) const = default;

  using Answer = HeadCircuits;
  static constexpr Lifetime life = Lifetime::view;
  Slices<HeadCircuits> answer() const { return head_circuits(*trace, head, row); }
};

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
