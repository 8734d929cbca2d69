#pragma once

#include <memory>
#include <string>

#include "core/figure/figure.h"
#include "core/result.h"

namespace headscope {

/// WebP is smaller and has all colours. GIF has up to 256 colours per frame and is supported everywhere.
enum class FilmType { webp, gif };

/// Encodes frames of one size as a film that loops forever.
class FilmEncoder {
 public:
  FilmEncoder() = default;
  virtual ~FilmEncoder() = default;
  FilmEncoder(const FilmEncoder&) = delete;
  FilmEncoder& operator=(const FilmEncoder&) = delete;

  /// Appends a frame with this duration.
  virtual Result<void> add(const Image& image, int milliseconds) = 0;
  /// The bytes of the file. Nothing can be added afterwards.
  virtual Result<std::string> take() = 0;
};

/// Whether this system can write films.
bool can_write_films();

/// Starts a film. Fails if a side exceeds the limit of the format: 16,383 pixels for WebP, 65,535 for GIF.
Result<std::unique_ptr<FilmEncoder>> film_encoder(FilmType type, int width, int height);

}  // namespace headscope
