#include <algorithm>
#include <utility>

#include "core/checkpoint/tensor_loader.h"
#include "core/tensor/matrix.h"

namespace headscope {
namespace {

/// Writes columns [k, k + n_k) of the rows first … first + n − 1 of a part to `to` [n, n_k]. The tensor's
/// rows are `width` numbers long.
void read_part_of_rows(const TensorLocation& place, std::size_t first, std::size_t n, std::size_t width,
                       std::size_t k, std::size_t n_k, float* to) {
  for (std::size_t r = 0; r < n; ++r)
    read_numbers(*place.tensor, place.selection.row(first + r) * width + k, n_k, to + r * n_k);
}

/// Returns the rows first … first + n − 1 of a part, each `width` numbers long. They are read in place if
/// possible, otherwise copied to `made`.
const float* rows_of(const TensorLocation& place, std::size_t first, std::size_t n, std::size_t width,
                     std::vector<float>& made) {
  const std::size_t stored_width = place.through ? place.tensor->shape[1] : width;
  const float* numbers = floats_of(*place.tensor);
  if (numbers != nullptr && place.selection.is_one_block(first + n)) {
    numbers += place.selection.row(first) * stored_width;
  } else {
    made.resize(n * stored_width);
    read_part_of_rows(place, first, n, stored_width, 0, stored_width, made.data());
    numbers = made.data();
  }
  if (!place.through) return numbers;
  std::vector<float> wide(n * width);
  const auto narrow = static_cast<int>(stored_width);
  place.through->packed.multiply({numbers, static_cast<int>(n), narrow, narrow}, nullptr, wide.data(),
                                 static_cast<std::ptrdiff_t>(width));
  made = std::move(wide);
  return made.data();
}

/// Whether the weights of each output are a row of the tensor.
bool has_rows(StoredAs stored) {
  return stored == StoredAs::out_in || stored == StoredAs::row_of_each_head;
}

/// Whether a range of numbers is quick to convert.
bool has_quick_rows(const TensorLocation& place) {
  const TensorRef& tensor = *place.tensor;
  return !place.through && tensor.strides.empty() && !tensor.change &&
         PackedMatrix::stream_depth % block_of(tensor.type).numbers == 0;
}

/// How packed copies keep the numbers of a part if its rows are packed as columns: as they are stored, unless
/// something changes them.
PackedAs packed_as_in(const TensorLocation& place) {
  const TensorRef& tensor = *place.tensor;
  if (place.through || tensor.change) return PackedAs::floats;
  if (tensor.type == NumberType::bf16) return PackedAs::bfloat16;
  if (tensor.type == NumberType::f16) return PackedAs::float16;
  const std::size_t group = has_quick_rows(place) ? group_of_levels(tensor) : 0;
  return group == 0 ? PackedAs::floats : group == 16 ? PackedAs::levels_of_16 : PackedAs::levels_of_32;
}

/// Packs the rows [first, first + n) of a part as columns. Each row has `width` numbers.
void pack_rows_of(const TensorLocation& place, int first, int n, int width, PackedMatrix& to) {
  if (are_levels(packed_as_in(place))) {
    const auto length = static_cast<std::size_t>(width);
    return to.pack_levels(first, n, [&](int column, const LevelsOut& out) {
      const std::size_t row = place.selection.row(static_cast<std::size_t>(column));
      read_levels(*place.tensor, row * length, length, out);
    });
  }
  std::vector<float> made;
  const float* const rows = rows_of(place, static_cast<std::size_t>(first), static_cast<std::size_t>(n),
                                    static_cast<std::size_t>(width), made);
  to.pack_transposed_columns({rows, n, width, width}, first);
}

class WeightsOfTensor : public StoredWeights {
 public:
  WeightsOfTensor(TensorLocation place, int n_in, int n_out, std::shared_ptr<const CheckpointFiles> files)
      : place_(std::move(place)), n_in_(n_in), n_out_(n_out), files_(std::move(files)) {}

  void pack(PackedMatrix& to, ThreadPool& pool) const override {
    switch (place_.rule->stored) {
      case StoredAs::heads_out:
        return pack_by_heads(to);
      case StoredAs::in_out:
      case StoredAs::heads_in:
        return pack_columns(to, pool);
      case StoredAs::out_in:
      case StoredAs::row_of_each_head:
        return to.pack_in_parallel(
            n_in_, n_out_, pool, [&](int first, int n) { pack_rows_of(place_, first, n, n_in_, to); },
            packed_as());
    }
  }

  bool streams() const override { return has_rows(place_.rule->stored) && has_quick_rows(place_); }
  PackedAs packed_as() const override {
    const StoredAs stored = place_.rule->stored;
    if (stored == StoredAs::heads_out) return PackedAs::floats;
    return group_of_levels(*place_.tensor) > 0 && !has_rows(stored) ? PackedAs::floats : packed_as_in(place_);
  }
  void read_rows(int first, int n, int k, int n_k, float* to) const override {
    read_part_of_rows(place_, static_cast<std::size_t>(first), static_cast<std::size_t>(n),
                      static_cast<std::size_t>(n_in_), static_cast<std::size_t>(k),
                      static_cast<std::size_t>(n_k), to);
  }

  Matrix columns(int first, int n) const override {
    switch (place_.rule->stored) {
      case StoredAs::heads_out: {
        const auto width = static_cast<int>(place_.tensor->shape[2]);
        const int head = first / width;
        return of_heads(head, (first + n - 1) / width - head + 1)
            .middleCols(first - Eigen::Index{head} * width, n);
      }
      case StoredAs::in_out:
      case StoredAs::heads_in: {
        Matrix some(n_in_, n);
        read_columns(first, n, some.data());
        return some;
      }
      case StoredAs::out_in:
      case StoredAs::row_of_each_head:
        break;
    }
    std::vector<float> made;
    return columns_of_rows(n_in_, first, n, [&](int row, int some) { return rows_at(row, some, made); });
  }

 private:
  /// Returns rows of [out, in], in place if possible, otherwise in `made`.
  MatrixView rows_at(int first, int n, std::vector<float>& made) const {
    return {rows_of(place_, static_cast<std::size_t>(first), static_cast<std::size_t>(n),
                    static_cast<std::size_t>(n_in_), made),
            n, n_in_, n_in_};
  }

  /// Packs the columns of [in, out].
  void pack_columns(PackedMatrix& to, ThreadPool& pool) const {
    const std::size_t total = place_.selection.total;
    const float* const stored = floats_of(*place_.tensor);
    to.pack_in_parallel(
        n_in_, n_out_, pool,
        [&](int first, int n) {
          const std::size_t col = place_.selection.first + static_cast<std::size_t>(first);
          if (stored != nullptr)
            return to.pack_columns({stored + col, n_in_, n, static_cast<std::ptrdiff_t>(total)}, first);
          Matrix made(n_in_, n);
          read_columns(first, n, made.data());
          to.pack_columns(view_of(made), first);
        },
        packed_as());
  }

  /// Copies columns of [in, out] to [in, n].
  void read_columns(int first, int n, float* out) const {
    const std::size_t col = place_.selection.first + static_cast<std::size_t>(first);
    const auto width = static_cast<std::size_t>(n);
    for (std::size_t row = 0; row < static_cast<std::size_t>(n_in_); ++row)
      read_numbers(*place_.tensor, row * place_.selection.total + col, width, out + row * width);
  }

  void pack_by_heads(PackedMatrix& to) const {
    const Matrix weight = of_heads(0, static_cast<int>(place_.tensor->shape[0]));
    to.pack(view_of(weight));
  }

  /// The columns of some heads of [H, in, width], side by side: [in, n_heads · width].
  Matrix of_heads(int first, int n_heads) const {
    const auto width = static_cast<int>(place_.tensor->shape[2]);
    const std::size_t size = static_cast<std::size_t>(n_in_) * static_cast<std::size_t>(width);
    Matrix one(n_in_, width);
    Matrix all(n_in_, Eigen::Index{n_heads} * width);
    for (int head = 0; head < n_heads; ++head) {
      read_numbers(*place_.tensor, static_cast<std::size_t>(first + head) * size, size, one.data());
      all.middleCols(Eigen::Index{head} * width, width) = one;
    }
    return all;
  }

  TensorLocation place_;
  int n_in_;
  int n_out_;
  std::shared_ptr<const CheckpointFiles> files_;
};

class RowsOfTensor : public StoredRows {
 public:
  RowsOfTensor(TensorLocation place, int cols, std::shared_ptr<const CheckpointFiles> files)
      : place_(std::move(place)), cols_(cols), files_(std::move(files)) {}

  MatrixView rows(int first, int n, Matrix& made) const override {
    const float* const stored = floats_of(*place_.tensor);
    if (stored != nullptr && !place_.through)
      return {stored + static_cast<std::ptrdiff_t>(first) * cols_, n, cols_, cols_};
    made.resize(n, cols_);
    read_table_rows(place_, first, n, cols_, made.data());
    return view_of(made);
  }
  void pack_rows(int first, int n, PackedMatrix& to) const override {
    pack_rows_of(place_, first, n, cols_, to);
  }
  PackedAs packed_as() const override { return packed_as_in(place_); }
  bool streams() const override { return has_quick_rows(place_); }
  void read_rows(int first, int n, int k, int n_k, float* to) const override {
    read_part_of_rows(place_, static_cast<std::size_t>(first), static_cast<std::size_t>(n),
                      static_cast<std::size_t>(cols_), static_cast<std::size_t>(k),
                      static_cast<std::size_t>(n_k), to);
  }

 private:
  TensorLocation place_;
  int cols_;
  std::shared_ptr<const CheckpointFiles> files_;
};

}  // namespace

std::shared_ptr<const StoredRows> stored_rows(TensorLocation place, int cols,
                                              std::shared_ptr<const CheckpointFiles> files) {
  return std::make_shared<const RowsOfTensor>(std::move(place), cols, std::move(files));
}

void read_vector(const TensorLocation& place, float* to, std::size_t n) {
  std::fill_n(to, n, 0.0F);
  if (place.tensor != nullptr) {
    for (std::size_t r = 0; r < n; r += place.selection.block)
      read_numbers(*place.tensor, place.selection.row(r), std::min(place.selection.block, n - r), to + r);
  }
  float* head = to;
  for (const TensorRef* const each : place.of_heads) {
    read_numbers(*each, 0, each->size(), head);
    head += each->size();
  }
  for (std::size_t i = 0; i < n; ++i) to[i] = place.times * to[i] + place.plus;
}

void read_table_rows(const TensorLocation& place, int first, int n, int cols, float* to) {
  const auto width = static_cast<std::size_t>(cols);
  const auto begin = static_cast<std::size_t>(first);
  const auto size = static_cast<std::size_t>(n) * width;
  if (!place.through) return read_numbers(*place.tensor, begin * width, size, to);
  std::vector<float> made;
  std::copy_n(rows_of(place, begin, static_cast<std::size_t>(n), width, made), size, to);
}

void read_rows_of_heads(const TensorLocation& place, int rows, int cols, float* to) {
  Matrix columns(cols, rows);
  read_numbers(*place.tensor, 0, static_cast<std::size_t>(columns.size()), columns.data());
  Eigen::Map<Matrix>(to, rows, cols) = columns.transpose();
}

std::shared_ptr<const StoredWeights> stored_weights(TensorLocation place, int n_in, int n_out,
                                                    std::shared_ptr<const CheckpointFiles> files) {
  const float factor = place.times;
  auto weights = std::make_shared<const WeightsOfTensor>(std::move(place), n_in, n_out, std::move(files));
  return scaled_weights(std::move(weights), factor, n_in, n_out);
}

}  // namespace headscope
