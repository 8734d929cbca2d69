#include "app/ui/textures.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/paint/rasterize.h"

namespace headscope {

TextureCache::~TextureCache() {
  for (const auto& [image, entry] : textures_) {
    if (entry.texture != no_texture) store_.destroy(entry.texture);
  }
}

ImTextureID TextureCache::of(const std::shared_ptr<const Image>& image) {
  if (image == nullptr) return no_texture;
  const auto found = textures_.find(image.get());
  if (found != textures_.end()) {
    if (!found->second.image.expired()) return found->second.texture;
    // A new image at the address of a released one.
    if (found->second.texture != no_texture) store_.destroy(found->second.texture);
    textures_.erase(found);
  }
  const ImTextureID texture = store_.create(*image);
  textures_.emplace(image.get(), CachedTexture{image, texture});
  return texture;
}

void TextureCache::sweep() {
  std::erase_if(textures_, [&](const auto& item) {
    const CachedTexture& entry = item.second;
    if (!entry.image.expired()) return false;
    if (entry.texture != no_texture) store_.destroy(entry.texture);
    return true;
  });
}

namespace {

ImVec2 turned(ImVec2 point, float degrees) {
  const float angle = degrees * std::numbers::pi_v<float> / 180.0F;
  const float c = std::cos(angle);
  const float s = std::sin(angle);
  return {c * point.x + s * point.y, c * point.y - s * point.x};
}

}  // namespace

/// Glyphs may extend beyond their line by at most half its size.
ShapedLines::PixelBox ShapedLines::pixel_box_of(const LineSize& line, const Label& label) {
  constexpr float widest = 4096.0F;
  const float around = 0.5F * label.size;
  const auto width = std::min(static_cast<float>(line.width), widest);
  const auto top = std::max(-static_cast<float>(line.ascent) - around, -widest);
  const auto bottom = std::min(static_cast<float>(line.descent) + around, widest);
  PixelBox frame{0.0F, 0.0F, 0.0F, 0.0F};
  for (const ImVec2 corner : {ImVec2(-around, top), ImVec2(width + around, top), ImVec2(-around, bottom),
                              ImVec2(width + around, bottom)}) {
    const ImVec2 at = turned(corner, label.degrees);
    frame = {std::min(frame.left, std::floor(at.x)), std::min(frame.top, std::floor(at.y)),
             std::max(frame.right, std::ceil(at.x)), std::max(frame.bottom, std::ceil(at.y))};
  }
  return frame;
}

ShapedLines::Picture ShapedLines::make_picture(const Label& label, const LineSize& line,
                                               const PixelBox& frame) const {
  Figure figure{frame.right - frame.left, frame.bottom - frame.top, {0, 0, 0, 0}, {}};
  Label alone = label;
  const ImVec2 top = turned({0.0F, -static_cast<float>(line.ascent)}, label.degrees);
  alone.at = {top.x - frame.left, top.y - frame.top};
  alone.horizontal = HorizontalAnchor::left;
  alone.vertical = VerticalAnchor::top;
  alone.color.a = Color{}.a;
  figure.items.emplace_back(std::move(alone));
  Result<Image> image = rasterized(figure, 1.0F, *fonts_.faces());
  if (!image) return {};
  n_pixels_ += image->pixels.size();
  return {std::make_shared<const Image>(std::move(*image))};
}

void ShapedLines::draw(ImDrawList& list, const Label& label) const {
  const LineSize line = fonts_.faces()->line_size(label.text, label.font, label.size);
  const ImVec2 begin = turned(
      {static_cast<float>(line.left(label.horizontal)), static_cast<float>(line.baseline(label.vertical))},
      label.degrees);
  const ImVec2 at(std::round(label.at.x + begin.x), std::round(label.at.y + begin.y));
  const PixelBox frame = pixel_box_of(line, label);
  const ImVec2 min(at.x + frame.left, at.y + frame.top);
  const ImVec2 max(at.x + frame.right, at.y + frame.bottom);
  const ImVec2 first = list.GetClipRectMin();
  const ImVec2 last = list.GetClipRectMax();
  if (max.x <= first.x || max.y <= first.y || min.x >= last.x || min.y >= last.y) return;
  const Color& color = label.color;
  Key key{label.text, label.font, label.size, IM_COL32(color.r, color.g, color.b, 0), label.degrees};
  auto known = pictures_.find(key);
  if (known == pictures_.end())
    known = pictures_.emplace(std::move(key), make_picture(label, line, frame)).first;
  known->second.is_used = true;
  const ImTextureID texture = textures_.of(known->second.image);
  if (texture != no_texture)
    list.AddImage(texture, min, max, {0.0F, 0.0F}, {1.0F, 1.0F}, IM_COL32(255, 255, 255, color.a));
}

void ShapedLines::sweep() {
  constexpr std::size_t many_pixels = 4'000'000;
  if (n_pixels_ > many_pixels) {
    std::erase_if(pictures_, [](const auto& entry) { return !entry.second.is_used; });
    n_pixels_ = 0;
    for (const auto& [key, picture] : pictures_)
      n_pixels_ += picture.image ? picture.image->pixels.size() : 0;
  }
  for (auto& [key, picture] : pictures_) picture.is_used = false;
}

}  // namespace headscope
