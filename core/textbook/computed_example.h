#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/textbook/worked_example.h"

namespace headscope {

/// A quantity as the program computes it.
struct ComputedQuantity {
  NumberTable numbers;
  std::vector<std::string>
      rows;  ///< what each row is of, a token or a case; empty where nothing tells them apart
  std::vector<std::string> cols;  ///< the same of each column: a key or a word
  std::string problem;            ///< why there are none; empty where there are
  std::vector<bool> differs;      ///< each number, from the printed one; empty where nothing is printed
  int n_differing = 0;
};

/// An example with everything computed.
struct ComputedExample {
  std::vector<ComputedQuantity> quantities;  ///< in the example's order
};

/// What there is to say about a quantity.
enum class Verdict {
  agrees,     ///< to the printed digits
  explained,  ///< some numbers differ, and the example says why
  disagrees,  ///< some differ, without a reason
  unprinted,  ///< the source prints no numbers of it
  failed      ///< it cannot be computed
};
Verdict verdict(const Quantity& quantity, const ComputedQuantity& computed);

/// Computes the example's passes and what its quantities take from them. Nothing can be computed of an
/// impossible example. Ends early, with what is done so far, when `stop` becomes true.
ComputedExample compute_example(const WorkedExample& example, const std::atomic<bool>* stop = nullptr);

/// Whether a number agrees with one that is printed with so many digits after the point: they differ by no
/// more than half a unit of the last one. Where there are digits, a little more is let pass, as stages are
/// single precision.
bool agrees(double printed, double computed, int digits);

/// A number as the source prints it, "1.4950", "−∞"; without digits with thousands separators,
/// "163,009,536". Where nothing is printed, as all numbers of the program.
std::string printed_text(double number, int digits);
std::string quantity_text(const Quantity& quantity, double number);

/// How many numbers an example prints, and how many of them agree and differ.
struct Tally {
  int printed = 0;
  int agreeing = 0;
  int explained = 0;    ///< quantities that differ for a stated reason
  int unexplained = 0;  ///< those that differ without one, or that cannot be computed
};
Tally tally(const WorkedExample& example, const ComputedExample& computed);

}  // namespace headscope
