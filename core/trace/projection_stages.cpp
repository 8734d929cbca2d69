#include "core/trace/projection_stages.h"

#include <array>
#include <cmath>

#include "core/model/rotary.h"
#include "core/text/number_text.h"
#include "core/trace/derivation.h"

namespace headscope::stages {
namespace {

/// The formula of the angle by which a pair is rotated, from its position and frequency.
std::string angle_text(const Rotary& rotary, int turned, int pair) {
  const std::string power =
      number_text(rotary.base) + "^(" + std::to_string(2 * pair) + "/" + std::to_string(turned) + ")";
  if (!rotary.divisors.empty())
    return "angle = position / " + number_text(rotary.divisors[static_cast<std::size_t>(pair)]) + " / " +
           power;
  const std::string s = number_text(rotary.factor);
  switch (rotary.scaling) {
    case RotaryScaling::none:
      return "angle = position / " + power;
    case RotaryScaling::linear:
      return "angle = position / " + s + " / " + power;
    case RotaryScaling::ntk:
      if (turned <= 2) return "angle = position / " + power;
      return "angle = position / (" + number_text(rotary.base) + " · " + s + "^(" + std::to_string(turned) +
             "/" + std::to_string(turned - 2) + "))^(" + std::to_string(2 * pair) + "/" +
             std::to_string(turned) + ")";
    case RotaryScaling::yarn:
    case RotaryScaling::llama3:
      return "angle = position · (r / " + s + " + 1 − r) / " + power;
  }
  return {};
}

/// The factor of the cosines and sines in a formula.
std::string amplitude_text(const Rotary& rotary) {
  if (rotary.divisors.empty()) return yarn_factor_text(rotary);
  return "√(1 + ln " + number_text(rotary.factor) + " / ln " + std::to_string(rotary.original_length) + ")";
}

/// Returns the cosine and sine of the angle by which a pair is rotated.
std::array<double, 2> derive_turn(Derivation& d, const Rotary& rotary, const RotaryTurns& turns, int pair) {
  const int turned = 2 * turns.n_pairs();
  const double angle = turns.angle(d.row, pair);
  if (rotary.scaling == RotaryScaling::yarn) {
    d.add_step(
        "r", yarn_share(rotary, turned, pair),
        "how far the pair is interpolated: 0 if it turns often within " +
            std::to_string(rotary.original_length) +
            " positions, 1 if less than once; in between it grows evenly from pair to pair, as in the authors' code and Hugging Face's models");
  }
  if (rotary.scaling == RotaryScaling::llama3) {
    d.add_step("r", llama3_share(rotary, turned, pair),
               "how far the pair is interpolated: 0 if it turns more than 4 times within " +
                   std::to_string(rotary.original_length) +
                   " positions, 1 if less than once; in between it falls evenly with the number of turns");
  }
  d.add_step(angle_text(rotary, turned, pair), angle, "the pair is rotated by this angle");
  if (turns.amplitude != 1.0)
    d.add_step("m = " + amplitude_text(rotary), turns.amplitude,
               "the cosine and the sine are multiplied by m");
  return {turns.amplitude * std::cos(angle), turns.amplitude * std::sin(angle)};
}

}  // namespace

void derive_rotated(Derivation& d) {
  const StageKind origin = d.input(0).kind;
  const std::string name = symbol_of_row(origin);
  const Architecture& a = d.trace.architecture();
  const Rotary rotary = a.rotary_of(d.id.layer);
  const RotaryTurns turns = rotary_turns(rotary, a.head_width(), a.kv_latent.has_value());
  const int pair = turns.pair_of(d.col);
  const auto at = [&name](int dimension) { return name + "[" + std::to_string(dimension) + "]"; };
  if (pair < 0) {
    d.add_source(origin, d.row, d.col);
    d.add_cell(at(d.col), origin, d.row, d.col,
               "only the first " + std::to_string(2 * turns.n_pairs()) + " dimensions are rotated");
    return;
  }
  const auto [one, other] = turns.dimensions(pair);
  const double first = d.number(origin, d.row, one);
  const double second = d.number(origin, d.row, other);
  d.add_source(origin, d.row, one);
  d.add_source(origin, d.row, other);
  d.add_cell(at(one), origin, d.row, one);
  d.add_cell(at(other), origin, d.row, other);
  const auto [cosine, sine] = derive_turn(d, rotary, turns, pair);
  const std::string m = turns.amplitude == 1.0 ? "" : "m ";
  if (d.col == one) {
    d.add_step(at(one) + " " + m + "cos − " + at(other) + " " + m + "sin", first * cosine - second * sine);
  } else {
    d.add_step(at(one) + " " + m + "sin + " + at(other) + " " + m + "cos", first * sine + second * cosine);
  }
}

std::string key_formula(const Trace& trace, const StageId& id) {
  const std::string own = formula_by_operation(trace, id);
  return has_beside(trace, id, shared_key) ? "[" + std::string(info(shared_key).symbol) + ", " + own + "]"
                                           : own;
}

std::string dimension_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return row_sentence_of(trace, id, std::string(info(id.kind).symbol), dimension_text(cell.col), cell);
}

void derive_key(Derivation& d) {
  const int n_shared = d.trace.architecture().shared_key_width(d.id.attention);
  if (d.col < n_shared) {
    d.add_source(shared_key, d.row, d.col);
    d.add_cell("K[" + std::to_string(d.col) + "] = " + std::string(info(shared_key).symbol) + "[" +
                   std::to_string(d.col) + "]",
               shared_key, d.row, d.col,
               "positions rotate the first " + std::to_string(n_shared) +
                   " dimensions, which are the same in all heads");
    return;
  }
  derive_linear(d, n_shared);
}

std::string rotated_formula(const Trace& trace, const StageId& id) {
  return std::string(info(trace.graph().inputs(id).front().kind).symbol) + ", rotated by its position";
}

}  // namespace headscope::stages
