#pragma once

#include <string>
#include <vector>

#include "core/page/page_inputs.h"

namespace headscope {

/// A page in words, for those who do not see it.
struct PageWords {
  std::string title;
  std::string purpose;   ///< The question that the page answers.
  std::string headline;  ///< Its answer for what is selected. Empty if there is none.
  /// The weights of the selected row of the selected head, in the order of the keys: of long rows, the
  /// strongest.
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Numbers that an exercise hides are not told.
PageWords words_of_page(const PageInputs& in);

}  // namespace headscope
