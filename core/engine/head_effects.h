#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "core/model/interventions.h"
#include "core/trace/trace.h"

namespace headscope {

/// A prediction: a row of the logits and one of the words.
struct Prediction {
  int row = 0;
  int word = 0;
  bool operator==(const Prediction&) const = default;
};

/// What becomes of a prediction when one head is switched off.
struct HeadEffect {
  HeadId head;
  double logit = 0.0;        ///< of the word, without the head
  double probability = 0.0;  ///< of the word, without the head
};

struct HeadEffects {
  double logit = 0.0;        ///< with all heads
  double probability = 0.0;  ///< with all heads
  std::vector<HeadEffect> heads;
};

/// Every head of a model, in the order in which they are computed.
std::vector<HeadId> heads_of(const Architecture& architecture);

/// The prediction with each head alone switched off, all else, and the interventions that there are, staying
/// as they are. What is before a head is not computed again. The pass must be complete and predict words.
/// Nothing where `stop` became true.
std::optional<HeadEffects> head_effects(const Trace& trace, const Prediction& prediction,
                                        const std::atomic<bool>* stop = nullptr);

/// What a part of the model adds by itself to the logit of a word.
struct DirectPart {
  enum class Kind { input, head, attention_bias, feed_forward, output_bias };
  Kind kind = Kind::input;
  HeadId place;  ///< of a head; of the others, their attention or layer
  double logit = 0.0;
};

/// Direct logit attribution (nostalgebraist 2020; Elhage et al. 2021): with residual connections, what leaves
/// the last layer is the sum of what all parts added to it, and the logits are linear in it but for the last
/// norm, whose mean and variance are taken as they are in this pass. The parts add up to the logit.
struct DirectParts {
  std::string absent;  ///< why there are none; empty where there are
  std::vector<DirectPart> parts;
  double total = 0.0;
};
DirectParts direct_parts(const Trace& trace, const Prediction& prediction);

/// What the model would predict if a layer were its last (the logit lens, nostalgebraist 2020): what leaves
/// the layer, through the last norm and the final linear layer.
struct LayerGuess {
  int layer = 0;
  int best = 0;  ///< the likeliest word
  double best_probability = 0.0;
  double probability = 0.0;  ///< of the word that is asked about
};
std::vector<LayerGuess> logit_lens(const Trace& trace, const Prediction& prediction);

}  // namespace headscope
