#pragma once

#include <string>
#include <vector>

#include "core/page/page_inputs.h"

namespace headscope {

/// A page as text, for screen readers.
struct PageTranscript {
  std::string title;
  std::string purpose;   ///< The question that the page answers.
  std::string headline;  ///< Its answer for the selection. Empty if there is none.
  /// The weights of the selected row of the selected head, in key order; only the strongest of a long row.
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Leaves out numbers that an exercise hides.
PageTranscript transcribe_page(const PageInputs& in);

}  // namespace headscope
