#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// The files of a folder of fixtures by their names without the ending, in order; none where there is no
/// folder.
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
