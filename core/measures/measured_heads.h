#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "core/measures/head_place.h"
#include "core/measures/measure.h"
#include "core/trace/trace.h"

namespace headscope {

/// Longer texts are not measured: of all heads together there would be too many weights to read.
inline constexpr int longest_measured = 1024;

/// What the heads of an attention read in a pass: `place` names stack and attention. What fills up a batch is
/// left out.
MeasuredText measured_text(const Trace& trace, const StageId& place, const DetectorOptions& detector = {});

/// Adds all rows of one head's attention weights. False where `stop` became true.
bool add_head(const Trace& trace, const StageId& head, const MeasuredText& text, MeasureSums& sums,
              const std::atomic<bool>* stop = nullptr);

/// The heads of all layers that are done, one after the other: layer · heads + head.
struct MeasuredHeads {
  int n_heads = 1;
  std::vector<HeadMeasures> heads;

  /// Nothing is known of a head that is not among them.
  HeadMeasures at(const HeadPlace& place) const;
};

/// Measures the attention weights of all heads of the stack and attention of `place`. Nothing where `stop`
/// became true.
std::optional<MeasuredHeads> measured_heads(const Trace& trace, const StageId& place,
                                            const DetectorOptions& detector = {},
                                            const std::atomic<bool>* stop = nullptr);

/// Why a measure is not there: that it means nothing in this attention, or that no row of a text has it.
std::string why_absent(HeadMeasure measure, AttentionKind attention);

}  // namespace headscope
