#pragma once

#include <cstddef>

namespace headscope {

inline constexpr std::size_t huge_page = std::size_t{1} << 21U;

/// Asks the system to use huge pages wherever whole ones fit into the memory. Nothing may have been written
/// to the memory yet. A refusal does no harm.
void ask_for_huge_pages(void* memory, std::size_t bytes);

}  // namespace headscope
