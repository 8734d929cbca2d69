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

/// The stages that hold the output of a part of the model: of a head or a feed-forward layer, after its own
/// norm if there is one; of a layer, what its sublayers add to the residual stream or, without residual
/// connections, its output.
std::vector<StageId> written_by(const Graph& graph, const ModelPart& part);

/// Recomputes a pass with one more change, from the layer of the change on. Everything before that layer is
/// taken from the pass, which must be complete, predict words and outlive this object.
class PartialPass {
 public:
  /// Once `stop` is set, nothing more is computed.
  explicit PartialPass(const Trace& trace, const std::atomic<bool>* stop = nullptr);
  PartialPass(const PartialPass&) = delete;
  PartialPass& operator=(const PartialPass&) = delete;

  /// The logits of a row of the last stack in the unchanged pass.
  std::vector<float> logits_of_pass(int row);
  /// The same with these rows replaced, before the pass's own edits of their stages. All must be in one
  /// layer, or in the input of a stack. Empty if stopped.
  std::optional<std::vector<float>> logits_with(std::vector<RowEdit> replaced, int row);
  /// The same with a part of the model switched off, as part_effects() defines it.
  std::optional<std::vector<float>> logits_without(const ModelPart& part, int row);

 private:
  std::optional<std::vector<float>> logits_without_head(const HeadId& head, int row);
  std::optional<std::vector<float>> logits_of(const PassTail& part);

  const Trace& trace_;
  const PassBuffers& kept_;
  PassBuffers buffers_;
  PassInputs inputs_;
  PassEdits edits_;
  const std::atomic<bool>* stop_;
  ThreadPool pool_;
  std::shared_ptr<const PackedMatrix> unembedding_;  ///< Cached, so that it is packed only once.
};

/// The estimated seconds for this many partial passes. On average, each computes half of the layers.
double estimated_seconds(const Trace& trace, std::int64_t n_partial_passes);

/// Results whose partial passes are estimated to take longer are not computed.
inline constexpr double max_partial_pass_seconds = 60.0;

}  // namespace headscope
