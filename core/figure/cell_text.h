#pragma once

#include <string>

namespace headscope {

/// Formats a number for a cell with up to four characters: ".12", "<.01", "1", ".995", "−3.4", "12", "1e6".
/// "0" and "1" are printed only for exactly 0 and 1. −∞ is printed as "−∞", and NaN as an empty text.
std::string cell_text(float value);

/// Formats a number in at most `characters` characters, using shorter forms that are still true: ">.99" and
/// ">.9" for ">.999", "~0" for "<.01". Empty if no form is short enough. "0" and "1" are printed only for
/// exactly 0 and 1, and no other number is printed as ".00".
std::string cell_text(float value, int characters);
/// The length of the shortest form of a number.
int least_characters(float value);

/// Formats a number rounded for reading: ".88", ".00", "1.0", "−3.4". A number below 1 that two digits would
/// round to 1 gets a third, ".998", if that many letters fit.
std::string rounded_cell_text(float value, int letters = 3);
/// Formats a share likewise. Empty for shares below 0.005. "1" is printed only for exactly 1.
std::string share_cell_text(float value, int letters = 3);

/// Formats a number with a fixed number of decimals, or none if it is a whole number: "−0.250", "3",
/// "12.500". Numbers from a million on are printed as "1e6", −∞ as "−∞", and NaN as an empty text.
std::string decimal_text(float value, int decimals);

/// Formats a number beside a colour bar with at most three significant digits: "0.5", "−4.21", "39.8",
/// "1e-4".
std::string tick_text(double value);

/// Formats a multiple of `step` with as many digits as distinguish it from its neighbours: "0.25", "−5",
/// "1000.1". If the step is 0, the result is that of tick_text().
std::string round_number_text(double value, double step);

}  // namespace headscope
