#include "core/io/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/io/json_text.h"
#include "core/io/tensor_ref.h"
#include "core/little_endian.h"
#include "core/split_text.h"
#include "core/system/atomic_file.h"
#include "core/system/mapped_file.h"
#include "core/tensor/floats.h"
#include "core/to_float.h"

namespace headscope {
namespace {

constexpr std::size_t max_dimensions = 32;  // NumPy's own limit

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

void convert_booleans(std::string_view data, std::vector<float>& values) {
  convert<std::uint8_t>(data, values);
  for (float& value : values) value = value != 0.0F ? 1.0F : 0.0F;
}

void convert_halves(std::string_view data, std::vector<float>& values) {
  float16_to_float(reinterpret_cast<const std::byte*>(data.data()), values.size(), values.data());
}

/// A supported number type.
struct NpyType {
  std::string_view descr;
  std::string_view name;
  std::size_t bytes;
  void (*convert)(std::string_view data, std::vector<float>& values);
};
constexpr std::array npy_types{
    NpyType{"|b1", "bool", 1, convert_booleans},         NpyType{"|i1", "int8", 1, convert<std::int8_t>},
    NpyType{"|u1", "uint8", 1, convert<std::uint8_t>},   NpyType{"<i2", "int16", 2, convert<std::int16_t>},
    NpyType{"<u2", "uint16", 2, convert<std::uint16_t>}, NpyType{"<i4", "int32", 4, convert<std::int32_t>},
    NpyType{"<u4", "uint32", 4, convert<std::uint32_t>}, NpyType{"<i8", "int64", 8, convert<std::int64_t>},
    NpyType{"<u8", "uint64", 8, convert<std::uint64_t>}, NpyType{"<f2", "float16", 2, convert_halves},
    NpyType{"<f4", "float32", 4, convert<float>},        NpyType{"<f8", "float64", 8, convert<double>}};

const NpyType& type_in(const nlohmann::json& header) {
  const nlohmann::json& descr = header["descr"];
  if (!descr.is_string()) refuse(failure("its elements are records; save a single field of them"));
  const auto name = descr.get<std::string>();
  const auto* const found = std::ranges::find(npy_types, name, &NpyType::descr);
  if (found != npy_types.end()) return *found;
  // A mask of 0 and 1 saved as floats would be added to the scores.
  refuse(failure(
      "its type '" + name + "' is " +
      (name.starts_with('>') ? "big-endian" : "not bool, an integer of 8 to 64 bits or a float of 16 to 64") +
      "; save it with .astype(bool) if it is a yes/no mask, otherwise with .astype('<f4')"));
}

std::vector<int> shape_in(const nlohmann::json& header) {
  const nlohmann::json& sizes = header["shape"];
  if (!sizes.is_array()) refuse(failure("its shape is not a tuple"));
  if (sizes.size() > max_dimensions) refuse(failure("its shape has more than 32 dimensions"));
  std::vector<int> shape;
  for (const nlohmann::json& size : sizes) {
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > std::numeric_limits<int>::max())
      refuse(failure("its shape has a size that is not a whole number from 0 to 2147483647"));
    shape.push_back(size.get<int>());
  }
  return shape;
}

/// Converts the header, a Python literal such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), },
/// to JSON.
nlohmann::json header_in(std::string_view literal) {
  std::string text;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    const char c = literal[i];
    const std::size_t next = literal.find_first_not_of(" \t\r\n", i + 1);
    const bool ends_list =
        c == ',' && next != std::string_view::npos && (literal[next] == ')' || literal[next] == '}');
    if (!ends_list)
      text += c == '\'' ? '"' : c == '(' ? '[' : c == ')' ? ']' : c == 'T' ? 't' : c == 'F' ? 'f' : c;
  }
  auto header = result_of("its header is not a dictionary that NumPy writes: ", [&] {
                  return parse_json(text).value();
                }).value();
  for (const char* key : {"descr", "fortran_order", "shape"}) {
    if (!header.is_object() || !header.contains(key)) refuse(failure("its header lacks " + std::string(key)));
  }
  if (!header["fortran_order"].is_boolean()) refuse(failure("fortran_order is neither True nor False"));
  return header;
}

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t version_bytes = 2;
constexpr std::size_t data_alignment = 64;

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
std::pair<std::string_view, std::string_view> split(std::string_view bytes) {
  if (!bytes.starts_with(magic)) refuse(failure("it is not a NumPy file"));
  bytes.remove_prefix(magic.size());
  if (bytes.size() < version_bytes)
    refuse(failure("it ends inside the header; the file is cut off or damaged"));
  const int version = static_cast<unsigned char>(bytes[0]);
  if (version < 1 || version > 3)
    refuse(failure("its format version " + std::to_string(version) + " is not 1, 2 or 3"));
  bytes.remove_prefix(version_bytes);
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (bytes.size() < length_bytes)
    refuse(failure("it ends inside the header; the file is cut off or damaged"));
  const auto length = static_cast<std::size_t>(little_endian(bytes.substr(0, length_bytes)));
  bytes.remove_prefix(length_bytes);
  if (bytes.size() < length) refuse(failure("it ends inside the header; the file is cut off or damaged"));
  return std::pair(bytes.substr(0, length), bytes.substr(length));
}

/// An array, of whose numbers only this many are read: the last ones, if all are more.
NpyArray parse(std::string_view bytes, std::size_t most) {
  const auto [literal, data] = split(bytes);
  const nlohmann::json header = header_in(literal);
  const NpyType& type = type_in(header);
  NpyArray array{type.name, shape_in(header), {}};
  const std::optional<std::size_t> count = count_elements(array.shape, data.size() / type.bytes);
  if (!count) {
    refuse(failure("its shape needs more data than the " + std::to_string(data.size()) +
                   " bytes that follow the header; the file is cut off or damaged"));
  }
  if (std::min(*count, most) > max_npy_numbers) {
    refuse(failure("it has " + std::to_string(*count) + " numbers, but at most " +
                   std::to_string(max_npy_numbers) + " can be read: give a smaller array"));
  }
  const std::size_t first = *count - std::min(*count, most);
  const bool is_fortran = header["fortran_order"].get<bool>();
  if (is_fortran && first > 0) refuse(failure("it is in Fortran order"));
  array.values.resize(*count - first);
  type.convert(data.substr(first * type.bytes), array.values);
  if (is_fortran) array.values = row_major(array.values, array.shape);
  return array;
}

Result<NpyArray> parse_named(std::string_view bytes, std::string_view name, std::size_t most) {
  return result_of("cannot read '" + std::string(name) + "': ", [&] {
    try {
      return parse(bytes, most);
    } catch (const std::bad_alloc&) {
      refuse(failure("not enough memory for its numbers; use a smaller array"));
    }
  });
}

}  // namespace

Result<NpyArray> parse_npy(std::string_view bytes, std::string_view name) {
  return parse_named(bytes, name, std::numeric_limits<std::size_t>::max());
}

Result<NpyArray> read_end_of_npy(const std::filesystem::path& path, std::size_t max_numbers) {
  return read_mapped(path, [max_numbers](const MappedFile& file) {
    return parse_named(file.bytes(), file.path().string(), max_numbers);
  });
}

Result<NpyArray> read_npy(const std::filesystem::path& path) {
  return read_mapped(path,
                     [](const MappedFile& file) { return parse_npy(file.bytes(), file.path().string()); });
}

std::string npy_header(const std::vector<std::size_t>& shape) {
  std::string sizes = join_texts(shape, ", ", [](std::size_t size) { return std::to_string(size); });
  if (shape.size() == 1) sizes += ',';  // (4) is no tuple in Python
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

Result<void> write_npy(const std::filesystem::path& path, const std::vector<std::size_t>& shape,
                       const NumberStream& numbers) {
  return result_of([&] {
    AtomicFile file = AtomicFile::create(path).value();
    ensure(file.write(npy_header(shape)));
    numbers([&file](const MatrixView& rows) { write_numbers(file, rows); });
    ensure(file.commit());
  });
}

}  // namespace headscope
