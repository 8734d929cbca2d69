#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "app/platform/window.h"
#include "app/ui/fonts.h"

namespace headscope {

/// The textures of the images on the screen. A texture lives as long as its image.
class TextureCache {
 public:
  explicit TextureCache(TextureStore& store) : store_(store) {}
  TextureCache(const TextureCache&) = delete;
  TextureCache& operator=(const TextureCache&) = delete;
  ~TextureCache();

  /// The texture of an image, made at the first call. `no_texture` if the store refuses the image.
  ImTextureID of(const std::shared_ptr<const Image>& image);
  /// Drops the textures whose images no longer exist. Call it once per frame, but not between the first use
  /// in a frame and its rendering.
  void sweep();
  std::size_t size() const { return textures_.size(); }

 private:
  struct CachedTexture {
    std::weak_ptr<const Image> image;
    ImTextureID texture;
  };
  TextureStore& store_;
  std::map<const Image*, CachedTexture> textures_;
};

/// Draws the lines of text that Fonts::uses_shaping() selects as small pictures. A picture is made when its
/// line is first visible, and cached while it is or memory allows.
class ShapedLines {
 public:
  ShapedLines(const Fonts& fonts, TextureCache& textures) : fonts_(fonts), textures_(textures) {}

  /// Draws a label whose place and size are in ImGui pixels, moved to whole pixels.
  void draw(ImDrawList& list, const Label& label) const;
  /// Evicts pictures that the last frame did not use if the cache is large. Call it once per frame.
  void sweep();
  std::size_t n_pixels() const { return n_pixels_; }

 private:
  /// The text, font, size, colour without opacity, and degrees.
  using Key = std::tuple<std::string, Font, float, std::uint32_t, float>;
  struct Picture {
    std::shared_ptr<const Image> image;  ///< Null if it could not be made.
    bool is_used = true;                 ///< In this frame.
  };
  /// Whole pixels around a line, relative to the point where its baseline begins.
  struct PixelBox {
    float left, top, right, bottom;
  };
  static PixelBox pixel_box_of(const LineSize& line, const Label& label);
  Picture make_picture(const Label& label, const LineSize& line, const PixelBox& frame) const;

  const Fonts& fonts_;
  TextureCache& textures_;
  // Drawing changes nothing that is seen, so it is const like that of other text.
  mutable std::map<Key, Picture> pictures_;
  mutable std::size_t n_pixels_ = 0;
};

}  // namespace headscope
