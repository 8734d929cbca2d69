#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/checkpoint/foreign_model.h"

namespace headscope {

/// Reads the headers of a GGUF file. Errors are those of open_gguf() that show in headers.
Result<ForeignModel> read_gguf_headers(const std::filesystem::path& file);

/// Opens a model in a GGUF file, with its tokenizer. `name` becomes the model's name. Weights stay in the
/// blocks of the file and are converted to floats when a pass uses them. Errors name the file and what is
/// supported: those of Gguf::parse() and open_foreign_folder(), an unsupported architecture, and a file with
/// only a part of a model.
Result<std::shared_ptr<const TrainedModel>> open_gguf(const std::filesystem::path& file,
                                                      const std::string& name);

/// Describes a model in a GGUF file from its headers alone: “Llama · 32 layers × 32 heads · 4081 MB · Q4_K”.
/// The last part is the type whose tensors take the most bytes. Errors are those of read_gguf_headers().
Result<std::string> describe_gguf(const std::filesystem::path& file);

}  // namespace headscope
