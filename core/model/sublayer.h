#pragma once

#include "core/model/pass.h"

namespace headscope {

// The parts around a sublayer: norms and the residual connection.

/// Identifies a sublayer for interventions in its output.
struct Sublayer {
  HeadId place;  ///< The place of its attention; for the feed-forward layer, only stack and layer are used.
  PatchSite output_norm = PatchSite::output_norm;
  PatchSite residual = PatchSite::residual;
  PatchSite normed = PatchSite::normed;
};
Sublayer attention_sublayer(Stack stack, int layer, AttentionKind kind);
Sublayer feed_forward_sublayer(Stack stack, int layer);

/// The norm before the sublayer or after the sum, and the norm of the sublayer's output.
struct SublayerNorms {
  const NormWeights& norm;
  const NormWeights& of_output;
};

/// The input of a sublayer: `input` [n, D], normalised if the norm comes first.
const float* entered(const Architecture& a, const float* input, int n, const NormWeights& norm,
                     const SublayerBuffers& around);

/// The result of a sublayer: its output [n, D], normalised, added to its input, and normalised, each only if
/// the architecture says so.
const float* left(const PassInputs& in, const Sublayer& sublayer, const float* input,
                  const MatrixView& output, const SublayerNorms& norms, const SublayerBuffers& around);

}  // namespace headscope
