#include "core/model/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/model/positions.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/random.h"
#include "core/tensor/softmax.h"
#include "core/tensor/stream.h"

namespace headscope {
namespace {

using Eigen::Index;

/// A block of rows of scores and its weights stay in a core's second-level cache while they are worked on.
constexpr int block_floats = 64 * 1024;
/// A part of a block that stays in the first-level cache; also the fewest exponentials taken at once, so that
/// short sentences use whole vectors.
constexpr int chunk_floats = 2048;
/// Maps larger than this together are written past the caches: they would only push out what is needed next.
constexpr std::size_t streaming_floats = std::size_t{1} << 20U;

struct HeadPass {
  const AttentionPlan& plan;
  AttentionBuffers& buffers;
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

/// The memory one thread needs besides the pass's own buffers, kept from head to head.
struct Workspace {
  PackedMatrix keys;
  PackedMatrix values;
  AlignedBuffer scores;  ///< where maps are streamed: a block of raw scores, one of weights, two chunks

  explicit Workspace(const HeadPass& pass) {
    if (!pass.streams) return;
    const int n = pass.buffers.shape.n_keys;
    scores = AlignedBuffer(static_cast<std::size_t>(2 * block_rows(n) + 2 * chunk_rows(n)) *
                           static_cast<std::size_t>(n));
  }
};

/// Rows first … last of one head where they belong in the pass's maps.
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
          biases == nullptr ? nullptr : (*biases)[static_cast<std::size_t>(head)].data() + n - 1 - first};
}

/// The same rows on their way through the workspace.
ScoreBlock workspace_block(const HeadPass& pass, const ScoreBlock& place, const Workspace& work,
                           int first_in_block) {
  const std::ptrdiff_t n = place.cols;
  const std::ptrdiff_t block = block_rows(place.cols) * n;
  const std::ptrdiff_t chunk = chunk_rows(place.cols) * n;
  float* base = work.scores.data();
  ScoreBlock block_here = place;
  block_here.raw = base + first_in_block * n;
  block_here.weights = base + block + first_in_block * n;
  block_here.scaled = base + 2 * block;
  const bool has_masked = pass.buffers.shape.mask_changes_scores;
  block_here.masked = has_masked ? block_here.scaled + chunk : block_here.scaled;
  return block_here;
}

void publish(const ScoreBlock& from, const ScoreBlock& to) {
  const auto n = static_cast<std::size_t>(from.rows) * static_cast<std::size_t>(from.cols);
  stream_copy(from.raw, n, to.raw);
  stream_copy(from.scaled, n, to.scaled);
  if (to.masked != to.scaled) stream_copy(from.masked, n, to.masked);
  stream_copy(from.weights, n, to.weights);
}

/// Takes away what dropout removes from `rows` rows of one head, from the query `first` on.
void drop(const HeadPass& pass, int head, int first, const float* weights, float* dropped, int rows) {
  const auto n = static_cast<std::size_t>(pass.buffers.shape.n_keys);
  std::vector<float> factors(n);
  for (int row = 0; row < rows; ++row, weights += n, dropped += n) {
    pass.plan.dropout->factors(head, first + row, factors);
    for (std::size_t i = 0; i < n; ++i) dropped[i] = weights[i] * factors[i];
  }
}

/// The rows of weights that the values are averaged with: after dropout, where there is any.
MatrixView averaging_rows(const HeadPass& pass, int head, int first, int last) {
  const AttentionShape& s = pass.buffers.shape;
  const std::size_t at = static_cast<std::size_t>(head) * s.map_floats() +
                         static_cast<std::size_t>(first) * static_cast<std::size_t>(s.n_keys);
  if (s.drops) drop(pass, head, first, pass.buffers.weights + at, pass.buffers.dropped + at, last - first);
  return {pass.buffers.dropped + at, last - first, s.n_keys, s.n_keys};
}

/// Rows first … first + rows of one head from queries to weights. Returns those that the values are averaged
/// with, where they still are in the cache: in the maps or in the workspace.
MatrixView block_forward(const HeadPass& pass, int head, const MatrixView& queries, int first,
                         const Workspace& work) {
  const int n = pass.buffers.shape.n_keys;
  const int rows = queries.rows;
  const bool over_keys = pass.plan.options.softmax == SoftmaxAxis::keys;
  const ScoreBlock place = score_block(pass, head, first, first + rows);
  const ScoreBlock block = pass.streams ? workspace_block(pass, place, work, 0) : place;
  work.keys.multiply(queries, nullptr, block.raw, n);
  for (int row = 0; row < rows; row += chunk_rows(n)) {
    const int last = std::min(row + chunk_rows(n), rows);
    const ScoreBlock chunk_place = score_block(pass, head, first + row, first + last);
    const ScoreBlock chunk = pass.streams ? workspace_block(pass, chunk_place, work, row) : chunk_place;
    scale_and_mask(chunk, pass.factor, pass.mask_value);
    if (over_keys) softmax_over_keys(chunk);
    if (pass.streams && pass.buffers.shape.keeps_maps) publish(chunk, chunk_place);
  }
  if (pass.streams && pass.buffers.shape.drops) drop(pass, head, first, block.weights, block.weights, rows);
  if (pass.streams || !over_keys) return {block.weights, rows, n, n};
  return averaging_rows(pass, head, first, first + rows);
}

/// One head from queries, keys and values to its output; false where the pass was stopped.
bool head_forward(const HeadPass& pass, int head, Workspace& work) {
  const AttentionBuffers& b = pass.buffers;
  const AttentionShape& s = b.shape;
  const int n = s.n_queries;
  const Index key_stride = static_cast<Index>(s.n_heads) * s.d_head;
  const std::ptrdiff_t out_stride = s.concat_width();
  const std::ptrdiff_t key_column = static_cast<std::ptrdiff_t>(head) * s.d_head;
  const std::ptrdiff_t value_column = static_cast<std::ptrdiff_t>(head) * s.d_value;
  const MatrixView queries{b.rotated_query + key_column, n, s.d_head, key_stride};
  const MatrixView keys{b.rotated_key + key_column, s.n_keys, s.d_head, key_stride};
  const MatrixView values{b.value + value_column, s.n_keys, s.d_value, out_stride};
  float* outputs = b.concat + value_column;
  const bool over_keys = pass.plan.options.softmax == SoftmaxAxis::keys;

  work.keys.pack_transposed(keys);
  work.values.pack(values);
  for (int first = 0; first < n; first += block_rows(s.n_keys)) {
    if (pass.stopped()) return false;
    const int rows = std::min(block_rows(s.n_keys), n - first);
    const MatrixView weights =
        block_forward(pass, head, queries.block(first, 0, rows, s.d_head), first, work);
    if (over_keys) work.values.multiply(weights, nullptr, outputs + first * out_stride, out_stride);
  }
  if (!over_keys) {
    softmax_over_queries(score_block(pass, head, 0, n));
    work.values.multiply(averaging_rows(pass, head, 0, n), nullptr, outputs, out_stride);
  }
  return true;
}

/// All heads, shared out over the pool; false where the pass was stopped.
bool heads_forward(const HeadPass& pass, TaskPool& pool) {
  const AttentionShape& s = pass.buffers.shape;
  const double work = static_cast<double>(s.map_floats()) * s.n_heads * (s.d_head + s.d_value);
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

}  // namespace

AttentionBuffers::AttentionBuffers(const AttentionShape& s, Carver& carver, float* heads_outputs) : shape(s) {
  const int key_width = s.n_heads * s.d_head;
  query = carver.take(s.n_queries, key_width);
  key = carver.take(s.n_keys, key_width);
  value = carver.take(s.n_keys, s.concat_width());
  rotated_query = s.rotates ? carver.take(s.n_queries, key_width) : query;
  rotated_key = s.rotates ? carver.take(s.n_keys, key_width) : key;
  if (s.keeps_maps) {
    const std::size_t maps = static_cast<std::size_t>(s.n_heads) * s.map_floats();
    raw = carver.take(maps);
    scaled = carver.take(maps);
    masked = s.mask_changes_scores ? carver.take(maps) : scaled;
    weights = carver.take(maps);
    dropped = s.drops ? carver.take(maps) : weights;
  }
  concat = heads_outputs != nullptr ? heads_outputs : carver.take(s.n_queries, s.concat_width());
  projected = s.output_projection ? carver.take(s.n_queries, s.d_model) : concat;
}

void Dropout::factors(int head, int query, std::span<float> row) const {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL;
  constexpr unsigned head_bits = 32;
  const std::uint64_t place =
      (static_cast<std::uint64_t>(head) << head_bits) + static_cast<std::uint64_t>(query) + 1;
  RandomStream random(stream ^ (place * golden));
  for (float& factor : row) factor = random.uniform() < static_cast<double>(p) ? 0.0F : 1.0F / (1.0F - p);
}

Dropout dropout_of(const AttentionOptions& options, Stack stack, int layer, AttentionKind attention) {
  const std::string name = std::string("dropout ") + (stack == Stack::encoder ? "encoder" : "decoder") +
                           ".layers." + std::to_string(layer) +
                           (attention == AttentionKind::self ? ".self" : ".cross");
  return {options.dropout, RandomStream(options.dropout_seed, name).bits()};
}

float score_factor(const AttentionPlan& plan, const AttentionShape& shape) {
  const float width = plan.options.scale ? std::sqrt(static_cast<float>(shape.d_head)) : 1.0F;
  return 1.0F / (width * plan.options.temperature);
}

bool attention_forward(const AttentionWeights& weights, const AttentionInputs& inputs,
                       const AttentionPlan& plan, AttentionBuffers& buffers, TaskPool& pool,
                       const std::atomic<bool>* stop) {
  const AttentionShape& s = buffers.shape;
  const int key_width = s.n_heads * s.d_head;
  multiply(inputs.query, weights.query, buffers.query, pool);
  multiply(inputs.key, weights.key, buffers.key, pool);
  multiply(inputs.value, weights.value, buffers.value, pool);
  if (s.rotates) {
    rotate({buffers.query, s.n_queries, key_width, key_width}, s.d_head, buffers.rotated_query);
    rotate({buffers.key, s.n_keys, key_width, key_width}, s.d_head, buffers.rotated_key);
  }

  // Column sums and dropout need the maps themselves, where these are kept.
  const bool is_large = 3 * static_cast<std::size_t>(s.n_heads) * s.map_floats() > streaming_floats;
  const bool streams = !s.keeps_maps || (is_large && plan.options.softmax == SoftmaxAxis::keys && !s.drops);
  const HeadPass pass{plan, buffers, score_factor(plan, s), plan.mask.value, streams, stop};
  if (!plan.has_outputs && (!heads_forward(pass, pool) || pass.stopped())) return false;
  if (s.output_projection) {
    multiply({buffers.concat, s.n_queries, s.concat_width(), s.concat_width()}, weights.out,
             buffers.projected, pool);
  }
  return true;
}

Matrix head_contribution(const MatrixView& output, const MatrixView& rows_of_head) {
  PackedMatrix rows;
  rows.borrow(rows_of_head);
  Matrix contribution(output.rows, rows_of_head.cols);
  rows.multiply(output, nullptr, contribution.data(), rows_of_head.cols);
  return contribution;
}

}  // namespace headscope
