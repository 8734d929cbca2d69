// Measures the matrix products of one attention layer in OpenBLAS alone: X·[W_Q W_K W_V], q kᵀ and weights·v
// of every head, concat·W_O. Arguments: T, d_model, heads, causal (0), threads (1).
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace {

/// A row-major matrix, or a range of columns of one.
struct Matrix {
  float* data;
  int rows, cols, stride;

  Matrix block(int first_row, int n_rows, int first_col, int n_cols) const {
    return {data + std::ptrdiff_t{first_row} * stride + first_col, n_rows, n_cols, stride};
  }
};

class RandomMatrix : public Matrix {
 public:
  RandomMatrix(int n_rows, int n_cols) : numbers_(static_cast<std::size_t>(n_rows) * n_cols) {
    std::mt19937 generator(7);
    std::normal_distribution<float> normal;
    std::generate(numbers_.begin(), numbers_.end(), [&] { return normal(generator); });
    static_cast<Matrix&>(*this) = {numbers_.data(), n_rows, n_cols, n_cols};
  }

 private:
  std::vector<float> numbers_;
};

/// out = a b, or a bᵀ.
void multiply(const Matrix& a, const Matrix& b, const Matrix& out, bool is_transposed = false) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, is_transposed ? CblasTrans : CblasNoTrans, out.rows, out.cols,
              a.cols, 1.0F, a.data, a.stride, b.data, b.stride, 0.0F, out.data, out.stride);
}

void products(benchmark::State& state) {
  const auto t = static_cast<int>(state.range(0));
  const auto d_model = static_cast<int>(state.range(1));
  const auto n_heads = static_cast<int>(state.range(2));
  const int width = d_model / n_heads;
  openblas_set_num_threads(static_cast<int>(state.range(4)));
  const RandomMatrix input(t, d_model), qkv(d_model, 3 * d_model), w_output(d_model, d_model);
  const RandomMatrix packed(t, 3 * d_model), raw(n_heads * t, t), weights(n_heads * t, t);
  const RandomMatrix concat(t, d_model), projected(t, d_model);
  for ([[maybe_unused]] auto _ : state) {
    multiply(input, qkv, packed);
    for (int head = 0; head < n_heads; ++head) {
      const auto projection = [&](int index) {
        return packed.block(0, t, (index * n_heads + head) * width, width);
      };
      constexpr bool is_transposed = true;
      multiply(projection(0), projection(1), raw.block(head * t, t, 0, t), is_transposed);
      multiply(weights.block(head * t, t, 0, t), projection(2), concat.block(0, t, head * width, width));
    }
    multiply(concat, w_output, projected);
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
