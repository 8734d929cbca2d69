#include "core/engine/partial_pass.h"

#include <utility>

namespace headscope {
namespace {

/// Buffers like those of a pass, without room for logits: they are computed one row at a time.
PassBuffers buffers_like(const PassBuffers& kept) {
  PassShape shape = kept.shape;
  shape.vocabulary = 0;
  shape.edits_rows = true;
  return {shape, AlignedBuffer(shape.floats())};
}

std::vector<float> logits_in(const PassBuffers& buffers, const PassInputs& inputs, int row, TaskPool& pool) {
  const Matrix logits = logits_of_rows(
      inputs, buffers.shape,
      buffers.rows({StageKind::stack_output, buffers.shape.architecture().last_stack()}, {row, row + 1}),
      pool);
  return {logits.data(), logits.data() + logits.size()};
}

}  // namespace

PartialPass::PartialPass(const Trace& trace)
    : kept_(trace.kept()),
      buffers_(buffers_like(kept_)),
      inputs_(trace.pass_inputs()),
      edits_(trace.edits() == nullptr ? PassEdits() : *trace.edits()) {
  inputs_.edits = &edits_;
  if (inputs_.unembedding.exists()) unembedding_ = inputs_.unembedding.packed(pool_);
}

std::vector<float> PartialPass::logits_of_pass(int row) {
  return logits_in(kept_, inputs_, row, pool_);
}

std::optional<std::vector<float>> PartialPass::logits_from(Stack stack, int layer, int row,
                                                           const std::atomic<bool>* stop) {
  return logits_of({.stack = stack, .layer = layer, .row = row}, stop);
}

std::optional<std::vector<float>> PartialPass::logits_without(const HeadId& head, int row,
                                                              const std::atomic<bool>* stop) {
  const float before = std::exchange(edits_.at(head).scale, 0.0F);
  auto logits = logits_of({.stack = head.stack, .layer = head.layer, .switched_off = head, .row = row}, stop);
  edits_.at(head).scale = before;
  return logits;
}

std::optional<std::vector<float>> PartialPass::logits_of(const PartOfPass& part,
                                                         const std::atomic<bool>* stop) {
  if (!forward_from(inputs_, kept_, part, buffers_, pool_, stop)) return std::nullopt;
  return logits_in(buffers_, inputs_, *part.row, pool_);
}

double estimated_seconds(const Trace& trace, std::int64_t n_partial_passes) {
  constexpr double milliseconds_in_second = 1000.0;
  return static_cast<double>(n_partial_passes) * trace.milliseconds() / 2.0 / milliseconds_in_second;
}

}  // namespace headscope
