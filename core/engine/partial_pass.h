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

/// The stages that hold what a part of the model passes on: the output of a head or of a feed-forward layer,
/// after its norm if it has one of its own, and what the sublayers of a layer add to the residual stream.
/// Without residual connections, a layer passes on its output.
std::vector<StageId> written_by(const Graph& graph, const ModelPart& part);

/// Computes a pass again with one more change in it, from the layer of the change on. What comes before that
/// layer is taken from the pass, which must be complete, predict words and outlive this.
class PartialPass {
 public:
  /// Once `stop` becomes true, nothing is computed any more.
  explicit PartialPass(const Trace& trace, const std::atomic<bool>* stop = nullptr);
  PartialPass(const PartialPass&) = delete;
  PartialPass& operator=(const PartialPass&) = delete;

  /// The logits of a row of the last stack in the pass as it is.
  std::vector<float> logits_of_pass(int row);
  /// The same with these rows replaced, which go before the pass's own edits of their stages. All must be in
  /// one layer, or in the input of a stack. Empty if it was stopped.
  std::optional<std::vector<float>> logits_with(std::vector<RowEdit> replaced, int row);
  /// The same with a part of the model switched off, as part_effects() defines it.
  std::optional<std::vector<float>> logits_without(const ModelPart& part, int row);

 private:
  std::optional<std::vector<float>> logits_without_head(const HeadId& head, int row);
  std::optional<std::vector<float>> logits_of(const PartOfPass& part);

  const Trace& trace_;
  const PassBuffers& kept_;
  PassBuffers buffers_;
  PassInputs inputs_;
  PassEdits edits_;
  const std::atomic<bool>* stop_;
  TaskPool pool_;
  std::shared_ptr<const PackedMatrix> unembedding_;  ///< Held so that it is packed only once for all logits.
};

/// Estimates how many seconds `n_partial_passes` partial passes take. On average, half of the layers are
/// computed.
double estimated_seconds(const Trace& trace, std::int64_t n_partial_passes);

/// Results that need partial passes are not computed if that is estimated to take longer than this.
inline constexpr double most_seconds_of_partial_passes = 60.0;

}  // namespace headscope
