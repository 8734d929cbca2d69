#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/stage.h"

namespace headscope {

/// The name of an axis for people: "tokens", "d_head", "heads × d_value".
std::string_view axis_name(Axis axis);
/// The axis that kv_input stands for in a model. Any other axis is returned unchanged.
Axis axis_in(const Architecture& architecture, Axis axis);

/// The sections of the page that shows all stages of a head, in order.
enum class PageSection {
  none,
  model_input,
  layer_input,
  projections,
  scores,
  weights,
  model_width,
  feed_forward,
  model_output
};

/// The words for a kind of stage, and how it is shown. They do not depend on the pass.
struct StageInfo {
  StageKind kind = StageKind::embedding_table;
  std::string_view symbol = {};   ///< the name in formulas: "A"
  std::string_view title = {};    ///< a heading: "Attention weights"
  std::string_view formula = {};  ///< written with symbols: "softmax(M) over keys"
  /// The computation of all heads together. The letters are t query, s key, h head, d d_model, k d_head, v
  /// d_value, f d_ff, w word, c latent, r shared key. Empty if there is none.
  std::string_view einsum = {};
  /// The same with a batch, in the letters that annotated implementations use (i query, j key, b batch, h
  /// head, d dimension). Empty if there is none.
  std::string_view batch_einsum = {};
  /// Whether colours diverge from zero; otherwise they are sequential and start at zero.
  bool is_signed = true;
  bool is_share = false;  ///< whether it holds shares of attention, which hidden cells do not have
  bool repeats = false;   ///< whether it is a second name for the numbers of another stage
  /// The name among the few steps that the tabs show without details. Empty if it is not one of these steps.
  std::string_view landmark = {};
  /// The short name shown to people. Empty if `name` is the usual term and no other stage has that name.
  std::string_view tab = {};
  PageSection section = PageSection::none;
  std::string_view meaning = {};  ///< one sentence for a newcomer
  // From stage_shapes of core/model/stage.h:
  StageScope scope = StageScope::model;
  std::string_view name = {};  ///< the last part of the path: "weights"
  Axis rows = Axis::single;
  Axis cols = Axis::single;
  bool is_parameter = false;
  bool of_group = false;
};

const StageInfo& info(StageKind kind);

/// The einsums in words: "einsum thk,shk->hts, with a batch ibhd,jbhd->ijbh". Empty if there is none.
std::string einsum_text(StageKind kind);
std::span<const StageInfo> all_stage_kinds();

}  // namespace headscope
