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

}  // namespace

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

void derive_rotated_query(Derivation& d) {
  derive_rotated(d, query, "q");
}

void derive_rotated_key(Derivation& d) {
  derive_rotated(d, key, "k");
}

}  // namespace headscope::stages
