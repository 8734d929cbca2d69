#pragma once

#include <string>

#include "core/session/setting.h"

namespace headscope {

/// The help for a setting's own option: its sentence, its limits, and its default in parentheses, such as
/// “Width of a token's vector: 8 to 1024 (64)”. `usual` replaces the default; no default is stated if it is
/// empty.
std::string help_of(const Setting& setting);
std::string help_of(const Setting& setting, const std::string& usual);

}  // namespace headscope
