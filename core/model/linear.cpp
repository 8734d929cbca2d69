#include "core/model/linear.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace headscope {
namespace {

PackedMatrix packed_of(const MatrixView& weight) {
  PackedMatrix packed;
  packed.pack(weight);
  return packed;
}

}  // namespace

struct Linear::Weights {
  std::shared_ptr<const StoredWeights> stored;  ///< Null if they are packed from the beginning.
  std::shared_ptr<PackedShare> share;
  std::mutex mutex;                            ///< Of `packed`, if they are stored.
  std::shared_ptr<const PackedMatrix> packed;  ///< Null until they stay packed.
  std::once_flag shown_made;
  Matrix shown;
};

Linear::Linear(const MatrixIn& weight, RowVector b) : Linear(packed_of(view_of(weight)), std::move(b)) {}

Linear::Linear(PackedMatrix weight, RowVector b)
    : bias(std::move(b)),
      n_in_(weight.depth()),
      n_out_(weight.cols()),
      weights_(std::make_shared<Weights>()) {
  weights_->packed = std::make_shared<const PackedMatrix>(std::move(weight));
}

Linear::Linear(int n_in, std::shared_ptr<const StoredWeights> stored, std::shared_ptr<PackedShare> share,
               RowVector b)
    : bias(std::move(b)),
      n_in_(n_in),
      n_out_(static_cast<int>(bias.size())),
      weights_(std::make_shared<Weights>()) {
  weights_->stored = std::move(stored);
  weights_->share = std::move(share);
}

std::shared_ptr<const PackedMatrix> Linear::packed(TaskPool& pool) const {
  if (weights_->stored == nullptr) return weights_->packed;
  const std::lock_guard lock(weights_->mutex);
  if (weights_->packed) return weights_->packed;
  auto made = std::make_shared<PackedMatrix>();
  weights_->stored->pack(*made, pool);
  const double numbers = static_cast<double>(n_in_) * static_cast<double>(n_out_);
  if (weights_->share->take(numbers * sizeof(float))) weights_->packed = made;
  return made;
}

std::vector<float> Linear::column(int col) const {
  TaskPool alone(1);
  std::vector<float> numbers(static_cast<std::size_t>(n_in_));
  packed(alone)->unpack_column(col, numbers.data());
  return numbers;
}

const Matrix& Linear::weight() const {
  static const Matrix none;
  if (!exists()) return none;
  std::call_once(weights_->shown_made, [&] {
    TaskPool alone(1);
    weights_->shown.resize(n_in_, n_out_);
    packed(alone)->unpack(weights_->shown.data(), n_out_);
  });
  return weights_->shown;
}

void multiply(const MatrixView& in, const Linear& linear, float* out, TaskPool& pool) {
  constexpr int rows_in_block = 256;
  const std::shared_ptr<const PackedMatrix> weights = linear.packed(pool);
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
    weights->multiply_panels(in.block(first_row, 0, rows, in.cols), linear.bias.data(),
                             out + static_cast<std::ptrdiff_t>(first_row) * width, width,
                             weights->n_panels() * part / n_parts,
                             weights->n_panels() * (part + 1) / n_parts);
  };
  if (shares) {
    pool.for_each(n_blocks * n_parts, task);
  } else {
    for (int index = 0; index < n_blocks; ++index) task(index);
  }
}

}  // namespace headscope
