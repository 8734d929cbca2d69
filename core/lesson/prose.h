#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace headscope {

/// A piece of text in one style.
struct ProseSpan {
  std::string text;
  bool is_strong = false;
  bool is_emphasised = false;
  bool is_code = false;
  std::string link;  ///< The address that it leads to. Empty for text that is no link.
  bool operator==(const ProseSpan&) const = default;
};

/// A paragraph, a heading within a step, an item of a list, or a formula on lines of its own.
struct ProseBlock {
  enum class Kind { paragraph, heading, item, formula };
  Kind kind = Kind::paragraph;
  int depth = 0;       ///< How deep it is within lists and quotations.
  std::string marker;  ///< What stands before an item: “•” or “1.”.
  std::vector<ProseSpan> spans;
  bool operator==(const ProseBlock&) const = default;
};
using Prose = std::vector<ProseBlock>;

/// The deepest nesting of lists and quotations in a lesson.
inline constexpr int deepest_prose = 6;

/// Reads Markdown: paragraphs, headings, emphasis, lists, links, code and fenced code, which stands for
/// formulas. A paragraph of nothing but code is a formula, too. HTML is text like any other. `line` is the
/// line of the file on which `markdown` begins. Errors name the line: pictures, which a lesson draws by
/// scenes; links that are neither https: nor http: addresses nor lessons (NAME.md) in the same folder; lists
/// and quotations nested deeper than deepest_prose.
Result<Prose> read_prose(std::string_view markdown, int line);

/// Whether an address is that of another lesson in the same folder: NAME.md.
bool is_lesson_link(std::string_view address);

/// A heading alone.
Prose heading_of(std::string text);

/// The text without styles, with a line for each block.
std::string plain_text(const Prose& prose);

/// What was found in a lesson, in quotes and cut where it is long, for messages.
std::string in_quotes(std::string_view text);

/// An error with its line: “line 12: …”.
tl::unexpected<Error> error_at_line(int line, const std::string& message);

}  // namespace headscope
