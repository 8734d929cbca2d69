#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace headscope {

/// A session left behind by a program that was killed.
struct Leftover {
  std::filesystem::path folder;
  std::string sentence;
  std::filesystem::file_time_type written;
};

/// The list is shared because it holds whole sentences and is passed on in every frame. It is never null.
using Leftovers = std::shared_ptr<const std::vector<Leftover>>;

/// The user's decision about one of them.
struct LeftoverAnswer {
  std::filesystem::path folder;  ///< the folder of the session
  bool opens = false;            ///< whether to open the session; otherwise it is discarded
};

}  // namespace headscope
