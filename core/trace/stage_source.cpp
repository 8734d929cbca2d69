#include <algorithm>
#include <limits>

#include "core/model/mask.h"
#include "core/trace/number_source.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

class StageSource final : public NumberSource {
 public:
  StageSource(const Trace& trace, const StageId& id) : trace_(trace), id_(id), extent_(trace.extent(id)) {
    StageId scores = id;
    scores.kind = StageKind::masked;
    const bool has_scores = info(id.kind).is_share && trace.extent(scores) == extent_;
    if (has_scores) scores_ = scores;
  }

  Extent extent() const override { return extent_; }
  StageNumbers read(const StageWindow& window) const override {
    const StageNumbers numbers = trace_.read(id_, window);
    return scores_ ? with_hidden_cells(numbers, window) : numbers;
  }
  std::optional<StageStats> stats(const std::atomic<bool>* stop) const override {
    return trace_.stats(id_, stop);
  }
  bool is_at_hand() const override { return trace_.is_at_hand(id_); }

 private:
  /// Replaces the weights of hidden cells by −∞. Only cells with a weight of 0 can be hidden, and the scores
  /// are needed only for those that the mask leaves visible.
  StageNumbers with_hidden_cells(const StageNumbers& weights, const StageWindow& window) const {
    const CombinedMask& mask = trace_.mask(id_);
    const auto is_visible = [&](int row, int col) {
      return mask.is_visible(id_.head, window.first_row + row, window.first_col + col);
    };
    bool hides = false;
    bool needs_scores = false;
    for (int row = 0; row < window.n_rows; ++row) {
      const auto line = weights.view.row(row);
      for (int col = 0; col < window.n_cols; ++col) {
        if (line[static_cast<std::size_t>(col)] != 0.0F) continue;
        (is_visible(row, col) ? needs_scores : hides) = true;
      }
    }
    if (!hides && !needs_scores) return weights;
    const StageNumbers scores = needs_scores ? trace_.read(*scores_, window) : StageNumbers{};
    const auto shown = std::make_shared<OwnedMatrix>(window.n_rows, window.n_cols);
    for (int row = 0; row < window.n_rows; ++row) {
      for (int col = 0; col < window.n_cols; ++col) {
        const float weight = weights.view(row, col);
        const bool is_hidden =
            weight == 0.0F && (!is_visible(row, col) || scores.view(row, col) <= -hidden_magnitude);
        shown->at(row, col) = is_hidden ? -std::numeric_limits<float>::infinity() : weight;
      }
    }
    return {shown->view(), shown};
  }

  const Trace& trace_;
  StageId id_;
  Extent extent_;
  std::optional<StageId> scores_;  ///< The masked scores. No value if no cell of the stage can be hidden.
};

}  // namespace

NumberSourcePtr source_of_stage(const Trace& trace, const StageId& id) {
  return std::make_shared<const StageSource>(trace, id);
}

}  // namespace headscope
