// Measures the matrix products of one attention layer in Eigen alone, compiled for this machine's processor:
// X·[W_Q W_K W_V], q kᵀ and weights·v of every head, concat·W_O. It is a separate program, because code that
// Eigen compiles for this processor must not end up in one that runs on all processors. Arguments: T,
// d_model, heads, causal (0), threads (1).
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <random>

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix random_matrix(Eigen::Index rows, Eigen::Index cols) {
  std::mt19937 generator(7);
  std::normal_distribution<float> normal;
  Matrix matrix(rows, cols);
  std::generate_n(matrix.data(), matrix.size(), [&] { return normal(generator); });
  return matrix;
}

void products(benchmark::State& state) {
  const Eigen::Index t = state.range(0);
  const Eigen::Index d_model = state.range(1);
  const Eigen::Index n_heads = state.range(2);
  const Eigen::Index width = d_model / n_heads;
  const Matrix input = random_matrix(t, d_model);
  const Matrix qkv = random_matrix(d_model, 3 * d_model);
  const Matrix out = random_matrix(d_model, d_model);
  Matrix packed = random_matrix(t, 3 * d_model);
  Matrix concat = random_matrix(t, d_model);
  Matrix projected = random_matrix(t, d_model);
  Matrix raw = random_matrix(n_heads * t, t);
  const Matrix weights = Matrix::Constant(n_heads * t, t, 1.0F / static_cast<float>(t));
  for ([[maybe_unused]] auto _ : state) {
    packed.noalias() = input * qkv;
    for (Eigen::Index head = 0; head < n_heads; ++head) {
      const auto queries = packed.middleCols(head * width, width);
      const auto keys = packed.middleCols((n_heads + head) * width, width);
      const auto values = packed.middleCols((2 * n_heads + head) * width, width);
      raw.middleRows(head * t, t).noalias() = queries * keys.transpose();
      concat.middleCols(head * width, width).noalias() = weights.middleRows(head * t, t) * values;
    }
    projected.noalias() = concat * out;
    benchmark::ClobberMemory();
  }
}

void shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"T", "d_model", "heads", "causal", "threads"})->UseRealTime();
  constexpr std::array<std::array<int, 3>, 5> sizes{
      {{12, 64, 8}, {32, 512, 8}, {128, 768, 12}, {512, 768, 12}, {1024, 768, 12}}};
  for (const auto& [t, d_model, heads] : sizes) benchmark->Args({t, d_model, heads, 0, 1});
}

BENCHMARK(products)->Apply(shapes);

}  // namespace

BENCHMARK_MAIN();
