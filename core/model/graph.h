#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/attention_options.h"
#include "core/model/stage.h"

namespace headscope {

/// The operation of a node.
enum class Op {
  parameter,  ///< a leaf: a weight, bias, gain or table
  captured,   ///< a leaf, read from a capture
  lookup,     ///< a row of a table for each token, or a random row
  sum,        ///< Σ of the inputs
  copy,       ///< the input
  norm,       ///< LayerNorm or RMSNorm of each row, times a gain, plus a bias
  /// x / RMS(x) · γ of each row of queries, keys, values or latents, or as HeadNorm specifies; independent of
  /// the model's norms. Values have no γ.
  head_norm,
  linear,         ///< x W + b
  expert_linear,  ///< x W + b in the columns of the active experts, 0 elsewhere
  rotate,         ///< RoPE: rotates pairs of dimensions by an angle proportional to the position
  feature_map,    ///< elu(x) + 1
  scores,         ///< Q Kᵀ
  scale,          ///< divided by √d_head, the temperature or both
  cap,            ///< c · tanh(x / c)
  distance_bias,  ///< the bias of each distance between query and key
  /// Q K_Pᵀ or Q_P Kᵀ, the products of queries or keys with the rows of the distances
  position_products,
  position_sum,  ///< the products with positions, scaled as the scores are
  mask,          ///< scores plus position bias where visible, the mask value elsewhere
  softmax,       ///< over keys or queries, with sinks; shares of the sum in linear attention
  sink_share,    ///< the weight of the sink
  drop,          ///< dropout
  effective,     ///< weights times the norms of the projected values, normalised
  state,         ///< Σ φ(k) vᵀ
  state_sum,     ///< Σ φ(k)
  average,       ///< A V
  concat,        ///< the outputs of all heads, concatenated
  contribution,  ///< the output of one head times its rows of W_O
  slice,         ///< the layer's part of rows that have a part for each layer
  layer_scale,   ///< the input times a number of the layer, or times a gain
  gate,          ///< σ(x W)
  // The operations of several streams; see core/model/streams.h.
  as_large,
  predict,
  correct,
  add_to_streams,
  mean_of_streams,
  stream_linear,   ///< each stream times its own matrix
  tanh_linear,     ///< tanh(x W)
  limited_linear,  ///< x W with limited numbers of W
  lower,           ///< lowered by a quantile of the row, 0 below it
  root_sum,        ///< (a + b) / √2
  limited_gate,    ///< g σ(1.702 g) with g = min(x, c)
  limited_shift,   ///< x clamped to ±c, plus 1
  multiply,        ///< elementwise product of two inputs
  expert_sum,      ///< x W + b over the active experts
  route,           ///< the shares of the active experts, 0 for the others
  weigh,           ///< the hidden numbers of each expert times its share
  activate,        ///< the activation of the feed-forward layer
  word_softmax,    ///< softmax over the vocabulary
};

/// Whether an operation is part of the chain from scores to weights, which the head kernels compute block by
/// block.
bool is_inside_heads(Op op);
/// Whether passes do not store stages of this operation: they only explain a pass, or another step does their
/// work as well (the mask adds position biases itself). They are computed when they are asked for.
bool is_on_demand(Op op);
/// The function that an operation applies to each number of its operands. Empty for other operations.
std::optional<Elementwise> function_of(Op op, Activation activation);

/// One step of a pass: computes a stage for all heads at once. Ids have layer 0 and head 0. Layers of one
/// kind share their steps; where a first layer lacks the norm of the others, Graph::op() says so.
struct Step {
  StageId stage;
  Op op = Op::copy;
  std::vector<StageId> operands;    ///< the input stages
  std::vector<StageId> parameters;  ///< its weights, biases and gains, as far as the model has them
};

/// The steps of a stack in order: before the layers, in a layer of each kind, and after them.
struct StackSteps {
  std::vector<Step> input;
  std::vector<std::vector<Step>> layers;
  std::vector<Step> output;
};

/// The Transformer as a graph of stages: which ones the model has, their operations and inputs, and why the
/// others are absent. Layers of one kind share their nodes, as do heads of an attention.
class Graph {
 public:
  /// `has_table` says whether the model has an embedding table.
  Graph(const Architecture& architecture, const AttentionOptions& options, bool has_table = false);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const Architecture& architecture() const { return architecture_; }
  bool has(const StageId& id) const { return why_invalid(id).empty() && node(id).is_present(); }
  /// Why the model lacks a stage, in plain words (“positions are off”). Empty if it has the stage.
  std::string why_absent(const StageId& id) const;
  /// The operation of a stage that the model has.
  Op op(const StageId& id) const { return skips_norm(id) ? Op::copy : node(id).op; }
  /// The stages and parameters that a stage is computed from, in the order of its formula, leaving out absent
  /// ones. Empty for parameters, captured stages and absent stages.
  std::vector<StageId> inputs(const StageId& id) const;
  /// The stages of the same head, attention, layer and stack that read a stage. For stages of the entire
  /// model, those of the first stack.
  std::vector<StageId> users(const StageId& id) const;
  /// Whether a stage depends on another one of the same layer, directly or indirectly.
  bool depends_on(const StageId& id, const StageId& from) const;
  /// All stages of the model in order of computation, once per stack, layer, attention and head; stages
  /// shared by several heads occur once. Exception to the order: a norm over all heads also reads rows of
  /// later heads.
  std::vector<StageId> stages() const;

  /// The steps of a pass in a stack, without stages that are computed lazily.
  const StackSteps& steps(Stack stack) const { return steps_[stack == Stack::decoder ? 1 : 0]; }
  const std::vector<Step>& layer_steps(Stack stack, int layer) const {
    return steps(stack).layers[kind_of(layer)];
  }
  /// An operand of a step in a layer.
  StageId operand(const Step& step, std::size_t index, int layer) const {
    const StageId& operand = step.operands[index];
    const StageKind kind = step.stage.kind;
    if (info(kind).scope == StageScope::stack) layer = architecture_.layers_of(operand.stack) - 1;
    // Keys and values that repeat themselves are those of an earlier layer.
    return with_layer(operand, operand == step.stage ? architecture_.own(layer).keys_of : layer);
  }
  const std::vector<Step>& prediction_steps() const { return prediction_steps_; }
  /// The query and key stages (in layer 0) whose products are the scores of an attention. Empty if a capture
  /// provides the weights.
  std::vector<StageId> score_operands(Stack stack, AttentionKind attention) const;
  /// Whether the heads have dropout.
  bool has_dropout() const { return drops_; }

 private:
  friend class GraphBuilder;
  /// Which layers and heads the inputs belong to.
  enum class Instance { same, layer_before, last_layer, every_head, keys_layer };
  struct Node {
    Op op = Op::copy;
    Instance instance = Instance::same;
    std::vector<StageId> inputs;                              ///< in layer 0 and head 0
    std::string_view reason = "the model has no such stage";  ///< why it is absent; empty if it is present

    bool is_present() const { return reason.empty(); }
  };

  /// The kind of a layer, which says what nodes it has: with experts or without, for example.
  std::size_t kind_of(int layer) const {
    const auto l = static_cast<std::size_t>(layer);
    return l < kinds_.size() ? kinds_[l] : 0;
  }
  const Node& node(const StageId& id) const {
    const bool is_in_layer = info(id.kind).scope >= StageScope::layer;
    return nodes_[is_in_layer ? kind_of(id.layer) : 0][index(id)];
  }
  static std::size_t index(const StageId& id);
  /// Whether the layer lacks the pre-norm that other layers have.
  bool skips_norm(const StageId& id) const {
    return id.kind == StageKind::norm && id.attention == AttentionKind::self &&
           !architecture_.has_self_norm(id.layer);
  }
  /// Why the id is invalid for this model. Empty if it is valid.
  std::string why_invalid(const StageId& id) const;

  /// Derives the steps from the nodes.
  void make_steps();
  /// The steps of a layer.
  std::vector<Step> make_layer_steps(Stack stack, int layer);
  void add_step(const StageId& id, std::vector<Step>& steps);
  Step step_of(const StageId& id) const;

  Architecture architecture_;
  std::vector<std::size_t> kinds_;        ///< the kind of each layer
  std::vector<std::vector<Node>> nodes_;  ///< of a model whose layers are all of one kind, for each kind
  std::string capture_reason_;            ///< why stages are absent from a capture
  std::array<StackSteps, 2> steps_;
  std::vector<Step> prediction_steps_;
  bool drops_ = false;
};

/// The id of another kind in the same head, attention, layer and stack.
StageId with_kind(StageId id, StageKind kind);

}  // namespace headscope
