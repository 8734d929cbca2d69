#pragma once

namespace headscope {

/// This must match CMakeLists.txt; tests/cli compares the two.
inline constexpr const char* version = "0.1.0";

}  // namespace headscope
