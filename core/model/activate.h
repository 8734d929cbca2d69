#pragma once

#include "core/model/architecture.h"
#include "core/tensor/activation.h"

namespace headscope {

/// Applies the activation to n numbers. Scalar is float or double.
template <class Scalar>
void activate(Activation kind, const Scalar* x, std::size_t n, Scalar* out) {
  switch (kind) {
    case Activation::relu:
      return relu(x, n, out);
    case Activation::gelu:
      return gelu(x, n, out);
    case Activation::gelu_tanh:
      return gelu_tanh(x, n, out);
    case Activation::silu:
      return silu(x, n, out);
  }
}

/// d_x = d_out · activation'(x). `d_x` may alias `d_out`.
template <class Scalar>
void activate_backward(Activation kind, const Scalar* x, std::size_t n, const Scalar* d_out, Scalar* d_x) {
  switch (kind) {
    case Activation::relu:
      return relu_backward(x, n, d_out, d_x);
    case Activation::gelu:
      return gelu_backward(x, n, d_out, d_x);
    case Activation::gelu_tanh:
      return gelu_tanh_backward(x, n, d_out, d_x);
    case Activation::silu:
      return silu_backward(x, n, d_out, d_x);
  }
}

}  // namespace headscope
