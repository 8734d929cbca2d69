#include "core/engine/partial_pass.h"

#include <algorithm>
#include <iterator>
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

std::vector<float> logits_in(const PassBuffers& buffers, const PassInputs& inputs, int row,
                             ThreadPool& pool) {
  const Matrix logits = logits_of_rows(
      inputs, buffers.shape,
      buffers.rows({StageKind::stack_output, buffers.shape.architecture().last_stack()}, {row, row + 1}), row,
      pool);
  return {logits.data(), logits.data() + logits.size()};
}

/// Gives a value back to its place at the end of the scope.
template <class Value>
struct Restored {
  explicit Restored(Value& changed) : place(changed), before(changed) {}
  ~Restored() { place = std::move(before); }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;

  Value& place;
  Value before;
};

}  // namespace

std::vector<StageId> written_by(const Graph& graph, const ModelPart& part) {
  using enum StageKind;
  const auto [stack, attention, layer, head] = part.place;
  if (part.kind == ModelPart::Kind::head) return {stage_in(part.place, output)};
  if (!graph.architecture().residual && part.kind == ModelPart::Kind::layer)
    return {{layer_output, stack, layer}};
  std::vector<StageId> written;
  const auto add = [&](const StageId& normed, const StageId& plain) {
    if (graph.has(plain)) written.push_back(graph.has(normed) ? normed : plain);
  };
  for (const AttentionKind kind : {AttentionKind::self, AttentionKind::cross}) {
    if (part.kind == ModelPart::Kind::layer)
      add({output_norm, stack, layer, kind}, {projected, stack, layer, kind});
  }
  add({feed_forward_output_norm, stack, layer}, {feed_forward_output, stack, layer});
  return written;
}

PartialPass::PartialPass(const Trace& trace, const std::atomic<bool>* stop)
    : trace_(trace),
      kept_(trace.kept()),
      buffers_(buffers_like(kept_)),
      inputs_(trace.pass_inputs()),
      edits_(trace.edits() == nullptr ? PassEdits() : *trace.edits()),
      stop_(stop) {
  inputs_.edits = &edits_;
  if (inputs_.unembedding.exists()) unembedding_ = inputs_.unembedding.packed(pool_);
}

std::vector<float> PartialPass::logits_of_pass(int row) {
  return logits_in(kept_, inputs_, row, pool_);
}

std::optional<std::vector<float>> PartialPass::logits_with(std::vector<RowEdit> replaced, int row) {
  const StageId place = replaced.front().stage;
  const Restored<std::vector<RowEdit>> rows(edits_.rows);
  std::erase_if(edits_.rows, [&](const RowEdit& own) {
    return std::ranges::any_of(replaced, [&](const RowEdit& edit) {
      return edit.stage == own.stage && (edit.row == own.row || edit.row == every_row);
    });
  });
  std::ranges::move(replaced, std::back_inserter(edits_.rows));
  return logits_of({.stack = place.stack, .layer = place.layer, .switched_off = {}, .row = row});
}

std::optional<std::vector<float>> PartialPass::logits_without(const ModelPart& part, int row) {
  const auto [stack, attention, layer, head] = part.place;
  if (part.kind == ModelPart::Kind::head) return logits_without_head(part.place, row);
  if (part.kind == ModelPart::Kind::feed_forward) {
    const StageId output = written_by(trace_.graph(), part).front();
    const auto width = static_cast<std::size_t>(trace_.extent(output).cols);
    return logits_with({{output, every_row, PatchSource::zero, std::vector<float>(width, 0.0F)}}, row);
  }
  const StageId entering{StageKind::layer_input, stack, layer};
  const Extent size = trace_.extent(entering);
  const StageNumbers numbers = trace_.read(entering, {0, 0, size.rows, size.cols});
  std::vector<RowEdit> skipping;
  for (int token = 0; token < size.rows; ++token) {
    const auto line = numbers.view.row(token);
    skipping.push_back(
        {{StageKind::layer_output, stack, layer}, token, PatchSource::compared, {line.begin(), line.end()}});
  }
  return logits_with(std::move(skipping), row);
}

std::optional<std::vector<float>> PartialPass::logits_without_head(const HeadId& head, int row) {
  const Restored<float> scale(edits_.at(head).scale);
  edits_.at(head).scale = 0.0F;
  return logits_of({.stack = head.stack, .layer = head.layer, .switched_off = head, .row = row});
}

std::optional<std::vector<float>> PartialPass::logits_of(const PassTail& part) {
  if (!forward_from(inputs_, kept_, part, buffers_, pool_, stop_)) return std::nullopt;
  return logits_in(buffers_, inputs_, *part.row, pool_);
}

double estimated_seconds(const Trace& trace, std::int64_t n_partial_passes) {
  constexpr double milliseconds_in_second = 1000.0;
  return static_cast<double>(n_partial_passes) * trace.milliseconds() / 2.0 / milliseconds_in_second;
}

}  // namespace headscope
