#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "app/widgets/sentence_field.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// A line in a list of search results.
struct SearchRow {
  std::string_view text;
  std::span<const TextSpan> marked;  ///< byte ranges of the text, ascending
  std::string_view about;            ///< quiet, after the text
  std::string_view kind;             ///< quiet, on the right
  std::string_view shortcut;         ///< as a key, to the right of `kind`
};

/// The results below a search field. The list always has the same height and scrolls to the selected line.
/// The arrow keys and the mouse select a line, and the arrow keys wrap around at the ends. Enter and a click
/// choose it. Returns the chosen line.
std::optional<std::size_t> search_list(Ui& ui, std::size_t n_rows,
                                       const std::function<SearchRow(std::size_t)>& row_of,
                                       const SearchEntry& typed, int& selected);

}  // namespace headscope
