#include "core/io/safetensors_header.h"

#include <algorithm>
#include <optional>

#include "core/io/json_text.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

constexpr const char* metadata_key = "__metadata__";

Result<TensorMetadata> parse_metadata(const Json& json) {
  if (!json.is_object()) return failure("its __metadata__ is not an object");
  TensorMetadata metadata;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) return failure("its __metadata__ entry '" + key + "' is not a string");
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

/// The number of elements. Empty if their size exceeds `limit`.
std::optional<std::size_t> count_elements(const std::vector<std::size_t>& shape, std::size_t limit,
                                          std::size_t bytes_each) {
  if (std::find(shape.begin(), shape.end(), 0U) != shape.end()) return 0;
  std::size_t count = 1;
  for (const std::size_t size : shape) {
    if (count > limit / bytes_each / size) return std::nullopt;
    count *= size;
  }
  return count;
}

bool is_list_of_sizes(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_array() &&
         std::all_of(found->begin(), found->end(),
                     [](const Json& item) { return item.is_number_unsigned(); });
}

Result<TensorEntry> parse_entry(const std::string& name, const Json& json, std::size_t data_bytes) {
  const auto wrong = [&](const std::string& what) { return failure("its tensor '" + name + "' " + what); };
  if (!json.is_object()) return wrong("is not described by an object");
  const auto dtype = json.find("dtype");
  if (dtype == json.end() || !dtype->is_string()) return wrong("has no dtype");
  const auto type = parse_number_type(dtype->get<std::string>());
  if (!type) return wrong("has the type " + dtype->get<std::string>() + ", which is not supported");
  if (!is_list_of_sizes(json, "shape")) return wrong("has no shape of whole numbers");
  if (!is_list_of_sizes(json, "data_offsets") || json["data_offsets"].size() != 2)
    return wrong("has no pair of data_offsets");

  TensorEntry entry{name, json["shape"].get<std::vector<std::size_t>>(),
                    json["data_offsets"][0].get<std::size_t>(), json["data_offsets"][1].get<std::size_t>(),
                    *type};
  if (entry.begin > entry.end || entry.end > data_bytes) {
    return wrong("has data_offsets outside the " + std::to_string(data_bytes) +
                 " bytes of data; the file is cut off or damaged");
  }
  const std::optional<std::size_t> count = count_elements(entry.shape, data_bytes, bytes_of(*type));
  if (!count || *count * bytes_of(*type) != entry.end - entry.begin)
    return wrong("has a shape that does not match its data_offsets");
  return entry;
}

Json entry_json(const TensorEntry& entry) {
  return Json{
      {"dtype", name_of(entry.type)}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
}

}  // namespace

std::size_t safetensors_header_length(std::string_view first_bytes) {
  std::size_t length = 0;
  for (std::size_t i = safetensors_length_bytes; i-- > 0;)
    length = length << 8U | static_cast<unsigned char>(first_bytes[i]);
  return length;
}

Result<SafetensorsHeader> parse_safetensors_header(std::string_view text, std::size_t data_bytes) {
  const auto parsed = parse_json(text);
  if (!parsed) return failure("its header cannot be read: " + parsed.error().message);
  const Json& json = *parsed;
  if (!json.is_object()) return failure("its header is not a JSON object");
  SafetensorsHeader header;
  for (const auto& [name, value] : json.items()) {
    if (name == metadata_key) {
      if (value.is_null()) continue;  // MLX writes null.
      Result<TensorMetadata> metadata = parse_metadata(value);
      if (!metadata) return tl::unexpected(metadata.error());
      header.metadata = std::move(*metadata);
      continue;
    }
    Result<TensorEntry> entry = parse_entry(name, value, data_bytes);
    if (!entry) return tl::unexpected(entry.error());
    header.entries.push_back(std::move(*entry));
  }
  std::sort(header.entries.begin(), header.entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::size_t expected = 0;
  for (const TensorEntry& entry : header.entries) {
    if (entry.begin != expected)
      return failure("its tensor '" + entry.name + "' overlaps another or leaves a gap before it");
    expected = entry.end;
  }
  if (expected != data_bytes) {
    return failure("its tensors cover " + std::to_string(expected) + " of its " + std::to_string(data_bytes) +
                   " bytes of data");
  }
  return header;
}

Result<SafetensorsParts> safetensors_parts(std::string_view file) {
  if (file.size() < safetensors_length_bytes) return failure("it is too short for a safetensors file");
  const std::size_t length = safetensors_header_length(file);
  const std::string_view rest = file.substr(safetensors_length_bytes);
  if (!rest.starts_with('{')) return failure("it is not a safetensors file: its header is not a JSON object");
  if (length > rest.size()) return failure("it ends too early; the file is cut off or damaged");
  return SafetensorsParts{rest.substr(0, length), rest.substr(length)};
}

std::string safetensors_header_bytes(const SafetensorsHeader& header) {
  Json json = Json::object();
  if (!header.metadata.empty()) json[metadata_key] = header.metadata;
  for (const TensorEntry& entry : header.entries) json[entry.name] = entry_json(entry);
  std::string text = json_text(json);
  text.append((safetensors_length_bytes - text.size() % safetensors_length_bytes) % safetensors_length_bytes,
              ' ');

  std::string bytes;
  for (std::size_t i = 0; i < safetensors_length_bytes; ++i)
    bytes += static_cast<char>(text.size() >> (8U * i) & 0xFFU);
  return bytes + text;
}

}  // namespace headscope
