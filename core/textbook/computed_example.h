#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/slices.h"
#include "core/textbook/worked_examples.h"

namespace headscope {

/// A quantity as the program computed it.
struct ComputedQuantity {
  NumberTable numbers;
  /// Row labels: tokens or cases. Empty if nothing distinguishes the rows.
  std::vector<std::string> rows;
  std::vector<std::string> cols;  ///< The labels of the columns: keys or words.
  std::string problem;            ///< Why there are no numbers. Empty if there are.
  /// For each number, whether it differs from the printed one. Empty if the source prints none.
  std::vector<bool> differs;
  int n_differing = 0;
};

/// The computed quantities of an example, in its order.
using ComputedExample = std::vector<ComputedQuantity>;

/// The result of comparing a quantity with its source.
enum class Verdict {
  agrees,     ///< All numbers agree to the printed digits.
  explained,  ///< Some numbers differ, and the example says why.
  disagrees,  ///< Some numbers differ for no stated reason.
  unprinted,  ///< The source prints no numbers for it.
  failed      ///< It cannot be computed.
};
Verdict verdict(const Quantity& quantity, const ComputedQuantity& computed);

/// Computes the passes and quantities of an example; an impossible example has none. A slice is one part of a
/// quantity.
Slices<ComputedExample> compute_example(const WorkedExample& example);

/// Whether a number agrees with one printed with `digits` digits after the decimal point: to half a unit of
/// the last digit. With digits, slightly more is allowed, because stages have single precision.
bool agrees(double printed, double computed, int digits);

/// Formats a number as the source prints it: "1.4950", "−∞", or without digits "163,009,536". quantity_text()
/// formats numbers that the source does not print in the program's own style.
std::string printed_text(double number, int digits);
std::string quantity_text(const Quantity& quantity, double number);

/// Counts an example's printed and agreeing numbers, and its differing quantities.
struct AgreementCounts {
  int printed = 0;
  int agreeing = 0;
  int explained = 0;    ///< Quantities that differ for a stated reason.
  int unexplained = 0;  ///< Quantities that differ for no stated reason or cannot be computed.
};
AgreementCounts agreement_counts(const WorkedExample& example, const ComputedExample& computed);

/// For example, "Sebastian Raschka: Build a Large Language Model, section 3.5.1".
std::string source_text(const WorkedExample& example);

/// The stage of a quantity and, if the example has several cases, its case: "weights · no mask".
std::string place_of_quantity(const WorkedExample& example, const Quantity& quantity);

/// For example, "agrees to 4 digits", "2 of 36 numbers differ", "not printed in the source".
std::string verdict_text(const Quantity& quantity, const ComputedQuantity& computed);

/// For example, "All 98 printed numbers agree.", or how many agree and how many quantities differ for a
/// stated reason.
std::string agreement_text(const WorkedExample& example, const ComputedExample& computed);

/// A case of an example as a session, with the picture options and those of the Heads and Lines pages from
/// `current`. example.opens() must be true.
Session open_case(const WorkedExample& example, std::size_t index, const Session& current);

/// The session that contains the numbers of a quantity, with their stage shown. `cell` is the row and column
/// of one of them, which is pinned if it is that of a stage. The sizes of `computed`, the results of the
/// example, determine to which stage a row belongs.
Session open_at(const WorkedExample& example, const ComputedExample& computed, std::size_t quantity,
                const std::optional<Cell>& cell, const Session& current);

}  // namespace headscope
