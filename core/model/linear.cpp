#include "core/model/linear.h"

#include <algorithm>
#include <utility>

namespace headscope {

Linear::Linear(const MatrixIn& weight, RowVector b) : bias(std::move(b)) {
  packed.pack(view_of(weight));
}

Linear::Linear(PackedMatrix weight, RowVector b) : bias(std::move(b)), packed(std::move(weight)) {}

const Matrix& Linear::weight() const {
  std::call_once(shown_->made, [&] {
    shown_->weight.resize(n_in(), n_out());
    packed.unpack(shown_->weight.data(), n_out());
  });
  return shown_->weight;
}

void multiply(const MatrixView& in, const Linear& linear, float* out, TaskPool& pool) {
  constexpr int rows_in_block = 256;
  const PackedMatrix& weights = linear.packed;
  const int width = linear.n_out();
  const int n_blocks = (in.rows + rows_in_block - 1) / rows_in_block;
  const double work =
      static_cast<double>(in.rows) * static_cast<double>(in.cols) * static_cast<double>(width);
  const bool shares = work >= parallel_threshold && pool.size() > 1;
  const int n_parts = shares ? std::max(1, 2 * pool.size() / n_blocks) : 1;
  const auto task = [&](int index) {
    const int first_row = index / n_parts * rows_in_block;
    const int part = index % n_parts;
    const int rows = std::min(rows_in_block, in.rows - first_row);
    weights.multiply_panels(in.block(first_row, 0, rows, in.cols), linear.bias.data(),
                            out + static_cast<std::ptrdiff_t>(first_row) * width, width,
                            weights.n_panels() * part / n_parts, weights.n_panels() * (part + 1) / n_parts);
  };
  if (shares) {
    pool.for_each(n_blocks * n_parts, task);
  } else {
    for (int index = 0; index < n_blocks; ++index) task(index);
  }
}

}  // namespace headscope
