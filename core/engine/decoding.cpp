#include "core/engine/decoding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "core/engine/inputs.h"
#include "core/model/attention.h"
#include "core/tensor/parallel.h"

namespace headscope {
namespace {

/// With a finite mask value of at most this, a hidden key has no weight if another key is visible.
constexpr float far_below = -1e9F;

bool changes_weights(const Trace& trace, const HeadId& attention) {
  const std::vector<HeadEdits>* heads =
      trace.edits() == nullptr ? nullptr : trace.edits()->heads_of(attention);
  return heads != nullptr &&
         std::ranges::any_of(*heads, [](const HeadEdits& head) { return head.changes_weights(); });
}

/// Whether the weights of all later keys are 0 whatever the scores are. `as_infinity`: whether to treat the
/// mask value as −∞.
bool hides_later_keys(const Trace& trace, const HeadId& attention, bool as_infinity) {
  const CombinedMask& mask = trace.pass_inputs().masks.of(trace.architecture(), attention);
  // Interventions give weight to all keys except for those that the mask itself hides.
  const bool gives_weights = changes_weights(trace, attention);
  const bool is_number = !as_infinity && !mask.visible.empty() && std::isfinite(mask.value);
  const auto hides_keys_after = [&](int head, int query) {
    const int end = mask.keys(head, query).end(mask.cols);
    for (int key = query + 1; key < end; ++key) {
      if (!mask.is_visible(head, query, key)) continue;
      if (gives_weights || std::isfinite(mask.addend(head, query, key))) return false;
    }
    return true;
  };
  // Whether a query sees a key beside which hidden keys with a finite score have no weight.
  const auto outweighs_hidden_keys = [&](int head, int query) {
    bool sees = false;
    for (int key = 0; key <= query && !sees; ++key) sees = mask.sees(head, query, key);
    return sees && mask.value <= far_below;
  };
  for (int head = 0; head < mask.n_heads; ++head) {
    for (int query = 0; query + 1 < mask.rows; ++query) {
      if (!hides_keys_after(head, query) || (is_number && !outweighs_hidden_keys(head, query))) return false;
    }
  }
  return true;
}

/// Whether a later key has weight although its score is that of a hidden key. This happens if visible scores
/// are below a finite mask value. It is noticed only if the pass kept its maps.
bool later_keys_have_weight(const Trace& trace, Stack stack, int layer) {
  const AttentionBuffers kept = trace.kept().attention({stack, AttentionKind::self, layer, 0});
  if (kept.weights == nullptr) return false;
  const AttentionShape& shape = kept.shape;
  for (int head = 0; head < shape.n_heads; ++head) {
    const float* map = kept.weights + static_cast<std::size_t>(head) * shape.map_floats();
    const MatrixView weights{map, shape.n_queries, shape.n_keys, shape.n_keys};
    for (int query = 0; query < shape.n_queries; ++query) {
      const auto later = weights.row(query).subspan(static_cast<std::size_t>(query) + 1);
      if (std::ranges::any_of(later, [](float weight) { return weight != 0.0F; })) return true;
    }
  }
  return false;
}

/// What is cached of an attention: what its keys and values are made from if there is a latent.
CachedAttention empty_cache(const PassShape& shape, const HeadId& place) {
  const Graph& graph = *shape.graph;
  CachedAttention cache;
  const bool is_own = shape.architecture().own(place.layer).keys_of < 0;
  const auto add = [&](const StageId& id) {
    if (graph.has(id)) cache.stages.push_back({id, is_own ? shape.width(id) : 0});
  };
  add(stage_in(place, StageKind::normed_latent));
  add(stage_in(place, StageKind::shared_key));
  if (!cache.stages.empty()) return cache;
  for (const HeadChain& chain : graph.chains(place.stack, place.attention))
    add(with_layer(chain.score_operands().back(), place.layer));
  add(stage_in(place, StageKind::value));
  return cache;
}

/// Makes room for this many rows. The rows that are there stay.
void make_room(int n_rows, CachedAttention& cache) {
  for (CachedAttention::CachedStage& each : cache.stages) {
    const std::size_t size = static_cast<std::size_t>(n_rows) * static_cast<std::size_t>(each.width);
    if (each.rows.size() < size) each.rows.resize(size);
  }
}

/// Drops the rows of the tokens before `token`.
void let_go_before(int token, CachedAttention& cache) {
  const int n = token - cache.n_evicted;
  if (n <= 0) return;
  for (CachedAttention::CachedStage& each : cache.stages) {
    const auto begin = each.rows.begin();
    std::copy(begin + std::ptrdiff_t{n} * each.width, begin + std::ptrdiff_t{cache.n_rows} * each.width,
              begin);
  }
  cache.n_evicted = token;
  cache.n_rows -= n;
}

/// Makes a pass use the cache as the memory for what is kept. Intermediate results of the keys stay where
/// they are.
void lie_in(CachedAttention& cache, PassBuffers& pass) {
  cache.n_rows = pass.shape.stored_rows(cache.stages.front().stage).size();
  make_room(cache.n_rows, cache);
  for (CachedAttention::CachedStage& each : cache.stages)
    if (each.width > 0) pass.places.put(each.stage, each.rows.data());
}

/// Whether each query sees itself and every earlier key, and no other.
bool is_plain_causal(const CombinedMask& mask, int n_tokens) {
  for (int head = 0; head < mask.n_heads; ++head) {
    for (int query = 0; query < n_tokens; ++query) {
      for (int key = 0; key <= query; ++key) {
        if (!mask.is_visible(head, query, key) || mask.addend(head, query, key) != 0.0F) return false;
      }
    }
  }
  return true;
}

/// Why the state of linear attention does not give the numbers of the pass in a layer. Empty if it does.
std::string reason_against_state(const Trace& trace, const HeadId& attention, int n_tokens) {
  const std::vector<HeadEdits>* heads =
      trace.edits() == nullptr ? nullptr : trace.edits()->heads_of(attention);
  const auto gives_scores = [](const HeadEdits& head) { return head.raw != nullptr; };
  if (changes_weights(trace, attention) || (heads != nullptr && std::ranges::any_of(*heads, gives_scores)))
    return "An intervention or a number given by hand changes scores or weights here, but decoding with the state of linear attention computes neither: it only keeps sums. Undo the change.";
  const Architecture& a = trace.architecture();
  if (is_plain_causal(trace.pass_inputs().masks.of(a, attention), n_tokens)) return {};
  if (a.has_sliding_window(attention.layer))
    return "Linear attention keeps one sum over all tokens so far, from which no token can be removed again, but this model has a sliding window that hides earlier tokens. Remove the window.";
  return "Linear attention keeps one sum over all tokens so far, from which no token can be removed again, so a mask that hides earlier tokens (a window, padding, documents, painted cells) cannot be decoded. Choose the causal mask alone.";
}

/// The number of tokens of the last stack, without the padding at the end of a sequence.
int n_decodable_tokens(const Trace& trace) {
  const Architecture& a = trace.architecture();
  return trace.kept().shape.n_tokens(a.last_stack()) - (a.has_cross() ? 0 : trace.batch().n_padded);
}

std::int64_t numbers_of(const std::vector<CachedAttention>& caches) {
  std::int64_t sum = 0;
  for (const CachedAttention& cache : caches) sum += cache.numbers();
  return sum;
}

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

/// The multiplications of one row with a linear layer. Of joined experts, only those that a token takes.
std::int64_t products(const Architecture& a, const StageId& id, const Linear& linear) {
  using enum StageKind;
  const bool is_of_experts = (id.kind == w_1 || id.kind == w_up || id.kind == w_2) && a.has_experts(id.layer);
  if (!is_of_experts) return products(linear);
  const Experts& experts = *a.foreign.experts;
  return products(linear) / experts.hidden() * (experts.top_k * experts.width + experts.shared_width);
}

/// How many steps multiply by these weights: in models with several streams, one layer serves two.
std::int64_t n_steps(const Graph& graph, const StageId& weights) {
  if (info(weights.kind).scope < StageScope::layer) return 1;
  const StageId parameter = with_layer(weights, 0);
  return std::ranges::count_if(graph.layer_steps(weights.stack, weights.layer), [&](const Step& step) {
    return std::ranges::find(step.parameters, parameter) != step.parameters.end();
  });
}

/// Adds the multiplications with all linear layers but the unembedding for the n-th token.
void add_products(const Trace& trace, std::int64_t n, std::int64_t n_in_window, DecodingWork& work) {
  using enum StageKind;
  const Architecture& a = trace.architecture();
  const std::int64_t n_source = trace.kept().shape.n_source;
  for (const auto& [id, linear] : trace.model().linears) {
    const bool is_of_stack = info(id.kind).scope != StageScope::model;
    if (is_of_stack && id.stack != a.last_stack()) continue;
    const std::int64_t of_row = products(a, id, linear) * n_steps(trace.graph(), id);
    const bool is_cross = id.attention == AttentionKind::cross;
    const bool is_of_keys = id.kind == w_key || id.kind == w_value;
    if (id.kind > layer_output) {  // Only the newest token is unembedded.
      work.computed += of_row;
      work.again += of_row;
    } else if (is_cross && (is_of_keys || id.kind == w_latent)) {
      const bool is_made_again = n == 1 || (is_of_keys && a.kv_latent);
      work.computed += is_made_again ? n_source * of_row : 0;
      work.again += n_source * of_row;
    } else {
      // With a latent, each step recomputes all keys and values.
      const bool is_made_again = is_of_keys && a.kv_latent;
      work.computed += of_row * (!is_made_again ? 1 : a.has_sliding_window(id.layer) ? n_in_window : n);
      work.again += of_row * n;
    }
  }
}

}  // namespace

std::optional<int> kept_window(const Trace& trace) {
  const Architecture& a = trace.architecture();
  const AttentionOptions& options = trace.options();
  if (!a.has_self() || a.linear_attention || !a.sliding_window) return std::nullopt;
  const MaskSpec& mask = mask_of(options, a.stacks, a.last_stack(), AttentionKind::self);
  if (mask.first_keys.value_or(0) > 0 || options.mask_value != MaskValue::minus_infinity) return std::nullopt;
  return a.sliding_window;
}

DecodingObstacle decoding_obstacle(const Trace& trace) {
  const Architecture& a = trace.architecture();
  const AttentionOptions& options = trace.options();
  if (!trace.complete()) return {"The pass is not complete yet."};
  if (options.softmax == SoftmaxAxis::queries)
    return {
        "With softmax over queries, every new token changes the weights of all earlier tokens, so nothing computed earlier stays valid. Choose softmax over keys."};
  if (options.has_dropout())
    return {"Dropout is on, but it is meant for training; a model that writes does not use it. Choose eval."};
  if (!a.has_self()) return {};
  if (a.foreign.disentangled)
    return {
        "The scores contain products with the rows of distances, which no cache keeps here: each new token would need those of all distances."};
  for (int layer = 0; layer < a.layers_of(a.last_stack()); ++layer) {
    const HeadId attention{a.last_stack(), AttentionKind::self, layer, 0};
    constexpr bool as_infinity = true;
    if (hides_later_keys(trace, attention, !as_infinity) &&
        !later_keys_have_weight(trace, a.last_stack(), layer)) {
      if (!a.linear_attention) continue;
      std::string reason = reason_against_state(trace, attention, n_decodable_tokens(trace));
      if (reason.empty()) continue;
      return {std::move(reason)};
    }
    if (hides_later_keys(trace, attention, as_infinity))
      return {
          "The mask value is finite here, so hidden keys can get a share of the weight: a token that sees no key also looks at later ones, and so does one whose scores are even lower; above −1e9, any token may. Choose the mask value −∞."};
    return {
        "Earlier tokens look at later ones here: each new token would change the numbers of all tokens before it, so none of them can be kept. With the causal mask, a token sees only itself and the tokens before it.",
        true};
  }
  return {};
}

bool can_decode_further(const Trace& trace) {
  const Architecture& a = trace.architecture();
  const AttentionOptions& options = trace.options();
  const MaskSpec& mask = mask_of(options, a.stacks, a.last_stack(), AttentionKind::self);
  const auto only_rules = [](const MaskSpec& spec) {
    return spec.loaded.empty() && spec.painted.empty() && spec.separator.empty();
  };
  const bool sees_earlier_alone =
      !a.has_self() || (mask.causal && options.mask_value == MaskValue::minus_infinity);
  // No key can be taken out of a state again.
  if (a.has_self() && a.linear_attention && (!(mask == causal_mask()) || a.sliding_window)) return false;
  return sees_earlier_alone && only_rules(mask) && only_rules(options.cross_mask) &&
         trace.edits() == nullptr && trace.batch().n_sequences == 1 && decoding_obstacle(trace).empty();
}

Decoding::Decoding(const Trace& trace, ThreadPool& pool)
    : trace_(trace), pool_(pool), window_(kept_window(trace)) {
  const Architecture& a = trace.architecture();
  const PassShape& shape = trace.kept().shape;
  const Stack stack = a.last_stack();
  n_tokens_ = n_decodable_tokens(trace);
  for (int layer = 0; layer < a.layers_of(stack); ++layer) {
    if (a.has_self() && a.linear_attention) {
      states_.emplace_back(state_floats(shape.attention(stack, AttentionKind::self, layer)), 0.0F);
    } else if (a.has_self()) {
      self_.push_back(empty_cache(shape, {stack, AttentionKind::self, layer, 0}));
    }
    if (a.has_cross()) cross_.push_back(empty_cache(shape, {stack, AttentionKind::cross, layer, 0}));
  }
}

Decoding::~Decoding() = default;

int Decoding::n_unseen() const {
  return window_ ? std::max(n_decoded_ + 1 - *window_, 0) : 0;
}

void Decoding::load_cached(PassBuffers& pass) {
  const Stack last = trace_.architecture().last_stack();
  for (std::size_t layer = 0; layer < states_.size(); ++layer)
    pass.places.put({StageKind::state, last, static_cast<int>(layer)}, states_[layer].data());
  for (std::vector<CachedAttention>* caches : {&self_, &cross_})
    for (CachedAttention& cache : *caches) lie_in(cache, pass);
  for (const CachedAttention& cache : self_)
    for (const CachedAttention::CachedStage& each : cache.stages)
      if (const int from = trace_.architecture().own(each.stage.layer).keys_of; from >= 0)
        pass.places.put(each.stage, pass.at(with_layer(each.stage, from)));
}

void Decoding::prefill() {
  const PassBuffers& pass = trace_.kept();
  // Cross-attention and a state begin in the first step.
  const bool has_rows = pass.shape.kept != Retention::layer_inputs && cross_.empty() && states_.empty();
  while (!has_rows && n_decoded_ + 1 < n_tokens_) step();
  if (n_decoded_ + 1 >= n_tokens_) return;
  const Architecture& a = trace_.architecture();
  n_decoded_ = n_tokens_ - 1;
  for (std::size_t layer = 0; layer < self_.size(); ++layer) {
    CachedAttention& cache = self_[layer];
    cache.n_evicted = a.has_sliding_window(static_cast<int>(layer)) ? n_unseen() : 0;
    cache.n_rows = n_decoded_ - cache.n_evicted;
    make_room(cache.n_rows, cache);
    for (CachedAttention::CachedStage& each : cache.stages)
      std::copy_n(pass.at(each.stage) + std::ptrdiff_t{cache.n_evicted} * each.width,
                  std::ptrdiff_t{cache.n_rows} * each.width, each.rows.begin());
  }
}

void Decoding::step() {
  step(trace_.tokens(trace_.architecture().last_stack())[static_cast<std::size_t>(n_decoded_)]);
}

void Decoding::step(const Token& token) {
  const Architecture& a = trace_.architecture();
  const PassInputs whole = trace_.pass_inputs();
  const Stack last = a.last_stack();
  PassShape shape = trace_.kept().shape;
  (a.has_cross() ? shape.n_target : shape.n_source) = 1;
  shape.n_cached = n_decoded_;
  shape.n_evicted = n_unseen();
  shape.is_decoding = true;
  shape.reads_state = a.linear_attention;
  shape.kept = Retention::everything;
  shape.keeps_predictions = true;
  // The memory of the previous token is free again.
  AlignedBuffer memory = newest_ ? std::move(newest_->memory) : AlignedBuffer();
  const std::size_t floats = shape.floats();
  constexpr std::size_t room_to_grow = 2;
  if (memory.size() < floats) memory = AlignedBuffer(room_to_grow * floats);
  newest_ = std::make_unique<PassBuffers>(shape, std::move(memory));
  for (std::size_t layer = 0; layer < self_.size(); ++layer) {
    if (a.has_sliding_window(static_cast<int>(layer))) let_go_before(shape.n_evicted, self_[layer]);
  }
  load_cached(*newest_);

  if (a.has_cross()) {
    const StageId memory{StageKind::stack_output, Stack::encoder};
    newest_->places.put(memory, trace_.kept().at(memory));
  }
  look_up(whole.model, {token}, last, *newest_, pool_);
  if (n_decoded_ < n_tokens_) {
    forward(whole, *newest_, pool_).finish();
  } else {
    const PassMasks masks = masks_after_pass(trace_, n_decoded_);
    const PassInputs inputs{whole.model, whole.options, masks, whole.unembedding};
    forward(inputs, *newest_, pool_).finish();
  }
  ++n_decoded_;
}

std::int64_t Decoding::cached_of_tokens() const {
  std::int64_t of_states = 0;
  for (const AttentionState& state : states_) of_states += static_cast<std::int64_t>(state.size());
  return numbers_of(self_) + of_states;
}

std::int64_t Decoding::cached_of_source() const {
  return numbers_of(cross_);
}

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
  constexpr AttentionKind cross = AttentionKind::cross;
  const Architecture& a = trace.architecture();
  const std::int64_t n = std::int64_t{n_before} + 1;
  const std::int64_t n_in_window = std::min<std::int64_t>(n, kept_window(trace).value_or(n));
  const std::int64_t n_source = trace.kept().shape.n_source;
  const bool is_first = n_before == 0;
  DecodingWork work;
  work.computed = work.again = products(trace.pass_inputs().unembedding);
  add_products(trace, n, n_in_window, work);
  for (int layer = 0; layer < a.layers_of(a.last_stack()); ++layer) {
    const std::int64_t of_key = std::int64_t{a.n_heads} * (a.head_width(layer) + a.value_width(layer));
    const std::int64_t n_kept = a.has_sliding_window(layer) ? n_in_window : n;
    if (a.has_cross()) {
      work.computed += of_key * n_source;
      work.again += n * of_key * n_source;
      if (!is_first) work.read += a.cached_width(cross, layer) * n_source;
    }
    if (!a.has_self()) continue;
    // Each head of keys and values adds φ(k) vᵀ to the state; each query head reads it.
    const std::int64_t in_state = std::int64_t{a.head_width(layer)} * (a.value_width(layer) + 1);
    const std::int64_t of_state =
        std::int64_t{a.kv_heads(layer)} * a.head_width(layer) * a.value_width(layer) + a.n_heads * in_state;
    work.computed += a.linear_attention ? of_state : of_key * n_kept;
    work.again += n * n * of_key;
    if (!a.linear_attention) {
      const int keys_of = a.own(layer).keys_of;
      work.read += a.cached_width(AttentionKind::self, keys_of < 0 ? layer : keys_of) * (n_kept - 1);
    } else if (!is_first) {
      work.read += a.kv_heads(layer) * in_state;
    }
  }
  return work;
}

}  // namespace headscope
