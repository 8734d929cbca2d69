#include "core/engine/part_effects.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>

#include "core/engine/partial_pass.h"
#include "core/engine/row_parts.h"
#include "core/model/interventions.h"
#include "core/model/pass.h"
#include "core/tensor/matrix.h"
#include "core/tensor/parallel.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

struct Chance {
  double logit = 0.0;
  double probability = 0.0;
};

Chance chance_of(std::span<const float> logits, int word) {
  const double top = static_cast<double>(*std::ranges::max_element(logits));
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - top);
  const auto own = static_cast<double>(logits[static_cast<std::size_t>(word)]);
  return {own, std::exp(own - top) / sum};
}

}  // namespace

int likeliest_word(const Trace& trace, int row) {
  const StageNumbers numbers = trace.read_row({.kind = StageKind::logits}, row);
  const auto logits = numbers.view.row(0);
  return static_cast<int>(std::ranges::max_element(logits) - logits.begin());
}

double logit_resolution(const Trace& trace, int row) {
  constexpr double units = 8.0;
  const StageNumbers numbers = trace.read_row({.kind = StageKind::logits}, row);
  double largest = 0.0;
  for (const float logit : numbers.view.row(0)) {
    if (std::isfinite(logit)) largest = std::max(largest, std::fabs(static_cast<double>(logit)));
  }
  return units * static_cast<double>(std::numeric_limits<float>::epsilon()) * largest;
}

Slices<PartEffects> part_effects(const Trace& trace, Prediction prediction, const std::atomic<bool>* stop) {
  PartialPass pass(trace, stop);
  PartEffects effects;
  const Chance whole = chance_of(pass.logits_of_pass(prediction.row), prediction.word);
  effects.logit = whole.logit;
  effects.probability = whole.probability;
  const std::vector<ModelPart> parts = parts_of(trace.architecture());
  for (const ModelPart& part : parts) {
    const auto logits = pass.logits_without(part, prediction.row);
    if (!logits) break;
    const Chance chance = chance_of(*logits, prediction.word);
    effects.parts.push_back({part, chance.logit, chance.probability});
    co_yield static_cast<double>(effects.parts.size()) / static_cast<double>(parts.size());
  }
  co_return effects;
}

namespace {

/// Σ part × direction.
double along(const std::vector<double>& part, const std::vector<double>& direction) {
  return std::inner_product(part.begin(), part.end(), direction.begin(), 0.0);
}

/// The direction in the output of the last layer along which the logit of a word grows, with the moments of
/// the last norm as they are in this row. For layer norm it is γ (u − mean over the row) / √(variance + ε),
/// because subtracting the mean is linear as well; for RMS norm it is γ u / √(mean(x²) + ε).
std::vector<double> logit_direction(const Trace& trace, const Prediction& prediction) {
  const PassInputs inputs = trace.pass_inputs();
  const Architecture& a = trace.architecture();
  const Matrix word = inputs.unembedding.columns(prediction.word, 1);
  std::vector<double> direction(word.data(), word.data() + word.size());
  if (!a.has_final_norm(a.last_stack())) return direction;
  const NormWeights& norm = inputs.model.stack(a.last_stack()).norm;
  const StageId normed_row = trace.graph().inputs({StageKind::stack_output, a.last_stack()}).front();
  const double inverse = inverse_deviation(a, a.norm_kind, row_in_double(trace, normed_row, prediction.row));
  for (std::size_t d = 0; d < direction.size(); ++d)
    direction[d] *= static_cast<double>(norm.gain[static_cast<Eigen::Index>(d)]) * inverse;
  if (a.norm_kind != NormKind::layer) return direction;
  const double average =
      std::accumulate(direction.begin(), direction.end(), 0.0) / static_cast<double>(direction.size());
  for (double& each : direction) each -= average;
  return direction;
}

/// What the biases after the last layer add.
double output_bias(const Trace& trace, const Prediction& prediction) {
  const PassInputs inputs = trace.pass_inputs();
  const Architecture& a = trace.architecture();
  const auto sum = static_cast<double>(inputs.unembedding.bias[prediction.word]);
  if (!a.has_final_norm(a.last_stack())) return sum;
  const RowVector& bias = inputs.model.stack(a.last_stack()).norm.bias;
  const Matrix word = inputs.unembedding.columns(prediction.word, 1);
  return std::inner_product(bias.begin(), bias.end(), word.data(), sum, std::plus<>(),
                            [](double b, double w) { return b * w; });
}

const char* why_no_direct_parts(const Trace& trace, const Prediction& prediction) {
  const Architecture& a = trace.architecture();
  if (a.norm == Norm::post)
    return "a norm after every residual sum rescales what the earlier parts added, so the logit is not their sum";
  if (a.has_output_norm())
    return "a norm on each sublayer's output rescales what its heads added, so the logit is not the sum of their parts";
  if (a.has_output_transform())
    return "the last layer's output goes through an activation and a norm before it is compared with the words, so the logit is not a sum of parts";
  if (a.logit_softcap > 0.0F) return "the softcap squashes the logits, so they are not sums of parts";
  if (!a.residual) return "without residual connections, no part reaches the logits on its own";
  const auto replaces_sum = [&](const RowEdit& edit) {
    const StageKind kind = edit.stage.kind;
    return (edit.row == prediction.row || edit.row == every_row) && edit.stage.stack == a.last_stack() &&
           (kind == StageKind::projected || kind == StageKind::residual ||
            kind == StageKind::feed_forward_residual || kind == StageKind::layer_output ||
            kind == StageKind::stack_output);
  };
  const bool is_patched = trace.edits() != nullptr && std::ranges::any_of(trace.edits()->rows, replaces_sum);
  return is_patched ? "an intervention replaces a sum that includes the parts before it" : "";
}

}  // namespace

DirectParts direct_parts(const Trace& trace, const Prediction& prediction) {
  DirectParts direct;
  direct.absent = why_no_direct_parts(trace, prediction);
  if (!direct.absent.empty()) return direct;
  const Architecture& a = trace.architecture();
  const Stack stack = a.last_stack();
  const std::vector<double> direction = logit_direction(trace, prediction);
  const auto add = [&](DirectPart::Kind kind, const HeadId& place, double logit) {
    direct.parts.push_back({kind, place, logit});
    direct.total += logit;
  };
  const auto part = [&](const StageId& id) {
    return along(row_in_double(trace, id, prediction.row), direction);
  };
  const int n_layers = a.layers_of(stack);
  add(DirectPart::Kind::input, {stack}, part({StageKind::input, stack}));
  for (int layer = 0; layer < n_layers; ++layer) {
    for (const AttentionKind kind : {AttentionKind::self, AttentionKind::cross}) {
      HeadId place{stack, kind, layer, 0};
      const StageId projected{StageKind::projected, stack, layer, kind};
      if (!trace.has(projected)) continue;
      double left = part(projected);
      for (place.head = 0; place.head < a.n_heads; ++place.head) {
        const double logit = along(addition_of_head(trace, place, prediction.row), direction);
        add(DirectPart::Kind::head, place, logit);
        left -= logit;
      }
      place.head = 0;
      if (a.bias.output || trace.edits() != nullptr) add(DirectPart::Kind::attention_bias, place, left);
    }
    const StageId feed_forward{StageKind::feed_forward_output, stack, layer};
    if (trace.has(feed_forward))
      add(DirectPart::Kind::feed_forward, {stack, {}, layer, 0}, part(feed_forward));
  }
  add(DirectPart::Kind::output_bias, {stack}, output_bias(trace, prediction));
  return direct;
}

std::vector<double> direct_sources(const Trace& trace, const Prediction& prediction, const HeadId& head) {
  const Architecture& a = trace.architecture();
  const std::string_view absent = why_no_direct_parts(trace, prediction);
  if (!absent.empty() || a.linear_attention) return {};
  const StageId own = stage_in(head, StageKind::weights);
  const StageId used = weights_in_use(trace, own);
  const StageId values = canonical(a, with_kind(own, StageKind::value));
  const auto replaces = [&](StageKind kind) {
    return trace.edits() != nullptr && trace.edits()->of(stage_in(head, kind), prediction.row) != nullptr;
  };
  const bool is_replaced = trace.given(with_kind(own, StageKind::output)) != nullptr ||
                           replaces(StageKind::output) || replaces(StageKind::gated_heads);
  if (is_replaced || !trace.has(used) || !trace.has(values)) return {};
  const std::vector<double> direction = logit_direction(trace, prediction);
  const std::vector<double> weights = row_in_double(trace, used, prediction.row);
  const Extent size = trace.extent(values);
  // The direction along which the head's output adds to the logit, after its gate and W_O.
  const auto width = static_cast<std::size_t>(size.cols);
  const std::size_t first = width * static_cast<std::size_t>(head.head);
  std::vector<double> along_output(width);
  const StageId w_output = canonical(a, with_kind(own, StageKind::w_output));
  for (std::size_t v = 0; v < width; ++v) {
    along_output[v] = trace.has(w_output)
                          ? along(row_in_double(trace, w_output, static_cast<int>(first + v)), direction)
                          : direction[first + v];
  }
  if (a.output_gate) {
    const std::vector<double> gate =
        row_in_double(trace, canonical(a, with_kind(own, StageKind::head_gate)), prediction.row);
    for (std::size_t v = 0; v < width; ++v) along_output[v] *= gate[first + v];
  }
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(head);
  const double scale = edits == nullptr ? 1.0 : static_cast<double>(edits->scale);
  std::vector<double> sources;
  sources.reserve(weights.size());
  for (int key = 0; key < size.rows; ++key) {
    sources.push_back(scale * weights[static_cast<std::size_t>(key)] *
                      along(row_in_double(trace, values, key), along_output));
  }
  return sources;
}

std::vector<LayerGuess> logit_lens(const Trace& trace, const Prediction& prediction) {
  const Architecture& a = trace.architecture();
  const PassInputs inputs = trace.pass_inputs();
  const int n_layers = a.layers_of(a.last_stack());
  Matrix rows(n_layers, a.d_model);
  for (int layer = 0; layer < n_layers; ++layer) {
    const StageId output{StageKind::layer_output, a.last_stack(), layer};
    rows.row(layer) = eigen(trace.read_row(output, prediction.row).view);
  }
  if (a.has_final_norm(a.last_stack()))
    apply_norm(a, inputs.model.stack(a.last_stack()).norm, view_of(rows), rows.data());
  const auto packed = inputs.unembedding.packed(shared_pool());  // Held so that it is packed only once.
  std::vector<LayerGuess> guesses;
  for (int layer = 0; layer < n_layers; ++layer) {
    // Each is the same row of the pass, which an intervention may replace.
    const Matrix logits =
        logits_of_rows(inputs, trace.kept().shape, view_of(rows).block(layer, 0, 1, a.d_model),
                       prediction.row, shared_pool());
    const std::span<const float> own(logits.data(), static_cast<std::size_t>(logits.cols()));
    const auto best = static_cast<int>(std::ranges::max_element(own) - own.begin());
    guesses.push_back(
        {layer, best, chance_of(own, best).probability, chance_of(own, prediction.word).probability});
  }
  return guesses;
}

}  // namespace headscope
