#include "core/model/model.h"

#include <cmath>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/parameters.h"
#include "core/tensor/random.h"

namespace headscope {
namespace {

RandomStream stream_of(const Architecture& a, const NamedParameter& named) {
  // Draw the same relative position table for an encoder with and without a decoder.
  const bool is_encoder_table = named.path == "encoder.positions.biases";
  return RandomStream(a.seed, is_encoder_table ? std::string_view("positions.table") : named.path);
}

/// \param fan_in The number of summands before a bias is added.
void fill(const Architecture& a, const NamedParameter& named, int fan_in, std::span<float> out) {
  RandomStream random = stream_of(a, named);
  const auto uniform = [&](int n) {
    const float limit = 1.0F / std::sqrt(static_cast<float>(n));
    random.fill_uniform(out, -limit, limit);
  };
  switch (named.kind) {
    case ParameterKind::bias:
      return uniform(fan_in);
    case ParameterKind::word_bias:
      return uniform(a.d_model);
    case ParameterKind::gain:
      std::ranges::fill(out, 1.0F);
      return;
    case ParameterKind::offset:
    case ParameterKind::sink_score:
      std::ranges::fill(out, 0.0F);
      return;
    case ParameterKind::table:
      return random.fill_normal(out, 1.0F);
    case ParameterKind::word_table:
      return random.fill_normal(out, static_cast<float>(1.0 / a.embedding_factor()));
    case ParameterKind::word_weight:
      return random.fill_normal(out, 1.0F / std::sqrt(static_cast<float>(a.d_model)));
    case ParameterKind::weight:
    case ParameterKind::none:
      return;  // Drawn by fill_weight(), which knows the shape.
  }
}

void fill_weight(const Architecture& a, const NamedParameter& named, MatrixOut out) {
  const auto n_cols = static_cast<std::size_t>(out.cols());
  if (named.kind == ParameterKind::word_weight)
    return fill(a, named, 1, {out.data(), static_cast<std::size_t>(out.rows()) * n_cols});
  RandomStream random = stream_of(a, named);
  const auto fan_in = static_cast<float>(out.rows());
  const auto fan_out = static_cast<float>(out.cols());
  for (Eigen::Index r = 0; r < out.rows(); ++r) {
    const std::span<float> row(&out(r, 0), n_cols);
    switch (a.init) {
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

}  // namespace

MatrixView numbers_of(const Model& model, const StageId& id) {
  switch (info(id.kind).parameter) {
    case ParameterKind::table:
      return view_of(table_of(model, id));
    case ParameterKind::gain:
    case ParameterKind::sink_score:
    case ParameterKind::offset:
      return view_of(vector_of(model, id));
    default:
      return view_of(linear_of(model, id).bias);
  }
}

void draw_word_embedding(std::string_view lookup, std::uint64_t seed, std::span<float> row) {
  RandomStream random(seed, "embedding " + std::string(lookup));
  random.fill_normal(row, 1.0F);
}

void draw_word_unembedding(std::string_view lookup, std::uint64_t seed, std::span<float> column) {
  RandomStream random(seed, "logits " + std::string(lookup));
  random.fill_normal(column, 1.0F / std::sqrt(static_cast<float>(column.size())));
}

float draw_word_unembedding_bias(std::string_view lookup, std::uint64_t seed, int d_model) {
  const float limit = 1.0F / std::sqrt(static_cast<float>(d_model));
  return RandomStream(seed, "logits.b " + std::string(lookup)).uniform(-limit, limit);
}

Model random_model(const Architecture& architecture, int vocabulary, ThreadPool& pool,
                   const std::atomic<bool>* stop) {
  Model model;
  model.architecture = architecture;
  const ParameterLayout layout = layout_of(architecture, vocabulary);
  std::unordered_map<std::ptrdiff_t, const NamedParameter*> named;
  // An empty parameter begins where the next one does.
  for (const NamedParameter& each : layout.named)
    if (each.rows > 0 && each.cols > 0) named.emplace(each.first, &each);
  // The tasks draw each parameter from the random stream of its path, in any order.
  std::vector<std::function<void()>> tasks;
  visit_parts(layout, model, [&]<class Part>(const ParameterSlot& slot, Part& part) {
    if constexpr (std::is_same_v<Part, Linear>) {
      tasks.emplace_back([&architecture, &named, slot, &part] {
        Matrix weight(slot.n_in, slot.n_out);
        RowVector bias = RowVector::Zero(slot.n_out);
        // Heads are drawn one by one.
        for (int col = 0, width = 0; col < slot.n_out; col += width) {
          const NamedParameter& own = *named.at(slot.first + col);
          width = own.cols;
          fill_weight(architecture, own, weight.middleCols(col, width));
          if (slot.bias >= 0)
            fill(architecture, *named.at(slot.bias + col), slot.n_in,
                 {bias.data() + col, static_cast<std::size_t>(width)});
        }
        part = Linear(weight, std::move(bias));
      });
    } else {
      const bool is_empty = slot.n_in == 0 || slot.n_out == 0;
      if (is_empty && std::is_same_v<Part, WordTable>) return;
      tasks.emplace_back([&architecture, &named, slot, &part, is_empty] {
        Matrix numbers(slot.n_in, slot.n_out);
        if (!is_empty)
          fill(architecture, *named.at(slot.first), 1,
               {numbers.data(), static_cast<std::size_t>(numbers.size())});
        part = Part(std::move(numbers));
      });
    }
  });
  pool.for_each(static_cast<int>(tasks.size()), [&](int i) {
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) return;
    tasks[static_cast<std::size_t>(i)]();
  });
  return model;
}

}  // namespace headscope
