#pragma once

#include <map>
#include <memory>

#include "app/platform/texture_store.h"

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

}  // namespace headscope
