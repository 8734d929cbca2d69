#include "core/engine/stored_projection.h"

#include <algorithm>
#include <cmath>

#include "core/tensor/shape_text.h"

namespace headscope {
namespace {

using Eigen::Index;

/// No attention module has wider rows. Three times this number still fits into an int.
constexpr std::size_t max_width = std::size_t{1} << 24U;

Index parts(StoredRows rows) {
  return rows == StoredRows::thirds ? 3 : 1;
}

bool is_width(std::size_t size) {
  return size >= 1 && size <= max_width;
}

Result<void> check_finite(const Tensor& tensor) {
  const auto wrong = std::ranges::find_if(tensor.values, [](float v) { return !std::isfinite(v); });
  if (wrong == tensor.values.end()) return {};
  const auto at = static_cast<std::size_t>(wrong - tensor.values.begin());
  const std::size_t cols = tensor.shape.back();
  const std::string place = tensor.shape.size() == 1
                                ? std::to_string(at)
                                : std::to_string(at / cols) + ", " + std::to_string(at % cols);
  return failure(named_shape(tensor) + " holds " + (std::isnan(*wrong) ? "NaN" : "∞") + " at [" + place +
                 "], but every number must be finite");
}

Result<void> check_weight(const Tensor& weight, StoredRows rows) {
  if (weight.shape.size() != 2 || !std::ranges::all_of(weight.shape, is_width)) {
    return failure(named_shape(weight) + " is not a projection matrix");
  }
  if (static_cast<Index>(weight.shape[0]) % parts(rows) != 0) {
    return failure(named_shape(weight) +
                   " must stack three matrices, but its number of rows is not divisible by 3");
  }
  return check_finite(weight);
}

Result<void> check_bias(const Tensor& bias, Index n_out, StoredRows rows) {
  const Index n = n_out * parts(rows);
  if (bias.shape.size() == 1 && static_cast<Index>(bias.shape[0]) == n) return check_finite(bias);
  return failure(named_shape(bias) + " is not [" + std::to_string(n) + "], as its weight requires");
}

}  // namespace

Result<Linear> linear_of(const StoredProjection& s) {
  const Tensor& w = *s.weight;
  if (auto ok = check_weight(w, s.weight_rows); !ok) return tl::unexpected(ok.error());
  const auto rows = static_cast<Index>(w.shape[0]);
  const auto cols = static_cast<Index>(w.shape[1]);
  const Index n = rows / parts(s.weight_rows);
  const Index first = s.weight_rows == StoredRows::thirds ? s.third * n : 0;
  const Eigen::Map<const Matrix> stored(w.values.data() + first * cols, n, cols);
  const bool transposed = s.layout == StoredLayout::out_in;
  Matrix weight = transposed ? Matrix(stored.transpose()) : Matrix(stored);
  const Index n_out = weight.cols();
  if (s.bias == nullptr) return Linear(weight, RowVector::Zero(n_out));

  if (auto ok = check_bias(*s.bias, n_out, s.bias_rows); !ok) return tl::unexpected(ok.error());
  const Index first_bias = s.bias_rows == StoredRows::thirds ? s.third * n_out : 0;
  RowVector bias = Eigen::Map<const RowVector>(s.bias->values.data() + first_bias, n_out);
  return Linear(weight, std::move(bias));
}

std::vector<const Tensor*> tensors_below(const Safetensors& file, const std::string& prefix) {
  std::vector<const Tensor*> tensors;
  for (const Tensor& tensor : file.tensors) {
    if (tensor.name.starts_with(prefix)) tensors.push_back(&tensor);
  }
  return tensors;
}

std::string named_shape(const Tensor& tensor) {
  return tensor.name + " " + shape_text(tensor.shape);
}

std::string listed(std::vector<const Tensor*> tensors) {
  constexpr std::size_t most = 24;
  if (tensors.empty()) return "no tensors";
  std::ranges::sort(tensors, {}, &Tensor::name);
  std::string text;
  for (std::size_t i = 0; i < std::min(most, tensors.size()); ++i) {
    text += (i == 0 ? "" : ", ") + named_shape(*tensors[i]);
  }
  if (tensors.size() > most) text += " and " + std::to_string(tensors.size() - most) + " more";
  return text;
}

}  // namespace headscope
