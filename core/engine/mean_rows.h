#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/engine/request.h"
#include "core/model/stage.h"
#include "core/result.h"

namespace headscope {

/// Means of the rows of a stage over texts.
struct MeanOfStage {
  std::vector<float> of_all;  ///< Over all tokens.
  /// For each position, over the texts that are long enough.
  std::vector<std::vector<float>> at_position;
};
using MeanRows = std::map<StageId, MeanOfStage>;

/// The stages of whose rows the interventions of a request take the mean.
std::vector<StageId> averaged_stages(const Request& request);

/// Computes the means over all tokens of the texts of Interventions::mean_over, without interventions and
/// without what belongs to the request's own text. `compute` runs a pass; it returns null if it was stopped,
/// and so does this. It is an error if the model lacks one of the stages, if its numbers were captured from a
/// single text, if texts are given to a model of two stacks, which would need a target for each, or if a text
/// cannot be computed.
Result<std::shared_ptr<const MeanRows>> mean_rows(
    const Request& request, const std::vector<StageId>& stages,
    const std::function<Result<std::shared_ptr<const Trace>>(const Request&)>& compute);

}  // namespace headscope
