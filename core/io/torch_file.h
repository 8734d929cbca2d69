#pragma once

#include <string_view>
#include <vector>

#include "core/io/tensor_source.h"
#include "core/result.h"

namespace headscope {

/// Returns the tensors of a file in which torch.save() stored a dictionary of tensors, either as a zip
/// archive or in the format before PyTorch 1.6, in the dictionary's order. They refer to the file's bytes and
/// may share storages. The pickle is read as data: nothing in it is executed. Errors, which do not name the
/// file: names and operations that weights do not need, missing storages, and tensors that reach beyond their
/// storage.
Result<std::vector<TensorSource>> torch_tensors(std::string_view file);

}  // namespace headscope
