#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// What somebody typed as a number: a point or a comma before the decimals, − or -, "-inf" or "−∞" for minus
/// infinity. Nothing where it is no number.
std::optional<double> number_answered(std::string_view typed);

/// How exactly every number is asked for, whatever it is: more decimals for some would tell how large they
/// are.
inline constexpr std::string_view answer_rule =
    "to two significant digits, such as 0.047, 3.8 or 216. The last digit may differ by 1.";

/// Whether an answer is right: within 10 % of the number, because what it is computed from is rounded, too,
/// at most one off in the last of two digits, or in the last before the point, and near 0 at most 0.00005
/// off. The infinite and NaN are only themselves.
bool is_right_answer(double answer, float value);

}  // namespace headscope
