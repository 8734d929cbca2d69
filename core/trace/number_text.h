#pragma once

#include <string>

namespace headscope {

/// A number for people to read: at most `digits` significant digits (the digits before the point are always
/// whole), no trailing zeros, a real minus sign, "−∞". Never rounded to a different meaning: 0.9996 keeps the
/// digits that distinguish it from 1, 0.00000021 is "2.1e−7" and not 0, and NaN is "NaN".
std::string number_text(double value, int digits = 4);

/// A share as people read it, with three decimals: "0.881", "< 0.001" and "> 0.999" for what these would
/// round to 0 or 1.
std::string share_text(double value);

/// A count with thousands separators: "44,139,520".
std::string grouped(long long count);
/// "1 step", "1,200 steps".
std::string counted(long long count, const std::string& noun);

}  // namespace headscope
