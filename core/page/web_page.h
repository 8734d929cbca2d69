#pragma once

#include <string>
#include <vector>

#include "core/checkpoint/sent_files.h"
#include "core/page/page_inputs.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// What a web page carries to its reader beside the program.
struct SentPage {
  std::string title;
  std::vector<SentFile> files;  ///< The first one is opened: a scene, a lesson or a capture.
  std::string lacks;            ///< Which models are missing, and why. Empty if none is.
  std::string still;            ///< The picture that is shown in their place, as SVG.
};

/// Whether the program's page is there, as it is installed or as app/web/build leaves it in a checkout.
Result<void> check_web_page();

/// The bytes of an HTML file that opens in any current browser, without anything installed: the program of
/// app/web with the files inside. Errors: the program's page was not built.
Result<std::string> web_page(const SentPage& page);

/// A page that shows a session, alive if its models can be sent, and otherwise as a picture of this size.
/// Errors also include those of sent_scene() and figure_of().
Result<std::string> web_page(const PageInputs& shown, const FigureSize& size);

}  // namespace headscope
