#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/model/stage.h"
#include "core/result.h"
#include "core/tensor/view.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// The size of a stage.
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
  bool operator==(const StageWindow&) const = default;
};

/// The numbers of a window.
struct StageNumbers {
  MatrixView view;                  ///< valid as long as this object and its source
  std::shared_ptr<const void> own;  ///< owns the numbers, unless the source does
};

/// Scores of at least this magnitude are treated as hidden (a mask may use −1e9). Like −∞, they are excluded
/// from colour ranges.
inline constexpr float hidden_magnitude = 5e8F;

/// Statistics of all cells of a stage, for colours and labels. Minimum, maximum and magnitudes are over
/// finite cells, or 0 if there are none.
struct StageStats {
  double minimum = 0.0;
  double maximum = 0.0;
  double magnitude = 0.0;  ///< the largest
  /// The largest magnitude below visible_magnitude_limit(), which excludes hidden scores.
  double visible_magnitude = 0.0;
  std::int64_t n_finite = 0;
  std::int64_t n_hidden = 0;  ///< the number of cells that are −∞
};

class Trace;

/// A matrix of numbers from any source, read a window at a time. Thread-safe.
class NumberSource {
 public:
  NumberSource() = default;
  virtual ~NumberSource() = default;
  NumberSource(const NumberSource&) = delete;
  NumberSource& operator=(const NumberSource&) = delete;

  virtual Extent extent() const = 0;
  /// Reads a window, which must lie within the extent.
  virtual StageNumbers read(const StageWindow& window) const = 0;
  /// Exact statistics over all cells. Empty if `stop` became true.
  virtual std::optional<StageStats> stats(const std::atomic<bool>* stop = nullptr) const = 0;
  /// Whether rows can be read without expensive computation.
  virtual bool is_quick_to_read() const = 0;
};

using NumberSourcePtr = std::shared_ptr<const NumberSource>;

/// A source for a view, whose numbers must outlive it.
NumberSourcePtr source_of(const MatrixView& numbers);
/// A source that owns its numbers.
NumberSourcePtr source_of(OwnedMatrix numbers);

/// A stage as displayed: zero weights of hidden cells become −∞, to distinguish them from computed zeros. The
/// statistics are those of the stage itself. The trace must outlive the source.
NumberSourcePtr stage_source(const Trace& trace, const StageId& id);

/// A comparison of a stage of pass B with one of pass A, of the same kind. The traces must outlive everything
/// made from this.
struct Comparison {
  const Trace& b;
  StageId stage_b;
  const Trace& a;
  StageId stage_a;
};

/// For every row and column of B, the corresponding one of A, or −1. Tokens are aligned with align_tokens(),
/// and words are looked up.
struct Counterparts {
  std::vector<int> rows;
  std::vector<int> cols;
};
/// For each token of B, the corresponding token of A, or −1.
std::vector<int> counterpart_tokens(const std::vector<Token>& b, const std::vector<Token>& a);
/// Fails if a stage is absent, or if an axis other than tokens or words differs in size ("d_head is 16 in A,
/// but 8 in B").
Result<Counterparts> counterparts(const Comparison& compared);

/// B minus A, cell by cell. A cell is NaN if it has no counterpart or is not finite on either side. Errors:
/// those of counterparts().
Result<NumberSourcePtr> difference_source(const Comparison& compared);

/// Calls work(first row, number of rows) for blocks of the rows [first, first + n), in parallel if `row_cost`
/// (in floats read) makes that worthwhile. Returns false if `stop` became true.
bool for_row_blocks(int first, int n, std::int64_t row_cost, const std::atomic<bool>* stop,
                    const std::function<void(int, int)>& work);

/// A number of rows to read at a time with moderate memory.
int rows_at_once(const Extent& extent);

/// Reads a window of entire rows.
using ReadRows = std::function<StageNumbers(const StageWindow&)>;
/// Reads all numbers, which must fit into memory.
OwnedMatrix all_numbers(const Extent& extent, const ReadRows& read);
/// Computes statistics block by block. StageStats::visible_magnitude excludes magnitudes ≥ `below`. Empty if
/// `stop` became true.
std::optional<StageStats> block_stats(const Extent& extent, float below, const std::atomic<bool>* stop,
                                      const ReadRows& read);

}  // namespace headscope
