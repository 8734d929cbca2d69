#pragma once

#include <string>
#include <vector>

#include "core/checkpoint/portable_files.h"
#include "core/page/page_inputs.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// The contents of a web page besides the program.
struct PortablePage {
  std::string title;
  std::vector<PortableFile> files;  ///< The first one is opened: a scene, a lesson or a capture.
  std::string missing_parts;        ///< Which models are missing, and why. Empty if none is.
  std::string still;                ///< The picture shown in their place, as SVG.
};

/// Fails if the program's page is neither installed nor in app/web/build of a checkout.
Result<void> check_web_page();

/// The bytes of a self-contained HTML file for current browsers: the program of app/web with the files
/// inside. Fails if the program's page was not built.
Result<std::string> web_page(const PortablePage& page);

/// A page that shows a session: interactive if its models can be included, otherwise as a picture of this
/// size. Errors also include those of portable_scene() and figure_of().
Result<std::string> web_page(const PageInputs& shown, const FigureSize& size);

}  // namespace headscope
