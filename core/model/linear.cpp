#include "core/model/linear.h"

#include <utility>

#include "core/model/model.h"

namespace headscope {
namespace {

PackedMatrix packed_of(const MatrixView& weight) {
  PackedMatrix packed;
  packed.pack(weight);
  return packed;
}

/// The concatenated weights of several layers.
class JoinedWeights : public StoredWeights {
 public:
  JoinedWeights(std::vector<Linear> parts, bool in_rows, int n_in, int n_out)
      : parts_(std::move(parts)), in_rows_(in_rows), n_in_(n_in), n_out_(n_out) {}

  void pack(PackedMatrix& to, ThreadPool& pool) const override {
    to.pack_in_parallel(n_in_, n_out_, pool, [&](int first, int n) {
      const Matrix some = columns(first, n);
      to.pack_columns(view_of(some), first);
    });
  }
  Matrix columns(int first, int n) const override {
    Matrix some(n_in_, n);
    int at = 0;
    for (const Linear& part : parts_) {
      const int begin = std::max(first, at);
      const int end = std::min(first + n, at + part.n_out());
      if (in_rows_) {
        some.middleRows(at, part.n_in()) = part.columns(first, n);
      } else if (begin < end) {
        some.middleCols(begin - first, end - begin) = part.columns(begin - at, end - begin);
      }
      at += in_rows_ ? part.n_in() : part.n_out();
    }
    return some;
  }

 private:
  std::vector<Linear> parts_;
  bool in_rows_;
  int n_in_;
  int n_out_;
};

/// The transposed table.
class TiedWeights : public StoredWeights {
 public:
  explicit TiedWeights(WordTable table) : table_(std::move(table)) {}

  void pack(PackedMatrix& to, ThreadPool& pool) const override {
    to.pack_in_parallel(
        table_.n_cols(), table_.n_rows(), pool,
        [&](int first, int n) {
          if (table_.stored() != nullptr) return table_.stored()->pack_rows(first, n, to);
          Matrix made;
          to.pack_transposed_columns(table_.rows(first, n, made), first);
        },
        packed_as());
  }
  PackedAs packed_as() const override {
    return table_.stored() != nullptr ? table_.stored()->packed_as() : PackedAs::floats;
  }
  Matrix columns(int first, int n) const override {
    Matrix made;
    return columns_of_rows(table_.n_cols(), first, n,
                           [&](int row, int some) { return table_.rows(row, some, made); });
  }
  bool streams() const override { return table_.stored() != nullptr && table_.stored()->streams(); }
  void read_rows(int first, int n, int k, int n_k, float* to) const override {
    table_.stored()->read_rows(first, n, k, n_k, to);
  }

 private:
  WordTable table_;
};

/// Other weights, each times a factor.
class ScaledWeights : public StoredWeights {
 public:
  ScaledWeights(std::shared_ptr<const StoredWeights> weights, float factor, int n_in, int n_out)
      : weights_(std::move(weights)), factor_(factor), n_in_(n_in), n_out_(n_out) {}

  void pack(PackedMatrix& to, ThreadPool& pool) const override {
    to.pack_in_parallel(n_in_, n_out_, pool, [&](int first, int n) {
      const Matrix some = columns(first, n);
      to.pack_columns(view_of(some), first);
    });
  }
  Matrix columns(int first, int n) const override { return factor_ * weights_->columns(first, n); }
  bool streams() const override { return weights_->streams(); }
  void read_rows(int first, int n, int k, int n_k, float* to) const override {
    weights_->read_rows(first, n, k, n_k, to);
    Eigen::Map<RowVector>(to, Eigen::Index{n} * n_k) *= factor_;
  }

 private:
  std::shared_ptr<const StoredWeights> weights_;
  float factor_;
  int n_in_;
  int n_out_;
};

}  // namespace

std::shared_ptr<const StoredWeights> scaled_weights(std::shared_ptr<const StoredWeights> weights,
                                                    float factor, int n_in, int n_out) {
  if (factor == 1.0F) return weights;
  return std::make_shared<const ScaledWeights>(std::move(weights), factor, n_in, n_out);
}

/// Packed weights, or stored ones with the memory reserved for their packed copy.
struct Linear::Weights {
  Weights() = default;
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;
  ~Weights() {
    if (share) share->release(room);
  }

  std::shared_ptr<const PackedMatrix> if_packed() {
    const std::lock_guard lock(mutex);
    return packed ? packed : in_use.lock();
  }
  /// Returns the copy of another thread if there is one by now, otherwise `made`.
  std::shared_ptr<const PackedMatrix> kept(std::shared_ptr<const PackedMatrix> made) {
    const std::lock_guard lock(mutex);
    if (packed) return packed;
    if (auto other = in_use.lock()) made = std::move(other);
    in_use = made;
    if (take_room(made->depth(), made->cols())) packed = made;
    return made;
  }
  /// Reserves memory for this many numbers unless already reserved. Returns false if the budget is exceeded.
  bool reserve(int n_in, int n_out) {
    const std::lock_guard lock(mutex);
    return take_room(n_in, n_out);
  }
  /// Does what reserve() does, for callers that hold the mutex.
  bool take_room(int n_in, int n_out) {
    if (room > 0.0) return true;
    const double bytes = PackedMatrix::bytes_of(n_in, n_out, stored->packed_as());
    if (share->try_reserve(bytes)) room = bytes;
    return room > 0.0;
  }

  std::shared_ptr<const StoredWeights> stored;  ///< Null for packed weights
  std::shared_ptr<PackedMemoryBudget> share;    ///< Null likewise
  std::mutex mutex;                             ///< Guards the members below.
  std::shared_ptr<const PackedMatrix> packed;   ///< The permanent copy, or null
  std::weak_ptr<const PackedMatrix> in_use;     ///< A temporary copy while in use
  double room = 0.0;                            ///< Reserved memory in bytes
};

Linear::Linear(const MatrixIn& weight, RowVector b) : Linear(packed_of(view_of(weight)), std::move(b)) {}

Linear::Linear(PackedMatrix weight, RowVector b)
    : bias(std::move(b)),
      n_in_(weight.depth()),
      n_out_(weight.cols()),
      weights_(std::make_shared<Weights>()) {
  weights_->packed = std::make_shared<const PackedMatrix>(std::move(weight));
}

Linear::Linear(int n_in, std::shared_ptr<const StoredWeights> stored,
               std::shared_ptr<PackedMemoryBudget> share, RowVector b)
    : bias(std::move(b)),
      n_in_(n_in),
      n_out_(static_cast<int>(bias.size())),
      weights_(std::make_shared<Weights>()) {
  weights_->stored = std::move(stored);
  weights_->share = std::move(share);
}

double Linear::saved_bytes() const {
  double saved = 0.0;
  for (const Linear& part : parts) saved += part.saved_bytes();
  if (!parts.empty() || !exists() || weights_->stored == nullptr) return saved;
  return PackedMatrix::bytes_of(n_in_, n_out_, PackedAs::floats) -
         PackedMatrix::bytes_of(n_in_, n_out_, weights_->stored->packed_as());
}

std::shared_ptr<const PackedMatrix> Linear::packed(ThreadPool& pool) const {
  if (auto there = weights_->if_packed()) return there;
  // Packed without holding the mutex: concurrent threads pack their own copy rather than wait.
  auto made = std::make_shared<PackedMatrix>();
  const std::shared_ptr<const StoredWeights>& stored = weights_->stored;
  if (stored->streams() && !weights_->reserve(n_in_, n_out_)) {
    made->stream_transposed(n_in_, n_out_, [stored](int first, int n, int k, int n_k, float* to) {
      stored->read_rows(first, n, k, n_k, to);
    });
    return made;
  }
  stored->pack(*made, pool);
  return weights_->kept(std::move(made));
}

Matrix Linear::columns(int first, int n) const {
  const auto there = weights_->if_packed();
  if (there == nullptr) return weights_->stored->columns(first, n);
  Matrix some(n_in_, n);
  there->unpack_columns(first, n, some.data(), n);
  return some;
}

void Linear::reserve_packed_memory() const {
  if (exists() && weights_->stored != nullptr) weights_->reserve(n_in_, n_out_);
}

Linear joined(std::vector<Linear> parts, bool in_rows, std::shared_ptr<PackedMemoryBudget> share) {
  int n_in = in_rows ? 0 : parts.front().n_in();
  int n_out = in_rows ? parts.front().n_out() : 0;
  for (const Linear& part : parts) (in_rows ? n_in : n_out) += in_rows ? part.n_in() : part.n_out();
  auto stored = std::make_shared<const JoinedWeights>(parts, in_rows, n_in, n_out);
  Linear all(n_in, std::move(stored), std::move(share), RowVector::Zero(n_out));
  all.parts = std::move(parts);
  return all;
}

void multiply(const MatrixView& in, const Linear& linear, float* out, ThreadPool& pool) {
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

MatrixView WordTable::rows(int first, int n, Matrix& made) const {
  if (numbers_) return view_of(*numbers_).block(first, 0, n, n_cols_);
  return stored_->rows(first, n, made);
}

Matrix WordTable::all() const {
  Matrix made;
  return exists() ? Matrix(eigen(rows(0, n_rows_, made))) : Matrix(0, n_cols_);
}

std::shared_ptr<const Linear> tied_unembedding(const Model& model,
                                               std::shared_ptr<PackedMemoryBudget> share) {
  const WordTable& table = model.embedding_table;
  RowVector bias = model.unembedding_bias;
  if (bias.size() == 0) bias = RowVector::Zero(table.n_rows());
  auto stored = scaled_weights(std::make_shared<const TiedWeights>(table),
                               static_cast<float>(model.architecture.foreign.output_factor), table.n_cols(),
                               table.n_rows());
  return std::make_shared<const Linear>(table.n_cols(), std::move(stored), std::move(share), std::move(bias));
}

}  // namespace headscope
