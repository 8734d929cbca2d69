#pragma once

#include <string>

namespace headscope {

/// A number in three or four characters, for cells: ".12", "<.01", "1", ".995", "−3.4", "12", "1e6".
/// "0" and "1" are printed for exactly 0 and 1 only. −∞ is "−∞", NaN is empty.
std::string cell_text(float value);

/// The same in fewer characters where there are such: ">.99" for ">.999", "−.00" for ">−.01". Never "0" or
/// "1" for another number.
std::string brief_cell_text(float value);

/// A number beside a colour bar: at most three significant digits ("0.5", "−4.21", "39.8", "1e-4").
std::string tick_text(double value);

/// A multiple of `step`, with as many digits as tell it from its neighbours ("0.25", "−5", "1000.1"). A step
/// of 0 is that of tick_text.
std::string round_number_text(double value, double step);

}  // namespace headscope
