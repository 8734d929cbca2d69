#pragma once

#include <array>
#include <filesystem>
#include <string>

namespace headscope {

/// Configuration files of models: Hugging Face, TransformerLens, Llama and nanoGPT.
inline constexpr std::array model_config_names{"config.json", "transformer_lens_config.json", "params.json",
                                               "ckpt.pt"};
inline constexpr const char* adapter_config_name = "adapter_config.json";

/// The base model of the adapter in a folder, according to its configuration: a path or repository. Empty if
/// there is no adapter or no base model is given.
std::string base_of_adapter(const std::filesystem::path& folder);

/// Why a file or folder cannot be opened, judging by what it is: “'model.safetensors' is a Git LFS pointer
/// (548,105,171 bytes are elsewhere): run “git lfs pull” in its folder”. Reads only the beginning of a file,
/// or the names in a folder.
std::string explain_open_failure(const std::filesystem::path& path);

/// Whether a file begins like plain text in no known format.
bool is_plain_text(const std::filesystem::path& path);

/// Whether a file is a Git LFS pointer, a web page, empty, or in another format than its extension, so that
/// parsing it would give a misleading error.
bool is_misnamed(const std::filesystem::path& path);

}  // namespace headscope
