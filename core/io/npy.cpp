#include "core/io/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/system/atomic_file.h"
#include "core/system/mapped_file.h"
#include "core/to_float.h"

namespace headscope {
namespace {

/// The contents of a .npy file's header, which is a Python literal such as
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
struct NpyHeader {
  NpyType type = NpyType::float32;
  bool fortran_order = false;
  std::vector<int> shape;
};

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

/// Parses such a literal. The error says what is wrong but does not name the file.
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

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t version_bytes = 2;
constexpr std::size_t data_alignment = 64;

std::size_t bytes_of(NpyType type) {
  switch (type) {
    case NpyType::boolean:
    case NpyType::int8:
    case NpyType::uint8:
      return 1;
    case NpyType::int16:
    case NpyType::uint16:
      return 2;
    case NpyType::int32:
    case NpyType::uint32:
    case NpyType::float32:
      return 4;
    case NpyType::int64:
    case NpyType::uint64:
    case NpyType::float64:
      return 8;
  }
  return 8;
}

/// The product of the sizes. No value if it exceeds `limit`.
std::optional<std::size_t> count_elements(const std::vector<int>& shape, std::size_t limit) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::size_t count = 1;
  for (const int size : shape) {
    if (count > limit / static_cast<std::size_t>(size)) return std::nullopt;
    count *= static_cast<std::size_t>(size);
  }
  return count <= limit ? std::optional(count) : std::nullopt;
}

template <class Element>
void convert(std::string_view data, std::vector<float>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Element element;
    std::memcpy(&element, data.data() + i * sizeof(Element), sizeof(Element));
    if constexpr (std::is_same_v<Element, double>) {
      values[i] = to_float(element);
    } else {
      values[i] = static_cast<float>(element);
    }
  }
}

void read_values(NpyType type, std::string_view data, std::vector<float>& values) {
  switch (type) {
    case NpyType::boolean:
      convert<std::uint8_t>(data, values);
      for (float& value : values) value = value != 0.0F ? 1.0F : 0.0F;
      return;
    case NpyType::int8:
      return convert<std::int8_t>(data, values);
    case NpyType::uint8:
      return convert<std::uint8_t>(data, values);
    case NpyType::int16:
      return convert<std::int16_t>(data, values);
    case NpyType::uint16:
      return convert<std::uint16_t>(data, values);
    case NpyType::int32:
      return convert<std::int32_t>(data, values);
    case NpyType::uint32:
      return convert<std::uint32_t>(data, values);
    case NpyType::int64:
      return convert<std::int64_t>(data, values);
    case NpyType::uint64:
      return convert<std::uint64_t>(data, values);
    case NpyType::float32:
      return convert<float>(data, values);
    case NpyType::float64:
      return convert<double>(data, values);
  }
}

/// Reorders column-major values into row-major order.
std::vector<float> row_major(const std::vector<float>& values, const std::vector<int>& shape) {
  std::vector<float> ordered(values.size());
  std::vector<int> index(shape.size(), 0);
  for (float& target : ordered) {
    std::size_t source = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;)
      source = source * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(index[axis]);
    target = values[source];
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return ordered;
}

/// The header literal and the data of a file.
struct Frame {
  std::string_view literal;
  std::string_view data;
};
Result<Frame> split(std::string_view bytes) {
  if (!bytes.starts_with(magic)) return failure("it is not a NumPy file");
  bytes.remove_prefix(magic.size());
  if (bytes.size() < version_bytes)
    return failure("it ends inside the header; the file is cut off or damaged");
  const int version = static_cast<unsigned char>(bytes[0]);
  if (version < 1 || version > 3)
    return failure("its format version " + std::to_string(version) + " is not 1, 2 or 3");
  bytes.remove_prefix(version_bytes);
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (bytes.size() < length_bytes)
    return failure("it ends inside the header; the file is cut off or damaged");
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8U | static_cast<unsigned char>(bytes[i]);
  bytes.remove_prefix(length_bytes);
  if (bytes.size() < length) return failure("it ends inside the header; the file is cut off or damaged");
  return Frame{bytes.substr(0, length), bytes.substr(length)};
}

Result<NpyArray> parse(std::string_view bytes) {
  const Result<Frame> frame = split(bytes);
  if (!frame) return tl::unexpected(frame.error());
  const Result<NpyHeader> header = parse_npy_header(frame->literal);
  if (!header) return tl::unexpected(header.error());
  const std::size_t element_bytes = bytes_of(header->type);
  const std::optional<std::size_t> count = count_elements(header->shape, frame->data.size() / element_bytes);
  if (!count) {
    return failure("its shape needs more data than the " + std::to_string(frame->data.size()) +
                   " bytes that follow the header; the file is cut off or damaged");
  }
  if (*count > most_npy_numbers) {
    return failure("it has " + std::to_string(*count) + " numbers, but at most " +
                   std::to_string(most_npy_numbers) + " can be read: give a smaller array");
  }
  NpyArray array{header->type, header->shape, std::vector<float>(*count)};
  read_values(array.type, frame->data, array.values);
  if (header->fortran_order) array.values = row_major(array.values, array.shape);
  return array;
}

}  // namespace

Result<NpyArray> parse_npy(std::string_view bytes, std::string_view name) {
  const auto cannot_read = [&](const std::string& why) {
    return failure("cannot read '" + std::string(name) + "': " + why);
  };
  try {
    Result<NpyArray> array = parse(bytes);
    if (!array) return cannot_read(array.error().message);
    return array;
  } catch (const std::bad_alloc&) {
    return cannot_read("not enough memory for its numbers; use a smaller array");
  }
}

Result<NpyArray> read_npy(const std::filesystem::path& path) {
  return read_mapped(path,
                     [](const MappedFile& file) { return parse_npy(file.bytes(), file.path().string()); });
}

namespace {

/// Everything that precedes the numbers in a file.
std::string header_of(const std::vector<std::size_t>& shape) {
  std::string sizes;
  for (const std::size_t size : shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  std::string literal = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + sizes + "), }";
  const std::size_t frame = magic.size() + version_bytes + 2;
  const std::size_t unpadded = frame + literal.size() + 1;
  const std::size_t aligned = (unpadded + data_alignment - 1) / data_alignment * data_alignment;
  literal.append(aligned - unpadded, ' ');
  literal += '\n';

  std::string bytes(magic);
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(literal.size() & 0xFFU);
  bytes += static_cast<char>(literal.size() >> 8U);
  return bytes + literal;
}

std::vector<std::size_t> shape_of(const MatrixView& values) {
  return {static_cast<std::size_t>(values.rows), static_cast<std::size_t>(values.cols)};
}

}  // namespace

std::string npy_bytes(const MatrixView& values) {
  std::string bytes = header_of(shape_of(values));
  const std::size_t row_bytes = static_cast<std::size_t>(values.cols) * sizeof(float);
  bytes.reserve(bytes.size() + row_bytes * static_cast<std::size_t>(values.rows));
  for (int row = 0; row < values.rows; ++row) {
    bytes.append(reinterpret_cast<const char*>(values.row(row).data()), row_bytes);
  }
  return bytes;
}

Result<void> write_npy(const std::filesystem::path& path, const MatrixView& values) {
  return write_npy(path, shape_of(values), [&values](const PutRows& put) { return put(values); });
}

Result<void> write_npy(const std::filesystem::path& path, const std::vector<std::size_t>& shape,
                       const NumberStream& numbers) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return tl::unexpected(file.error());
  if (auto ok = file->write(header_of(shape)); !ok) return ok;
  auto streamed = numbers([&file](const MatrixView& rows) { return write_numbers(*file, rows); });
  return streamed ? file->commit() : streamed;
}

std::string_view name_of(NpyType type) {
  switch (type) {
    case NpyType::boolean:
      return "bool";
    case NpyType::int8:
      return "int8";
    case NpyType::uint8:
      return "uint8";
    case NpyType::int16:
      return "int16";
    case NpyType::uint16:
      return "uint16";
    case NpyType::int32:
      return "int32";
    case NpyType::uint32:
      return "uint32";
    case NpyType::int64:
      return "int64";
    case NpyType::uint64:
      return "uint64";
    case NpyType::float32:
      return "float32";
    case NpyType::float64:
      return "float64";
  }
  return "float64";
}

}  // namespace headscope
