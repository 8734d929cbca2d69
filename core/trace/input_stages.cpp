#include "core/trace/input_stages.h"

#include <algorithm>
#include <cmath>

#include "core/model/model.h"
#include "core/model/positions.h"
#include "core/trace/derivation.h"

namespace headscope::stages {

std::string embedding_formula(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  if (!has_beside(trace, id, embedding_table)) {
    return "drawn from N(0, 1) for the word, with seed " + std::to_string(a.seed);
  }
  const std::string factor = a.scales_embedding ? "√" + std::to_string(a.d_model) + " · " : "";
  return factor + "row of the embedding table with the token's id";
}

std::string positions_formula(const Trace& trace, const StageId& /*id*/) {
  const Architecture& a = trace.architecture();
  if (a.positions == Positions::learned) return "row t of the table of positions";
  if (a.positions == Positions::split) {
    return "sin(t / 10000^(i/" + std::to_string(std::max((a.d_model + 1) / 2 - 1, 1)) +
           ")) in the first half, cos in the second";
  }
  return "sin(t / 10000^(2i/" + std::to_string(a.embedding_width()) + ")), cos(…)";
}

std::string input_formula(const Trace& trace, const StageId& id) {
  const std::vector<StageId> parts = trace.graph().inputs(id);
  if (trace.graph().op(id) == Op::copy) return std::string(info(parts.front().kind).symbol);
  return parts.size() == 1 ? "E (no positions)" : formula_by_operation(trace, id);
}

void derive_embedding(Derivation& d) {
  const Token& token = d.trace.tokens(d.id.stack)[static_cast<std::size_t>(d.row)];
  if (d.has(StageKind::embedding_table)) {
    const int table_row = token.id;
    const std::string place = "E[" + std::to_string(table_row) + ", " + std::to_string(d.col) + "]";
    d.add_cell("embedding.table: " + place, StageKind::embedding_table, table_row, d.col,
               "“" + shown_word(token.lookup) + "” has the id " + std::to_string(token.id) +
                   ", which is its row in the table");
    d.add_source(StageKind::embedding_table, table_row, d.col);
    const Architecture& a = d.trace.architecture();
    if (!a.scales_embedding) return;
    const auto factor = static_cast<float>(a.embedding_factor());
    d.add_step("√" + std::to_string(a.d_model) + " · " + place,
               factor * static_cast<float>(d.number(StageKind::embedding_table, table_row, d.col)),
               "rows of the table are multiplied by √d_model before positions are added");
    return;
  }
  std::vector<float> drawn(static_cast<std::size_t>(d.trace.architecture().embedding_width()));
  const auto seed = d.trace.architecture().seed;
  word_embedding(token.lookup, seed, drawn);
  d.add_step(
      "number " + std::to_string(d.col) + " of the random stream of “" + shown_word(token.lookup) + "”",
      drawn[static_cast<std::size_t>(d.col)],
      "drawn from N(0, 1) for the word itself, with seed " + std::to_string(seed) +
          ": no other word affects it");
}

void derive_positions(Derivation& d) {
  const Architecture& a = d.trace.architecture();
  if (a.positions == Positions::learned) {
    const int table_row = a.foreign.first_position + d.row;
    const std::string where = " is row " + std::to_string(table_row) + " of the table" +
                              (table_row == d.row ? "" : "; the rows before position 0 are for padding");
    d.add_cell("positions.table: P[" + std::to_string(table_row) + ", " + std::to_string(d.col) + "]",
               StageKind::positions_table, table_row, d.col, "position " + std::to_string(d.row) + where);
    d.add_source(StageKind::positions_table, table_row, d.col);
    return;
  }
  const int width = a.embedding_width();
  const PositionWave wave = position_wave(a.positions, d.col, width);
  const double angle = static_cast<double>(d.row) / wave.divisor;
  const int half = (width + 1) / 2;
  const bool is_split = a.positions == Positions::split;
  const std::string exponent =
      is_split ? std::to_string(d.col % half) + "/" + std::to_string(std::max(half - 1, 1))
               : std::to_string(d.col / 2 * 2) + "/" + std::to_string(width);
  d.add_step("position t", d.row);
  d.add_step("10000^(" + exponent + ")", wave.divisor);
  d.add_step("angle = t / 10000^(" + exponent + ")", angle);
  if (wave.is_sine) {
    d.add_step("sin(angle)", std::sin(angle),
               is_split ? "the first half takes the sines" : "even dimensions take the sine");
  } else {
    d.add_step("cos(angle)", std::cos(angle),
               is_split ? "the second half takes the cosines"
                        : "odd dimensions take the cosine of their pair's angle");
  }
}

void derive_input(Derivation& d) {
  const std::vector<StageId> parts = d.trace.graph().inputs(d.id);
  if (d.trace.graph().op(d.id) != Op::sum) return derive_by_operation(d);
  for (const StageId& part : parts) d.add_source(part, d.row, d.col);
  if (parts.size() == 1)
    return d.add_cell("X = E", StageKind::embedding, d.row, d.col, "no positions are added");
  double sum = 0.0;
  for (const StageId& part : parts) {
    sum += d.number(part, d.row, d.col);
    const std::string what = part.kind == StageKind::embedding   ? "E: embedding of " + d.quoted(d.row)
                             : part.kind == StageKind::positions ? "P: position " + std::to_string(d.row)
                                                                 : "S: the token's segment";
    d.add_cell(what, part, d.row, d.col);
  }
  d.add_step("X = " + input_formula(d.trace, d.id), sum);
}

}  // namespace headscope::stages
