#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace headscope
