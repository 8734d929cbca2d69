#pragma once

#include <memory>
#include <vector>

#include "core/model/interventions.h"
#include "core/model/model.h"
#include "core/trace/trace.h"

namespace headscope {

/// The given numbers that are parameters of the model itself. Excludes the final linear layer, whose columns
/// belong to the predicted words.
GivenNumbers given_parameters(const GivenNumbers& given);

/// Whether the queries, keys and values of all heads of a model with a single attention are given, and
/// everything after them, so that no result depends on a random number.
bool gives_heads(const Architecture& architecture, const GivenNumbers& given);

/// The model with the given parameters, which must fit. It counts as drawn while any of its numbers, or of
/// the inputs of its stacks, is.
Model with_parameters(const Model& model, const GivenNumbers& given);

/// Caches models with given parameters: several, because compared subjects take turns.
class GivenModels {
 public:
  /// The model with the given parameters, or the model itself if there are none.
  std::shared_ptr<const Model> with(const std::shared_ptr<const Model>& own, const GivenNumbers& given);

 private:
  struct Made {
    std::shared_ptr<const Model> own;
    GivenNumbers parameters;
    std::shared_ptr<const Model> model;
  };
  std::vector<Made> made_;  ///< Most recently used first.
};

/// The final linear layer with its given numbers, which must fit. Null if there is no such layer.
std::shared_ptr<const Unembedding> with_unembedding(std::shared_ptr<const Unembedding> own,
                                                    const GivenNumbers& given);

}  // namespace headscope
