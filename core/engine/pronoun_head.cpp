#include "core/engine/pronoun_head.h"

#include <algorithm>

#include "core/engine/engine.h"

namespace headscope {
namespace {

int index_of(const std::vector<Token>& tokens, const std::string& lookup) {
  return static_cast<int>(std::ranges::find(tokens, lookup, &Token::lookup) - tokens.begin());
}

/// Whether a head's row of the pronoun shows the right noun and not the other.
bool shows(const Trace& trace, int layer, int head, const MinimalPair& pair) {
  constexpr float most = 0.8F;
  constexpr float least = 0.2F;
  const StageId stage{StageKind::weights, Stack::encoder, layer, AttentionKind::self, head};
  const auto& tokens = trace.tokens(Stack::encoder);
  const MatrixView weights = trace.value(stage);
  const int row = index_of(tokens, pair.pronoun);
  return weights(row, index_of(tokens, pair.right)) >= most &&
         weights(row, index_of(tokens, pair.wrong)) <= least;
}

}  // namespace

Result<PronounHead> pronoun_head(const std::shared_ptr<const TrainedModel>& model,
                                 const std::vector<MinimalPair>& pairs) {
  const Architecture& a = model->model.architecture;
  const auto n_heads = static_cast<std::size_t>(a.n_heads);
  std::vector<int> shown(static_cast<std::size_t>(a.n_layers) * n_heads, 0);
  Engine engine(1);
  Request request;
  request.architecture = a;
  request.model = model;
  for (const MinimalPair& pair : pairs) {
    request.sentence = pair.text;
    const auto trace = engine.compute(request);
    if (!trace) return tl::unexpected(trace.error());
    for (int layer = 0; layer < a.n_layers; ++layer) {
      for (int head = 0; head < a.n_heads; ++head) {
        shown[static_cast<std::size_t>(layer) * n_heads + static_cast<std::size_t>(head)] +=
            shows(**trace, layer, head, pair) ? 1 : 0;
      }
    }
  }
  const auto best = std::ranges::max_element(shown);
  const auto index = static_cast<int>(best - shown.begin());
  return PronounHead{index / a.n_heads, index % a.n_heads,
                     static_cast<double>(*best) / static_cast<double>(pairs.size())};
}

}  // namespace headscope
