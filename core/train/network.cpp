#include "core/train/network.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/model/attention.h"
#include "core/model/graph.h"
#include "core/model/positions.h"
#include "core/tensor/elementwise.h"
#include "core/tensor/softmax.h"
#include "core/train/operations.h"
#include "core/train/score_gradients.h"

namespace headscope {
namespace {

using enum StageKind;

/// A gradient, shared by steps with the same gradient.
template <class Scalar>
using Gradient = std::shared_ptr<RowMatrix<Scalar>>;

}  // namespace

/// Executes the steps of the model's graph in order, and backpropagates in reverse order. Steps work in place
/// where their input is not needed any more.
template <class Scalar>
class Network<Scalar>::Pass {
 public:
  Pass(const ParameterLayout& layout, ScoreGradients* score_gradients)
      : layout_(layout), a_(layout.architecture), graph_(a_, {}, true), score_gradients_(score_gradients) {
    for (const Stack stack : {Stack::encoder, Stack::decoder}) {
      if (!a_.has(stack)) continue;
      const StackSteps& steps = graph_.steps(stack);
      add_nodes(steps.input, 0);
      for (int l = 0; l < a_.layers_of(stack); ++l) add_nodes(graph_.layer_steps(stack, l), l);
      add_nodes(steps.output, std::max(a_.layers_of(stack) - 1, 0));
    }
    add_nodes(graph_.prediction_steps(), 0);
    for (const auto& node : nodes_) {
      for (Node* const operand : node->operands) operand->users.push_back(node.get());
    }
    // Fixes the order of summing gradients, on which the last bits of all weights depend: first unchanged
    // gradients, then by sublayer: queries, keys, and the latent last.
    for (const auto& node : nodes_) {
      std::ranges::stable_sort(node->users, {}, [](const Node* user) {
        const StageId& id = user->id;
        return std::tuple(!user->traits().keeps_gradient, sublayer_of(id),
                          info(id.kind).rows == Axis::key_tokens, id.kind == latent);
      });
    }
  }

  const RowMatrix<Scalar>& forward(const Shard& shard, const Scalar* parameters, float dropout,
                                   std::uint64_t stream) {
    begin_forward(shard, parameters, dropout, stream);
    for (const auto& node : nodes_) compute(*node);
    return logits();
  }

  Slices<std::vector<Scalar>> logit_gradients(const Shard& shard, const Scalar* parameters, int row,
                                              int word) {
    begin_forward(shard, parameters, 0.0F, 0);
    const double n_steps = 2.0 * static_cast<double>(nodes_.size());
    double n_done = 0.0;
    for (const auto& node : nodes_) {
      compute(*node);
      if (++n_done; node->id.kind == layer_input) co_yield n_done / n_steps;
    }
    std::vector<Scalar> of_row(logits().row(row), logits().row(row) + logits().cols());
    logits().set_zero();
    logits().row(row)[word] = Scalar{1};
    begin_backward(nullptr);
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
      backpropagate(**node);
      if (++n_done; (*node)->id.kind == layer_input) co_yield n_done / n_steps;
    }
    co_return of_row;
  }

  /// Runs forward(), and scores the logits and, if the shard teaches a head, its weights.
  Score score(const Shard& shard, std::size_t n_parts, const Scalar* parameters, float dropout,
              std::uint64_t stream, bool writes_gradient) {
    forward(shard, parameters, dropout, stream);
    Score score = cross_entropy(shard, n_parts, logits(), writes_gradient);
    for (const auto& node : nodes_) {
      if (shard.attention_targets.empty() || node->op() != Op::average) continue;
      const HeadPlan plan = plan_of(node->id);
      if (plan.teacher != nullptr) add_attention_loss(plan, node->heads, score);
    }
    return score;
  }

  void set_stop_flag(const std::atomic<bool>& flag) { stop_ = &flag; }
  RowMatrix<Scalar>& logits() { return *nodes_.back()->value; }

  /// Runs the backward pass. Requires that logits() holds the gradient of the logits.
  void backward(Scalar* gradients) {
    begin_backward(gradients);
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) backpropagate(**node);
  }

 private:
  void begin_forward(const Shard& shard, const Scalar* parameters, float dropout, std::uint64_t stream) {
    shard_ = &shard;
    parameters_ = parameters;
    dropout_ = dropout;
    stream_ = stream + static_cast<std::uint64_t>(shard.first_example);
  }

  /// `gradients` is null if those of parameters are not needed.
  void begin_backward(Scalar* gradients) {
    gradients_ = gradients;
    for (const auto& node : nodes_) {
      release(node->gradient);  // May be left over from a stopped pass
      node->n_gathered = 0;
    }
    // The loss replaced the logits by their gradient.
    nodes_.back()->gradient = acquire_gradient();
    std::swap(*nodes_.back()->gradient, nodes_.back()->own);
  }

  struct Node;

  void backpropagate(Node& node) {
    gather(node);
    finish(node);
    if (node.operands.empty()) release(node.gradient);
  }

  /// A step with its activations and their gradient.
  struct Node {
    const Step* step;
    StageId id;
    std::vector<Node*> operands;
    std::vector<Node*> users;  ///< One for each operand that is this step.
    RowMatrix<Scalar>* value =
        nullptr;  ///< Its own numbers, or those of a step that it aliases or overwrites
    RowMatrix<Scalar> own;
    Gradient<Scalar> gradient;
    std::size_t n_gathered = 0;               ///< Operands that have consumed the gradient
    std::vector<RowMoments<Scalar>> moments;  ///< Of a norm
    HeadActivations<Scalar> heads;
    RowMatrix<Scalar> capped;                    ///< Logits after the softcap
    RowMatrix<Scalar> d_shared, d_per_head_key;  ///< Parts of a key's gradient, with a shared key

    Op op() const { return step->op; }
    OpTraits traits() const { return traits_of(step->op); }
  };

  /// 0 and 1 for attentions, 2 for everything else.
  static int sublayer_of(const StageId& id) {
    if (info(id.kind).scope < StageScope::attention) return 2;
    return id.attention == AttentionKind::self ? 0 : 1;
  }

  void add_nodes(const std::vector<Step>& steps, int layer) {
    for (const Step& step : steps) {
      if (traits_of(step.op).is_inside_heads || step.op == Op::word_softmax) continue;
      auto node = std::make_unique<Node>();
      node->step = &step;
      node->id = with_layer(step.stage, layer);
      std::vector<StageId> operands = step.operands;
      if (step.op == Op::average) {
        operands = graph_.chain_of(step.stage)->score_operands();
        operands.push_back(step.operands.back());
      }
      const bool reads_previous_layer = step.stage.kind == layer_input && layer > 0;
      if (reads_previous_layer) operands = {{layer_output, step.stage.stack}};
      for (const StageId& operand : operands)
        node->operands.push_back(node_of(with_layer(operand, reads_previous_layer ? layer - 1 : layer)));
      nodes_.push_back(std::move(node));
    }
  }

  Node* node_of(const StageId& id) const {
    const auto found = std::ranges::find(nodes_, id, [](const auto& node) { return node->id; });
    return found == nodes_.end() ? nullptr : found->get();
  }

  void throw_if_stopped() const {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) throw TrainingStopped{};
  }

  /// The input sequences of a stack: the target for a decoder with an encoder, otherwise the source.
  const Sequences& input_of(Stack stack) const {
    return a_.has_cross() && stack == Stack::decoder ? shard_->target : shard_->source;
  }
  const Sequences& keys_of(const StageId& id) const {
    return id.attention == AttentionKind::cross ? shard_->source : input_of(id.stack);
  }

  HeadPlan plan_of(const StageId& id) const {
    HeadPlan plan{a_, input_of(id.stack), keys_of(id)};
    plan.stack = id.stack;
    const bool is_self = id.attention == AttentionKind::self;
    plan.visibility.causal = id.stack == Stack::decoder && is_self;
    plan.has_positions = is_self;
    plan.rotary = a_.rotary_of(id.layer);
    if (is_self && a_.has_sliding_window(id.layer)) plan.visibility.sliding = a_.sliding_window;
    plan.dropout = dropout_;
    const HeadChain* const chain = graph_.chain_of(id);
    const bool is_main = chain != nullptr && chain->is_main;
    if (score_gradients_ != nullptr && is_main) {
      std::vector<ScoreGradientSums>& sums = score_gradients_->attentions[{id.stack, id.attention, id.layer}];
      sums.resize(static_cast<std::size_t>(a_.n_heads));
      if (score_gradients_->keeps_products)
        for (ScoreGradientSums& sum : sums)
          if (!sum.products) sum.products.emplace();
      plan.gradient_sums = sums.data();
    }
    const bool is_last = id.stack == a_.last_stack() && id.layer + 1 == a_.layers_of(id.stack) && is_self;
    if (is_last && is_main && !shard_->attention_targets.empty()) plan.teacher = shard_;
    constexpr std::uint64_t mix = 0xD1B54A32D192ED03ULL;
    const std::uint64_t number = 4 * static_cast<std::uint64_t>(id.layer) +
                                 2 * static_cast<std::uint64_t>(id.stack) +
                                 static_cast<std::uint64_t>(!is_self);
    plan.stream = stream_ + mix * (number + 1);
    return plan;
  }

  /// The per-head parameters or their gradients.
  template <class Number>
  HeadParameters<Number> learned(Number* all, const StageId& id) const {
    const std::ptrdiff_t sinks = layout_.slot(with_kind(id, StageKind::sink)).first;
    const std::ptrdiff_t relative =
        id.attention == AttentionKind::self ? layout_.position_biases(id.stack, id.layer) : -1;
    return {relative < 0 ? nullptr : all + relative, sinks < 0 ? nullptr : all + sinks};
  }

  StageId parameter(const Node& node) const {
    return with_layer(node.step->parameters.front(), node.id.layer);
  }

  /// The operand that a linear step multiplies, i.e. the last one (a key also has the shared dimensions).
  static Node& input_node(const Node& node) { return *node.operands.back(); }

  // Forward.

  void compute(Node& node) {
    if (node.id.kind == layer_input) throw_if_stopped();
    node.value = node.traits().is_in_place ? node.operands.front()->value : &node.own;
    const RowMatrix<Scalar>* x = node.operands.empty() ? nullptr : node.operands.front()->value;
    switch (node.op()) {
      case Op::lookup:
        return look_up(node);
      case Op::copy:
      case Op::concat:
        return;
      case Op::sum:
        node.own.resize(x->rows(), x->cols());
        if (node.operands.size() == 1) node.value = node.operands.front()->value;
        for (std::size_t i = 1; i < node.operands.size(); ++i, x = &node.own)
          add(x->data(), node.operands[i]->value->data(), x->size(), node.own.data());
        return;
      case Op::linear:
        return multiply(node);
      case Op::rotate:
        return turns_.rotate(plan_of(node.id), sequences_of(node.id), *node.value, Scalar{1});
      case Op::average:
        return attend(node);
      case Op::gate:
        multiply(node);
        return apply(Elementwise::logistic, node.own.data(), node.own.size(), node.own.data());
      default:
        node.value->resize(x->rows(), x->cols());
        compute_rows(node.op(), rows_of(node));
    }
  }

  /// What a step that works row by row reads and writes.
  OpRows<Scalar> rows_of(Node& node) const {
    const RowMatrix<Scalar>& x = *node.operands.front()->value;
    OpRows<Scalar> all{a_, node.id, x.rows(), x.cols(), x.data(), node.operands.back()->value->data()};
    if (!node.step->parameters.empty()) {
      const ParameterSlot slot = layout_.slot(parameter(node));
      all.parameter = parameters_ + slot.first;
      all.n_parameters = slot.n_out;
      all.bias = slot.bias < 0 ? nullptr : parameters_ + slot.bias;
      node.moments.resize(static_cast<std::size_t>(all.n_parts()));
    }
    all.out = node.value->data();
    all.moments = node.moments.data();
    return all;
  }

  const Sequences& sequences_of(const StageId& id) const {
    return info(id.kind).rows == Axis::key_tokens ? keys_of(id) : input_of(id.stack);
  }

  /// Looks up embeddings (times the embedding factor) or positions.
  void look_up(Node& node) {
    const Sequences& sequences = input_of(node.id.stack);
    const int width = a_.d_model;
    node.own.resize(sequences.rows(), width);
    const bool is_word = node.id.kind == embedding;
    if (!is_word && a_.positions != Positions::learned) prepare_waves(sequences);
    const auto factor = static_cast<Scalar>(a_.embedding_factor());
    for (int r = 0; r < node.own.rows(); ++r) {
      const auto at = static_cast<std::size_t>(r);
      Scalar* to = node.own.row(r);
      const int position = sequences.position[at];
      if (is_word) {
        const Scalar* word = parameters_ + embedding_ + std::ptrdiff_t{sequences.ids[at]} * width;
        for (int i = 0; i < width; ++i) to[i] = factor * word[i];
      } else if (a_.positions == Positions::learned) {
        std::copy_n(parameters_ + positions_ + std::ptrdiff_t{position} * width, width, to);
      } else {
        std::copy_n(waves_.row(position), width, to);
      }
    }
  }

  void prepare_waves(const Sequences& sequences) {
    const int longest = sequences.rows() == 0 ? 0 : std::ranges::max(sequences.position) + 1;
    if (waves_.rows() >= longest) return;
    const OwnedMatrix table = wave_table(a_, longest, a_.d_model);
    waves_.resize(longest, a_.d_model);
    std::copy(table.values.begin(), table.values.end(), waves_.data());
  }

  LayerSlot layer_of(const Node& node) const {
    const bool is_tied = node.id.kind == StageKind::logits && !layout_.slot(parameter(node)).exists();
    if (is_tied) return {{embedding_, logits_bias_, a_.d_model, layout_.vocabulary}, true};
    return {layout_.slot(parameter(node))};
  }

  void multiply(Node& node) {
    const RowMatrix<Scalar>& x = *input_node(node).value;
    const LayerSlot slot = layer_of(node);
    const bool is_joined = node.operands.size() > 1;
    products_.linear(x, slot, parameters_, is_joined ? per_head_key_ : node.own);
    if (has_softcap(node)) {
      softcap(node.own.data(), node.own.size(), static_cast<Scalar>(a_.logit_softcap), node.own.data());
      node.capped = node.own;
    }
    if (!is_joined) return;
    const RowMatrix<Scalar>& shared = *node.operands.front()->value;
    const int n_own = slot.n_out / a_.kv_heads(no_layer);
    node.own.resize(x.rows(), a_.kv_heads(no_layer) * (shared.cols() + n_own));
    join_keys(shared.data(), shared.cols(), per_head_key_.data(), n_own, a_.kv_heads(no_layer), x.rows(),
              node.own.data());
  }

  bool has_softcap(const Node& node) const {
    return node.id.kind == StageKind::logits && a_.logit_softcap > 0.0F;
  }

  void attend(Node& node) {
    node.heads.query = node.operands[0]->value;
    node.heads.key = node.operands[1]->value;
    node.heads.value = node.operands[2]->value;
    heads_forward(plan_of(node.id), learned(parameters_, node.id), node.heads);
    node.value = &node.heads.concat;
  }

  // Backward.

  Gradient<Scalar> acquire_gradient() {
    if (free_gradients_.empty()) return std::make_shared<RowMatrix<Scalar>>();
    Gradient<Scalar> rows = std::move(free_gradients_.back());
    free_gradients_.pop_back();
    return rows;
  }
  Gradient<Scalar> zeros_like(const RowMatrix<Scalar>& rows) {
    Gradient<Scalar> zeros = acquire_gradient();
    zeros->resize(rows.rows(), rows.cols());
    zeros->set_zero();
    return zeros;
  }
  /// Recycles the memory of a gradient, unless it is shared.
  void release(Gradient<Scalar>& gradient) {
    if (gradient.use_count() == 1) free_gradients_.push_back(std::move(gradient));
    gradient.reset();
  }
  /// Copies the gradient if it is shared, so that it can be modified.
  void make_unique_copy(Gradient<Scalar>& gradient) {
    if (gradient.use_count() == 1) return;
    Gradient<Scalar> copy = acquire_gradient();
    copy->resize(gradient->rows(), gradient->cols());
    std::copy_n(gradient->data(), gradient->size(), copy->data());
    gradient = std::move(copy);
  }

  void mark_gathered(Node& user) {
    if (++user.n_gathered == user.operands.size()) release(user.gradient);
  }
  /// The gradient of a step, for one of its operands (shared).
  Gradient<Scalar> gradient_for_operand(Node& user) {
    Gradient<Scalar> gradient = user.gradient;
    mark_gathered(user);
    return gradient;
  }

  /// Sums the gradient of a step over its users. Gradients through weights are summed per sublayer first,
  /// then together, then added to the rest.
  void gather(Node& node) {
    if (node.gradient != nullptr) return;  // Logits, or already gathered
    Gradient<Scalar> products, all_products;
    for (std::size_t i = 0; i < node.users.size(); ++i) {
      Node& user = *node.users[i];
      if (user.traits().keeps_gradient) {
        add_to(node.gradient, gradient_for_operand(user));
      } else if (!multiplies(user, node)) {
        propagate(user, node);
      } else {
        propagate_through_weights(user, products);
        mark_gathered(user);
        const Node* next = i + 1 < node.users.size() ? node.users[i + 1] : nullptr;
        const bool continues_sublayer =
            next != nullptr && multiplies(*next, node) && sublayer_of(next->id) == sublayer_of(user.id);
        if (!continues_sublayer) add_to(all_products, std::exchange(products, nullptr));
      }
    }
    if (all_products != nullptr) add_to(node.gradient, std::move(all_products));
  }

  /// Whether a step multiplies the node by weights.
  static bool multiplies(const Node& user, const Node& node) {
    return user.traits().multiplies_weights && &input_node(user) == &node;
  }

  void add_to(Gradient<Scalar>& sum, Gradient<Scalar> part) {
    if (sum == nullptr) {
      sum = std::move(part);
      return;
    }
    make_unique_copy(sum);
    add(part->data(), sum->data(), sum->size(), sum->data());
    release(part);
  }

  /// Backpropagates through the weights of a step: adds to `sum`, and adds the gradients of weights and bias.
  void propagate_through_weights(const Node& user, Gradient<Scalar>& sum) {
    const RowMatrix<Scalar>& x = *input_node(user).value;
    const RowMatrix<Scalar>& d = user.operands.size() > 1 ? user.d_per_head_key : *user.gradient;
    const bool adds = sum != nullptr;
    if (sum == nullptr) sum = acquire_gradient();
    products_.linear_backward(x, layer_of(user), parameters_, d, gradients_, adds, *sum);
  }

  /// Backpropagates through any other step: adds to the gradient of `node`, and adds the gradients of gains
  /// and biases.
  void propagate(Node& user, Node& node) {
    switch (user.op()) {
      case Op::average:
        return;  // The head kernels set the gradients of their operands.
      case Op::linear: {
        Gradient<Scalar> shared = acquire_gradient();
        std::swap(*shared, user.d_shared);
        mark_gathered(user);
        return add_to(node.gradient, std::move(shared));
      }
      case Op::rotate: {
        Gradient<Scalar> gradient = gradient_for_operand(user);
        make_unique_copy(gradient);
        turns_.rotate(plan_of(user.id), sequences_of(user.id), *gradient, Scalar{-1});
        return add_to(node.gradient, std::move(gradient));
      }
      default:
        return propagate_through_rows(user, node);
    }
  }

  void propagate_through_rows(Node& user, Node& node) {
    const RowMatrix<Scalar>& x = *node.value;
    Gradient<Scalar> d_out = gradient_for_operand(user), d_x;
    OpGradients<Scalar> d{user.operands.front() == &node, d_out->data()};
    if (user.step->parameters.empty()) {
      d_x = d_out.use_count() == 1 ? d_out : acquire_gradient();
      d_x->resize(x.rows(), x.cols());
      d.d_x = d_x->data();
    } else {
      if (node.gradient == nullptr) node.gradient = zeros_like(x);
      make_unique_copy(node.gradient);
      const ParameterSlot slot = layout_.slot(parameter(user));
      d.d_x = node.gradient->data();
      d.d_parameter = gradient_at(slot.first);
      d.d_bias = slot.bias < 0 ? nullptr : gradient_at(slot.bias);
    }
    compute_gradients(user.op(), rows_of(user), d);
    release(d_out);
    if (d_x != nullptr) add_to(node.gradient, std::move(d_x));
  }

  /// The gradients of gains, sinks or position biases, or scratch memory if they are not needed.
  Scalar* gradient_at(std::ptrdiff_t first) {
    if (gradients_ != nullptr) return gradients_ + first;
    const int most =
        std::max({a_.d_model, a_.concat_width(no_layer), a_.kv_heads(no_layer) * a_.head_width(no_layer),
                  a_.n_heads * a_.relative_width(), a_.kv_latent.value_or(0)});
    unneeded_.resize(static_cast<std::size_t>(most));
    return unneeded_.data();
  }

  /// Finishes the gradient of a step: updates tables, and prepares it for operands.
  void finish(Node& node) {
    switch (node.op()) {
      case Op::lookup:
        return look_up_backward(node);
      case Op::linear:
        if (node.operands.size() > 1) split_key(node);
        for (std::size_t i = 0; i < node.gradient->size() && has_softcap(node); ++i) {
          const Scalar share = node.capped.data()[i] / static_cast<Scalar>(a_.logit_softcap);
          node.gradient->data()[i] *= Scalar{1} - share * share;
        }
        return;
      case Op::gate:
        make_unique_copy(node.gradient);
        return apply(Elementwise::logistic_backward, node.own.data(), node.gradient->data(), node.own.size(),
                     node.gradient->data());
      case Op::average: {
        std::array<Gradient<Scalar>, 3> d{acquire_gradient(), acquire_gradient(), acquire_gradient()};
        const HeadParameters<Scalar> unread{gradient_at(0), gradient_at(0)};
        heads_backward<Scalar>(plan_of(node.id), learned(parameters_, node.id), node.heads,
                               {*node.gradient, *d[0], *d[1], *d[2],
                                gradients_ == nullptr ? unread : learned(gradients_, node.id)});
        for (std::size_t i = 0; i < d.size(); ++i) add_to(node.operands[i]->gradient, std::move(d[i]));
        return release(node.gradient);
      }
      default:
        break;
    }
    if (node.id.kind != layer_input) return;
    throw_if_stopped();
    if (a_.has_cross() && node.id.stack == Stack::decoder) gather_memory(node.id.layer);
  }

  /// Adds the gradient of the encoder's output through a layer's cross-attention.
  void gather_memory(int layer) {
    Node& memory = *node_of({stack_output, Stack::encoder});
    if (memory.gradient == nullptr) memory.gradient = zeros_like(*memory.value);
    for (Node* const user : memory.users) {
      if (user->id.layer != layer) continue;
      propagate_through_weights(*user, memory.gradient);
      mark_gathered(*user);
    }
  }

  void look_up_backward(const Node& node) {
    const Sequences& sequences = input_of(node.id.stack);
    const bool is_word = node.id.kind == embedding;
    const int width = a_.d_model;
    if (is_word && score_gradients_ != nullptr) {
      std::vector<double>& products = score_gradients_->input_products[node.id.stack];
      products.clear();
      for (int r = 0; r < node.own.rows(); ++r) {
        products.push_back(
            std::inner_product(node.own.row(r), node.own.row(r) + width, node.gradient->row(r), 0.0));
      }
    }
    if (gradients_ == nullptr || (!is_word && a_.positions != Positions::learned)) return;
    const auto factor = static_cast<Scalar>(is_word ? a_.embedding_factor() : 1.0);
    Scalar* const table = gradients_ + (is_word ? embedding_ : positions_);
    for (int r = 0; r < node.gradient->rows(); ++r) {
      const auto at = static_cast<std::size_t>(r);
      const Scalar* from = node.gradient->row(r);
      Scalar* to = table + std::ptrdiff_t{is_word ? sequences.ids[at] : sequences.position[at]} * width;
      for (int i = 0; i < width; ++i) to[i] += factor * from[i];
    }
  }

  /// Splits the gradient of keys into that of the shared dimensions, summed over heads, and that of the
  /// per-head dimensions.
  void split_key(Node& node) {
    const int n_heads = a_.kv_heads(no_layer);
    const int n_shared = a_.shared_key_width(node.id.attention);
    const int n_own = a_.per_head_key_width(node.id.attention, node.id.layer);
    node.d_shared.resize(node.gradient->rows(), n_shared);
    node.d_shared.set_zero();
    node.d_per_head_key.resize(node.gradient->rows(), n_heads * n_own);
    const Scalar* from = node.gradient->data();
    Scalar* own = node.d_per_head_key.data();
    for (int row = 0; row < node.gradient->rows(); ++row) {
      for (int head = 0; head < n_heads; ++head) {
        for (int i = 0; i < n_shared; ++i) node.d_shared.row(row)[i] += *from++;
        own = std::copy_n(from, n_own, own);
        from += n_own;
      }
    }
  }

  const ParameterLayout& layout_;
  const std::ptrdiff_t embedding_ = layout_.slot({.kind = StageKind::embedding_table}).first;
  const std::ptrdiff_t positions_ = layout_.slot({.kind = StageKind::positions_table}).first;
  /// The bias of a tied unembedding.
  const std::ptrdiff_t logits_bias_ = layout_.slot({.kind = StageKind::b_logits}).first;
  const Architecture& a_;
  Graph graph_;
  std::vector<std::unique_ptr<Node>> nodes_;  ///< in order of computation; the logits are last
  ScoreGradients* score_gradients_;
  const std::atomic<bool>* stop_ = nullptr;
  const Shard* shard_ = nullptr;
  const Scalar* parameters_ = nullptr;
  Scalar* gradients_ = nullptr;
  float dropout_ = 0.0F;
  std::uint64_t stream_ = 0;
  Products<Scalar> products_;
  RotaryTables<Scalar> turns_;
  RowMatrix<Scalar> waves_, per_head_key_;  ///< position encodings; scratch memory
  AlignedVector<Scalar> unneeded_;          ///< gradients that nobody reads
  std::vector<Gradient<Scalar>> free_gradients_;
};

template <class Scalar>
Network<Scalar>::Network(const ParameterLayout& layout, ScoreGradients* score_gradients)
    : pass_(std::make_unique<Pass>(layout, score_gradients)) {}

template <class Scalar>
Network<Scalar>::~Network() = default;

template <class Scalar>
void Network<Scalar>::set_stop_flag(const std::atomic<bool>& flag) {
  pass_->set_stop_flag(flag);
}

template <class Scalar>
const RowMatrix<Scalar>& Network<Scalar>::forward(const Shard& shard, const Scalar* parameters, float dropout,
                                                  std::uint64_t stream) {
  return pass_->forward(shard, parameters, dropout, stream);
}

template <class Scalar>
Score Network<Scalar>::forward_backward(const Shard& shard, std::size_t n_parts, const Scalar* parameters,
                                        Scalar* gradients, float dropout, std::uint64_t stream) {
  constexpr bool writes_gradient = true;
  Score score = pass_->score(shard, n_parts, parameters, dropout, stream, writes_gradient);
  pass_->backward(gradients);
  return score;
}

template <class Scalar>
Score Network<Scalar>::evaluate(const Shard& shard, std::size_t n_parts, const Scalar* parameters) {
  constexpr bool writes_gradient = false;
  return pass_->score(shard, n_parts, parameters, 0.0F, 0, writes_gradient);
}

template <class Scalar>
Slices<std::vector<Scalar>> Network<Scalar>::logit_gradients(const Shard& shard, const Scalar* parameters,
                                                             int row, int word) {
  return pass_->logit_gradients(shard, parameters, row, word);
}

template class Network<float>;
template class Network<double>;

}  // namespace headscope
