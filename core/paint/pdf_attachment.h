#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace headscope {

/// Attaches a file to a PDF file, without changing its pages and description. Deterministic. It is an error
/// if `pdf` is not a PDF file.
Result<std::string> with_attachment(std::string_view pdf, const std::string& name,
                                    const std::string& content);

/// The content of the attached file with this name. Empty if there is none, if it exceeds `max_bytes`, or if
/// the PDF file is damaged or has compressed object tables, which with_attachment() does not write.
std::optional<std::string> attachment_in(std::string_view pdf, const std::string& name,
                                         std::size_t max_bytes);

}  // namespace headscope
