#include "core/model/score_blocks.h"

#include <algorithm>

#include "core/tensor/stream.h"

namespace headscope {
namespace {

constexpr int block_floats = 64 * 1024;
/// This is also the smallest number of exponentials that are computed at once.
constexpr int chunk_floats = 2048;

}  // namespace

int block_rows(int n) {
  return std::max(16, block_floats / n / 16 * 16);
}
int chunk_rows(int n) {
  return std::max(1, chunk_floats / n);
}

ScoreWorkspace::ScoreWorkspace(const HeadPass& pass) {
  if (!pass.streams) return;
  const int n = pass.buffers.shape.n_keys;
  const int n_chunks = pass.buffers.shape.caps ? 3 : 2;
  scores = AlignedBuffer(static_cast<std::size_t>(2 * block_rows(n) + n_chunks * chunk_rows(n)) *
                         static_cast<std::size_t>(n));
  if (pass.seen.empty()) return;
  hidden.assign(static_cast<std::size_t>(n), pass.mask_value);
  nothing.assign(static_cast<std::size_t>(n), 0.0F);
}

ScoreBlock score_block(const HeadPass& pass, int head, int first, int last) {
  const AttentionBuffers& b = pass.buffers;
  const CombinedMask& mask = pass.plan.mask;
  const int n = b.shape.n_keys;
  const std::size_t at = static_cast<std::size_t>(head) * b.shape.map_floats() +
                         static_cast<std::size_t>(first) * static_cast<std::size_t>(n);
  const std::size_t mask_at = mask.index(head, first, 0);
  const DistanceBiases* biases = pass.plan.biases;
  const auto part = [at](float* maps) { return maps == nullptr ? nullptr : maps + at; };
  return {last - first,
          n,
          part(b.raw),
          part(b.scaled),
          part(b.masked),
          part(b.weights),
          mask.visible.empty() ? nullptr : mask.visible.data() + mask_at,
          mask.added.empty() ? nullptr : mask.added.data() + mask_at,
          biases == nullptr ? nullptr : (*biases)[static_cast<std::size_t>(head)].data() + n - 1 - first,
          pass.plan.softcap,
          part(b.capped),
          pass.plan.sinks == nullptr ? no_sink : pass.plan.sinks[head]};
}

ScoreBlock workspace_block(const HeadPass& pass, const ScoreBlock& place, const ScoreWorkspace& work,
                           int first_in_block) {
  const std::ptrdiff_t n = place.cols;
  const std::ptrdiff_t block = block_rows(place.cols) * n;
  const std::ptrdiff_t chunk = chunk_rows(place.cols) * n;
  float* base = work.scores.data();
  ScoreBlock block_here = place;
  block_here.raw = base + first_in_block * n;
  block_here.weights = base + block + first_in_block * n;
  block_here.scaled = base + 2 * block;
  const AttentionShape& shape = pass.buffers.shape;
  block_here.capped = shape.caps ? block_here.scaled + 2 * chunk : block_here.scaled;
  block_here.masked = shape.mask_changes_scores ? block_here.scaled + chunk : block_here.capped;
  return block_here;
}

void publish(const ScoreBlock& from, const ScoreBlock& to) {
  const auto n = static_cast<std::size_t>(from.rows) * static_cast<std::size_t>(from.cols);
  if (to.raw != nullptr) stream_copy(from.raw, n, to.raw);
  if (to.scaled != nullptr) stream_copy(from.scaled, n, to.scaled);
  if (to.capped != to.scaled) stream_copy(from.capped, n, to.capped);
  if (to.masked != to.capped) stream_copy(from.masked, n, to.masked);
  stream_copy(from.weights, n, to.weights);
}

}  // namespace headscope
