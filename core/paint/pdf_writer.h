#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/paint/font_faces.h"
#include "core/paint/metadata.h"

namespace headscope {

/// Whether this program can write PDF files.
bool writes_pdf();

/// The bytes of a PDF file with one page for each figure, in its size. There must be at least one figure. The
/// metadata becomes the subject, with one line per entry; a scene becomes an attached file, and the document
/// has a title of its own.
Result<std::string> pdf_bytes(std::span<const Figure> pages, FontFaces& fonts,
                              const std::vector<Metadata>& metadata, float points_per_unit = 1.0F);

}  // namespace headscope
