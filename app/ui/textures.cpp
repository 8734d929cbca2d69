#include "app/ui/textures.h"

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

}  // namespace headscope
