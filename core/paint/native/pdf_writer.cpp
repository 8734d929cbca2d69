#include "core/paint/pdf_writer.h"

#include <cairo-pdf.h>

#include <utility>

#include "core/paint/native/cairo_painter.h"
#include "core/paint/pdf_attachment.h"

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

/// \param zoom The number of points per figure unit.
Result<void> paint_on(std::span<const Figure> pages, cairo_surface_t* surface, FontFaces& fonts,
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

bool can_write_pdf() {
  return true;
}

Result<std::string> pdf_bytes(std::span<const Figure> pages, FontFaces& fonts,
                              const std::vector<Metadata>& metadata, float points_per_unit) {
  std::string bytes;
  const CairoPtr<cairo_surface_t> surface(
      cairo_pdf_surface_create_for_stream(append_bytes, &bytes, pages.front().width, pages.front().height));
  // Later versions may compress the metadata, which must be readable in the bytes of the file.
  cairo_pdf_surface_restrict_to_version(surface.get(), CAIRO_PDF_VERSION_1_4);
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, "headscope");
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_SUBJECT, as_lines(metadata).c_str());
  if (const Metadata* title = entry_of(metadata, title_key))
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, title->text.c_str());
  const Result<void> painted = paint_on(pages, surface.get(), fonts, points_per_unit);
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

}  // namespace headscope
