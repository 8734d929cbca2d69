#include "core/engine/decoded_head.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "core/engine/decoding.h"

namespace headscope {
namespace {

/// Steps of models smaller than this take less time than waking threads.
constexpr std::int64_t few_multiplications = 4'000'000;

double greatest_difference(std::span<const float> a, std::span<const float> b) {
  double greatest = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= greatest)) greatest = difference;
  }
  return greatest;
}

std::span<const float> numbers(const float* data, int n, std::ptrdiff_t row = 0) {
  return {data + row * n, static_cast<std::size_t>(n)};
}

const AttentionBuffers& attention_of(const PassBuffers& buffers, const HeadId& head) {
  const LayerBuffers& layer = buffers.stack(head.stack).layers[static_cast<std::size_t>(head.layer)];
  return head.attention == AttentionKind::self ? layer.self : layer.cross;
}

/// The columns of one of the heads that keys or values are of.
OwnedMatrix columns(const float* rows, int n_rows, int all, int first, int width) {
  OwnedMatrix taken(n_rows, width);
  for (int row = 0; row < n_rows; ++row)
    std::ranges::copy(
        numbers(rows, all, row).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(width)),
        taken.values.begin() + static_cast<std::ptrdiff_t>(row) * width);
  return taken;
}

void predict(const PassBuffers& newest, DecodedToken& token) {
  const int n = newest.shape.vocabulary;
  if (n == 0) return;
  const std::span<const float> chances = numbers(newest.probabilities, n);
  const auto best = std::ranges::max_element(chances);
  token.word = static_cast<int>(best - chances.begin());
  token.probability = static_cast<double>(*best);
}

double difference_from_pass(const Trace& trace, const PassBuffers& newest, int row) {
  const Architecture& a = trace.architecture();
  const PassBuffers& whole = trace.kept();
  const Stack last = a.last_stack();
  double greatest = greatest_difference(numbers(newest.stack(last).output, a.layer_width()),
                                        numbers(whole.stack(last).output, a.layer_width(), row));
  const int words = newest.shape.vocabulary;
  if (words > 0)
    greatest = std::max(
        greatest, greatest_difference(numbers(newest.logits, words), numbers(whole.logits, words, row)));
  return greatest;
}

DecodedToken decoded_token(const DecodedPlace& place, const Decoding& decoding) {
  const PassBuffers& newest = decoding.newest();
  const int row = decoding.n_decoded() - 1;
  const AttentionBuffers& attention = attention_of(newest, place.head);
  const AttentionShape& s = attention.shape;
  DecodedToken token;
  const std::span<const float> weights = numbers(attention.weights, s.n_keys, place.head.head);
  token.weights.assign(weights.begin(), weights.end());
  const std::span<const float> query = numbers(attention.rotated_query, s.d_head, place.head.head);
  token.query.assign(query.begin(), query.end());
  token.difference = difference_from_pass(*place.trace, newest, row);
  const auto [stack, kind, layer, head] = place.head;
  const StageNumbers full =
      place.trace->read({StageKind::weights, stack, layer, kind, head}, {row, 0, 1, s.n_keys});
  token.difference = std::max(token.difference, greatest_difference(weights, full.view.row(0)));
  predict(newest, token);
  token.cached_numbers = decoding.cached_of_tokens();
  token.source_numbers = decoding.cached_of_source();
  return token;
}

std::int64_t products(const Linear& linear) {
  return static_cast<std::int64_t>(linear.weight.size());
}

/// What one row costs in a layer whatever the other tokens are, and what each key costs it in either
/// attention.
struct RowWork {
  std::int64_t row = 0;
  std::int64_t key = 0;
};

RowWork row_work(const Trace& trace) {
  const Architecture& a = trace.architecture();
  const std::int64_t of_key = std::int64_t{a.n_heads} * (a.head_width() + a.value_width());
  RowWork work;
  for (const LayerWeights& layer : trace.model().stack(a.last_stack()).layers) {
    const AttentionWeights& self = layer.self;
    work.row += products(self.query) + products(self.key) + products(self.value) + products(self.out);
    work.row += products(layer.cross.query) + products(layer.cross.out);
    work.row += products(layer.feed_forward.hidden) + products(layer.feed_forward.output);
    if (a.has_self()) work.key += of_key;
    if (a.has_cross()) work.row += of_key * trace.kept().shape.n_source;
  }
  return work;
}

/// Keys and values of the source, which are computed once.
std::int64_t source_work(const Trace& trace) {
  const Architecture& a = trace.architecture();
  std::int64_t work = 0;
  for (const LayerWeights& layer : trace.model().stack(a.last_stack()).layers)
    work += (products(layer.cross.key) + products(layer.cross.value)) * trace.kept().shape.n_source;
  return work;
}

}  // namespace

DecodedHead decoded_head(const DecodedPlace& place, const std::atomic<bool>* stop) {
  const Trace& trace = *place.trace;
  const int n_rows = trace.kept().shape.n_tokens(place.head.stack);
  constexpr int one_thread = 1;
  constexpr int all_threads = 0;
  TaskPool pool(decoding_work(trace, n_rows).computed < few_multiplications ? one_thread : all_threads);
  Decoding decoding(trace, pool);
  DecodedHead decoded;
  decoded.is_cross = place.head.attention == AttentionKind::cross;
  decoded.tokens.reserve(static_cast<std::size_t>(decoding.n_tokens()));
  while (decoding.n_decoded() < decoding.n_tokens() && (stop == nullptr || !*stop)) {
    decoding.step();
    decoded.tokens.push_back(decoded_token(place, decoding));
  }
  if (decoded.tokens.empty()) return decoded;
  const AttentionBuffers& attention = attention_of(decoding.newest(), place.head);
  const AttentionShape& s = attention.shape;
  const int kv_head = s.kv_head_of(place.head.head);
  decoded.keys = columns(attention.rotated_key, s.n_keys, s.key_width(), kv_head * s.d_head, s.d_head);
  decoded.values = columns(attention.value, s.n_keys, s.value_width(), kv_head * s.d_value, s.d_value);
  return decoded;
}

DecodingWork decoding_work(const Trace& trace, int n_before) {
  const RowWork each = row_work(trace);
  const std::int64_t n = std::int64_t{n_before} + 1;
  const auto prediction = static_cast<std::int64_t>(trace.pass_inputs().unembedding.size());
  const std::int64_t source = source_work(trace);
  DecodingWork work;
  work.computed = each.row + each.key * n + prediction + (n_before == 0 ? source : 0);
  work.again = n * (each.row + each.key * n) + prediction + source;
  const Architecture& a = trace.architecture();
  const std::int64_t of_token = std::int64_t{a.kv_heads()} * (a.head_width() + a.value_width());
  const std::int64_t n_layers = a.layers_of(a.last_stack());
  if (a.has_self()) work.read += n_layers * of_token * n_before;
  if (a.has_cross() && n_before > 0) work.read += n_layers * of_token * trace.kept().shape.n_source;
  return work;
}

}  // namespace headscope
