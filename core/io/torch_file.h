#pragma once

#include <string_view>
#include <vector>

#include "core/io/tensor_source.h"
#include "core/result.h"

namespace headscope {

/// The tensors of a file that torch.save() wrote for a dictionary of tensors, as a zip archive or in the form
/// before PyTorch 1.6, in the dictionary's order. They refer to its bytes and may share storages. The pickle
/// is read as data: nothing in it is carried out. Errors, which do not name the file: names and operations
/// other than weights need, storages that are missing, and tensors that reach beyond theirs.
Result<std::vector<TensorSource>> torch_tensors(std::string_view file);

}  // namespace headscope
