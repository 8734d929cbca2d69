#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/interventions.h"
#include "core/model/pass.h"
#include "core/model/pass_edits.h"
#include "core/slices.h"
#include "core/tensor/parallel.h"
#include "core/trace/trace.h"

namespace headscope {

/// The stages that hold the output of a part of the model: of a head or a feed-forward layer, after its own
/// norm if there is one; of a layer, what its sublayers add to the residual stream or, without residual
/// connections, its output.
std::vector<StageId> written_by(const Graph& graph, const ModelPart& part);

/// The estimated seconds for this many partial passes, each of which recomputes a pass with one more change
/// from the layer of the change on. On average, each computes half of the layers.
double estimated_seconds(const Trace& trace, std::int64_t n_partial_passes);

/// Results whose partial passes are estimated to take longer are not computed.
inline constexpr double max_partial_pass_seconds = 60.0;

/// A prediction: a row of the logits, and a word.
struct Prediction {
  int row = 0;
  int word = 0;
  bool operator==(const Prediction&) const = default;
};

/// The word with the greatest logit in a row, which the logits must have.
int likeliest_word(const Trace& trace, int row);

/// The smallest change of a logit in a row that exceeds rounding: a few float32 units in the last place of
/// the largest logit.
double logit_resolution(const Trace& trace, int row);

/// The effect on a prediction of switching off one part of the model.
struct PartEffect {
  ModelPart part;
  double logit = 0.0;        ///< The word's logit without the part.
  double probability = 0.0;  ///< The word's probability without the part.
};

struct PartEffects {
  double logit = 0.0;             ///< The word's logit with all parts.
  double probability = 0.0;       ///< The word's probability with all parts.
  std::vector<PartEffect> parts;  ///< As in parts_of().
};

/// The prediction with each part switched off in turn (zero ablation): a head or a feed-forward layer outputs
/// 0, even if an intervention replaces it, and a layer is skipped, so that its output is its input. Other
/// interventions stay. Nothing before a part is recomputed. The pass must be complete and predict words. A
/// slice is one part. Once `stop` is set, the remaining parts are missing.
Slices<PartEffects> part_effects(const Trace& trace, Prediction prediction,
                                 const std::atomic<bool>* stop = nullptr);

/// What a part of the model adds directly to the logit of a word.
struct DirectPart {
  enum class Kind { input, head, attention_bias, feed_forward, output_bias };
  Kind kind = Kind::input;
  HeadId place;  ///< The place of a head; for other parts, of their attention or layer.
  double logit = 0.0;
};

/// Direct logit attribution (nostalgebraist 2020; Elhage et al. 2021). With residual connections, the output
/// of the last layer is the sum of all parts. The logits are linear in it once the mean and variance of the
/// last norm are taken from this pass. The parts add up to the logit.
struct DirectParts {
  std::string absent;  ///< Why there are no parts. Empty if there are.
  std::vector<DirectPart> parts;
  double total = 0.0;
};
DirectParts direct_parts(const Trace& trace, const Prediction& prediction);

/// The direct part of a head of the last stack, split by the key that each share comes from, in key order.
/// Empty if there are no direct parts, if attention is linear, or if the head's output was given or replaced.
std::vector<double> direct_sources(const Trace& trace, const Prediction& prediction, const HeadId& head);

/// The prediction from a layer's output, after the last norm and the final linear layer (the logit lens,
/// nostalgebraist 2020).
struct LayerGuess {
  int layer = 0;
  int best = 0;  ///< The likeliest word.
  double best_probability = 0.0;
  double probability = 0.0;  ///< The probability of the word in question.
};
std::vector<LayerGuess> logit_lens(const Trace& trace, const Prediction& prediction);

/// The metric of a patch: the logit of one word minus that of another, in a row of the logits.
struct LogitDifference {
  int row = 0;
  int word = 0, other = 0;
  bool operator==(const LogitDifference&) const = default;
};

/// A pass B with a part taken from the same place of a pass A (activation patching; Meng et al. 2022, Wang et
/// al. 2022, “Interpretability in the Wild”).
struct PatchedPart {
  ModelPart part;            ///< For a row of the residual stream, the layer that it enters.
  std::optional<int> token;  ///< The token whose row is taken. Empty for all tokens.
  double difference = 0.0;   ///< The logit difference of B with this part of A.
};

struct PatchMap {
  std::string absent;       ///< Why nothing can be taken from A. Empty if it can.
  double of_a = 0.0;        ///< The logit difference in A.
  double of_b = 0.0;        ///< The logit difference in B without patches.
  double resolution = 0.0;  ///< Smaller changes of these differences are rounding.
  /// The output (written_by()) of each head, feed-forward layer and layer of the last stack, for all tokens.
  std::vector<PatchedPart> parts;
  std::vector<PatchedPart> head_rows;          ///< The output of each head, for each token.
  std::vector<PatchedPart> feed_forward_rows;  ///< The output of each feed-forward layer, for each token.
  std::vector<PatchedPart> layer_rows;         ///< The rows that enter each layer, for each token.
};

/// Whether the outputs of heads are also patched token by token, which is most of the work.
enum class TokenPatches { left_out, taken };

/// How many partial passes (core/engine/part_effects.h) a map computes.
std::int64_t patched_passes(const Trace& b, TokenPatches of_heads = TokenPatches::taken);

/// Why nothing of A can be put into B. Empty if it can.
std::string why_not_patched(const Trace& a, const Trace& b);

/// Patches every part and every row of the residual stream from A into B in turn. B keeps its interventions.
/// Both passes must be complete and predict words. A slice is one part or row. Once `stop` is set, the
/// remaining ones are missing.
Slices<PatchMap> patch_map(const Trace& a, const Trace& b, LogitDifference difference,
                           TokenPatches of_heads = TokenPatches::taken,
                           const std::atomic<bool>* stop = nullptr);

}  // namespace headscope
