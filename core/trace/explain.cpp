#include "core/trace/explain.h"

#include <array>
#include <utility>

#include "core/trace/derivation.h"

namespace headscope {
namespace {

using Derive = void (*)(Derivation&);
using enum StageKind;

/// One line a kind, in the order of the enumeration.
constexpr std::array<std::pair<StageKind, Derive>, 26> derivations = {{
    {embedding, derive_embedding},
    {positions, derive_positions},
    {input, derive_input},
    {layer_input, derive_copy},
    {w_query, derive_parameter},
    {b_query, derive_parameter},
    {w_key, derive_parameter},
    {b_key, derive_parameter},
    {w_value, derive_parameter},
    {b_value, derive_parameter},
    {w_output, derive_parameter},
    {b_output, derive_parameter},
    {query, derive_head_projection},
    {key, derive_head_projection},
    {value, derive_head_projection},
    {raw, derive_raw},
    {scaled, derive_scaled},
    {masked, derive_masked},
    {weights, derive_weights},
    {output, derive_output},
    {contribution, derive_contribution},
    {concat, derive_concat},
    {projected, derive_projected},
    {layer_output, derive_copy},
    {stack_output, derive_copy},
    {embedding_table, derive_parameter},
}};

consteval bool in_order_of_enumeration() {
  for (std::size_t i = 0; i < derivations.size(); ++i) {
    if (static_cast<std::size_t>(derivations[i].first) != i) return false;
  }
  return derivations.size() == static_cast<std::size_t>(embedding_table) + 1;
}
static_assert(in_order_of_enumeration(), "every kind of stage has a derivation");

std::string counted(int n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

/// Why a pass has no such stage, as far as the options tell.
std::string why_missing(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  if (trace.n_tokens() == 0) return "the sentence has no tokens";
  if (id.head >= a.n_heads || id.head < 0) return "it has " + counted(a.n_heads, "head") + ", counted from 0";
  if (id.layer != 0) return "it has 1 layer, counted from 0";
  if (id.stack != Stack::encoder || id.attention != AttentionKind::self) {
    return "it is one encoder layer of self-attention";
  }
  switch (id.kind) {
    case positions:
      return "positions are off";
    case w_output:
    case contribution:
      return "the output projection is off";
    case b_output:
      return a.output_projection ? "this projection carries no bias" : "the output projection is off";
    case b_query:
    case b_key:
    case b_value:
      return "this projection carries no bias";
    case embedding_table:
      return "each word's row is drawn from the word; only the seed1 tokenizer has a table";
    default:
      return "it was not computed";
  }
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
