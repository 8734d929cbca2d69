#pragma once

#include <cstdint>
#include <memory>

#include "core/tensor/view.h"

namespace headscope {

/// Rows and columns of a stage.
struct Extent {
  int rows = 0;
  int cols = 0;
  bool empty() const { return rows == 0 || cols == 0; }
  bool operator==(const Extent&) const = default;
};

/// A block of a stage's cells.
struct StageWindow {
  int first_row = 0;
  int first_col = 0;
  int n_rows = 0;
  int n_cols = 0;
};

/// The numbers of a window, wherever they are.
struct StageNumbers {
  MatrixView view;                  ///< valid as long as this is, and as what they were read from
  std::shared_ptr<const void> own;  ///< keeps the numbers; null: somebody else does
};

/// Scores of at least this magnitude are hidden ones (a mask may use −1e9) or differences from them. No range
/// of colours includes them, as none includes −∞.
inline constexpr float hidden_magnitude = 5e8F;

/// What colours and labels need of all cells of a stage.
struct StageStats {
  double minimum = 0.0;  ///< of the finite cells, as all that follows; 0 where there are none
  double maximum = 0.0;
  double magnitude = 0.0;  ///< the greatest
  /// The greatest that is below a limit: of masked scores, what a mask puts far beyond all others does not
  /// count.
  double counted_magnitude = 0.0;
  std::int64_t n_finite = 0;
  std::int64_t n_hidden = 0;  ///< −∞
};

}  // namespace headscope
