#include "core/paint/vector_writer.h"

#include <cairo-pdf.h>

#include <algorithm>
#include <utility>

#include "core/figure/paintable.h"
#include "core/io/atomic_file.h"
#include "core/paint/cairo_fonts.h"
#include "core/paint/pdf_attachment.h"
#include "core/paint/svg_painter.h"
#include "core/text/visible.h"

namespace headscope {
namespace {

cairo_status_t append_bytes(void* bytes, const unsigned char* data, unsigned int size) {
  // An exception must not pass through the frames of Cairo.
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
  } catch (...) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

/// Whether an entry is the scene of a page.
bool is_scene(const Metadata& entry) {
  if (!entry.key.starts_with(scene_key)) return false;
  const std::string number = entry.key.substr(std::string_view(scene_key).size());
  return number.find_first_not_of(" 0123456789") == std::string::npos;
}

/// The metadata with one line per entry. Characters that are not allowed in XML or in PDF texts are replaced
/// by U+FFFD.
std::string in_lines(const std::vector<Metadata>& metadata) {
  std::string text;
  for (const Metadata& entry : metadata) {
    if (is_scene(entry)) continue;
    text += (text.empty() ? "" : "\n") + entry.key + ": " + visible_controls(entry.text);
  }
  return text;
}

/// Returns null if there is none.
const Metadata* entry_of(const std::vector<Metadata>& metadata, std::string_view key) {
  const auto entry = std::ranges::find(metadata, key, &Metadata::key);
  return entry == metadata.end() ? nullptr : &*entry;
}

/// \param zoom The number of points per figure unit.
Result<void> paint_on(std::span<const Figure> pages, cairo_surface_t* surface, const CairoFonts& fonts,
                      double zoom) {
  const CairoPtr<cairo_t> context(cairo_create(surface));
  for (const Figure& page : pages) {
    cairo_pdf_surface_set_size(surface, zoom * page.width, zoom * page.height);
    cairo_save(context.get());
    cairo_scale(context.get(), zoom, zoom);
    paint(page, context.get(), fonts);
    cairo_restore(context.get());
    cairo_show_page(context.get());
  }
  cairo_surface_finish(surface);
  cairo_status_t status = cairo_status(context.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
  if (status == CAIRO_STATUS_SUCCESS) return {};
  return failure(std::string("the figure could not be drawn: ") + cairo_status_to_string(status));
}

}  // namespace

Result<std::string> svg_bytes(const Figure& figure, const CairoFonts& fonts,
                              const std::vector<Metadata>& metadata, VectorUnit unit) {
  if (!(figure.width > 0.0F && figure.height > 0.0F && figure.width <= paint_limits::farthest &&
        figure.height <= paint_limits::farthest)) {
    return usage_error("a picture needs a width and a height above 0");
  }
  const auto side = [&unit](float length) { return svg_number(unit.size * length) + unit.of_svg; };
  // Spaces in labels are preserved, and ligatures are disabled because Cairo does not use any.
  std::string bytes =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"" +
      side(figure.width) + "\" height=\"" + side(figure.height) + "\" viewBox=\"0 0 " +
      svg_number(figure.width) + " " + svg_number(figure.height) +
      "\" xml:space=\"preserve\" style=\"font-variant-ligatures:none\">\n";
  if (!metadata.empty()) bytes += "<desc>" + xml_text(in_lines(metadata)) + "</desc>\n";
  if (const Metadata* scene = entry_of(metadata, scene_key))
    bytes += "<metadata>" + xml_text(scene->text) + "</metadata>\n";
  return bytes + svg_elements(figure, fonts) + "</svg>\n";
}

Result<std::string> pdf_bytes(const Figure& figure, const CairoFonts& fonts,
                              const std::vector<Metadata>& metadata, VectorUnit unit) {
  return pdf_bytes(std::span(&figure, 1), fonts, metadata, unit);
}

Result<std::string> pdf_bytes(std::span<const Figure> pages, const CairoFonts& fonts,
                              const std::vector<Metadata>& metadata, VectorUnit unit) {
  std::string bytes;
  const CairoPtr<cairo_surface_t> surface(
      cairo_pdf_surface_create_for_stream(append_bytes, &bytes, pages.front().width, pages.front().height));
  // Later versions may compress the metadata, which must be readable in the bytes of the file.
  cairo_pdf_surface_restrict_to_version(surface.get(), CAIRO_PDF_VERSION_1_4);
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, "headscope");
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_SUBJECT, in_lines(metadata).c_str());
  if (const Metadata* title = entry_of(metadata, title_key))
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, title->text.c_str());
  const Result<void> painted = paint_on(pages, surface.get(), fonts, unit.size);
  if (!painted) return tl::unexpected<Error>(painted.error());
  Result<std::string> file(std::move(bytes));
  for (const Metadata& entry : metadata) {
    if (!is_scene(entry)) continue;
    const std::string number = entry.key.substr(std::string_view(scene_key).size());
    const std::string name = number.empty() ? scene_attachment : "page" + number + ".headscope";
    file =
        file.and_then([&](const std::string& before) { return with_attachment(before, name, entry.text); });
  }
  return file;
}

Result<void> write_svg(const Figure& figure, const std::filesystem::path& path, const CairoFonts& fonts,
                       const std::vector<Metadata>& metadata, VectorUnit unit) {
  const Result<std::string> bytes = svg_bytes(figure, fonts, metadata, unit);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  return write_atomically(path, *bytes);
}

Result<void> write_pdf(const Figure& figure, const std::filesystem::path& path, const CairoFonts& fonts,
                       const std::vector<Metadata>& metadata, VectorUnit unit) {
  const Result<std::string> bytes = pdf_bytes(figure, fonts, metadata, unit);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  return write_atomically(path, *bytes);
}

Result<void> write_pdf(std::span<const Figure> pages, const std::filesystem::path& path,
                       const CairoFonts& fonts, const std::vector<Metadata>& metadata) {
  const Result<std::string> bytes = pdf_bytes(pages, fonts, metadata);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  return write_atomically(path, *bytes);
}

}  // namespace headscope
