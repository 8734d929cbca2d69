// Measures the forward pass with every stage kept, for one attention layer and for a whole encoder. Both
// write into memory that an earlier pass has used, as passes in the window do. Arguments: T, d_model, heads,
// causal, threads (0: all).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <utility>

#include "core/model/pass.h"

namespace headscope {
namespace {

Matrix random_matrix(Eigen::Index rows, Eigen::Index cols, float deviation) {
  std::mt19937 generator(7);
  std::normal_distribution<float> normal(0.0F, deviation);
  Matrix matrix(rows, cols);
  std::generate_n(matrix.data(), matrix.size(), [&] { return normal(generator); });
  return matrix;
}

/// One attention layer of the shape that a benchmark's arguments describe, with its input.
struct Layer {
  Architecture architecture;
  AttentionWeights weights;
  int n_tokens;
  Matrix input;

  explicit Layer(const benchmark::State& state, std::optional<int> n_kv_heads = {})
      : n_tokens(static_cast<int>(state.range(0))) {
    architecture.d_model = static_cast<int>(state.range(1));
    architecture.n_heads = static_cast<int>(state.range(2));
    architecture.n_kv_heads = n_kv_heads;
    ThreadPool pool(1);
    const Model model = random_model(architecture, 0, pool);
    weights = {linear_of(model, {StageKind::w_query}), linear_of(model, {StageKind::w_key}),
               linear_of(model, {StageKind::w_value}), linear_of(model, {StageKind::w_output})};
    input = random_matrix(n_tokens, architecture.d_model, 1.0F);
  }
};

void run_passes(benchmark::State& state, const Layer& layer, bool causal) {
  AttentionOptions options;
  options.mask.causal = causal;
  const Architecture& a = layer.architecture;
  const auto mask = combine(options.mask, options.mask_value, {layer.n_tokens, layer.n_tokens, a.n_heads});
  if (!mask) {
    state.SkipWithError(mask.error().message.c_str());
    return;
  }
  ThreadPool pool(static_cast<int>(state.range(4)));
  PassShape sizes;
  sizes.graph = std::make_shared<const Graph>(a, options);
  sizes.n_source = layer.n_tokens;
  sizes.mask_changes_scores = options.mask.causal;
  sizes.mask_hides = options.mask.causal;
  constexpr int layer_index = 0;
  const AttentionShape shape = sizes.attention(Stack::encoder, AttentionKind::self, layer_index);
  Arena counter(nullptr);
  const AttentionBuffers count_text(shape, counter);
  const AlignedBuffer memory(counter.used());
  Arena arena(memory.data());
  AttentionBuffers buffers(shape, arena);
  const MatrixView input = view_of(layer.input);
  const AttentionPlan plan{options, *mask, nullptr, {}};
  attention_forward(layer.weights, {input, input, input}, plan, buffers, pool);
  for ([[maybe_unused]] auto _ : state) {
    attention_forward(layer.weights, {input, input, input}, plan, buffers, pool);
    benchmark::ClobberMemory();
  }
}

void pass(benchmark::State& state) {
  run_passes(state, Layer(state), state.range(3) != 0);
}

/// Measures query heads that share keys and values; ungrouped() measures as many that do not. Arguments: T,
/// d_model, heads, key and value heads, threads.
void grouped(benchmark::State& state) {
  run_passes(state, Layer(state, static_cast<int>(state.range(3))), false);
}
void ungrouped(benchmark::State& state) {
  run_passes(state, Layer(state), false);
}

void group_shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"T", "d_model", "heads", "kv_heads", "threads"})->UseRealTime();
  for (const int threads : {1, 0}) benchmark->Args({512, 768, 12, 4, threads});
}

/// The encoder of Vaswani et al. 2017, base. Arguments: layers, T, d_model, heads, d_ff, threads.
void encoder(benchmark::State& state) {
  PassShape shape;
  Architecture a;
  a.n_layers = static_cast<int>(state.range(0));
  shape.n_source = static_cast<int>(state.range(1));
  a.d_model = static_cast<int>(state.range(2));
  a.n_heads = static_cast<int>(state.range(3));
  a.d_ff = static_cast<int>(state.range(4));
  a.norm = Norm::post;
  a.residual = true;
  a.positions = Positions::none;
  ThreadPool pool(static_cast<int>(state.range(5)));
  const Model model = random_model(a, 0, pool);
  const AttentionOptions options;
  const PassMasks masks;
  const Linear no_unembedding;
  shape.graph = std::make_shared<const Graph>(a, options);
  PassBuffers buffers(shape, AlignedBuffer(shape.floats()));
  const Matrix input = random_matrix(shape.n_source, a.d_model, 1.0F);
  std::copy_n(input.data(), input.size(), buffers.at({StageKind::input}));
  forward({model, options, masks, no_unembedding}, buffers, pool).finish();
  for ([[maybe_unused]] auto _ : state) {
    forward({model, options, masks, no_unembedding}, buffers, pool).finish();
    benchmark::ClobberMemory();
  }
}

void shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"T", "d_model", "heads", "causal", "threads"})->UseRealTime();
  constexpr std::array<std::array<int, 3>, 5> sizes{
      {{12, 64, 8}, {32, 512, 8}, {128, 768, 12}, {512, 768, 12}, {1024, 768, 12}}};
  for (const auto& [t, d_model, heads] : sizes) {
    benchmark->Args({t, d_model, heads, 0, 1});
    benchmark->Args({t, d_model, heads, 1, 1});
    benchmark->Args({t, d_model, heads, 0, 0});
    benchmark->Args({t, d_model, heads, 1, 0});
  }
}

BENCHMARK(pass)->Apply(shapes);
BENCHMARK(grouped)->Apply(group_shapes);
BENCHMARK(ungrouped)->Apply(group_shapes);
BENCHMARK(encoder)
    ->ArgNames({"layers", "T", "d_model", "heads", "d_ff", "threads"})
    ->Args({6, 64, 512, 8, 2048, 1})
    ->Args({6, 64, 512, 8, 2048, 0})
    ->UseRealTime();

}  // namespace
}  // namespace headscope

BENCHMARK_MAIN();
