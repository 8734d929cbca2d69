#pragma once

#include "core/model/pass.h"

namespace headscope {

// What is around a sublayer of a layer: norms and the residual connection.

/// What a sublayer is, for interventions in what leaves it.
struct Sublayer {
  HeadId place;  ///< of its attention; of the feed-forward layer, its layer
  PatchSite output_norm = PatchSite::output_norm;
  PatchSite residual = PatchSite::residual;
  PatchSite normed = PatchSite::normed;
};
Sublayer attention_sublayer(Stack stack, int layer, AttentionKind kind);
Sublayer feed_forward_sublayer(Stack stack, int layer);

/// Before the sublayer or after the sum, and of its output.
struct SublayerNorms {
  const NormWeights& norm;
  const NormWeights& of_output;
};

/// What enters a sublayer: `input` [n, D], normalised if the norm comes first.
const float* entered(const Architecture& a, const float* input, int n, const NormWeights& norm,
                     const SublayerBuffers& around);

/// What leaves it: its output [n, D], normalised, added to its input and normalised, each where the
/// architecture says so.
const float* left(const PassInputs& in, const Sublayer& sublayer, const float* input,
                  const MatrixView& output, const SublayerNorms& norms, const SublayerBuffers& around);

}  // namespace headscope
