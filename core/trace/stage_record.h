#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/head_maps.h"
#include "core/model/linear.h"
#include "core/model/pass.h"
#include "core/trace/stage.h"
#include "core/trace/trace.h"
#include "core/trace/unembedding.h"

namespace headscope {

struct Derivation;  // core/trace/derivation.h

/// Columns of the weights of a linear layer.
struct LinearColumns {
  const Linear* linear;
  int first, n;
};

inline LinearColumns all_columns(const Linear& linear) {
  return {&linear, 0, linear.n_out()};
}

/// Where the numbers of a stage are looked up: a pass and its model at the stack, layer, attention and head
/// of an id. The model must have this place.
struct PassPlace {
  const Model& model;
  const Unembedding* unembedding;  ///< null if there is no final linear layer
  const PassBuffers& buffers;
  const LayerBuffers* this_layer;  ///< the layer of the id; null if its kind does not belong to a layer
  const StageId& id;

  const Architecture& architecture() const { return model.architecture; }
  const StackWeights& stack_weights() const { return model.stack(id.stack); }
  const LayerWeights& layer_weights() const;
  const AttentionWeights& attention_weights() const;
  const NormWeights& norm_weights() const;  ///< of the attention
  const NormWeights& output_norm_weights() const;

  const StackBuffers& stack() const { return buffers.stack(id.stack); }
  const LayerBuffers& layer() const { return *this_layer; }
  const AttentionBuffers& attention() const;
  const SublayerBuffers& around_attention() const;

  /// The columns of a parameter that belong to the head.
  template <class Parameter>
  MatrixView head_columns(const Parameter& all_heads, int width) const {
    return view_of(all_heads.middleCols(id.head * width, width));
  }
  template <class Parameter>
  MatrixView group_columns(const Parameter& all_groups, int width) const {
    return view_of(all_groups.middleCols(id.head / architecture().group_size() * width, width));
  }
  LinearColumns head_columns(const Linear& all_heads, int width) const {
    return {&all_heads, id.head * width, width};
  }
  LinearColumns group_columns(const Linear& all_groups, int width) const {
    return {&all_groups, id.head / architecture().group_size() * width, width};
  }
};

/// A cell of a stage and its number.
struct CellValue {
  int row = 0;
  int col = 0;
  double value = 0.0;
};

/// Everything that the program knows about a kind of stage. The headers of the families (input_stages.h and
/// so on) contain one record for each kind; stage_table.cpp joins them and checks that none is missing or
/// incomplete.
struct StageRecord {
  StageInfo info;
  /// For what a pass keeps of a stage: returns its first number, or that of the first head. Null if it was
  /// not kept.
  const float* (*kept)(const PassPlace&) = nullptr;
  /// For a parameter other than the weights of a linear layer: returns its numbers.
  MatrixView (*numbers)(const PassPlace&) = nullptr;
  /// For the weights of a linear layer: returns where they are stored. They are copied on demand.
  LinearColumns (*weights)(const PassPlace&) = nullptr;
  /// Returns a function that computes rows of the stage on demand, possibly from other stages, or that reads
  /// the rows of a table. Called if the pass did not keep them. Thread-safe.
  RowMaker (*compute)(const Trace&, const StageId&) = nullptr;
  /// Derives a cell. Null if derive_by_operation() does.
  void (*derive)(Derivation&) = nullptr;
  /// Returns a sentence about one number. Null if sentence_by_operation() does.
  std::string (*sentence)(const Trace&, const StageId&, const CellValue&) = nullptr;
  /// Returns the formula with the options of the pass filled in. Null if its operation says all, or if the
  /// formula of `info` always applies.
  std::string (*formula)(const Trace&, const StageId&) = nullptr;
  /// Returns the magnitude at which numbers begin to be excluded from the range of colours. Null if all
  /// finite numbers count.
  float (*counted_below)(const Trace&, const StageId&) = nullptr;
  /// For a map that a pass need not keep: its part among the maps of a head.
  std::optional<MapPart> map_part = std::nullopt;
  /// For a stage of a stack: true if it does not exist before the stack's last layer is computed.
  bool follows_layers = false;
};

const StageRecord& record_of(StageKind kind);

}  // namespace headscope
