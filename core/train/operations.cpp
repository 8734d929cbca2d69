#include "core/train/operations.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace headscope {
namespace {

MatrixView view(const float* data, int rows, int cols) {
  return {data, rows, cols, cols};
}

MatrixView view(const RowMatrix<float>& rows) {
  return view(rows.data(), rows.rows(), rows.cols());
}

}  // namespace

template <class Scalar>
void Products<Scalar>::product(const RowMatrix<Scalar>& a, const Factor& factor, const Scalar* bias,
                               Scalar* out) {
  if constexpr (std::is_same_v<Scalar, float>) {
    pack(factor);
    packed_.multiply(view(a), bias, out, factor.cols);
  } else {
    for (int r = 0; r < a.rows(); ++r) {
      Scalar* row = out + static_cast<std::ptrdiff_t>(r) * factor.cols;
      for (int c = 0; c < factor.cols; ++c) row[c] = bias == nullptr ? Scalar{0} : bias[c];
    }
    add_product(a, factor, out);
  }
}

template <class Scalar>
void Products<Scalar>::add_product(const RowMatrix<Scalar>& a, const Factor& factor, Scalar* out) {
  if constexpr (std::is_same_v<Scalar, float>) {
    pack(factor);
    packed_.multiply_add(view(a), out, factor.cols);
  } else {
    const std::ptrdiff_t along = factor.transposed ? 1 : factor.cols;
    const std::ptrdiff_t across = factor.transposed ? factor.depth : 1;
    for (int r = 0; r < a.rows(); ++r) {
      for (int c = 0; c < factor.cols; ++c) {
        Scalar sum = 0;
        for (int k = 0; k < factor.depth; ++k) sum += a.row(r)[k] * factor.b[k * along + c * across];
        out[static_cast<std::ptrdiff_t>(r) * factor.cols + c] += sum;
      }
    }
  }
}

template <class Scalar>
void Products<Scalar>::add_outer(const RowMatrix<Scalar>& a, const RowMatrix<Scalar>& b, Scalar* out) {
  if constexpr (std::is_same_v<Scalar, float>) {
    packed_.borrow(view(b));
    packed_.multiply_add_transposed(view(a), out, b.cols());
  } else {
    for (int r = 0; r < a.rows(); ++r) {
      for (int i = 0; i < a.cols(); ++i) {
        Scalar* row = out + static_cast<std::ptrdiff_t>(i) * b.cols();
        for (int c = 0; c < b.cols(); ++c) row[c] += a.row(r)[i] * b.row(r)[c];
      }
    }
  }
}

template <class Scalar>
void Products<Scalar>::pack(const Factor& factor) {
  if constexpr (std::is_same_v<Scalar, float>) {
    if (factor.transposed) {
      packed_.pack_transposed(view(factor.b, factor.cols, factor.depth));
    } else {
      packed_.borrow(view(factor.b, factor.depth, factor.cols));
    }
  }
}

template <class Scalar>
void Products<Scalar>::linear(const RowMatrix<Scalar>& in, const LayerSlot& slot, const Scalar* parameters,
                              RowMatrix<Scalar>& out) {
  out.resize(in.rows(), slot.n_out);
  const Scalar* const bias = slot.bias < 0 ? nullptr : parameters + slot.bias;
  product(in, {parameters + slot.first, slot.n_in, slot.n_out, slot.is_tied}, slot.is_tied ? nullptr : bias,
          out.data());
  for (int r = 0; r < out.rows() && slot.is_tied && bias != nullptr; ++r)
    add(bias, out.row(r), static_cast<std::size_t>(out.cols()), out.row(r));
}

template <class Scalar>
void Products<Scalar>::linear_backward(const RowMatrix<Scalar>& in, const LayerSlot& slot,
                                       const Scalar* parameters, const RowMatrix<Scalar>& d_out,
                                       Scalar* gradients, bool adds, RowMatrix<Scalar>& d_in) {
  if (gradients != nullptr)
    add_outer(slot.is_tied ? d_out : in, slot.is_tied ? in : d_out, gradients + slot.first);
  for (int r = 0; r < d_out.rows() && gradients != nullptr && slot.bias >= 0; ++r) {
    Scalar* const d_bias = gradients + slot.bias;
    add(d_bias, d_out.row(r), static_cast<std::size_t>(d_out.cols()), d_bias);
  }
  const Factor factor{parameters + slot.first, slot.n_out, slot.n_in, !slot.is_tied};
  if (adds) return add_product(d_out, factor, d_in.data());
  d_in.resize(d_out.rows(), slot.n_in);
  product(d_out, factor, nullptr, d_in.data());
}

template class Products<float>;
template class Products<double>;

template <class Scalar>
const typename RotaryTables<Scalar>::Table& RotaryTables<Scalar>::of(const HeadPlan& plan, int n_positions) {
  auto table = std::ranges::find(tables_, plan.rotary, &Table::rotary);
  if (table == tables_.end()) {
    tables_.push_back({plan.rotary,
                       rotary_frequencies(plan.rotary, plan.architecture.head_width(no_layer),
                                          plan.architecture.kv_latent.has_value()),
                       {}});
    table = tables_.end() - 1;
  }
  RowMatrix<Scalar>& numbers = table->numbers;
  if (numbers.rows() >= n_positions) return *table;
  const RotaryFrequencies& turns = table->turns;
  const auto amplitude = static_cast<Scalar>(turns.amplitude);
  numbers.resize(n_positions, 2 * turns.n_pairs());
  for (int position = 0; position < n_positions; ++position) {
    for (int pair = 0; pair < turns.n_pairs(); ++pair) {
      const auto angle = static_cast<Scalar>(turns.angle(position, pair));
      numbers.row(position)[pair] = amplitude * std::cos(angle);
      numbers.row(position)[turns.n_pairs() + pair] = amplitude * std::sin(angle);
    }
  }
  return *table;
}

template <class Scalar>
void RotaryTables<Scalar>::rotate(const HeadPlan& plan, const Sequences& sequences, RowMatrix<Scalar>& rows,
                                  Scalar direction) {
  if (!plan.has_positions || !plan.architecture.uses_rotary() || rows.rows() == 0) return;
  const int width = plan.architecture.head_width(no_layer);
  const auto& [rotary, turns, numbers] = of(plan, std::ranges::max(sequences.position) + 1);
  for (int r = 0; r < rows.rows(); ++r) {
    const Scalar* cosines = numbers.row(sequences.position[static_cast<std::size_t>(r)]);
    const Scalar* sines = cosines + turns.n_pairs();
    for (int column = 0; column < rows.cols(); column += width) {
      Scalar* at = rows.row(r) + column;
      for (int pair = 0; pair < turns.n_pairs(); ++pair) {
        const auto [one, other] = turns.dimensions(pair);
        const Scalar sine = direction * sines[pair];
        const Scalar first = at[one];
        const Scalar second = at[other];
        at[one] = first * cosines[pair] - second * sine;
        at[other] = first * sine + second * cosines[pair];
      }
    }
  }
}

template class RotaryTables<float>;
template class RotaryTables<double>;

}  // namespace headscope
