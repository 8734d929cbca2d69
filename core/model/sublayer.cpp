#include "core/model/sublayer.h"

#include <cstddef>

#include "core/tensor/vector_ops.h"

namespace headscope {

Sublayer attention_sublayer(Stack stack, int layer, AttentionKind kind) {
  return {{stack, kind, layer, 0}};
}

Sublayer feed_forward_sublayer(Stack stack, int layer) {
  return {{stack, AttentionKind::self, layer, 0},
          PatchSite::feed_forward_output_norm,
          PatchSite::feed_forward_residual,
          PatchSite::feed_forward_normed};
}

const float* entered(const Architecture& a, const float* input, int n, const NormWeights& norm,
                     const SublayerBuffers& around) {
  if (around.norm == nullptr) return input;
  const auto width = static_cast<int>(norm.gain.size());
  normalise(a, norm, {input, n, width, width}, around.norm);
  return around.norm;
}

const float* left(const PassInputs& in, const Sublayer& sublayer, const float* input,
                  const MatrixView& output, const SublayerNorms& norms, const SublayerBuffers& around) {
  const Architecture& a = in.model.architecture;
  const int n = output.rows;
  const int width = output.cols;
  const float* result = output.data;
  if (around.output_norm != nullptr) {
    normalise(a, norms.of_output, output, around.output_norm);
    replace_rows(in.edits, sublayer.output_norm, sublayer.place, {around.output_norm, n, width});
    result = around.output_norm;
  }
  if (around.residual != nullptr) {
    const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(width);
    add(input, result, size, around.residual);
    replace_rows(in.edits, sublayer.residual, sublayer.place, {around.residual, n, width});
    result = around.residual;
  }
  if (around.normed == nullptr) return result;
  normalise(a, norms.norm, {result, n, width, width}, around.normed);
  replace_rows(in.edits, sublayer.normed, sublayer.place, {around.normed, n, width});
  return around.normed;
}

}  // namespace headscope
