#include "core/model/forward.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/tensor/small_product.h"
#include "core/tensor/softmax.h"

namespace headscope {
namespace {

using Map = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;
using Eigen::Index;

Map map(float* data, Index rows, Index cols, Index stride) {
  return {data, rows, cols, Eigen::OuterStride<>(stride)};
}

/// Floats of one T × T map, rounded up so that every head's map starts on a 64-byte line.
std::size_t map_floats(const ForwardShape& shape) {
  return static_cast<std::size_t>(shape.n_tokens) * static_cast<std::size_t>(shape.n_tokens);
}

std::size_t rounded(std::size_t floats) {
  return (floats + 15) / 16 * 16;
}

/// Products smaller than this many multiplications take less time than waking a thread.
constexpr double parallel_threshold = 4e6;

/// Scores of a block of rows stay in a core's second-level cache together with their weights.
constexpr int block_floats = 96 * 1024;
/// Exponentials go over at least this many numbers at once, so that short sentences use whole vectors.
constexpr int chunk_floats = 4096;

struct HeadPass {
  const AttentionWeights& weights;
  const AttentionOptions& options;
  const CombinedMask& mask;
  ForwardBuffers& buffers;
  float factor;
  float mask_value;
};

/// Rows first … last of one head, on their way from raw scores to weights.
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

/// out = a bᵀ
void product_transposed(const MatrixView& a, const MatrixView& b, float* out, Index out_stride) {
  if (is_small_product(a.rows, a.cols, b.rows)) {
    small_product_transposed(a, b, out, out_stride);
  } else {
    map(out, a.rows, b.rows, out_stride).noalias() = eigen(a) * eigen(b).transpose();
  }
}

/// out = a b
void product(const MatrixView& a, const MatrixView& b, float* out, Index out_stride) {
  if (is_small_product(a.rows, a.cols, b.cols)) {
    small_product(a, b, out, out_stride);
  } else {
    map(out, a.rows, b.cols, out_stride).noalias() = eigen(a) * eigen(b);
  }
}

/// One head from queries, keys and values to its output; false where `stop` became true.
bool head_forward(const HeadPass& pass, int head, const std::atomic<bool>* stop) {
  const ForwardBuffers& b = pass.buffers;
  const ForwardShape& s = b.shape;
  const int n = s.n_tokens;
  const Index stride = s.packed_width();
  const int third = s.n_heads * s.d_head;
  const MatrixView queries{b.packed + head * s.d_head, n, s.d_head, stride};
  const MatrixView keys{b.packed + third + head * s.d_head, n, s.d_head, stride};
  const MatrixView values{b.packed + 2 * third + head * s.d_value, n, s.d_value, stride};
  const std::size_t base = static_cast<std::size_t>(head) * map_floats(s);
  const MatrixView weights{b.weights + base, n, n, n};
  float* outputs = b.concat + head * s.d_value;

  const bool over_keys = pass.options.softmax == SoftmaxAxis::keys;
  const int block_rows = std::max(16, block_floats / n / 16 * 16);
  const int chunk_rows = std::max(1, chunk_floats / n);
  for (int first = 0; first < n; first += block_rows) {
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) return false;
    const int rows = std::min(block_rows, n - first);
    product_transposed(queries.block(first, 0, rows, s.d_head), keys,
                       b.raw + base + static_cast<std::ptrdiff_t>(first) * n, n);
    for (int row = first; row < first + rows; row += chunk_rows) {
      const ScoreBlock chunk = score_block(pass, head, row, std::min(row + chunk_rows, first + rows));
      scale_and_mask(chunk, pass.factor, pass.mask_value);
      if (over_keys) softmax_over_keys(chunk);
    }
    if (over_keys) {
      product(weights.block(first, 0, rows, n), values,
              outputs + static_cast<std::ptrdiff_t>(first) * s.concat_width(), s.concat_width());
    }
  }
  if (!over_keys) {
    softmax_over_queries(score_block(pass, head, 0, n));
    product(weights, values, outputs, s.concat_width());
  }
  return true;
}

/// out = in · weights + bias, columns shared out over the pool.
void linear(const Map& in, const Matrix& weights, const RowVector& bias, Map out, TaskPool& pool) {
  const double work = static_cast<double>(in.rows()) * static_cast<double>(weights.size());
  const int parts = work < parallel_threshold ? 1 : pool.size();
  const Index width = (weights.cols() / parts + 15) / 16 * 16;
  const auto part = [&](int index) {
    const Index first = std::min<Index>(index * width, weights.cols());
    const Index cols = index == parts - 1 ? weights.cols() - first : std::min(width, weights.cols() - first);
    if (cols == 0) return;
    auto block = out.middleCols(first, cols);
    block.noalias() = in * weights.middleCols(first, cols);
    block.rowwise() += bias.segment(first, cols);
  };
  if (parts == 1) {
    part(0);
  } else {
    pool.for_each(parts, part);
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

bool attention_forward(const AttentionWeights& weights, const AttentionOptions& options,
                       const CombinedMask& mask, ForwardBuffers& buffers, TaskPool& pool,
                       const std::atomic<bool>* stop) {
  const ForwardShape& s = buffers.shape;
  const Index n = s.n_tokens;
  linear(map(buffers.input, n, s.d_model, s.d_model), weights.qkv, weights.qkv_bias,
         map(buffers.packed, n, s.packed_width(), s.packed_width()), pool);

  const float width = options.scale ? std::sqrt(static_cast<float>(s.d_head)) : 1.0F;
  const HeadPass pass{weights,
                      options,
                      mask,
                      buffers,
                      1.0F / (width * options.temperature),
                      mask.value == MaskValue::minus_1e9 ? -1e9F : -std::numeric_limits<float>::infinity()};
  std::atomic<bool> complete{true};
  const double work = static_cast<double>(s.n_heads) * static_cast<double>(n) * static_cast<double>(n) *
                      (s.d_head + s.d_value);
  const auto one_head = [&](int head) {
    if (!head_forward(pass, head, stop)) complete = false;
  };
  if (work < parallel_threshold) {
    for (int head = 0; head < s.n_heads; ++head) one_head(head);
  } else {
    pool.for_each(s.n_heads, one_head);
  }
  if (!complete || (stop != nullptr && stop->load())) return false;
  if (s.output_projection) {
    linear(map(buffers.concat, n, s.concat_width(), s.concat_width()), weights.out, weights.out_bias,
           map(buffers.projected, n, s.d_model, s.d_model), pool);
  }
  return true;
}

Matrix head_contribution(const AttentionWeights& weights, const ForwardBuffers& buffers, int head) {
  const ForwardShape& s = buffers.shape;
  const Map output = map(buffers.concat + head * s.d_value, s.n_tokens, s.d_value, s.concat_width());
  return output * weights.out.middleRows(head * s.d_value, s.d_value);
}

}  // namespace headscope
