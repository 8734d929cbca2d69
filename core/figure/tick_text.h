#pragma once

#include <string>

namespace headscope {

/// Formats a number beside a colour bar with at most three significant digits: "0.5", "−4.21", "39.8",
/// "1e-4".
std::string tick_text(double value);

/// Formats a multiple of `step` with enough digits to distinguish it from its neighbours: "0.25", "−5",
/// "1000.1". A step of 0 formats as tick_text().
std::string round_number_text(double value, double step);

}  // namespace headscope
