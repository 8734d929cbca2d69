#include "core/figure/text_fit.h"

#include <algorithm>

#include "core/text/letters.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

bool starts_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

/// The last position up to `at` at which a text can be cut: not before a mark, nor after what joins letters.
/// `at` itself if there is no other.
std::size_t start_of_letter(std::string_view text, std::size_t at) {
  const auto is_inside = [text](std::size_t place) {
    constexpr std::string_view joiner = "\u200D";
    const std::string_view rest = text.substr(place);
    if (static_cast<unsigned char>(rest.front()) < 0x80) return false;
    return is_zero_width(code_points(rest.substr(0, first_character_length(rest))).front()) ||
           text.substr(0, place).ends_with(joiner);
  };
  std::size_t start = at;
  while (start > 0 && start < text.size() && is_inside(start)) start = start_of_character(text, start - 1);
  return start == 0 ? at : start;
}

}  // namespace

std::size_t end_of_character(std::string_view text, std::size_t at) {
  while (at < text.size() && !starts_code_point(text[at])) ++at;
  return std::min(at, text.size());
}

std::size_t start_of_character(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  while (at > 0 && at < text.size() && !starts_code_point(text[at])) --at;
  return at;
}

int count_code_points(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::size_t fitting_bytes(std::string_view text, float width,
                          const std::function<float(std::string_view)>& width_of) {
  // The length is doubled until the text is too wide.
  constexpr std::size_t first_tried = 32;
  // Letters without width never fill a line, but a painter has to draw each of them.
  constexpr std::size_t limit = 4096;
  if (text.empty()) return 0;
  std::size_t fits = 0;
  std::size_t too_wide = end_of_character(text, std::min(first_tried, text.size()));
  while (width_of(text.substr(0, too_wide)) <= width) {
    fits = too_wide;
    if (fits == text.size() || fits >= limit) return start_of_letter(text, fits);
    too_wide = end_of_character(text, std::min(2 * fits, text.size()));
  }
  while (true) {
    std::size_t middle = end_of_character(text, fits + (too_wide - fits + 1) / 2);
    if (middle >= too_wide) middle = start_of_character(text, too_wide - 1);
    if (middle <= fits) return start_of_letter(text, fits);
    (width_of(text.substr(0, middle)) <= width ? fits : too_wide) = middle;
  }
}

std::string elided_text(std::string_view text, float width, Font font, float size,
                        const MeasureText& measure) {
  const auto width_of = [&](std::string_view part) { return measure(part, font, size).width; };
  const std::size_t whole = fitting_bytes(text, width, width_of);
  if (whole == text.size()) return std::string(text);
  const auto cut_at = [&](std::string_view part) { return std::string(part) + "…"; };
  const std::size_t bytes =
      fitting_bytes(text, width, [&](std::string_view part) { return width_of(cut_at(part)); });
  const bool has_room = bytes > 0 || width_of(cut_at({})) <= width;
  return has_room ? cut_at(text.substr(0, bytes)) : std::string();
}

namespace {

/// Removes the first line from a text that begins with a word. The line is the whole text if it fits.
/// Otherwise, it ends before the last space within the width, or it is the part of a long word that fits,
/// with at least one letter.
std::string_view take_line(std::string_view& text, float width, Font font, float size,
                           const MeasureText& measure) {
  std::size_t end =
      fitting_bytes(text, width, [&](std::string_view part) { return measure(part, font, size).width; });
  if (end < text.size() && text[end] != ' ') {
    const std::size_t space = text.substr(0, end).rfind(' ');
    if (space != std::string_view::npos) end = space;
  }
  if (end == 0) end = first_character_length(text);
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end < text.size() && text[end] == ' ' ? end + 1 : end);
  return line;
}

}  // namespace

std::vector<std::string> wrapped_lines(std::string_view text, float width, Font font, float size,
                                       const MeasureText& measure, std::size_t limit) {
  std::vector<std::string> lines;
  while (lines.size() < limit) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view paragraph = text.substr(0, end);
    paragraph = paragraph.substr(0, paragraph.find_last_not_of(' ') + 1);
    do {
      paragraph.remove_prefix(std::min(paragraph.find_first_not_of(' '), paragraph.size()));
      lines.emplace_back(paragraph.empty() ? paragraph : take_line(paragraph, width, font, size, measure));
    } while (!paragraph.empty() && lines.size() < limit);
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace headscope
