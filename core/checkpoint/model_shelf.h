#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A model folder or GGUF file, as its headers describe it.
struct DiscoveredModel {
  std::string name;  ///< “openai-community/gpt2”, “llama3.2:1b”, or the name of the folder or file.
  std::filesystem::path path;
  std::string about;    ///< “GPT-2 · 12 layers × 12 heads · 548 MB”. Empty if it cannot be opened.
  std::string problem;  ///< Why it cannot be opened. Empty if it can.
};

/// Finds models, sorted by name, at most 200. A place may be a GGUF file, a model folder, a folder with
/// models or GGUF files up to two levels down (such as LM Studio's), the cache of Hugging Face's hub, or the
/// folder of Ollama, whose manifests name the files of its models. Of a repository in the cache, takes the
/// snapshot named “main”, or otherwise the newest. Reads only configurations and headers. Ignores missing
/// places.
std::vector<DiscoveredModel> models_in(std::span<const std::filesystem::path> places);

}  // namespace headscope
