#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "core/io/tensor_source.h"
#include "core/result.h"

namespace headscope {

/// The tensors of a file of PyTorch, and the plain values (numbers, texts, truth values) of its dictionary
/// "model_args", in which nanoGPT and llama2.c keep the sizes of a model. Null if there is none.
struct TorchFile {
  std::vector<TensorSource> tensors;
  nlohmann::json settings;
};

/// Reads a file in which torch.save() stored a dictionary of tensors, or one inside another as "state_dict"
/// or "model", either as a zip archive or in the format before PyTorch 1.6, in the dictionary's order. The
/// tensors refer to the file's bytes and may share storages. The pickle is read as data: nothing in it is
/// executed. Errors, which do not name the file: names and operations that weights do not need, missing
/// storages, and tensors that reach beyond their storage.
Result<TorchFile> read_torch_file(std::string_view file);

/// Its tensors alone.
Result<std::vector<TensorSource>> torch_tensors(std::string_view file);

}  // namespace headscope
