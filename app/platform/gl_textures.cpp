#include "app/platform/gl_textures.h"

#include <GL/gl.h>

#include <algorithm>

namespace headscope {

static_assert(sizeof(Color) == 4, "GL takes pixels as four bytes each");

ImTextureID GlTextures::create(const Image& image) {
  if (image.width <= 0 || image.height <= 0) return no_texture;
  if (std::max(image.width, image.height) > largest_side()) return no_texture;
  GLint bound = 0;
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
  GLuint name = 0;
  glGenTextures(1, &name);
  glBindTexture(GL_TEXTURE_2D, name);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, image.width, image.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               image.pixels.data());
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
  return texture_from_name(name);
}

void GlTextures::destroy(ImTextureID texture) {
  const GLuint name = name_of_texture(texture);
  glDeleteTextures(1, &name);
}

int GlTextures::largest_side() const {
  GLint side = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &side);
  return side;
}

Image read_framebuffer(int width, int height) {
  Image image{width, height,
              std::vector<Color>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height))};
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, image.pixels.data());
  for (Color& pixel : image.pixels) pixel.a = 255;
  // OpenGL's first row is at the bottom.
  for (int top = 0, bottom = height - 1; top < bottom; ++top, --bottom) {
    const auto row = [&](int y) { return image.pixels.begin() + static_cast<std::ptrdiff_t>(y) * width; };
    std::swap_ranges(row(top), row(top) + width, row(bottom));
  }
  return image;
}

void clear_framebuffer(int width, int height, Color color) {
  constexpr float full = 255.0F;
  glViewport(0, 0, width, height);
  glClearColor(static_cast<float>(color.r) / full, static_cast<float>(color.g) / full,
               static_cast<float>(color.b) / full, 1.0F);
  glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace headscope
