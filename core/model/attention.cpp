#include "core/model/attention.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "core/tensor/elementwise.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/random.h"

namespace headscope {
namespace {

/// The ScoreBlock of a head's queries from `first` on, except for its row count and data pointers.
ScoreBlock score_block_template(const AttentionPlan& plan, const AttentionShape& shape, int head, int first) {
  const int query = shape.first_query + first;
  const CombinedMask& mask = plan.mask;
  ScoreBlock block;
  block.cols = shape.n_keys;
  block.visible = mask.visible.empty() ? nullptr : &mask.visible;
  block.first_visible = mask.line(head, query);
  block.first_key = shape.first_key;
  if (!mask.added.empty()) block.added = mask.added.data() + mask.index(head, query, shape.first_key);
  if (plan.biases != nullptr) {
    const std::vector<float>& biases = (*plan.biases)[static_cast<std::size_t>(head)];
    // The middle element is for a key at the query's own position.
    block.biases = biases.data() + static_cast<std::ptrdiff_t>(biases.size() / 2) + shape.first_key - query;
  }
  block.softcap = plan.softcap;
  if (plan.sinks != nullptr) block.sink = plan.sinks[head];
  return block;
}

/// Writes the raw scores of rows from `first` on with the first `n` keys: given ones, or Q Kᵀ.
void raw_scores(const AttentionPlan& plan, const AttentionShape& shape, int head, const MatrixView& queries,
                int first, int n, const PackedMatrix& keys, float* raw) {
  const HeadEdits* edits = plan.weight_edits_of_head(head);
  if (edits != nullptr && edits->raw != nullptr) {
    for (int row = 0; row < queries.rows; ++row) {
      const auto given = edits->raw->view().row(shape.first_query + first + row);
      std::copy_n(given.data() + shape.first_key, n, raw + static_cast<std::ptrdiff_t>(row) * n);
    }
  } else if (n == shape.n_keys) {
    keys.multiply(queries, nullptr, raw, n);
  } else {
    keys.multiply_columns(queries, raw, n, n);
  }
}

/// Computes the masked scores of a head's queries from `first` on from the raw ones, with what disentangled
/// attention adds to them.
void mask_scores(const AttentionPlan& plan, const AttentionBuffers& b, int head, int first, float factor,
                 const ScoreBlock& block) {
  scale_and_mask(block, factor, plan.mask.value);
  if (b.position_query == nullptr && b.position_key == nullptr) return;
  const AttentionShape& s = b.shape;
  const auto rows_of = [&](const float* all, int first_row, int n) {
    return eigen({all + std::ptrdiff_t{first_row} * s.query_width() + std::ptrdiff_t{head} * s.d_head, n,
                  s.d_head, s.query_width()});
  };
  Matrix added = Matrix::Zero(block.rows, block.cols);
  // The rows of distances begin with −(n_keys − 1). In them, the distances of a query lie behind each other,
  // as do those of a key, in reverse.
  const int of_first = s.n_keys - 1 - s.first_query - first;
  for (int row = 0; row < block.rows && b.position_key != nullptr; ++row)
    added.row(row) =
        rows_of(b.query, first + row, 1) * rows_of(b.position_key, of_first - row, block.cols).transpose();
  for (int key = 0; key < block.cols && b.position_query != nullptr; ++key)
    added.col(key) += (rows_of(b.position_query, of_first + key - block.rows + 1, block.rows) *
                       rows_of(b.key, key, 1).transpose())
                          .reverse();
  float* masked = block.masked;
  for (int row = 0; row < block.rows; ++row, masked += block.cols) {
    const VisibleKeys visible = plan.mask.keys(head, s.first_query + first + row);
    for (int key = 0; key < block.cols; ++key)
      if (visible.sees(key)) masked[key] += factor * added(row, key);
  }
}

/// Computes the weights of a head's queries from `first` on from their masked scores, or reads them from a
/// capture.
void weigh(const AttentionPlan& plan, const AttentionShape& shape, int head, int first,
           const ScoreBlock& block) {
  if (plan.has_captured_weights()) {
    const auto at = static_cast<std::size_t>(plan.place.layer) * static_cast<std::size_t>(shape.n_heads) +
                    static_cast<std::size_t>(head);
    const std::size_t row = at * static_cast<std::size_t>(shape.n_queries) + static_cast<std::size_t>(first);
    plan.captured->weights(row, block.rows, block.weights);
  } else if (shape.is_linear) {
    normalize_over_keys(block);
  } else {
    softmax_over_keys(block);
  }
}

/// Applies the interventions to rows of weights with `n` keys each, which may be fewer than all.
void edit(const AttentionPlan& plan, const AttentionShape& shape, int head, int first, int rows,
          float* weights, int n) {
  const HeadEdits* edits = plan.weight_edits_of_head(head);
  if (edits == nullptr || !edits->changes_weights()) return;
  for (int query = shape.first_query + first; query < shape.first_query + first + rows;
       ++query, weights += n) {
    edit_weights(*edits, query, plan.mask.keys(head, query).from(shape.first_key),
                 {weights, static_cast<std::size_t>(n)},
                 row_sums(plan.options.softmax, plan.sinks != nullptr));
  }
}

/// Applies dropout to `rows` rows of one head, starting at the query `first`.
void drop(const AttentionPlan& plan, const AttentionShape& shape, int head, int first, const float* weights,
          float* dropped, int rows) {
  const auto n = static_cast<std::size_t>(shape.n_keys);
  std::vector<float> factors(n);
  for (int row = 0; row < rows; ++row, weights += n, dropped += n) {
    plan.dropout->factors(head, shape.first_query + first + row, factors);
    for (std::size_t i = 0; i < n; ++i) dropped[i] = weights[i] * factors[i];
  }
}

/// The state of one attention while its heads are computed.
struct HeadPass {
  const AttentionPlan& plan;
  const AttentionBuffers& buffers;
  float factor;
  float mask_value;
  bool streams;
  const std::atomic<bool>* stop;
  std::vector<int> seen;  ///< visible_key_counts(), or empty if all keys are computed.

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

/// The scratch memory of one thread, reused from head to head.
struct ScoreWorkspace {
  PackedMatrix keys;
  PackedMatrix values;
  int kv_head = -1;      ///< The head of the keys and values
  AlignedBuffer scores;  ///< If maps are streamed: a block of raw scores, a block of weights and some chunks.
  std::vector<float> hidden,
      nothing;  ///< Masked scores and weights of trailing hidden keys

  explicit ScoreWorkspace(const HeadPass& pass);
};

constexpr int block_floats = 64 * 1024;
/// Also the minimum number of exponentials computed at once.
constexpr int chunk_floats = 2048;

/// The rows of `n` scores in a block, which fits into the L2 cache together with its weights.
int block_rows(int n) {
  return std::max(16, block_floats / n / 16 * 16);
}
/// The rows in a chunk, which fits into the L1 cache. Rows of short sentences are processed together to fill
/// vectors.
int chunk_rows(int n) {
  return std::max(1, chunk_floats / n);
}

ScoreWorkspace::ScoreWorkspace(const HeadPass& pass) {
  if (!pass.streams) return;
  const int n = pass.buffers.shape.n_keys;
  const int n_chunks = pass.buffers.shape.has_softcap ? 3 : 2;
  scores = AlignedBuffer(static_cast<std::size_t>(2 * block_rows(n) + n_chunks * chunk_rows(n)) *
                         static_cast<std::size_t>(n));
  if (pass.seen.empty()) return;
  hidden.assign(static_cast<std::size_t>(n), pass.mask_value);
  nothing.assign(static_cast<std::size_t>(n), 0.0F);
}

/// Rows [first, last) of one head in the maps of the pass.
ScoreBlock score_block(const HeadPass& pass, int head, int first, int last) {
  const AttentionBuffers& b = pass.buffers;
  const std::size_t at = static_cast<std::size_t>(head) * b.shape.map_floats() +
                         static_cast<std::size_t>(first) * static_cast<std::size_t>(b.shape.n_keys);
  const auto part = [at](float* maps) { return maps == nullptr ? nullptr : maps + at; };
  ScoreBlock block = score_block_template(pass.plan, b.shape, head, first);
  block.rows = last - first;
  block.raw = part(b.raw);
  block.scaled = part(b.scaled);
  block.masked = part(b.masked);
  block.weights = part(b.weights);
  block.capped = part(b.capped);
  return block;
}

/// The same rows in the workspace.
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
  block_here.capped = shape.has_softcap ? block_here.scaled + 2 * chunk : block_here.scaled;
  block_here.masked = shape.mask_changes_scores ? block_here.scaled + chunk : block_here.capped;
  return block_here;
}

/// Copies rows from the workspace to the maps with non-temporal stores.
void publish(const ScoreBlock& from, const ScoreBlock& to) {
  const auto n = static_cast<std::size_t>(from.rows) * static_cast<std::size_t>(from.cols);
  if (to.raw != nullptr) stream_copy(from.raw, n, to.raw);
  if (to.scaled != nullptr) stream_copy(from.scaled, n, to.scaled);
  if (to.capped != to.scaled) stream_copy(from.capped, n, to.capped);
  if (to.masked != to.capped) stream_copy(from.masked, n, to.masked);
  stream_copy(from.weights, n, to.weights);
}

/// The rows of a block if a mask hides the ends of rows; few, so that they see about equally many keys.
constexpr int rows_per_masked_block = 32;

/// The rows of weights that average the values, i.e. after dropout.
MatrixView averaging_rows(const HeadPass& pass, int head, int first, int last) {
  const AttentionShape& s = pass.buffers.shape;
  const std::size_t at = static_cast<std::size_t>(head) * s.map_floats() +
                         static_cast<std::size_t>(first) * static_cast<std::size_t>(s.n_keys);
  if (s.has_dropout)
    drop(pass.plan, s, head, first, pass.buffers.weights + at, pass.buffers.dropped + at, last - first);
  return {pass.buffers.dropped + at, last - first, s.n_keys, s.n_keys};
}

/// The number of leading keys that the rows [first, first + rows) see, rounded up to whole vectors and
/// panels.
int n_visible_keys(const HeadPass& pass, int head, int first, int rows) {
  const int n = pass.buffers.shape.n_keys;
  if (pass.seen.empty()) return n;
  constexpr int whole = 32;
  const std::size_t at =
      pass.plan.mask.n_heads == 1
          ? 0
          : static_cast<std::size_t>(head) * static_cast<std::size_t>(pass.buffers.shape.n_queries);
  const auto begin = pass.seen.begin() + static_cast<std::ptrdiff_t>(at) + first;
  // Even a block without visible keys needs a vector of hidden keys, because its outputs must be written.
  const int max_keys = std::max(*std::max_element(begin, begin + rows), 1);
  return std::min((max_keys + whole - 1) / whole * whole, n);
}

/// block_forward() for a block in which keys from `n_visible` on are hidden with −∞ from all queries, so they
/// are skipped and their weights are 0.
MatrixView visible_block_forward(const HeadPass& pass, int head, const MatrixView& queries, int first,
                                 int n_visible, const ScoreWorkspace& work) {
  const int n = pass.buffers.shape.n_keys;
  const ScoreBlock whole = workspace_block(pass, score_block(pass, head, first, first + 1), work, 0);
  raw_scores(pass.plan, pass.buffers.shape, head, queries, first, n_visible, work.keys, whole.raw);
  for (int row = 0; row < queries.rows; ++row) {
    const ScoreBlock place = score_block(pass, head, first + row, first + row + 1);
    ScoreBlock here = place;
    here.cols = n_visible;
    here.raw = whole.raw + static_cast<std::ptrdiff_t>(row) * n_visible;
    here.scaled = whole.scaled;
    here.capped = whole.capped;
    here.masked = whole.masked;
    here.weights = whole.weights + static_cast<std::ptrdiff_t>(row) * n_visible;
    mask_scores(pass.plan, pass.buffers, head, first + row, pass.factor, here);
    weigh(pass.plan, pass.buffers.shape, head, first + row, here);
    edit(pass.plan, pass.buffers.shape, head, first + row, 1, here.weights, n_visible);
    if (!pass.buffers.shape.keeps_maps) continue;
    const auto seen = static_cast<std::size_t>(n_visible);
    const auto rest = static_cast<std::size_t>(n - n_visible);
    stream_copy(here.masked, seen, place.masked);
    stream_copy(work.hidden.data(), rest, place.masked + n_visible);
    stream_copy(here.weights, seen, place.weights);
    stream_copy(work.nothing.data(), rest, place.weights + n_visible);
  }
  return {whole.weights, queries.rows, n_visible, n_visible};
}

/// Computes a block of rows of one head, from queries to weights. Returns the final weights where they are
/// still cached: in the maps or in the workspace.
MatrixView block_forward(const HeadPass& pass, int head, const MatrixView& queries, int first,
                         const ScoreWorkspace& work) {
  const int n = pass.buffers.shape.n_keys;
  const int rows = queries.rows;
  const bool over_keys = pass.plan.options.softmax == SoftmaxAxis::keys;
  if (const int n_visible = n_visible_keys(pass, head, first, rows); n_visible < n) {
    return visible_block_forward(pass, head, queries, first, n_visible, work);
  }
  const ScoreBlock place = score_block(pass, head, first, first + rows);
  const ScoreBlock block = pass.streams ? workspace_block(pass, place, work, 0) : place;
  // A capture that has weights has no scores.
  const bool computes_scores = !pass.plan.has_captured_weights();
  if (computes_scores)
    raw_scores(pass.plan, pass.buffers.shape, head, queries, first, n, work.keys, block.raw);
  for (int row = 0; row < rows; row += chunk_rows(n)) {
    const int last = std::min(row + chunk_rows(n), rows);
    const ScoreBlock chunk_place = score_block(pass, head, first + row, first + last);
    const ScoreBlock chunk = pass.streams ? workspace_block(pass, chunk_place, work, row) : chunk_place;
    if (computes_scores) mask_scores(pass.plan, pass.buffers, head, first + row, pass.factor, chunk);
    if (over_keys) {
      weigh(pass.plan, pass.buffers.shape, head, first + row, chunk);
      edit(pass.plan, pass.buffers.shape, head, first + row, chunk.rows, chunk.weights, n);
    }
    if (pass.streams && pass.buffers.shape.keeps_maps) publish(chunk, chunk_place);
  }
  if (pass.streams && pass.buffers.shape.has_dropout)
    drop(pass.plan, pass.buffers.shape, head, first, block.weights, block.weights, rows);
  if (pass.streams || !over_keys) return {block.weights, rows, n, n};
  return averaging_rows(pass, head, first, first + rows);
}

/// Scales a head's output as an intervention specifies.
void scale_outputs(const HeadPass& pass, int head, const MutableRows& outputs) {
  const HeadEdits* edits = pass.plan.edits_of_head(head);
  if (edits == nullptr || edits->scale == 1.0F) return;
  for (int row = 0; row < outputs.n; ++row) {
    const std::span line(outputs.data + row * outputs.stride,
                         static_cast<std::size_t>(pass.buffers.shape.d_value));
    for (float& number : line) number *= edits->scale;
  }
}

/// Computes the output of one head from queries, keys and values. Returns false if the pass was stopped.
bool head_forward(const HeadPass& pass, int head, ScoreWorkspace& work) {
  const AttentionBuffers& b = pass.buffers;
  const AttentionShape& s = b.shape;
  const int n = s.n_queries;
  const int kv_head = s.kv_head_of(head);
  const std::ptrdiff_t out_stride = s.concat_width();
  const std::ptrdiff_t query_column = static_cast<std::ptrdiff_t>(head) * s.d_head;
  const std::ptrdiff_t key_column = static_cast<std::ptrdiff_t>(kv_head) * s.d_head;
  const std::ptrdiff_t value_column = static_cast<std::ptrdiff_t>(kv_head) * s.d_value;
  // A capture that has weights may have neither queries nor keys, and one that has none may have no values.
  const auto columns = [](float* all, std::ptrdiff_t first) {
    return all == nullptr ? nullptr : all + first;
  };
  const MatrixView queries{columns(b.query, query_column), n, s.d_head, s.query_width()};
  const MatrixView keys{columns(b.key, key_column), s.n_keys, s.d_head, s.key_width()};
  const bool averages = b.value != nullptr;
  const MatrixView values{columns(b.value, value_column), s.n_keys, s.d_value, s.value_width()};
  float* outputs = columns(b.concat, static_cast<std::ptrdiff_t>(head) * s.d_value);
  const bool over_keys = pass.plan.options.softmax == SoftmaxAxis::keys;

  if (work.kv_head != kv_head) {
    if (b.key != nullptr) work.keys.pack_transposed(keys);
    if (averages) work.values.pack(values);
    work.kv_head = kv_head;
  }
  const int rows_of_block =
      pass.seen.empty() ? block_rows(s.n_keys) : std::min(block_rows(s.n_keys), rows_per_masked_block);
  for (int first = 0; first < n; first += rows_of_block) {
    if (pass.stopped()) return false;
    const int rows = std::min(rows_of_block, n - first);
    const MatrixView weights =
        block_forward(pass, head, queries.block(first, 0, rows, s.d_head), first, work);
    if (over_keys && averages)
      work.values.multiply(weights, nullptr, outputs + first * out_stride, out_stride);
  }
  if (!over_keys) {
    softmax_over_queries(score_block(pass, head, 0, n));
    edit(pass.plan, pass.buffers.shape, head, 0, n, score_block(pass, head, 0, n).weights, s.n_keys);
    const MatrixView weights = averaging_rows(pass, head, 0, n);
    if (averages) work.values.multiply(weights, nullptr, outputs, out_stride);
  }
  if (averages) scale_outputs(pass, head, {outputs, 0, n, out_stride});
  return true;
}

/// Computes all heads in parallel. Returns false if the pass was stopped.
bool all_heads_forward(const HeadPass& pass, ThreadPool& pool) {
  const AttentionShape& s = pass.buffers.shape;
  const double work = static_cast<double>(s.map_floats()) * s.n_heads * (s.d_head + s.d_value);
  const int n_workers = work < parallel_threshold ? 1 : std::min(pool.size(), s.n_heads);
  std::atomic<int> next{0};
  std::atomic<bool> complete{true};
  const auto worker = [&](int) {
    ScoreWorkspace workspace(pass);
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

/// The state of one key-value head: S [K, V] and z [K].
std::pair<float*, float*> state_of(const AttentionBuffers& buffers, int kv_head) {
  const AttentionShape& s = buffers.shape;
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(s.d_head) * s.d_value;
  return {buffers.state + kv_head * size,
          buffers.state + s.n_kv_heads * size + static_cast<std::ptrdiff_t>(kv_head) * s.d_head};
}

void add_key(const std::pair<float*, float*>& state, const float* key, const float* value, int d_head,
             int d_value) {
  for (int k = 0; k < d_head; ++k) {
    float* row = state.first + static_cast<std::ptrdiff_t>(k) * d_value;
    for (int v = 0; v < d_value; ++v) row[v] += key[k] * value[v];
    state.second[k] += key[k];
  }
}

void read_state(const std::pair<float*, float*>& state, const float* query, int d_head, int d_value,
                float scale, float* output) {
  float sum = 0.0F;
  std::fill_n(output, d_value, 0.0F);
  for (int k = 0; k < d_head; ++k) {
    const float* row = state.first + static_cast<std::ptrdiff_t>(k) * d_value;
    for (int v = 0; v < d_value; ++v) output[v] += query[k] * row[v];
    sum += query[k] * state.second[k];
  }
  for (int v = 0; v < d_value; ++v) output[v] = sum == 0.0F ? 0.0F : scale * (output[v] / sum);
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

/// Linear attention as a recurrence, for one query and its own key: adds φ(k) vᵀ and φ(k) to the state (S, z)
/// and outputs φ(q) S / (φ(q) · z), or 0 if the denominator is 0 (Katharopoulos et al. 2020, equations 18 to
/// 20). Interventions must not change weights, since none are computed.
void state_forward(const AttentionPlan& plan, const AttentionBuffers& buffers) {
  const AttentionShape& s = buffers.shape;
  for (int kv_head = 0; kv_head < s.n_kv_heads; ++kv_head) {
    add_key(state_of(buffers, kv_head), buffers.key + static_cast<std::ptrdiff_t>(kv_head) * s.d_head,
            buffers.value + static_cast<std::ptrdiff_t>(kv_head) * s.d_value, s.d_head, s.d_value);
  }
  for (int head = 0; head < s.n_heads; ++head) {
    const HeadEdits* edits = plan.edits_of_head(head);
    read_state(state_of(buffers, s.kv_head_of(head)),
               buffers.query + static_cast<std::ptrdiff_t>(head) * s.d_head, s.d_head, s.d_value,
               edits == nullptr ? 1.0F : edits->scale,
               buffers.concat + static_cast<std::ptrdiff_t>(head) * s.d_value);
  }
}

}  // namespace

AttentionBuffers::AttentionBuffers(const AttentionShape& s, Arena& arena) : shape(s) {
  query = arena.take(s.n_queries, s.query_width());
  key = arena.take(s.n_keys, s.key_width());
  value = arena.take(s.n_keys, s.value_width());
  if (s.keeps_maps) {
    const std::size_t maps = static_cast<std::size_t>(s.n_heads) * s.map_floats();
    raw = s.keeps_scores ? arena.take(maps) : nullptr;
    scaled = s.keeps_scores ? arena.take(maps) : nullptr;
    capped = s.has_softcap && s.keeps_scores ? arena.take(maps) : scaled;
    masked = s.mask_changes_scores ? arena.take(maps) : capped;
    weights = arena.take(maps);
    dropped = s.has_dropout ? arena.take(maps) : weights;
  }
  concat = arena.take(s.n_queries, s.concat_width());
  projected = s.output_projection ? arena.take(s.n_queries, s.d_model) : concat;
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
  if (shape.is_linear) return 1.0F;
  if (plan.options.scale && plan.score_scale > 0.0F)
    return plan.amplitude * plan.score_scale / plan.options.temperature;
  const float width = plan.options.scale ? std::sqrt(static_cast<float>(shape.d_head)) : 1.0F;
  return plan.amplitude / (width * plan.options.temperature);
}

bool attention_forward(const AttentionWeights& weights, const AttentionInputs& inputs,
                       const AttentionPlan& plan, const AttentionBuffers& buffers, ThreadPool& pool,
                       const std::atomic<bool>* stop) {
  const AttentionShape& s = buffers.shape;
  multiply(inputs.query, weights.query, buffers.query, pool);
  multiply(inputs.key, weights.key, buffers.key, pool);
  multiply(inputs.value, weights.value, buffers.value, pool);
  if (!heads_forward(plan, buffers, pool, stop)) return false;
  if (s.output_projection)
    multiply({buffers.concat, s.n_queries, s.concat_width(), s.concat_width()}, weights.out,
             buffers.projected, pool);
  return true;
}

Matrix head_contribution(const MatrixView& output, const MatrixView& rows_of_head) {
  PackedMatrix rows;
  rows.borrow(rows_of_head);
  Matrix contribution(output.rows, rows_of_head.cols);
  rows.multiply(output, nullptr, contribution.data(), rows_of_head.cols);
  return contribution;
}

template <class Scalar>
void join_keys(const Scalar* shared, int n_shared, const Scalar* own, int n_own, int n_heads, int rows,
               Scalar* keys) {
  for (int row = 0; row < rows; ++row, shared += n_shared) {
    for (int head = 0; head < n_heads; ++head, own += n_own)
      keys = std::copy_n(own, n_own, std::copy_n(shared, n_shared, keys));
  }
}

template void join_keys(const float*, int, const float*, int, int, int, float*);
template void join_keys(const double*, int, const double*, int, int, int, double*);

bool should_stream_maps(const AttentionShape& shape) {
  constexpr std::size_t streaming_floats = std::size_t{1} << 20U;
  return 3 * static_cast<std::size_t>(shape.n_heads) * shape.map_floats() > streaming_floats;
}

std::vector<int> visible_key_counts(const CombinedMask& mask, const AttentionShape& shape) {
  std::vector<int> seen;
  for (int head = 0; head < mask.n_heads && !mask.visible.empty(); ++head) {
    for (int query = 0; query < shape.n_queries; ++query)
      seen.push_back(mask.keys(head, shape.first_query + query).from(shape.first_key).end(shape.n_keys));
  }
  return seen;
}

std::size_t state_floats(const AttentionShape& shape) {
  return static_cast<std::size_t>(shape.n_kv_heads) * static_cast<std::size_t>(shape.d_head) *
         static_cast<std::size_t>(shape.d_value + 1);
}

bool heads_forward(const AttentionPlan& plan, const AttentionBuffers& buffers, ThreadPool& pool,
                   const std::atomic<bool>* stop) {
  const AttentionShape& s = buffers.shape;
  if (buffers.state != nullptr) {
    state_forward(plan, buffers);
    return true;
  }
  // Without values, the weights of a capture are read on demand.
  if (plan.has_captured_weights() && buffers.value == nullptr) return true;
  // Column sums and dropout need the stored maps.
  const bool streams =
      !s.keeps_maps || (should_stream_maps(s) && plan.options.softmax == SoftmaxAxis::keys && !s.has_dropout);
  HeadPass pass{plan, buffers, score_factor(plan, s), plan.mask.value, streams, stop, {}};
  if (!s.keeps_scores && !plan.has_captured_weights()) pass.seen = visible_key_counts(plan.mask, s);
  return all_heads_forward(pass, pool) && !pass.stopped();
}

HeadMaps::HeadMaps(const AttentionPlan& plan, const AttentionBuffers& buffers, int head)
    : plan_(plan), buffers_(buffers), head_(head) {
  const AttentionShape& s = buffers.shape;
  const std::ptrdiff_t column = static_cast<std::ptrdiff_t>(s.kv_head_of(head)) * s.d_head;
  if (buffers.key != nullptr)
    keys_.pack_transposed({buffers.key + column, s.n_keys, s.d_head, s.key_width()});
}

void HeadMaps::rows(Op map, int first, int n, float* out) const {
  // This many scores, with the maps computed from them, fit into the L2 cache.
  constexpr int floats_at_once = 64 * 1024;
  const int width = n_cols();
  const int at_once = std::clamp(floats_at_once / width, 1, std::max(n, 1));
  constexpr std::size_t parts = 5;
  const AlignedBuffer work(parts * static_cast<std::size_t>(at_once) * static_cast<std::size_t>(width));
  for (int done = 0; done < n; done += at_once) {
    some_rows(map, first + done, std::min(at_once, n - done), work.data(),
              out + static_cast<std::ptrdiff_t>(done) * width);
  }
}

void HeadMaps::some_rows(Op map, int first, int n, float* work, float* out) const {
  const AttentionShape& s = buffers_.shape;
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(n) * s.n_keys;
  ScoreBlock block = score_block_template(plan_, s, head_, first);
  block.rows = n;
  const bool is_score = map == Op::scores || map == Op::scale || map == Op::cap || map == Op::mask;
  block.raw = map == Op::scores ? out : work;
  block.scaled = map == Op::scale ? out : work + size;
  block.capped = !s.has_softcap ? block.scaled : map == Op::cap ? out : work + 4 * size;
  block.masked = !s.mask_changes_scores ? block.capped : map == Op::mask ? out : work + 2 * size;
  block.weights = is_score ? work + 3 * size : out;
  if (!plan_.has_captured_weights()) {
    const std::ptrdiff_t stride = s.query_width();
    const float* queries = buffers_.query + first * stride + static_cast<std::ptrdiff_t>(head_) * s.d_head;
    raw_scores(plan_, s, head_, {queries, n, s.d_head, stride}, first, s.n_keys, keys_, block.raw);
    if (map == Op::scores) return;
    const float factor = score_factor(plan_, s);
    if (map == Op::scale || map == Op::cap) return scale_and_mask(block, factor, plan_.mask.value);
    mask_scores(plan_, buffers_, head_, first, factor, block);
  }
  if (map == Op::mask) {
    if (block.masked != out) std::copy_n(block.masked, size, out);
    return;
  }
  weigh(plan_, s, head_, first, block);
  edit(plan_, s, head_, first, n, block.weights, s.n_keys);
  if (map == Op::drop && s.has_dropout) drop(plan_, s, head_, first, out, out, n);
}

std::vector<HeadSlice> split_into_heads(std::span<const float> query, std::span<const float> key,
                                        int n_heads) {
  const std::size_t width = query.size() / static_cast<std::size_t>(n_heads);
  std::vector<HeadSlice> shares;
  for (std::size_t first = 0; first + width <= query.size(); first += width) {
    const auto q = query.subspan(first, width);
    const auto k = key.subspan(first, width);
    const double product = dot(q, k);
    shares.push_back({{q.begin(), q.end()},
                      {k.begin(), k.end()},
                      product,
                      product / std::sqrt(static_cast<double>(width))});
  }
  return shares;
}

}  // namespace headscope
