#pragma once

#include <string_view>

namespace headscope {

/// A file of assets, embedded by the build. The functions that return several order them by name.
struct EmbeddedFile {
  std::string_view name;  ///< The file name without its extension.
  std::string_view text;
};

}  // namespace headscope
