#pragma once

#include <string>

namespace headscope {

/// A number in three or four characters, for cells: ".12", "<.01", "1", ".995", "−3.4", "12", "1e6".
/// "0" and "1" are printed for exactly 0 and 1 only. −∞ is "−∞", NaN is empty.
std::string cell_text(float value);

/// A number beside a colour bar: at most three significant digits ("0.5", "−4.21", "39.8", "1e-4").
std::string tick_text(double value);

}  // namespace headscope
