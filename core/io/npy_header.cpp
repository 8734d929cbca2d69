#include "core/io/npy_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace headscope {
namespace {

constexpr std::size_t max_dimensions = 32;  // NumPy's own limit

struct Described {
  std::string_view descr;
  NpyType type;
};
constexpr std::array<Described, 11> described_types{{{"|b1", NpyType::boolean},
                                                     {"|i1", NpyType::int8},
                                                     {"|u1", NpyType::uint8},
                                                     {"<i2", NpyType::int16},
                                                     {"<u2", NpyType::uint16},
                                                     {"<i4", NpyType::int32},
                                                     {"<u4", NpyType::uint32},
                                                     {"<i8", NpyType::int64},
                                                     {"<u8", NpyType::uint64},
                                                     {"<f4", NpyType::float32},
                                                     {"<f8", NpyType::float64}}};

/// Reads a literal from left to right. Every method reports whether it found what it looks for.
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : rest_(text) {}

  bool accept(std::string_view expected) {
    skip_space();
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }

  std::optional<std::string_view> quoted() {
    skip_space();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::optional<int> size() {
    skip_space();
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{} || value < 0) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

 private:
  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

  std::string_view rest_;
};

Result<NpyType> read_type(LiteralReader& reader) {
  const std::optional<std::string_view> descr = reader.quoted();
  if (!descr) return failure("its elements are records; save a single field of them");
  for (const Described& known : described_types)
    if (known.descr == *descr) return known.type;
  // A mask of 0 and 1 saved as floats would be added to the scores.
  const std::string cure =
      "; save it with .astype(bool) if it is a yes/no mask, otherwise with .astype('<f4')";
  const std::string type = "its type '" + std::string(*descr) + "' is ";
  if (descr->starts_with('>')) return failure(type + "big-endian" + cure);
  return failure(type + "not bool, an integer of 8 to 64 bits, float32 or float64" + cure);
}

Result<std::vector<int>> read_shape(LiteralReader& reader) {
  std::vector<int> shape;
  if (!reader.accept("(")) return failure("its shape is not a tuple");
  while (!reader.accept(")")) {
    const std::optional<int> size = reader.size();
    if (!size) return failure("its shape has a size that is not a whole number from 0 to 2147483647");
    if (shape.size() == max_dimensions) return failure("its shape has more than 32 dimensions");
    shape.push_back(*size);
    if (!reader.accept(",")) {
      if (!reader.accept(")")) return failure("its shape is not closed");
      break;
    }
  }
  return shape;
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view literal) {
  LiteralReader reader(literal);
  NpyHeader header;
  bool has_type = false;
  bool has_order = false;
  bool has_shape = false;
  if (!reader.accept("{")) return failure("its header is not a dictionary");
  while (!reader.accept("}")) {
    const std::optional<std::string_view> key = reader.quoted();
    if (!key || !reader.accept(":")) return failure("its header is not a dictionary with names as keys");
    if (*key == "descr") {
      const Result<NpyType> type = read_type(reader);
      if (!type) return tl::unexpected(type.error());
      header.type = *type;
      has_type = true;
    } else if (*key == "fortran_order") {
      header.fortran_order = reader.accept("True");
      if (!header.fortran_order && !reader.accept("False"))
        return failure("fortran_order is neither True nor False");
      has_order = true;
    } else if (*key == "shape") {
      Result<std::vector<int>> shape = read_shape(reader);
      if (!shape) return tl::unexpected(shape.error());
      header.shape = std::move(*shape);
      has_shape = true;
    } else {
      return failure("its header has the unknown entry '" + std::string(*key) + "'");
    }
    if (!reader.accept(",") && !reader.accept("}")) return failure("its header is not closed");
    if (has_type && has_order && has_shape) return header;
  }
  return failure("its header lacks descr, fortran_order or shape");
}

}  // namespace headscope
