#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/io/gguf.h"

namespace headscope {

/// Makes GGUF files for tests, entry by entry, without any check.
class GgufWriter {
 public:
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;

  template <class Number>
  static std::string bytes_of(Number number) {
    return {reinterpret_cast<const char*>(&number), sizeof number};
  }
  static std::string text_bytes(std::string_view text) {
    return bytes_of<std::uint64_t>(text.size()) + std::string(text);
  }
  static std::string bytes_of_floats(const std::vector<float>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
  }

  /// Adds an entry, or replaces the entry with the same key.
  void entry(const std::string& key, GgufType type, std::string bytes) {
    std::string all = bytes_of(static_cast<std::uint32_t>(type)) + std::move(bytes);
    for (auto& [name, value] : entries_) {
      if (name == key) {
        value = std::move(all);
        return;
      }
    }
    entries_.emplace_back(key, std::move(all));
  }
  void remove(const std::string& key) {
    std::erase_if(entries_, [&](const auto& each) { return each.first == key; });
  }
  void text(const std::string& key, std::string_view value) { entry(key, GgufType::text, text_bytes(value)); }
  void whole(const std::string& key, std::uint32_t value) { entry(key, GgufType::uint32, bytes_of(value)); }
  void decimal(const std::string& key, float value) { entry(key, GgufType::float32, bytes_of(value)); }
  void flag(const std::string& key, bool value) {
    entry(key, GgufType::boolean, bytes_of(static_cast<std::uint8_t>(value)));
  }
  void texts(const std::string& key, const std::vector<std::string>& values) {
    std::string bytes = list_head(GgufType::text, values.size());
    for (const std::string& value : values) bytes += text_bytes(value);
    entry(key, GgufType::list, bytes);
  }
  template <class Number>
  void numbers(const std::string& key, GgufType type, const std::vector<Number>& values) {
    std::string bytes = list_head(type, values.size());
    for (const Number value : values) bytes += bytes_of(value);
    entry(key, GgufType::list, bytes);
  }

  /// A tensor whose type is its number in ggml and whose shape begins with the outermost axis.
  struct Tensor {
    std::string name;
    std::vector<std::size_t> shape;
    std::uint32_t type = 0;
    std::string bytes;
  };
  std::vector<Tensor> tensors;
  void floats(const std::string& name, const std::vector<std::size_t>& shape,
              const std::vector<float>& numbers) {
    tensors.push_back({name, shape, 0, bytes_of_floats(numbers)});
  }

  /// Everything before the data, up to the alignment.
  std::string head() const {
    std::string file = "GGUF" + bytes_of(version) + bytes_of<std::uint64_t>(tensors.size()) +
                       bytes_of<std::uint64_t>(entries_.size());
    for (const auto& [key, value] : entries_) file += text_bytes(key) + value;
    std::uint64_t offset = 0;
    for (const Tensor& tensor : tensors) {
      file += text_bytes(tensor.name) + bytes_of(static_cast<std::uint32_t>(tensor.shape.size()));
      for (auto side = tensor.shape.rbegin(); side != tensor.shape.rend(); ++side)
        file += bytes_of<std::uint64_t>(*side);
      file += bytes_of(tensor.type) + bytes_of(offset);
      offset += padded(tensor.bytes.size());
    }
    file.resize(padded(file.size()));
    return file;
  }
  std::string bytes() const {
    std::string file = head();
    for (const Tensor& tensor : tensors) {
      file += tensor.bytes;
      file.resize(padded(file.size()));
    }
    return file;
  }

 private:
  std::size_t padded(std::size_t size) const { return (size + alignment - 1) / alignment * alignment; }
  static std::string list_head(GgufType type, std::size_t size) {
    return bytes_of(static_cast<std::uint32_t>(type)) + bytes_of<std::uint64_t>(size);
  }

  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace headscope
