#include "core/paint/font_faces.h"

#include <ft2build.h>

#include <utility>

#include "core/paint/rasterize.h"
#include "core/system/read_file.h"
#include "core/text/letters.h"
#include "core/text/utf8.h"

#include FT_FREETYPE_H
#include FT_ADVANCES_H
#include FT_TRUETYPE_TABLES_H

namespace headscope {

struct FontFace::Handle {
  std::string bytes;
  FT_Library library = nullptr;
  FT_Face face = nullptr;
  int index = 0;
  mutable std::shared_ptr<void> shaper;  ///< After the bytes, to which it refers.

  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (face != nullptr) FT_Done_Face(face);
    if (library != nullptr) FT_Done_FreeType(library);
  }

  /// The units of the em. FreeType does not tell them for a font whose glyphs are bitmaps.
  int em() const {
    const auto* head = static_cast<const TT_Header*>(FT_Get_Sfnt_Table(face, FT_SFNT_HEAD));
    return face->units_per_EM != 0 || head == nullptr ? face->units_per_EM : head->Units_Per_EM;
  }
  float em_part(FT_Pos units) const { return static_cast<float>(units) / static_cast<float>(em()); }
};

Result<FontFace> FontFace::open(const FontFile& font) {
  Result<std::string> bytes = read_file(font.path);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  const auto handle = std::make_shared<Handle>();
  handle->index = font.index;
  handle->bytes = std::move(*bytes);
  if (FT_Init_FreeType(&handle->library) != 0) return failure("FreeType could not be started");
  const auto size = static_cast<FT_Long>(handle->bytes.size());
  if (FT_New_Memory_Face(handle->library, reinterpret_cast<const FT_Byte*>(handle->bytes.data()), size,
                         font.index, &handle->face) != 0 ||
      handle->em() == 0) {
    return failure("the font " + font.path.string() + " cannot be read by FreeType: reinstall its package");
  }
  return FontFace(handle);
}

FontFace::FontFace(std::shared_ptr<const Handle> handle) : handle_(std::move(handle)) {}

bool FontFace::has(char32_t character) const {
  return FT_Get_Char_Index(handle_->face, character) != 0;
}

float FontFace::advance(char32_t character) const {
  const FT_UInt glyph = FT_Get_Char_Index(handle_->face, character);
  FT_Fixed advance = 0;
  if (FT_Get_Advance(handle_->face, glyph, FT_LOAD_NO_SCALE, &advance) != 0) return 0.0F;
  return handle_->em_part(advance);
}

TextSize FontFace::glyph_size(char32_t character) const {
  const FT_UInt glyph = FT_Get_Char_Index(handle_->face, character);
  if (glyph == 0 || FT_Load_Glyph(handle_->face, glyph, FT_LOAD_NO_SCALE) != 0) return {};
  const FT_Glyph_Metrics& metrics = handle_->face->glyph->metrics;
  return {handle_->em_part(metrics.width), handle_->em_part(metrics.height)};
}

float FontFace::ascent() const {
  return handle_->em_part(handle_->face->ascender);
}

float FontFace::descent() const {
  return -handle_->em_part(handle_->face->descender);
}

std::string FontFace::family() const {
  return handle_->face->family_name == nullptr ? "" : handle_->face->family_name;
}

std::string_view FontFace::bytes() const {
  return handle_->bytes;
}

int FontFace::index() const {
  return handle_->index;
}

bool FontFace::is_colored() const {
  return FT_HAS_COLOR(handle_->face);
}

FT_FaceRec_* FontFace::freetype() const {
  return handle_->face;
}

std::shared_ptr<void>& FontFace::shaper() const {
  return handle_->shaper;
}

double LineSize::left(HorizontalAnchor anchor) const {
  if (anchor == HorizontalAnchor::center) return -0.5 * width;
  return anchor == HorizontalAnchor::right ? -width : 0.0;
}

double LineSize::baseline(VerticalAnchor anchor) const {
  if (anchor == VerticalAnchor::middle) return 0.5 * (ascent - descent);
  return anchor == VerticalAnchor::bottom ? -descent : ascent;
}

Result<std::shared_ptr<FontFaces>> FontFaces::open(const FontFiles& files) {
  const std::shared_ptr<FontFaces> faces(new FontFaces(files));
  for (const Font font : {Font::sans, Font::sans_bold, Font::mono}) {
    const Result<const FontFace*> face = faces->opened(files.file(font));
    if (!face) return tl::unexpected<Error>(face.error());
    faces->primary_[index_of(font)] = *face;
  }
  return faces;
}

Result<std::shared_ptr<FontFaces>> FontFaces::open_installed(bool is_serif) {
  auto files = find_font_files();
  if (!files) return tl::unexpected(files.error());
  if (is_serif) {
    files->sans = files->serif;
    files->sans_bold = files->serif_bold;
  }
  return open(*files);
}

Result<const FontFace*> FontFaces::opened(const FontFile& file) {
  if (const auto known = opened_.find(file); known != opened_.end()) return &known->second;
  Result<FontFace> face = FontFace::open(file);
  if (!face) return tl::unexpected<Error>(face.error());
  return &opened_.emplace(file, std::move(*face)).first->second;
}

const FontFace* FontFaces::face_with(char32_t letter, Font font, bool in_color) {
  const FontFace& own = face(typeface_of(font, letter));
  if (!in_color && own.has(letter)) return &own;
  const auto [known, is_new] = fallbacks_.try_emplace({letter, in_color}, nullptr);
  if (is_new) {
    // A fallback that cannot be opened costs its letters, but not the picture.
    if (const auto file = files_.fallback ? files_.fallback(letter, in_color) : std::nullopt)
      known->second = opened(*file).value_or(nullptr);
    if (known->second == nullptr && own.has(letter)) known->second = &own;
    if (known->second == nullptr) missing_.insert(letter);
  }
  return known->second;
}

namespace {

constexpr char32_t joiner = 0x200D, as_text = 0xFE0E, as_picture = 0xFE0F;

/// Calls `take(face, letter)` for each letter of a text with the face that draws it.
template <class Take>
void for_each_letter(std::string_view text, Font font, FontFaces& faces, const Take& take) {
  const std::vector<char32_t> letters = code_points(text);
  const FontFace* last = nullptr;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const char32_t letter = is_noncharacter(letters[i]) ? U'\uFFFD' : letters[i];
    const bool is_skin_tone = letter >= 0x1F3FB && letter <= 0x1F3FF;
    const bool joins = last != nullptr && letter >= 0x80 &&
                       (is_zero_width(letter) || is_skin_tone || letters[i - 1] == joiner);
    if (!joins || (is_visible(letter) && !last->has(letter))) {
      const char32_t next = i + 1 < letters.size() ? letters[i + 1] : 0;
      last = faces.face_with(letter, font, next == as_picture || (next != as_text && is_emoji(letter)));
      if (last == nullptr) last = &faces.face(typeface_of(font, letter));
    }
    take(*last, letter);
  }
}

}  // namespace

std::vector<TextRun> FontFaces::runs_of(std::string_view text, Font font) {
  std::vector<TextRun> runs;
  for_each_letter(text, font, *this, [&runs](const FontFace& face, char32_t letter) {
    if (runs.empty() || runs.back().face != &face) runs.push_back({&face, {}});
    runs.back().text += to_utf8(letter);
  });
  return runs;
}

LineSize FontFaces::line_size(std::string_view text, Font font, float size) {
  LineSize line{0.0, face(font).ascent() * size, face(font).descent() * size};
  if (needs_shaping(text)) {
    line.width = shaped_width(text, font) * size;
  } else {
    for_each_letter(text, font, *this, [&](const FontFace& face, char32_t letter) {
      line.width += face.advance(letter) * size;
    });
  }
  return line;
}

double FontFaces::shaped_width(std::string_view text, Font font) {
  constexpr std::size_t max_kept = 4096, longest_kept = 256;
  if (text.size() > longest_kept) return width_when_shaped(text, font, *this);
  const auto key = std::pair(font, std::string(text));
  if (const auto known = shaped_widths_.find(key); known != shaped_widths_.end()) return known->second;
  if (shaped_widths_.size() >= max_kept) shaped_widths_.clear();
  return shaped_widths_[key] = width_when_shaped(text, font, *this);
}

MeasureText measure_with(std::shared_ptr<FontFaces> fonts) {
  return [fonts = std::move(fonts)](std::string_view text, Font font, float size) {
    const LineSize line = fonts->line_size(text, font, size);
    return TextSize{static_cast<float>(line.width), static_cast<float>(line.ascent + line.descent)};
  };
}

}  // namespace headscope
