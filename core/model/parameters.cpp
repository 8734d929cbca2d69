#include "core/model/parameters.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/graph.h"

namespace headscope {
namespace {

using enum StageKind;

bool is_bias(ParameterKind kind) {
  return kind == ParameterKind::bias || kind == ParameterKind::offset || kind == ParameterKind::word_bias;
}

/// The place of a parameter among the slots of its scope. Those with the same place are in the order of their
/// records; the others have places that files of parameters fix.
std::ptrdiff_t place(StageKind kind) {
  constexpr std::array first{w_query_latent, query_latent_norm_gain, w_latent, latent_norm_gain,
                             w_shared_key};
  constexpr std::array last{w_output,
                            norm_gain,
                            output_norm_gain,
                            w_position_query,
                            w_position_key,
                            feed_forward_norm_gain,
                            feed_forward_output_norm_gain};
  const auto behind = std::ranges::find(last, kind);
  return behind == last.end() ? std::ranges::find(first, kind) - first.end() : behind - last.begin() + 1;
}

/// The bias of the linear layer or norm of a parameter, which is the next kind.
std::optional<StageKind> bias_of(StageKind kind) {
  const StageKind next = bias_behind({kind}).kind;
  return is_bias(info(next).parameter) ? std::optional(next) : std::nullopt;
}

/// Allocates slots in order and, if requested, records their names.
ParameterLayout made_layout(const Architecture& a, int vocabulary, bool has_names) {
  ParameterLayout layout;
  layout.architecture = a;
  layout.vocabulary = vocabulary;
  constexpr bool has_table = true;
  const Graph graph(a, {}, has_table);
  const auto reserve = [&](int rows, int cols) {
    const std::size_t first = layout.size;
    layout.size += static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    return static_cast<std::ptrdiff_t>(first);
  };
  const auto add = [&](StageId id) {
    if (!graph.has(id)) return;
    std::optional<StageKind> bias = bias_of(id.kind);
    if (bias && !graph.has(with_kind(id, *bias))) bias.reset();
    if (id.kind == w_logits && a.output_layer == OutputLayer::tied) {
      if (!bias) return;
      id = with_kind(id, *bias);
      bias.reset();
    }
    const StageInfo& stage = info(id.kind);
    const int n_words = a.foreign.classes > 0 ? a.foreign.classes : vocabulary;
    const AxisSizes sizes{.architecture = a, .table_rows = vocabulary, .n_words = n_words};
    const int width = axis_length(sizes, id, stage.cols);
    const int n_parts = stage.scope != StageScope::head ? 1
                        : stage.is_per_group            ? a.kv_heads(id.layer)
                                                        : a.n_heads;
    ParameterSlot slot{.n_in = axis_length(sizes, id, stage.rows), .n_out = n_parts * width};
    slot.first = reserve(slot.n_in, slot.n_out);
    if (bias) slot.bias = reserve(1, slot.n_out);
    layout.places.emplace(id, layout.slots.size());
    layout.slots.emplace_back(id, slot);
    for (int part = 0; has_names && part < n_parts; ++part) {
      id.head = part * (a.n_heads / n_parts);
      const std::ptrdiff_t column = std::ptrdiff_t{part} * width;
      layout.named.push_back({path(id), stage.parameter, slot.first + column, slot.n_in, width, slot.n_out});
      if (bias)
        layout.named.push_back(
            {path(with_kind(id, *bias)), info(*bias).parameter, slot.bias + column, 1, width, slot.n_out});
    }
  };
  std::vector<StageKind> kinds;  // Biases follow their layers.
  for (const StageInfo& each : all_stage_kinds())
    if (each.is_parameter() && !is_bias(each.parameter)) kinds.push_back(each.kind);
  std::ranges::stable_sort(kinds, {}, place);
  const auto add_all = [&](StageScope scope, bool is_behind_layers, StageId id) {
    for (const StageKind kind : kinds) {
      id.kind = kind;
      const bool is_inside = std::min(info(kind).scope, StageScope::attention) == scope;
      if (is_inside && (kind > layer_output) == is_behind_layers) add(id);
    }
  };
  add_all(StageScope::model, false, {});
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    StageId at{.stack = stack};
    add_all(StageScope::stack, false, at);
    for (at.layer = 0; at.layer < a.layers_of(stack) && a.has(stack); ++at.layer) {
      for (const AttentionKind attention : {AttentionKind::self, AttentionKind::cross}) {
        at.attention = attention;
        add_all(StageScope::attention, false, at);
      }
      at.attention = AttentionKind::self;
      add_all(StageScope::layer, false, at);
    }
    add_all(StageScope::stack, true, {.stack = stack});
  }
  add_all(StageScope::model, true, {});
  return layout;
}

}  // namespace

ParameterSlot ParameterLayout::slot(StageId id) const {
  id.head = 0;
  const auto found = places.find(id);
  return found == places.end() ? ParameterSlot{} : slots[found->second].second;
}

std::ptrdiff_t ParameterLayout::position_biases(Stack which, int layer) const {
  if (architecture.positions != Positions::relative && !architecture.foreign.adds_distance_biases) return -1;
  return slot(bias_table_of(architecture, which, layer)).first;
}

ParameterLayout layout_of(const Architecture& architecture, int vocabulary) {
  return made_layout(architecture, vocabulary, true);
}

double count_parameters(const Architecture& architecture) {
  if (architecture.foreign.captured) return 0.0;
  const ParameterLayout layout = made_layout(architecture, 0, false);
  // The unembedding comes last; its size depends on the vocabulary unless there are classes.
  const ParameterSlot logits_slot = layout.slot({.kind = w_logits});
  return static_cast<double>(logits_slot.exists() ? static_cast<std::size_t>(logits_slot.first)
                                                  : layout.size);
}

double count_distinct_parameters(const Architecture& architecture) {
  const int n_copies = architecture.foreign.shares_layers ? std::max(architecture.n_layers, 1) : 1;
  return count_parameters(architecture) / n_copies;
}

double model_bytes(const Architecture& architecture) {
  return sizeof(float) * count_distinct_parameters(architecture);
}

double word_table_bytes(const Architecture& a, int vocabulary) {
  if (a.foreign.captured) return 0.0;
  double numbers = 0.0;
  for (const auto& [id, slot] : made_layout(a, vocabulary, false).slots)
    if (info(id.kind).parameter == ParameterKind::word_table) numbers += double{1} * slot.n_in * slot.n_out;
  return numbers * sizeof(float);
}

double unembedding_bytes(const Architecture& a, int vocabulary) {
  const double width = a.output_layer == OutputLayer::none ? 0.0 : a.output_width();
  const int n_out = a.foreign.classes > 0 ? a.foreign.classes : vocabulary;
  return width * n_out * sizeof(float);
}

std::vector<float> parameters_of(const Model& model, const ParameterLayout& layout) {
  std::vector<float> numbers(layout.size);
  const auto copy = [&](std::ptrdiff_t first, const auto& part) {
    std::copy_n(part.data(), part.size(), numbers.data() + first);
  };
  visit_parts(layout, model, [&]<class Part>(const ParameterSlot& slot, const Part& part) {
    if constexpr (std::is_same_v<Part, WordTable>) {
      copy(slot.first, part.all());
    } else if constexpr (std::is_same_v<Part, Linear>) {
      copy(slot.first, part.weight());
      if (slot.bias >= 0) copy(slot.bias, part.bias);
    } else {
      copy(slot.first, part);
    }
  });
  return numbers;
}

Model model_of(const ParameterLayout& layout, std::span<const float> numbers) {
  Model model;
  model.architecture = layout.architecture;
  model.drawn = false;
  visit_parts(layout, model, [&]<class Part>(const ParameterSlot& slot, Part& part) {
    const auto stored = eigen(MatrixView{numbers.data() + slot.first, slot.n_in, slot.n_out, slot.n_out});
    if constexpr (std::is_same_v<Part, WordTable>) {
      part = WordTable(stored);
    } else if constexpr (std::is_same_v<Part, Linear>) {
      RowVector bias = RowVector::Zero(slot.n_out);
      if (slot.bias >= 0) std::copy_n(numbers.data() + slot.bias, slot.n_out, bias.data());
      part = Linear(stored, std::move(bias));
    } else {
      part = stored;
    }
  });
  return model;
}

}  // namespace headscope
