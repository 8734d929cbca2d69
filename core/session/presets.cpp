#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "core/session/action.h"
#include "core/session/model_presets.h"

namespace headscope {
namespace {

constexpr const char* round_world = "The sky is blue and world is round";

Session single_head_512_to_64() {
  Session session = default_session();
  session.architecture.d_model = 512;
  session.architecture.n_heads = 1;
  session.architecture.d_head = 64;
  session.architecture.output_projection = false;
  return session;
}

/// The common parts of both parts of the second document: its tokenizer, sentence and d_model, no positions,
/// and projections that are plain matrices drawn from N(0, 1).
Session round_world_session(int n_heads) {
  Session session;
  session.sentence = round_world;
  session.tokenizer = TokenizerKind::seed1;
  session.architecture.d_model = 32;
  session.architecture.n_heads = n_heads;
  session.architecture.bias = {false, false, false, false};
  session.architecture.positions = Positions::none;
  session.architecture.init = Init::normal;
  return session;
}

Session round_world_single() {
  Session session = round_world_session(1);
  session.architecture.output_projection = false;
  return session;
}

/// The base model of Vaswani et al. 2017, table 3.
Session paper() {
  Session session = default_session();
  Architecture& a = session.architecture;
  a.stacks = Stacks::encoder_decoder;
  a.n_layers = 6;
  a.d_model = 512;
  a.n_heads = 8;
  a.d_ff = 2048;
  a.norm = Norm::post;
  a.residual = true;
  a.output_layer = OutputLayer::tied;
  a.scales_embedding = true;  // Section 3.4 of the paper.
  return session;
}

/// The last section of the document about encoder and decoder: its sentence, and the six words of its
/// dictionary, which include the end of a sentence.
Session six_words() {
  Session session = default_session();
  session.sentence = "je suis étudiant";
  session.target = "[begin] I am a student";
  session.output_words = "a am I thanks student <eos>";
  Architecture& a = session.architecture;
  a.stacks = Stacks::encoder_decoder;
  a.d_ff = 4 * a.d_model;
  a.norm = Norm::post;
  a.residual = true;
  a.output_layer = OutputLayer::linear;
  a.output_bias = true;
  session.selection.stack = Stack::decoder;
  session.selection.token = 1;
  return session;
}

Session packed_projection() {
  Session session = default_session();
  session.architecture.d_model = 64;
  session.architecture.n_heads = 4;
  session.architecture.d_head = 32;
  session.architecture.d_value = 32;
  return session;
}

Session bias_and_dropout() {
  Session session = default_session();
  session.architecture.bias = {false, false, true, true};
  session.attention.train = true;
  session.attention.mask_value = MaskValue::minus_1e9;
  return session;
}

std::shared_ptr<const OwnedMatrix> square(int side, std::vector<float> values) {
  OwnedMatrix numbers(side, side);
  numbers.values = std::move(values);
  return std::make_shared<const OwnedMatrix>(std::move(numbers));
}

/// One head whose rows and weights are given. It has as many words as dimensions.
Session by_hand(const std::string& sentence, int side, const std::vector<float>& rows,
                const std::vector<float>& w_query, const std::vector<float>& w_key,
                const std::vector<float>& w_value) {
  Session session;
  session.sentence = sentence;
  session.view = PageName::by_hand;
  Architecture& a = session.architecture;
  a.d_model = side;
  a.n_heads = 1;
  a.bias = {false, false, false, false};
  a.positions = Positions::none;
  a.output_projection = false;
  for (const auto& [kind, numbers] :
       {std::pair(StageKind::input, &rows), std::pair(StageKind::w_query, &w_query),
        std::pair(StageKind::w_key, &w_key), std::pair(StageKind::w_value, &w_value)})
    session.given = with_given(session.given, {path({kind}), square(side, *numbers)});
  session.selection.token = 0;
  return session;
}

}  // namespace

Session default_session() {
  Session session;
  session.texts = texts_of(session);
  const std::vector<Token>& tokens = session.texts.sentence();
  const auto it = std::find_if(tokens.begin(), tokens.end(), [](const Token& t) { return t.lookup == "it"; });
  if (it != tokens.end()) session.selection.token = static_cast<int>(it - tokens.begin());
  return session;
}

std::vector<Preset> presets() {
  const std::string softmax_slip =
      "The document applies softmax over dim 0, which is “over queries” here, so rows do not sum to 1. The ids it prints belong to “The sky is blue and world is blue”.";
  std::vector<Preset> all{
      {"Untrained", "", "The default sentence, d_model 64, 4 heads", "", default_session()},
      {"Your own 2 × 2",
       "",
       "One head of two words: type over any of its numbers",
       "",
       by_hand("cat sleeps", 2, {1, 0, 0, 1}, {1, 0, 0, 2}, {1, 1, 0, 1}, {1, 0, 0, 1}),
       {},
       "by-hand"},
      {"Your own 3 × 3", "", "One head of three words: type over any of its numbers", "",
       by_hand("I am here", 3, {1, 0, 1, 0, 2, 0, 1, 1, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1},
               {1, 0, 0, 0, 1, 1, 1, 0, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 2})},
      {"One head, by hand", "Single attention head",
       "512 → 64: d_head independent of d_model / n_heads; no output projection",
       "Weights are [in, out] here, y = xW + b; PyTorch stores them [out, in] and multiplies by the transpose.",
       single_head_512_to_64(), "One head, 512 → 64"},
      {"Self-attention, by hand", "Self- and multi-head attention",
       "d_model 32, vocabulary 100: Q, K, V from N(0, 1), no output projection", softmax_slip,
       round_world_single(), "Self-attention, one head of 32"},
      {"Four heads, by hand", "Self- and multi-head attention",
       "The same sentence with 4 heads: weights [4, 8, 8]", softmax_slip, round_world_session(4),
       "Self-attention, four heads of 8"},
      {"The paper’s Transformer", "Attention Is All You Need",
       "512, 8 heads, 6 + 6 layers: encoder and decoder, post-norm, d_ff 2048, tied words, embeddings × √d_model",
       "The paper trains with a dropout of 0.1 on sublayer outputs and embeddings. Here, dropout applies to attention weights and is off: switch to train mode to see it.",
       paper()},
      {"I am a student", "The Transformer, encoder and decoder",
       "Six output words, from a linear layer with a bias. The page Predictions shows the one-hot target distributions beside those from random weights",
       "The document's picture shows a trained model; these weights are random, so only the targets look the same.",
       six_words()},
      {"Packed queries, keys, values", "Packed qkv and cross-attention",
       "Hidden ≠ input: input 64, queries, keys and values 128 wide in 4 heads",
       "The document's cross mask is [keys, queries]; here it is [queries, keys], unless a file's axes are set otherwise. Its einsum btktq repeats an index (thk,shk->hts is meant), and the weights sum values, not “key tensors”.",
       packed_projection()},
      {"Annotated attention", "Annotated multi-head attention",
       "Bias on values and output only, dropout 0.1 in training, −1e9 in hidden cells",
       "At −1e9, a row that sees nothing gets equal weights; at −∞, they are 0 here and NaN in PyTorch.",
       bias_and_dropout()},
  };
  std::vector<Preset> models = model_presets();
  all.insert(all.end(), std::make_move_iterator(models.begin()), std::make_move_iterator(models.end()));
  return all;
}

}  // namespace headscope
