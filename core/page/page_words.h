#pragma once

#include <string>
#include <vector>

#include "core/page/page_inputs.h"

namespace headscope {

/// A page in words, for those who do not see it.
struct PageWords {
  std::string title, purpose;
  std::string headline;  ///< The strongest weight of the selected row. Empty if the page is not of the pass.
  /// The weights of the selected row of the selected head, in the order of the keys: of long rows, the
  /// strongest.
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Numbers that an exercise hides are not told.
PageWords words_of_page(const PageInputs& in);

}  // namespace headscope
