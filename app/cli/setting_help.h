#pragma once

#include <string>

#include "core/session/setting.h"

namespace headscope {

/// What the help says of a setting's own option: its sentence, its limits, and the default in brackets:
/// “Width of a token's vector: 8 to 1024 (64)”. `usual`: another default; empty: none.
std::string help_of(const Setting& setting);
std::string help_of(const Setting& setting, const std::string& usual);

}  // namespace headscope
