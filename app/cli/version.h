#pragma once

namespace headscope {

/// The same as in CMakeLists.txt; tests/cli holds the two together.
inline constexpr const char* version = "0.1.0";

}  // namespace headscope
