#pragma once

#include <memory>
#include <vector>

#include "core/model/given_numbers.h"
#include "core/model/model.h"
#include "core/trace/unembedding.h"

namespace headscope {

/// What of it are parameters of the model itself. The final linear layer is not: its columns are of the words
/// that can be predicted.
GivenNumbers given_parameters(const GivenNumbers& given);

/// Whether a model of a single attention has the queries, keys and values of all its heads by hand, and what
/// comes after them: nothing that it draws is in its scores and outputs.
bool gives_heads(const Architecture& architecture, const GivenNumbers& given);

/// A model with the parameters that are given, which fit, in place of its own. It counts as drawn while any
/// of its numbers, or of what enters its stacks, are.
Model with_parameters(const Model& model, const GivenNumbers& given);

/// The models that parameters were given in last: subjects that are compared take turns.
class GivenModels {
 public:
  /// The model itself where no parameters are given; else the same with them, made once while it is kept.
  std::shared_ptr<const Model> with(const std::shared_ptr<const Model>& own, const GivenNumbers& given);

 private:
  struct Made {
    std::shared_ptr<const Model> own;
    GivenNumbers parameters;
    std::shared_ptr<const Model> model;
  };
  std::vector<Made> made_;  ///< the one last used first
};

/// The final linear layer with what is given of it, which fits. Null: there is none.
std::shared_ptr<const Unembedding> with_unembedding(std::shared_ptr<const Unembedding> own,
                                                    const GivenNumbers& given);

}  // namespace headscope
