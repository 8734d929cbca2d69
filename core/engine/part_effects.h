#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/model/interventions.h"
#include "core/slices.h"
#include "core/trace/trace.h"

namespace headscope {

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

}  // namespace headscope
