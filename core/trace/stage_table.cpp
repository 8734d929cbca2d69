#include <array>
#include <utility>

#include "core/trace/stage.h"

namespace headscope {
namespace {

using enum StageKind;

/// The first kind of each section. Kinds are in the order of computation, so a section ends where the next
/// one begins.
constexpr std::array sections{
    std::pair{embedding, PageSection::model_input},
    std::pair{layer_input, PageSection::layer_input},
    std::pair{latent, PageSection::projections},
    std::pair{raw, PageSection::scores},
    std::pair{weights, PageSection::weights},
    std::pair{concat, PageSection::model_width},
    std::pair{feed_forward_norm, PageSection::feed_forward},
    std::pair{layer_output, PageSection::none},
    std::pair{stack_output, PageSection::model_output},
    std::pair{logits, PageSection::none},
};

consteval StageInfo words(StageKind kind, std::string_view symbol, std::string_view title,
                          std::string_view meaning, const StageDisplay& look = {}) {
  StageInfo line{shape_of(kind), look, symbol, title, meaning};
  for (const auto& [first, section] : sections)
    if (first <= kind && !line.is_parameter()) line.section = section;
  return line;
}

constexpr std::array infos{
    words(embedding_table, "E", "Embedding table",
          "One row of numbers per id; a token's embedding is the row of its id.",
          {.sentence = "Row {row} of the embedding table, dimension {column}, is {value}"}),
    words(
        positions_table, "P", "Table of positions",
        "What the model has learned about positions: a row for each position, or a bias for each head and distance."),
    words(stack_positions_table, "P", "Table of relative positions",
          "What this stack has learned about positions: a bias for each head and distance."),
    words(stack_position_rows, "P", "Table of positions",
          "What this stack has learned about positions: a row for each position."),
    words(segments_table, "S", "Table of segments",
          "One row of numbers per segment, which is added to the embeddings of its tokens.",
          {.sentence = "Segment {row}, dimension {column}, is {value}"}),
    words(embedding_norm_gain, "γ_E", "Gain of the embeddings' norm",
          "The factor for each dimension after normalisation."),
    words(embedding_norm_bias, "β_E", "Bias of the embeddings' norm",
          "The number added to each dimension after normalisation."),
    words(w_embedding, "W_E", "Weights of the embeddings' projection",
          "The matrix that turns a narrower embedding into a row of d_model numbers."),
    words(b_embedding, "b_E", "Bias of the embeddings' projection",
          "Numbers added to every projected embedding."),
    words(embedding, "E", "Token embedding",
          "Each token's word as a row of numbers: the same word has the same row wherever it occurs."),
    words(positions, "P", "Positions",
          "Waves of different lengths that tell the model where in the sentence a token is."),
    words(segments, "S", "Segments", "Tells the model which of its texts a token belongs to."),
    words(embedding_sum, "X₀", "Sum of the embeddings",
          "Each token's embedding with all that is added to it, before it is prepared for the first layer.",
          {.tab = "sum of embeddings"}),
    words(embedding_sum_normed, "X̂₀", "Normalised sum of the embeddings",
          "The sum of each token's embeddings, normalised to one scale.", {.tab = "normalised sum"}),
    words(input, "X", "Input", "What enters the first layer: the sum of each token's word and position."),
    words(layer_input, "x", "Layer input", "The row of numbers per token that enters this layer.",
          {.tab = "layer input", .landmark = "input", .repeats = true}),
    words(norm_gain, "γ", "Gain of the norm", "The factor for each dimension after normalisation."),
    words(norm_bias, "β", "Bias of the norm", "The number added to each dimension after normalisation."),
    words(norm, "x̂", "Normalised input",
          "Each token's row, normalised to one scale before attention reads it."),
    words(w_output, "W_O", "Output weights",
          "The matrix that mixes the outputs of all heads back into rows of d_model numbers."),
    words(b_output, "b_O", "Output bias", "Numbers added to every projected row, whatever the token."),
    words(w_query, "W_Q", "Query weights",
          "The matrix that turns a token's row into its query: what this head looks for."),
    words(b_query, "b_Q", "Query bias", "Numbers added to every query of this head, whatever the token."),
    words(w_key, "W_K", "Key weights",
          "The matrix that turns a token's row into its key: what this head can find it by."),
    words(b_key, "b_K", "Key bias", "Numbers added to every key of this head, whatever the token."),
    words(w_value, "W_V", "Value weights",
          "The matrix that turns a token's row into its value: what it passes on when attended to."),
    words(b_value, "b_V", "Value bias", "Numbers added to every value of this head, whatever the token."),
    words(layer_biases_table, "P", "Table of relative positions",
          "What this layer has learned about positions: a bias for each head and distance."),
    words(
        sink, "s", "Sink",
        "A score that belongs to no key: it takes a share of every query's attention and adds no value, so that a head can attend to nothing."),
    words(query_norm_gain, "γ_Q", "Gain of the query norm",
          "The factor for each dimension of a normalised query, the same in all heads."),
    words(key_norm_gain, "γ_K", "Gain of the key norm",
          "The factor for each dimension of a normalised key, the same in all heads."),
    words(
        w_latent, "W_DKV", "Latent weights",
        "The matrix that compresses a token's row into a short one, from which the keys and values of all heads are made."),
    words(latent_norm_gain, "γ_c", "Gain of the latent's norm",
          "The factor for each number of a normalised latent row."),
    words(
        w_shared_key, "W_KR", "Shared key weights",
        "The matrix that turns a token's row into the part of its key that all heads share and that positions rotate."),
    words(
        w_query_latent, "W_DQ", "Latent weights of queries",
        "The matrix that compresses a token's row into a short one, from which the queries of all heads are made."),
    words(query_latent_norm_gain, "γ_q", "Gain of the query latent's norm",
          "The factor for each number of a normalised latent row of queries."),
    words(
        latent, "c", "Latent of keys and values",
        "Each token's row, compressed into a short one that holds what all heads need for their keys and values."),
    words(
        normed_latent, "ĉ", "Normalised latent",
        "The latent row divided by its root mean square: what the keys and values of all heads are made from, and all that a KV cache keeps of them."),
    words(
        shared_key, "K_R", "Shared key",
        "The dimensions of every head's key that positions rotate, the same in all heads. They do not come from the latent, because W_K could then not be multiplied into W_Q once for all positions."),
    words(query_latent, "c_Q", "Latent of queries",
          "Each token's row, compressed into a short one that holds what all heads need for their queries."),
    words(normed_query_latent, "ĉ_Q", "Normalised latent of queries",
          "The latent row divided by its root mean square: what the queries of all heads are made from."),
    words(query, "Q", "Query", "What each token looks for in the others, as this head sees it.",
          {.tab = "Q", .landmark = "Q"}),
    words(key, "K", "Key", "What each token can be found by; it is compared with every query.",
          {.tab = "K", .landmark = "K"}),
    words(value, "V", "Value", "What each token passes on to the tokens that attend to it.",
          {.tab = "V", .landmark = "V"}),
    words(normed_query, "Q̂", "Normalised query",
          "The query divided by its root mean square, so that its length does not sharpen softmax.",
          {.tab = "normed Q"}),
    words(normed_key, "K̂", "Normalised key", "The key, normalised in the same way.", {.tab = "normed K"}),
    words(rotated_query, "Q°", "Rotated query",
          "The query with each pair of dimensions rotated by an angle that grows with the position.",
          {.tab = "rotated Q"}),
    words(rotated_key, "K°", "Rotated key",
          "The key, rotated in the same way: its product with a query depends only on their distance.",
          {.tab = "rotated K"}),
    words(
        mapped_query, "φ(Q)", "Mapped query",
        "The query after the feature map φ, which makes every number positive. No score is negative then, and scores can be divided by their sum without a softmax.",
        {.tab = "mapped Q", .is_signed = false}),
    words(mapped_key, "φ(K)", "Mapped key", "The key after the same feature map.",
          {.tab = "mapped K", .is_signed = false}),
    words(
        raw, "S", "Raw scores",
        "How well each query matches each key: the sum of the products of their numbers.",
        {.tab = "scores", .landmark = "scores", .sentence = "The raw score of {query} and {key} is {value}"}),
    words(
        scaled, "S′", "Scaled scores",
        "The raw scores divided by √d_k (if scaling is on, and unless the model has a scale of its own), so that longer vectors do not sharpen softmax.",
        {.landmark = "scaled", .sentence = "The scaled score of {query} and {key} is {value}"}),
    words(capped, "S″", "Capped scores",
          "The scaled scores, squashed so that none exceeds ±c: softmax never becomes all or nothing.",
          {.sentence = "The capped score of {query} and {key} is {value}"}),
    words(position_bias, "B", "Position bias",
          "What the distance between query and key adds to the score, whatever the words.",
          {.sentence = "The distance from {query} to {key} adds {value} to their score"}),
    words(masked, "M", "Masked scores",
          "The scores with hidden cells replaced by the mask value, so that they get no weight.",
          {.landmark = "masked", .sentence = "The masked score of {query} and {key} is {value}"}),
    words(weights, "A", "Attention weights",
          "The share of its attention that each query (row) gives to each key (column).",
          {.landmark = "weights",
           .is_signed = false,
           .is_share = true,
           .sentence = "{query} gives {value} to {key}"}),
    words(
        sink_share, "a_s", "Share of the sink",
        "The share of each query's attention that goes to the sink: what its row of weights leaves of 1. The sink adds no value.",
        {.is_signed = false, .sentence = "{query} gives {value} to the sink, which adds no value"}),
    words(dropped, "A′", "Weights after dropout",
          "In training, some weights are dropped at random and the others are scaled up to compensate.",
          {.is_signed = false, .is_share = true, .sentence = "{query} gives {value} to {key} after dropout"}),
    words(
        effective_weights, "Â", "Effective weights",
        "The share of each key in what this head adds to a query's row, by length: a key with a large weight and a short value adds little.",
        {.tab = "effective",
         .is_signed = false,
         .is_share = true,
         .sentence = "{key} accounts for {value} of what head {head} adds to {query}"}),
    words(
        state, "S_φ", "State",
        "All that the last query needs from its keys and values, in a table that does not grow with the text: the sum of φ(k) vᵀ, to which each new token adds its own product.",
        {.sentence =
             "The state of head {head} holds {value} for dimension {row} of the keys and {column} of the values"}),
    words(state_sum, "z_φ", "Sum of the state's keys",
          "The part of the state that outputs are divided by: φ(q) · z_φ is the sum of a row of scores.",
          {.is_signed = false,
           .sentence = "The mapped keys of head {head} add up to {value} in dimension {column}"}),
    words(output, "O", "Head output",
          "The values of all tokens, averaged with each query's attention weights.", {.landmark = "output"}),
    words(concat, "C", "Concatenated heads", "The outputs of all heads, side by side in one row per token."),
    words(w_gate, "W_G", "Gate weights",
          "The matrix that decides from a token's row how much of each head's output passes through."),
    words(
        head_gate, "G", "Gate",
        "How much of each number of the heads' outputs passes through, from 0 to 1, as decided by the token's own row.",
        {.is_signed = false}),
    words(gated_heads, "C′", "Gated heads", "The outputs of all heads, each number times its gate."),
    words(
        contribution, "O W_O", "Head contribution",
        "What this head alone adds to each token's projected row; the contributions of all heads and the bias add up to that row.",
        {.sentence = "Head {head} adds {value} to dimension {column} of {token}"}),
    words(projected, "Y", "Projected output",
          "The result of attention as a whole for each token: all heads mixed by W_O."),
    words(output_norm_gain, "γ_Y", "Gain of the output's norm",
          "The factor for each dimension of attention's normalised output."),
    words(output_norm_bias, "β_Y", "Bias of the output's norm",
          "The number added to each dimension of attention's normalised output."),
    words(output_norm, "Ŷ", "Normalised output",
          "The result of attention, normalised to one scale before it is added to the input."),
    words(residual, "x + Y", "Residual sum",
          "The input of attention plus its output, so the input is never lost."),
    words(normed, "x̂", "Normalised sum", "The residual sum with every row normalised to one scale."),
    words(feed_forward_norm_gain, "γ", "Gain of the norm",
          "The factor for each dimension after normalisation."),
    words(feed_forward_norm_bias, "β", "Bias of the norm",
          "The number added to each dimension after normalisation."),
    words(feed_forward_norm, "x̂", "Normalised input of the feed-forward layer",
          "Each token's row, normalised to one scale before the feed-forward layer reads it."),
    words(w_router, "W_R", "Weights of the router",
          "The matrix that turns a token's row into a logit for each expert."),
    words(b_router, "b_R", "Bias of the router",
          "Numbers added to the logits of the experts, whatever the token."),
    words(
        router_correction, "C", "Correction of the experts",
        "A number for each expert that counts where experts are chosen, but not in their shares: it keeps all experts busy in training."),
    words(router_logits, "R", "Logits of the experts",
          "How well each expert suits each token: a token takes those with the largest logits.",
          {.sentence = "R of {token}, {expert}, is {value}"}),
    words(w_shared_gate, "w_S", "Weights of the shared expert's gate",
          "The column that turns a token's row into the share of the expert that every token takes."),
    words(shared_gate, "s", "Gate of the shared expert",
          "The share, from 0 to 1, of the expert that every token takes.", {.is_signed = false}),
    words(expert_shares, "S", "Shares of the experts",
          "Which experts each token takes, and how much each of them counts. The others are not computed.",
          {.is_signed = false, .sentence = "S of {token}, {expert}, is {value}"}),
    words(w_1, "W_1", "Weights of the hidden layer",
          "The matrix that turns a token's row into d_ff hidden numbers."),
    words(b_1, "b_1", "Bias of the hidden layer", "Numbers added to the hidden numbers, whatever the token."),
    words(hidden, "F", "Feed-forward, hidden", "What the feed-forward layer finds in each token on its own."),
    words(activated, "F′", "Feed-forward, activated",
          "The hidden numbers after the activation, which lets only some of them through."),
    words(w_up, "W_up", "Weights of the up layer",
          "The matrix that turns a token's row into the d_ff numbers that the gate multiplies."),
    words(b_up, "b_up", "Bias of the up layer",
          "Numbers added to the ones that the gate multiplies, whatever the token."),
    words(up, "U", "Feed-forward, up",
          "A second set of hidden numbers, without an activation, which the gate multiplies."),
    words(
        up_shifted, "U′", "Feed-forward, up, shifted",
        "The second set of hidden numbers, cut off at a limit, plus 1, so that the gate alone passes where they are 0."),
    words(feed_forward_gated, "G", "Feed-forward, gated",
          "Each number of U times its gate, which is the activated number in the same place."),
    words(expert_weighted, "G′", "Feed-forward, weighted by the shares",
          "The hidden numbers of each expert times the token's share in it."),
    words(w_2, "W_2", "Weights of the feed-forward output",
          "The matrix that turns the hidden numbers back into a row of d_model numbers."),
    words(b_2, "b_2", "Bias of the feed-forward output",
          "Numbers added to every row of the output, whatever the token."),
    words(expert_biases, "B_2", "Biases of the experts' outputs",
          "A row for each expert, which is added to the output times the token's share in the expert."),
    words(feed_forward_output, "Z", "Feed-forward output",
          "The output of the feed-forward layer for each token."),
    words(feed_forward_output_norm_gain, "γ_Z", "Gain of the output's norm",
          "The factor for each dimension of the feed-forward layer's normalised output."),
    words(feed_forward_output_norm_bias, "β_Z", "Bias of the output's norm",
          "The number added to each dimension of the feed-forward layer's normalised output."),
    words(feed_forward_output_norm, "Ẑ", "Normalised output of the feed-forward layer",
          "The feed-forward layer's output, normalised to one scale before it is added to the input."),
    words(feed_forward_residual, "x + Z", "Residual sum of the feed-forward layer",
          "The input of the feed-forward layer plus its output."),
    words(feed_forward_normed, "x̂", "Normalised sum of the feed-forward layer",
          "The residual sum with every row normalised to one scale."),
    words(layer_output, "x′", "Layer output", "The row of numbers per token that leaves this layer.",
          {.tab = "layer output", .repeats = true}),
    words(final_norm_gain, "γ", "Gain of the final norm",
          "The factor for each dimension after normalisation."),
    words(final_norm_bias, "β", "Bias of the final norm",
          "The number added to each dimension after normalisation."),
    words(stack_output, "X′", "Stack output", "The row of numbers per token that leaves the last layer.",
          {.tab = "stack output", .repeats = true}),
    words(w_transform, "W_T", "Weights before the final linear layer",
          "The matrix that prepares the output of the last layer for comparison with the words."),
    words(b_transform, "b_T", "Bias before the final linear layer", "Numbers added before the activation."),
    words(transform_hidden, "F", "Transformed output",
          "The output of the last layer, prepared for comparison with the words.", {.tab = "transformed"}),
    words(transform_activated, "F′", "Transformed output, activated",
          "The transformed output after the activation.", {.tab = "activated"}),
    words(transform_norm_gain, "γ_T", "Gain of the norm before the final linear layer",
          "The factor for each dimension after normalisation."),
    words(transform_norm_bias, "β_T", "Bias of the norm before the final linear layer",
          "The number added to each dimension after normalisation."),
    words(transform_output, "X_T", "Transformed output, normalised",
          "The row of each token that is compared with the words.", {.tab = "compared with words"}),
    words(w_logits, "W_L", "Weights of the final linear layer",
          "One column of numbers per word; a row that resembles the column makes the word likely."),
    words(b_logits, "b_L", "Bias of the final linear layer",
          "One number per word, added to its logit at every position."),
    words(logits, "L", "Logits", "A score for every word of the vocabulary, at every position.",
          {.sentence = "{At} {token}, the logit of {word} is {value}"}),
    words(probabilities, "p", "Probabilities",
          "The probability of each word of the vocabulary at every position.",
          {.is_signed = false, .sentence = "{At} {token}, the probability of {word} is {value}"}),
};

consteval bool are_complete() {
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const StageInfo& line = infos.at(i);
    if (index_of(line.kind) != i || line.symbol.empty() || line.title.empty() || line.meaning.empty())
      return false;
  }
  return infos.size() == enum_count<StageKind>;
}
static_assert(are_complete(), "one record for each kind of stage, in order, which says what it is");

}  // namespace

std::string_view axis_name(Axis axis) {
  switch (axis) {
    case Axis::query_tokens:
    case Axis::key_tokens:
      return "tokens";
    case Axis::d_model:
    case Axis::kv_input:
    case Axis::query_input:
    case Axis::output_row:
      return "d_model";
    case Axis::embedding:
      return "d_embedding";
    case Axis::segments:
      return "segments";
    case Axis::d_head:
    case Axis::per_head_key:
    case Axis::query_gain:
    case Axis::key_gain:
      return "d_head";
    case Axis::latent:
    case Axis::query_latent:
      return "d_latent";
    case Axis::shared_key:
      return "d_rotary";
    case Axis::d_value:
      return "d_value";
    case Axis::concat:
      return "heads × d_value";
    case Axis::d_ff:
      return "d_ff";
    case Axis::experts:
    case Axis::all_experts:
      return "experts";
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

Axis axis_in(const Architecture& architecture, Axis axis) {
  const Axis embedding = architecture.has_embedding_projection() ? Axis::embedding : Axis::d_model;
  switch (axis) {
    case Axis::kv_input:
      return architecture.kv_latent ? Axis::latent : Axis::d_model;
    case Axis::query_input:
      return architecture.foreign.query_latent ? Axis::query_latent : Axis::d_model;
    case Axis::embedding:
      return embedding;
    case Axis::output_row:
      return architecture.has_output_transform() ? embedding : Axis::d_model;
    default:
      return axis;
  }
}

const StageInfo& info(StageKind kind) {
  return infos[index_of(kind)];
}

std::span<const StageInfo> all_stage_kinds() {
  return infos;
}

}  // namespace headscope
