#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A model in a folder, as its headers describe it.
struct ShelvedModel {
  std::string name;  ///< “openai-community/gpt2”, or the name of the folder.
  std::filesystem::path folder;
  std::string about;    ///< “GPT-2 · 12 layers × 12 heads · 548 MB”. Empty if it cannot be opened.
  std::string problem;  ///< Why it cannot be opened. Empty if it can.
};

/// The models in some folders, sorted by name. A folder may be a model itself, hold models in its subfolders
/// or in their subfolders, or be the cache of Hugging Face's hub. Of a repository in the cache, the snapshot
/// named “main” counts, or otherwise the newest. Only configurations and headers are read. Folders that do
/// not exist hold no models. At most 200 models are listed.
std::vector<ShelvedModel> models_in(std::span<const std::filesystem::path> folders);

}  // namespace headscope
