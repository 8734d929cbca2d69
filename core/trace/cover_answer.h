#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// What somebody typed as a number: a point or a comma before the decimals, − or -, "-inf" or "−∞" for minus
/// infinity. Nothing where it is no number.
std::optional<double> number_answered(std::string_view typed);

/// With how many decimals a number is asked for: none from 10 on, 1 from 1 on, 2 from 0.1 on, 3 from 0.01 on,
/// else 4, so that it has a digit that tells it from 0. Of an infinite one 2, so that it is not told.
int asked_decimals(float value);

/// How far an answer with so many decimals may be off, in a sentence.
std::string answer_rule(int decimals);

/// Whether an answer is right: within 10 % of the number, because what it is computed from is rounded, too,
/// at most one off in the last decimal of those that maps print, and near 0 at most 0.00005 off. The infinite
/// and NaN are only themselves.
bool is_right_answer(double answer, float value);

}  // namespace headscope
