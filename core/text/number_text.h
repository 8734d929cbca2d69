#pragma once

#include <string>
#include <vector>

namespace headscope {

/// Formats a number for display: at most `digits` significant digits (but all integer digits), no trailing
/// zeros, a typographic minus sign, "−∞" and "NaN". Never rounds to 0 or 1: 0.9996 keeps enough digits, and
/// 0.00000021 becomes "2.1e−7".
std::string number_text(double value, int digits = 4);

/// Formats with a fixed number of decimals: "−36.26", "39.80". Numbers from a million on use number_text().
std::string decimals_text(double value, int decimals);

/// Formats a number for a column with maximum magnitude `max_magnitude`, with the decimals that give
/// `max_magnitude` three digits, so that decimal points align: "5.84", "−0.72". Numbers that would round to 0
/// keep one significant digit.
std::string column_text(double value, double max_magnitude);

/// Formats a fraction with three decimals: "0.881". If it would round to 0 or 1: "< 0.001" or "> 0.999"; if
/// negative, "≈ 0" or "< −0.999".
std::string share_text(double value);

/// A count with thousands separators: "44,139,520".
std::string grouped(long long count);
/// A count with its noun: "1 step", "1,200 steps".
std::string count_text(long long count, const std::string& noun);
/// Names in a sentence: "a, b and c".
std::string names_text(const std::vector<std::string>& names);

}  // namespace headscope
