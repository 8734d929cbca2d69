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
  std::string link;  ///< The address of a link. Empty if it is none.
  bool operator==(const ProseSpan&) const = default;
};

/// A paragraph, a heading within a step, a list item, or a displayed formula.
struct ProseBlock {
  enum class Kind { paragraph, heading, item, formula };
  Kind kind = Kind::paragraph;
  int depth = 0;       ///< Its nesting depth in lists and quotations.
  std::string marker;  ///< The marker of an item: “•” or “1.”.
  std::vector<ProseSpan> spans;
  bool operator==(const ProseBlock&) const = default;
};
using Prose = std::vector<ProseBlock>;

/// The maximum nesting depth of lists and quotations.
inline constexpr int max_prose_depth = 6;

/// Parses Markdown: paragraphs, headings, emphasis, lists, links and code. Fenced code, and a paragraph of
/// nothing but code, is a formula. HTML is plain text. `line` is the line of the file on which `markdown`
/// begins. Errors name the line: pictures, for which lessons use scenes; links other than https:, http: and
/// lessons (NAME.md) in the same folder; nesting deeper than max_prose_depth.
Result<Prose> read_prose(std::string_view markdown, int line);

/// Whether an address names a lesson in the same folder: NAME.md.
bool is_lesson_link(std::string_view address);

/// A heading alone.
Prose heading_of(std::string text);

/// The text without styles, one line per block.
std::string plain_text(const Prose& prose);

/// A quotation of a lesson for messages, shortened if it is long.
std::string in_quotes(std::string_view text);

/// An error with its line: “line 12: …”.
tl::unexpected<Error> error_at_line(int line, const std::string& message);

}  // namespace headscope
