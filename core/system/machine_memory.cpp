#include "core/system/machine_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string_view>

namespace headscope {
namespace {

std::string gigabytes(double bytes) {
  constexpr double tenth = 1e8;
  const auto tenths = static_cast<long long>(std::llround(bytes / tenth));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

}  // namespace

double cgroup_memory_limit(const std::filesystem::path& groups, const std::string& membership) {
  double limit = std::numeric_limits<double>::infinity();
  // Version 2 has one line, “0::/a/b”, and the limits of all parents count.
  const std::size_t begin = membership.find("0::/");
  if (begin != 0 && (begin == std::string::npos || membership[begin - 1] != '\n')) return limit;
  const std::size_t first = begin + std::string_view("0::/").size();
  std::filesystem::path group = membership.substr(first, membership.find('\n', first) - first);
  for (;;) {
    std::ifstream file(groups / group / "memory.max");
    double bytes = 0.0;
    if (file >> bytes) limit = std::min(limit, bytes);  // “max” is no number
    if (group == group.parent_path()) return limit;
    group = group.parent_path();
  }
}

double machine_memory() {
  const double bytes =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  static const double limit = [] {
    std::ifstream file("/proc/self/cgroup");
    return cgroup_memory_limit("/sys/fs/cgroup", {std::istreambuf_iterator<char>(file), {}});
  }();
  return std::max(std::min(bytes, limit), 0.0);
}

Result<void> check_memory(double bytes, const std::string& what, const std::string& advice) {
  const double physical = machine_memory();
  constexpr double share = 0.75;
  if (physical <= 0.0 || bytes <= share * physical) return {};
  return failure(what + " takes " + gigabytes(bytes) + ", but this machine has " + gigabytes(physical) +
                 " of memory: " + advice);
}

void advise_huge_pages(void* memory, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  void* first = memory;
  std::size_t room = bytes;
  if (std::align(huge_page_bytes, huge_page_bytes, first, room) == nullptr) return;
  ::madvise(first, room / huge_page_bytes * huge_page_bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace headscope
