#include "core/model/parameters.h"

#include <algorithm>
#include <utility>

namespace headscope {
namespace {

using Kind = ParameterKind;

/// Hands out slots one after another and, if the layout is to have them, records their names.
class LayoutBuilder {
 public:
  LayoutBuilder(ParameterLayout& layout, bool has_names) : layout_(layout), has_names_(has_names) {}

  std::ptrdiff_t matrix(const std::string& path, Kind kind, int rows, int cols) {
    const std::ptrdiff_t first = take(rows, cols);
    if (has_names_) layout_.named.push_back({path, kind, first, rows, cols, cols});
    return first;
  }

  LinearSlot linear(const std::string& weight, const std::string& bias, bool has_bias, int n_in, int n_out) {
    return linear(weight, bias, has_bias, n_in, n_out, Kind::weight, Kind::bias);
  }
  LinearSlot linear(const std::string& weight, const std::string& bias, bool has_bias, int n_in, int n_out,
                    Kind of_weight, Kind of_bias) {
    LinearSlot slot;
    slot.n_in = n_in;
    slot.n_out = n_out;
    slot.weight = matrix(weight, of_weight, n_in, n_out);
    if (has_bias) slot.bias = matrix(bias, of_bias, 1, n_out);
    return slot;
  }

  /// The matrices of all heads side by side, each under its own name. What a group of `group_size` heads
  /// shares is named after the first of them.
  LinearSlot heads(const std::string& prefix, const char* letter, bool has_bias, int width, int group_size) {
    const Architecture& a = layout_.architecture;
    LinearSlot slot;
    slot.n_in = letter[0] == 'Q' ? a.d_model : a.kv_input_width();
    slot.n_out = a.n_heads / group_size * width;
    slot.weight = take(slot.n_in, slot.n_out);
    if (has_bias) slot.bias = take(1, slot.n_out);
    for (int head = 0; has_names_ && head < a.n_heads; head += group_size) {
      const std::string path = prefix + "heads." + std::to_string(head) + ".";
      const std::ptrdiff_t column = static_cast<std::ptrdiff_t>(head / group_size) * width;
      layout_.named.push_back(
          {path + "W_" + letter, Kind::weight, slot.weight + column, slot.n_in, width, slot.n_out});
      if (has_bias)
        layout_.named.push_back({path + "b_" + letter, Kind::bias, slot.bias + column, 1, width, slot.n_out});
    }
    return slot;
  }

  /// One number for each head.
  std::ptrdiff_t sinks(const std::string& prefix) {
    const int n = layout_.architecture.n_heads;
    const std::ptrdiff_t first = take(1, n);
    for (int head = 0; has_names_ && head < n; ++head)
      layout_.named.push_back(
          {prefix + "heads." + std::to_string(head) + ".sink", Kind::sink_score, first + head, 1, 1, n});
    return first;
  }

  NormSlot norm(const std::string& prefix) { return norm(prefix, layout_.architecture.d_model); }
  NormSlot norm(const std::string& prefix, int width) {
    NormSlot slot;
    slot.width = width;
    slot.gain = matrix(prefix + "gain", Kind::gain, 1, slot.width);
    if (layout_.architecture.norm_kind == NormKind::layer)
      slot.bias = matrix(prefix + "bias", Kind::offset, 1, slot.width);
    return slot;
  }

  AttentionSlots attention(const std::string& prefix, AttentionKind kind) {
    const Architecture& a = layout_.architecture;
    AttentionSlots slots;
    if (a.kv_latent) {
      slots.latent = linear(prefix + "W_DKV", "", false, a.d_model, *a.kv_latent);
      slots.latent_gain = matrix(prefix + "latent_norm.gain", Kind::gain, 1, *a.kv_latent);
      if (const int width = a.shared_key_width(kind); width > 0)
        slots.shared_key = linear(prefix + "W_KR", "", false, a.d_model, width);
    }
    slots.query = heads(prefix, "Q", a.bias.query, a.head_width(), 1);
    slots.key = heads(prefix, "K", a.bias.key, a.own_key_width(kind), a.group_size());
    slots.value = heads(prefix, "V", a.bias.value, a.value_width(), a.group_size());
    slots.n_heads = a.n_heads;
    slots.d_head = a.head_width();
    if (a.sinks) slots.sinks = sinks(prefix);
    if (a.qk_norm) {
      slots.query_gain = matrix(prefix + "query_norm.gain", Kind::gain, 1, slots.d_head);
      slots.key_gain = matrix(prefix + "key_norm.gain", Kind::gain, 1, slots.d_head);
    }
    if (a.output_gate) slots.gate = linear(prefix + "W_G", "", false, a.d_model, a.concat_width());
    if (a.output_projection) {
      slots.out = linear(prefix + "W_O", prefix + "b_O", a.bias.output, a.concat_width(), a.d_model);
    }
    return slots;
  }

  LayerSlots layer(const std::string& prefix, Stack which) {
    const Architecture& a = layout_.architecture;
    const bool has_norm = a.norm != Norm::none;
    LayerSlots slots;
    if (a.has(which, AttentionKind::self)) {
      slots.self = attention(prefix + "self.", AttentionKind::self);
      if (has_norm) slots.self_norm = norm(prefix + "self.norm.");
      if (a.norms_outputs()) slots.self_output_norm = norm(prefix + "self.output_norm.");
    }
    if (a.has(which, AttentionKind::cross)) {
      slots.cross = attention(prefix + "cross.", AttentionKind::cross);
      if (has_norm) slots.cross_norm = norm(prefix + "cross.norm.");
      if (a.norms_outputs()) slots.cross_output_norm = norm(prefix + "cross.output_norm.");
    }
    if (a.d_ff > 0) {
      const std::string inside = prefix + "feed_forward.";
      const bool bias = a.bias.feed_forward;
      slots.feed_forward.hidden = linear(inside + "W_1", inside + "b_1", bias, a.d_model, a.d_ff);
      if (a.gated) slots.feed_forward.up = linear(inside + "W_up", inside + "b_up", bias, a.d_model, a.d_ff);
      slots.feed_forward.output = linear(inside + "W_2", inside + "b_2", bias, a.d_ff, a.d_model);
      if (a.feed_forward_has_norm()) slots.feed_forward_norm = norm(inside + "norm.");
      if (a.norms_outputs()) slots.feed_forward_output_norm = norm(inside + "output_norm.");
    }
    return slots;
  }

  StackSlots stack(Stack which) {
    const Architecture& a = layout_.architecture;
    StackSlots slots;
    if (!a.has(which)) return slots;
    const std::string name = which == Stack::encoder ? "encoder" : "decoder";
    if (a.has_position_tables_of_stacks())
      slots.position_biases = matrix(name + ".positions.biases", Kind::table, a.n_heads, a.relative_width());
    for (int l = 0; l < a.layers_of(which); ++l)
      slots.layers.push_back(layer(name + ".layers." + std::to_string(l) + ".", which));
    if (a.has_final_norm(which)) slots.norm = norm(name + ".norm.");
    return slots;
  }

 private:
  std::ptrdiff_t take(int rows, int cols) {
    const std::size_t first = layout_.size;
    layout_.size += static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    return static_cast<std::ptrdiff_t>(first);
  }

  ParameterLayout& layout_;
  bool has_names_;
};

/// Copies the parts of a model to their slots.
class ToNumbers {
 public:
  explicit ToNumbers(float* numbers) : numbers_(numbers) {}

  template <class Table>
  void table(std::ptrdiff_t first, int rows, int cols, const Table& part) const {
    std::copy_n(part.data(), static_cast<std::ptrdiff_t>(rows) * cols, numbers_ + first);
  }
  void word_table(std::ptrdiff_t first, int rows, int cols, const WordTable& part) const {
    table(first, rows, cols, part.all());
  }
  void linear(const LinearSlot& slot, const Linear& part) const {
    const Matrix weight = part.weight();
    std::copy_n(weight.data(), weight.size(), numbers_ + slot.weight);
    if (slot.bias >= 0) table(slot.bias, 1, slot.n_out, part.bias);
  }

 private:
  float* numbers_;
};

/// Makes the parts of a model from their slots.
class FromNumbers {
 public:
  explicit FromNumbers(const float* numbers) : numbers_(numbers) {}

  template <class Table>
  void table(std::ptrdiff_t first, int rows, int cols, Table& part) const {
    part.resize(rows, cols);
    std::copy_n(numbers_ + first, static_cast<std::ptrdiff_t>(rows) * cols, part.data());
  }
  void word_table(std::ptrdiff_t first, int rows, int cols, WordTable& part) const {
    Matrix numbers;
    table(first, rows, cols, numbers);
    part = WordTable(std::move(numbers));
  }
  void linear(const LinearSlot& slot, Linear& part) const {
    RowVector bias = RowVector::Zero(slot.n_out);
    if (slot.bias >= 0) table(slot.bias, 1, slot.n_out, bias);
    const MatrixView weight{numbers_ + slot.weight, slot.n_in, slot.n_out, slot.n_out};
    part = Linear(eigen(weight), std::move(bias));
  }

 private:
  const float* numbers_;
};

ParameterLayout made_layout(const Architecture& architecture, int vocabulary, bool has_names) {
  ParameterLayout layout;
  layout.architecture = architecture;
  layout.vocabulary = vocabulary;
  const Architecture& a = layout.architecture;
  const int width = a.embedding_width();
  LayoutBuilder builder(layout, has_names);
  layout.embedding = builder.matrix("embedding.table", Kind::word_table, vocabulary, width);
  if (a.positions == Positions::learned) {
    layout.positions = builder.matrix("positions.table", Kind::table, a.foreign.position_rows, width);
  } else if (a.has_position_table()) {
    layout.positions = builder.matrix("positions.table", Kind::table, a.n_heads, a.relative_width());
  }
  if (a.foreign.segments > 0)
    layout.segments = builder.matrix("segments.table", Kind::table, a.foreign.segments, width);
  if (a.foreign.embedding_norm) layout.embedding_norm = builder.norm("embedding.norm.", width);
  if (a.projects_embedding())
    layout.embedding_projection = builder.linear("embedding.W", "embedding.b", true, width, a.d_model);
  layout.encoder = builder.stack(Stack::encoder);
  layout.decoder = builder.stack(Stack::decoder);
  if (a.has_output_transform()) {
    layout.output_transform = builder.linear("transform.W", "transform.b", true, a.d_model, width);
    layout.output_transform_norm = builder.norm("transform.norm.", width);
  }
  if (a.output_layer == OutputLayer::linear) {
    const int n_out = a.foreign.classes > 0 ? a.foreign.classes : vocabulary;
    layout.logits = builder.linear("logits.W", "logits.b", a.output_bias, a.output_width(), n_out,
                                   Kind::word_weight, Kind::word_bias);
    layout.logits_bias = layout.logits.bias;
  } else if (a.has_output_bias()) {
    layout.logits_bias = builder.matrix("logits.b", Kind::word_bias, 1, vocabulary);
  }
  return layout;
}

}  // namespace

ParameterLayout layout_of(const Architecture& architecture, int vocabulary) {
  return made_layout(architecture, vocabulary, true);
}

double count_parameters(const Architecture& architecture) {
  if (architecture.foreign.captured) return 0.0;
  const ParameterLayout layout = made_layout(architecture, 0, false);
  // The final linear layer comes last, and of its size only the number of classes does not depend on the
  // words.
  return static_cast<double>(layout.logits.exists() ? static_cast<std::size_t>(layout.logits.weight)
                                                    : layout.size);
}

double model_bytes(const Architecture& architecture) {
  return sizeof(float) * count_parameters(architecture);
}

double word_table_bytes(const Architecture& a, int vocabulary) {
  return static_cast<double>(a.embedding_width()) * vocabulary * sizeof(float);
}

double unembedding_bytes(const Architecture& a, int vocabulary) {
  const double width = a.output_layer == OutputLayer::none ? 0.0 : a.output_width();
  const int n_out = a.foreign.classes > 0 ? a.foreign.classes : vocabulary;
  return width * n_out * sizeof(float);
}

std::vector<float> parameters_of(const Model& model, const ParameterLayout& layout) {
  std::vector<float> numbers(layout.size);
  visit_parts(layout, model, ToNumbers(numbers.data()));
  return numbers;
}

Model model_of(const ParameterLayout& layout, std::span<const float> numbers) {
  Model model;
  model.architecture = layout.architecture;
  model.drawn = false;
  visit_parts(layout, model, FromNumbers(numbers.data()));
  return model;
}

}  // namespace headscope
