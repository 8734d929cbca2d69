// Builds the atlas. Everything that depends on the version of ImGui is here.
#include "app/ui/fonts.h"

namespace headscope {

ImFont* Fonts::add(const Request& request) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  ImFont* font = nullptr;
  for (const Part& part : parts_[index_of(request.font)]) {
    FontFace& face = faces_[part.face];
    std::vector<std::uint8_t>& bytes = face.bytes();
    ImFontConfig config;
    config.MergeMode = font != nullptr;
    config.FontNo = face.index();
#if IMGUI_VERSION_NUM >= 19200
    config.FontDataOwnedByAtlas = false;
    // This version reads no ranges: it asks the parts one after the other.
    if (!part.left_out.empty()) config.GlyphExcludeRanges = part.left_out.data();
#endif
    const float line_height = static_cast<float>(request.pixels) * (face.ascent() + face.descent());
    ImFont* added = atlas.AddFontFromMemoryTTF(bytes.data(), static_cast<int>(bytes.size()), line_height,
                                               &config, part.ranges.data());
#if IMGUI_VERSION_NUM < 19200
    // This must be set afterwards. Otherwise ImGui would copy the file, which has tens of megabytes for a CJK
    // font, for every size.
    last_font_file(atlas).FontDataOwnedByAtlas = false;
#endif
    if (font == nullptr) font = added;
  }
  return font;
}

#if IMGUI_VERSION_NUM >= 19200

void Fonts::build() {
  ImGuiIO& io = ImGui::GetIO();
  io.Fonts->Clear();
  use_freetype(*io.Fonts);
  for (auto& [request, sized] : baked_) {
    sized.font = faces_.empty() ? io.Fonts->AddFontDefault() : add(request);
    sized.line_height = static_cast<float>(request.pixels) * (ascent(request.font) + descent(request.font));
    sized.ascent = static_cast<float>(request.pixels) * ascent(request.font);
  }
  const SizedFont body = at(Font::sans, text_size::body);
  set_default_font(body.font, body.line_height);
}

#else

void Fonts::build() {
  ImGuiIO& io = ImGui::GetIO();
  ImFontAtlas& atlas = *io.Fonts;
  atlas.Clear();
  use_freetype(atlas);
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  for (auto& [request, sized] : baked_) sized.font = faces_.empty() ? atlas.AddFontDefault() : add(request);
  if (!atlas.Build()) {
    complaint_ = "FreeType could not draw the fonts; using ImGui's built-in font.";
    atlas.Clear();
    ImFont* stand_in = atlas.AddFontDefault();
    for (auto& [request, sized] : baked_) sized.font = stand_in;
    atlas.Build();
  }
  for (auto& [request, sized] : baked_) {
    if (!faces_.empty()) set_true_measures(*sized.font, request);
    sized.line_height = sized.font->FontSize;
    sized.ascent = sized.font->Ascent;
  }
  const SizedFont body = at(Font::sans, text_size::body);
  set_default_font(body.font, body.line_height);
}

/// Sets unhinted advances. ImGui's FreeType builder rounds every advance up to a pixel, which spaces letters
/// unevenly, and since 1.90 it rounds the size down. With the true measures, a line is as long as in an
/// exported figure.
void Fonts::set_true_measures(ImFont& font, const Request& request) const {
  font.FontSize = static_cast<float>(request.pixels) * (ascent(request.font) + descent(request.font));
  for (const Part& part : parts_[index_of(request.font)]) {
    const FontFace& face = faces_[part.face];
    for (std::size_t i = 0; i + 1 < part.ranges.size(); i += 2) {
      for (unsigned c = part.ranges[i]; c <= part.ranges[i + 1]; ++c) {
        const auto* glyph = font.FindGlyphNoFallback(static_cast<ImWchar>(c));
        if (glyph == nullptr) continue;
        font.Glyphs[font.Glyphs.index_from_ptr(glyph)].AdvanceX =
            face.advance(c) * static_cast<float>(request.pixels);
      }
    }
  }
  font.BuildLookupTable();
}

#endif

}  // namespace headscope
