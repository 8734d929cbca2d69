#include "core/paint/picture_reader.h"

#include <stb_image.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/paint/pdf_attachment.h"
#include "core/paint/png_file.h"

namespace headscope {
namespace {

/// A small file may claim to have many pixels. Decoding takes up to 24 bytes per pixel, so this limit keeps
/// it below 100 MiB.
constexpr std::size_t max_read_pixels = std::size_t{4} << 20U;
constexpr int channels = 4;

const stbi_uc* data_of(std::string_view bytes) {
  return reinterpret_cast<const stbi_uc*>(bytes.data());
}

bool is_png(std::string_view bytes) {
  return bytes.starts_with("\x89PNG\r\n\x1a\n");
}

/// Sets the width and the height. Other formats that stb_image knows are not opened, because dropped files
/// are untrusted.
bool read_size(std::string_view bytes, Image& size) {
  if (!is_png(bytes) && !bytes.starts_with("\xFF\xD8\xFF")) return false;
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
  int in_file = 0;
  return stbi_info_from_memory(data_of(bytes), static_cast<int>(bytes.size()), &size.width, &size.height,
                               &in_file) != 0;
}

/// The text of an SVG file with its entities replaced.
std::string unescaped(std::string_view text) {
  using Entity = std::pair<std::string_view, char>;
  constexpr std::array entities{Entity{"&lt;", '<'}, Entity{"&gt;", '>'}, Entity{"&quot;", '"'},
                                Entity{"&#13;", '\r'}, Entity{"&amp;", '&'}};
  std::string plain;
  while (!text.empty()) {
    const auto entity =
        std::ranges::find_if(entities, [&](const auto& one) { return text.starts_with(one.first); });
    const bool is_entity = entity != entities.end();
    plain += is_entity ? entity->second : text.front();
    text.remove_prefix(is_entity ? entity->first.size() : 1);
  }
  return plain;
}

/// The keys of the metadata that this program writes.
constexpr std::array<std::string_view, 7> written_keys{
    "Software",       beyond_scene_key, "Command leaves out", command_key, "Command before leaves out",
    "Command before", scene_omitted_key};

/// What stands between two tags of an SVG file. Empty if there is no such element or if it is too large.
std::string text_between(std::string_view bytes, std::string_view opening, std::string_view closing) {
  const std::size_t begin = bytes.find(opening, bytes.find("<svg"));
  const std::size_t end = bytes.find(closing, begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  const std::string_view text = bytes.substr(begin + opening.size(), end - begin - opening.size());
  constexpr std::size_t max_escaped = 6 * max_embedded_text_bytes;  // A quote takes six characters.
  if (text.size() > max_escaped) return {};
  std::string plain = unescaped(text);
  return plain.size() > max_embedded_text_bytes ? std::string() : plain;
}

/// The lines “Software: …” and the other metadata that this program writes. A command may extend over several
/// lines.
std::vector<Metadata> lines_of_svg(std::string_view bytes) {
  std::vector<Metadata> metadata;
  const std::string text = "\n" + text_between(bytes, "<desc>", "</desc>");
  const std::string_view all = text;
  for (const std::string_view key : written_keys) {
    const std::string start = "\n" + std::string(key) + ": ";
    const std::size_t at = all.find(start);
    if (at == std::string_view::npos) continue;
    std::string_view value = all.substr(at + start.size());
    for (const std::string_view next : written_keys) {
      value = value.substr(0, value.find("\n" + std::string(next) + ": "));
    }
    metadata.push_back({std::string(key), std::string(value)});
  }
  return metadata;
}

}  // namespace

Result<Image> image_in(std::string_view bytes) {
  Image image;
  if (!read_size(bytes, image)) return failure("this is not a PNG or JPEG picture");
  const std::size_t n_pixels = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  if (n_pixels > max_read_pixels) {
    return failure("the picture has " + std::to_string(image.width) + " × " + std::to_string(image.height) +
                   " pixels, but at most 4 million can be read");
  }
  int in_file = 0;
  const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
      stbi_load_from_memory(data_of(bytes), static_cast<int>(bytes.size()), &image.width, &image.height,
                            &in_file, channels),
      stbi_image_free);
  if (!pixels) return failure(std::string("the picture is damaged: ") + stbi_failure_reason());
  image.pixels.reserve(n_pixels);
  for (std::size_t i = 0; i < n_pixels; ++i) {
    const stbi_uc* pixel = pixels.get() + i * channels;
    image.pixels.push_back({pixel[0], pixel[1], pixel[2], pixel[3]});
  }
  return image;
}

bool is_picture(std::string_view bytes) {
  Image size;
  return read_size(bytes, size);
}

std::vector<Metadata> metadata_in(std::string_view bytes) {
  if (is_png(bytes)) return texts_in_png(bytes);
  if (bytes.starts_with("%PDF-")) {
    std::vector<Metadata> attached;
    if (auto scene = attachment_in(bytes, scene_attachment, max_embedded_scene_bytes))
      attached.push_back({scene_key, std::move(*scene)});
    return attached;
  }
  std::vector<Metadata> metadata = lines_of_svg(bytes);
  std::string scene = text_between(bytes, "<metadata>", "</metadata>");
  if (!scene.empty()) metadata.push_back({scene_key, std::move(scene)});
  return metadata;
}

}  // namespace headscope
