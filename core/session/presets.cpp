#include <algorithm>

#include "core/session/action.h"

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

/// What both parts of the second document share: its tokenizer, sentence and d_model, no positions, and
/// projections that are plain matrices from N(0, 1).
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

Session value_bias_only() {
  Session session = default_session();
  session.architecture.bias = {false, false, true, true};
  return session;
}

}  // namespace

Session default_session() {
  Session session;
  const std::vector<Token> tokens = tokenize(session.sentence, session.tokenizer);
  const auto it = std::find_if(tokens.begin(), tokens.end(), [](const Token& t) { return t.lookup == "it"; });
  if (it != tokens.end()) session.selection.token = static_cast<int>(it - tokens.begin());
  return session;
}

std::vector<Preset> presets() {
  return {
      {"Untrained", "The usual sentence, d_model 64, 4 heads, random weights", default_session()},
      {"Seed 0: one head 512 → 64", "d_head free of d_model / n_heads; no output projection",
       single_head_512_to_64()},
      {"One attention of seed 1: d_model 32", "Q, K, V from N(0, 1), vocabulary 100, no output projection",
       round_world_single()},
      {"Seed 1: d_model 32, 4 heads, vocabulary 100", "The same sentence with 4 heads: weights [4, 8, 8]",
       round_world_session(4)},
      {"Seed 4: key, query without bias, value with", "Bias only on the value and output projections",
       value_bias_only()},
  };
}

}  // namespace headscope
