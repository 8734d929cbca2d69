#pragma once

#include <memory>
#include <vector>

#include "core/model/given_numbers.h"
#include "core/model/model.h"
#include "core/trace/unembedding.h"

namespace headscope {

/// The given numbers that are parameters of the model itself. The final linear layer does not count, because
/// its columns belong to the words that can be predicted.
GivenNumbers given_parameters(const GivenNumbers& given);

/// Whether the queries, keys and values of all heads of a model with a single attention are given, and so is
/// everything after them. Its scores and outputs then depend on no drawn number.
bool gives_heads(const Architecture& architecture, const GivenNumbers& given);

/// The model with the given parameters in place of its own. They must fit. The model counts as drawn as long
/// as any of its numbers, or of the inputs of its stacks, are.
Model with_parameters(const Model& model, const GivenNumbers& given);

/// The models that used given parameters last. There are several because compared subjects take turns.
class GivenModels {
 public:
  /// The model itself if no parameters are given; otherwise the model with them. It is made once and then
  /// kept.
  std::shared_ptr<const Model> with(const std::shared_ptr<const Model>& own, const GivenNumbers& given);

 private:
  struct Made {
    std::shared_ptr<const Model> own;
    GivenNumbers parameters;
    std::shared_ptr<const Model> model;
  };
  std::vector<Made> made_;  ///< The most recently used model comes first.
};

/// The final linear layer with its given numbers, which must fit. Null if there is no such layer.
std::shared_ptr<const Unembedding> with_unembedding(std::shared_ptr<const Unembedding> own,
                                                    const GivenNumbers& given);

}  // namespace headscope
