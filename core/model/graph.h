#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/attention_options.h"
#include "core/model/operations.h"
#include "core/model/stage.h"

namespace headscope {

/// One step of a pass: computes a stage for all heads at once. Ids have layer 0 and head 0. Layers of one
/// kind share their steps; where a first layer lacks the norm of the others, Graph::op() says so.
struct Step {
  StageId stage;
  Op op = Op::copy;
  std::vector<StageId> operands;    ///< the input stages
  std::vector<StageId> parameters;  ///< its weights, biases and gains, as far as the model has them
};

/// Steps that the head kernels compute at once: from scores, or captured weights, to the average of the
/// values.
struct HeadChain {
  std::vector<const Step*> steps;
  bool is_main = false;  ///< Whether interventions change its scores and weights; other chains keep theirs

  /// Its step with an operation, or null.
  const Step* step(Op op) const;
  /// The queries and keys (in layer 0) whose products are the scores. Empty if a capture provides the
  /// weights.
  const std::vector<StageId>& score_operands() const { return steps.front()->operands; }
};

/// The steps of a stack in order: before the layers, in a layer of each kind, and after them.
struct StackSteps {
  std::vector<Step> input;
  std::vector<std::vector<Step>> layers;
  std::vector<Step> output;
  std::array<std::vector<HeadChain>, 2> chains = {};  ///< Those of each kind of attention in a layer
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
  /// The chains of an attention; nearly every attention has one.
  const std::vector<HeadChain>& chains(Stack stack, AttentionKind attention) const {
    return steps(stack).chains[index_of(attention)];
  }
  /// The chain that computes a stage, or null.
  const HeadChain* chain_of(const StageId& id) const;
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
