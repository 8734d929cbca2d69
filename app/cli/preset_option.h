#pragma once

#include <string>

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// The session of a preset, given its name, its document, or an unambiguous beginning of either. The usage
/// error lists the presets.
Result<Session> preset_session(const std::string& name);

}  // namespace headscope
