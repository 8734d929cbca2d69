#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/result.h"

namespace headscope {

/// The bytes of memory that this machine has or, if less, allows this program to use. 0 if unknown.
double machine_memory();

/// The smallest memory limit among a process's control groups (version 2), such as a container sets. Infinite
/// if there is none. `groups` is where they are mounted, and `membership` is the text of /proc/self/cgroup.
double memory_limit(const std::filesystem::path& groups, const std::string& membership);

/// Fails if `bytes` exceeds three quarters of this machine's memory: "`what` takes 12.3 GB, but this machine
/// has 8.0 GB of memory: `cure`". Succeeds if the size of the memory is unknown.
Result<void> check_memory(double bytes, const std::string& what, const std::string& cure);

inline constexpr std::size_t huge_page = std::size_t{1} << 21U;

/// Asks the system to use huge pages wherever whole ones fit into the memory. Nothing may have been written
/// to the memory yet. A refusal does no harm.
void ask_for_huge_pages(void* memory, std::size_t bytes);

}  // namespace headscope
