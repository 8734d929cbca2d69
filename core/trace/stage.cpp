#include "core/trace/stage.h"

#include <array>

namespace headscope {
namespace {

using enum StageKind;
using enum StageScope;

/// One line a kind, in the order of the enumeration, which is the order of computation. Letters of the
/// einsums: b batch, t query, s key, h head, d d_model, k d_head, v d_value; they say what all heads compute
/// together.
constexpr std::array stage_table = {
    StageInfo{embedding_table, model, "embedding.table", "E", "Embedding table", "E", "", Axis::table_rows,
              Axis::d_model, true, true,
              "One row of numbers per id; a token's embedding is the row of its id."},
    StageInfo{positions_table, model, "positions.table", "P", "Table of positions", "P", "",
              Axis::position_rows, Axis::position_cols, true, true,
              "What the model has learned about positions: a row for each position, or a bias for each head "
              "and distance."},
    StageInfo{embedding, stack, "embedding", "E", "Token embedding", "E[t] = row of the token's word", "",
              Axis::query_tokens, Axis::d_model, true, false,
              "Each token's word as a row of numbers: the same word has the same row wherever it occurs."},
    StageInfo{positions, stack, "positions", "P", "Positions", "sin(t / 10000^(2i/d_model)), cos(the same)",
              "", Axis::query_tokens, Axis::d_model, true, false,
              "Waves of different lengths that tell the model where in the sentence a token is."},
    StageInfo{input, stack, "input", "X", "Input", "E + P", "", Axis::query_tokens, Axis::d_model, true,
              false, "What enters the first layer: each token's word and position, added."},
    StageInfo{layer_input, layer, "input", "x", "Layer input", "x", "", Axis::query_tokens, Axis::d_model,
              true, false, "The row of numbers per token that enters this layer."},
    StageInfo{norm_gain, attention, "norm.gain", "γ", "Gain of the layer norm", "γ", "", Axis::single,
              Axis::d_model, true, true, "The factor for each dimension after normalisation."},
    StageInfo{norm_bias, attention, "norm.bias", "β", "Bias of the layer norm", "β", "", Axis::single,
              Axis::d_model, true, true, "The number added to each dimension after normalisation."},
    StageInfo{norm, attention, "norm", "x̂", "Normalised input", "LayerNorm(x)", "", Axis::query_tokens,
              Axis::d_model, true, false,
              "Each token's row with mean 0 and variance 1, before attention sees it."},
    StageInfo{w_output, attention, "W_O", "W_O", "Output weights", "W_O", "", Axis::concat, Axis::d_model,
              true, true,
              "The matrix that mixes the outputs of all heads back into rows of d_model numbers."},
    StageInfo{b_output, attention, "b_O", "b_O", "Output bias", "b_O", "", Axis::single, Axis::d_model, true,
              true, "Numbers added to every projected row, whatever the token."},
    StageInfo{w_query, head, "W_Q", "W_Q", "Query weights", "W_Q", "", Axis::d_model, Axis::d_head, true,
              true, "The matrix that turns a token's row into its query: what this head looks for."},
    StageInfo{b_query, head, "b_Q", "b_Q", "Query bias", "b_Q", "", Axis::single, Axis::d_head, true, true,
              "Numbers added to every query of this head, whatever the token."},
    StageInfo{w_key, head, "W_K", "W_K", "Key weights", "W_K", "", Axis::d_model, Axis::d_head, true, true,
              "The matrix that turns a token's row into its key: what this head finds it by."},
    StageInfo{b_key, head, "b_K", "b_K", "Key bias", "b_K", "", Axis::single, Axis::d_head, true, true,
              "Numbers added to every key of this head, whatever the token."},
    StageInfo{w_value, head, "W_V", "W_V", "Value weights", "W_V", "", Axis::d_model, Axis::d_value, true,
              true,
              "The matrix that turns a token's row into its value: what it passes on when attended to."},
    StageInfo{b_value, head, "b_V", "b_V", "Value bias", "b_V", "", Axis::single, Axis::d_value, true, true,
              "Numbers added to every value of this head, whatever the token."},
    StageInfo{query, head, "query", "Q", "Query", "x W_Q + b_Q", "td,dhk->thk", Axis::query_tokens,
              Axis::d_head, true, false, "What each token looks for in the others, as this head sees it."},
    StageInfo{key, head, "key", "K", "Key", "x W_K + b_K", "sd,dhk->shk", Axis::key_tokens, Axis::d_head,
              true, false, "What each token can be found by; it is compared with every query."},
    StageInfo{value, head, "value", "V", "Value", "x W_V + b_V", "sd,dhv->shv", Axis::key_tokens,
              Axis::d_value, true, false, "What each token passes on to the tokens that attend to it."},
    StageInfo{rotated_query, head, "rotated_query", "Q°", "Rotated query", "Q, rotated by its position", "",
              Axis::query_tokens, Axis::d_head, true, false,
              "The query with each pair of dimensions rotated by an angle that grows with the position."},
    StageInfo{rotated_key, head, "rotated_key", "K°", "Rotated key", "K, rotated by its position", "",
              Axis::key_tokens, Axis::d_head, true, false,
              "The key, rotated likewise: its product with a query depends only on their distance."},
    StageInfo{raw, head, "raw", "S", "Raw scores", "Q Kᵀ", "thk,shk->hts", Axis::query_tokens,
              Axis::key_tokens, true, false,
              "How well each query matches each key: the sum of the products of their numbers."},
    StageInfo{scaled, head, "scaled", "S′", "Scaled scores", "S / √d_head", "", Axis::query_tokens,
              Axis::key_tokens, true, false,
              "The raw scores divided by √d_head (if scaling is on), so that longer vectors do not sharpen "
              "softmax."},
    StageInfo{position_bias, head, "position_bias", "B", "Position bias", "b(key − query)", "",
              Axis::query_tokens, Axis::key_tokens, true, false,
              "What the distance between query and key adds to the score, whatever the words."},
    StageInfo{
        masked, head, "masked", "M", "Masked scores", "S′ where visible, the mask value elsewhere", "",
        Axis::query_tokens, Axis::key_tokens, true, false,
        "The scaled scores with hidden cells replaced by the mask value, so that softmax ignores them."},
    StageInfo{weights, head, "weights", "A", "Attention weights", "softmax over keys (M)", "",
              Axis::query_tokens, Axis::key_tokens, false, false,
              "The share of its attention that each query (row) gives to each key (column)."},
    StageInfo{dropped, head, "dropped", "A′", "Weights after dropout",
              "A, some dropped, the others / (1 − p)", "", Axis::query_tokens, Axis::key_tokens, false, false,
              "In training, some weights are dropped at random and the others are scaled up to compensate."},
    StageInfo{output, head, "output", "O", "Head output", "A V", "hts,shv->thv", Axis::query_tokens,
              Axis::d_value, true, false,
              "The values of all tokens, averaged with each query's attention weights."},
    StageInfo{contribution, head, "contribution", "O W_O", "Head contribution", "O_h W_O[h]", "thv,hvd->thd",
              Axis::query_tokens, Axis::d_model, true, false,
              "What this head alone adds to each token's projected row; the contributions of all heads plus "
              "the bias add up to that row."},
    StageInfo{concat, attention, "concat", "C", "Concatenated heads", "[O_0 … O_H−1]", "", Axis::query_tokens,
              Axis::concat, true, false, "The outputs of all heads, side by side in one row per token."},
    StageInfo{projected, attention, "projected", "Y", "Projected output", "C W_O + b_O", "thv,hvd->td",
              Axis::query_tokens, Axis::d_model, true, false,
              "The result of attention as a whole for each token: all heads mixed by W_O."},
    StageInfo{residual, attention, "residual", "x + Y", "Residual sum", "x + Y", "", Axis::query_tokens,
              Axis::d_model, true, false,
              "The input of attention plus its output, so the input is never lost."},
    StageInfo{normed, attention, "normed", "x̂", "Normalised sum", "LayerNorm(x + Y)", "", Axis::query_tokens,
              Axis::d_model, true, false, "The residual sum with mean 0 and variance 1 in every row."},
    StageInfo{feed_forward_norm_gain, layer, "feed_forward.norm.gain", "γ", "Gain of the layer norm", "γ", "",
              Axis::single, Axis::d_model, true, true, "The factor for each dimension after normalisation."},
    StageInfo{feed_forward_norm_bias, layer, "feed_forward.norm.bias", "β", "Bias of the layer norm", "β", "",
              Axis::single, Axis::d_model, true, true,
              "The number added to each dimension after normalisation."},
    StageInfo{feed_forward_norm, layer, "feed_forward.norm", "x̂",
              "Normalised input of the feed-forward layer", "LayerNorm(x)", "", Axis::query_tokens,
              Axis::d_model, true, false,
              "Each token's row with mean 0 and variance 1, before the feed-forward layer sees it."},
    StageInfo{w_1, layer, "feed_forward.W_1", "W_1", "Weights of the hidden layer", "W_1", "", Axis::d_model,
              Axis::d_ff, true, true, "The matrix that turns a token's row into d_ff hidden numbers."},
    StageInfo{b_1, layer, "feed_forward.b_1", "b_1", "Bias of the hidden layer", "b_1", "", Axis::single,
              Axis::d_ff, true, true, "Numbers added to the hidden ones, whatever the token."},
    StageInfo{hidden, layer, "feed_forward.hidden", "F", "Feed-forward, hidden", "x W_1 + b_1", "td,df->tf",
              Axis::query_tokens, Axis::d_ff, true, false,
              "What the feed-forward layer finds in each token, taken on its own."},
    StageInfo{activated, layer, "feed_forward.activated", "F′", "Feed-forward, activated", "ReLU(F)", "",
              Axis::query_tokens, Axis::d_ff, true, false,
              "The hidden numbers after the activation, which lets only some of them through."},
    StageInfo{w_2, layer, "feed_forward.W_2", "W_2", "Weights of the feed-forward output", "W_2", "",
              Axis::d_ff, Axis::d_model, true, true,
              "The matrix that turns the hidden numbers back into a row of d_model numbers."},
    StageInfo{b_2, layer, "feed_forward.b_2", "b_2", "Bias of the feed-forward output", "b_2", "",
              Axis::single, Axis::d_model, true, true,
              "Numbers added to every row of the output, whatever the token."},
    StageInfo{feed_forward_output, layer, "feed_forward.output", "Z", "Feed-forward output", "F′ W_2 + b_2",
              "tf,fd->td", Axis::query_tokens, Axis::d_model, true, false,
              "The output of the feed-forward layer for each token."},
    StageInfo{feed_forward_residual, layer, "feed_forward.residual", "x + Z",
              "Residual sum of the feed-forward layer", "x + Z", "", Axis::query_tokens, Axis::d_model, true,
              false, "The input of the feed-forward layer plus its output."},
    StageInfo{feed_forward_normed, layer, "feed_forward.normed", "x̂",
              "Normalised sum of the feed-forward layer", "LayerNorm(x + Z)", "", Axis::query_tokens,
              Axis::d_model, true, false, "The residual sum with mean 0 and variance 1 in every row."},
    StageInfo{layer_output, layer, "output", "x′", "Layer output", "Y", "", Axis::query_tokens, Axis::d_model,
              true, false, "The row of numbers per token that leaves this layer."},
    StageInfo{final_norm_gain, stack, "norm.gain", "γ", "Gain of the final layer norm", "γ", "", Axis::single,
              Axis::d_model, true, true, "The factor for each dimension after normalisation."},
    StageInfo{final_norm_bias, stack, "norm.bias", "β", "Bias of the final layer norm", "β", "", Axis::single,
              Axis::d_model, true, true, "The number added to each dimension after normalisation."},
    StageInfo{stack_output, stack, "output", "X′", "Stack output", "x′ of the last layer", "",
              Axis::query_tokens, Axis::d_model, true, false,
              "The row of numbers per token that leaves the last layer."},
    StageInfo{w_logits, model, "logits.W", "W_L", "Weights of the final linear layer", "W_L", "",
              Axis::d_model, Axis::vocabulary, true, true,
              "One column of numbers per word; a row that resembles it makes the word likely."},
    StageInfo{b_logits, model, "logits.b", "b_L", "Bias of the final linear layer", "b_L", "", Axis::single,
              Axis::vocabulary, true, true, "One number per word, added to its logit at every position."},
    StageInfo{logits, model, "logits", "L", "Logits", "X′ W_L + b_L", "td,dw->tw", Axis::query_tokens,
              Axis::vocabulary, true, false, "A score for every word of the vocabulary, at every position."},
    StageInfo{probabilities, model, "probabilities", "p", "Probabilities", "softmax over words (L)", "",
              Axis::query_tokens, Axis::vocabulary, false, false,
              "The probability of each word of the vocabulary at every position."},
};

consteval bool in_order_of_enumeration() {
  for (std::size_t i = 0; i < stage_table.size(); ++i) {
    if (static_cast<std::size_t>(stage_table[i].kind) != i) return false;
  }
  return stage_table.size() == static_cast<std::size_t>(probabilities) + 1;
}
static_assert(in_order_of_enumeration(), "the table has one line a kind, in the order of the enumeration");

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
    case Axis::d_ff:
      return "d_ff";
    case Axis::vocabulary:
      return "vocabulary";
    case Axis::table_rows:
      return "ids";
    case Axis::position_rows:
      return "positions";
    case Axis::position_cols:
      return "dimensions";
    case Axis::single:
      break;
  }
  return "rows";
}

const StageInfo& info(StageKind kind) {
  return stage_table[static_cast<std::size_t>(kind)];
}

std::string_view einsum_with_batch(StageKind kind) {
  switch (kind) {
    case raw:
      return "ibhd,jbhd->ijbh";
    case output:
      return "ijbh,jbhd->ibhd";
    default:
      return {};
  }
}

std::string einsum_text(StageKind kind) {
  const std::string_view einsum = info(kind).einsum;
  if (einsum.empty()) return {};
  std::string text = "einsum " + std::string(einsum);
  const std::string_view batch = einsum_with_batch(kind);
  if (!batch.empty()) text.append(", with a batch ").append(batch);
  return text;
}

std::span<const StageInfo> all_stage_kinds() {
  return stage_table;
}

bool is_map(StageKind kind) {
  return info(kind).rows == Axis::query_tokens && info(kind).cols == Axis::key_tokens;
}

StageId normalized(StageId id) {
  const auto scope = info(id.kind).scope;
  if (scope < head) id.head = 0;
  if (scope < attention) id.attention = AttentionKind::self;
  if (scope < layer) id.layer = 0;
  if (scope < stack) id.stack = Stack::encoder;
  return id;
}

}  // namespace headscope
