#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/text/number_text.h"
#include "core/trace/trace.h"

namespace headscope {

/// The derivation of a cell with its numbers. The inspector draws it, `headscope explain` prints it, and the
/// tests compare it with the stored value.
struct Explanation {
  /// A row of numbers that are combined element by element (q, k, q × k).
  struct Strip {
    std::string label;
    std::vector<float> values;
    /// The name of each element: a token or a dimension; empty if they are dimensions.
    std::vector<std::string> names;
    bool is_product = false;   ///< whether it holds the elementwise products of the strips above it
    bool is_computed = false;  ///< whether it was computed in any way from the strips and steps above it
  };
  /// The origin of the numbers, for highlighting: a whole row, a whole column, or a cell if both are given.
  struct Source {
    StageId stage;
    std::optional<int> row;
    std::optional<int> col;
  };
  /// One step of arithmetic: "raw = Σ q × k" and its value.
  struct Step {
    std::string label;
    double value = 0.0;
    std::string note;                 ///< a sentence if the step needs one (a hidden cell, an empty row)
    std::optional<Source> cell = {};  ///< The cell whose stored number this is. No value if it was computed.
  };

  StageId stage;
  int row = 0;
  int col = 0;
  std::string headline;  ///< "“it” (query 7) gives 0.62 to “animal” (key 1)"
  std::string formula;
  std::vector<Strip> strips;
  std::vector<Step> steps;  ///< the value of the last step is that of the cell
  std::vector<Source> sources;
  double value = 0.0;   ///< recomputed from the sources in double precision
  double stored = 0.0;  ///< the number stored in the stage
};

/// Derives any cell of any stage. Fails if the pass does not have the stage or the cell.
Result<Explanation> explain(const Trace& trace, const StageId& id, int row, int col);

/// One sentence for a tooltip: "“it” (query 7) gives 0.62 to “animal” (key 1)".
std::string sentence_for(const Trace& trace, const StageId& id, int row, int col);

/// Splits the strips, in order, into groups that have the same elements (q, k, q × k).
std::vector<std::span<const Explanation::Strip>> strip_groups(std::span<const Explanation::Strip> strips);

/// The indices, in ascending order, of the elements of a group that are listed: all elements if there are at
/// most `most`, otherwise the `strongest` ones by the magnitude of `values`, which are the values of the
/// group's last strip.
std::vector<std::size_t> listed_elements(std::span<const float> values, std::size_t most,
                                         std::size_t strongest);

/// The derivation as plain text with a line for each step, as `headscope explain` prints it. If a sum has
/// more than 256 elements, only the 20 strongest are listed, with the number of the others.
std::string to_text(const Explanation& explanation);

}  // namespace headscope
