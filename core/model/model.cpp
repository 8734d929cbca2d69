#include "core/model/model.h"

#include <cmath>
#include <string>

#include "core/tensor/random.h"

namespace headscope {
namespace {

/// Fills one head's matrix, row by row, from its own stream.
void draw(const Architecture& architecture, const std::string& name, MatrixOut out) {
  RandomStream random(architecture.seed, name);
  const auto fan_in = static_cast<float>(out.rows());
  const auto fan_out = static_cast<float>(out.cols());
  for (Eigen::Index r = 0; r < out.rows(); ++r) {
    const std::span<float> row(&out(r, 0), static_cast<std::size_t>(out.cols()));
    switch (architecture.init) {
      case Init::normal:
        random.fill_normal(row, 1.0F);
        break;
      case Init::scaled:
        random.fill_normal(row, 1.0F / std::sqrt(fan_in));
        break;
      case Init::xavier: {
        const float limit = std::sqrt(6.0F / (fan_in + fan_out));
        random.fill_uniform(row, -limit, limit);
        break;
      }
    }
  }
}

void draw_bias(const Architecture& architecture, const std::string& name, bool present,
               std::span<float> out) {
  if (!present) {
    std::fill(out.begin(), out.end(), 0.0F);
    return;
  }
  RandomStream random(architecture.seed, name);
  const float limit = 1.0F / std::sqrt(static_cast<float>(architecture.d_model));
  random.fill_uniform(out, -limit, limit);
}

void draw_head(const Architecture& architecture, int head, AttentionWeights& weights) {
  const std::string prefix = "encoder.layers.0.self.heads." + std::to_string(head) + ".";
  const PackedColumns columns = packed_columns(architecture, head);
  struct Projection {
    const char* letter;
    int column, width;
    bool bias;
  };
  const Projection projections[] = {
      {"Q", columns.query, architecture.head_width(), architecture.bias.query},
      {"K", columns.key, architecture.head_width(), architecture.bias.key},
      {"V", columns.value, architecture.value_width(), architecture.bias.value}};
  for (const auto& p : projections) {
    draw(architecture, prefix + "W_" + p.letter, weights.qkv.middleCols(p.column, p.width));
    draw_bias(architecture, prefix + "b_" + p.letter, p.bias,
              {weights.qkv_bias.data() + p.column, static_cast<std::size_t>(p.width)});
  }
}

}  // namespace

PackedColumns packed_columns(const Architecture& architecture, int head) {
  const int k = architecture.head_width();
  const int h = architecture.n_heads;
  return {head * k, (h + head) * k, 2 * h * k + head * architecture.value_width()};
}

PackedAttention pack(const AttentionWeights& weights) {
  PackedAttention packed;
  packed.qkv.pack(view_of(weights.qkv));
  packed.qkv_bias = weights.qkv_bias;
  if (weights.out.size() > 0) packed.out.pack(view_of(weights.out));
  packed.out_bias = weights.out_bias;
  return packed;
}

Model random_model(const Architecture& architecture, int vocabulary) {
  const int d = architecture.d_model;
  const int width = architecture.n_heads * (2 * architecture.head_width() + architecture.value_width());
  Model model{architecture, {}, {}, {}};
  AttentionWeights& weights = model.attention;
  weights.qkv.resize(d, width);
  weights.qkv_bias.resize(width);
  for (int head = 0; head < architecture.n_heads; ++head) draw_head(architecture, head, weights);
  if (architecture.output_projection) {
    weights.out.resize(architecture.concat_width(), d);
    weights.out_bias.resize(d);
    draw(architecture, "encoder.layers.0.self.W_O", weights.out);
    draw_bias(architecture, "encoder.layers.0.self.b_O", architecture.bias.output,
              {weights.out_bias.data(), static_cast<std::size_t>(d)});
  }
  model.packed = pack(weights);
  if (vocabulary > 0) {
    model.embedding_table.resize(vocabulary, d);
    RandomStream random(architecture.seed, "embedding.table");
    random.fill_normal({model.embedding_table.data(), static_cast<std::size_t>(model.embedding_table.size())},
                       1.0F);
  }
  return model;
}

void word_embedding(std::string_view lookup, std::uint64_t seed, std::span<float> row) {
  RandomStream random(seed, "embedding " + std::string(lookup));
  random.fill_normal(row, 1.0F);
}

void sinusoidal_positions(MatrixOut out) {
  for (Eigen::Index dim = 0; dim < out.cols(); ++dim) {
    const auto pair = static_cast<double>(dim / 2 * 2);
    const double rate = std::pow(10000.0, -pair / static_cast<double>(out.cols()));
    for (Eigen::Index position = 0; position < out.rows(); ++position) {
      const double angle = static_cast<double>(position) * rate;
      out(position, dim) = static_cast<float>(dim % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
}

}  // namespace headscope
