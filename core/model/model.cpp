#include "core/model/model.h"

#include <cmath>

#include "core/tensor/layer_norm.h"
#include "core/tensor/random.h"
#include "core/tensor/rms_norm.h"

namespace headscope {

void normalise(const Architecture& architecture, const NormWeights& norm, const MatrixView& x, float* out) {
  if (architecture.norm_kind == NormKind::rms) {
    rms_norm(x, norm.gain.data(), architecture.norm_epsilon, out);
  } else {
    layer_norm(x, norm.gain.data(), norm.bias.data(), out, architecture.norm_epsilon);
  }
}

void word_embedding(std::string_view lookup, std::uint64_t seed, std::span<float> row) {
  RandomStream random(seed, "embedding " + std::string(lookup));
  random.fill_normal(row, 1.0F);
}

void word_unembedding(std::string_view lookup, std::uint64_t seed, std::span<float> column) {
  RandomStream random(seed, "logits " + std::string(lookup));
  random.fill_normal(column, 1.0F / std::sqrt(static_cast<float>(column.size())));
}

float word_unembedding_bias(std::string_view lookup, std::uint64_t seed, int d_model) {
  const float limit = 1.0F / std::sqrt(static_cast<float>(d_model));
  return RandomStream(seed, "logits.b " + std::string(lookup)).uniform(-limit, limit);
}

}  // namespace headscope
