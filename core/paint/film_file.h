#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/figure/figure.h"
#include "core/result.h"

namespace headscope {

/// WebP is smaller and has all colours. GIF, with up to 256 colours in a picture, is shown by everything.
enum class FilmType { webp, gif };

/// Encodes pictures of one size as a film that repeats without end.
class FilmEncoder {
 public:
  FilmEncoder() = default;
  virtual ~FilmEncoder() = default;
  FilmEncoder(const FilmEncoder&) = delete;
  FilmEncoder& operator=(const FilmEncoder&) = delete;

  /// Appends a picture that stays for so many milliseconds.
  virtual Result<void> add(const Image& image, int milliseconds) = 0;
  /// The bytes of the file. Nothing can be added afterwards.
  virtual Result<std::string> take() = 0;
};

/// Whether this system can write films.
bool writes_films();

/// Begins a film. Fails if a side is larger than the format allows: 16,383 pixels for WebP, 65,535 for GIF.
Result<std::unique_ptr<FilmEncoder>> film_encoder(FilmType type, int width, int height);

}  // namespace headscope
