#pragma once

#include <string>

namespace headscope {

/// The digits of all numbers of a map: three, or two in cells that are too narrow for them. Only bounds
/// such as "<.001" may be shorter.
enum class CellDigits { two = 2, three = 3 };

/// Formats a number for a cell as a true statement: ".581", "9.95", "49.8", "123", "1e6", and with two digits
/// ".58", "10", "50". A number below 1 has as many decimals as digits; if they would round it to 0 or 1, it
/// becomes "<.001" or ">.999". Integers have no decimals, so "0" and "1" mean exactly 0 and 1. −∞ becomes
/// "−∞", NaN an empty text.
std::string cell_text(float value, CellDigits digits = CellDigits::three);

/// Formats a number with a fixed number of decimals, or none for integers: "−0.250", "3", "12.500". Numbers
/// from a million on become "1e6", −∞ "−∞", and NaN an empty text.
std::string decimal_text(float value, int decimals);

/// Formats a number beside a colour bar with at most three significant digits: "0.5", "−4.21", "39.8",
/// "1e-4".
std::string tick_text(double value);

/// Formats a multiple of `step` with enough digits to distinguish it from its neighbours: "0.25", "−5",
/// "1000.1". A step of 0 formats as tick_text().
std::string round_number_text(double value, double step);

}  // namespace headscope
