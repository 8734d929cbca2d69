#pragma once

#include <cstddef>

namespace headscope {

inline constexpr std::size_t huge_page = std::size_t{1} << 21U;

/// Asks the system for huge pages where whole ones lie within the memory, which nothing has been written to
/// yet. Nothing is lost if it refuses.
void ask_for_huge_pages(void* memory, std::size_t bytes);

}  // namespace headscope
