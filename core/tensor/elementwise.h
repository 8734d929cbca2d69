#pragma once

#include <cstddef>

namespace headscope {

// Loops over n numbers. Outputs may be inputs. The versions for doubles serve to test derivatives and use
// std::exp. The _backward functions multiply a gradient by the derivative.

/// The activation of the feed-forward layer. gelu is x Φ(x), computed with erf (Hendrycks and Gimpel 2016,
/// the exact form of PyTorch's nn.GELU); gelu_tanh is its approximation ½x (1 + tanh(√(2/π) (x + 0.044715
/// x³))), as in GPT-2, Gemma and PyTorch's nn.GELU("tanh"); silu is x / (1 + e^−x), as in Llama, also called
/// swish (Ramachandran et al. 2017).
enum class Activation { relu, gelu, gelu_tanh, silu };

/// out = activation(x). Scalar is float or double.
template <class Scalar>
void activate(Activation kind, const Scalar* x, std::size_t n, Scalar* out);
/// d_x = d_out · activation'(x).
template <class Scalar>
void activate_backward(Activation kind, const Scalar* x, std::size_t n, const Scalar* d_out, Scalar* d_x);

/// out = σ(x) = 1 / (1 + e^−x), between 0 and 1.
void logistic(const float* x, std::size_t n, float* out);
void logistic(const double* x, std::size_t n, double* out);
/// Multiplies d in place by σ'(x) = y (1 − y) with y = σ(x).
void logistic_backward(const float* y, std::size_t n, float* d);
void logistic_backward(const double* y, std::size_t n, double* d);

/// The feature map of linear attention: φ(x) = elu(x) + 1, which is x + 1 if x > 0, and e^x otherwise, so
/// never negative (Katharopoulos, Vyas, Pappas and Fleuret 2020, "Transformers are RNNs: Fast Autoregressive
/// Transformers with Linear Attention", equation 7). The relative error of e^x is below 2e-7 for floats.
void elu_plus_one(const float* x, std::size_t n, float* out);
void elu_plus_one(const double* x, std::size_t n, double* out);
/// Multiplies d in place by φ'(x) = min(φ(x), 1). `mapped` holds φ(x).
void elu_plus_one_backward(const float* mapped, std::size_t n, float* d);
void elu_plus_one_backward(const double* mapped, std::size_t n, double* d);

/// out = a · b, element by element.
void multiply_elementwise(const float* a, const float* b, std::size_t n, float* out);
void multiply_elementwise(const double* a, const double* b, std::size_t n, double* out);
/// out = a + b.
void add(const float* a, const float* b, std::size_t n, float* out);
void add(const double* a, const double* b, std::size_t n, double* out);
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
