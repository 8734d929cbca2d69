#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/result.h"
#include "core/tensor/view.h"
#include "core/text/tokenizer.h"
#include "core/trace/stage.h"

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

class Trace;

/// Numbers in rows and columns that are read a window at a time, wherever they come from. Thread-safe.
class NumberSource {
 public:
  NumberSource() = default;
  virtual ~NumberSource() = default;
  NumberSource(const NumberSource&) = delete;
  NumberSource& operator=(const NumberSource&) = delete;

  virtual Extent extent() const = 0;
  /// The numbers of a window, which must lie within the extent.
  virtual StageNumbers read(const StageWindow& window) const = 0;
  /// Exact statistics over all cells. No value if `stop` became true.
  virtual std::optional<StageStats> stats(const std::atomic<bool>* stop = nullptr) const = 0;
  /// Whether a row can be read without computing anything large first.
  virtual bool is_at_hand() const = 0;
};

using NumberSourcePtr = std::shared_ptr<const NumberSource>;

/// A source for the numbers of a view, which must outlive it.
NumberSourcePtr source_of(const MatrixView& numbers);
/// A source that owns its numbers.
NumberSourcePtr source_of(OwnedMatrix numbers);

/// A stage as it is shown. A weight is −∞ if its cell is hidden and its weight is 0, because that 0 was not
/// computed from a score. The statistics are those of the stage itself. The trace must outlive the source.
NumberSourcePtr source_of_stage(const Trace& trace, const StageId& id);

/// A stage of a pass B, and the stage of another pass A that it is compared with. Both stages must be of the
/// same kind. The traces must outlive everything made from this.
struct Comparison {
  const Trace& b;
  StageId stage_b;
  const Trace& a;
  StageId stage_a;
};

/// For every row and column of B, the corresponding one of A, or −1 if there is none. Tokens are followed
/// from one sentence to the other, and words are looked up.
struct Counterparts {
  std::vector<int> rows;
  std::vector<int> cols;
};
/// For each token of B, the corresponding token of A, or −1 if there is none.
std::vector<int> counterpart_tokens(const std::vector<Token>& b, const std::vector<Token>& a);
/// Fails if a stage is missing, or if an axis that holds neither tokens nor words differs in size ("d_head is
/// 16 in A, but 8 in B").
Result<Counterparts> counterparts(const Comparison& compared);

/// B minus A, cell by cell. A cell is NaN if it has no counterpart or is not finite on either side. Errors:
/// those of counterparts().
Result<NumberSourcePtr> source_of_difference(const Comparison& compared);

/// Calls work(first row, number of rows) for blocks that make up the `n` rows from `first` on. Several
/// threads share the blocks if a row costs so much (in floats read) that this pays off. Returns false if
/// `stop` became true.
bool for_row_blocks(int first, int n, std::int64_t row_cost, const std::atomic<bool>* stop,
                    const std::function<void(int, int)>& work);

/// A number of rows that can be read at a time without using much memory.
int rows_at_once(const Extent& extent);

/// Returns the numbers of a window of whole rows.
using ReadRows = std::function<StageNumbers(const StageWindow&)>;
/// Reads all numbers in blocks. They must fit into memory.
OwnedMatrix all_numbers(const Extent& extent, const ReadRows& read);
/// The statistics of the numbers that `read` returns. The counted magnitude includes only magnitudes smaller
/// than `below`. No value if `stop` became true.
std::optional<StageStats> stats_of_blocks(const Extent& extent, float below, const std::atomic<bool>* stop,
                                          const ReadRows& read);

}  // namespace headscope
