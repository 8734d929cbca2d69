#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/stage.h"

namespace headscope {

/// The name of an axis for people: "tokens", "d_head", "heads × d_value".
std::string_view axis_name(Axis axis);
/// Resolves Axis::kv_input for a model. Other axes are unchanged.
Axis axis_in(const Architecture& architecture, Axis axis);

/// The sections of the page of all stages of a head, in order.
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

/// How a kind of stage is displayed.
struct StageDisplay {
  /// The short display name. Empty if `name` is usual and unambiguous.
  std::string_view tab = {};
  /// The name in the tabs when details are off. Empty if not shown there.
  std::string_view landmark = {};
  /// Whether the colour map is diverging around 0, not sequential from 0.
  bool is_signed = true;
  bool is_share = false;  ///< whether it holds attention weights, which hidden cells lack
  bool repeats = false;   ///< whether it only repeats another stage
  /// The template of a sentence about a cell, with placeholders such as {query} and {value}
  /// (describe_cell()). Empty if the generic sentence for its axes suffices.
  std::string_view sentence = {};
};

/// The texts and display of a kind of stage, independent of the pass.
struct StageInfo : StageShape, StageDisplay {
  std::string_view symbol = {};   ///< the name in formulas: "A"
  std::string_view title = {};    ///< a heading: "Attention weights"
  std::string_view meaning = {};  ///< one sentence for newcomers
  PageSection section = PageSection::none;
};

const StageInfo& info(StageKind kind);
std::span<const StageInfo> all_stage_kinds();

}  // namespace headscope
