#pragma once

#include <string>

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Whether the session can be sent as a web page. The errors are those of web_page().
Result<void> check_web_page(const Session& session);

/// The bytes of an HTML file that shows the session in any browser, without anything installed: the program
/// of app/web with the scene inside. Errors: the program's page was not built, or the session needs weights
/// that the page does not have, which are all but those of the bundled models.
Result<std::string> web_page(const Session& session);

}  // namespace headscope
