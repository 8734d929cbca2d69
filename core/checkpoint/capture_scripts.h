#pragma once

#include <span>
#include <string_view>

namespace headscope {

/// A Python program that writes captured attention. The build embeds the files of assets/capture into this
/// program.
struct CaptureScript {
  std::string_view name;
  std::string_view text;
};

std::span<const CaptureScript> capture_scripts();

}  // namespace headscope
