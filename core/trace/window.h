#pragma once

#include <cstdint>
#include <memory>

#include "core/tensor/view.h"

namespace headscope {

/// The number of rows and columns of a stage.
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

/// The numbers of a window, wherever they are stored.
struct StageNumbers {
  MatrixView view;                  ///< valid as long as this object and the source of the numbers are
  std::shared_ptr<const void> own;  ///< owns the numbers; null if they are owned elsewhere
};

/// Scores of at least this magnitude are hidden scores (a mask may use −1e9) or differences that involve
/// hidden scores. Like −∞, they are not included in any range of colours.
inline constexpr float hidden_magnitude = 5e8F;

/// The statistics of all cells of a stage that colours and labels need. The minimum, the maximum and the
/// magnitudes are those of the finite cells, or 0 if there are none.
struct StageStats {
  double minimum = 0.0;
  double maximum = 0.0;
  double magnitude = 0.0;  ///< the largest
  /// The largest magnitude below a limit. It leaves out the masked scores that a mask puts far beyond all
  /// others.
  double counted_magnitude = 0.0;
  std::int64_t n_finite = 0;
  std::int64_t n_hidden = 0;  ///< the number of cells that are −∞
};

}  // namespace headscope
