#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A model that lies in a folder, as its headers describe it.
struct ShelvedModel {
  std::string name;  ///< “openai-community/gpt2”, or the name of the folder
  std::filesystem::path folder;
  std::string about;    ///< “GPT-2 · 12 layers × 12 heads · 548 MB”; empty if it cannot be opened
  std::string problem;  ///< why it cannot be opened; empty if it can
};

/// The models in some folders, by name. A folder may be a model itself, hold models in folders or in folders
/// of folders, or be the cache of Hugging Face's hub, of which the snapshot that is named “main” counts, else
/// the newest. Only configurations and headers are read. Folders that do not exist hold none; at most 200
/// models are listed.
std::vector<ShelvedModel> models_in(std::span<const std::filesystem::path> folders);

}  // namespace headscope
