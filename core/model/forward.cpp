#include "core/model/forward.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/tensor/packed_product.h"
#include "core/tensor/softmax.h"
#include "core/tensor/stream.h"

namespace headscope {
namespace {

using Map = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;
using Eigen::Index;

Map map(float* data, Index rows, Index cols, Index stride) {
  return {data, rows, cols, Eigen::OuterStride<>(stride)};
}

/// Floats of one T × T map.
std::size_t map_floats(const ForwardShape& shape) {
  return static_cast<std::size_t>(shape.n_tokens) * static_cast<std::size_t>(shape.n_tokens);
}

std::size_t rounded(std::size_t floats) {
  return (floats + 15) / 16 * 16;
}

/// Products smaller than this many multiplications take less time than waking a thread.
constexpr double parallel_threshold = 4e6;

/// A block of rows of scores and its weights stay in a core's second-level cache while they are worked on.
constexpr int block_floats = 64 * 1024;
/// A part of a block that stays in the first-level cache; also the fewest exponentials taken at once, so that
/// short sentences use whole vectors.
constexpr int chunk_floats = 4096;
/// Maps larger than this together are written past the caches: they would only push out what is needed next.
constexpr std::size_t streaming_floats = 1024 * 1024;

struct HeadPass {
  const AttentionOptions& options;
  const CombinedMask& mask;
  ForwardBuffers& buffers;
  float factor;
  float mask_value;
  bool streams;
  const std::atomic<bool>* stop;

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

int block_rows(int n) {
  return std::max(16, block_floats / n / 16 * 16);
}
int chunk_rows(int n) {
  return std::max(1, chunk_floats / n);
}

/// What one thread needs beside the pass's own buffers, from head to head.
struct Workspace {
  PackedMatrix keys;
  PackedMatrix values;
  AlignedBuffer scores;  ///< where maps are streamed: a block of raw scores, one of weights, two chunks

  explicit Workspace(const HeadPass& pass) {
    if (!pass.streams) return;
    const auto n = static_cast<std::size_t>(pass.buffers.shape.n_tokens);
    const auto rows = static_cast<std::size_t>(2 * block_rows(pass.buffers.shape.n_tokens) +
                                               2 * chunk_rows(pass.buffers.shape.n_tokens));
    scores = AlignedBuffer(rows * n);
  }
};

/// Rows first … last of one head where they belong in the pass's maps.
ScoreBlock score_block(const HeadPass& pass, int head, int first, int last) {
  const ForwardBuffers& b = pass.buffers;
  const CombinedMask& mask = pass.mask;
  const int n = b.shape.n_tokens;
  const std::size_t at = static_cast<std::size_t>(head) * map_floats(b.shape) +
                         static_cast<std::size_t>(first) * static_cast<std::size_t>(n);
  const std::size_t mask_at = mask.index(head, first, 0);
  return {last - first,
          n,
          b.raw + at,
          b.scaled + at,
          b.masked + at,
          b.weights + at,
          mask.visible.empty() ? nullptr : mask.visible.data() + mask_at,
          mask.added.empty() ? nullptr : mask.added.data() + mask_at};
}

/// The same rows on their way through the workspace.
ScoreBlock workspace_block(const ScoreBlock& place, const Workspace& work, int first_in_block) {
  const std::ptrdiff_t n = place.cols;
  const std::ptrdiff_t block = block_rows(place.cols) * n;
  const std::ptrdiff_t chunk = chunk_rows(place.cols) * n;
  float* base = work.scores.data();
  ScoreBlock block_here = place;
  block_here.raw = base + first_in_block * n;
  block_here.weights = base + block + first_in_block * n;
  block_here.scaled = base + 2 * block;
  block_here.masked = place.masked == place.scaled ? block_here.scaled : block_here.scaled + chunk;
  return block_here;
}

void publish(const ScoreBlock& from, const ScoreBlock& to) {
  const auto n = static_cast<std::size_t>(from.rows) * static_cast<std::size_t>(from.cols);
  stream_copy(from.raw, n, to.raw);
  stream_copy(from.scaled, n, to.scaled);
  if (to.masked != to.scaled) stream_copy(from.masked, n, to.masked);
  stream_copy(from.weights, n, to.weights);
}

/// Rows first … first + rows of one head from queries to weights. Returns where the weights are still in the
/// cache: in the maps or in the workspace.
MatrixView block_forward(const HeadPass& pass, int head, const MatrixView& queries, int first,
                         const Workspace& work) {
  const int n = pass.buffers.shape.n_tokens;
  const int rows = queries.rows;
  const ScoreBlock place = score_block(pass, head, first, first + rows);
  const ScoreBlock block = pass.streams ? workspace_block(place, work, 0) : place;
  work.keys.multiply(queries, nullptr, block.raw, n);
  for (int row = 0; row < rows; row += chunk_rows(n)) {
    const int last = std::min(row + chunk_rows(n), rows);
    const ScoreBlock chunk_place = score_block(pass, head, first + row, first + last);
    const ScoreBlock chunk = pass.streams ? workspace_block(chunk_place, work, row) : chunk_place;
    scale_and_mask(chunk, pass.factor, pass.mask_value);
    if (pass.options.softmax == SoftmaxAxis::keys) softmax_over_keys(chunk);
    if (pass.streams) publish(chunk, chunk_place);
  }
  return {block.weights, rows, n, n};
}

/// One head from queries, keys and values to its output; false where the pass was stopped.
bool head_forward(const HeadPass& pass, int head, Workspace& work) {
  const ForwardBuffers& b = pass.buffers;
  const ForwardShape& s = b.shape;
  const int n = s.n_tokens;
  const Index stride = s.packed_width();
  const int third = s.n_heads * s.d_head;
  const MatrixView queries{b.packed + head * s.d_head, n, s.d_head, stride};
  const MatrixView keys{b.packed + third + head * s.d_head, n, s.d_head, stride};
  const MatrixView values{b.packed + 2 * third + head * s.d_value, n, s.d_value, stride};
  const std::ptrdiff_t out_stride = s.concat_width();
  float* outputs = b.concat + head * s.d_value;
  const bool over_keys = pass.options.softmax == SoftmaxAxis::keys;

  work.keys.pack_transposed(keys);
  work.values.pack(values);
  for (int first = 0; first < n; first += block_rows(n)) {
    if (pass.stopped()) return false;
    const int rows = std::min(block_rows(n), n - first);
    const MatrixView weights =
        block_forward(pass, head, queries.block(first, 0, rows, s.d_head), first, work);
    if (over_keys) work.values.multiply(weights, nullptr, outputs + first * out_stride, out_stride);
  }
  if (!over_keys) {
    const ScoreBlock whole = score_block(pass, head, 0, n);
    softmax_over_queries(whole);
    work.values.multiply({whole.weights, n, n, n}, nullptr, outputs, out_stride);
  }
  return true;
}

/// All heads, shared out over the pool; false where the pass was stopped.
bool heads_forward(const HeadPass& pass, TaskPool& pool) {
  const ForwardShape& s = pass.buffers.shape;
  const double work = static_cast<double>(map_floats(s)) * s.n_heads * (s.d_head + s.d_value);
  const int n_workers = work < parallel_threshold ? 1 : std::min(pool.size(), s.n_heads);
  std::atomic<int> next{0};
  std::atomic<bool> complete{true};
  const auto worker = [&](int) {
    Workspace workspace(pass);
    for (int head = next.fetch_add(1); head < s.n_heads; head = next.fetch_add(1)) {
      if (!head_forward(pass, head, workspace)) complete = false;
    }
    if (pass.streams) stream_fence();
  };
  if (n_workers == 1) {
    worker(0);
  } else {
    pool.for_each(n_workers, worker);
  }
  return complete;
}

/// out = in · weights + bias, in blocks of rows that stay in the cache, shared out over the pool: by rows
/// where there are many, else by columns.
void linear(const MatrixView& in, const PackedMatrix& weights, const RowVector& bias, float* out,
            TaskPool& pool) {
  constexpr int rows_in_block = 128;
  const int n_blocks = (in.rows + rows_in_block - 1) / rows_in_block;
  const double work =
      static_cast<double>(in.rows) * static_cast<double>(in.cols) * static_cast<double>(bias.size());
  const bool shares = work >= parallel_threshold && pool.size() > 1;
  const int n_parts = shares ? std::max(1, 2 * pool.size() / n_blocks) : 1;
  const auto task = [&](int index) {
    const int first_row = index / n_parts * rows_in_block;
    const int part = index % n_parts;
    const int rows = std::min(rows_in_block, in.rows - first_row);
    weights.multiply_panels(in.block(first_row, 0, rows, in.cols), bias.data(), out + first_row * bias.size(),
                            bias.size(), weights.n_panels() * part / n_parts,
                            weights.n_panels() * (part + 1) / n_parts);
  };
  if (shares) {
    pool.for_each(n_blocks * n_parts, task);
  } else {
    for (int index = 0; index < n_blocks; ++index) task(index);
  }
}

}  // namespace

std::size_t ForwardShape::floats() const {
  const auto t = static_cast<std::size_t>(n_tokens);
  const std::size_t maps = (mask_changes_scores ? 4U : 3U) * static_cast<std::size_t>(n_heads) * t * t;
  const std::size_t rows = 3 * rounded(t * static_cast<std::size_t>(d_model)) +
                           rounded(t * static_cast<std::size_t>(packed_width())) +
                           rounded(t * static_cast<std::size_t>(concat_width())) +
                           (output_projection ? rounded(t * static_cast<std::size_t>(d_model)) : 0);
  constexpr std::size_t rounding_of_four_maps = 64;
  return maps + rows + rounding_of_four_maps;
}

ForwardShape forward_shape(const Architecture& architecture, int n_tokens, bool mask_changes_scores) {
  return {n_tokens,
          architecture.d_model,
          architecture.n_heads,
          architecture.head_width(),
          architecture.value_width(),
          architecture.output_projection,
          mask_changes_scores};
}

ForwardBuffers::ForwardBuffers(const ForwardShape& s, AlignedBuffer block)
    : shape(s), memory(std::move(block)) {
  float* next = memory.data();
  const auto take = [&next](std::size_t floats) {
    float* at = next;
    next += rounded(floats);
    return at;
  };
  const auto t = static_cast<std::size_t>(s.n_tokens);
  const std::size_t rows = t * static_cast<std::size_t>(s.d_model);
  const std::size_t maps = static_cast<std::size_t>(s.n_heads) * t * t;
  embedding = take(rows);
  positions = take(rows);
  input = take(rows);
  packed = take(t * static_cast<std::size_t>(s.packed_width()));
  raw = take(maps);
  scaled = take(maps);
  masked = s.mask_changes_scores ? take(maps) : scaled;
  weights = take(maps);
  concat = take(t * static_cast<std::size_t>(s.concat_width()));
  projected = s.output_projection ? take(rows) : concat;
}

bool attention_forward(const PackedAttention& weights, const AttentionOptions& options,
                       const CombinedMask& mask, ForwardBuffers& buffers, TaskPool& pool,
                       const std::atomic<bool>* stop) {
  const ForwardShape& s = buffers.shape;
  const int n = s.n_tokens;
  linear({buffers.input, n, s.d_model, s.d_model}, weights.qkv, weights.qkv_bias, buffers.packed, pool);

  const float width = options.scale ? std::sqrt(static_cast<float>(s.d_head)) : 1.0F;
  // Column sums need the whole map, which the maps themselves hold.
  const bool streams = 3 * static_cast<std::size_t>(s.n_heads) * map_floats(s) > streaming_floats &&
                       options.softmax == SoftmaxAxis::keys;
  const HeadPass pass{options,
                      mask,
                      buffers,
                      1.0F / (width * options.temperature),
                      mask.value == MaskValue::minus_1e9 ? -1e9F : -std::numeric_limits<float>::infinity(),
                      streams,
                      stop};
  if (!heads_forward(pass, pool) || pass.stopped()) return false;
  if (s.output_projection) {
    const int width_of_heads = s.concat_width();
    linear({buffers.concat, n, width_of_heads, width_of_heads}, weights.out, weights.out_bias,
           buffers.projected, pool);
  }
  return true;
}

Matrix head_contribution(const AttentionWeights& weights, const ForwardBuffers& buffers, int head) {
  const ForwardShape& s = buffers.shape;
  const Map output = map(buffers.concat + head * s.d_value, s.n_tokens, s.d_value, s.concat_width());
  return output * weights.out.middleRows(head * s.d_value, s.d_value);
}

}  // namespace headscope
