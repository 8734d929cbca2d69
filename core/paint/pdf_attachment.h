#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace headscope {

/// The bytes of a PDF file with a file attached to it, which PDF readers list under its name. The pages and
/// the description stay as they are. Equal arguments give equal bytes. It is an error if `pdf` is not a PDF
/// file.
Result<std::string> with_attachment(std::string_view pdf, const std::string& name,
                                    const std::string& content);

/// The content of the file that is attached under this name. Empty if there is none, if it has more than
/// `most_bytes`, or if the bytes are not an undamaged PDF file without compressed tables of objects, as
/// with_attachment() writes it.
std::optional<std::string> attachment_in(std::string_view pdf, const std::string& name,
                                         std::size_t most_bytes);

}  // namespace headscope
