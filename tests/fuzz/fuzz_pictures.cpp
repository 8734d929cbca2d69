// Fuzzes a picture that is dropped on the window: its pixels, its metadata, and the words of a command. The
// input is read as the file, and the part after its first zero byte as a command.

#include <algorithm>

#include "app/cli/shell_words.h"
#include "core/paint/picture_reader.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

using fuzzing::require;

void read_picture(std::string_view bytes) {
  metadata_in(bytes);
  const auto image = image_in(bytes);
  if (!image) return fuzzing::require_readable(image.error().message);
  require(is_picture(bytes), "what has pixels is a picture");
  const auto n_pixels = static_cast<std::size_t>(image->width) * static_cast<std::size_t>(image->height);
  require(image->pixels.size() == n_pixels, "a picture has as many pixels as its sides say");
}

void read_words(std::string_view command) {
  const auto words = shell_words(command);
  if (!words) return fuzzing::require_readable(words.error().message);
  std::string again;
  for (const std::string& word : *words) {
    if (word.find('\0') != std::string::npos) return;  // No word of a command line can hold a NUL.
    again += (again.empty() ? "" : " ") + shell_quoted(word);
  }
  const auto second = shell_words(again);
  require(second && *second == *words, "words that are quoted again are the same");
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::string_view input = fuzzing::text_of(data, size);
  read_picture(input);
  const std::size_t zero = std::min(input.find('\0'), input.size());
  read_words(input.substr(std::min(zero + 1, input.size())));
  return 0;
}
