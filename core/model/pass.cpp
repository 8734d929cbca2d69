#include "core/model/pass.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

#include "core/model/experts.h"
#include "core/model/positions.h"
#include "core/model/rotary.h"
#include "core/model/streams.h"
#include "core/tensor/elementwise.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/softmax.h"

namespace headscope {
namespace {

using enum StageKind;

/// Whether heads_forward() computes this step: the chains from scores to head outputs.
bool is_computed_by_heads(const Graph& graph, const Step& step) {
  return step.op == Op::concat || graph.chain_of(step.stage) != nullptr;
}

/// Whether a stage of an attention feeds only its heads. Kinds are in the order of computation.
bool feeds_heads(StageKind kind) {
  return info(kind).scope >= StageScope::attention && kind > norm && kind < concat;
}

/// Reads the rows [n, width] of all heads of a layer, concatenated.
void read_captured(const CapturedRows& captured, int layer, int n_heads, const MatrixView& to, float* out) {
  const auto n = static_cast<std::size_t>(to.rows);
  const int width = to.cols / n_heads;
  std::vector<float> of_head(n * static_cast<std::size_t>(width));
  for (int head = 0; head < n_heads; ++head, out += width) {
    captured(static_cast<std::size_t>(layer * n_heads + head) * n, to.rows, of_head.data());
    for (std::size_t row = 0; row < n; ++row)
      std::copy_n(of_head.begin() + static_cast<std::ptrdiff_t>(row) * width, width,
                  out + static_cast<std::ptrdiff_t>(row) * to.stride);
  }
}

/// Copies part `index` of each row, of this width.
void take_part(const MatrixView& x, int index, int width, float* out) {
  for (int row = 0; row < x.rows; ++row)
    out = std::copy_n(x.data + row * x.stride + std::ptrdiff_t{index} * width, width, out);
}

/// Copies the first `n` rows of every stage from the last stack on. In maps, fill_later_keys() must fill the
/// columns of the hidden keys after the first n.
void copy_first_rows(const PassBuffers& from, int n, PassBuffers& to) {
  std::set<const float*> copied;  // Stages may share memory.
  const auto copy = [&](const Step& step, int layer) {
    const StageId id = with_layer(step.stage, layer);
    float* row_to = to.at(id);
    const float* row_from = from.at(id);
    if (row_to == nullptr || !copied.insert(row_to).second) return;
    if (!is_map(id.kind)) {
      std::copy_n(row_from, std::ptrdiff_t{n} * to.shape.width(id), row_to);
      return;
    }
    const std::ptrdiff_t n_from = from.shape.n_tokens(id.stack);
    const std::ptrdiff_t n_to = to.shape.n_tokens(id.stack);
    for (int head = 0; head < to.shape.architecture().n_heads; ++head) {
      for (std::ptrdiff_t row = 0; row < n; ++row)
        std::copy_n(row_from + (head * n_from + row) * n_from, n, row_to + (head * n_to + row) * n_to);
    }
  };
  const Architecture& a = to.shape.architecture();
  const StackSteps& steps = to.shape.graph->steps(a.last_stack());
  for (const std::vector<Step>* once : {&steps.input, &steps.output, &to.shape.graph->prediction_steps()})
    for (const Step& step : *once) copy(step, 0);
  for (int layer = 0; layer < a.layers_of(a.last_stack()); ++layer)
    for (const Step& step : to.shape.graph->layer_steps(a.last_stack(), layer)) copy(step, layer);
}

/// Makes the heads skip the queries before `first` (counted from the start of the text). Their rows stay in
/// memory.
void skip_first_queries(int first, AttentionBuffers& buffers) {
  AttentionShape& s = buffers.shape;
  const std::ptrdiff_t n = first - s.first_query;
  if (n == 0) return;
  s.n_map_rows = s.n_queries;
  s.n_queries -= static_cast<int>(n);
  s.first_query = first;
  buffers.query += n * s.query_width();
  buffers.concat += n * s.concat_width();
  for (float** map : {&buffers.raw, &buffers.scaled, &buffers.capped, &buffers.masked, &buffers.weights,
                      &buffers.dropped}) {
    if (*map != nullptr) *map += n * s.n_keys;
  }
}

/// Fills the maps of the first `n` queries in the columns of later keys, which are hidden from them. The
/// queries and keys must already be computed.
void fill_later_keys(const AttentionPlan& plan, int n, const AttentionBuffers& b) {
  const AttentionShape& s = b.shape;
  const int n_later = s.n_keys - n;
  const float factor = score_factor(plan, s);
  PackedMatrix keys;
  int packed_head = -1;
  for (int head = 0; head < s.n_heads; ++head) {
    if (b.raw != nullptr && packed_head != s.kv_head_of(head)) {
      packed_head = s.kv_head_of(head);
      const std::ptrdiff_t first = std::ptrdiff_t{n} * s.key_width() + std::ptrdiff_t{packed_head} * s.d_head;
      keys.pack_transposed({b.key + first, n_later, s.d_head, s.key_width()});
    }
    const std::ptrdiff_t at =
        static_cast<std::ptrdiff_t>(static_cast<std::size_t>(head) * s.map_floats()) + n;
    const MatrixView queries{b.query + std::ptrdiff_t{head} * s.d_head, n, s.d_head, s.query_width()};
    if (b.raw != nullptr) keys.multiply(queries, nullptr, b.raw + at, s.n_keys);
    for (int row = 0; row < n; ++row) {
      const std::ptrdiff_t first = at + std::ptrdiff_t{row} * s.n_keys;
      for (int key = 0; key < n_later && b.raw != nullptr; ++key)
        b.scaled[first + key] = b.raw[first + key] * factor;
      if (s.has_softcap && b.raw != nullptr)
        softcap(b.scaled + first, static_cast<std::size_t>(n_later), plan.softcap, b.capped + first);
      std::fill_n(b.masked + first, n_later, plan.mask.value);
      std::fill_n(b.weights + first, n_later, 0.0F);
    }
  }
}

/// Executes the steps of a pass. Each step computes rows of one stage and then applies given rows and
/// patches.
class Executor {
 public:
  Executor(const PassInputs& inputs, const PassBuffers& buffers, ThreadPool& pool,
           const std::atomic<bool>* stop = nullptr)
      : in_(inputs), buffers_(buffers), pool_(pool), stop_(stop) {}

  bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

  /// Sets the rows to compute in a stack: the stored ones from `first` on.
  void begin(Stack stack, int first = 0) {
    const PassShape& shape = buffers_.shape;
    rows_ = shape.stored_rows({input, stack});
    rows_.first = std::max(rows_.first, first);
    // The keys of the source were cached with the first token.
    source_ = {shape.is_decoding && shape.n_cached > 0 ? shape.n_source : 0, shape.n_source};
  }

  void run(const std::vector<Step>& steps, int layer = 0) {
    for (const Step& step : steps) {
      if (stopped()) return;
      compute(step, layer);
    }
  }

  /// Computes a layer and, after the last one, the output of the stack. Returns false if it was stopped.
  bool run_layer(Stack stack, int layer) {
    if (stopped()) return false;
    const std::vector<Step>& steps = buffers_.shape.graph->layer_steps(stack, layer);
    layer_.reset();  // Free the previous layer first, so that two never coexist.
    constexpr bool reuses_memory = true;
    if (buffers_.shape.kept == Retention::layer_inputs)
      layer_ = std::make_unique<RecomputedLayer>(buffers_.shape, layer, steps, reuses_memory);
    const bool is_last = layer + 1 == architecture().layers_of(stack);
    is_last_ = is_last && stack == architecture().last_stack();
    run(steps, layer);
    if (is_last) run_stack_output(stack);
    return !stopped();
  }
  void run_stack_output(Stack stack) {
    run(buffers_.shape.graph->steps(stack).output);
    layer_.reset();
  }

  void predict(const RowRange& rows) {
    rows_ = rows;
    run(buffers_.shape.graph->prediction_steps());
  }

  /// Computes steps of a layer into new memory.
  RecomputedLayer recompute(Stack stack, int layer, const std::vector<Step>& steps) {
    constexpr bool reuses_memory = false;
    begin(stack);
    layer_ = std::make_unique<RecomputedLayer>(buffers_.shape, layer, steps, reuses_memory);
    run(steps, layer);
    return std::move(*layer_);
  }

  /// Declares that the pass differs from `base` only in that this head is ablated.
  void switch_off(const HeadId& head, const PassBuffers& base) {
    switched_off_ = head;
    base_ = &base;
  }
  /// Restricts the steps after the heads of the last layer to one row.
  void compute_only_row(int row) { only_row_ = row; }

 private:
  const Architecture& architecture() const { return buffers_.shape.architecture(); }
  float* at(const StageId& id) const { return layer_ ? layer_->at(buffers_, id) : buffers_.at(id); }

  /// The address of a row range of a stage, which must be in memory.
  float* first_of(const StageId& id, const RowRange& range) const {
    const std::ptrdiff_t first = range.first - buffers_.shape.stored_rows(id).first;
    return at(id) + first * buffers_.shape.width(id);
  }
  MatrixView rows(const StageId& id, const RowRange& range) const {
    const int width = buffers_.shape.width(id);
    return {first_of(id, range), range.size(), width, width};
  }

  /// The rows of a stage to compute.
  RowRange range_of(const StageId& id) const {
    if (info(id.kind).rows == Axis::distances) return buffers_.shape.stored_rows(id);
    if (info(id.kind).rows != Axis::key_tokens) return rows_;
    const bool is_latent = id.kind == latent || id.kind == normed_latent || id.kind == shared_key;
    // Only latents are cached; keys and values are recomputed for every token.
    if (architecture().kv_latent && !is_latent) return buffers_.shape.stored_rows(id);
    return id.attention == AttentionKind::cross ? source_ : rows_;
  }

  void compute(const Step& step, int layer) {
    const StageId id = with_layer(step.stage, layer);
    if (is_computed_by_heads(*buffers_.shape.graph, step)) return compute_heads(step, id);
    if (has_outputs(id) && feeds_heads(id.kind) && !architecture().lends_keys(id.layer)) return;
    const RowRange range = range_of(id);
    // The predictions are not kept, or the keys of the source are cached.
    if (at(id) == nullptr || range.size() == 0) return;
    apply(step, id, range, first_of(id, range));
    replace(id, range);
  }

  /// The rows of an operand for a row range of a stage.
  MatrixView operand(const Step& step, std::size_t index, const StageId& of, const RowRange& range) const {
    return rows(operand_id(step, index, of), range);
  }
  StageId operand_id(const Step& step, std::size_t index, const StageId& of) const {
    return buffers_.shape.graph->operand(step, index, of.layer);
  }
  StageId parameter(const Step& step, const StageId& of) const {
    return with_layer(step.parameters.front(), of.layer);
  }

  void apply(const Step& step, const StageId& id, const RowRange& range, float* out) {
    const Architecture& a = architecture();
    if (step.op == Op::captured) return read(id, rows(id, range), out);
    if (id.kind == distance_rows) return look_up_distances(range.size(), out);
    // Other lookups are already done, and the input of a layer aliases the previous output.
    if (step.operands.empty() || id.kind == layer_input || id.kind == streams_input) return;
    const std::size_t size =
        static_cast<std::size_t>(range.size()) * static_cast<std::size_t>(buffers_.shape.width(id));
    const std::size_t multiplied = traits_of(step.op).multiplies_weights ? step.operands.size() - 1 : 0;
    const MatrixView x = operand(step, multiplied, id, range);
    switch (buffers_.shape.graph->op(id)) {
      case Op::copy:
      case Op::sum: {
        const float* sum = x.data;
        if (step.operands.size() == 1 && sum != out) std::copy_n(sum, size, out);
        for (std::size_t i = 1; i < step.operands.size(); ++i, sum = out)
          add(sum, operand(step, i, id, range).data, size, out);
        return;
      }
      case Op::slice:
        return take_part(x, id.layer, buffers_.shape.width(id), out);
      case Op::layer_scale: {
        const RowVector& factors = vector_of(in_.model, parameter(step, id));
        for (std::size_t i = 0; i < size; ++i)
          out[i] =
              x.data[i] * factors[static_cast<Eigen::Index>(i % static_cast<std::size_t>(factors.size()))];
        return;
      }
      case Op::linear:
        return multiply_by(step, id, range, x, out);
      case Op::expert_linear:
        return multiply_into_experts(*a.foreign.experts, operand(step, 0, id, range), x,
                                     linear_of(in_.model, parameter(step, id)), out, pool_);
      case Op::expert_sum:
        return multiply_from_experts(*a.foreign.experts, operand(step, 0, id, range), x,
                                     linear_of(in_.model, parameter(step, id)),
                                     table_of(in_.model, with_kind(id, expert_biases)), out, pool_);
      case Op::route:
        return route(*a.foreign.experts, x,
                     step.operands.size() > 1 ? operand(step, 1, id, range).data : nullptr,
                     vector_of(in_.model, with_kind(id, router_correction)),
                     vector_of(in_.model, with_kind(id, router_factors)), out);
      case Op::weigh:
        return weigh_experts(*a.foreign.experts, operand(step, 1, id, range), x, out);
      case Op::rotate:
        return rotate(x, a.head_width(id.layer), turns_of(id.layer), range.first, out);
      case Op::gate:
        multiply(x, linear_of(in_.model, parameter(step, id)), out, pool_);
        return headscope::apply(Elementwise::logistic, out, size, out);
      case Op::word_softmax: {
        ScoreBlock block;
        block.rows = x.rows;
        block.cols = x.cols;
        block.masked = first_of(operand_id(step, 0, id), range);
        block.weights = out;
        return softmax_over_keys(block);
      }
      case Op::as_large:
      case Op::predict:
      case Op::correct:
      case Op::add_to_streams:
      case Op::mean_of_streams:
      case Op::stream_linear:
      case Op::tanh_linear:
      case Op::limited_linear:
      case Op::lower:
      case Op::root_sum:
        return apply_to_streams(step, id, range, x, out);
      default:
        // Anything else is computed by the head kernels, or not a step.
        return static_cast<void>(compute_rows(step.op, rows_of(step, id, range, x, out)));
    }
  }

  /// The operations of models with several streams.
  void apply_to_streams(const Step& step, const StageId& id, const RowRange& range, const MatrixView& x,
                        float* out) {
    const Architecture& a = architecture();
    const auto other = [&](std::size_t i) { return operand(step, i, id, range); };
    const auto weights = [&]() -> const Linear& { return linear_of(in_.model, parameter(step, id)); };
    const std::size_t size =
        static_cast<std::size_t>(range.size()) * static_cast<std::size_t>(buffers_.shape.width(id));
    const bool is_first = id.kind == predicted_row || id.kind == corrected_row;
    switch (step.op) {
      case Op::as_large:
        return as_large(x, other(1), out);
      case Op::predict:
        return predict_streams(x, other(1), other(2), is_first ? 0 : 1, is_first ? 1 : a.n_streams(), out);
      case Op::correct:
        return correct_streams(x, other(1), other(2), other(3), is_first ? 0 : 1, out);
      case Op::add_to_streams:
        return headscope::add_to_streams(x, other(1), out);
      case Op::mean_of_streams:
        return headscope::mean_of_streams(x, other(1), out);
      case Op::stream_linear:
        return multiply_streams(x, weights(), out, pool_);
      case Op::tanh_linear:
        multiply(x, weights(), out, pool_);
        std::transform(out, out + size, out, [](float number) { return std::tanh(number); });
        return;
      case Op::limited_linear:
        return multiply_limited(x, weights(), a.foreign.streams->limit, out);
      case Op::lower:
        return lower_by_quantile(x, a.own(id.layer).sparsity, out);
      case Op::root_sum: {
        const float root = std::sqrt(0.5F);
        std::transform(x.data, x.data + size, other(1).data, out,
                       [root](float a, float b) { return (a + b) * root; });
        return;
      }
      default:
        return;
    }
  }

  OpRows<float> rows_of(const Step& step, const StageId& id, const RowRange& range, const MatrixView& x,
                        float* out) {
    if (step.op == Op::head_norm && step.parameters.empty())
      no_gains_ = RowVector::Ones(architecture().value_width(id.layer));
    const auto numbers = [&](std::size_t i) -> const RowVector& {
      static const RowVector none;
      if (i == 0 && step.op == Op::head_norm && step.parameters.empty()) return no_gains_;
      return i < step.parameters.size() ? vector_of(in_.model, with_layer(step.parameters[i], id.layer))
                                        : none;
    };
    OpRows<float> all{architecture(), id, x.rows, x.cols, x.data, x.data};
    if (step.operands.size() > 1) all.other = operand(step, step.operands.size() - 1, id, range).data;
    all.parameter = numbers(0).data();
    all.n_parameters = static_cast<int>(numbers(0).size());
    all.bias = numbers(1).data();
    all.out = out;
    return all;
  }

  void look_up_distances(int n, float* out) const {
    const Matrix& table = table_of(in_.model, {.kind = positions_table});
    for (int row = 0; row < n; ++row) {
      const int at = disentangled_row(*architecture().foreign.disentangled, row - n / 2);
      out = std::copy_n(&table(at, 0), table.cols(), out);
    }
  }

  const RotaryFrequencies& turns_of(int layer) {
    const Architecture& a = architecture();
    Rotary rotary = a.rotary_of(layer);
    const int width = a.head_width(layer);
    if (!turns_ || !(turns_->first == rotary) ||
        2 * turns_->second.n_pairs() != rotated_width(rotary, width)) {
      RotaryFrequencies turns = rotary_frequencies(rotary, width, a.kv_latent.has_value());
      turns_.emplace(std::move(rotary), std::move(turns));
    }
    return turns_->second;
  }

  void multiply_by(const Step& step, const StageId& id, const RowRange& range, const MatrixView& x,
                   float* out) {
    if (id.kind == logits) {
      multiply(x, in_.unembedding, out, pool_);
      const float cap = architecture().logit_softcap;
      const auto size = static_cast<std::size_t>(x.rows) * static_cast<std::size_t>(in_.unembedding.n_out());
      if (cap > 0.0F) softcap(out, size, cap, out);
      return;
    }
    const Linear& linear = linear_of(in_.model, parameter(step, id));
    if (step.operands.size() == 1) return multiply(x, linear, out, pool_);
    // Keys begin with the dimensions that all heads share.
    const MatrixView shared = operand(step, 0, id, range);
    const std::size_t size = static_cast<std::size_t>(x.rows) * static_cast<std::size_t>(linear.n_out());
    if (per_head_key_.size() < size) per_head_key_ = AlignedBuffer(size);
    multiply(x, linear, per_head_key_.data(), pool_);
    const int n_heads = architecture().kv_heads(id.layer);
    join_keys(shared.data, shared.cols, per_head_key_.data(), linear.n_out() / n_heads, n_heads, x.rows, out);
  }

  void read(const StageId& id, const MatrixView& to, float* out) const {
    const CapturedAttention& captured = *in_.model.captured;
    const Architecture& a = architecture();
    switch (id.kind) {
      case query:
        return read_captured(captured.query, id.layer, a.n_heads, to, out);
      case key:
        return read_captured(captured.key, id.layer, a.kv_heads(no_layer), to, out);
      case value:
        return read_captured(captured.value, id.layer, a.kv_heads(no_layer), to, out);
      case input:
        return captured.read_hidden(0, to.rows, to.cols, out);
      case layer_output:
        return captured.read_hidden(id.layer + 1, to.rows, to.cols, out);
      case stack_output:
        return captured.read_hidden(a.layers_of(id.stack), to.rows, to.cols, out);
      default:
        return;  // The input of a layer is the previous output.
    }
  }

  /// Computes the entire chain at its first step.
  void compute_heads(const Step& step, const StageId& id) {
    const HeadChain* const chain = buffers_.shape.graph->chain_of(id);
    const bool begins = chain != nullptr && chain->steps.front()->stage.kind == id.kind;
    if (begins) heads({id.stack, id.attention, id.layer, 0}, chain);
    // Outputs copied from another pass were already patched there.
    if (step.op == Op::average && !has_outputs(id)) replace(id, rows_);
    const bool ends = step.op == Op::concat;
    if (ends && is_last_ && only_row_) rows_ = {*only_row_, *only_row_ + 1};
  }

  void heads(const HeadId& place, const HeadChain* chain) {
    if (has_outputs(stage_in(place, output))) return copy_other_outputs(place);
    AttentionBuffers buffers =
        layer_ ? layer_->attention(buffers_, place, chain) : buffers_.attention(place, chain);
    skip_first_queries(rows_.first, buffers);
    heads_forward(attention_plan(in_, place, chain), buffers, pool_, stop_);
  }

  /// Whether the head outputs of an attention are copied from another pass.
  bool has_outputs(const StageId& id) const {
    return switched_off_ && switched_off_->stack == id.stack && switched_off_->attention == id.attention &&
           switched_off_->layer == id.layer;
  }

  /// Copies the head outputs from the base pass, and zeroes the ablated head.
  void copy_other_outputs(const HeadId& place) const {
    const StageId outputs = stage_in(place, output);
    const int width = architecture().concat_width(place.layer);
    const int n = buffers_.shape.n_tokens(place.stack);
    std::copy_n(base_->at(outputs), std::ptrdiff_t{n} * width, at(outputs));
    const int own = architecture().value_width(place.layer);
    for (int row = 0; row < n; ++row)
      std::fill_n(at(outputs) + std::ptrdiff_t{row} * width + std::ptrdiff_t{switched_off_->head} * own, own,
                  0.0F);
  }

  /// Applies given rows and patches, per head.
  void replace(StageId id, const RowRange& range) const {
    if (in_.edits == nullptr || (in_.edits->rows.empty() && in_.edits->given.empty())) return;
    const int width = buffers_.shape.width(id);
    const bool is_of_heads = info(id.kind).scope == StageScope::head;
    const int n_parts = !is_of_heads                 ? 1
                        : info(id.kind).is_per_group ? architecture().kv_heads(id.layer)
                                                     : architecture().n_heads;
    float* data = at(id);
    if (data == nullptr) return;
    data += std::ptrdiff_t{range.first - buffers_.shape.stored_rows(id).first} * width;
    for (int part = 0; part < n_parts;
         ++part, data += width / n_parts, id.head += architecture().n_heads / n_parts)
      apply_row_edits(*in_.edits, id, {data, range.first, range.size(), width, width / n_parts});
  }

  const PassInputs& in_;
  const PassBuffers& buffers_;
  ThreadPool& pool_;
  const std::atomic<bool>* stop_;
  RowRange rows_;                           ///< The rows of queries, and of keys in self-attention.
  RowRange source_;                         ///< The rows of keys in cross-attention.
  std::unique_ptr<RecomputedLayer> layer_;  ///< The current layer, if the pass does not keep it
  AlignedBuffer per_head_key_;              ///< Scratch: the per-head key dimensions
  RowVector no_gains_;                      ///< The gains of values, which are 1
  std::optional<std::pair<Rotary, RotaryFrequencies>> turns_;  ///< The last rotation used
  bool is_last_ = false;                                       ///< In the last layer of the last stack
  std::optional<int> only_row_;
  std::optional<HeadId> switched_off_;
  const PassBuffers* base_ = nullptr;
};

/// Whether the steps after the heads of the last layer can be restricted to one row: nothing reads the
/// others, and no intervention needs them.
bool computes_single_rows(const PassInputs& inputs, const PassBuffers& buffers) {
  const bool has_row_edits =
      inputs.edits != nullptr && !(inputs.edits->rows.empty() && inputs.edits->given.empty());
  return !inputs.model.architecture.has_cross() && !has_row_edits && inputs.model.captured == nullptr &&
         buffers.shape.kept != Retention::layer_inputs;
}

/// Copies the input of a stack from another pass and applies the edits of this one, except for scaling, which
/// the other pass has already applied.
void edit_input(const PassEdits& edits, const PassBuffers& base, Stack stack, const PassBuffers& buffers) {
  const StageId id{input, stack};
  const int n = buffers.shape.n_tokens(stack);
  const int width = buffers.shape.width(id);
  std::copy_n(base.at(id), std::ptrdiff_t{n} * width, buffers.at(id));
  PassEdits own{{}, {}, edits.given};
  std::ranges::copy_if(edits.rows, std::back_inserter(own.rows), [&](const RowEdit& edit) {
    return edit.stage == id && edit.source != PatchSource::scaled;
  });
  apply_row_edits(own, id, {buffers.at(id), 0, n, width, width});
}

bool replaces_input(const PassEdits* edits, Stack stack) {
  return edits != nullptr && std::ranges::any_of(edits->rows, [stack](const RowEdit& edit) {
           return edit.stage == StageId{input, stack};
         });
}

/// Whether the first n queries see the same keys under both masks, none beyond the first n.
bool see_the_same(const CombinedMask& a, const CombinedMask& b, int n) {
  if (a.rows == 0 && b.rows == 0) return true;  // The model has no such layers.
  const auto hides_by_infinity = [](const CombinedMask& mask) {
    return !mask.visible.empty() && mask.added.empty() && std::isinf(mask.value);
  };
  if (!hides_by_infinity(a) || !hides_by_infinity(b) || a.n_heads != b.n_heads) return false;
  if (a.rows < n || b.rows < n) return false;
  for (int line = 0; line < a.n_heads * n; ++line) {
    const VisibleKeys of_a = a.keys(line / n, line % n);
    const VisibleKeys of_b = b.keys(line / n, line % n);
    if (of_a.end(a.cols) > n || of_b.end(b.cols) > n) return false;
    if (of_a.step != of_b.step || of_a.origin != of_b.origin) return false;
    if (!std::ranges::equal(of_a.ranges, of_b.ranges)) return false;
  }
  return true;
}

}  // namespace

Slices<bool> forward(const PassInputs& inputs, PassBuffers& buffers, ThreadPool& pool,
                     const std::atomic<bool>* stop) {
  const PassShape& shape = buffers.shape;
  const Architecture& a = shape.architecture();
  Executor executor(inputs, buffers, pool, stop);
  const bool has_encoder = a.has(Stack::encoder) && (!shape.is_decoding || a.last_stack() == Stack::encoder);
  const int n_layers = (has_encoder ? a.layers_of(Stack::encoder) : 0) + a.layers_of(Stack::decoder);
  int n_done = 0;
  constexpr std::array stacks{Stack::encoder, Stack::decoder};
  for (const Stack stack : stacks) {
    if (stack == Stack::encoder ? !has_encoder : !a.has(stack)) continue;
    executor.begin(stack);
    executor.run(shape.graph->steps(stack).input);
    for (int layer = 0; layer < a.layers_of(stack); ++layer) {
      if (!executor.run_layer(stack, layer)) co_return false;
      co_yield static_cast<double>(++n_done) / n_layers;
    }
    if (a.layers_of(stack) == 0) executor.run_stack_output(stack);
  }
  if (shape.vocabulary > 0) executor.predict(shape.stored_rows({.kind = logits}));
  co_return !executor.stopped();
}

Slices<bool> forward_extend(const PassInputs& inputs, const PassBuffers& before, int n, PassBuffers& buffers,
                            ThreadPool& pool, const std::atomic<bool>* stop) {
  const PassShape& shape = buffers.shape;
  const Stack stack = shape.architecture().last_stack();
  const int n_layers = shape.architecture().layers_of(stack);
  copy_first_rows(before, n, buffers);
  Executor executor(inputs, buffers, pool, stop);
  executor.begin(stack, n);
  executor.run(shape.graph->steps(stack).input);
  for (int layer = 0; layer < n_layers; ++layer) {
    if (!executor.run_layer(stack, layer)) co_return false;
    const HeadId place{stack, AttentionKind::self, layer, 0};
    for (const HeadChain& chain : shape.graph->chains(stack, AttentionKind::self))
      fill_later_keys(attention_plan(inputs, place, &chain), n, buffers.attention(place, &chain));
    co_yield static_cast<double>(layer + 1) / n_layers;
  }
  if (n_layers == 0) executor.run_stack_output(stack);
  if (shape.vocabulary > 0) executor.predict({n, shape.n_tokens(stack)});
  co_return !executor.stopped();
}

bool forward_from(const PassInputs& inputs, const PassBuffers& base, const PassTail& part,
                  PassBuffers& buffers, ThreadPool& pool, const std::atomic<bool>* stop) {
  const Architecture& a = buffers.shape.architecture();
  Executor executor(inputs, buffers, pool, stop);
  if (part.switched_off) executor.switch_off(*part.switched_off, base);
  if (part.row && computes_single_rows(inputs, buffers)) executor.compute_only_row(*part.row);
  const auto run = [&](Stack stack, int first) {
    // What layers from the first one on read of the steps before them.
    std::vector<StageId> read{{layer_embedding, stack}};
    for (int layer = 0; layer < first; ++layer)
      if (a.lends_keys(layer)) read.insert(read.end(), {{rotated_key, stack, layer}, {value, stack, layer}});
    executor.begin(stack);
    const bool is_replaced = first == 0 && replaces_input(inputs.edits, stack);
    if (is_replaced) {
      edit_input(*inputs.edits, base, stack, buffers);
    } else {
      read.insert(read.end(),
                  {{layer_input, stack, first}, {streams_input, stack, first}, {layer_inputs, stack}});
    }
    std::vector<float*> own;
    for (const StageId& id : read) {
      own.push_back(buffers.places.at(id));
      buffers.places.put(id, base.at(id));
    }
    std::vector<Step> behind_input;
    std::ranges::copy_if(
        buffers.shape.graph->steps(stack).input, std::back_inserter(behind_input),
        [](const Step& step) { return step.stage.kind > input && step.stage.kind != layer_embedding; });
    if (is_replaced) executor.run(behind_input);
    for (int layer = first; layer < a.layers_of(stack) && executor.run_layer(stack, layer);) ++layer;
    if (first >= a.layers_of(stack)) executor.run_stack_output(stack);
    for (std::size_t i = 0; i < read.size(); ++i) buffers.places.put(read[i], own[i]);
    return !executor.stopped();
  };
  const bool begins_in_encoder = part.stack == Stack::encoder;
  if (begins_in_encoder && !run(Stack::encoder, part.layer)) return false;
  if (!a.has(Stack::decoder)) return true;
  const StageId memory{stack_output, Stack::encoder};
  float* const own = buffers.places.at(memory);
  if (!begins_in_encoder) buffers.places.put(memory, base.at(memory));
  const bool is_complete = run(Stack::decoder, begins_in_encoder ? 0 : part.layer);
  buffers.places.put(memory, own);
  return is_complete;
}

Matrix logits_of_rows(const PassInputs& inputs, const PassShape& pass_shape, const MatrixView& rows,
                      int first, ThreadPool& pool) {
  PassShape shape = pass_shape;
  (shape.architecture().has_cross() ? shape.n_target : shape.n_source) = rows.rows;
  shape.n_cached = first;
  shape.vocabulary = inputs.unembedding.n_out();
  shape.kept = Retention::predictions;
  shape.keeps_predictions = false;
  PassBuffers buffers(shape, AlignedBuffer(shape.floats()));
  Matrix read = eigen(rows);
  Matrix found(rows.rows, shape.vocabulary);
  buffers.places.put({stack_output, shape.architecture().last_stack()}, read.data());
  buffers.places.put({.kind = logits}, found.data());
  Executor(inputs, buffers, pool).predict({first, first + rows.rows});
  return found;
}

AttentionPlan attention_plan(const PassInputs& inputs, const HeadId& attention, const HeadChain* chain) {
  const Architecture& a = inputs.model.architecture;
  const auto [stack, kind, layer, head] = attention;
  AttentionPlan plan{inputs.options, inputs.masks.of(a, attention), inputs.masks.biases_of(a, attention), {}};
  if (inputs.options.has_dropout()) plan.dropout = dropout_of(inputs.options, stack, layer, kind);
  plan.edits = inputs.edits;
  plan.edits_weights = chain == nullptr || chain->is_main;
  plan.place = attention;
  plan.score_scale = a.score_scale;
  plan.amplitude = static_cast<float>(score_amplitude(a, kind, layer));
  if (a.sinks) plan.sinks = vector_of(inputs.model, stage_in(attention, sink)).data();
  plan.captured = inputs.model.captured.get();
  plan.softcap = a.softcap;
  return plan;
}

RecomputedLayer recompute_layer(const PassInputs& inputs, const PassBuffers& buffers, Stack stack, int layer,
                                bool only_projections, ThreadPool& pool) {
  std::vector<Step> steps;
  for (const Step& step : buffers.shape.graph->layer_steps(stack, layer)) {
    if (only_projections && step.op == Op::scores) break;
    // The pass keeps head outputs and the layer output.
    const bool is_kept = step.stage.kind == output || step.stage.kind == layer_output;
    if (!is_computed_by_heads(*buffers.shape.graph, step) && !is_kept) steps.push_back(step);
  }
  return Executor(inputs, buffers, pool).recompute(stack, layer, steps);
}

bool has_same_first_rows(const PassBuffers& before, const PassMasks& masks_before, const PassBuffers& now,
                         const PassMasks& masks_now, int n) {
  const PassShape& a = before.shape;
  const PassShape& b = now.shape;
  const Architecture& of = b.architecture();
  if (!(a.architecture() == of) || of.has_cross() || of.linear_attention || of.kv_latent ||
      of.foreign.captured || of.foreign.disentangled)
    return false;
  if (a.kept != Retention::everything || b.kept != Retention::everything) return false;
  if (a.vocabulary != b.vocabulary || a.keeps_predictions != b.keeps_predictions) return false;
  if (a.edits_rows || b.edits_rows) return false;
  if (a.mask_hides != b.mask_hides || a.mask_changes_scores != b.mask_changes_scores) return false;
  // Rows summed in the same order have bit-identical weights, whatever hidden keys follow.
  if ((a.n_source < short_row) != (b.n_source < short_row)) return false;
  for (int layer = 0; layer < of.layers_of(of.last_stack()); ++layer) {
    const StageId scores{StageKind::raw, of.last_stack(), layer};
    if (a.attention(of.last_stack(), AttentionKind::self, layer).has_dropout) return false;
    if ((before.at(scores) == nullptr) != (now.at(scores) == nullptr)) return false;
  }
  return see_the_same(masks_before.source, masks_now.source, n) &&
         see_the_same(masks_before.sliding_source, masks_now.sliding_source, n);
}

}  // namespace headscope
