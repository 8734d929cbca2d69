#pragma once

#include <cstdlib>
#include <string>

namespace headscope {

/// A variable of the environment; empty where there is none.
inline std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody writes to it
  return value != nullptr ? value : "";
}

}  // namespace headscope
