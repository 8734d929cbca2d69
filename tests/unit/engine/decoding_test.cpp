// Compares decoding the tokens one by one, with a cache, to the pass over all of them.
#include "core/engine/decoding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/measures/cache_bytes.h"
#include "core/model/interventions.h"
#include "tests/unit/engine/random_given.h"
#include "tests/unit/engine/transformers.h"

namespace headscope {
namespace {

/// Adds what only models of other programs have, and what concerns the rows of single tokens.
void add_foreign_parts(std::uint64_t seed, Architecture& a) {
  RandomStream random(seed, "foreign parts");
  a.foreign.head_norm = static_cast<HeadNorm>(pick(random, 0, 2));
  a.foreign.omits_first_norm = pick(random, 0, 3) == 0;
  if (pick(random, 0, 2) == 0) a.foreign.unrotated_layers = {true, false};
  if (a.d_ff == 0 || pick(random, 0, 2) > 0) return;
  a.foreign.experts = Experts{4, 2, 3, pick(random, 0, 1) == 0, pick(random, 0, 1) * 5};
  a.d_ff = a.foreign.experts->hidden();
}

/// A pass that can be decoded, of random sizes, positions and options.
Request random_decodable(std::uint64_t seed) {
  RandomStream random(seed, "decodable");
  const auto stacks = static_cast<Stacks>(pick(random, 0, 3));
  Request request = random_transformer(seed, stacks);
  Architecture& a = request.architecture;
  // The norm of two or three numbers magnifies the smallest difference.
  a.d_model = std::max(a.d_model, 8 * a.n_heads);
  if (pick(random, 0, 2) == 0) a.score_scale = 0.4F;
  if (a.has_self() && pick(random, 0, 2) == 0) a.sliding_window = pick(random, 1, 12);
  if (a.sliding_window && pick(random, 0, 1) == 0) a.global_every = pick(random, 1, 3);
  if (pick(random, 0, 2) == 0) a.rotary.fraction = 0.5F;
  AttentionOptions& attention = request.attention;
  attention.mask.causal = true;
  attention.temperature = random.uniform(0.8F, 3.0F);
  attention.scale = pick(random, 0, 3) > 0;
  if (pick(random, 0, 2) == 0) attention.mask_value = MaskValue::minus_1e9;
  for (MaskSpec* mask : {&attention.mask, &attention.target_mask, &attention.cross_mask}) {
    if (pick(random, 0, 2) == 0) mask->window = pick(random, 0, 5);
    if (pick(random, 0, 4) == 0) mask->first_keys = pick(random, 1, 3);
    if (pick(random, 0, 3) == 0) mask->block = pick(random, 1, 9);
    if (pick(random, 0, 3) == 0) mask->dilation = pick(random, 1, 3);
    if (pick(random, 0, 3) == 0) mask->padding = {pick(random, 1, 9)};
    if (pick(random, 0, 3) == 0) mask->painted = {{pick(random, 4, 9), pick(random, 0, 2)}};
  }
  if (pick(random, 0, 1) == 0) a.relative_buckets = 8;
  if (pick(random, 0, 1) == 0) a.rotary.local_base = 100.0F;
  add_foreign_parts(seed, a);
  return request;
}

/// Expects two float32 numbers that were computed in different orders of blocks to be close.
void expect_near(float decoded, float whole, const std::string& what) {
  EXPECT_NEAR(decoded, whole, 1e-5F * std::max(1.0F, std::abs(whole))) << what;
}

/// Expects a row to be close. Its largest number determines how precise the others are.
void expect_row(std::span<const float> decoded, std::span<const float> whole, const std::string& what) {
  float largest = 1.0F;
  for (const float number : whole) largest = std::max(largest, std::abs(number));
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(decoded[i], whole[i], 1e-5F * largest) << what;
}

/// The stages that are kept after a step and have one row for each token, in every layer.
std::vector<StageId> stages_with_rows(const PassBuffers& newest) {
  std::vector<StageId> stages;
  const Graph& graph = *newest.shape.graph;
  const Stack last = graph.architecture().last_stack();
  const auto add = [&](const std::vector<Step>& steps, int layer) {
    for (const Step& step : steps) {
      const StageId id = with_layer(step.stage, layer);
      if (!is_map(id.kind) && newest.at(id) != nullptr) stages.push_back(id);
    }
  };
  add(graph.steps(last).input, 0);
  for (int l = 0; l < graph.architecture().layers_of(last); ++l) add(graph.layer_steps(last, l), l);
  add(graph.steps(last).output, 0);
  add(graph.prediction_steps(), 0);
  return stages;
}

/// Compares the rows of the newest token with the same rows of the whole pass. What keys and values are made
/// of may be there for the newest token alone.
void expect_equal_row(const PassBuffers& newest, const PassBuffers& whole, int row) {
  const Stack last = whole.shape.architecture().last_stack();
  const std::string at = "row " + std::to_string(row) + ", ";
  for (const StageId& id : stages_with_rows(newest)) {
    if (has_query_rows(id))
      expect_row(newest.rows(id, {row, row + 1}).row(0), whole.rows(id, {row, row + 1}).row(0),
                 at + path(id));
  }
  for (int layer = 0; layer < whole.shape.architecture().layers_of(last); ++layer) {
    for (const AttentionKind kind : {AttentionKind::self, AttentionKind::cross}) {
      const HeadId place{last, kind, layer, 0};
      if (!whole.shape.architecture().has(last, kind)) continue;
      const AttentionBuffers own = newest.attention(place);
      const AttentionBuffers same = whole.attention(place);
      const int first = own.shape.first_key;
      const auto width = own.shape.key_width();
      for (int key = 0; key < own.shape.n_keys; ++key) {
        const auto row_of = [width](const float* all, int index) {
          return std::span(all + std::ptrdiff_t{index} * width, static_cast<std::size_t>(width));
        };
        expect_row(row_of(own.key, key), row_of(same.key, first + key), at + "key");
      }
      for (int head = 0; head < own.shape.n_heads && own.weights != nullptr; ++head) {
        const float* weights = own.weights + std::ptrdiff_t{head} * own.shape.n_keys;
        const float* row_of_all =
            same.weights + static_cast<std::ptrdiff_t>(head * same.shape.n_queries + row) * same.shape.n_keys;
        for (int key = 0; key < same.shape.n_keys; ++key) {
          const bool is_kept = key >= first && key < first + own.shape.n_keys;
          expect_near(is_kept ? weights[key - first] : 0.0F, row_of_all[key], at + "weights");
        }
      }
    }
  }
}

void expect_decodes(const Trace& trace) {
  ThreadPool pool(1);
  ASSERT_EQ(decoding_obstacle(trace).text, "");
  Decoding decoding(trace, pool);
  for (int row = 0; row < decoding.n_tokens(); ++row) {
    decoding.step();
    expect_equal_row(decoding.newest(), trace.kept(), row);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Decoding, GoesOnAfterThePass) {
  Engine engine(1);
  ThreadPool pool(1);
  int n_compared = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Request request = random_decodable(seed);
    request.architecture.output_layer = OutputLayer::none;  // Untrained, it has the words of the text alone.
    request.attention.mask_value = MaskValue::minus_infinity;
    for (MaskSpec* mask :
         {&request.attention.mask, &request.attention.target_mask, &request.attention.cross_mask})
      mask->painted.clear();
    const SharedTrace whole = computed(engine, request);
    const std::vector<Token>& tokens = whole->tokens(request.architecture.last_stack());
    const std::size_t n_first = tokens.size() / 2;
    if (n_first == 0) continue;
    std::string& text = request.architecture.has_cross() ? request.target : request.sentence;
    text = text.substr(0, tokens[n_first].span.begin);
    const SharedTrace first = computed(engine, request);
    SCOPED_TRACE("seed " + std::to_string(seed));
    EXPECT_EQ(first->complete() && decoding_obstacle(*first).empty(), can_decode_further(*first));
    if (!can_decode_further(*first)) continue;
    ++n_compared;
    Decoding decoding(*first, pool);
    decoding.prefill();
    decoding.step();
    for (std::size_t i = n_first; i < tokens.size(); ++i) {
      expect_equal_row(decoding.newest(), whole->kept(), decoding.n_decoded() - 1);
      decoding.step(tokens[i]);
    }
    expect_equal_row(decoding.newest(), whole->kept(), decoding.n_decoded() - 1);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(n_compared, 100);
}

TEST(Decoding, NoStateGoesOnBeyondAWindow) {
  Engine engine(1);
  Request request;
  request.sentence = "a few words";
  request.architecture.linear_attention = true;
  request.attention.mask.causal = true;
  EXPECT_TRUE(can_decode_further(*computed(engine, request)));
  request.attention.mask.window = 50;
  EXPECT_FALSE(can_decode_further(*computed(engine, request)));
  request.attention.mask.window.reset();
  request.architecture.sliding_window = 50;
  EXPECT_FALSE(can_decode_further(*computed(engine, request)));
}

TEST(Decoding, DoesNotGoOnWhereMoreThanRulesSaysWhatIsSeen) {
  Engine engine(1);
  Request request = random_decodable(1);
  const auto goes_on = [&] {
    return request.architecture.has_self() && can_decode_further(*computed(engine, request));
  };
  for (std::uint64_t seed = 2; !goes_on(); ++seed) request = random_decodable(seed);
  const bool two = request.architecture.has_cross();
  Request other = request;
  MaskSpec& mask = two ? other.attention.target_mask : other.attention.mask;
  mask.painted = {{1, 0}};
  EXPECT_FALSE(can_decode_further(*computed(engine, other)));
  mask = {};
  EXPECT_FALSE(can_decode_further(*computed(engine, other)));
  other = request;
  other.attention.mask_value = MaskValue::minus_1e9;
  EXPECT_FALSE(can_decode_further(*computed(engine, other)));
}

TEST(Decoding, EqualsTheFullPassForEveryOption) {
  Engine engine(1);
  int n_decoded = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const SharedTrace trace = computed(engine, random_decodable(seed));
    ASSERT_NE(trace, nullptr);
    if (const std::string reason = decoding_obstacle(*trace).text; !reason.empty()) {
      EXPECT_EQ(trace->options().mask_value, MaskValue::minus_1e9) << reason;
      continue;
    }
    ++n_decoded;
    expect_decodes(*trace);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(n_decoded, 150);
}

TEST(Decoding, EqualsAPassThatKeptLess) {
  Engine engine(2);
  int n_less = 0;
  for (std::uint64_t seed = 300; seed < 312; ++seed) {
    Request request = random_decodable(seed);
    request.max_bytes = 1;
    const Request usual = random_decodable(seed);
    const SharedTrace whole = computed(engine, usual);
    request.max_bytes = whole->bytes() * 3 / 4;
    const auto less = engine.compute(request);
    if (!less || (*less)->n_tokens() != whole->n_tokens()) continue;
    if (!decoding_obstacle(**less).empty()) continue;
    n_less += (*less)->kept().shape.kept == whole->kept().shape.kept ? 0 : 1;
    for (const DecodedToken& token : decoded_text(**less).finish()) EXPECT_LE(token.difference, 1e-4);
  }
  EXPECT_GT(n_less, 3);
}

TEST(Decoding, CarriesOutInterventionsAndGivenNumbers) {
  Engine engine(1);
  int n_changed = 0;
  int n_inside = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    Request request = random_decodable(seed);
    RandomStream random(seed, "interventions of decoding");
    const Stack last = request.architecture.last_stack();
    const int n_rows = request.architecture.has_cross() ? n_words(request.target) : n_words(request.sentence);
    const HeadId head{last, request.architecture.has_self() ? AttentionKind::self : AttentionKind::cross, 0,
                      pick(random, 0, request.architecture.n_heads - 1)};
    HeadChange off{head};
    off.scale = random.uniform(0.0F, 2.0F);
    if (pick(random, 0, 1) == 0) off.pattern = Pattern::uniform;
    request.interventions.heads.push_back(off);
    const int row = pick(random, 0, n_rows - 1);
    request.interventions.patches.push_back({{StageKind::input, last}, row, PatchSource::zero});
    // Rows of stages inside the layers are replaced as well, if the last stack has them.
    const SharedTrace plain = computed(engine, request);
    for (const StageId& id : plain->stages()) {
      const bool is_of_source =
          id.attention == AttentionKind::cross && info(id.kind).rows == Axis::key_tokens;
      const int n = is_of_source ? plain->n_tokens() : n_rows;
      const int patched = pick(random, 0, n - 1);
      if (!can_be_patched(id.kind) || id.stack != last || pick(random, 0, 9) > 0) continue;
      request.interventions.patches.push_back({id, patched, PatchSource::zero});
      n_inside += id.kind == StageKind::latent || id.kind == StageKind::output_norm ? 1 : 0;
    }
    const auto trace = engine.compute(request);
    ASSERT_TRUE(trace) << trace.error().message;
    if (!decoding_obstacle(**trace).empty()) continue;
    ++n_changed;
    expect_decodes(**trace);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(n_changed, 40);
  EXPECT_GT(n_inside, 5);
}

TEST(Decoding, TakesGivenNumbers) {
  Engine engine(1);
  int n_given = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    Request request = random_decodable(seed);
    RandomStream random(seed, "given to decoding");
    give_random_numbers(random, *computed(engine, request), request);
    const auto trace = engine.compute(request);
    ASSERT_TRUE(trace) << trace.error().message;
    if (!decoding_obstacle(**trace).empty()) continue;
    n_given += request.given.empty() ? 0 : 1;
    expect_decodes(**trace);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(n_given, 40);
}

TEST(Decoding, SaysWhatStandsAgainstIt) {
  Engine engine(1);
  const auto reason = [&](const auto& change) {
    Request request = random_transformer(7, Stacks::decoder);
    change(request);
    return decoding_obstacle(*computed(engine, request)).text;
  };
  const auto looks_ahead = [&](const auto& change) {
    Request request = random_transformer(7, Stacks::decoder);
    change(request);
    return decoding_obstacle(*computed(engine, request)).looks_ahead;
  };
  EXPECT_TRUE(looks_ahead([](Request& r) { r.attention.mask.causal = false; }));
  EXPECT_FALSE(looks_ahead([](Request&) {}));
  EXPECT_FALSE(looks_ahead([](Request& r) { r.attention.softmax = SoftmaxAxis::queries; }));
  EXPECT_FALSE(looks_ahead([](Request& r) { r.attention.train = true; }));
  EXPECT_FALSE(looks_ahead([](Request& r) { r.attention.mask_value = -2.0F; }));
  EXPECT_EQ(reason([](Request&) {}), "");
  EXPECT_NE(reason([](Request& r) { r.attention.mask.causal = false; }).find("causal"), std::string::npos);
  EXPECT_NE(reason([](Request& r) { r.attention.softmax = SoftmaxAxis::queries; }).find("over queries"),
            std::string::npos);
  EXPECT_NE(reason([](Request& r) { r.attention.train = true; }).find("Dropout"), std::string::npos);
  EXPECT_NE(reason([](Request& r) { r.attention.mask_value = -2.0F; }).find("Choose the mask value"),
            std::string::npos);
  EXPECT_EQ(reason([](Request& r) { r.attention.mask_value = MaskValue::minus_1e9; }), "");
  // All queries, from the first token on, see the prefix.
  EXPECT_NE(reason([](Request& r) { set_prefix(r.attention.mask, 2); }), "");
  EXPECT_EQ(reason([](Request& r) { set_prefix(r.attention.mask, 1); }), "");
  // Under −1e9, a query that sees nothing attends equally to all keys, including later ones.
  EXPECT_NE(reason([](Request& r) {
              r.attention.mask_value = MaskValue::minus_1e9;
              r.attention.mask.painted = {{0, 0}};
            }),
            "");
}

TEST(Decoding, IsRefusedWhereScoresAreBelowTheMaskValue) {
  Engine engine(1);
  Request request = request_for("a b c", 8, 1);
  request.architecture.stacks = Stacks::decoder;
  request.attention.mask.causal = true;
  OwnedMatrix scores(3, 3);
  std::ranges::fill(scores.values, -1e11F);
  give(request, "decoder.layers.0.self.heads.0.raw", std::move(scores));
  request.attention.mask_value = MaskValue::minus_1e9;
  const SharedTrace weighs_hidden_keys = computed(engine, request);
  EXPECT_GT(weighs_hidden_keys->kept().at({StageKind::weights, Stack::decoder})[1], 0.0F) << "a later key";
  EXPECT_NE(decoding_obstacle(*weighs_hidden_keys).text.find("Choose the mask value"), std::string::npos);
  request.attention.mask_value = MaskValue::minus_infinity;
  EXPECT_EQ(decoding_obstacle(*computed(engine, request)).text, "");
}

/// The number of numbers that `n_layers` layers keep for `n_tokens` tokens, according to the published
/// formulas.
std::int64_t numbers_of_layers(const Architecture& a, AttentionKind kind, int n_layers, int n_tokens) {
  const bool turns = kind == AttentionKind::self && a.uses_rotary();
  if (a.kv_latent)
    return cached_numbers(CacheShape{.layers = n_layers,
                                     .key_width = *a.kv_latent,
                                     .value_width = turns ? a.head_width(no_layer) / 4 * 2 : 0},
                          n_tokens);
  return cached_numbers(CacheShape{.layers = n_layers,
                                   .kv_heads = a.kv_heads(no_layer),
                                   .key_width = a.head_width(no_layer),
                                   .value_width = a.value_width(no_layer)},
                        n_tokens);
}

/// The same for all layers of the last stack. `window` is the window of the sliding layers. If it is empty,
/// they keep all tokens as well.
std::int64_t numbers_by_formula(const Architecture& a, AttentionKind kind, int n_tokens,
                                std::optional<int> window = std::nullopt) {
  const int n_layers = a.layers_of(a.last_stack());
  int n_sliding = 0;
  for (int layer = 0; layer < n_layers; ++layer) n_sliding += window && a.has_sliding_window(layer) ? 1 : 0;
  return numbers_of_layers(a, kind, n_layers - n_sliding, n_tokens) +
         numbers_of_layers(a, kind, n_sliding, std::min(n_tokens, window.value_or(n_tokens)));
}

TEST(Decoding, KeepsAsManyNumbersAsTheFormulaSays) {
  Engine engine(1);
  int n_latent = 0;
  int n_full_windows = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    Request request = random_decodable(seed);
    const SharedTrace trace = computed(engine, request);
    if (!decoding_obstacle(*trace).empty()) continue;
    const Architecture& a = trace->architecture();
    const AttentionOptions& options = trace->options();
    const MaskSpec& mask = mask_of(options, a.stacks, a.last_stack(), AttentionKind::self);
    const bool lets_go = options.mask_value == MaskValue::minus_infinity && !mask.first_keys;
    const std::optional<int> window = lets_go ? a.sliding_window : std::nullopt;
    const std::vector<DecodedToken> decoded = decoded_text(*trace).finish();
    n_latent += a.kv_latent ? 1 : 0;
    n_full_windows += a.has_self() && window && std::cmp_less(*window, decoded.size()) ? 1 : 0;
    for (std::size_t t = 0; t < decoded.size(); ++t) {
      const DecodedToken& token = decoded[t];
      const auto n = static_cast<int>(t) + 1;
      EXPECT_EQ(token.cached_numbers,
                a.has_self() ? numbers_by_formula(a, AttentionKind::self, n, window) : 0);
      EXPECT_EQ(token.source_numbers,
                a.has_cross() ? numbers_by_formula(a, AttentionKind::cross, trace->n_tokens()) : 0);
      const DecodingWork work = decoding_work(*trace, static_cast<int>(t));
      const std::int64_t of_source = t == 0 ? 0 : token.source_numbers;
      EXPECT_EQ(work.read, token.cached_numbers - decoded[0].cached_numbers + of_source)
          << "what is kept, but for the newest token's own";
      EXPECT_LE(token.difference, 1e-4);
    }
  }
  EXPECT_GT(n_latent, 3);
  EXPECT_GT(n_full_windows, 5);
}

TEST(Decoding, CountsMultiplications) {
  // 2 layers of 2 heads (with one head of keys and values), K = 3, V = 5, D = 4, d_ff = 7, 11 words.
  Request request = request_for("a b c d", 4, 2);
  Architecture& a = request.architecture;
  a.stacks = Stacks::decoder;
  a.n_layers = 2;
  a.n_kv_heads = 1;
  a.d_head = 3;
  a.d_value = 5;
  a.d_ff = 7;
  a.output_layer = OutputLayer::linear;
  request.output_words = "a b c d e f g h i j k";
  request.attention.mask.causal = true;
  Engine engine(1);
  const SharedTrace trace = computed(engine, request);
  const std::int64_t row = 2 * (4 * 6 + 4 * 3 + 4 * 5 + 10 * 4 + 2 * 4 * 7);
  const std::int64_t key = 2 * 2 * (3 + 5);
  const DecodingWork third = decoding_work(*trace, 2);
  EXPECT_EQ(third.computed, row + 3 * key + 4 * 11);
  EXPECT_EQ(third.again, 3 * (row + 3 * key) + 4 * 11);
  EXPECT_EQ(third.read, 2 * 2 * (3 + 5));

  // The first of the two layers has a window of two tokens.
  a.sliding_window = 2;
  a.global_every = 2;
  const DecodingWork windowed = decoding_work(*computed(engine, request), 2);
  EXPECT_EQ(windowed.computed, row + (2 + 3) * key / 2 + 4 * 11);
  EXPECT_EQ(windowed.again, third.again);
  EXPECT_EQ(windowed.read, (1 + 2) * (3 + 5));
}

TEST(Decoding, MakesKeysAndValuesOfALatentAgain) {
  // 2 layers of 2 heads, K = 4 of which 2 are rotated, V = 5, D = 4, a latent of 3, d_ff = 7, 11 words.
  Request request = request_for("a b c d", 4, 2);
  Architecture& a = request.architecture;
  a.stacks = Stacks::decoder;
  a.n_layers = 2;
  a.kv_latent = 3;
  a.d_head = 4;
  a.d_value = 5;
  a.positions = Positions::rotary;
  a.rotary.fraction = 0.5F;
  a.d_ff = 7;
  a.output_layer = OutputLayer::linear;
  request.output_words = "a b c d e f g h i j k";
  request.attention.mask.causal = true;
  Engine engine(1);
  const SharedTrace trace = computed(engine, request);
  const std::int64_t row = 2 * (4 * 8 + 4 * 3 + 4 * 2 + 10 * 4 + 2 * 4 * 7);
  const std::int64_t made = 2 * (3 * 4 + 3 * 10);
  const std::int64_t key = 2 * 2 * (4 + 5);
  const DecodingWork third = decoding_work(*trace, 2);
  EXPECT_EQ(third.computed, row + 3 * (made + key) + 4 * 11);
  EXPECT_EQ(third.again, 3 * (row + made + 3 * key) + 4 * 11);
  EXPECT_EQ(third.read, 2 * 2 * (3 + 2));
  const std::vector<DecodedToken> decoded = decoded_text(*trace).finish();
  EXPECT_EQ(decoded.back().cached_numbers, 4 * 2 * (3 + 2));
}

TEST(Decoding, TakesGivenKeysAndReplacedValuesOfALatent) {
  Engine engine(1);
  Request request = request_for("a b c d", 8, 2);
  request.architecture.kv_latent = 5;
  request.attention.mask.causal = true;
  RandomStream random(3, "given keys");
  OwnedMatrix keys(4, 4);
  for (float& number : keys.values) number = random.uniform(-1.0F, 1.0F);
  give(request, "encoder.layers.0.self.heads.1.key", std::move(keys));
  request.interventions.patches = {{{StageKind::value}, 1, PatchSource::zero}};
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  expect_decodes(*trace);
}

TEST(Decoding, LeavesOutWhatFillsABatch) {
  Engine engine(1);
  Request request = random_transformer(3, Stacks::decoder);
  request.batch = {"a b", "a b c d e"};
  request.sequence = 0;
  const SharedTrace trace = computed(engine, request);
  EXPECT_EQ(decoded_text(*trace).finish().size(), 2U);
}

}  // namespace
}  // namespace headscope
