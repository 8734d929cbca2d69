#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "core/io/tensor_ref.h"
#include "core/result.h"

namespace headscope {

/// The tensors of a PyTorch file, and the plain values of its dictionary "model_args" (hyperparameters of
/// nanoGPT and llama2.c), null if missing.
struct TorchFile {
  std::vector<TensorRef> tensors;
  nlohmann::json settings;
};

/// Parses a file in which torch.save() stored a dictionary of tensors, possibly nested as "state_dict" or
/// "model", as a zip archive or in the format before PyTorch 1.6. Tensors are in dictionary order, refer to
/// the file's bytes and may share storages. The tensors of a list are named by their index; a single tensor
/// has no name. The pickle is parsed as data; nothing is executed. Errors (which do not name the file):
/// unsupported names and opcodes, missing storages, and tensors that exceed their storage.
Result<TorchFile> read_torch_file(std::string_view file);

/// Only the tensors.
Result<std::vector<TensorRef>> torch_tensors(std::string_view file);

}  // namespace headscope
