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

/// How a kind of stage is shown.
struct StageLook {
  /// The short name shown to people. Empty if `name` is the usual term and no other stage has that name.
  std::string_view tab = {};
  /// The name among the few steps that the tabs show without details. Empty if it is not one of these steps.
  std::string_view landmark = {};
  /// Whether colours diverge from zero; otherwise they are sequential and start at zero.
  bool is_signed = true;
  bool is_share = false;  ///< whether it holds shares of attention, which hidden cells do not have
  bool repeats = false;   ///< whether it is a second name for the numbers of another stage
  /// A sentence about one of its numbers, with marks such as {query} and {value} for what belongs to the cell
  /// (sentence_for()). Empty if what its rows and columns are says enough.
  std::string_view says = {};
};

/// The words for a kind of stage, and how it is shown. They do not depend on the pass.
struct StageInfo : StageShape, StageLook {
  std::string_view symbol = {};   ///< the name in formulas: "A"
  std::string_view title = {};    ///< a heading: "Attention weights"
  std::string_view meaning = {};  ///< one sentence for a newcomer
  PageSection section = PageSection::none;
};

const StageInfo& info(StageKind kind);
std::span<const StageInfo> all_stage_kinds();

}  // namespace headscope
