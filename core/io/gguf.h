#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/io/tensor_source.h"
#include "core/result.h"

namespace headscope {

/// The types of the values in a GGUF file's metadata, with their numbers in the file.
enum class GgufType {
  uint8,
  int8,
  uint16,
  int16,
  uint32,
  int32,
  float32,
  boolean,
  text,
  list,
  uint64,
  int64,
  float64
};

/// A list in the metadata: values of one type, one after another in `bytes`. Lists hold no lists.
struct GgufList {
  GgufType type = GgufType::uint8;
  std::size_t size = 0;
  std::string_view bytes;
};

/// A value in the metadata.
using GgufValue = std::variant<std::uint64_t, std::int64_t, double, bool, std::string_view, GgufList>;

/// A GGUF file, as llama.cpp and its relatives read it: metadata, and tensors. Texts and tensors refer to the
/// file's bytes.
class Gguf {
 public:
  /// Reads a file of version 2 or 3. Every count, length and offset is checked against the size of the file
  /// before it is used. It is an error if the file is damaged, cut off, of another version or big-endian,
  /// if a tensor has a type that is not supported or shares bytes with another, or if its metadata has a list
  /// of lists. Messages say what was found and at which byte, but do not name the file.
  static Result<Gguf> parse(std::string_view file);

  /// Null if there is no such key.
  const GgufValue* find(std::string_view key) const;
  /// Empty if the key is missing or of another type.
  std::optional<std::string_view> text(std::string_view key) const;
  std::optional<bool> flag(std::string_view key) const;
  /// A whole number of any type that is not negative.
  std::optional<std::uint64_t> whole(std::string_view key) const;
  /// The values of a list of texts or of numbers. Empty if the key is missing or its value is something else.
  std::vector<std::string_view> texts(std::string_view key) const;
  std::vector<double> numbers(std::string_view key) const;

  const std::map<std::string, GgufValue, std::less<>>& metadata() const { return metadata_; }
  /// The tensors in the order of the file, each with its outermost axis first.
  const std::vector<TensorSource>& tensors() const { return tensors_; }

 private:
  friend class GgufReader;

  std::map<std::string, GgufValue, std::less<>> metadata_;
  std::vector<TensorSource> tensors_;
};

/// Whether a file begins as GGUF files do, whatever it is called.
bool is_gguf(const std::filesystem::path& file);

}  // namespace headscope
