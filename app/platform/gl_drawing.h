#pragma once

#include "app/platform/window.h"

namespace headscope {

/// Textures of the current OpenGL context.
class GlTextures : public TextureStore {
 public:
  ImTextureID create(const Image& image) override;
  void destroy(ImTextureID texture) override;
  int largest_side() const override;
};

/// Draws ImGui's frame on the current framebuffer, above the colour of the window.
void draw_with_gl(PixelSize size);

/// Reads the current framebuffer as an opaque image with the top row first.
Image read_framebuffer(PixelSize size);

/// Takes over the font atlas after it was rebuilt.
void upload_fonts_to_gl();

}  // namespace headscope
