#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/engine/inputs.h"
#include "core/engine/request.h"
#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/model/stage.h"
#include "core/result.h"
#include "core/slices.h"
#include "core/text/tokenizer.h"
#include "core/trace/trace.h"

namespace headscope {

/// Mean rows of a stage over texts.
struct MeanOfStage {
  std::vector<float> of_all;  ///< Over all tokens.
  /// For each position, over the texts that are long enough.
  std::vector<std::vector<float>> at_position;
};
using MeanRows = std::map<StageId, MeanOfStage>;

/// The stages whose mean rows the interventions of a request use, without duplicates.
struct AveragedStages {
  std::vector<StageId> stages;
  bool by_position = false;  ///< The means at each position are needed as well.
};
AveragedStages averaged_stages(const Request& request);
bool has_all(const MeanRows& means, const AveragedStages& requested);

/// The maximum number of texts in a mean.
inline constexpr std::size_t max_mean_texts = 1000;

/// Computes the means of at least one stage over all tokens of the texts of Interventions::mean_over, without
/// interventions and without anything of the request's own text. `compute` runs a pass; if that is stopped
/// and returns null, so does this. Each slice of a pass is a slice of this. Errors: the model lacks a stage;
/// its numbers were captured from a single text; there are texts for a model of two stacks, which would need
/// a target for each; more than max_mean_texts; a text does not fit; or the means at each position need more
/// memory than the request's pass may use.
Slices<Result<std::shared_ptr<const MeanRows>>> mean_rows(
    const Request& request, AveragedStages requested,
    std::function<Slices<Result<std::shared_ptr<const Trace>>>(const Request&)> compute);

/// The interventions of a request and its given stages, with their numbers. Null if there are none. `donor`
/// is the pass that some of them take numbers from, with tokens matched by counterpart_tokens(), or null.
/// `means` has every stage whose mean a patch uses. Drops rows and weights beyond the tokens of the pass;
/// given stages must fit. Throws if there is no donor; it lacks the stage, or has it in another width; a
/// token has no counterpart; no text of the mean has the position; or numbers of the donor need too much
/// memory.
std::shared_ptr<const PassEdits> make_pass_edits(const Request& request, const ReadInputs& inputs,
                                                 const Trace* donor, const MeanRows& means);

}  // namespace headscope
