#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/interventions.h"
#include "core/trace/trace.h"

namespace headscope {

/// A row of a stage, in double precision.
std::vector<double> row_in_double(const Trace& trace, const StageId& stage, int row);

/// The factor of a norm for this row: 1 / √(mean of (x − mean)² + ε), or for RMS norm 1 / √(mean of x² + ε).
double inverse_deviation(const Architecture& architecture, NormKind kind, const std::vector<double>& row);

/// The contribution of a part of the model to a row, after all later steps that apply to it. The parts of a
/// row add up to it.
struct RowPart {
  enum class Kind : std::uint8_t {
    token,           ///< The embedding of the token.
    position,        ///< What positions add to it.
    segment,         ///< What segments add to it.
    input,           ///< All of these together, if they pass through a norm or a projection.
    head,            ///< The output of a head, after W_O.
    attention_bias,  ///< What the attention of a layer adds apart from its heads.
    feed_forward,    ///< The output of a feed-forward layer.
    norm_bias,       ///< The biases of a norm.
    bias,            ///< The bias of the query or key.
    given            ///< Numbers that were given by hand or replaced by an intervention.
  };
  Kind kind = Kind::token;
  HeadId place;   ///< Of a head. For other parts, their stack, attention and layer.
  StageId stage;  ///< The stage that the numbers were read from, or whose norm or weights added them.
  std::vector<double> numbers;
};

/// The name of a part, unique in its row: “token”, “head 0.1”, “feed-forward of layer 0”.
std::string part_name(const Architecture& architecture, const RowPart& part);

/// The contribution of a head to a row: its output times its rows of W_O, or its columns if there is no
/// projection.
std::vector<double> addition_of_head(const Trace& trace, const HeadId& head, int row);

/// Splits a row of the residual stream, of a norm, or of a head's queries or keys into the contributions of
/// the model's parts (Elhage et al. 2021). Norms are linear once their mean and root mean square are taken
/// from this pass; rotations by position are linear. Computed in double precision. Empty if the pass lacks
/// the row, or for other stages.
std::vector<RowPart> parts_of_row(const Trace& trace, const StageId& stage, int row);

/// A raw score q · k, split into the products of each part of its query with each part of its key.
struct ScoreParts {
  std::string absent;               ///< Why the score cannot be split. Empty if it can.
  std::vector<RowPart> query, key;  ///< The parts of q and k as they are compared, after norms and rotation.
  std::vector<double> terms;        ///< [parts of the query, parts of the key] The product of each pair.
  double total = 0.0;               ///< Σ terms.
  double score = 0.0;               ///< The raw score that the pass has. It differs by rounding only.

  /// The indices of a part of the query and a part of the key.
  struct Pair {
    std::size_t query, key;
  };
  /// The at most `max_pairs` pairs with the products of greatest magnitude, in descending order.
  std::vector<Pair> greatest(std::size_t max_pairs) const;
  double term(std::size_t of_query, std::size_t of_key) const {
    return terms[of_query * key.size() + of_key];
  }
  /// The sum of a query part's products with all key parts, and of a key part's with all query parts.
  double sum_of_query(std::size_t part) const;
  double sum_of_key(std::size_t part) const;
};

/// Splits the score of row `query` of the queries and row `key` of the keys. `head` may be any stage of the
/// head.
ScoreParts score_parts(const Trace& trace, const StageId& head, int query, int key);

}  // namespace headscope
