#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/interventions.h"
#include "core/slices.h"
#include "core/trace/trace.h"

namespace headscope {

/// The metric of a patch: the logit of one word minus that of another, in a row of the logits.
struct LogitDifference {
  int row = 0;
  int word = 0, other = 0;
  bool operator==(const LogitDifference&) const = default;
};

/// A pass B with a part taken from the same place of a pass A (activation patching; Meng et al. 2022, Wang et
/// al. 2022, “Interpretability in the Wild”).
struct PatchedPart {
  ModelPart part;            ///< For a row of the residual stream, the layer that it enters.
  std::optional<int> token;  ///< The token whose row is taken. Empty for all tokens.
  double difference = 0.0;   ///< The logit difference of B with this part of A.
};

struct PatchMap {
  std::string absent;       ///< Why nothing can be taken from A. Empty if it can.
  double of_a = 0.0;        ///< The logit difference in A.
  double of_b = 0.0;        ///< The logit difference in B without patches.
  double resolution = 0.0;  ///< Smaller changes of these differences are rounding.
  /// The output (written_by()) of each head, feed-forward layer and layer of the last stack, for all tokens.
  std::vector<PatchedPart> parts;
  std::vector<PatchedPart> head_rows;          ///< The output of each head, for each token.
  std::vector<PatchedPart> feed_forward_rows;  ///< The output of each feed-forward layer, for each token.
  std::vector<PatchedPart> layer_rows;         ///< The rows that enter each layer, for each token.
};

/// Whether the outputs of heads are also patched token by token, which is most of the work.
enum class TokenPatches { left_out, taken };

/// How many partial passes (core/engine/partial_pass.h) a map computes.
std::int64_t patched_passes(const Trace& b, TokenPatches of_heads = TokenPatches::taken);

/// Patches every part and every row of the residual stream from A into B in turn. B keeps its interventions.
/// Both passes must be complete and predict words. A slice is one part or row. Once `stop` is set, the
/// remaining ones are missing.
Slices<PatchMap> patch_map(const Trace& a, const Trace& b, LogitDifference difference,
                           TokenPatches of_heads = TokenPatches::taken,
                           const std::atomic<bool>* stop = nullptr);

}  // namespace headscope
