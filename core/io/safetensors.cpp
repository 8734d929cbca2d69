#include "core/io/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <set>

#include "core/io/json_text.h"
#include "core/little_endian.h"
#include "core/system/atomic_file.h"
#include "core/system/mapped_file.h"
#include "core/tensor/floats.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

constexpr const char* metadata_key = "__metadata__";

TensorMetadata parse_metadata(const Json& json) {
  if (!json.is_object()) refuse(failure("its __metadata__ is not an object"));
  TensorMetadata metadata;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) refuse(failure("its __metadata__ entry '" + key + "' is not a string"));
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

bool is_list_of_sizes(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_array() &&
         std::all_of(found->begin(), found->end(),
                     [](const Json& item) { return item.is_number_unsigned(); });
}

TensorRef parse_entry(const std::string& name, const Json& json, std::string_view data) {
  const auto wrong = [&](const std::string& what) { return failure("its tensor '" + name + "' " + what); };
  if (!json.is_object()) refuse(wrong("is not described by an object"));
  const auto dtype = json.find("dtype");
  if (dtype == json.end() || !dtype->is_string()) refuse(wrong("has no dtype"));
  const auto type = parse_number_type(dtype->get<std::string>());
  if (!type) refuse(wrong("has the type " + dtype->get<std::string>() + ", which is not supported"));
  if (!is_list_of_sizes(json, "shape")) refuse(wrong("has no shape of whole numbers"));
  if (!is_list_of_sizes(json, "data_offsets") || json["data_offsets"].size() != 2)
    refuse(wrong("has no pair of data_offsets"));

  const auto begin = json["data_offsets"][0].get<std::size_t>(),
             end = json["data_offsets"][1].get<std::size_t>();
  if (begin > end || end > data.size()) {
    refuse(wrong("has data_offsets outside the " + std::to_string(data.size()) +
                 " bytes of data; the file is cut off or damaged"));
  }
  TensorRef tensor{
      name, json["shape"].get<std::vector<std::size_t>>(), *type, data.substr(begin, end - begin), {}};
  const std::optional<std::size_t> count = count_elements(tensor.shape, data.size() / bytes_of(*type));
  if (!count || *count * bytes_of(*type) != end - begin)
    refuse(wrong("has a shape that does not match its data_offsets"));
  return tensor;
}

/// Parses a header and validates it against the data.
SafetensorsView parse_header(std::string_view text, std::string_view data) {
  const Json json =
      result_of("its header cannot be read: ", [&] { return parse_json(text).value(); }).value();
  if (!json.is_object()) refuse(failure("its header is not a JSON object"));
  SafetensorsView view;
  for (const auto& [name, value] : json.items()) {
    if (name != metadata_key) {
      view.tensors.push_back(parse_entry(name, value, data));
    } else if (!value.is_null()) {  // MLX writes null.
      view.metadata = parse_metadata(value);
    }
  }
  std::ranges::sort(view.tensors, {}, [](const TensorRef& tensor) {
    return std::pair(tensor.bytes.data(), tensor.bytes.size());
  });
  std::size_t expected = 0;
  for (const TensorRef& tensor : view.tensors) {
    if (tensor.bytes.data() != data.data() + expected)
      refuse(failure("its tensor '" + tensor.name + "' overlaps another or leaves a gap before it"));
    expected += tensor.bytes.size();
  }
  if (expected != data.size()) {
    refuse(failure("its tensors cover " + std::to_string(expected) + " of its " +
                   std::to_string(data.size()) + " bytes of data"));
  }
  return view;
}

constexpr std::size_t length_bytes = 8;

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

std::size_t count_of(const MatrixView& view) {
  return static_cast<std::size_t>(view.rows) * static_cast<std::size_t>(view.cols);
}

std::size_t count_of(const TensorView& tensor) {
  if (!tensor.stream) return count_of(tensor.values);
  std::size_t count = 1;
  for (const std::size_t size : tensor.shape) count *= size;
  return count;
}

bool fits(const TensorView& tensor) {
  std::size_t count = 1;
  for (const std::size_t size : tensor.shape) {
    if (size != 0 && count > SIZE_MAX / size) return false;
    count *= size;
  }
  return tensor.stream || count == count_of(tensor.values);
}

/// The bytes before the numbers of these tensors: the length and the JSON, padded so that the data is
/// aligned.
std::string header_for(std::span<const TensorView> tensors, const TensorMetadata& metadata) {
  Json json = Json::object();
  if (!metadata.empty()) json[metadata_key] = metadata;
  std::set<std::string_view> names{metadata_key};
  std::size_t offset = 0;
  for (const TensorView& tensor : tensors) {
    if (!names.insert(tensor.name).second)
      refuse(usage_error("two tensors cannot share the name '" + tensor.name + "'"));
    if (!fits(tensor))
      refuse(usage_error("the shape of tensor '" + tensor.name + "' does not match its numbers"));
    const std::size_t size = tensor.is_half ? sizeof(std::uint16_t) : sizeof(float);
    const std::size_t end = offset + count_of(tensor) * size;
    json[tensor.name] = {{"dtype", name_of(tensor.is_half ? NumberType::f16 : NumberType::f32)},
                         {"shape", tensor.shape},
                         {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = json_text(json);
  text.append((length_bytes - text.size() % length_bytes) % length_bytes, ' ');
  std::string bytes;
  for (std::size_t i = 0; i < length_bytes; ++i) bytes += static_cast<char>(text.size() >> (8U * i) & 0xFFU);
  return bytes + text;
}

void write_rows(AtomicFile& file, const MatrixView& rows, bool is_half) {
  if (!is_half) return write_numbers(file, rows);
  std::string bytes(count_of(rows) * sizeof(std::uint16_t), '\0');
  char* to = bytes.data();
  for (int row = 0; row < rows.rows; ++row, to += rows.cols * static_cast<int>(sizeof(std::uint16_t)))
    float_to_float16(rows.row(row).data(), static_cast<std::size_t>(rows.cols),
                     reinterpret_cast<std::byte*>(to));
  ensure(file.write(bytes));
}

/// Writes the numbers of a tensor, which must match its shape.
void write_tensor(AtomicFile& file, const TensorView& tensor) {
  if (!tensor.stream) return write_rows(file, tensor.values, tensor.is_half);
  std::size_t n_written = 0;
  tensor.stream([&](const MatrixView& rows) {
    n_written += count_of(rows);
    write_rows(file, rows, tensor.is_half);
  });
  if (n_written != count_of(tensor))
    refuse(usage_error("the shape of tensor '" + tensor.name + "' does not match its numbers"));
}

Safetensors parse_float_tensors(std::string_view bytes) {
  auto [tensors, metadata] = view_safetensors(bytes).value();
  Safetensors file{{}, std::move(metadata)};
  for (TensorRef& stored : tensors) {
    if (stored.type != NumberType::f32) {
      refuse(failure("its tensor '" + stored.name + "' has the type " + std::string(name_of(stored.type)) +
                     ", not F32; convert it to float32 first"));
    }
    Tensor tensor{std::move(stored.name), std::move(stored.shape),
                  std::vector<float>(stored.bytes.size() / sizeof(float))};
    if (!stored.bytes.empty()) std::memcpy(tensor.values.data(), stored.bytes.data(), stored.bytes.size());
    file.tensors.push_back(std::move(tensor));
  }
  return file;
}

}  // namespace

Result<SafetensorsView> view_safetensors(std::string_view file) {
  if (file.size() < length_bytes) return failure("it is too short for a safetensors file");
  const std::uint64_t length = little_endian(file.substr(0, length_bytes));
  const std::string_view rest = file.substr(length_bytes);
  if (!rest.starts_with('{')) return failure("it is not a safetensors file: its header is not a JSON object");
  if (length > rest.size()) return failure("it ends too early; the file is cut off or damaged");
  return result_of([&] {
    return parse_header(rest.substr(0, static_cast<std::size_t>(length)),
                        rest.substr(static_cast<std::size_t>(length)));
  });
}

bool begins_as_safetensors(std::string_view begin) {
  constexpr std::uint64_t max_header_bytes = std::uint64_t{1} << 32U;
  return begin.size() > length_bytes && begin[length_bytes] == '{' &&
         little_endian(begin.substr(0, length_bytes)) < max_header_bytes;
}

Result<Safetensors> parse_safetensors(std::string_view bytes, std::string_view name) {
  return result_of("cannot read '" + std::string(name) + "': ", [&] {
    try {
      return parse_float_tensors(bytes);
    } catch (const std::bad_alloc&) {
      refuse(failure("not enough memory for its tensors; close other programs, or use a smaller file"));
    }
  });
}

const Tensor* Safetensors::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors, name, &Tensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

Result<void> write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                               const TensorMetadata& metadata) {
  return result_of([&] {
    const std::string header = header_for(tensors, metadata);
    AtomicFile file = AtomicFile::create(path).value();
    ensure(file.write(header));
    for (const TensorView& tensor : tensors) write_tensor(file, tensor);
    ensure(file.commit());
  });
}

Result<Safetensors> read_safetensors(const std::filesystem::path& path) {
  return read_mapped(
      path, [](const MappedFile& file) { return parse_safetensors(file.bytes(), file.path().string()); });
}

}  // namespace headscope
