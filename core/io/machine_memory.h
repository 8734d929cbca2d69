#pragma once

#include <string>

#include "core/result.h"

namespace headscope {

/// How many bytes of memory this machine has. 0 if it is unknown.
double machine_memory();

/// Fails if `bytes` exceeds three quarters of this machine's memory: "`what` takes 12.3 GB, but this machine
/// has 8.0 GB of memory: `cure`". Succeeds if the size of the memory is unknown.
Result<void> check_memory(double bytes, const std::string& what, const std::string& cure);

}  // namespace headscope
