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

#include "core/io/tensor_ref.h"
#include "core/result.h"

namespace headscope {

/// The types of GGUF metadata values, with their codes in the file.
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

/// A metadata array: packed values of one type. Not nested.
struct GgufList {
  GgufType type = GgufType::uint8;
  std::size_t size = 0;
  std::string_view bytes;
};

/// A value in the metadata.
using GgufValue = std::variant<std::uint64_t, std::int64_t, double, bool, std::string_view, GgufList>;

/// A GGUF file (llama.cpp): metadata and tensors, which refer to the file's bytes.
class Gguf {
 public:
  /// Parses a file of version 2 or 3. Validates every count, length and offset against the file size. Errors:
  /// a corrupt, truncated or big-endian file, another version, unsupported tensor types, overlapping tensors,
  /// and nested arrays. Messages give the byte offset but not the file name.
  static Result<Gguf> parse(std::string_view file);

  /// Null if there is no such key.
  const GgufValue* find(std::string_view key) const;
  /// Empty if the key is missing or of another type.
  std::optional<std::string_view> text(std::string_view key) const;
  std::optional<bool> flag(std::string_view key) const;
  /// A non-negative integer of any type.
  std::optional<std::uint64_t> whole(std::string_view key) const;
  /// An array of strings or of numbers. Empty if the key is missing or of another type.
  std::vector<std::string_view> texts(std::string_view key) const;
  std::vector<double> numbers(std::string_view key) const;

  const std::map<std::string, GgufValue, std::less<>>& metadata() const { return metadata_; }
  /// The tensors in file order, with their outermost axes first.
  const std::vector<TensorRef>& tensors() const { return tensors_; }
  /// Adds the tensors of another file of the same model.
  void add_part(const Gguf& part) {
    tensors_.insert(tensors_.end(), part.tensors_.begin(), part.tensors_.end());
  }

 private:
  friend class GgufReader;

  std::map<std::string, GgufValue, std::less<>> metadata_;
  std::vector<TensorRef> tensors_;
};

/// Whether a file begins as GGUF files do, whatever it is called.
bool is_gguf(const std::filesystem::path& file);

}  // namespace headscope
