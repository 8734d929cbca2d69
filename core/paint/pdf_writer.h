#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/paint/font_faces.h"
#include "core/paint/metadata.h"

namespace headscope {

/// Whether this program can write PDF files.
bool can_write_pdf();

/// The bytes of a PDF file with a page of the right size for each figure, of which there must be at least
/// one. The metadata becomes the subject, one line per entry, except for scenes, which are attached, and the
/// title.
Result<std::string> pdf_bytes(std::span<const Figure> pages, FontFaces& fonts,
                              const std::vector<Metadata>& metadata, float points_per_unit = 1.0F);

}  // namespace headscope
