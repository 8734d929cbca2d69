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
#include "core/trace/window.h"

namespace headscope {

class Trace;

/// Numbers in rows and columns of which parts are asked for, wherever they come from. Any thread may ask.
class NumberSource {
 public:
  NumberSource() = default;
  virtual ~NumberSource() = default;
  NumberSource(const NumberSource&) = delete;
  NumberSource& operator=(const NumberSource&) = delete;

  virtual Extent extent() const = 0;
  /// The numbers of a window, which must be within the extent.
  virtual StageNumbers read(const StageWindow& window) const = 0;
  /// Exact, over all cells. Nothing where `stop` became true.
  virtual std::optional<StageStats> stats(const std::atomic<bool>* stop = nullptr) const = 0;
  /// Whether a row is read without anything large being computed first.
  virtual bool is_at_hand() const = 0;
};

using NumberSourcePtr = std::shared_ptr<const NumberSource>;

/// The numbers of a view, which must outlive the source.
NumberSourcePtr source_of(const MatrixView& numbers);
/// Numbers that the source keeps itself.
NumberSourcePtr source_of(OwnedMatrix numbers);

/// A stage as it is shown: weights are −∞ where the mask hides the cell and left no weight, for that 0 was
/// not computed from a score. Its statistics are those of the stage itself. The trace must outlive it.
NumberSourcePtr source_of_stage(const Trace& trace, const StageId& id);

/// A stage of a pass, B, and the stage of another, A, that it is compared with; of one kind. The traces must
/// outlive what is made of it.
struct Comparison {
  const Trace& b;
  StageId stage_b;
  const Trace& a;
  StageId stage_a;
};

/// For every row and column of B the one of A that stands for it, −1 where there is none: tokens are followed
/// between the two sentences, words are looked up.
struct Counterparts {
  std::vector<int> rows;
  std::vector<int> cols;
};
/// For each token of B the one of A that stands for it, −1 where there is none.
std::vector<int> counterpart_tokens(const std::vector<Token>& b, const std::vector<Token>& a);
/// An error where a stage is missing or another axis differs in size ("d_head is 16 in A, 8 in B").
Result<Counterparts> counterparts(const Comparison& compared);

/// B minus A, cell by cell. NaN where a cell has no counterpart or is not finite on either side. Errors:
/// those of counterparts().
Result<NumberSourcePtr> source_of_difference(const Comparison& compared);

/// Calls work(first row, number of rows) for blocks that make up `n` rows from `first` on; by several threads
/// at once where a row costs so much (floats read) that it is worth it. False where `stop` became true.
bool for_row_blocks(int first, int n, std::int64_t row_cost, const std::atomic<bool>* stop,
                    const std::function<void(int, int)>& work);

/// What reads so many of a source's rows, from the first on, at a time needs little memory.
int rows_at_once(const Extent& extent);

/// Gives the numbers of a window of whole rows.
using ReadRows = std::function<StageNumbers(const StageWindow&)>;
/// All numbers, read in blocks. They must fit into memory.
OwnedMatrix all_numbers(const Extent& extent, const ReadRows& read);
/// The statistics of numbers that `read` gives. Magnitudes count that are `below`; nothing where `stop`
/// became true.
std::optional<StageStats> stats_of_blocks(const Extent& extent, float below, const std::atomic<bool>* stop,
                                          const ReadRows& read);

}  // namespace headscope
