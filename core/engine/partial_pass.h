#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/model/pass.h"
#include "core/model/pass_edits.h"
#include "core/tensor/parallel.h"
#include "core/trace/trace.h"

namespace headscope {

/// Computes a pass again with other interventions, from the layer of a change on. What comes before that
/// layer is taken from the pass, which must be complete, predict words and outlive this.
class PartialPass {
 public:
  explicit PartialPass(const Trace& trace);
  PartialPass(const PartialPass&) = delete;
  PartialPass& operator=(const PartialPass&) = delete;

  /// The interventions of the next computation. At first, those of the pass.
  PassEdits& edits() { return edits_; }
  /// The logits of a row of the last stack in the pass as it is.
  std::vector<float> logits_of_pass(int row);
  /// The same, computed with edits() from this layer on. Empty if `stop` became true.
  std::optional<std::vector<float>> logits_from(Stack stack, int layer, int row,
                                                const std::atomic<bool>* stop);
  /// The same with a head of the pass switched off.
  std::optional<std::vector<float>> logits_without(const HeadId& head, int row,
                                                   const std::atomic<bool>* stop);

 private:
  std::optional<std::vector<float>> logits_of(const PartOfPass& part, const std::atomic<bool>* stop);

  const PassBuffers& kept_;
  PassBuffers buffers_;
  PassInputs inputs_;
  PassEdits edits_;
  TaskPool pool_;
  std::shared_ptr<const PackedMatrix> unembedding_;  ///< Held so that it is packed only once for all logits.
};

/// Estimates how many seconds `n_partial_passes` partial passes take. On average, half of the layers are
/// computed.
double estimated_seconds(const Trace& trace, std::int64_t n_partial_passes);

/// Results that need partial passes are not computed if that is estimated to take longer than this.
inline constexpr double most_seconds_of_partial_passes = 60.0;

}  // namespace headscope
