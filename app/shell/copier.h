#pragma once

#include <functional>
#include <string>

#include "app/shell/exporter.h"

namespace headscope {

struct CopyResult {
  bool ok = false;
  std::string message;    ///< what was copied, or why nothing was
  std::string text = {};  ///< that belongs on the clipboard; empty: none
};

/// Takes a PNG file.
using PictureTaker = std::function<Result<void>(const std::string&)>;

/// Draws the figure of the page, as its file has it, and gives it to `take`. Its metadata hold the command
/// that makes it again where all that it shows is in files; nothing is written for it.
CopyResult copy_of_figure(const ExportJob& job, const PictureTaker& take);

/// The numbers of the selected stage with their labels.
CopyResult copy_of_numbers(const PageInputs& shown);

}  // namespace headscope
