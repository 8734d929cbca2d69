#include "core/engine/attribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/model/model.h"
#include "core/model/parameters.h"
#include "core/model/pass.h"
#include "core/text/number_text.h"
#include "core/train/network.h"
#include "core/train/score_gradients.h"
#include "core/train/trainer.h"

namespace headscope {
namespace {

/// The most memory for the parameters and steps of the backward pass.
constexpr double max_gradient_bytes = 1.5 * (1 << 30U);
/// The most parameters times tokens, about a minute's work.
constexpr double max_gradient_work = 1e11;

/// The parameters, for each token its activations and logits with their gradients, and the packed embedding
/// of a tied output layer.
double gradient_bytes(const Architecture& a, const ParameterLayout& layout, double n_tokens) {
  double of_token = 0.0;
  for (int layer = 0; layer < a.n_layers; ++layer)
    of_token += 16.0 * a.d_model + 8.0 * a.concat_width(layer) + 6.0 * a.feed_forward_width(layer) +
                3.0 * a.n_heads * n_tokens;
  const double vocabulary = layout.vocabulary;
  return sizeof(float) * (static_cast<double>(layout.size) + 2.0 * n_tokens * of_token +
                          (2.0 * n_tokens + a.d_model) * vocabulary);
}

std::string why_no_gradients(const Trace& trace, const ParameterLayout& layout) {
  const Architecture& a = trace.architecture();
  const Model& model = trace.model();
  if (auto ok = check_trainable(a); !ok) return ok.error().message;
  if (trace.edits() != nullptr) return "an intervention changes this pass, and gradients are the model's own";
  if (!model.embedding_table.exists()) return "the model is untrained, so its words have no table";
  if (trace.pass_inputs().unembedding.n_out() != layout.vocabulary)
    return "the model reads and predicts different words";
  const auto n_tokens = static_cast<double>(
      std::max(trace.tokens(a.first_stack()).size(), trace.tokens(a.last_stack()).size()));
  constexpr double bytes_in_gib = 1 << 30U;
  if (const double bytes = gradient_bytes(a, layout, n_tokens); bytes > max_gradient_bytes)
    return "the backward pass would take " + number_text(bytes / bytes_in_gib, 2) + " GiB of memory";
  if (static_cast<double>(layout.size) * n_tokens > max_gradient_work)
    return "the backward pass would take more than about a minute";
  return {};
}

/// Whether the backward pass starts from the logits of this pass.
bool same_logits(const Trace& trace, int row, const std::vector<float>& logits) {
  const StageNumbers numbers = trace.read_row({.kind = StageKind::logits}, row);
  const auto own = numbers.view.row(0);
  constexpr float tolerance = 1e-3F;
  float largest = 1.0F;
  for (const float logit : own) largest = std::max(largest, std::fabs(logit));
  return std::ranges::equal(own, logits,
                            [&](float a, float b) { return std::fabs(a - b) <= tolerance * largest; });
}

}  // namespace

double HeadAttribution::of_key(int key) const {
  double sum = 0.0;
  for (int query = 0; query < n_queries; ++query) sum += product(query, key);
  return sum;
}

double HeadAttribution::total() const {
  return std::accumulate(products.begin(), products.end(), 0.0);
}

Slices<Attribution> attribution(const Trace& trace, Prediction prediction) {
  Attribution found;
  const Architecture& a = trace.architecture();
  const ParameterLayout layout = layout_of(a, trace.model().embedding_table.n_rows());
  found.absent = why_no_gradients(trace, layout);
  if (!found.absent.empty()) co_return found;
  Shard shard;
  shard.source.add(ids_of(trace.tokens(a.first_stack())));
  if (a.has_cross()) shard.target.add(ids_of(trace.tokens(Stack::decoder)));
  const std::vector<float> parameters = parameters_of(trace.model(), layout);
  ScoreGradients gradients{.keeps_products = true};
  Network<float> network(layout, &gradients);
  auto slices = network.logit_gradients(shard, parameters.data(), prediction.row, prediction.word);
  while (slices.next()) co_yield slices.share();
  if (!same_logits(trace, prediction.row, slices.take())) {
    found.absent = "the masks, the scale, dropout or other options of this pass are not those of the model";
    co_return found;
  }
  for (const Stack stack : {Stack::encoder, Stack::decoder})
    found.inputs[stack == Stack::decoder ? 1 : 0] = gradients.input_products[stack];
  for (const HeadId& head : heads_of(a)) {
    const StageId weights = stage_in(head, StageKind::weights);
    const Extent size = trace.extent(weights);
    found.heads.push_back({head, size.rows, size.cols, gradients.of(head).products.value()});
  }
  co_return found;
}

}  // namespace headscope
