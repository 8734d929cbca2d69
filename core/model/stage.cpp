#include "core/model/stage.h"

#include <algorithm>
#include <charconv>

namespace headscope {
namespace {

using enum StageScope;

/// Splits `rest` at the next dot and returns the text before it.
std::string_view next_part(std::string_view& rest) {
  const auto dot = rest.find('.');
  const auto part = rest.substr(0, dot);
  rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
  return part;
}

/// Parses an index as written by path(): digits without leading zeros.
std::optional<int> parse_index(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return index;
}

std::optional<StageKind> kind_in_scope(std::string_view name, StageScope scope) {
  for (const auto& line : all_stage_kinds()) {
    if (line.scope == scope && line.name == name) return line.kind;
  }
  return std::nullopt;
}

std::optional<StageId> finished(StageId id, std::string_view name, StageScope scope) {
  const auto kind = kind_in_scope(name, scope);
  if (!kind) return std::nullopt;
  id.kind = *kind;
  return id;
}

/// Tries a name that may contain dots itself ("feed_forward.W_1") before the deeper scopes.
std::optional<StageId> parse_below_layer(StageId id, std::string_view rest) {
  if (const auto found = finished(id, rest, layer)) return found;
  const auto attention_name = next_part(rest);
  if (attention_name != "self" && attention_name != "cross") return std::nullopt;
  id.attention = attention_name == "self" ? AttentionKind::self : AttentionKind::cross;
  if (const auto found = finished(id, rest, attention)) return found;

  if (next_part(rest) != "heads") return std::nullopt;
  const auto head_index = parse_index(next_part(rest));
  if (!head_index) return std::nullopt;
  id.head = *head_index;
  return finished(id, rest, head);
}

}  // namespace

int axis_length(const AxisSizes& sizes, const StageId& id, Axis axis) {
  const Architecture& a = sizes.architecture;
  const auto tokens = [&](bool is_target) { return is_target ? sizes.n_target : sizes.n_source; };
  const bool ends_model = info(id.kind).scope == StageScope::model;
  const bool is_target = a.has_cross() && (ends_model || id.stack == Stack::decoder);
  const bool has_biases = is_bias_table(a, id);
  switch (axis) {
    case Axis::query_tokens:
      return tokens(is_target);
    case Axis::key_tokens:
      return tokens(is_target && id.attention == AttentionKind::self);
    case Axis::d_model: {
      // Without an output projection, attention has the width of the concatenated heads.
      const bool leaves = id.kind == StageKind::projected || id.kind == StageKind::layer_output ||
                          (id.kind == StageKind::stack_output && a.layers_of(id.stack) > 0);
      return leaves ? a.layer_width() : a.d_model;
    }
    case Axis::embedding:
      return a.embedding_width();
    case Axis::output_row:
      return a.output_width();
    case Axis::segments:
      return a.foreign.segments;
    case Axis::d_head:
      return a.head_width(id.layer);
    case Axis::d_value:
      return a.value_width(id.layer);
    case Axis::latent:
      return a.kv_latent.value_or(0);
    case Axis::shared_key:
      return a.shared_key_width(id.attention);
    case Axis::kv_input:
      return a.kv_input_width();
    case Axis::query_gain:
      return a.n_head_gains(a.n_heads, id.layer);
    case Axis::key_gain:
      return a.n_head_gains(a.kv_heads(id.layer), id.layer);
    case Axis::per_head_key:
      return a.per_head_key_width(id.attention, id.layer);
    case Axis::concat:
      return a.concat_width(id.layer);
    case Axis::d_ff:
      return a.feed_forward_width(id.layer);
    case Axis::query_latent:
      return a.foreign.query_latent.value_or(0);
    case Axis::query_input:
      return a.query_input_width();
    case Axis::experts:
      return a.foreign.experts ? a.foreign.experts->count : 0;
    case Axis::all_experts:
      return a.foreign.experts ? a.foreign.experts->all() : 0;
    case Axis::dense_ff:
      return a.dense_width();
    case Axis::single:
      return 1;
    case Axis::vocabulary:
      return sizes.n_words;
    case Axis::table_rows:
      return sizes.table_rows;
    case Axis::position_rows:
      return has_biases ? a.n_heads : a.foreign.position_rows;
    case Axis::position_cols:
      return has_biases ? a.relative_width() : a.embedding_width();
    case Axis::layer_rows:
      // Without vocabulary, none is counted.
      return a.foreign.layer_inputs && sizes.table_rows > 0 ? a.foreign.layer_inputs->rows : 0;
    case Axis::layer_input:
      return a.layer_input_width();
    case Axis::all_layer_inputs:
      return a.all_layer_inputs_width();
    case Axis::streams:
      return a.n_streams();
    case Axis::squared_streams:
      return a.n_streams() * a.n_streams();
    case Axis::other_streams:
      return (a.n_streams() - 1) * a.d_model;
    case Axis::laurel:
      return a.foreign.streams ? a.foreign.streams->laurel_rank : 0;
    case Axis::distances:
      return std::max(2 * tokens(is_target) - 1, 0);
  }
  return 0;
}

std::string path(const StageId& id) {
  const auto& line = info(id.kind);
  if (line.scope == model) return std::string(line.name);
  std::string text = id.stack == Stack::encoder ? "encoder." : "decoder.";
  if (line.scope >= layer) text += "layers." + std::to_string(id.layer) + ".";
  if (line.scope >= attention) text += id.attention == AttentionKind::self ? "self." : "cross.";
  if (line.scope >= head) text += "heads." + std::to_string(id.head) + ".";
  return text.append(line.name);
}

std::optional<StageId> parse_path(std::string_view path) {
  if (const auto kind = kind_in_scope(path, model)) return StageId{.kind = *kind};
  const auto stack_name = next_part(path);
  if (stack_name != "encoder" && stack_name != "decoder") return std::nullopt;
  StageId id;
  id.stack = stack_name == "encoder" ? Stack::encoder : Stack::decoder;
  if (const auto found = finished(id, path, stack)) return found;
  if (next_part(path) != "layers") return std::nullopt;
  const auto layer_index = parse_index(next_part(path));
  if (!layer_index) return std::nullopt;
  id.layer = *layer_index;
  return parse_below_layer(id, path);
}

StageId canonical(const Architecture& architecture, StageId id) {
  if (info(id.kind).is_per_group) id.head = architecture.first_of_group(id.head, id.layer);
  return id;
}

std::string canonical_path(const Architecture& architecture, const std::string& text) {
  const std::optional<StageId> id = parse_path(text);
  return id ? path(canonical(architecture, *id)) : text;
}

std::optional<StageKind> parse_stage_kind(std::string_view name) {
  for (const auto scope : {head, attention, layer, stack, model}) {
    if (const auto kind = kind_in_scope(name, scope)) return kind;
  }
  return std::nullopt;
}

}  // namespace headscope
