#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/result.h"

namespace headscope {

/// The memory of this machine in bytes or, if less, the limit of this process. 0 if unknown.
double machine_memory();

/// The smallest memory limit of a process's control groups (version 2), as set by containers. Infinite if
/// there is none. `groups` is their mount point, and `membership` the contents of /proc/self/cgroup.
double cgroup_memory_limit(const std::filesystem::path& groups, const std::string& membership);

/// Fails if `bytes` exceeds three quarters of this machine's memory: "`what` takes 12.3 GB, but this machine
/// has 8.0 GB of memory: `advice`". Succeeds if the memory size is unknown.
Result<void> check_memory(double bytes, const std::string& what, const std::string& advice);

inline constexpr std::size_t huge_page_bytes = std::size_t{1} << 21U;

/// Advises the kernel to use huge pages where they fit. Call this before writing to the memory. Failure is
/// harmless.
void advise_huge_pages(void* memory, std::size_t bytes);

}  // namespace headscope
