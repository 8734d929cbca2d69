#pragma once

#include <map>
#include <memory>

#include "app/platform/texture_store.h"

namespace headscope {

/// Textures of the images that are on the screen. A texture lives as long as its image.
class TextureCache {
 public:
  explicit TextureCache(TextureStore& store) : store_(store) {}
  TextureCache(const TextureCache&) = delete;
  TextureCache& operator=(const TextureCache&) = delete;
  ~TextureCache();

  /// Made at the first call for an image. `no_texture` for an image that the store refuses.
  ImTextureID of(const std::shared_ptr<const Image>& image);
  /// Drops the textures whose image is gone. Once a frame, not between a frame's first use and its rendering.
  void sweep();
  std::size_t size() const { return textures_.size(); }

 private:
  struct Entry {
    std::weak_ptr<const Image> image;
    ImTextureID texture;
  };
  TextureStore& store_;
  std::map<const Image*, Entry> textures_;
};

}  // namespace headscope
