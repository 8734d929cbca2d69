#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/session/lines_options.h"
#include "core/tensor/view.h"

namespace headscope {

/// Which weights become lines.
struct LineRules {
  float threshold = 0.0F;            ///< lighter ones do not
  float share = 1.0F;                ///< of a row its heaviest do that together have this share of it
  std::vector<std::uint8_t> hidden;  ///< of the keys: 1 where no line ends; empty: nowhere
  bool operator==(const LineRules&) const = default;

  bool hides(int key) const { return !hidden.empty() && hidden[static_cast<std::size_t>(key)] != 0; }
};

/// What the rules make of a query's row of weights.
struct RowRule {
  float scale = 1.0F;   ///< of the shown keys' weights, so that the row keeps its sum
  float least = 0.0F;   ///< the lightest scaled weight that becomes a line
  float total = 0.0F;   ///< the row's sum; 0: it sees no key, or only hidden ones
  float hidden = 0.0F;  ///< the sum of the hidden keys' weights
};
RowRule rule_of(std::span<const float> row, const LineRules& rules);

struct AttentionLine {
  int head = 0;  ///< among those that are drawn
  int query = 0;
  int key = 0;
  float weight = 0.0F;  ///< scaled
  bool operator==(const AttentionLine&) const = default;
};

/// The lines of several heads.
struct FoundLines {
  std::vector<AttentionLine> lines;  ///< the lightest first, so that the heaviest lie on top
  std::int64_t n_found = 0;          ///< by the rules; of more than may be drawn the heaviest are
  /// Of each head, for each token of the other side (for picked queries the keys): the scaled weights
  /// between it and the picked tokens, summed over these. Empty where nothing is picked.
  std::vector<std::vector<float>> shares;
  double drawn = 0.0;   ///< sum of the drawn weights, scaled
  double total = 0.0;   ///< of all weights of their rows or columns, scaled
  double hidden = 0.0;  ///< of the hidden keys' weights, before the rest was scaled
  double before = 0.0;  ///< of all weights of the rows, before
};

/// Collects lines head by head. At most `most` are kept.
class LineCollector {
 public:
  LineCollector(LineRules rules, PickedTokens from, std::size_t most);

  /// The next head, whose map has this size.
  void begin_head(int n_queries, int n_keys);
  /// Rows of its weights, the first of which is this query's.
  void add(int first_query, const MatrixView& rows);
  FoundLines take();

 private:
  void add_row(int query, std::span<const float> row);
  void keep(const AttentionLine& line);

  LineRules rules_;
  PickedTokens from_;
  std::size_t most_;
  int head_ = -1;
  FoundLines found_;
};

}  // namespace headscope
