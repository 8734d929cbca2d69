#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/session/page_options.h"
#include "core/tensor/view.h"

namespace headscope {

/// Which weights are drawn as lines.
struct LineRules {
  float threshold = 0.0F;  ///< Weights below this are not drawn.
  float share = 1.0F;      ///< Draws only the heaviest weights of a row that together reach this share.
  /// One value per key: 1 if no line may end there. If empty, no key is hidden.
  std::vector<std::uint8_t> hidden;
  bool operator==(const LineRules&) const = default;

  bool hides(int key) const { return !hidden.empty() && hidden[static_cast<std::size_t>(key)] != 0; }
};

/// The result of applying the rules to one query's row of weights.
struct RowRule {
  float scale = 1.0F;   ///< Factor for the weights of shown keys that preserves the sum of the row.
  float least = 0.0F;   ///< The smallest scaled weight that is drawn.
  float total = 0.0F;   ///< The sum of the row. 0 if the query sees no key, or only hidden ones.
  float hidden = 0.0F;  ///< The sum of the hidden keys' weights.
};
RowRule rule_of(std::span<const float> row, const LineRules& rules);

struct AttentionLine {
  int head = 0;  ///< Index among the drawn heads.
  int query = 0;
  int key = 0;
  float weight = 0.0F;  ///< The scaled weight.
  bool operator==(const AttentionLine&) const = default;
};

/// The attention lines of several heads.
struct FoundLines {
  std::vector<AttentionLine> lines;  ///< Lightest first, so that the heaviest lines are drawn on top.
  /// Number of lines that the rules allow. Beyond the limit, only the heaviest are kept.
  std::int64_t n_found = 0;
  /// For each head and each token on the other side (the keys if queries are picked): the sum of the scaled
  /// weights between that token and the picked tokens. Empty if nothing is picked.
  std::vector<std::vector<float>> shares;
  double drawn = 0.0;   ///< Sum of the drawn weights, scaled.
  double total = 0.0;   ///< Sum of all weights in their rows or columns, scaled.
  double hidden = 0.0;  ///< Sum of the hidden keys' weights before scaling.
  double before = 0.0;  ///< Sum of all weights in the rows before scaling.
};

/// Collects lines head by head and keeps the `most` heaviest.
class LineCollector {
 public:
  LineCollector(LineRules rules, PickedTokens from, std::size_t limit);

  /// Starts the next head, whose map has this size.
  void begin_head(int n_queries, int n_keys);
  /// Adds rows of the head's weights, beginning with the row of query `first_query`.
  void add(int first_query, const MatrixView& rows);
  FoundLines take();

 private:
  void add_row(int query, std::span<const float> row);
  void keep(const AttentionLine& line);

  LineRules rules_;
  PickedTokens from_;
  std::size_t limit_;
  int head_ = -1;
  FoundLines found_;
};

}  // namespace headscope
