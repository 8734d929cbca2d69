#pragma once

#include <cstddef>

namespace headscope {

/// The activation of the feed-forward layer. gelu is x Φ(x), computed with erf (Hendrycks and Gimpel 2016,
/// the exact form of PyTorch's nn.GELU); gelu_tanh is its approximation ½x (1 + tanh(√(2/π) (x + 0.044715
/// x³))), as in GPT-2, Gemma and PyTorch's nn.GELU("tanh"); silu is x / (1 + e^−x), as in Llama, also called
/// swish (Ramachandran et al. 2017).
enum class Activation { relu, gelu, gelu_tanh, silu };

/// A function of numbers a and b. Most ignore b. Behind each function that has one is its backward pass,
/// which multiplies the gradient b by the derivative.
enum class Elementwise {
  add,                ///< a + b
  multiply,           ///< a · b
  logistic,           ///< σ(a) = 1 / (1 + e^−a), between 0 and 1
  logistic_backward,  ///< b σ'(x), where a is σ(x)
  /// The feature map of linear attention: φ(a) = elu(a) + 1, which is a + 1 if a > 0, and e^a otherwise, so
  /// never negative (Katharopoulos, Vyas, Pappas and Fleuret 2020, "Transformers are RNNs: Fast
  /// Autoregressive Transformers with Linear Attention", equation 7). The relative error of e^a is below 2e-7
  /// for floats.
  elu_plus_one,
  elu_plus_one_backward,  ///< b φ'(x) = b min(φ(x), 1), where a is φ(x)
  // The activations, in order.
  relu,
  relu_backward,
  gelu,
  gelu_backward,
  gelu_tanh,
  gelu_tanh_backward,
  silu,
  silu_backward
};
constexpr Elementwise function_of(Activation kind) {
  return static_cast<Elementwise>(static_cast<int>(Elementwise::relu) + 2 * static_cast<int>(kind));
}
static_assert(function_of(Activation::gelu) == Elementwise::gelu &&
              function_of(Activation::gelu_tanh) == Elementwise::gelu_tanh &&
              function_of(Activation::silu) == Elementwise::silu);
constexpr Elementwise backward_of(Elementwise function) {
  return static_cast<Elementwise>(static_cast<int>(function) + 1);
}
/// Whether the backward pass reads the result of the function, not its input.
constexpr bool derives_from_result(Elementwise function) {
  return function == Elementwise::logistic || function == Elementwise::elu_plus_one;
}

/// out = function(a, b), number by number; `out` may be a or b. Scalar is float or, to test derivatives,
/// double, which uses std::exp.
template <class Scalar>
void apply(Elementwise function, const Scalar* a, const Scalar* b, std::size_t n, Scalar* out);
/// The same for functions that ignore b.
template <class Scalar>
void apply(Elementwise function, const Scalar* a, std::size_t n, Scalar* out) {
  apply(function, a, a, n, out);
}
/// out = a + b.
template <class Scalar>
void add(const Scalar* a, const Scalar* b, std::size_t n, Scalar* out) {
  apply(Elementwise::add, a, b, n, out);
}

/// x = x · factor.
void scale(float* x, std::size_t n, float factor);
void scale(double* x, std::size_t n, double factor);
/// Σ x², computed in double precision.
double sum_of_squares(const float* x, std::size_t n);

/// Copies `n` floats with non-temporal stores, for results larger than the caches that are not read again
/// soon. The ranges must not overlap. Call stream_fence() before another thread reads the copy.
void stream_copy(const float* from, std::size_t n, float* to);
void stream_fence();

}  // namespace headscope
