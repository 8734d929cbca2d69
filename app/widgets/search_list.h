#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "app/widgets/sentence_field.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// A line of a list that is searched.
struct SearchRow {
  std::string_view text;
  std::span<const TextSpan> marked;  ///< bytes of the text, ascending
  std::string_view about;            ///< quiet, behind the text
  std::string_view kind;             ///< quiet, at the right
  std::string_view shortcut;         ///< as a key, right of that
};

/// What a field found, below it: always of the same height, scrolled to the selected line. The arrows and the
/// mouse select (from end to end the arrows go round); Enter and a click choose. The line that was chosen.
std::optional<std::size_t> search_list(Ui& ui, std::size_t n_rows,
                                       const std::function<SearchRow(std::size_t)>& row_of,
                                       const SearchEntry& typed, int& selected);

}  // namespace headscope
