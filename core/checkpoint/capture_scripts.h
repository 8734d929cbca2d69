#pragma once

#include <span>
#include <string_view>

namespace headscope {

/// A program in Python that writes captured attention, as it is in assets/capture. The build puts these files
/// into the program.
struct CaptureScript {
  std::string_view name;
  std::string_view text;
};

std::span<const CaptureScript> capture_scripts();

}  // namespace headscope
