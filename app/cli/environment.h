#pragma once

#include <cstdlib>
#include <string>

namespace headscope {

/// The value of an environment variable; empty if it is not set.
inline std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing writes to it
  return value != nullptr ? value : "";
}

}  // namespace headscope
