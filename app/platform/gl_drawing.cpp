#include "app/platform/gl_drawing.h"

#include <GL/gl.h>
#include <backends/imgui_impl_opengl3.h>

#include <algorithm>
#include <cstddef>
#include <vector>

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

Image read_framebuffer(PixelSize size) {
  const int width = size.width;
  const int height = size.height;
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

void draw_with_gl(PixelSize size) {
  const ImVec4 ground = ImGui::GetStyleColorVec4(ImGuiCol_WindowBg);
  glViewport(0, 0, size.width, size.height);
  glClearColor(ground.x, ground.y, ground.z, 1.0F);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void upload_fonts_to_gl() {
#if IMGUI_VERSION_NUM < 19200
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

}  // namespace headscope
