#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/engine/part_effects.h"
#include "core/model/interventions.h"
#include "core/slices.h"
#include "core/trace/trace.h"

namespace headscope {

/// Attention × gradient of a head: each weight times the gradient of a logit with respect to it (Chefer et
/// al. 2021, “Generic Attention-model Explainability”), [queries, keys], 0 where hidden.
struct HeadAttribution {
  HeadId place;
  int n_queries = 0, n_keys = 0;
  std::vector<double> products;

  double product(int query, int key) const {
    return products[static_cast<std::size_t>(query) * static_cast<std::size_t>(n_keys) +
                    static_cast<std::size_t>(key)];
  }
  /// The sum over all queries.
  double of_key(int key) const;
  /// The sum over all cells, which is the derivative of the logit by the factor of the head's output.
  double total() const;
};

/// The gradients of a logit, times the numbers that they are taken with respect to.
struct Attribution {
  std::string absent;  ///< Why there is none. Empty if there is.
  /// Gradient × input (Shrikumar et al. 2016, “Not Just a Black Box”): the embedding of each token times its
  /// gradient, for the encoder and the decoder.
  std::array<std::vector<double>, 2> inputs;
  std::vector<HeadAttribution> heads;  ///< As in heads_of().

  const std::vector<double>& inputs_of(Stack stack) const { return inputs[stack == Stack::decoder ? 1 : 0]; }
};

/// Attributes the logit of a prediction with the backward pass of training. Absent for models that cannot be
/// trained here, for passes that differ from the model's own, as by interventions or masks, and if it would
/// take too much memory or time. The pass must be complete and predict words. A slice is a layer.
Slices<Attribution> attribution(const Trace& trace, Prediction prediction);

}  // namespace headscope
