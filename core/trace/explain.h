#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/text/number_text.h"
#include "core/trace/trace.h"

namespace headscope {

/// The derivation of a cell with its numbers: drawn by the inspector, printed by `headscope explain`, and
/// compared with the stored value by tests.
struct Explanation {
  /// A labelled vector that is combined elementwise (q, k, q × k).
  struct Strip {
    std::string label;
    std::vector<float> values;
    /// Element names: tokens or words. Empty for dimensions.
    std::vector<std::string> names;
    bool is_product = false;   ///< the elementwise product of the strips above
    bool is_computed = false;  ///< computed from the strips and steps above
  };
  /// Where numbers come from, for highlighting: a row, a column or, if both are set, a cell.
  struct Source {
    StageId stage;
    std::optional<int> row;
    std::optional<int> col;
  };
  /// A step of arithmetic: "raw = Σ q × k" and its value.
  struct Step {
    std::string label;
    double value = 0.0;
    std::string note;                 ///< an explanatory sentence, if needed (a hidden cell, an empty row)
    std::optional<Source> cell = {};  ///< The cell whose stored number this is; empty if computed
  };

  StageId stage;
  int row = 0;
  int col = 0;
  std::string headline;  ///< "“it” (query 7) gives 0.62 to “animal” (key 1)"
  std::string formula;
  std::vector<Strip> strips;
  std::vector<Step> steps;  ///< the last value is that of the cell
  std::vector<Source> sources;
  double value = 0.0;   ///< recomputed from the sources in double precision
  double stored = 0.0;  ///< the stored number
};

/// Derives any cell of any stage. Fails if the pass does not have the stage or the cell.
Result<Explanation> explain(const Trace& trace, const StageId& id, int row, int col);

/// One sentence for a tooltip: "“it” (query 7) gives 0.62 to “animal” (key 1)".
std::string describe_cell(const Trace& trace, const StageId& id, int row, int col);

/// Groups consecutive strips with the same elements (q, k, q × k).
std::vector<std::span<const Explanation::Strip>> strip_groups(std::span<const Explanation::Strip> strips);

/// The indices of the elements of a group to list, ascending: all if there are at most `max_listed`,
/// otherwise the `n_strongest` strongest ones by magnitude. `values` are those of the group's last strip.
std::vector<std::size_t> listed_elements(std::span<const float> values, std::size_t max_listed,
                                         std::size_t n_strongest);

/// The derivation as plain text, as printed by `headscope explain`. Of sums with more than 256 elements,
/// lists only the 20 strongest and the number of others.
std::string to_text(const Explanation& explanation);

}  // namespace headscope
