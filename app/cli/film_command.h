#pragma once

#include <filesystem>
#include <iosfwd>

#include "core/page/film.h"
#include "core/result.h"

namespace headscope {

/// Fails for a file or a folder into which no film can be written, so that nothing is computed in vain.
Result<void> check_film_file(const std::filesystem::path& path, bool is_transparent);

/// Writes a film as WebP or GIF or, if the name has no ending, as numbered PNGs into a new folder. Prints the
/// path; progress goes to standard error.
Result<void> write_film(const FilmSteps& steps, int scale, const FilmOptions& film,
                        const std::filesystem::path& path, std::ostream& out);

}  // namespace headscope
