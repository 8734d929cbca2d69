#pragma once

#include <Eigen/Core>

#include "core/tensor/view.h"

namespace headscope {

/// All matrices are row-major; a row is a token. `MatrixIn` and `MatrixOut` state the storage order because a
/// plain Eigen::Ref is column-major and would copy a row-major argument. Their outer stride is dynamic, so
/// the columns of one head can be passed without a copy.
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowVector = Eigen::Matrix<float, 1, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixIn = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;
using MatrixOut = Eigen::Ref<Matrix, 0, Eigen::OuterStride<>>;
using ConstMap = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

inline ConstMap eigen(const MatrixView& view) {
  return {view.data, view.rows, view.cols, Eigen::OuterStride<>(view.stride)};
}

inline MatrixView view_of(const MatrixIn& matrix) {
  return {matrix.data(), static_cast<int>(matrix.rows()), static_cast<int>(matrix.cols()),
          matrix.outerStride()};
}

}  // namespace headscope
