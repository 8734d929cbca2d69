#include "core/paint/cairo_fonts.h"

#include <string>

#include "core/text/letters.h"
#include "core/text/utf8.h"

namespace headscope {

class FreeTypeLibrary {
 public:
  FreeTypeLibrary() {
    if (FT_Init_FreeType(&handle_) != 0) handle_ = nullptr;
  }
  ~FreeTypeLibrary() {
    if (handle_ != nullptr) FT_Done_FreeType(handle_);
  }
  FreeTypeLibrary(const FreeTypeLibrary&) = delete;
  FreeTypeLibrary& operator=(const FreeTypeLibrary&) = delete;
  FT_Library handle() const { return handle_; }

 private:
  FT_Library handle_ = nullptr;
};

namespace {

/// Released by Cairo together with its last reference to the face. Cairo's cache may keep the face longer
/// than this program does.
struct HeldFace {
  std::shared_ptr<FreeTypeLibrary> library;
  FT_Face face;
};

void release(void* held) {
  const std::unique_ptr<HeldFace> owner(static_cast<HeldFace*>(held));
  FT_Done_Face(owner->face);
}

Result<OpenFace> open_face(const std::shared_ptr<FreeTypeLibrary>& library, const FontFile& file) {
  static const cairo_user_data_key_t key{};
  FT_Face face = nullptr;
  if (FT_New_Face(library->handle(), file.path.c_str(), file.index, &face) != 0) {
    return failure("the font file " + file.path.string() + " cannot be read: reinstall its package");
  }
  OpenFace open{CairoPtr<cairo_font_face_t>(
                    cairo_ft_font_face_create_for_ft_face(face, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP)),
                face};
  auto held = std::make_unique<HeldFace>(HeldFace{library, face});
  if (cairo_font_face_set_user_data(open.cairo.get(), &key, held.get(), release) != CAIRO_STATUS_SUCCESS) {
    FT_Done_Face(face);
    return failure("not enough memory to open the font file " + file.path.string());
  }
  static_cast<void>(held.release());
  return open;
}

CairoPtr<cairo_font_options_t> stable_options() {
  CairoPtr<cairo_font_options_t> options(cairo_font_options_create());
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  return options;
}

}  // namespace

CairoFonts::CairoFonts(std::unique_ptr<Faces> faces) : faces_(std::move(faces)) {}
CairoFonts::~CairoFonts() = default;

Result<const OpenFace*> CairoFonts::Faces::open(const FontFile& file) {
  if (const auto known = opened.find(file); known != opened.end()) return &known->second;
  Result<OpenFace> face = open_face(library, file);
  if (!face) return tl::unexpected<Error>(face.error());
  return &opened.emplace(file, std::move(*face)).first->second;
}

const OpenFace& CairoFonts::Faces::face_with(char32_t letter, Font font) {
  const OpenFace& own = face(typeface_of(font, letter));
  if (own.has(letter)) return own;
  const auto [known, is_new] = fallbacks.try_emplace(letter, nullptr);
  if (is_new) {
    // A fallback that cannot be opened costs its letters, but not the picture.
    if (const auto file = installed.fallback(letter)) known->second = open(*file).value_or(nullptr);
    if (known->second == nullptr) missing.insert(letter);
  }
  return known->second == nullptr ? own : *known->second;
}

Result<std::shared_ptr<const CairoFonts>> CairoFonts::open(const FontFiles& files) {
  auto faces = std::make_unique<Faces>();
  faces->library = std::make_shared<FreeTypeLibrary>();
  faces->installed = files;
  if (faces->library->handle() == nullptr) {
    return failure("FreeType could not start: not enough memory for fonts");
  }
  for (const Font font : {Font::sans, Font::sans_bold, Font::mono}) {
    const Result<const OpenFace*> face = faces->open(files.file(font));
    if (!face) return tl::unexpected<Error>(face.error());
    faces->primary[index_of(font)] = *face;
  }
  faces->options = stable_options();
  const CairoPtr<cairo_surface_t> surface(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
  faces->measuring.reset(cairo_create(surface.get()));
  cairo_set_font_options(faces->measuring.get(), faces->options.get());
  return std::shared_ptr<const CairoFonts>(new CairoFonts(std::move(faces)));
}

const std::set<char32_t>& CairoFonts::missing_letters() const {
  return faces_->missing;
}

std::vector<TextRun> runs_of(std::string_view text, Font font, CairoFonts::Faces& faces) {
  std::vector<TextRun> runs;
  for (const char32_t code_point : code_points(text)) {
    const char32_t letter = is_noncharacter(code_point) ? U'\uFFFD' : code_point;
    const OpenFace* face = &faces.face_with(letter, font);
    if (runs.empty() || runs.back().face != face) runs.push_back({face, {}});
    runs.back().text += to_utf8(letter);
  }
  return runs;
}

LineSize measure_line(const std::vector<TextRun>& runs, Font font, float size, const CairoFonts::Faces& faces,
                      cairo_t* context) {
  LineSize line;
  cairo_set_font_face(context, faces.face(font).cairo.get());
  cairo_set_font_size(context, size);
  cairo_font_extents_t font_extents;
  cairo_font_extents(context, &font_extents);
  line.ascent = font_extents.ascent;
  line.descent = font_extents.descent;
  for (const TextRun& run : runs) {
    cairo_set_font_face(context, run.face->cairo.get());
    cairo_text_extents_t extents;
    cairo_text_extents(context, run.text.c_str(), &extents);
    line.width += extents.x_advance;
  }
  return line;
}

MeasureText cairo_measure(std::shared_ptr<const CairoFonts> fonts) {
  return [fonts = std::move(fonts)](std::string_view text, Font font, float size) {
    CairoFonts::Faces& faces = fonts->faces();
    const LineSize line = measure_line(runs_of(text, font, faces), font, size, faces, faces.measuring.get());
    return TextSize{static_cast<float>(line.width), static_cast<float>(line.ascent + line.descent)};
  };
}

}  // namespace headscope
