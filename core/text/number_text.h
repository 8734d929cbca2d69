#pragma once

#include <string>
#include <vector>

namespace headscope {

/// Formats a number for display: at most `digits` significant digits (but all integer digits), no trailing
/// zeros, a typographic minus sign, "−∞" and "NaN". Never rounds to 0 or 1: 0.9996 keeps enough digits, and
/// 0.00000021 becomes "2.1e−7".
std::string number_text(double value, int digits = 4);

/// Formats with a fixed number of decimals, or none for integers: "−36.26", "39.80", "3". Numbers from a
/// million on use number_text().
std::string decimals_text(double value, int decimals);

/// The decimals of a number below 10. A cell that is too narrow for three has two, and no zero before the
/// point. What two decimals would round to 1 has three with `two`, and is "≈1" with `two_or_bound`.
enum class CellDigits { two_or_bound, two, three };

/// Magnitudes from this one on are written with one digit.
inline constexpr double min_with_one_digit = 99999.5;

/// Formats a number as pages write it: "0.581", "9.951", "49.79", "123.4", "12346", "1e6", and with two
/// decimals ".58", "9.95", "49.8", "123". Integers have no decimals, so "0" and "1" mean exactly 0 and 1;
/// what three decimals would round to them is "≈0" or "≈1".
std::string rounded_text(double value, CellDigits digits = CellDigits::three);

/// A count with thousands separators: "44,139,520".
std::string grouped(long long count);
/// A count with its noun: "1 step", "1,200 steps".
std::string count_text(long long count, const std::string& noun);
/// Names in a sentence: "a, b and c".
std::string names_text(const std::vector<std::string>& names);

}  // namespace headscope
