#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/trace/number_text.h"
#include "core/trace/trace.h"

namespace headscope {

/// A cell's derivation with its numbers: the inspector draws it, `headscope explain` prints it, and the tests
/// compare it with the stored value.
struct Explanation {
  /// A row of numbers that are combined element by element (q, k, q × k).
  struct Strip {
    std::string label;
    std::vector<float> values;
    std::vector<std::string> names;  ///< of each element: a token or a dimension; empty: dimensions
    bool is_product = false;         ///< elementwise result of the strips above it
    bool is_computed = false;        ///< any result of the strips and steps above it
  };
  /// Where the numbers came from, for highlighting: a whole row, a whole column, or a cell (both).
  struct Source {
    StageId stage;
    std::optional<int> row;
    std::optional<int> col;
  };
  /// One step of arithmetic: "raw = Σ q × k" and its value.
  struct Step {
    std::string label;
    double value = 0.0;
    std::string note;                 ///< a sentence where the step needs one (a hidden cell, an empty row)
    std::optional<Source> cell = {};  ///< whose number it is, as it stands there; nothing: it is computed
  };

  StageId stage;
  int row = 0;
  int col = 0;
  std::string headline;  ///< "“it” (query 7) gives 0.62 to “animal” (key 1)"
  std::string formula;
  std::vector<Strip> strips;
  std::vector<Step> steps;  ///< the last one is the cell's value
  std::vector<Source> sources;
  double value = 0.0;   ///< recomputed from the sources in double precision
  double stored = 0.0;  ///< what the stage holds
};

/// The derivation of any cell of any stage; an error where the pass has no such stage or cell.
Result<Explanation> explain(const Trace& trace, const StageId& id, int row, int col);

/// One sentence for a tooltip: "“it” (query 7) gives 0.62 to “animal” (key 1)".
std::string sentence_for(const Trace& trace, const StageId& id, int row, int col);

/// The strips in groups, in their order: those of a group have the same elements (q, k, q × k).
std::vector<std::span<const Explanation::Strip>> strip_groups(std::span<const Explanation::Strip> strips);

/// The elements of a group that are listed, in their order: all where there are at most `most`, else the
/// `strongest` by the magnitude of `values`, which are those of the group's last strip.
std::vector<std::size_t> listed_elements(std::span<const float> values, std::size_t most,
                                         std::size_t strongest);

/// The derivation as plain text, a line a step: what `headscope explain` prints. Of a sum of more than 256
/// elements the 20 strongest, and how many more there are.
std::string to_text(const Explanation& explanation);

}  // namespace headscope
