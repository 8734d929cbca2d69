#include "core/figure/vector_writer.h"

#include <cairo-pdf.h>

#include "core/figure/cairo_fonts.h"
#include "core/figure/paintable.h"
#include "core/figure/svg_painter.h"
#include "core/io/atomic_file.h"
#include "core/text/visible.h"

namespace headscope {
namespace {

cairo_status_t append_bytes(void* bytes, const unsigned char* data, unsigned int size) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

/// A line for each entry. U+FFFD stands for what neither XML nor a PDF text may hold.
std::string in_lines(const std::vector<Metadata>& metadata) {
  std::string text;
  for (const Metadata& entry : metadata) {
    text += (text.empty() ? "" : "\n") + entry.key + ": " + visible_controls(entry.text);
  }
  return text;
}

Result<void> paint_on(std::span<const Figure> pages, cairo_surface_t* surface, const CairoFonts& fonts) {
  const CairoPtr<cairo_t> context(cairo_create(surface));
  for (const Figure& page : pages) {
    cairo_pdf_surface_set_size(surface, page.width, page.height);
    paint(page, context.get(), fonts);
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
                              const std::vector<Metadata>& metadata) {
  const std::string width = svg_number(figure.width);
  const std::string height = svg_number(figure.height);
  if (!(figure.width > 0.0F && figure.height > 0.0F && figure.width <= paint_limits::farthest &&
        figure.height <= paint_limits::farthest)) {
    return usage_error("a picture needs a width and a height above 0");
  }
  // Spaces of a label stay as they are, and letters are not joined where Cairo joins none.
  std::string bytes =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"" +
      width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " + height +
      "\" xml:space=\"preserve\" style=\"font-variant-ligatures:none\">\n";
  if (!metadata.empty()) bytes += "<desc>" + xml_text(in_lines(metadata)) + "</desc>\n";
  return bytes + svg_elements(figure, fonts) + "</svg>\n";
}

Result<std::string> pdf_bytes(const Figure& figure, const CairoFonts& fonts,
                              const std::vector<Metadata>& metadata) {
  return pdf_bytes(std::span(&figure, 1), fonts, metadata);
}

Result<std::string> pdf_bytes(std::span<const Figure> pages, const CairoFonts& fonts,
                              const std::vector<Metadata>& metadata) {
  std::string bytes;
  const CairoPtr<cairo_surface_t> surface(
      cairo_pdf_surface_create_for_stream(append_bytes, &bytes, pages.front().width, pages.front().height));
  // Later versions may compress the metadata, which is to be found by whoever looks into the file.
  cairo_pdf_surface_restrict_to_version(surface.get(), CAIRO_PDF_VERSION_1_4);
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, "headscope");
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_SUBJECT, in_lines(metadata).c_str());
  const Result<void> painted = paint_on(pages, surface.get(), fonts);
  if (!painted) return tl::unexpected<Error>(painted.error());
  return bytes;
}

Result<void> write_svg(const Figure& figure, const std::filesystem::path& path, const CairoFonts& fonts,
                       const std::vector<Metadata>& metadata) {
  const Result<std::string> bytes = svg_bytes(figure, fonts, metadata);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  return write_atomically(path, *bytes);
}

Result<void> write_pdf(const Figure& figure, const std::filesystem::path& path, const CairoFonts& fonts,
                       const std::vector<Metadata>& metadata) {
  return write_pdf(std::span(&figure, 1), path, fonts, metadata);
}

Result<void> write_pdf(std::span<const Figure> pages, const std::filesystem::path& path,
                       const CairoFonts& fonts, const std::vector<Metadata>& metadata) {
  const Result<std::string> bytes = pdf_bytes(pages, fonts, metadata);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  return write_atomically(path, *bytes);
}

}  // namespace headscope
