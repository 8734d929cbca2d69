#include "core/trace/explain.h"

#include <array>
#include <utility>

#include "core/trace/derivation.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

using Derive = void (*)(Derivation&);
using enum StageKind;

/// One line a kind, in the order of the enumeration.
constexpr std::array<std::pair<StageKind, Derive>, 54> derivations = {{
    {embedding_table, derive_parameter},
    {positions_table, derive_parameter},
    {embedding, derive_embedding},
    {positions, derive_positions},
    {input, derive_input},
    {layer_input, derive_copy},
    {norm_gain, derive_parameter},
    {norm_bias, derive_parameter},
    {norm, derive_norm},
    {w_output, derive_parameter},
    {b_output, derive_parameter},
    {w_query, derive_parameter},
    {b_query, derive_parameter},
    {w_key, derive_parameter},
    {b_key, derive_parameter},
    {w_value, derive_parameter},
    {b_value, derive_parameter},
    {query, derive_linear},
    {key, derive_linear},
    {value, derive_linear},
    {rotated_query, derive_rotated},
    {rotated_key, derive_rotated},
    {raw, derive_raw},
    {scaled, derive_scaled},
    {position_bias, derive_position_bias},
    {masked, derive_masked},
    {weights, derive_weights},
    {dropped, derive_dropped},
    {output, derive_output},
    {contribution, derive_contribution},
    {concat, derive_concat},
    {projected, derive_projected},
    {residual, derive_residual},
    {normed, derive_norm},
    {feed_forward_norm_gain, derive_parameter},
    {feed_forward_norm_bias, derive_parameter},
    {feed_forward_norm, derive_norm},
    {w_1, derive_parameter},
    {b_1, derive_parameter},
    {hidden, derive_linear},
    {activated, derive_activated},
    {w_2, derive_parameter},
    {b_2, derive_parameter},
    {feed_forward_output, derive_linear},
    {feed_forward_residual, derive_residual},
    {feed_forward_normed, derive_norm},
    {layer_output, derive_copy},
    {final_norm_gain, derive_parameter},
    {final_norm_bias, derive_parameter},
    {stack_output, derive_stack_output},
    {w_logits, derive_parameter},
    {b_logits, derive_parameter},
    {logits, derive_linear},
    {probabilities, derive_probabilities},
}};

consteval bool in_order_of_enumeration() {
  for (std::size_t i = 0; i < derivations.size(); ++i) {
    if (static_cast<std::size_t>(derivations[i].first) != i) return false;
  }
  return derivations.size() == static_cast<std::size_t>(probabilities) + 1;
}
static_assert(in_order_of_enumeration(), "every kind of stage has a derivation");

std::string stacks_text(Stacks stacks) {
  if (stacks == Stacks::encoder_decoder) return "it is an encoder and a decoder";
  return stacks == Stacks::encoder ? "it is only an encoder" : "it is only a decoder";
}

/// Why a pass has no such stage, as far as the options tell.
std::string why_missing(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  if (trace.n_tokens() == 0) return "the sentence has no tokens";
  if (id.head >= a.n_heads || id.head < 0) return "it has " + counted(a.n_heads, "head") + ", counted from 0";
  if (id.layer >= a.n_layers || id.layer < 0) {
    return "it has " + counted(a.n_layers, "layer") + ", counted from 0";
  }
  if (info(id.kind).scope >= StageScope::stack && !a.has(id.stack)) return stacks_text(a.stacks);
  if (id.attention == AttentionKind::cross && !(a.has_cross() && id.stack == Stack::decoder)) {
    return "only a decoder with an encoder has cross-attention";
  }
  const std::string reason = why_absent(trace, id.kind, id.attention);
  return reason.empty() ? "it was not computed" : reason;
}

Result<void> check_cell(const Trace& trace, const StageId& id, int row, int col) {
  if (!trace.has(id)) {
    return usage_error("this pass has no stage " + path(id) + ": " + why_missing(trace, id));
  }
  const MatrixView numbers = trace.value(id);
  const auto outside = [&id](const char* what, int index, int size) {
    return usage_error(std::string(what) + " " + std::to_string(index) + " is not in " + path(id) +
                       ": it has " + counted(size, what) +
                       (size == 0 ? "" : ", 0 to " + std::to_string(size - 1)));
  };
  if (row < 0 || row >= numbers.rows) return outside("row", row, numbers.rows);
  if (col < 0 || col >= numbers.cols) return outside("column", col, numbers.cols);
  return {};
}

}  // namespace

Result<Explanation> explain(const Trace& trace, const StageId& id, int row, int col) {
  const StageId stage = normalized(id);
  if (auto ok = check_cell(trace, stage, row, col); !ok) return tl::unexpected(ok.error());
  Derivation derivation{trace, stage, row, col, {}};
  derivations[static_cast<std::size_t>(stage.kind)].second(derivation);
  Explanation& sheet = derivation.sheet;
  sheet.stage = stage;
  sheet.row = row;
  sheet.col = col;
  sheet.headline = sentence_for(trace, stage, row, col);
  sheet.formula = formula(trace, stage);
  sheet.value = sheet.steps.back().value;
  sheet.stored = trace.value(stage)(row, col);
  return std::move(sheet);
}

}  // namespace headscope
