#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// Reads a number that the user typed: a point or a comma before the decimals, − or - as the sign, "-inf" or
/// "−∞" for minus infinity, or a fraction of two numbers such as 1/2. No value if the text is not a number.
std::optional<double> number_answered(std::string_view typed);

/// The precision that is asked for, whatever the number. More decimals for some numbers would reveal their
/// magnitude.
inline constexpr std::string_view answer_rule =
    "to two significant digits, such as 0.047, 3.8 or 216. The last digit may differ by 1.";

/// Whether an answer is right. It must be within 10 % of the number, since the numbers that it is computed
/// from are rounded as well. It must also differ by at most 1 in the second significant digit, or in the last
/// digit before the point if there are more. Near 0, it may differ by at most 0.00005. Infinite numbers and
/// NaN must match exactly.
bool is_right_answer(double answer, float value);

}  // namespace headscope
