#pragma once

#include <string>

#include "core/result.h"

namespace headscope {

/// An error where `bytes` are more than three quarters of this machine's memory: "`what` takes 12.3 GB, and
/// this machine has 8.0 GB of memory: `cure`". Where the size of the memory is not known, anything fits.
Result<void> check_memory(double bytes, const std::string& what, const std::string& cure);

}  // namespace headscope
