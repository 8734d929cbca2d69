#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/embedded_file.h"
#include "core/result.h"
#include "core/session/session.h"
#include "core/textbook/origin.h"

namespace headscope {

/// An operation on the numbers of a quantity. Several are applied in order.
struct Reduction {
  std::string_view name;
  bool keeps_rows = false;  ///< Whether each row of the result belongs to the same row of the numbers.
  bool keeps_cols = false;  ///< The same for columns.
  /// Throws if there are too few numbers. `n_matrices` equally large matrices are stacked in them.
  NumberTable (*apply)(const NumberTable& numbers, int n_matrices) = nullptr;
};
std::span<const Reduction> reductions();

/// Numbers of an example, and their origin in the program.
struct Quantity {
  std::string name;                ///< Unique within the example: "weights_row2".
  std::string title;               ///< For display: "Weights of “journey”".
  std::vector<std::size_t> cases;  ///< The cases whose numbers are stacked. Never empty.
  Origin origin;
  std::vector<int> rows, cols;  ///< The rows and columns to take from each matrix. Empty for all.
  std::vector<const Reduction*> then;
  double times = 1.0;                  ///< A factor that is applied to all numbers at the end.
  std::optional<NumberTable> printed;  ///< The numbers that the source prints. Empty if it prints none.
  int digits = 4;                      ///< The number of digits that it prints after the decimal point.
  /// Why the printed numbers differ from the computed ones. Empty if they do not differ.
  std::string reason;
};

/// A part of an example that is not computed.
struct OmittedPart {
  std::string name;  ///< Unique within the example.
  std::string why;
};

/// A set of inputs of an example, as a session. Some examples have several.
struct ExampleCase {
  std::string name;  ///< For example, "β = 5". May be empty if there is only one case.
  Session session;
};

/// A published example with the numbers that it prints.
struct WorkedExample {
  std::string name;  ///< "raschka-3.3-simple"
  std::string author, title, where;
  std::string heading;     ///< A short heading: "Causal mask in two ways".
  std::string shows;       ///< What the example demonstrates, in Markdown, as in lessons.
  std::string note;        ///< What to know about the source, in Markdown. May be empty.
  std::string lesson;      ///< The lesson that explains what it demonstrates. Empty if there is none.
  std::string impossible;  ///< Why there is nothing to compute. Empty if there is.
  /// The model is too large to open: only its parameters or the bytes of its cache are counted.
  bool counts_only = false;
  std::vector<ExampleCase> cases;
  std::vector<Quantity> quantities;
  std::vector<OmittedPart> left_out;

  /// Whether the example has numbers that the window can open.
  bool opens() const { return impossible.empty() && !counts_only; }
};

/// The files of assets/textbooks, which are named after the examples.
std::span<const EmbeddedFile> example_files();

/// Parses such a file. Errors name the field, its contents and what it must be.
Result<WorkedExample> read_example(const EmbeddedFile& file);

/// All bundled examples, ordered by source, read on the first call. Skips a file that cannot be read; a test
/// reads each of them.
const std::vector<WorkedExample>& worked_examples();

/// The example with this name. Null if there is none.
const WorkedExample* worked_example(std::string_view name);

}  // namespace headscope
