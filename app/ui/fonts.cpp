#include "app/ui/fonts.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "core/text/utf8.h"

namespace headscope {
namespace {

constexpr std::size_t most_sizes = 28;

/// Baked from the start: what the interface itself writes.
constexpr std::u32string_view interface_characters =
    U"−√ᵀ·×÷Σ∞…“”‘’‹›«»←↑→↓↔≤≥≠≈∈∂∇Δ∑±–—•◦▾▸✓␣αβγδεθλμπστφω₀₁₂₃ᵢⱼₖ²³½\uFFFD";

struct Size {
  Font font;
  float em;
};
constexpr Size interface_sizes[] = {
    {Font::sans, text_size::body},         {Font::sans, text_size::control},
    {Font::sans_bold, text_size::control}, {Font::sans, text_size::small},
    {Font::sans, text_size::title},        {Font::sans, text_size::sentence},
    {Font::sans_bold, text_size::body},    {Font::sans_bold, text_size::title},
    {Font::mono, text_size::mono},         {Font::mono, 10.0F}};

/// An alphabet comes whole when one letter of it is typed; of larger scripts only what is used.
constexpr std::pair<char32_t, char32_t> alphabets[] = {{0x100, 0x17F}, {0x370, 0x3FF}, {0x400, 0x45F}};

void insert_range(std::set<char32_t>& characters, char32_t first, char32_t last) {
  for (char32_t c = first; c <= last; ++c) characters.insert(c);
}

std::size_t index_of(Font font) {
  return static_cast<std::size_t>(font);
}

/// ImGui's form: pairs of first and last, ended by 0.
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

}  // namespace

Fonts::Fonts() {
  Result<FontFiles> files = find_font_files();
  if (!files) {
    complaint_ = files.error().message;
    return;
  }
  files_ = std::move(*files);
  for (const FontFile& file : {files_.sans, files_.sans_bold, files_.mono}) {
    Result<FontFace> face = FontFace::open(file);
    if (!face) {
      complaint_ = face.error().message;
      faces_.clear();
      return;
    }
    faces_.push_back(std::move(*face));
  }
  insert_range(characters_, 0x20, 0x7E);
  insert_range(characters_, 0xA0, 0xFF);
  characters_.insert(interface_characters.begin(), interface_characters.end());
}

const FontFace* Fonts::face(Font font) const {
  return faces_.empty() ? nullptr : &faces_[index_of(font)];
}

float Fonts::ascent(Font font) const {
  return face(font) == nullptr ? 0.93F : face(font)->ascent();
}

float Fonts::descent(Font font) const {
  return face(font) == nullptr ? 0.24F : face(font)->descent();
}

Fonts::Request Fonts::request(Font font, float size) const {
  return {font, std::max(1, static_cast<int>(std::lround(size * scale_)))};
}

SizedFont Fonts::at(Font font, float size) const {
  const Request wish = request(font, size);
  used_sizes_.insert(wish);
  if (const auto found = baked_.find(wish); found != baked_.end()) return found->second;
  wanted_sizes_.insert(wish);
  // The next larger size of the typeface, else its largest, drawn at the asked size.
  auto stand_in = baked_.upper_bound(wish);
  if (stand_in == baked_.end() || stand_in->first.font != font) --stand_in;
  SizedFont scaled = stand_in->second;
  const float factor = static_cast<float>(wish.pixels) / static_cast<float>(stand_in->first.pixels);
  scaled.line_height *= factor;
  scaled.ascent *= factor;
  return scaled;
}

void Fonts::need(std::string_view text) const {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return;
  for (const char32_t c : code_points(valid_utf8(text))) {
    if (c >= 0xA0 && c <= IM_UNICODE_CODEPOINT_MAX && !characters_.contains(c)) wanted_characters_.insert(c);
  }
}

bool Fonts::prepare(float scale) {
  if (scale == scale_ && !pending() && !baked_.empty()) return false;
  take_over_wishes(scale);
  split_characters();
  build();
  ++generation_;
  return true;
}

void Fonts::take_over_wishes(float scale) {
  for (const char32_t c : wanted_characters_) {
    characters_.insert(c);
    for (const auto& [first, last] : alphabets) {
      if (c >= first && c <= last) insert_range(characters_, first, last);
    }
  }
  wanted_characters_.clear();
  wanted_sizes_.clear();
  std::set<Request> sizes;
  if (scale == scale_) std::swap(sizes, used_sizes_);
  used_sizes_.clear();
  scale_ = scale;
  for (const Size& size : interface_sizes) sizes.insert(request(size.font, size.em));
  baked_.clear();
  for (const Request& size : sizes) {
    if (baked_.size() < most_sizes) baked_.emplace(size, SizedFont{});
  }
}

/// Every character from its typeface where that has it, else from the installed font that fits best. (Those
/// for Chinese and Korean are tens of megabytes: they wait until a text needs them.)
void Fonts::split_characters() {
  if (faces_.empty()) return;
  for (std::size_t typeface = 0; typeface < parts_.size(); ++typeface) {
    std::map<std::size_t, std::vector<char32_t>> by_face;
    for (const char32_t c : characters_) {
      if (const auto face = face_with(c, typeface)) by_face[*face].push_back(c);
    }
    parts_[typeface].clear();
    for (const auto& [face, characters] : by_face) parts_[typeface].push_back({face, to_ranges(characters)});
  }
}

std::optional<std::size_t> Fonts::face_with(char32_t character, std::size_t typeface) {
  if (faces_[typeface].has(character)) return typeface;
  const auto [known, is_new] = fallbacks_.try_emplace(character);
  if (is_new) {
    known->second = open_fallback(character);
    if (!known->second) missing_.insert(character);
  }
  return known->second;
}

std::optional<std::size_t> Fonts::open_fallback(char32_t character) {
  const auto file = files_.fallback(character);
  if (!file) return std::nullopt;
  const auto [opened, is_new] = opened_fallbacks_.try_emplace(*file, faces_.size());
  if (!is_new) return opened->second;
  Result<FontFace> face = FontFace::open(*file);
  if (!face) {
    opened_fallbacks_.erase(opened);
    return std::nullopt;
  }
  faces_.push_back(std::move(*face));
  return faces_.size() - 1;
}

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
#endif
    const float line_height = static_cast<float>(request.pixels) * (face.ascent() + face.descent());
    ImFont* added = atlas.AddFontFromMemoryTTF(bytes.data(), static_cast<int>(bytes.size()), line_height,
                                               &config, part.ranges.data());
#if IMGUI_VERSION_NUM < 19200
    // Said only now: told before, ImGui would copy the file, tens of megabytes for every size of a CJK font.
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
  io.FontDefault = baked_.at(request(Font::sans, text_size::body)).font;
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
    complaint_ = "The fonts could not be drawn by FreeType: ImGui's own stands in.";
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
  io.FontDefault = baked_.at(request(Font::sans, text_size::body)).font;
}

/// ImGui's FreeType builder rounds every advance up to a pixel, which spaces letters unevenly, and from 1.90
/// the size down. With the true ones a line is as long as in an exported figure.
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

TextSize Fonts::measure(std::string_view text, Font font, float size) const {
  const SizedFont sized = at(font, size);
  const float width = text.empty() ? 0.0F
                                   : sized.font
                                         ->CalcTextSizeA(sized.line_height, FLT_MAX, 0.0F, text.data(),
                                                         text.data() + text.size())
                                         .x;
  return {width / scale_, size * (ascent(font) + descent(font))};
}

}  // namespace headscope
