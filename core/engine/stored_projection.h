#pragma once

#include <string>
#include <vector>

#include "core/io/safetensors.h"
#include "core/model/linear.h"
#include "core/result.h"

namespace headscope {

/// A stored weight or bias belongs to one projection, or its rows are thirds: those of queries, keys and
/// values, in this order.
enum class StoredRows { whole, thirds };
/// torch.nn.Linear stores [out, in], and y = x Wᵀ + b; a plain matrix is [in, out], and y = x W.
enum class StoredLayout { out_in, in_out };

/// Where the numbers of one projection are stored.
struct StoredProjection {
  const Tensor* weight = nullptr;
  StoredRows weight_rows = StoredRows::whole;
  const Tensor* bias = nullptr;  ///< null: none
  StoredRows bias_rows = StoredRows::whole;
  StoredLayout layout = StoredLayout::out_in;
  int third = 0;  ///< 0 queries, 1 keys, 2 values
};

/// The projection as [in, out]. Errors name the tensor: shapes that are not a matrix or its bias, empty or
/// huge ones, rows not divisible into thirds, NaN and ±∞.
Result<Linear> linear_of(const StoredProjection& stored);

/// The tensors whose names begin with the prefix.
std::vector<const Tensor*> tensors_below(const Safetensors& file, const std::string& prefix);

/// "W_q.weight [16, 8]"
std::string named_shape(const Tensor& tensor);
/// The same of several, in the order of their names; of very many, the first.
std::string listed(std::vector<const Tensor*> tensors);

}  // namespace headscope
