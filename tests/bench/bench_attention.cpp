// The forward pass with every stage kept, and its matrix products alone. Both write into memory that an
// earlier pass has used, as passes in the window do. Arguments: T, d_model, heads, causal, threads (0: all).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <random>

#include "core/model/forward.h"

namespace headscope {
namespace {

Matrix random_matrix(Eigen::Index rows, Eigen::Index cols, float deviation) {
  std::mt19937 generator(7);
  std::normal_distribution<float> normal(0.0F, deviation);
  Matrix matrix(rows, cols);
  std::generate_n(matrix.data(), matrix.size(), [&] { return normal(generator); });
  return matrix;
}

/// One attention layer of the shape that a benchmark's arguments name, with its input.
struct Layer {
  Architecture architecture;
  AttentionWeights weights;
  int n_tokens;
  Matrix input;

  explicit Layer(const benchmark::State& state) : n_tokens(static_cast<int>(state.range(0))) {
    architecture.d_model = static_cast<int>(state.range(1));
    architecture.n_heads = static_cast<int>(state.range(2));
    weights = random_model(architecture).attention;
    input = random_matrix(n_tokens, architecture.d_model, 1.0F);
  }
};

void pass(benchmark::State& state) {
  const Layer layer(state);
  AttentionOptions options;
  options.mask.causal = state.range(3) != 0;
  const auto mask =
      combine(options.mask, options.mask_value, layer.n_tokens, layer.n_tokens, layer.architecture.n_heads);
  if (!mask) {
    state.SkipWithError(mask.error().message.c_str());
    return;
  }
  TaskPool pool(static_cast<int>(state.range(4)));
  const PackedAttention packed = pack(layer.weights);
  const ForwardShape shape = forward_shape(layer.architecture, layer.n_tokens, options.mask.causal);
  ForwardBuffers buffers(shape, AlignedBuffer(shape.floats()));
  std::copy_n(layer.input.data(), layer.input.size(), buffers.input);
  attention_forward(packed, options, *mask, buffers, pool);
  for ([[maybe_unused]] auto _ : state) {
    attention_forward(packed, options, *mask, buffers, pool);
    benchmark::ClobberMemory();
  }
}

/// What the pass's products cost in Eigen: X·[W_Q W_K W_V], q kᵀ and weights·v of every head, concat·W_O.
void products(benchmark::State& state) {
  const Layer layer(state);
  const Eigen::Index t = layer.n_tokens;
  const Eigen::Index width = layer.architecture.head_width();
  const Eigen::Index n_heads = layer.architecture.n_heads;
  Matrix packed = random_matrix(t, 3 * n_heads * width, 1.0F);
  Matrix concat = random_matrix(t, n_heads * width, 1.0F);
  Matrix projected = random_matrix(t, layer.architecture.d_model, 1.0F);
  Matrix raw = random_matrix(n_heads * t, t, 1.0F);
  const Matrix weights = Matrix::Constant(n_heads * t, t, 1.0F / static_cast<float>(t));
  for ([[maybe_unused]] auto _ : state) {
    packed.noalias() = layer.input * layer.weights.qkv;
    for (Eigen::Index head = 0; head < n_heads; ++head) {
      const auto queries = packed.middleCols(head * width, width);
      const auto keys = packed.middleCols((n_heads + head) * width, width);
      const auto values = packed.middleCols((2 * n_heads + head) * width, width);
      raw.middleRows(head * t, t).noalias() = queries * keys.transpose();
      concat.middleCols(head * width, width).noalias() = weights.middleRows(head * t, t) * values;
    }
    projected.noalias() = concat * layer.weights.out;
    benchmark::ClobberMemory();
  }
}

void shapes(benchmark::internal::Benchmark* benchmark, bool with_masks) {
  benchmark->ArgNames({"T", "d_model", "heads", "causal", "threads"})->UseRealTime();
  constexpr std::array<std::array<int, 3>, 5> sizes{
      {{12, 64, 8}, {32, 512, 8}, {128, 768, 12}, {512, 768, 12}, {1024, 768, 12}}};
  for (const auto& [t, d_model, heads] : sizes) {
    benchmark->Args({t, d_model, heads, 0, 1});
    if (!with_masks) continue;
    benchmark->Args({t, d_model, heads, 1, 1});
    benchmark->Args({t, d_model, heads, 0, 0});
    benchmark->Args({t, d_model, heads, 1, 0});
  }
}

BENCHMARK(pass)->Apply([](auto* b) { shapes(b, true); });
BENCHMARK(products)->Apply([](auto* b) { shapes(b, false); });

}  // namespace
}  // namespace headscope

BENCHMARK_MAIN();
