#pragma once

#include <initializer_list>
#include <span>
#include <string>

namespace headscope {

/// Formats sizes as a list, such as "[2, 3]".
std::string shape_text(std::span<const int> sizes);
std::string shape_text(std::span<const std::size_t> sizes);
std::string shape_text(std::initializer_list<int> sizes);

}  // namespace headscope
