#include "core/io/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <set>
#include <system_error>

#include "core/io/atomic_file.h"
#include "core/io/safetensors_header.h"
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

/// Writes the numbers of a tensor. There must be as many as its shape says.
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

/// Reads the bytes of a file or of memory one after the other.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;
  virtual std::size_t size() const = 0;
  virtual bool read(char* target, std::size_t n_bytes) = 0;
};

class MemorySource : public Source {
 public:
  explicit MemorySource(std::string_view bytes) : size_(bytes.size()), rest_(bytes) {}
  std::size_t size() const override { return size_; }
  bool read(char* target, std::size_t n_bytes) override {
    if (n_bytes > rest_.size()) return false;
    std::copy_n(rest_.data(), n_bytes, target);
    rest_.remove_prefix(n_bytes);
    return true;
  }

 private:
  std::size_t size_;
  std::string_view rest_;
};

class FileSource : public Source {
 public:
  FileSource(std::ifstream stream, std::size_t size) : stream_(std::move(stream)), size_(size) {}
  std::size_t size() const override { return size_; }
  bool read(char* target, std::size_t n_bytes) override {
    return static_cast<bool>(stream_.read(target, static_cast<std::streamsize>(n_bytes)));
  }

 private:
  std::ifstream stream_;
  std::size_t size_;
};

constexpr const char* cut_off = "it ends too early; the file is cut off or damaged";

Result<Safetensors> parse(Source& source) {
  std::string length_bytes(safetensors_length_bytes, '\0');
  if (source.size() < safetensors_length_bytes || !source.read(length_bytes.data(), length_bytes.size()))
    return failure("it is too short for a safetensors file");
  const std::size_t length = safetensors_header_length(length_bytes);
  const std::size_t remaining = source.size() - safetensors_length_bytes;
  if (length > max_safetensors_header)
    return failure("it is not a safetensors file: its header would be too long");
  if (length > remaining) return failure(cut_off);
  std::string json(length, '\0');
  if (!source.read(json.data(), length)) return failure(cut_off);
  Result<SafetensorsHeader> header = parse_safetensors_header(json, remaining - length);
  if (!header) return tl::unexpected(header.error());

  Safetensors file;
  file.metadata = std::move(header->metadata);
  for (TensorEntry& entry : header->entries) {
    if (entry.type != NumberType::f32) {
      return failure("its tensor '" + entry.name + "' has the type " + std::string(name_of(entry.type)) +
                     ", not F32; convert it to float32 first");
    }
    const std::size_t n_bytes = entry.end - entry.begin;
    Tensor tensor{std::move(entry.name), std::move(entry.shape), std::vector<float>(n_bytes / sizeof(float))};
    if (!source.read(reinterpret_cast<char*>(tensor.values.data()), n_bytes)) return failure(cut_off);
    file.tensors.push_back(std::move(tensor));
  }
  return file;
}

Result<Safetensors> parse_named(Source& source, std::string_view name) {
  const auto cannot_read = [&](const std::string& why) {
    return failure("cannot read '" + std::string(name) + "': " + why);
  };
  try {
    Result<Safetensors> file = parse(source);
    if (!file) return cannot_read(file.error().message);
    return file;
  } catch (const std::bad_alloc&) {
    return cannot_read("not enough memory for its tensors; close other programs, or use a smaller file");
  }
}

}  // namespace

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
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return failure("cannot read '" + path.string() + "': " + error.message());
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return failure("cannot read '" + path.string() + "': it cannot be opened; check its permissions");
  FileSource source(std::move(stream), size);
  return parse_named(source, path.string());
}

Result<Safetensors> parse_safetensors(std::string_view bytes, std::string_view name) {
  MemorySource source(bytes);
  return parse_named(source, name);
}

}  // namespace headscope
