#pragma once

#include <string>

namespace headscope {

/// A number as a person reads it: at most `digits` significant digits (the digits before the point are always
/// whole), no trailing zeros, a real minus sign, "−∞". Never rounded to what it is not: 0.9996 keeps the
/// digits that tell it from 1, 0.00000021 is "2.1e−7" and not 0, and what is not a number is "no number".
std::string number_text(double value, int digits = 4);

/// A count with its thousands apart: "44,139,520".
std::string grouped(long long count);
/// "1 step", "1,200 steps".
std::string counted(long long count, const std::string& noun);

}  // namespace headscope
