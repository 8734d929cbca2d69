#pragma once

#include <string>

namespace headscope {

/// How many digits the numbers of a map have: the usual three, or two in cells that are too narrow for them.
/// All numbers of a map have the same, so that a number is spelt in one way wherever three digits fit. Only
/// bounds such as "<.001" may be shorter.
enum class CellDigits { two = 2, three = 3 };

/// Formats a number for a cell so that the text is true of it: ".581", "9.95", "49.8", "123", "1e6", and with
/// two digits ".58", "10", "50". A number below 1 has as many decimals as digits. If they would round it to 0
/// or 1, it becomes "<.001" or ">.999". Whole numbers have no decimals, so "0" and "1" are printed only for
/// exactly 0 and 1. −∞ is printed as "−∞", and NaN as an empty text.
std::string cell_text(float value, CellDigits digits = CellDigits::three);
/// Formats a number likewise, but rounded for reading: ".000" for "<.001", and "1.00" for ">.999". Only the
/// number 1 itself is "1".
std::string rounded_cell_text(float value, CellDigits digits = CellDigits::three);
/// Formats a share likewise, but exactly 1 as "1.00" as well, so that a column of shares is written in one
/// way. Empty for shares below 0.005, whatever the number of digits.
std::string share_cell_text(float value, CellDigits digits = CellDigits::three);

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
