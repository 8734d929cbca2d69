#include "core/engine/decoded_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "core/engine/decoding.h"
#include "core/tensor/parallel.h"

namespace headscope {
namespace {

/// The greater number. NaN if either is NaN.
double greater(double a, double b) {
  return a >= b || std::isnan(a) ? a : b;
}

double max_difference(std::span<const float> decoded, std::span<const float> whole) {
  double greatest = 0.0;
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    if (decoded[i] == whole[i]) continue;  // This also covers equal infinities.
    const double difference = std::abs(static_cast<double>(decoded[i]) - static_cast<double>(whole[i]));
    greatest = greater(greatest, difference);
  }
  return greatest;
}

double difference_from_pass(const Trace& trace, const PassBuffers& newest, int row) {
  const Stack last = trace.architecture().last_stack();
  const RowRange own{row, row + 1};
  double greatest = 0.0;
  const auto take = [&](const StageId& id) {
    greatest =
        greater(greatest, max_difference(newest.rows(id, own).row(0), trace.kept().rows(id, own).row(0)));
  };
  take({StageKind::stack_output, last});
  for (int layer = 0; layer < trace.architecture().layers_of(last); ++layer)
    take({StageKind::layer_output, last, layer});
  if (newest.shape.vocabulary > 0) {
    const StageId logits{.kind = StageKind::logits};
    greatest = greater(
        greatest, max_difference(newest.rows(logits, own).row(0), trace.read_row(logits, row).view.row(0)));
  }
  return greatest;
}

void predict(const PassBuffers& newest, int row, DecodedToken& token) {
  if (newest.shape.vocabulary == 0) return;
  const MatrixView chances = newest.rows({.kind = StageKind::probabilities}, {row, row + 1});
  const auto best = std::ranges::max_element(chances.row(0));
  token.word = static_cast<int>(best - chances.row(0).begin());
  token.probability = static_cast<double>(*best);
}

std::int64_t products(const Linear& linear) {
  return std::int64_t{linear.n_in()} * linear.n_out();
}

const std::vector<LayerWeights>& decoding_layers(const Trace& trace) {
  return trace.model().stack(trace.architecture().last_stack()).layers;
}

/// Sums over the layers, separate for layers that drop the tokens outside their sliding window.
struct OfLayers {
  std::int64_t all_tokens = 0;
  std::int64_t windows = 0;
  std::int64_t of(std::int64_t n, std::int64_t n_in_window) const {
    return all_tokens * n + windows * n_in_window;
  }
};

/// The work of one row in all layers. `row` does not depend on other tokens; `key` is the work per key;
/// `state` takes the place of `key` in linear attention; `made` and `made_of_source` are the work of making
/// one key and value of the row itself and of the source.
struct RowWork {
  std::int64_t row = 0;
  OfLayers key;
  std::int64_t state = 0;
  OfLayers made;
  OfLayers cached;  ///< The numbers that are kept of a token.
  std::int64_t made_of_source = 0;
};

RowWork row_work(const Trace& trace) {
  const Architecture& a = trace.architecture();
  const std::int64_t of_key = std::int64_t{a.n_heads} * (a.head_width() + a.value_width());
  // Each head of keys and values adds φ(k) vᵀ to the state; each query head reads it.
  const std::int64_t of_state = std::int64_t{a.kv_heads()} * a.head_width() * a.value_width() +
                                std::int64_t{a.n_heads} * a.head_width() * (a.value_width() + 1);
  const bool lets_go = kept_window(trace).has_value();
  RowWork work;
  int index = 0;
  for (const LayerWeights& layer : decoding_layers(trace)) {
    const auto add = [in_window = lets_go && a.has_sliding_window(index)](OfLayers& sum, std::int64_t n) {
      (in_window ? sum.windows : sum.all_tokens) += n;
    };
    ++index;
    for (const Linear* linear :
         {&layer.self.query, &layer.self.latent, &layer.self.shared_key, &layer.self.out, &layer.self.gate,
          &layer.cross.query, &layer.cross.out, &layer.cross.gate, &layer.feed_forward.hidden,
          &layer.feed_forward.up, &layer.feed_forward.output})
      work.row += products(*linear);
    add(work.made, products(layer.self.key) + products(layer.self.value));
    work.made_of_source += products(layer.cross.key) + products(layer.cross.value);
    if (a.has_self()) add(work.key, of_key);
    if (a.has_self() && !a.linear_attention) add(work.cached, a.cached_width(AttentionKind::self));
    if (a.has_self() && a.linear_attention) work.state += of_state;
    if (a.has_cross()) work.row += of_key * trace.kept().shape.n_source;
  }
  return work;
}

/// The work for the latent rows of the source, which are computed once.
std::int64_t source_latents(const Trace& trace) {
  std::int64_t work = 0;
  for (const LayerWeights& layer : decoding_layers(trace))
    work += products(layer.cross.latent) * trace.kept().shape.n_source;
  return work;
}

}  // namespace

Slices<std::vector<DecodedToken>> decoded_text(const Trace& trace) {
  const Stack last = trace.architecture().last_stack();
  const int n_rows = trace.kept().shape.n_tokens(last);
  const bool is_small = static_cast<double>(decoding_work(trace, n_rows).computed) < parallel_threshold;
  ThreadPool one_thread(1);
  Decoding decoding(trace, is_small ? one_thread : shared_pool());
  std::vector<DecodedToken> tokens;
  tokens.reserve(static_cast<std::size_t>(decoding.n_tokens()));
  while (decoding.n_decoded() < decoding.n_tokens()) {
    decoding.step();
    DecodedToken token;
    token.difference = difference_from_pass(trace, decoding.newest(), decoding.n_decoded() - 1);
    predict(decoding.newest(), decoding.n_decoded() - 1, token);
    token.cached_numbers = decoding.cached_of_tokens();
    token.source_numbers = decoding.cached_of_source();
    tokens.push_back(token);
    co_yield static_cast<double>(tokens.size()) / decoding.n_tokens();
  }
  co_return tokens;
}

DecodingWork decoding_work(const Trace& trace, int n_before) {
  const RowWork each = row_work(trace);
  const std::int64_t n = std::int64_t{n_before} + 1;
  const std::int64_t prediction = products(trace.pass_inputs().unembedding);
  const Architecture& a = trace.architecture();
  const std::int64_t n_source = trace.kept().shape.n_source;
  const std::int64_t latents = source_latents(trace);
  const std::int64_t of_source = each.made_of_source * n_source;
  const std::int64_t n_in_window = std::min<std::int64_t>(n, kept_window(trace).value_or(n));
  // With a latent, each step recomputes all keys and values.
  const bool makes_all = a.kv_latent.has_value();
  const bool is_first = n_before == 0;
  const std::int64_t with_keys = a.linear_attention ? each.state : each.key.of(n, n_in_window);
  DecodingWork work;
  work.computed = each.row + with_keys + (makes_all ? each.made.of(n, n_in_window) : each.made.of(1, 1)) +
                  prediction + (is_first ? latents : 0) + (is_first || makes_all ? of_source : 0);
  work.again = n * (each.row + each.made.of(1, 1) + each.key.of(n, n)) + prediction + latents + of_source;
  const std::int64_t n_layers = a.layers_of(a.last_stack());
  if (a.has_self() && a.linear_attention) {
    const std::int64_t of_head = std::int64_t{a.head_width()} * (a.value_width() + 1);
    work.read += is_first ? 0 : n_layers * a.kv_heads() * of_head;
  }
  work.read += each.cached.of(n - 1, n_in_window - 1);
  if (a.has_cross() && !is_first) work.read += n_layers * a.cached_width(AttentionKind::cross) * n_source;
  return work;
}

}  // namespace headscope
