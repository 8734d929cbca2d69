#include "core/model/model.h"

#include <cmath>
#include <functional>

#include "core/tensor/layer_norm.h"
#include "core/tensor/random.h"
#include "core/tensor/rms_norm.h"

namespace headscope {
namespace {

/// Fills a matrix, row by row, from the stream with this name.
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

void draw_bias(const Architecture& architecture, const std::string& name, int fan_in, std::span<float> out) {
  RandomStream random(architecture.seed, name);
  const float limit = 1.0F / std::sqrt(static_cast<float>(fan_in));
  random.fill_uniform(out, -limit, limit);
}

/// One matrix with its bias: a range of columns of a linear layer.
struct Part {
  std::string weight, bias;  ///< The names of their random streams.
  bool has_bias;
  int first_col, n_cols;
};

Linear drawn_linear(const Architecture& a, int n_in, int n_out, const std::vector<Part>& parts) {
  Matrix weight(n_in, n_out);
  RowVector bias = RowVector::Zero(n_out);
  for (const Part& part : parts) {
    draw(a, part.weight, weight.middleCols(part.first_col, part.n_cols));
    if (!part.has_bias) continue;
    draw_bias(a, part.bias, n_in, {bias.data() + part.first_col, static_cast<std::size_t>(part.n_cols)});
  }
  return Linear(weight, std::move(bias));
}

/// A linear layer of all heads. Each matrix is named after its head, or after the first of the heads that
/// share it.
Linear drawn_heads(const Architecture& a, const std::string& prefix, const std::string& letter, bool has_bias,
                   int width) {
  const int n_in = letter == "Q" ? a.d_model : a.kv_input_width();
  const int step = letter == "Q" ? 1 : a.group_size();
  std::vector<Part> parts;
  for (int head = 0; head < a.n_heads; head += step) {
    const std::string path = prefix + "heads." + std::to_string(head) + ".";
    std::string weight = path;
    std::string bias = path;
    weight.append("W_").append(letter);
    bias.append("b_").append(letter);
    parts.push_back({std::move(weight), std::move(bias), has_bias, head / step * width, width});
  }
  return drawn_linear(a, n_in, a.n_heads / step * width, parts);
}

Linear drawn_whole(const Architecture& a, const std::string& weight, const std::string& bias, bool has_bias,
                   int n_in, int n_out) {
  return drawn_linear(a, n_in, n_out, {{weight, bias, has_bias, 0, n_out}});
}

NormWeights fresh_norm(const Architecture& a) {
  return {RowVector::Ones(a.d_model), RowVector::Zero(a.norms_have_bias() ? a.d_model : 0)};
}

/// A norm that is as wide as the embeddings.
NormWeights fresh_embedding_norm(const Architecture& a) {
  const bool has_bias = a.norm_kind == NormKind::layer;
  return {RowVector::Ones(a.embedding_width()), RowVector::Zero(has_bias ? a.embedding_width() : 0)};
}

using Tasks = std::vector<std::function<void()>>;

/// Draws the matrices of the latent from which keys and values are made, if there is one.
void draw_latent(const Architecture& a, const std::string& prefix, AttentionKind kind,
                 AttentionWeights& weights, Tasks& tasks) {
  if (!a.kv_latent) return;
  weights.latent_gain = RowVector::Ones(*a.kv_latent);
  tasks.emplace_back([&a, &weights, prefix] {
    weights.latent = drawn_whole(a, prefix + "W_DKV", "", false, a.d_model, *a.kv_latent);
  });
  const int width = a.shared_key_width(kind);
  if (width == 0) return;
  tasks.emplace_back([&a, &weights, prefix, width] {
    weights.shared_key = drawn_whole(a, prefix + "W_KR", "", false, a.d_model, width);
  });
}

void draw_attention(const Architecture& a, const std::string& prefix, AttentionKind kind,
                    AttentionWeights& weights, Tasks& tasks) {
  const auto heads = [&a, &tasks, prefix](Linear& target, const char* letter, bool bias, int width) {
    tasks.emplace_back(
        [&a, &target, prefix, letter, bias, width] { target = drawn_heads(a, prefix, letter, bias, width); });
  };
  heads(weights.query, "Q", a.bias.query, a.head_width());
  heads(weights.key, "K", a.bias.key, a.own_key_width(kind));
  heads(weights.value, "V", a.bias.value, a.value_width());
  draw_latent(a, prefix, kind, weights, tasks);
  if (a.sinks) weights.sinks = RowVector::Zero(a.n_heads);
  if (a.qk_norm) weights.query_gain = weights.key_gain = RowVector::Ones(a.head_width());
  if (a.output_gate) {
    tasks.emplace_back([&a, &weights, prefix] {
      weights.gate = drawn_whole(a, prefix + "W_G", "", false, a.d_model, a.concat_width());
    });
  }
  if (!a.output_projection) return;
  tasks.emplace_back([&a, &weights, prefix] {
    weights.out = drawn_whole(a, prefix + "W_O", prefix + "b_O", a.bias.output, a.concat_width(), a.d_model);
  });
}

void draw_feed_forward(const Architecture& a, const std::string& prefix, FeedForwardWeights& weights,
                       Tasks& tasks) {
  const bool bias = a.bias.feed_forward;
  tasks.emplace_back([&a, &weights, prefix, bias] {
    weights.hidden = drawn_whole(a, prefix + "W_1", prefix + "b_1", bias, a.d_model, a.d_ff);
  });
  if (a.gated) {
    tasks.emplace_back([&a, &weights, prefix, bias] {
      weights.up = drawn_whole(a, prefix + "W_up", prefix + "b_up", bias, a.d_model, a.d_ff);
    });
  }
  tasks.emplace_back([&a, &weights, prefix, bias] {
    weights.output = drawn_whole(a, prefix + "W_2", prefix + "b_2", bias, a.d_ff, a.d_model);
  });
}

Matrix drawn_normal(const Architecture& a, const std::string& name, int rows, int cols, float deviation) {
  Matrix table(rows, cols);
  RandomStream random(a.seed, name);
  random.fill_normal({table.data(), static_cast<std::size_t>(table.size())}, deviation);
  return table;
}

/// Draws the parts that only models from other programs have.
void draw_foreign(const Architecture& a, Model& model, Tasks& tasks) {
  const int width = a.embedding_width();
  if (a.foreign.segments > 0) {
    tasks.emplace_back([&a, &model, width] {
      model.segments_table = drawn_normal(a, "segments.table", a.foreign.segments, width, 1.0F);
    });
  }
  if (a.foreign.embedding_norm) model.embedding_norm = fresh_embedding_norm(a);
  if (a.projects_embedding()) {
    tasks.emplace_back([&a, &model, width] {
      model.embedding_projection = drawn_whole(a, "embedding.W", "embedding.b", true, width, a.d_model);
    });
  }
  if (!a.has_output_transform()) return;
  model.output_transform_norm = fresh_embedding_norm(a);
  tasks.emplace_back([&a, &model, width] {
    model.output_transform = drawn_whole(a, "transform.W", "transform.b", true, a.d_model, width);
  });
}

void draw_stack(const Architecture& a, Stack which, StackWeights& stack, Tasks& tasks) {
  if (!a.has(which)) return;
  const std::string name = which == Stack::encoder ? "encoder" : "decoder";
  const bool has_self = a.has(which, AttentionKind::self);
  const bool has_cross = a.has(which, AttentionKind::cross);
  const bool has_norm = a.norm != Norm::none;
  stack.layers.resize(static_cast<std::size_t>(a.layers_of(which)));
  for (std::size_t l = 0; l < stack.layers.size(); ++l) {
    LayerWeights& layer = stack.layers[l];
    const std::string prefix = name + ".layers." + std::to_string(l) + ".";
    if (has_self) draw_attention(a, prefix + "self.", AttentionKind::self, layer.self, tasks);
    if (has_cross) draw_attention(a, prefix + "cross.", AttentionKind::cross, layer.cross, tasks);
    if (a.d_ff > 0) draw_feed_forward(a, prefix + "feed_forward.", layer.feed_forward, tasks);
    if (!has_norm) continue;
    if (has_self) layer.self_norm = fresh_norm(a);
    if (has_cross) layer.cross_norm = fresh_norm(a);
    if (a.feed_forward_has_norm()) layer.feed_forward_norm = fresh_norm(a);
    if (!a.norms_outputs()) continue;
    if (has_self) layer.self_output_norm = fresh_norm(a);
    if (has_cross) layer.cross_output_norm = fresh_norm(a);
    if (a.d_ff > 0) layer.feed_forward_output_norm = fresh_norm(a);
  }
  if (a.has_final_norm(which)) stack.norm = fresh_norm(a);
}

/// The biases of the words. Zeros if the final linear layer has no bias.
RowVector drawn_word_biases(const Architecture& a, int vocabulary) {
  RowVector bias = RowVector::Zero(vocabulary);
  if (a.has_output_bias())
    draw_bias(a, "logits.b", a.d_model, {bias.data(), static_cast<std::size_t>(vocabulary)});
  return bias;
}

}  // namespace

void normalise(const Architecture& architecture, const NormWeights& norm, const MatrixView& x, float* out) {
  if (architecture.norm_kind == NormKind::rms) {
    rms_norm(x, norm.gain.data(), architecture.norm_epsilon, out);
  } else {
    layer_norm(x, norm.gain.data(), norm.bias.data(), out, architecture.norm_epsilon);
  }
}

Model random_model(const Architecture& architecture, int vocabulary, TaskPool& pool,
                   const std::atomic<bool>* stop) {
  Model model;
  model.architecture = architecture;
  const Architecture& a = model.architecture;
  Tasks tasks;
  draw_stack(a, Stack::encoder, model.encoder, tasks);
  draw_stack(a, Stack::decoder, model.decoder, tasks);
  draw_foreign(a, model, tasks);
  if (vocabulary > 0) {
    const auto deviation = static_cast<float>(1.0 / a.embedding_factor());
    tasks.emplace_back([&, deviation] {
      model.embedding_table = drawn_normal(a, "embedding.table", vocabulary, a.embedding_width(), deviation);
    });
  }
  if (vocabulary > 0 && a.output_layer == OutputLayer::linear) {
    const float deviation = 1.0F / std::sqrt(static_cast<float>(a.d_model));
    tasks.emplace_back([&, deviation] {
      model.unembedding =
          std::make_shared<const Linear>(drawn_normal(a, "logits.W", a.output_width(), vocabulary, deviation),
                                         drawn_word_biases(a, vocabulary));
    });
  } else if (vocabulary > 0 && a.has_output_bias()) {
    model.unembedding_bias = drawn_word_biases(a, vocabulary);
  }
  if (a.positions == Positions::learned) {
    tasks.emplace_back([&] {
      model.positions_table =
          drawn_normal(a, "positions.table", a.foreign.position_rows, a.embedding_width(), 1.0F);
    });
  }
  const auto biases = [&](const char* name) {
    return drawn_normal(a, name, a.n_heads, a.relative_width(), 1.0F);
  };
  if (a.has_position_tables_of_stacks()) {
    // An encoder alone has the same table.
    model.encoder.position_biases = biases("positions.table");
    model.decoder.position_biases = biases("decoder.positions.biases");
  } else if (a.positions == Positions::relative) {
    model.positions_table = biases("positions.table");
  }
  pool.for_each(static_cast<int>(tasks.size()), [&](int i) {
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) return;
    tasks[static_cast<std::size_t>(i)]();
  });
  return model;
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
