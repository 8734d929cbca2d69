#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/embedded_file.h"
#include "core/result.h"
#include "core/session/json_fields.h"
#include "core/session/session.h"
#include "core/trace/trace.h"

namespace headscope {

/// Numbers in rows and columns, in double precision. −∞ stands for a hidden score that a source prints.
struct NumberTable {
  int rows = 0;
  int cols = 0;
  std::vector<double> values;  ///< In row-major order.

  std::size_t index(int row, int col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col);
  }
  double at(int row, int col) const { return values[index(row, col)]; }
  bool operator==(const NumberTable&) const = default;

  /// Appends rows. Throws if the number of columns differs.
  void append(const NumberTable& below);
};

struct Quantity;

/// Where the numbers of a quantity come from.
struct Origin {
  std::string name = {};  ///< For display: "weights", "tile 2: sum".
  /// The stages whose axes the numbers have, one below another. Empty if there are none.
  std::vector<StageId> stages = {};
  std::optional<PageName> page = {};  ///< The page that shows the numbers. Empty if none does.
  int step = 1;                       ///< The step of the page of tiles.
  bool needs_pass = true;
  bool counts_parameters = false;
  /// Returns the selected rows and columns of a quantity in one of its cases. The pass may be null if none is
  /// needed. Throws if the pass lacks the numbers, or if there are more than `max_numbers`.
  std::function<NumberTable(const Quantity& quantity, const Session& session,
                            const std::shared_ptr<const Trace>& pass, std::size_t max_numbers)>
      numbers = {};

  /// The number of matrices that are stacked in the numbers of a case.
  std::size_t n_matrices() const { return stages.empty() ? 1 : stages.size(); }
};

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

/// Reads an origin. The field is one of:
/// - "stage": a path, a name at the selected place, or a list of these. The stages must have the same number
///   of columns.
/// - "visible": 1 if the mask of a head allows a query to attend to a key, 0 if it hides the key.
/// - "candidates": the distribution of the next word after a token under the session's sampling settings, one
///   row over all words: "logits", with −∞ for excluded words, or "probabilities", with 0 for these.
/// - "tile": the state of a head's online softmax for the queries of a tile, after that tile: the maximum m,
///   the sum l, or the output O before the division by l.
/// - "count": the number of values in the parameters of a model.
/// - "cache": the sizes of key-value caches in bytes, one below another.
/// \param selection The selection of the quantity's case.
Origin read_origin(const JsonFields& fields, const Selection& selection);

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
