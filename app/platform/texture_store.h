#pragma once

#include "app/imgui/imgui_compat.h"
#include "core/figure/figure.h"

namespace headscope {

/// Makes textures from images, with nearest-neighbour filtering and clamped edges.
class TextureStore {
 public:
  TextureStore() = default;
  TextureStore(const TextureStore&) = delete;
  TextureStore& operator=(const TextureStore&) = delete;
  virtual ~TextureStore() = default;

  /// Returns `no_texture` if the image is empty or one of its sides is longer than largest_side().
  virtual ImTextureID create(const Image& image) = 0;
  virtual void destroy(ImTextureID texture) = 0;
  virtual int largest_side() const = 0;
};

}  // namespace headscope
