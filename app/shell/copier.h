#pragma once

#include <functional>
#include <string>

#include "app/shell/exporter.h"

namespace headscope {

struct CopyResult {
  bool ok = false;
  std::string message;    ///< what was copied, or why nothing was
  std::string text = {};  ///< the text for the clipboard; empty if there is none
};

/// Takes a PNG file.
using PictureTaker = std::function<Result<void>(const std::string&)>;

/// Draws the figure of the page as for a file and passes it to `take` without writing a file. Its metadata
/// contain the command that makes it again, if everything that it shows is in files.
CopyResult copy_of_figure(const ExportJob& job, const PictureTaker& take);

/// The numbers of the selected stage with their labels, as text.
CopyResult copy_of_numbers(const PageInputs& shown);

}  // namespace headscope
