#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A model in a folder or in a GGUF file, as its headers describe it.
struct ShelvedModel {
  std::string name;  ///< “openai-community/gpt2”, “llama3.2:1b”, or the name of the folder or file.
  std::filesystem::path path;
  std::string about;    ///< “GPT-2 · 12 layers × 12 heads · 548 MB”. Empty if it cannot be opened.
  std::string problem;  ///< Why it cannot be opened. Empty if it can.
};

/// The models at some places, sorted by name. A place may be a GGUF file, a folder that is a model itself or
/// that holds models or GGUF files, in its subfolders or in their subfolders (such as LM Studio's), the cache
/// of Hugging Face's hub, or the folder of Ollama, whose manifests name the files of its models. Of a
/// repository in the cache, the snapshot named “main” counts, or otherwise the newest. Only configurations
/// and headers are read. Places that do not exist hold no models. At most 200 models are listed.
std::vector<ShelvedModel> models_in(std::span<const std::filesystem::path> places);

}  // namespace headscope
