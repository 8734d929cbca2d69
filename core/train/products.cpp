#include "core/train/products.h"

#include <type_traits>

namespace headscope {
namespace {

template <class Scalar>
void add_to(Scalar* sum, const Scalar* addend, std::size_t n) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) sum[i] += addend[i];
}

/// Sixteen columns at a time, so that lines of the source are used whole.
template <class Scalar>
void transpose(const Rows<Scalar>& from, Rows<Scalar>& to) {
  constexpr int block = 16;
  to.resize(from.cols(), from.rows());
  for (int r0 = 0; r0 < from.rows(); r0 += block) {
    const int r1 = std::min(r0 + block, from.rows());
    for (int c = 0; c < from.cols(); ++c) {
      Scalar* target = to.row(c);
      for (int r = r0; r < r1; ++r) target[r] = from.row(r)[c];
    }
  }
}

MatrixView view(const float* data, int rows, int cols) {
  return {data, rows, cols, cols};
}

}  // namespace

template <class Scalar>
void Products<Scalar>::product(const Scalar* a, int n, int depth, const Scalar* b, int cols,
                               const Scalar* bias, Scalar* out, bool adds) {
  Scalar* target = out;
  if (adds) {
    result_.resize(n, cols);
    target = result_.data();
  }
  if constexpr (std::is_same_v<Scalar, float>) {
    packed_.pack(view(b, depth, cols));
    packed_.multiply(view(a, n, depth), bias, target, cols);
  } else {
    for (std::ptrdiff_t r = 0; r < n; ++r) {
      for (std::ptrdiff_t c = 0; c < cols; ++c) {
        Scalar sum = bias == nullptr ? Scalar{0} : bias[c];
        for (std::ptrdiff_t k = 0; k < depth; ++k) sum += a[r * depth + k] * b[k * cols + c];
        target[r * cols + c] = sum;
      }
    }
  }
  if (adds) add_to(out, result_.data(), result_.size());
}

template <class Scalar>
void Products<Scalar>::product_transposed(const Scalar* a, int n, int depth, const Scalar* b, int cols,
                                          Scalar* out, bool adds) {
  Scalar* target = out;
  if (adds) {
    result_.resize(n, cols);
    target = result_.data();
  }
  if constexpr (std::is_same_v<Scalar, float>) {
    packed_.pack_transposed(view(b, cols, depth));
    packed_.multiply(view(a, n, depth), nullptr, target, cols);
  } else {
    for (std::ptrdiff_t r = 0; r < n; ++r) {
      for (std::ptrdiff_t c = 0; c < cols; ++c) {
        Scalar sum = 0;
        for (std::ptrdiff_t k = 0; k < depth; ++k) sum += a[r * depth + k] * b[c * depth + k];
        target[r * cols + c] = sum;
      }
    }
  }
  if (adds) add_to(out, result_.data(), result_.size());
}

template <class Scalar>
void Products<Scalar>::outer(const Rows<Scalar>& a, const Rows<Scalar>& b, Scalar* out) {
  transpose(a, transposed_);
  constexpr bool adds = true;
  product(transposed_.data(), a.cols(), a.rows(), b.data(), b.cols(), nullptr, out, adds);
}

template <class Scalar>
void Products<Scalar>::linear(const Rows<Scalar>& in, const LinearSlot& slot, const Scalar* parameters,
                              Rows<Scalar>& out) {
  out.resize(in.rows(), slot.n_out);
  constexpr bool adds = false;
  product(in.data(), in.rows(), slot.n_in, parameters + slot.weight, slot.n_out,
          slot.bias < 0 ? nullptr : parameters + slot.bias, out.data(), adds);
}

template <class Scalar>
void Products<Scalar>::linear_backward(const Rows<Scalar>& in, const LinearSlot& slot,
                                       const Scalar* parameters, const Rows<Scalar>& d_out, Scalar* gradients,
                                       Rows<Scalar>* d_in) {
  outer(in, d_out, gradients + slot.weight);
  if (slot.bias >= 0) {
    for (int r = 0; r < d_out.rows(); ++r) {
      add_to(gradients + slot.bias, d_out.row(r), static_cast<std::size_t>(slot.n_out));
    }
  }
  if (d_in == nullptr) return;
  constexpr bool adds = true;
  product_transposed(d_out.data(), d_out.rows(), slot.n_out, parameters + slot.weight, slot.n_in,
                     d_in->data(), adds);
}

template <class Scalar>
void Products<Scalar>::tied(const Rows<Scalar>& in, const Scalar* table, int vocabulary, Rows<Scalar>& out) {
  out.resize(in.rows(), vocabulary);
  constexpr bool adds = false;
  product_transposed(in.data(), in.rows(), in.cols(), table, vocabulary, out.data(), adds);
}

template <class Scalar>
void Products<Scalar>::tied_backward(const Rows<Scalar>& in, const Scalar* table, const Rows<Scalar>& d_out,
                                     Scalar* d_table, Rows<Scalar>& d_in) {
  outer(d_out, in, d_table);
  constexpr bool adds = true;
  product(d_out.data(), d_out.rows(), d_out.cols(), table, in.cols(), nullptr, d_in.data(), adds);
}

template class Products<float>;
template class Products<double>;

}  // namespace headscope
