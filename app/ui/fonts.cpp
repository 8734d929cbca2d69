#include "app/ui/fonts.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "core/text/letters.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

constexpr std::size_t max_sizes = 28;
constexpr std::size_t max_characters = 6000;
/// The possible values of Fonts::largest_baked(), from large to small. The first one at which everything fits
/// is used.
constexpr int possible_limits[] = {128, 96, 80, 64, 48, 40, 32, 24, 20, 16};
/// Before 1.92, ImGui renders glyphs into buffers of 256 KB with 4 bytes per pixel, and overruns a buffer
/// that is too small.
constexpr double max_glyph_pixels = 64.0 * 1024.0;
/// A texture of 4096 pixels' width that every graphics card accepts, and that does not take too long to
/// rebuild.
constexpr double max_atlas_pixels = 4096.0 * 6144.0;

/// The characters that the interface itself writes. They are baked from the start.
constexpr std::u32string_view interface_characters =
    U"−√ᵀ·×÷Σ∞…“”‘’‹›«»←↑→↓↔≤≥≠≈∈∂∇Δ∑±–—•◦▾▸✓␣αβγδεθλμπστφω₀₁₂₃ᵢⱼₖ²³½\uFFFD";

constexpr std::pair<Font, float> interface_sizes[] = {
    {Font::sans, text_size::body},         {Font::sans, text_size::control},
    {Font::sans_bold, text_size::control}, {Font::sans, text_size::small},
    {Font::sans, text_size::title},        {Font::sans, text_size::sentence},
    {Font::sans_bold, text_size::body},    {Font::sans_bold, text_size::title},
    {Font::mono, text_size::mono},         {Font::mono, 10.0F}};

/// A letter of these alphabets bakes the entire alphabet; of larger scripts, only the characters in use are
/// baked.
constexpr std::pair<char32_t, char32_t> alphabets[] = {{0x100, 0x17F}, {0x370, 0x3FF}, {0x400, 0x45F}};

void insert_range(std::set<char32_t>& characters, char32_t first, char32_t last) {
  for (char32_t c = first; c <= last; ++c) characters.insert(c);
}

/// The characters in ImGui's form: pairs of first and last, ended by 0.
std::vector<ImWchar> to_ranges(const std::vector<char32_t>& sorted) {
  std::vector<ImWchar> ranges;
  for (const char32_t c : sorted) {
    const auto character = static_cast<ImWchar>(c);
    if (!ranges.empty() && ranges.back() + 1 == character) {
      ranges.back() = character;
    } else {
      ranges.insert(ranges.end(), {character, character});
    }
  }
  ranges.push_back(0);
  return ranges;
}

/// The room beside the ink along each side: hinting moves outlines to whole pixels, and glyphs are a pixel
/// apart.
constexpr double beside = 4.0;

}  // namespace

void GlyphArea::add(const TextSize& glyph) {
  const auto width = static_cast<double>(glyph.width);
  const auto height = static_cast<double>(glyph.height);
  ++count_;
  area_ += width * height;
  sides_ += width + height;
  largest_area_ = std::max(largest_area_, width * height);
  largest_sides_ = std::max(largest_sides_, width + height);
}

double GlyphArea::pixels(int em) const {
  return area_ * em * em + beside * sides_ * em + beside * beside * static_cast<double>(count_);
}

double GlyphArea::largest_pixels(int em) const {
  return largest_area_ * em * em + beside * largest_sides_ * em + beside * beside;
}

Fonts::Fonts() : largest_baked_(possible_limits[0]) {
  Result<std::shared_ptr<FontFaces>> faces = FontFaces::open_installed();
  if (!faces) {
    complaint_ = faces.error().message;
    return;
  }
  faces_ = std::move(*faces);
  insert_range(characters_, 0x20, 0x7E);
  insert_range(characters_, 0xA0, 0xFF);
  characters_.insert(interface_characters.begin(), interface_characters.end());
}

float Fonts::ascent(Font font) const {
  return faces_ == nullptr ? 0.93F : faces_->face(font).ascent();
}

float Fonts::descent(Font font) const {
  return faces_ == nullptr ? 0.24F : faces_->face(font).descent();
}

int Fonts::pixels(float size) const {
  constexpr float most = 1e6F;
  return std::max(1, static_cast<int>(std::lround(std::min(size * scale_, most))));
}

Fonts::Request Fonts::request(Font font, float size) const {
  return {font, std::min(pixels(size), largest_baked_)};
}

SizedFont Fonts::at(Font font, float size) const {
  const Request wish = request(font, size);
  used_sizes_.insert(wish);
  // A size that is not baked yet is replaced by the next larger size of the typeface, or else by its largest.
  auto found = baked_.lower_bound(wish);
  if (found == baked_.end() || found->first.font != font) --found;
  const bool is_there = found->first.pixels == wish.pixels;
  if (!is_there && !left_out_.contains(wish)) requested_sizes_.insert(wish);
  SizedFont scaled = found->second;
  const float factor = static_cast<float>(pixels(size)) / static_cast<float>(found->first.pixels);
  scaled.line_height *= factor;
  scaled.ascent *= factor;
  return scaled;
}

void Fonts::request_characters(std::string_view text) const {
  if (!uses_shaping(text)) request_field_characters(text);
}

bool Fonts::uses_shaping(std::string_view text) const {
  return faces_ != nullptr && needs_shaping(text);
}

void Fonts::request_field_characters(std::string_view text) const {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return;
  for (const char32_t c : code_points(valid_utf8(text))) {
    if (characters_.size() + requested_characters_.size() >= max_characters) return;
    if (c >= 0xA0 && c <= IM_UNICODE_CODEPOINT_MAX && !characters_.contains(c))
      requested_characters_.insert(c);
  }
}

bool Fonts::prepare(float scale) {
  if (scale == scale_ && !pending() && !baked_.empty()) return false;
  apply_requested_characters();
  apply_requested_sizes(scale);
  build();
  ++generation_;
  return true;
}

void Fonts::apply_requested_characters() {
  for (const char32_t c : requested_characters_) {
    characters_.insert(c);
    for (const auto& [first, last] : alphabets) {
      if (c >= first && c <= last) insert_range(characters_, first, last);
    }
  }
  requested_characters_.clear();
  if (n_split_ != characters_.size()) assign_characters();
  n_split_ = characters_.size();
}

void Fonts::apply_requested_sizes(float scale) {
  requested_sizes_.clear();
  left_out_.clear();
  std::set<Request> sizes;
  if (scale == scale_) std::swap(sizes, used_sizes_);
  used_sizes_.clear();
  scale_ = scale;
  std::set<Request> first;
  for (const auto& [font, em] : interface_sizes) first.insert({font, pixels(em)});
  sizes.insert(first.begin(), first.end());
  const auto limit = std::find_if(std::begin(possible_limits), std::end(possible_limits) - 1,
                                  [&](int largest) { return fits(sizes, largest); });
  largest_baked_ = *limit;
  baked_.clear();
  for (const auto& some : {first, sizes}) {
    for (Request size : some) {
      size.pixels = std::min(size.pixels, largest_baked_);
      const bool has_room = baked_.size() < max_sizes || baked_.contains(size);
      if (has_room)
        baked_.emplace(size, SizedFont{});
      else
        left_out_.insert(size);
    }
  }
}

bool Fonts::fits(const std::set<Request>& sizes, int largest) const {
  std::set<Request> baked;
  for (const Request& size : sizes) baked.insert({size.font, std::min(size.pixels, largest)});
  double pixels = 0.0;
  for (const Request& size : baked) pixels += ink_[index_of(size.font)].pixels(size.pixels);
  const auto has_room = [largest](const GlyphArea& ink) {
    return ink.largest_pixels(largest) <= max_glyph_pixels;
  };
  return pixels <= max_atlas_pixels && std::all_of(ink_.begin(), ink_.end(), has_room);
}

/// Assigns every character to its typeface or, failing that, to the best installed font. Fonts for Chinese
/// and Korean take tens of megabytes, so they are opened on demand.
void Fonts::assign_characters() {
  if (faces_ == nullptr) return;
  for (const Font typeface : {Font::sans, Font::sans_bold, Font::mono}) {
    // ImGui takes the line's measures from the first part, which is that of the typeface itself.
    std::vector<std::pair<const FontFace*, std::vector<char32_t>>> by_face{{&faces_->face(typeface), {}}};
    std::vector<char32_t> drawn_by_another;
    GlyphArea& ink = ink_[index_of(typeface)];
    ink = {};
    for (const char32_t c : characters_) {
      const FontFace* face = faces_->face_with(c, typeface);
      // ImGui does not draw coloured glyphs.
      if (face == nullptr || face->is_colored()) continue;
      if (face != &faces_->face(typeface)) drawn_by_another.push_back(c);
      auto of_face = std::ranges::find(by_face, face, [](const auto& part) { return part.first; });
      if (of_face == by_face.end()) of_face = by_face.insert(by_face.end(), {face, {}});
      of_face->second.push_back(c);
      ink.add(face->glyph_size(c));
    }
    std::vector<FontSubset>& parts = parts_[index_of(typeface)];
    parts.clear();
    for (const auto& [face, characters] : by_face) parts.push_back({face, to_ranges(characters), {}});
    parts.front().left_out = to_ranges(drawn_by_another);
  }
}

float Fonts::width(std::string_view text, Font font, float size) const {
  if (text.empty()) return 0.0F;
  if (uses_shaping(text))
    return static_cast<float>(faces_->line_size(text, font, static_cast<float>(pixels(size))).width);
  const SizedFont sized = at(font, size);
  return sized.font->CalcTextSizeA(sized.line_height, FLT_MAX, 0.0F, text.data(), text.data() + text.size())
      .x;
}

TextSize Fonts::measure(std::string_view text, Font font, float size) const {
  return {width(text, font, size) / scale_, size * (ascent(font) + descent(font))};
}

// Builds the atlas. Everything that depends on the version of ImGui is here.

ImFont* Fonts::add(const Request& request) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  ImFont* font = nullptr;
  for (const FontSubset& part : parts_[index_of(request.font)]) {
    const std::string_view bytes = part.face->bytes();
    ImFontConfig config;
    config.MergeMode = font != nullptr;
    config.FontNo = part.face->index();
#if IMGUI_VERSION_NUM >= 19200
    config.FontDataOwnedByAtlas = false;
    // This version ignores ranges and tries the subsets in order.
    if (!part.left_out.empty()) config.GlyphExcludeRanges = part.left_out.data();
#endif
    const float line_height =
        static_cast<float>(request.pixels) * (part.face->ascent() + part.face->descent());
    ImFont* added =
        atlas.AddFontFromMemoryTTF(const_cast<char*>(bytes.data()),  // ImGui only reads them.
                                   static_cast<int>(bytes.size()), line_height, &config, part.ranges.data());
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
    sized.font = faces_ == nullptr ? io.Fonts->AddFontDefault() : add(request);
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
  for (auto& [request, sized] : baked_)
    sized.font = faces_ == nullptr ? atlas.AddFontDefault() : add(request);
  if (!atlas.Build()) {
    complaint_ = "FreeType could not draw the fonts; using ImGui's built-in font.";
    atlas.Clear();
    ImFont* stand_in = atlas.AddFontDefault();
    for (auto& [request, sized] : baked_) sized.font = stand_in;
    atlas.Build();
  }
  for (auto& [request, sized] : baked_) {
    if (faces_ != nullptr) set_unhinted_metrics(*sized.font, request);
    sized.line_height = sized.font->FontSize;
    sized.ascent = sized.font->Ascent;
  }
  const SizedFont body = at(Font::sans, text_size::body);
  set_default_font(body.font, body.line_height);
}

/// Sets unhinted advances, so that a line is as long as in an exported figure: ImGui's FreeType builder
/// rounds every advance up to a pixel, which spaces letters unevenly, and since 1.90 it rounds the size down.
void Fonts::set_unhinted_metrics(ImFont& font, const Request& request) const {
  font.FontSize = static_cast<float>(request.pixels) * (ascent(request.font) + descent(request.font));
  for (const FontSubset& part : parts_[index_of(request.font)]) {
    for (std::size_t i = 0; i + 1 < part.ranges.size(); i += 2) {
      for (unsigned c = part.ranges[i]; c <= part.ranges[i + 1]; ++c) {
        const auto* glyph = font.FindGlyphNoFallback(static_cast<ImWchar>(c));
        if (glyph == nullptr) continue;
        font.Glyphs[font.Glyphs.index_from_ptr(glyph)].AdvanceX =
            part.face->advance(c) * static_cast<float>(request.pixels);
      }
    }
  }
  font.BuildLookupTable();
}

#endif

}  // namespace headscope
