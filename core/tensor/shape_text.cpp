#include "core/tensor/shape_text.h"

#include "core/split_text.h"

namespace headscope {
namespace {

template <class Size>
std::string joined(std::span<const Size> sizes) {
  return "[" + join_texts(sizes, ", ", [](Size size) { return std::to_string(size); }) + "]";
}

}  // namespace

std::string shape_text(std::span<const int> sizes) {
  return joined(sizes);
}

std::string shape_text(std::span<const std::size_t> sizes) {
  return joined(sizes);
}

std::string shape_text(std::initializer_list<int> sizes) {
  return joined(std::span<const int>(sizes.begin(), sizes.size()));
}

}  // namespace headscope
