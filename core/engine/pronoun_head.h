#pragma once

#include <memory>
#include <vector>

#include "core/model/trained_model.h"
#include "core/tasks/pronouns.h"

namespace headscope {

/// The head that shows best what a pronoun stands for.
struct PronounHead {
  int layer = 0;
  int head = 0;
  /// Of the pairs: those in which the pronoun gives at least 0.8 of its weight to the right noun and at most
  /// 0.2 to the other.
  double share = 0.0;
};

/// Looks at every head of a trained encoder on these sentences.
Result<PronounHead> pronoun_head(const std::shared_ptr<const TrainedModel>& model,
                                 const std::vector<MinimalPair>& pairs);

}  // namespace headscope
