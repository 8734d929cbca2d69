#include <cmath>

#include "core/model/model.h"
#include "core/trace/derivation.h"

namespace headscope {

void derive_embedding(Derivation& d) {
  const Token& token = d.trace.tokens()[static_cast<std::size_t>(d.row)];
  if (d.has(StageKind::embedding_table)) {
    const MatrixView table = d.view(StageKind::embedding_table);
    const int table_row = token.id;
    const std::string place = "E[" + std::to_string(table_row) + ", " + std::to_string(d.col) + "]";
    d.add_step("embedding.table: " + place, table(table_row, d.col),
               "“" + token.lookup + "” has the id " + std::to_string(token.id) + ", a row of the table");
    d.add_source(StageKind::embedding_table, table_row, d.col);
    return;
  }
  std::vector<float> drawn(static_cast<std::size_t>(d.trace.architecture().d_model));
  const auto seed = d.trace.architecture().seed;
  word_embedding(token.lookup, seed, drawn);
  d.add_step("number " + std::to_string(d.col) + " of the stream of “" + token.lookup + "”",
             drawn[static_cast<std::size_t>(d.col)],
             "drawn from N(0, 1), from the word itself and seed " + std::to_string(seed) +
                 ": no other word changes it");
}

void derive_positions(Derivation& d) {
  const int pair = d.col / 2 * 2;
  const int width = d.trace.architecture().d_model;
  const double divisor = std::pow(10000.0, static_cast<double>(pair) / static_cast<double>(width));
  const double angle = static_cast<double>(d.row) / divisor;
  const std::string exponent = std::to_string(pair) + "/" + std::to_string(width);
  d.add_step("position t", d.row);
  d.add_step("10000^(" + exponent + ")", divisor);
  d.add_step("angle = t / 10000^(" + exponent + ")", angle);
  if (d.col % 2 == 0) {
    d.add_step("sin(angle)", std::sin(angle), "even dimensions take the sine");
  } else {
    d.add_step("cos(angle)", std::cos(angle), "odd dimensions take the cosine of their pair's angle");
  }
}

void derive_input(Derivation& d) {
  const double embedding = d.view(StageKind::embedding)(d.row, d.col);
  d.add_source(StageKind::embedding, d.row, d.col);
  if (!d.has(StageKind::positions)) {
    d.add_step("X = E", embedding, "no positions are added");
    return;
  }
  const double position = d.view(StageKind::positions)(d.row, d.col);
  d.add_source(StageKind::positions, d.row, d.col);
  d.add_step("E: embedding of " + d.quoted(d.row), embedding);
  d.add_step("P: position " + std::to_string(d.row), position);
  d.add_step("X = E + P", embedding + position);
}

void derive_copy(Derivation& d) {
  const bool enters = d.id.kind == StageKind::layer_input;
  const StageKind origin = enters                                 ? StageKind::input
                           : d.id.kind == StageKind::layer_output ? StageKind::projected
                                                                  : StageKind::layer_output;
  d.add_source(origin, d.row, d.col);
  d.add_step(std::string(info(d.id.kind).symbol) + " = " + std::string(info(origin).symbol),
             d.view(origin)(d.row, d.col), "a copy of " + path(d.sibling(origin)));
}

std::string drawn_text(const Trace& trace, StageKind parameter) {
  const Architecture& a = trace.architecture();
  const std::string width = std::to_string(a.d_model);
  if (parameter == StageKind::embedding_table) return "drawn from N(0, 1)";
  const bool is_bias = info(parameter).rows == Axis::single;
  if (is_bias) {
    return "drawn uniformly from ±" + number_text(1.0 / std::sqrt(a.d_model)) + " = 1 / √" + width;
  }
  const int fan_in = parameter == StageKind::w_output ? a.concat_width() : a.d_model;
  const int fan_out = parameter == StageKind::w_output  ? a.d_model
                      : parameter == StageKind::w_value ? a.value_width()
                                                        : a.head_width();
  switch (a.init) {
    case Init::normal:
      return "drawn from N(0, 1)";
    case Init::scaled:
      return "drawn from N(0, 1/" + std::to_string(fan_in) + ")";
    case Init::xavier:
      break;
  }
  return "drawn uniformly from ±" + number_text(std::sqrt(6.0 / (fan_in + fan_out))) + " = √(6 / (" +
         std::to_string(fan_in) + " + " + std::to_string(fan_out) + "))";
}

void derive_parameter(Derivation& d) {
  const std::string place = info(d.id.kind).rows == Axis::single
                                ? "[" + std::to_string(d.col) + "]"
                                : "[" + std::to_string(d.row) + ", " + std::to_string(d.col) + "]";
  d.add_step(std::string(info(d.id.kind).symbol) + place, d.view(d.id.kind)(d.row, d.col),
             drawn_text(d.trace, d.id.kind) + ", seed " + std::to_string(d.trace.architecture().seed) +
                 "; it does not depend on the sentence");
}

}  // namespace headscope
