#include "core/model/model.h"

#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/model/parameters.h"
#include "core/tensor/norm.h"
#include "core/tensor/random.h"

namespace headscope {
namespace {

/// A visitor for visit_parts() that draws each parameter from the random stream of its path.
class RandomParts {
 public:
  explicit RandomParts(const ParameterLayout& layout) : a_(layout.architecture) {
    // An empty parameter begins where the next one does.
    for (const NamedParameter& named : layout.named) {
      if (named.rows > 0 && named.cols > 0) named_.emplace(named.first, &named);
    }
  }

  template <class Table>
  void operator()(const ParameterSlot& slot, Table& part) {
    part.resize(slot.n_in, slot.n_out);
    if (part.size() == 0) return;
    tasks_.emplace_back([this, first = slot.first, &part] {
      fill(*named_.at(first), 1, {part.data(), static_cast<std::size_t>(part.size())});
    });
  }
  void operator()(const ParameterSlot& slot, WordTable& part) {
    if (slot.n_in == 0) return;
    tasks_.emplace_back([this, slot, &part] {
      Matrix numbers(slot.n_in, slot.n_out);
      fill(*named_.at(slot.first), 1, {numbers.data(), static_cast<std::size_t>(numbers.size())});
      part = WordTable(std::move(numbers));
    });
  }
  void operator()(const ParameterSlot& slot, Linear& part) {
    tasks_.emplace_back([this, slot, &part] {
      Matrix weight(slot.n_in, slot.n_out);
      RowVector bias = RowVector::Zero(slot.n_out);
      // Heads are drawn one by one.
      for (int col = 0, width = 0; col < slot.n_out; col += width) {
        const NamedParameter& named = *named_.at(slot.first + col);
        width = named.cols;
        fill_weight(named, weight.middleCols(col, width));
        if (slot.bias >= 0)
          fill(*named_.at(slot.bias + col), slot.n_in, {bias.data() + col, static_cast<std::size_t>(width)});
      }
      part = Linear(weight, std::move(bias));
    });
  }

  /// The tasks that draw the visited parameters, in any order.
  const std::vector<std::function<void()>>& tasks() const { return tasks_; }

 private:
  RandomStream stream_of(const NamedParameter& named) const {
    // Draw the same relative position table for an encoder with and without a decoder.
    const bool is_encoder_table = named.path == "encoder.positions.biases";
    return RandomStream(a_.seed, is_encoder_table ? std::string_view("positions.table") : named.path);
  }

  /// \param fan_in The number of summands before a bias is added.
  void fill(const NamedParameter& named, int fan_in, std::span<float> out) const {
    RandomStream random = stream_of(named);
    const auto uniform = [&](int n) {
      const float limit = 1.0F / std::sqrt(static_cast<float>(n));
      random.fill_uniform(out, -limit, limit);
    };
    switch (named.kind) {
      case ParameterKind::bias:
        return uniform(fan_in);
      case ParameterKind::word_bias:
        return uniform(a_.d_model);
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
        return random.fill_normal(out, static_cast<float>(1.0 / a_.embedding_factor()));
      case ParameterKind::word_weight:
        return random.fill_normal(out, 1.0F / std::sqrt(static_cast<float>(a_.d_model)));
      case ParameterKind::weight:
      case ParameterKind::none:
        return;  // Drawn by fill_weight(), which knows the shape.
    }
  }

  void fill_weight(const NamedParameter& named, MatrixOut out) const {
    const auto n_cols = static_cast<std::size_t>(out.cols());
    if (named.kind == ParameterKind::word_weight)
      return fill(named, 1, {out.data(), static_cast<std::size_t>(out.rows()) * n_cols});
    RandomStream random = stream_of(named);
    const auto fan_in = static_cast<float>(out.rows());
    const auto fan_out = static_cast<float>(out.cols());
    for (Eigen::Index r = 0; r < out.rows(); ++r) {
      const std::span<float> row(&out(r, 0), n_cols);
      switch (a_.init) {
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

  const Architecture& a_;
  std::unordered_map<std::ptrdiff_t, const NamedParameter*> named_;
  std::vector<std::function<void()>> tasks_;
};

}  // namespace

void apply_norm(const Architecture& architecture, const NormWeights& norm, const MatrixView& x, float* out) {
  if (architecture.norm_kind == NormKind::rms) {
    rms_norm(x, norm.gain.data(), architecture.norm_epsilon, out);
  } else {
    layer_norm(x, norm.gain.data(), norm.bias.data(), out, architecture.norm_epsilon);
  }
}

MatrixView numbers_of(const Model& model, const StageId& id) {
  switch (info(id.kind).parameter) {
    case ParameterKind::table:
      return view_of(table_of(model, id));
    case ParameterKind::gain:
    case ParameterKind::sink_score:
      return view_of(vector_of(model, id));
    case ParameterKind::offset:
      return view_of(norm_of(model, id).bias);
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
  RandomParts parts(layout);
  visit_parts(layout, model, parts);
  pool.for_each(static_cast<int>(parts.tasks().size()), [&](int i) {
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) return;
    parts.tasks()[static_cast<std::size_t>(i)]();
  });
  return model;
}

}  // namespace headscope
