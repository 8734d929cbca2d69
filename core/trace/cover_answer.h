#pragma once

#include <optional>
#include <string_view>

namespace headscope {

/// What somebody typed as a number: a point or a comma before the decimals, − or -, "-inf" or "−∞" for minus
/// infinity. Nothing where it is no number.
std::optional<double> number_answered(std::string_view typed);

/// With how many decimals a number is asked for: 2 below 1, 1 below 10, else none; as many as maps print. Of
/// an infinite one 2, so that it is not told.
int asked_decimals(float value);

/// Whether an answer is right: at most one off in the last decimal that is asked for, because what it is
/// computed from is rounded, too. The infinite and NaN are only themselves.
bool is_right_answer(double answer, float value);

}  // namespace headscope
