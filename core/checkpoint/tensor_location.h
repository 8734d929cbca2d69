#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/checkpoint/family.h"
#include "core/io/tensor_ref.h"
#include "core/model/linear.h"
#include "core/tensor/packed_product.h"

namespace headscope {

/// The rows of a tensor that belong to a part. Row r of the part is row first + r / block · step + r % block
/// of the tensor. If `paired`, the width of a head, is not 0, rows i and i + paired / 2 of a head are rows 2i
/// and 2i + 1 of the tensor's head.
struct RowsOfPart {
  std::size_t first = 0, block = 0, step = 0, total = 0;
  std::size_t paired = 0;
  /// If `turned` is not 0, that many of the `width` dimensions of a head come last in the tensor's heads.
  std::size_t width = 0, turned = 0;

  bool is_one_block(std::size_t n) const { return block >= n; }
  std::size_t row(std::size_t r) const {
    if (turned > 0) return r - r % width + (r % width + width - turned) % width;
    if (paired == 0) return first + r / block * step + r % block;
    const std::size_t in_head = r % paired;
    return r - in_head + in_head % (paired / 2) * 2 + in_head / (paired / 2);
  }
};

/// A matrix that maps the rows of a tensor to those of a part.
struct RowsThrough {
  const TensorRef* tensor = nullptr;
  /// Whether the part belongs to the final linear layer, whose input this matrix narrows.
  bool is_output_side = false;
  PackedMatrix packed;
};

/// A part's tensor and the arrangement of the part's numbers in it.
struct TensorLocation {
  const TensorRef* tensor = nullptr;  ///< Null if all numbers are `plus`, or if the heads have tensors.
  const TensorRule* rule = nullptr;
  RowsOfPart selection;
  bool is_vector = false;
  float plus = 0.0F;
  std::shared_ptr<RowsThrough> through = nullptr;  ///< Null if there is no such matrix.
  float times = 1.0F;                           ///< the factor of vectors and of the weights of linear layers
  std::vector<const TensorRef*> of_heads = {};  ///< the tensors of a vector's parts, in order
};

/// The rows of a table with `cols` columns in a tensor. `files` keeps the tensor's bytes.
std::shared_ptr<const StoredRows> stored_rows(TensorLocation place, int cols,
                                              std::shared_ptr<const CheckpointFiles> files);

void read_vector(const TensorLocation& place, float* to, std::size_t n);
/// Writes the rows first … first + n − 1 of a table with `cols` columns to `to`.
void read_table_rows(const TensorLocation& place, int first, int n, int cols, float* to);
/// Reads a table that is stored as [·, H] into [H, ·] = [rows, cols].
void read_rows_of_heads(const TensorLocation& place, int rows, int cols, float* to);

/// The weights [n_in, n_out] of a linear layer in a tensor. `files` keeps the tensor's bytes.
std::shared_ptr<const StoredWeights> stored_weights(TensorLocation place, int n_in, int n_out,
                                                    std::shared_ptr<const CheckpointFiles> files);

}  // namespace headscope
