#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/head_maps.h"
#include "core/model/pass.h"
#include "core/trace/absence.h"
#include "core/trace/stage.h"
#include "core/trace/trace.h"
#include "core/trace/unembedding.h"

namespace headscope {

struct Derivation;  // core/trace/derivation.h

/// Where a stage's numbers are looked for: a pass and its model at the stack, layer, attention and head of an
/// id, which the model has.
struct PassPlace {
  const Model& model;
  const Unembedding* unembedding;  ///< null without a final linear layer
  const PassBuffers& buffers;
  const LayerBuffers* this_layer;  ///< of the id; null where its kind belongs to no layer
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

  /// A row for each token of the stack; empty where `data` is null.
  MatrixView rows(const float* data, int width) const;
  /// The head's columns of what all heads have side by side, a row for each of `n` tokens.
  MatrixView head_columns(const float* all_heads, int n, int width) const;
  /// The same of what groups of heads share.
  MatrixView group_columns(const float* all_groups, int n, int width) const;
  MatrixView head_map(const float* maps) const;
  /// The head's columns of a parameter.
  template <class Parameter>
  MatrixView head_columns(const Parameter& all_heads, int width) const {
    return view_of(all_heads.middleCols(id.head * width, width));
  }
  template <class Parameter>
  MatrixView group_columns(const Parameter& all_groups, int width) const {
    return view_of(all_groups.middleCols(id.head / architecture().group_size() * width, width));
  }
};

/// A cell of a stage and the number there.
struct CellValue {
  int row = 0;
  int col = 0;
  double value = 0.0;
};

/// Everything that the program knows of a kind of stage. The families' headers (input_stages.h and so on)
/// hold one for each kind; stage_table.cpp joins them and checks that none is missing or incomplete.
struct StageRecord {
  StageInfo info;
  /// Where its numbers are; nowhere if the pass did not keep them. Null: they are computed from other stages
  /// when they are asked for.
  MatrixView (*numbers)(const PassPlace&) = nullptr;
  /// How rows of them are computed then. Any thread may call it; what it gives may read other stages.
  RowMaker (*compute)(const Trace&, const StageId&) = nullptr;
  /// What it is computed from, in the order in which its formula names it; some of it this pass may not have.
  /// Null: nothing.
  std::vector<StageId> (*inputs)(const Trace&, const StageId&) = nullptr;
  /// Why a pass does not have it. Null: every pass of a model with such a stack, layer, attention and head
  /// does.
  Absence (*absent)(const PassTraits&, const StageId&) = nullptr;
  void (*derive)(Derivation&) = nullptr;
  /// One sentence about one number.
  std::string (*sentence)(const Trace&, const StageId&, const CellValue&) = nullptr;
  /// The formula with the pass's options filled in. Null: as in `info`.
  std::string (*formula)(const Trace&, const StageId&) = nullptr;
  /// Magnitudes from this on take no part in a range of colours. Null: all that are finite do.
  float (*counted_below)(const Trace&, const StageId&) = nullptr;
  /// Of a map that a pass need not keep: what it is among the maps of its head.
  std::optional<MapPart> map_part = std::nullopt;
  /// Of a stage of a stack: it is there when the stack's last layer is.
  bool follows_layers = false;
};

const StageRecord& record_of(StageKind kind);

/// `absence` unless something is there: for the records' `absent`.
constexpr Absence unless(bool there, Absence absence) {
  return there ? Absence::none : absence;
}

}  // namespace headscope
