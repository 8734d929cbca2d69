#include "core/io/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <new>
#include <set>

#include "core/io/safetensors_header.h"
#include "core/system/atomic_file.h"
#include "core/system/mapped_file.h"
#include "core/tensor/floats.h"

namespace headscope {
namespace {

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

Result<SafetensorsHeader> header_for(std::span<const TensorView> tensors, const TensorMetadata& metadata) {
  SafetensorsHeader header{{}, metadata};
  std::set<std::string_view> names{"__metadata__"};
  std::size_t offset = 0;
  for (const TensorView& tensor : tensors) {
    if (!names.insert(tensor.name).second)
      return usage_error("two tensors cannot share the name '" + tensor.name + "'");
    if (!fits(tensor))
      return usage_error("the shape of tensor '" + tensor.name + "' does not match its numbers");
    const std::size_t size = tensor.is_half ? sizeof(std::uint16_t) : sizeof(float);
    const std::size_t end = offset + count_of(tensor) * size;
    header.entries.push_back(
        {tensor.name, tensor.shape, offset, end, tensor.is_half ? NumberType::f16 : NumberType::f32});
    offset = end;
  }
  return header;
}

Result<void> write_rows(AtomicFile& file, const MatrixView& rows, bool is_half) {
  if (!is_half) return write_numbers(file, rows);
  std::string bytes(count_of(rows) * sizeof(std::uint16_t), '\0');
  char* to = bytes.data();
  for (int row = 0; row < rows.rows; ++row, to += rows.cols * static_cast<int>(sizeof(std::uint16_t)))
    float_to_float16(rows.row(row).data(), static_cast<std::size_t>(rows.cols),
                     reinterpret_cast<std::byte*>(to));
  return file.write(bytes);
}

/// Writes the numbers of a tensor, which must match its shape.
Result<void> write_tensor(AtomicFile& file, const TensorView& tensor) {
  if (!tensor.stream) return write_rows(file, tensor.values, tensor.is_half);
  std::size_t n_written = 0;
  auto streamed = tensor.stream([&](const MatrixView& rows) {
    n_written += count_of(rows);
    return write_rows(file, rows, tensor.is_half);
  });
  if (streamed && n_written != count_of(tensor)) {
    return usage_error("the shape of tensor '" + tensor.name + "' does not match its numbers");
  }
  return streamed;
}

Result<Safetensors> parse_float_tensors(std::string_view bytes) {
  const auto parts = safetensors_parts(bytes);
  if (!parts) return tl::unexpected(parts.error());
  Result<SafetensorsHeader> header = parse_safetensors_header(parts->json, parts->data.size());
  if (!header) return tl::unexpected(header.error());

  Safetensors file;
  file.metadata = std::move(header->metadata);
  for (TensorEntry& entry : header->entries) {
    if (entry.type != NumberType::f32) {
      return failure("its tensor '" + entry.name + "' has the type " + std::string(name_of(entry.type)) +
                     ", not F32; convert it to float32 first");
    }
    const std::string_view numbers = parts->data.substr(entry.begin, entry.end - entry.begin);
    Tensor tensor{std::move(entry.name), std::move(entry.shape),
                  std::vector<float>(numbers.size() / sizeof(float))};
    if (!numbers.empty()) std::memcpy(tensor.values.data(), numbers.data(), numbers.size());
    file.tensors.push_back(std::move(tensor));
  }
  return file;
}

}  // namespace

Result<Safetensors> parse_safetensors(std::string_view bytes, std::string_view name) {
  const auto cannot_read = [&](const std::string& why) {
    return failure("cannot read '" + std::string(name) + "': " + why);
  };
  try {
    Result<Safetensors> file = parse_float_tensors(bytes);
    if (!file) return cannot_read(file.error().message);
    return file;
  } catch (const std::bad_alloc&) {
    return cannot_read("not enough memory for its tensors; close other programs, or use a smaller file");
  }
}

const Tensor* Safetensors::find(std::string_view name) const {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& tensor) { return tensor.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

Result<void> write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                               const TensorMetadata& metadata) {
  const Result<SafetensorsHeader> header = header_for(tensors, metadata);
  if (!header) return tl::unexpected(header.error());
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return tl::unexpected(file.error());
  if (Result<void> written = file->write(safetensors_header_bytes(*header)); !written) return written;
  for (const TensorView& tensor : tensors)
    if (Result<void> written = write_tensor(*file, tensor); !written) return written;
  return file->commit();
}

Result<Safetensors> read_safetensors(const std::filesystem::path& path) {
  return read_mapped(
      path, [](const MappedFile& file) { return parse_safetensors(file.bytes(), file.path().string()); });
}

}  // namespace headscope
