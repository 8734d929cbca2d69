#pragma once

#include <string>
#include <vector>

#include "core/io/safetensors.h"
#include "core/model/linear.h"
#include "core/result.h"

namespace headscope {

/// Whether a stored weight or bias belongs to one projection, or its rows are thirds for queries, keys and
/// values, in this order.
enum class StoredRows { whole, thirds };
/// torch.nn.Linear stores [out, in] with y = x Wᵀ + b; a plain matrix is [in, out] with y = x W.
enum class StoredLayout { out_in, in_out };

/// Where the numbers of one projection are stored.
struct StoredProjection {
  const Tensor* weight = nullptr;
  StoredRows weight_rows = StoredRows::whole;
  const Tensor* bias = nullptr;  ///< Null if there is none.
  StoredRows bias_rows = StoredRows::whole;
  StoredLayout layout = StoredLayout::out_in;
  int third = 0;  ///< 0 for queries, 1 for keys, 2 for values.
};

/// The projection as [in, out]. It is an error if the shapes are not those of a matrix and its bias, if they
/// are empty or huge, if rows are not divisible into thirds, or if there are NaN or ±∞. The message names the
/// tensor.
Result<Linear> linear_of(const StoredProjection& stored);

/// The tensors whose names begin with the prefix.
std::vector<const Tensor*> tensors_below(const Safetensors& file, const std::string& prefix);

/// The name and shape of a tensor: "W_q.weight [16, 8]".
std::string named_shape(const Tensor& tensor);
/// The same for several tensors, sorted by name. If there are very many, only the first are listed.
std::string listed(std::vector<const Tensor*> tensors);

}  // namespace headscope
