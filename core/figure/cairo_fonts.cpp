#include "core/figure/cairo_fonts.h"

#include <map>
#include <string>

#include "core/text/utf8.h"

namespace headscope {
namespace {

struct Library {
  FT_Library handle = nullptr;
  Library() {
    if (FT_Init_FreeType(&handle) != 0) handle = nullptr;
  }
  ~Library() {
    if (handle != nullptr) FT_Done_FreeType(handle);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

/// What Cairo releases with its last reference to a face, which its cache may hold longer than we do.
struct HeldFace {
  std::shared_ptr<Library> library;
  FT_Face face;
};

void release(void* held) {
  const std::unique_ptr<HeldFace> owner(static_cast<HeldFace*>(held));
  FT_Done_Face(owner->face);
}

Result<OpenFace> open_face(const std::shared_ptr<Library>& library, const std::filesystem::path& file) {
  static const cairo_user_data_key_t key{};
  FT_Face face = nullptr;
  if (FT_New_Face(library->handle, file.c_str(), 0, &face) != 0) {
    return failure("The font file " + file.string() + " cannot be read. Install its package again.");
  }
  OpenFace open{CairoPtr<cairo_font_face_t>(
                    cairo_ft_font_face_create_for_ft_face(face, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP)),
                face};
  auto held = std::make_unique<HeldFace>(HeldFace{library, face});
  if (cairo_font_face_set_user_data(open.cairo.get(), &key, held.get(), release) != CAIRO_STATUS_SUCCESS) {
    FT_Done_Face(face);
    return failure("Not enough memory to open the font file " + file.string() + ".");
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

Result<std::shared_ptr<const CairoFonts>> CairoFonts::open(const FontFiles& files) {
  const auto library = std::make_shared<Library>();
  if (library->handle == nullptr) return failure("FreeType does not start: not enough memory for fonts.");
  auto faces = std::make_unique<Faces>();
  std::map<std::filesystem::path, std::size_t> opened;
  const auto index_of = [&](const std::filesystem::path& file) -> Result<std::size_t> {
    if (const auto hit = opened.find(file); hit != opened.end()) return hit->second;
    Result<OpenFace> face = open_face(library, file);
    if (!face) return tl::unexpected<Error>(face.error());
    faces->files.push_back(std::move(*face));
    opened[file] = faces->files.size() - 1;
    return faces->files.size() - 1;
  };
  for (const Font font : {Font::sans, Font::sans_bold, Font::mono}) {
    const Result<std::size_t> index = index_of(files.file(font));
    if (!index) return tl::unexpected<Error>(index.error());
    faces->primary[static_cast<std::size_t>(font)] = *index;
  }
  for (const std::filesystem::path& file : files.fallbacks) {
    // A fallback that does not open costs letters, not the picture.
    if (const Result<std::size_t> index = index_of(file)) faces->fallbacks.push_back(*index);
  }
  faces->options = stable_options();
  const CairoPtr<cairo_surface_t> surface(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
  faces->measuring.reset(cairo_create(surface.get()));
  cairo_set_font_options(faces->measuring.get(), faces->options.get());
  return std::shared_ptr<const CairoFonts>(new CairoFonts(std::move(faces)));
}

std::vector<TextRun> runs_of(std::string_view text, Font font, const CairoFonts::Faces& faces) {
  std::vector<TextRun> runs;
  const OpenFace& primary = faces.face(font);
  for (const char32_t letter : code_points(text)) {
    const OpenFace* face = &primary;
    if (!primary.has(letter)) {
      for (const std::size_t index : faces.fallbacks) {
        if (!faces.files[index].has(letter)) continue;
        face = &faces.files[index];
        break;
      }
    }
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
    const CairoFonts::Faces& faces = fonts->faces();
    const LineSize line = measure_line(runs_of(text, font, faces), font, size, faces, faces.measuring.get());
    return TextSize{static_cast<float>(line.width), static_cast<float>(line.ascent + line.descent)};
  };
}

}  // namespace headscope
