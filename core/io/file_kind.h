#pragma once

#include <array>
#include <filesystem>
#include <string>

namespace headscope {

/// The files that describe a model: in Hugging Face's layout, and in those of TransformerLens, of Llama and
/// of nanoGPT.
inline constexpr std::array model_config_names{"config.json", "transformer_lens_config.json", "params.json",
                                               "ckpt.pt"};
inline constexpr const char* adapter_config_name = "adapter_config.json";

/// The model to which the adapter in a folder belongs, as its configuration says: a path, or the name of a
/// repository. Empty if the folder has no adapter, or if it does not say.
std::string base_of_adapter(const std::filesystem::path& folder);

/// Why a file or folder cannot be opened, from what it is: “'model.safetensors' is a Git LFS pointer
/// (548,105,171 bytes are elsewhere): run “git lfs pull” in its folder”. Reads no more than the beginning of
/// a file, or the names in a folder.
std::string why_not_opened(const std::filesystem::path& path);

/// Whether a file is a text in no format that this program knows, by its beginning.
bool is_plain_text(const std::filesystem::path& path);

/// Whether a file is a Git LFS pointer, a web page, empty, or in another format than its name says, so that
/// reading it as what its name promises would give a misleading message.
bool is_misnamed(const std::filesystem::path& path);

}  // namespace headscope
