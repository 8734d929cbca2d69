#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/engine/request.h"
#include "core/model/stage.h"
#include "core/result.h"
#include "core/slices.h"

namespace headscope {

/// Means of the rows of a stage over texts.
struct MeanOfStage {
  std::vector<float> of_all;  ///< Over all tokens.
  /// For each position, over the texts that are long enough.
  std::vector<std::vector<float>> at_position;
};
using MeanRows = std::map<StageId, MeanOfStage>;

/// The stages of whose rows the interventions of a request take the mean, without repetitions.
struct AveragedStages {
  std::vector<StageId> stages;
  bool by_position = false;  ///< Whether the means at each position are needed as well.
};
AveragedStages averaged_stages(const Request& request);
bool has_all(const MeanRows& means, const AveragedStages& wanted);

/// The most texts over which a mean is taken.
inline constexpr std::size_t max_mean_texts = 1000;

/// Computes the means of at least one stage over all tokens of the texts of Interventions::mean_over, without
/// interventions and without what belongs to the request's own text. `compute` runs a pass; if it was
/// stopped, it returns null, and so does this. Each slice of a pass is a slice of this. It is an error if the
/// model lacks one of the stages, if its numbers were captured from a single text, if texts are given to a
/// model of two stacks, which would need a target for each, if there are more than max_mean_texts, if a text
/// cannot be computed as a whole, or if the means at each position need more memory than the request's pass
/// may use.
Slices<Result<std::shared_ptr<const MeanRows>>> mean_rows(
    const Request& request, AveragedStages wanted,
    std::function<Slices<Result<std::shared_ptr<const Trace>>>(const Request&)> compute);

}  // namespace headscope
