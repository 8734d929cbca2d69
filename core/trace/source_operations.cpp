#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/model/model.h"
#include "core/model/positions.h"
#include "core/text/number_text.h"
#include "core/trace/derivation.h"

namespace headscope {
namespace {

using enum StageKind;

/// A note that PyTorch draws the matrices of all heads as one. `own` is the size of the matrix of one head.
std::string pytorch_differs(Init init, const Extent& own, int n_heads) {
  if (init != Init::xavier || n_heads == 1) return {};
  const int whole = n_heads * own.cols;
  return "; PyTorch's xavier_uniform_ counts the columns of all heads: ±" +
         number_text(std::sqrt(6.0 / (own.rows + whole))) + " = √(6 / (" + std::to_string(own.rows) + " + " +
         std::to_string(whole) + "))";
}

std::string drawn_weights(Init init, const Extent& size) {
  const std::string in = std::to_string(size.rows);
  switch (init) {
    case Init::normal:
      return "drawn from N(0, 1)";
    case Init::scaled:
      return "drawn from N(0, 1/" + in + ")";
    case Init::xavier:
      break;
  }
  return "drawn uniformly from ±" + number_text(std::sqrt(6.0 / (size.rows + size.cols))) + " = √(6 / (" +
         in + " + " + std::to_string(size.cols) + "))";
}

std::string drawn_bias(int fan_in) {
  return "drawn uniformly from ±" + number_text(1.0 / std::sqrt(fan_in)) + " = 1 / √" +
         std::to_string(fan_in);
}

/// The number of summands before a bias is added.
int fan_in_of_bias(const Trace& trace, const StageId& bias) {
  const std::vector<StageId> inputs = trace.graph().inputs(trace.graph().users(bias).front());
  const auto is_weight = [](const StageId& id) { return info(id.kind).parameter == ParameterKind::weight; };
  return trace.extent(*std::ranges::find_if(inputs, is_weight)).rows;
}

/// The factor by which a parameter was multiplied when it was read.
float factor_of(const Architecture& a, StageKind kind) {
  switch (kind) {
    case w_output:
    case b_output:
    case w_2:
    case b_2:
      return a.foreign.sublayer_factor;
    case w_logits:
    case b_logits:
      return a.foreign.output_factor;
    default:
      return 1.0F;
  }
}

std::string times(std::string origin, float factor) {
  return factor == 1.0F ? origin : std::move(origin) + ", times " + number_text(factor);
}

/// The origin of a parameter: how it was drawn, with the seed, or a file.
std::string origin_of(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  const StageInfo& line = info(id.kind);
  const bool is_drawn = trace.model().drawn;
  const std::string width = std::to_string(a.d_model);
  const bool is_tied = line.parameter == ParameterKind::word_weight && a.output_layer == OutputLayer::tied;
  if (is_tied && (is_drawn || a.foreign.output_factor != 1.0F))
    return times("the embedding of each word, as a column", a.foreign.output_factor);
  if (!is_drawn) return times("read from the model's file", factor_of(a, id.kind));
  const std::string seed = ", seed " + std::to_string(a.seed);
  switch (line.parameter) {
    case ParameterKind::gain:
      return "1 before any training";
    case ParameterKind::offset:
    case ParameterKind::sink_score:
      return "0 before any training";
    case ParameterKind::weight: {
      const int n_heads = line.scope != StageScope::head ? 1
                          : line.is_per_group            ? a.kv_heads(id.layer)
                                                         : a.n_heads;
      const Extent size = trace.extent(id);
      return drawn_weights(a.init, size) + seed + pytorch_differs(a.init, size, n_heads);
    }
    case ParameterKind::bias:
      return drawn_bias(fan_in_of_bias(trace, id)) + seed;
    case ParameterKind::word_weight:
      return "drawn from N(0, 1/" + width + "), for each word by itself" + seed;
    case ParameterKind::word_bias:
      return drawn_bias(a.d_model) + ", for each word by itself" + seed;
    case ParameterKind::word_table:
      return "drawn from N(0, 1" + (a.scales_embedding ? "/" + width : "") + ")" + seed;
    case ParameterKind::table:
    case ParameterKind::none:
      break;
  }
  return "drawn from N(0, 1)" + seed;
}

void derive_parameter(Derivation& d) {
  const std::string col = std::to_string(d.col);
  const std::string place =
      info(d.id.kind).rows == Axis::single ? "[" + col + "]" : "[" + std::to_string(d.row) + ", " + col + "]";
  d.add_step(symbol_of(d.id) + place, d.number(d.id, d.row, d.col),
             formula(d.trace, d.id) + "; it does not depend on the sentence");
}

RowFunction rows_of_table(const Trace& trace, const StageId& id) {
  return [table = word_table_of(trace.model(), id)](int first, int n, float* out) {
    Matrix made;
    Eigen::Map<Matrix>(out, n, table.n_cols()) = eigen(table.rows(first, n, made));
  };
}

void derive_captured(Derivation& d) {
  d.add_step(symbol_of(d.id) + "[" + std::to_string(d.row) + ", " + std::to_string(d.col) + "]",
             d.number(d.id, d.row, d.col), "read from the capture, not computed");
}

std::string positions_formula(const Architecture& a) {
  if (a.positions == Positions::learned) return "row t of the table of positions";
  if (a.positions == Positions::split) {
    return "sin(t / 10000^(i/" + std::to_string(std::max((a.d_model + 1) / 2 - 1, 1)) +
           ")) in the first half, cos in the second";
  }
  return "sin(t / 10000^(2i/" + std::to_string(a.embedding_width()) +
         (a.foreign.sines_first ? ")) in the first half, cos in the second" : ")), cos(…)");
}

/// The factor of the embeddings: "√64 · ". Empty if it is 1.
std::string embedding_factor_text(const Architecture& a) {
  if (a.scales_embedding) return "√" + std::to_string(a.d_model) + " · ";
  return a.embedding_factor() == 1.0 ? "" : number_text(a.embedding_factor()) + " · ";
}

std::string lookup_formula(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  if (id.kind == segments) return "row of the token's segment";
  if (id.kind == distance_rows) return "row of the distance in the table of positions";
  if (id.kind == positions) return positions_formula(a);
  if (id.kind == layer_embedding)
    return "√(" + std::to_string(a.layer_input_width()) +
           "/2) · row of the layers' table with the token's id";
  if (trace.graph().inputs(id).empty())
    return "drawn from N(0, 1) for the word, with seed " + std::to_string(a.seed);
  return embedding_factor_text(a) + "row of the embedding table with the token's id";
}

void derive_drawn_embedding(Derivation& d, const Token& token) {
  const Architecture& a = d.trace.architecture();
  std::vector<float> drawn(static_cast<std::size_t>(a.embedding_width()));
  draw_word_embedding(token.lookup, a.seed, drawn);
  d.add_step("number " + std::to_string(d.col) + " of the random stream of " + quoted_word(token.lookup),
             drawn[static_cast<std::size_t>(d.col)],
             "drawn from N(0, 1) for the word itself, with seed " + std::to_string(a.seed) +
                 ": no other word affects it");
}

void derive_wave(Derivation& d) {
  const Architecture& a = d.trace.architecture();
  const PositionWave wave = position_wave(a, d.col, a.embedding_width());
  const double angle = wave.angle(d.row);
  const bool has_halves = a.positions == Positions::split || a.foreign.sines_first;
  const std::string exponent = std::to_string(wave.numerator) + "/" + std::to_string(wave.denominator);
  d.add_step("position t", wave.first + d.row,
             wave.first == 0 ? "" : "the first token has the position " + std::to_string(wave.first));
  d.add_step("10000^(" + exponent + ")", wave.divisor);
  d.add_step("angle = t / 10000^(" + exponent + ")", angle);
  if (wave.is_sine) {
    d.add_step("sin(angle)", std::sin(angle),
               has_halves ? "the first half takes the sines" : "even dimensions take the sine");
  } else {
    d.add_step("cos(angle)", std::cos(angle),
               has_halves ? "the second half takes the cosines"
                          : "odd dimensions take the cosine of their pair's angle");
  }
}

/// Derives a cell that is looked up in row `at` of a table.
double derive_row_of_table(Derivation& d, int at, const std::string& note) {
  const StageId table = d.input(0);
  return d.read_cell(
      path(table) + ": " + symbol_of(table) + "[" + std::to_string(at) + ", " + std::to_string(d.col) + "]",
      table, at, d.col, note);
}

/// Derives a cell of the row of a distance.
void derive_distance(Derivation& d, const Disentangled& positions) {
  const int distance = d.row - d.trace.extent(d.id).rows / 2;
  const int at = disentangled_row(positions, distance);
  d.add_step("distance = key − query", distance);
  derive_row_of_table(d, at,
                      at == positions.span() - distance
                          ? "row " + std::to_string(positions.span()) + " is that of the same position"
                          : "the larger the distances, the more of them share a row");
}

void derive_lookup(Derivation& d) {
  const Architecture& a = d.trace.architecture();
  if (d.id.kind == distance_rows) return derive_distance(d, *a.foreign.disentangled);
  const Token& token = d.trace.tokens(d.id.stack)[static_cast<std::size_t>(d.row)];
  if (d.id.kind == segments) {
    const std::string name = std::to_string(token.segment);
    derive_row_of_table(d, token.segment,
                        "the token belongs to segment " + name + ", which is row " + name +
                            " of the table: 0 up to the first separator, and 1 after it in models of pairs");
  } else if (d.n_inputs() == 0) {
    d.id.kind == positions ? derive_wave(d) : derive_drawn_embedding(d, token);
  } else if (d.id.kind == positions) {
    const int at = position_rows(a, d.trace.tokens(d.id.stack), 0)[static_cast<std::size_t>(d.row)];
    const int position = at - a.foreign.first_position;
    derive_row_of_table(d, at,
                        (position < 0 ? "padding" : "position " + std::to_string(position)) + " is row " +
                            std::to_string(at) + " of the table" +
                            (at == position ? "" : "; the rows before position 0 are for padding"));
  } else if (d.id.kind == layer_embedding) {
    const LayerInputs& inputs = *a.foreign.layer_inputs;
    const int at = inputs.row_of(token.id);
    const double number = derive_row_of_table(
        d, at,
        at == token.id ? "the row of the token's id" : "the token's id has no row, and takes that of id 0");
    const double factor = inputs.factor();
    d.add_step("√(" + std::to_string(inputs.width) + "/2) · " + symbol_of(d.input(0)), number * factor,
               "√" + std::to_string(inputs.width) + " as for embeddings, and √½ because two parts are added");
  } else {
    const double number =
        derive_row_of_table(d, token.id,
                            quoted_word(token.lookup) + " has the id " + std::to_string(token.id) +
                                ", which is its row in the table");
    const std::string factor = embedding_factor_text(a);
    if (factor.empty()) return;
    d.add_step(factor + "E[" + std::to_string(token.id) + ", " + std::to_string(d.col) + "]",
               static_cast<float>(a.embedding_factor()) * static_cast<float>(number),
               "rows of the table are multiplied by it before positions are added");
  }
}

}  // namespace

std::span<const OpRecord> source_operations() {
  static constexpr std::array records{
      OpRecord{Op::parameter, derive_parameter, origin_of, rows_of_table},
      OpRecord{Op::captured, derive_captured, "read from the capture"},
      OpRecord{Op::lookup, derive_lookup, lookup_formula},
  };
  return records;
}

}  // namespace headscope
