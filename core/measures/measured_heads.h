#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "core/measures/head_place.h"
#include "core/measures/measure.h"
#include "core/slices.h"
#include "core/trace/trace.h"

namespace headscope {

/// The length above which texts are not measured, because all heads together would have too many weights to
/// read.
inline constexpr int longest_measured = 1024;

/// Returns what the heads of an attention read in a pass. `place` names the stack and the attention. The
/// padding of a batch is left out.
MeasuredText measured_text(const Trace& trace, const StageId& place, const DetectorOptions& detector = {});

/// Calls `look_at` with every row of one head's attention weights.
void each_row(const Trace& trace, const StageId& head, const MeasuredText& text,
              const std::function<void(const MeasuredRow&)>& look_at);

/// Adds all rows of one head's attention weights.
void add_head(const Trace& trace, const StageId& head, const MeasuredText& text, MeasureSums& sums);

/// The measures of the heads of all measured layers, in the order layer · heads + head.
struct MeasuredHeads {
  int n_heads = 1;
  std::vector<HeadMeasures> heads;
  /// The greatest number of rows over which a head's measure is a mean.
  std::array<double, n_measures> rows{};

  /// Returns empty measures for a head that is not among them.
  HeadMeasures at(const HeadPlace& place) const;
};

/// Measures the attention weights of all heads of the stack and attention that `place` names. A slice is one
/// head.
Slices<MeasuredHeads> measured_heads(const Trace& trace, StageId place, DetectorOptions detector = {});

/// Explains why a measure is missing: it has no meaning in this attention, or no row of the text has it.
std::string why_absent(HeadMeasure measure, AttentionKind attention);

}  // namespace headscope
