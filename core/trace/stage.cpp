#include "core/trace/stage.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace headscope {
namespace {

using enum StageKind;
using enum StageScope;

/// One line a kind, in the order of the enumeration, which is the order of computation. Letters of the
/// einsums: b batch, t query, s key, h head, d d_model, k d_head, v d_value; they say what all heads compute
/// together.
constexpr std::array stage_table = {
    StageInfo{embedding, stack, "embedding", "E", "Token embedding", "E[t] = row of the token's word", "",
              Axis::query_tokens, Axis::d_model, true, false,
              "Each token's word as a row of numbers: the same word has the same row wherever it stands."},
    StageInfo{positions, stack, "positions", "P", "Positions", "sin(t / 10000^(2i/d_model)), cos(the same)",
              "", Axis::query_tokens, Axis::d_model, true, false,
              "Waves of different lengths that tell the model where in the sentence a token stands."},
    StageInfo{input, stack, "input", "X", "Input", "E + P", "", Axis::query_tokens, Axis::d_model, true,
              false, "What enters the first layer: each token's word and place, added."},
    StageInfo{layer_input, layer, "input", "x", "Layer input", "x", "", Axis::query_tokens, Axis::d_model,
              true, false, "The row of numbers per token that enters this layer."},
    StageInfo{w_query, head, "W_Q", "W_Q", "Query weights", "W_Q", "", Axis::d_model, Axis::d_head, true,
              true, "The matrix that turns a token's row into its query, what this head looks for."},
    StageInfo{b_query, head, "b_Q", "b_Q", "Query bias", "b_Q", "", Axis::single, Axis::d_head, true, true,
              "Numbers added to every query of this head, whatever the token."},
    StageInfo{w_key, head, "W_K", "W_K", "Key weights", "W_K", "", Axis::d_model, Axis::d_head, true, true,
              "The matrix that turns a token's row into its key, what this head can find it by."},
    StageInfo{b_key, head, "b_K", "b_K", "Key bias", "b_K", "", Axis::single, Axis::d_head, true, true,
              "Numbers added to every key of this head, whatever the token."},
    StageInfo{w_value, head, "W_V", "W_V", "Value weights", "W_V", "", Axis::d_model, Axis::d_value, true,
              true,
              "The matrix that turns a token's row into its value, what it hands over when attended to."},
    StageInfo{b_value, head, "b_V", "b_V", "Value bias", "b_V", "", Axis::single, Axis::d_value, true, true,
              "Numbers added to every value of this head, whatever the token."},
    StageInfo{w_output, attention, "W_O", "W_O", "Output weights", "W_O", "", Axis::concat, Axis::d_model,
              true, true, "The matrix that mixes what all heads found back into rows of d_model numbers."},
    StageInfo{b_output, attention, "b_O", "b_O", "Output bias", "b_O", "", Axis::single, Axis::d_model, true,
              true, "Numbers added to every projected row, whatever the token."},
    StageInfo{query, head, "query", "Q", "Query", "x W_Q + b_Q", "td,dhk->thk", Axis::query_tokens,
              Axis::d_head, true, false,
              "What each token is looking for in the others, as this head asks it."},
    StageInfo{key, head, "key", "K", "Key", "x W_K + b_K", "sd,dhk->shk", Axis::key_tokens, Axis::d_head,
              true, false, "What each token offers to be found by; it is compared with every query."},
    StageInfo{value, head, "value", "V", "Value", "x W_V + b_V", "sd,dhv->shv", Axis::key_tokens,
              Axis::d_value, true, false, "What each token hands over to the tokens that attend to it."},
    StageInfo{raw, head, "raw", "S", "Raw scores", "Q Kᵀ", "thk,shk->hts", Axis::query_tokens,
              Axis::key_tokens, true, false,
              "How well each query matches each key: the products of their numbers, summed."},
    StageInfo{scaled, head, "scaled", "S′", "Scaled scores", "S / √d_head", "", Axis::query_tokens,
              Axis::key_tokens, true, false,
              "The raw scores, divided by √d_head where scaling is on, so that longer vectors do not make "
              "softmax harder."},
    StageInfo{
        masked, head, "masked", "M", "Masked scores", "S′ where visible, the mask value elsewhere", "",
        Axis::query_tokens, Axis::key_tokens, true, false,
        "The scaled scores with hidden cells replaced by the mask value, so that softmax ignores them."},
    StageInfo{weights, head, "weights", "A", "Attention weights", "softmax over keys (M)", "",
              Axis::query_tokens, Axis::key_tokens, false, false,
              "The share of its attention that each query (row) gives to each key (column)."},
    StageInfo{output, head, "output", "O", "Head output", "A V", "hts,shv->thv", Axis::query_tokens,
              Axis::d_value, true, false,
              "The values of all tokens, averaged with each query's attention weights."},
    StageInfo{
        contribution, head, "contribution", "O W_O", "Head contribution", "O_h W_O[h]", "thv,hvd->thd",
        Axis::query_tokens, Axis::d_model, true, false,
        "What this head alone adds to each token's projected row; all heads' contributions and the bias "
        "sum to it."},
    StageInfo{concat, attention, "concat", "C", "Concatenated heads", "[O_0 … O_H−1]", "", Axis::query_tokens,
              Axis::concat, true, false, "The outputs of all heads, side by side in one row per token."},
    StageInfo{projected, attention, "projected", "Y", "Projected output", "C W_O + b_O", "thv,hvd->td",
              Axis::query_tokens, Axis::d_model, true, false,
              "What attention as a whole says about each token: all heads mixed by W_O."},
    StageInfo{layer_output, layer, "output", "x′", "Layer output", "Y", "", Axis::query_tokens, Axis::d_model,
              true, false, "The row of numbers per token that leaves this layer."},
    StageInfo{stack_output, stack, "output", "X′", "Stack output", "x′ of the last layer", "",
              Axis::query_tokens, Axis::d_model, true, false,
              "The row of numbers per token that leaves the last layer."},
    StageInfo{embedding_table, model, "embedding.table", "E", "Embedding table", "E", "", Axis::vocabulary,
              Axis::d_model, true, true,
              "One row of numbers for every id; a token's embedding is the row of its id."},
};

consteval bool in_order_of_enumeration() {
  for (std::size_t i = 0; i < stage_table.size(); ++i) {
    if (static_cast<std::size_t>(stage_table[i].kind) != i) return false;
  }
  return stage_table.size() == static_cast<std::size_t>(embedding_table) + 1;
}
static_assert(in_order_of_enumeration(), "the table has one line a kind, in the order of the enumeration");

/// Takes the text before the next dot off the front of `rest`.
std::string_view next_part(std::string_view& rest) {
  const auto dot = rest.find('.');
  const auto part = rest.substr(0, dot);
  rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
  return part;
}

/// A count from 0 as path() writes it: digits only, no leading zero.
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
  for (const auto& line : stage_table) {
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

/// "layers.L. …" after the stack's name.
std::optional<StageId> parse_below_stack(StageId id, std::string_view rest) {
  if (next_part(rest) != "layers") return std::nullopt;
  const auto layer_index = parse_index(next_part(rest));
  if (!layer_index) return std::nullopt;
  id.layer = *layer_index;
  if (rest.find('.') == std::string_view::npos) return finished(id, rest, layer);

  const auto attention_name = next_part(rest);
  if (attention_name != "self" && attention_name != "cross") return std::nullopt;
  id.attention = attention_name == "self" ? AttentionKind::self : AttentionKind::cross;
  if (rest.find('.') == std::string_view::npos) return finished(id, rest, attention);

  if (next_part(rest) != "heads") return std::nullopt;
  const auto head_index = parse_index(next_part(rest));
  if (!head_index) return std::nullopt;
  id.head = *head_index;
  return finished(id, rest, head);
}

}  // namespace

std::string_view axis_name(Axis axis) {
  switch (axis) {
    case Axis::query_tokens:
    case Axis::key_tokens:
      return "tokens";
    case Axis::d_model:
      return "d_model";
    case Axis::d_head:
      return "d_head";
    case Axis::d_value:
      return "d_value";
    case Axis::concat:
      return "heads × d_value";
    case Axis::vocabulary:
      return "vocabulary";
    case Axis::single:
      break;
  }
  return "rows";
}

const StageInfo& info(StageKind kind) {
  return stage_table[static_cast<std::size_t>(kind)];
}

std::span<const StageInfo> all_stage_kinds() {
  return stage_table;
}

StageId normalized(StageId id) {
  const auto scope = info(id.kind).scope;
  if (scope < head) id.head = 0;
  if (scope < attention) id.attention = AttentionKind::self;
  if (scope < layer) id.layer = 0;
  if (scope < stack) id.stack = Stack::encoder;
  return id;
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
  if (path.find('.') == std::string_view::npos) return finished(id, path, stack);
  return parse_below_stack(id, path);
}

std::optional<StageKind> kind_named(std::string_view name) {
  for (const auto scope : {head, attention, layer, stack, model}) {
    if (const auto kind = kind_in_scope(name, scope)) return kind;
  }
  return std::nullopt;
}

}  // namespace headscope
