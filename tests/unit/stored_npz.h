#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>

#include "core/io/npy.h"
#include "core/system/read_file.h"

namespace headscope {

/// The arrays of an .npz file without compression, as numpy.savez writes it, by their names without “.npy”.
/// If the file cannot be read, the test fails and the result has only the arrays before the fault.
inline std::map<std::string, NpyArray> stored_npz(const std::filesystem::path& file) {
  std::map<std::string, NpyArray> arrays;
  constexpr std::size_t max_bytes = std::size_t{1} << 26U;
  const auto read = read_file(file, max_bytes);
  if (!read) {
    ADD_FAILURE() << read.error().message;
    return arrays;
  }
  const std::string_view bytes = *read;
  const auto number = [&](std::size_t at, std::size_t n) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, n);
    return static_cast<std::size_t>(value);
  };
  constexpr std::size_t header = 30;
  constexpr std::size_t in_zip64 = 0xFFFFFFFF;
  for (std::size_t at = 0; at + header < bytes.size() && bytes.substr(at, 4) == "PK\x03\x04";) {
    const std::size_t name_size = number(at + 26, 2);
    const std::size_t extra_size = number(at + 28, 2);
    const std::string_view name = bytes.substr(at + header, name_size);
    // The 64-bit size comes first in the extra field, after its mark and length.
    const std::size_t size =
        number(at + 22, 4) == in_zip64 ? number(at + header + name_size + 4, 8) : number(at + 22, 4);
    const std::size_t first = at + header + name_size + extra_size;
    auto array = parse_npy(bytes.substr(first, size), name);
    if (!array) {
      ADD_FAILURE() << array.error().message;
      return arrays;
    }
    arrays.emplace(name.substr(0, name.size() - 4), std::move(*array));
    at = first + size;
  }
  return arrays;
}

}  // namespace headscope
