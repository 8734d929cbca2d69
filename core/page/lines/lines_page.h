#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/page/page.h"
#include "core/session/page_options.h"
#include "core/tensor/view.h"

namespace headscope {

/// The maximum number of drawn lines. More would be indistinguishable and slow.
inline constexpr std::size_t max_drawn_lines = 2000;

/// Which weights are drawn as lines.
struct LineRules {
  float threshold = 0.0F;  ///< Weights below this are not drawn.
  float share = 1.0F;      ///< Draws only the heaviest weights of a row that together reach this share.
  /// One value per key: 1 if no line may end there. If empty, no key is hidden.
  std::vector<std::uint8_t> hidden = {};
  PickedTokens from = {};  ///< Draws only the lines of these tokens. If empty, all lines.
  std::size_t most = max_drawn_lines;
  bool operator==(const LineRules&) const = default;

  bool hides(int key) const { return !hidden.empty() && hidden[static_cast<std::size_t>(key)] != 0; }
};

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

/// Adds the lines of a head's rows, of which the first is that of query `first_query`. Heads are added in
/// order.
void add_lines(int head, int first_query, const MatrixView& rows, const LineRules& rules, FoundLines& found);
/// Sorts the lines after the last of them has been added.
void sort_lines(FoundLines& found);

/// The selected stage if it is weights (before or after dropout, or effective). Otherwise, the weights.
StageKind line_stage_kind(const PageInputs& in);
/// The picked heads or, if none are picked, the selected one.
std::vector<HeadIndex> line_heads(const PageInputs& in);
/// The drawn tokens along an axis: each by itself, or the sub-words of a word as one.
struct DrawnTokens {
  std::vector<std::string> texts;
  std::vector<int> first;  ///< The first token of each word. Empty if each token is drawn by itself.

  int token_of(int drawn) const { return first.empty() ? drawn : first[static_cast<std::size_t>(drawn)]; }
  /// The index of a token among them.
  int place_of(int token) const;
};
DrawnTokens drawn_tokens(const PageInputs& in, Axis axis);
/// One value per drawn key, as in hidden_keys().
std::vector<std::uint8_t> hidden_drawn_keys(const PageInputs& in);
/// One value per key, which is 1 if the session hides the key. Empty if it hides none.
std::vector<std::uint8_t> hidden_keys(const std::vector<Token>& keys, const HiddenKeys& hidden);

struct ShownLines {
  const FoundLines* found = nullptr;  ///< Null if there are no lines, for the reason in `problem`.
  std::string problem;
  PickedTokens from;  ///< The tokens whose lines these are, by their places among the drawn tokens.
};
/// Finds the lines to draw. While those of a token under the mouse are being found, returns those without it.
ShownLines shown_lines(const PageInputs& in, PageTools& tools);

/// Describes what is drawn and what is not, in one paragraph each.
std::vector<std::string> line_statements(const PageInputs& in, const ShownLines& shown);

/// Draws lines from every token to those that it attends to, for the selected head or for the picked heads in
/// one colour each: between two columns, queries on the left and keys on the right, or as arcs over one line.
/// If tokens are picked or hovered, draws only their lines, with the shares at the other ends. The page is as
/// wide as its space and as high as the tokens need.
Page lines_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
