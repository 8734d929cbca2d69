#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// The names of the files in a folder of fixtures, sorted and without their extensions. Empty if the folder
/// does not exist.
inline std::vector<std::string> fixture_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace headscope
