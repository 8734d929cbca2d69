#pragma once

#include "app/platform/texture_store.h"
#include "core/result.h"

namespace headscope {

/// Textures of the current OpenGL context.
class GlTextures : public TextureStore {
 public:
  ImTextureID create(const Image& image) override;
  void destroy(ImTextureID texture) override;
  int largest_side() const override;
};

/// Reads the current framebuffer as an opaque image with the top row first.
Image read_framebuffer(int width, int height);

void clear_framebuffer(int width, int height, Color color);

}  // namespace headscope
