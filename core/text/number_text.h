#pragma once

#include <string>

namespace headscope {

/// A number for people to read: at most `digits` significant digits (digits before the point are never
/// dropped), no trailing zeros, a real minus sign, "−∞" and "NaN". Rounding never changes the meaning: 0.9996
/// keeps the digits that distinguish it from 1, and 0.00000021 becomes "2.1e−7" instead of 0.
std::string number_text(double value, int digits = 4);

/// A number with a fixed number of decimals, for columns: "−36.26", "39.80". Numbers of a million or more are
/// formatted by number_text().
std::string decimals_text(double value, int decimals);

/// Formats a number for a column in which `greatest` is the greatest magnitude. Every number gets as many
/// decimals as `greatest` needs to show three digits, so that the decimal points line up: "5.84", "−0.72". A
/// number that would round to 0 keeps one digit instead.
std::string column_text(double value, double greatest);

/// A share for people to read, with three decimals: "0.881". A share that would round to 0 or 1 becomes "<
/// 0.001" or "> 0.999"; a negative one, "≈ 0" or "< −0.999".
std::string share_text(double value);

/// A count with thousands separators: "44,139,520".
std::string grouped(long long count);
/// A count with its noun: "1 step", "1,200 steps".
std::string counted(long long count, const std::string& noun);

}  // namespace headscope
