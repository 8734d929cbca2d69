#include "core/tensor/shape_text.h"

namespace headscope {
namespace {

template <class Size>
std::string joined(std::span<const Size> sizes) {
  std::string text = "[";
  for (const Size size : sizes) text += (text.size() == 1 ? "" : ", ") + std::to_string(size);
  return text + "]";
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
