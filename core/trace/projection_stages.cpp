#include "core/trace/projection_stages.h"

#include <cmath>

#include "core/model/positions.h"
#include "core/trace/derivation.h"

namespace headscope::stages {
namespace {

/// What keys and values are made from, in a formula.
std::string asked_row(const StageId& id) {
  return id.attention == AttentionKind::cross ? "memory" : "x";
}

void derive_rotated(Derivation& d, StageKind origin, const std::string& name) {
  const int pair = d.col / 2;
  const double angle = rotary_angle(d.row, pair, d.trace.architecture().head_width());
  const double first = d.number(origin, d.row, 2 * pair);
  const double second = d.number(origin, d.row, 2 * pair + 1);
  const std::string i = "[" + std::to_string(2 * pair) + "]";
  const std::string j = "[" + std::to_string(2 * pair + 1) + "]";
  d.add_source(origin, d.row, 2 * pair);
  d.add_source(origin, d.row, 2 * pair + 1);
  d.add_step(name + i, first);
  d.add_step(name + j, second);
  d.add_step("angle = position / 10000^(" + std::to_string(2 * pair) + "/d_head)", angle,
             "the pair is rotated by it");
  if (d.col % 2 == 0) {
    d.add_step(name + i + " cos − " + name + j + " sin", first * std::cos(angle) - second * std::sin(angle));
  } else {
    d.add_step(name + i + " sin + " + name + j + " cos", first * std::sin(angle) + second * std::cos(angle));
  }
}

/// x / √(mean(x²) + ε) · γ of a query or key.
void derive_normed(Derivation& d, StageKind origin, StageKind gain_kind, const std::string& name) {
  const std::vector<float> row = d.row_of(origin, d.row);
  double square = 0.0;
  for (const float x : row) square += static_cast<double>(x) * static_cast<double>(x);
  square /= static_cast<double>(row.size());
  const double x = row[static_cast<std::size_t>(d.col)];
  const double gain = d.number(gain_kind, 0, d.col);
  const double unit = x / std::sqrt(square + static_cast<double>(qk_norm_epsilon));
  d.add_strip({name + " " + d.quoted(d.row, info(d.id.kind).rows), row, {}});
  d.add_source(origin, d.row, std::nullopt);
  d.add_source(gain_kind, 0, d.col);
  d.add_step(name + "[" + std::to_string(d.col) + "]", x);
  d.add_step("mean of the squares", square, "no mean is taken off");
  d.add_step(name + " / √(mean of the squares + ε)", unit, "ε = 0.000001 keeps the root from being 0");
  d.add_step(std::string(info(gain_kind).symbol), gain, "the same in all heads");
  d.add_step(std::string(info(d.id.kind).symbol) + " = that × " + std::string(info(gain_kind).symbol),
             unit * gain);
}

}  // namespace

Absence head_norm_is_absent(const Trace& trace, const StageId& /*id*/) {
  return unless(trace.architecture().qk_norm, Absence::no_qk_norm);
}

Absence rotation_is_absent(const Trace& trace, const StageId& id) {
  const bool rotates =
      trace.architecture().positions == Positions::rotary && id.attention == AttentionKind::self;
  return unless(rotates, Absence::positions_do_not_rotate);
}

std::string query_formula(const Trace& trace, const StageId& id) {
  return linear_formula(trace, id, "x W_Q", b_query);
}

std::string key_formula(const Trace& trace, const StageId& id) {
  return linear_formula(trace, id, asked_row(id) + " W_K", b_key);
}

std::string value_formula(const Trace& trace, const StageId& id) {
  return linear_formula(trace, id, asked_row(id) + " W_V", b_value);
}

std::string dimension_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return row_sentence_of(trace, id, std::string(info(id.kind).symbol), dimension_text(cell.col), cell);
}

void derive_query(Derivation& d) {
  derive_linear(d, {queries_from(d.trace, d.id), w_query, b_query, "x"});
}

void derive_key(Derivation& d) {
  derive_linear(d, {keys_from(d.trace, d.id), w_key, b_key, "x"});
}

void derive_value(Derivation& d) {
  derive_linear(d, {keys_from(d.trace, d.id), w_value, b_value, "x"});
}

void derive_normed_query(Derivation& d) {
  derive_normed(d, query, query_norm_gain, "q");
}

void derive_normed_key(Derivation& d) {
  derive_normed(d, key, key_norm_gain, "k");
}

void derive_rotated_query(Derivation& d) {
  derive_rotated(d, last_there(d.trace, d.id, {query, normed_query}).kind, "q");
}

void derive_rotated_key(Derivation& d) {
  derive_rotated(d, last_there(d.trace, d.id, {key, normed_key}).kind, "k");
}

}  // namespace headscope::stages
