#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace headscope {

/// A session that a killed program has left.
struct Leftover {
  std::filesystem::path folder;
  std::string sentence;
  std::filesystem::file_time_type written;
};

/// What to do with one of them.
struct LeftoverAnswer {
  std::size_t index = 0;
  bool opens = false;  ///< otherwise it is thrown away
};

}  // namespace headscope
