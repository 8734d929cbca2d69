#include "core/io/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

std::string gigabytes(double bytes) {
  constexpr double tenth = 1e8;
  const auto tenths = static_cast<long long>(std::llround(bytes / tenth));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

}  // namespace

double machine_memory() {
  const double bytes =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  return std::max(bytes, 0.0);
}

Result<void> check_memory(double bytes, const std::string& what, const std::string& cure) {
  const double physical = machine_memory();
  constexpr double share = 0.75;
  if (physical <= 0.0 || bytes <= share * physical) return {};
  return failure(what + " takes " + gigabytes(bytes) + ", but this machine has " + gigabytes(physical) +
                 " of memory: " + cure);
}

}  // namespace headscope
