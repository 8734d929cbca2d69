#pragma once

#include "app/imgui/imgui_compat.h"
#include "core/figure/figure.h"

namespace headscope {

/// Makes textures of images, nearest filtering, edges clamped.
class TextureStore {
 public:
  TextureStore() = default;
  TextureStore(const TextureStore&) = delete;
  TextureStore& operator=(const TextureStore&) = delete;
  virtual ~TextureStore() = default;

  /// `no_texture` when the image is empty or larger than largest_side() in one direction.
  virtual ImTextureID create(const Image& image) = 0;
  virtual void destroy(ImTextureID texture) = 0;
  virtual int largest_side() const = 0;
};

}  // namespace headscope
