#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/attention_options.h"
#include "core/model/stage.h"

namespace headscope {

/// What a node computes from its inputs.
enum class Op {
  parameter,      ///< nothing: a weight, a bias, a gain or a table
  captured,       ///< nothing: it is read from a capture
  lookup,         ///< the row of a table for each token, or numbers drawn for it
  sum,            ///< Σ of the inputs
  copy,           ///< the input
  norm,           ///< LayerNorm or RMSNorm of each row, times a gain, plus a bias
  head_norm,      ///< x / RMS(x) · γ of each row, whatever the model's norms are, or as HeadNorm says
  linear,         ///< x W + b
  expert_linear,  ///< x W + b in the columns of the experts that a token takes, 0 elsewhere
  rotate,         ///< pairs of dimensions turned by an angle that grows with the position
  feature_map,    ///< elu(x) + 1
  scores,         ///< Q Kᵀ
  scale,          ///< divided by √d_k, the temperature or both
  cap,            ///< c · tanh(x / c)
  distance_bias,  ///< the bias of each distance between query and key
  mask,           ///< the scores and the bias where visible, the mask value elsewhere
  softmax,        ///< over keys or queries, with sinks; shares of the sum in linear attention
  sink_share,     ///< what softmax gives to the sink
  drop,           ///< dropout
  effective,      ///< weights times the lengths of what they weight, as shares
  state,          ///< Σ φ(k) vᵀ
  state_sum,      ///< Σ φ(k)
  average,        ///< A V
  concat,         ///< the outputs of all heads, side by side
  contribution,   ///< the output of one head times its rows of W_O
  gate,           ///< σ(x W)
  limited_gate,   ///< g σ(1.702 g) of g = min(x, c)
  limited_shift,  ///< x within ±c, plus 1
  multiply,       ///< the product of two inputs, number by number
  expert_sum,     ///< x W + b, where only the experts that a token takes count
  route,          ///< the shares of the experts that a token takes, 0 for the others
  weigh,          ///< each expert's numbers times its share
  activate,       ///< the activation of the feed-forward layer
  word_softmax,   ///< over the words
};

/// Whether an operation belongs to the chain from scores to weights, which the heads compute block by block.
bool is_inside_heads(Op op);
/// Whether stages of an operation only explain a pass. They are computed when somebody asks for them.
bool is_on_demand(Op op);

/// A stage that a pass computes, for all heads of an attention together. Ids are those of layer 0 and head 0.
struct Step {
  StageId stage;
  Op op = Op::copy;
  std::vector<StageId> operands;    ///< the stages that it is computed from
  std::vector<StageId> parameters;  ///< the weights, biases and gains that the model has for it
};

/// The steps of a stack, in order: before its layers, in each of its layers, and after them.
struct StackSteps {
  std::vector<Step> input, layer, output;
  std::vector<Step> dense_layer = {};  ///< Those of layers without experts, if there are both kinds.
};

/// The whole Transformer as a graph of stages: which ones a model has, what each is computed from and how,
/// and why it lacks the others. All layers of a stack and all heads of an attention have the same nodes, so
/// one of each is kept.
class Graph {
 public:
  /// `has_table` says whether the model has an embedding table.
  Graph(const Architecture& architecture, const AttentionOptions& options, bool has_table = false);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const Architecture& architecture() const { return architecture_; }
  bool has(const StageId& id) const { return place_problem(id).empty() && node(id).reason.empty(); }
  /// The reason why the model lacks a stage, in plain words (“positions are off”). Empty if it has it.
  std::string why_absent(const StageId& id) const;
  /// What computes a stage that the model has.
  Op op(const StageId& id) const { return skips_norm(id) ? Op::copy : node(id).op; }
  /// The stages and parameters that a stage is computed from, in the order in which its formula names them.
  /// The model has all of them. Empty for parameters, for what is read from a capture, and for what the model
  /// lacks.
  std::vector<StageId> inputs(const StageId& id) const;
  /// The stages of the same head, attention, layer and stack that are computed from a stage. Of what belongs
  /// to the model, those of its first stack.
  std::vector<StageId> users(const StageId& id) const;
  /// Whether a stage is computed from another one of the same layer, directly or through others.
  bool follows(const StageId& id, const StageId& from) const;
  /// All stages that the model has, in the order of computation. Those with a deeper scope repeat once for
  /// each stack, layer, attention and head; what several heads share occurs once. A norm of all heads
  /// together also reads the rows of heads that follow its own.
  std::vector<StageId> stages() const;

  /// What a pass computes in a stack, and after the last one. Stages that are computed only when somebody
  /// asks for them are not among the steps.
  const StackSteps& steps(Stack stack) const { return steps_[stack == Stack::decoder ? 1 : 0]; }
  /// What a pass computes in a layer. Layers without experts have other steps than those with experts.
  const std::vector<Step>& layer_steps(Stack stack, int layer) const {
    return is_dense(layer) ? steps(stack).dense_layer : steps(stack).layer;
  }
  const std::vector<Step>& prediction_steps() const { return prediction_steps_; }
  /// The queries and the keys, in layer 0, whose products are the scores of an attention. Empty if a capture
  /// has weights in place of scores.
  std::vector<StageId> scored(Stack stack, AttentionKind attention) const;
  /// Whether the heads have dropout.
  bool drops() const { return drops_; }

 private:
  friend class GraphBuilder;
  /// Which instances of the inputs are meant, if they belong to layers or heads.
  enum class Instance { same, layer_before, last_layer, every_head };
  struct Node {
    Op op = Op::copy;
    Instance instance = Instance::same;
    std::vector<StageId> inputs;                              ///< in layer 0 and head 0
    std::string_view reason = "the model has no such stage";  ///< why the model lacks it; empty if it has it
  };

  bool is_dense(int layer) const { return !dense_nodes_.empty() && !architecture_.has_experts(layer); }
  const Node& node(const StageId& id) const {
    const bool is_in_layer = shape_of(id.kind).scope >= StageScope::layer;
    return (is_in_layer && is_dense(id.layer) ? dense_nodes_ : nodes_)[index(id)];
  }
  static std::size_t index(const StageId& id);
  /// Whether the layer of a stage lacks the norm before attention that the other layers have.
  bool skips_norm(const StageId& id) const {
    return id.kind == StageKind::norm && id.attention == AttentionKind::self &&
           !architecture_.has_self_norm(id.layer);
  }
  /// Why no stage can be at this place. Empty if one can.
  std::string place_problem(const StageId& id) const;

  /// Lists the steps that the nodes describe.
  void list_steps();
  /// The steps of layers like this one.
  std::vector<Step> steps_like(Stack stack, int layer);
  void add_step(const StageId& id, std::vector<Step>& steps);
  Step step_of(const StageId& id) const;

  Architecture architecture_;
  std::vector<Node> nodes_;
  std::vector<Node> dense_nodes_;  ///< Those of layers without experts, if there are both kinds.
  std::string capture_;            ///< the reason why a capture lacks a stage
  std::array<StackSteps, 2> steps_;
  std::vector<Step> prediction_steps_;
  bool drops_ = false;
};

/// Returns the id of another kind of stage in the same head, attention, layer and stack.
StageId at_kind(StageId id, StageKind kind);

}  // namespace headscope
