#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace headscope {

/// A session that a killed program has left.
struct Leftover {
  std::filesystem::path folder;
  std::string sentence;
  std::filesystem::file_time_type written;
};

/// Shared, as they hold whole sentences and every frame hands them on; never null.
using Leftovers = std::shared_ptr<const std::vector<Leftover>>;

/// What to do with one of them.
struct LeftoverAnswer {
  std::filesystem::path folder;  ///< which of them
  bool opens = false;            ///< otherwise it is thrown away
};

}  // namespace headscope
