#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>
#include <span>
#include <utility>

#include "core/model/experts.h"
#include "core/model/pass.h"
#include "core/model/rotary.h"
#include "core/tensor/softmax.h"
#include "core/text/number_text.h"
#include "core/trace/derivation.h"

namespace headscope {
namespace {

using enum StageKind;

std::string norm_name(const Trace& trace) {
  return trace.architecture().norm_kind == NormKind::rms ? "RMSNorm" : "LayerNorm";
}

// Sums and copies.

/// Sums at the start of a stack add embeddings; all others are residual connections.
bool adds_embeddings(const StageId& id) {
  return info(id.kind).scope == StageScope::stack;
}

std::string sum_formula(const Trace& trace, const StageId& id) {
  const std::vector<StageId> parts = trace.graph().inputs(id);
  if (parts.size() == 1) return symbol_of(parts.front()) + " (no positions)";
  std::string text;
  for (const StageId& part : parts)
    text += (text.empty() ? "" : " + ") + (text.empty() && !adds_embeddings(id) ? "x" : symbol_of(part));
  return text;
}

std::string embedding_part(const Derivation& d, const StageId& part) {
  const std::string symbol = symbol_of(part);
  if (part.kind == embedding) return symbol + ": embedding of " + d.quoted_row();
  return symbol + (part.kind == positions ? ": position " + std::to_string(d.row) : ": the token's segment");
}

void derive_sum(Derivation& d) {
  const std::vector<StageId> parts = d.trace.graph().inputs(d.id);
  const std::string symbol = symbol_of(d.id);
  if (parts.size() == 1) {
    d.read_cell(symbol + " = " + symbol_of(parts.front()), parts.front(), d.row, d.col,
                "no positions are added");
    return;
  }
  double sum = 0.0;
  for (const StageId& part : parts)
    sum += d.read_cell(adds_embeddings(d.id) ? embedding_part(d, part) : path(part), part, d.row, d.col);
  if (adds_embeddings(d.id)) return d.add_step(symbol + " = " + sum_formula(d.trace, d.id), sum);
  d.add_step(sum_formula(d.trace, d.id), sum,
             d.trace.architecture().is_parallel()
                 ? "the input of the block plus the outputs of both sublayers"
                 : "the input of the sublayer plus its output");
}

/// The name of the output of the layers of a stack.
std::string layers_end(const Trace& trace, const StageId& id) {
  const StageId from = trace.graph().inputs(id).front();
  return symbol_of(from) +
         (from.kind == layer_output ? " of the last layer" : ", because there are no layers");
}

std::string copy_formula(const Trace& trace, const StageId& id) {
  if (id.kind == stack_output) return layers_end(trace, id);
  if (id.kind == norm) return "x, whose rows are normalised already";
  return input_symbol(trace, id) + (id.kind == projected ? " (no output projection)" : "");
}

void derive_copy(Derivation& d) {
  const StageId from = d.input(0);
  d.read_cell(symbol_of(d.id) + " = " + symbol_of(from), from, d.row, d.col,
              d.id.kind == projected ? "there is no output projection" : "a copy of " + path(from));
}

// Norms.

struct Moments {
  double mean = 0.0;
  double variance = 0.0;     ///< population variance
  double mean_square = 0.0;  ///< of the numbers themselves
};

Moments moments_of(std::span<const float> row) {
  Moments moments;
  const auto n = static_cast<double>(row.size());
  for (const float x : row) {
    moments.mean += static_cast<double>(x);
    moments.mean_square += static_cast<double>(x) * static_cast<double>(x);
  }
  moments.mean /= n;
  moments.mean_square /= n;
  for (const float x : row) {
    const double offset = static_cast<double>(x) - moments.mean;
    moments.variance += offset * offset;
  }
  moments.variance /= n;
  return moments;
}

std::string norm_formula(const Trace& trace, const StageId& id) {
  const bool comes_before = id.kind == norm || id.kind == feed_forward_norm;
  const std::string rows = id.kind == stack_output ? layers_end(trace, id)
                           : comes_before          ? "x"
                                                   : input_symbol(trace, id);
  return norm_name(trace) + "(" + rows + ")";
}

/// Adds the steps from a row with these moments to its normalised number x, before the gain. Returns it.
double derive_unit(Derivation& d, const std::string& name, const Moments& moments, double x, bool is_rms) {
  const double epsilon = norm_epsilon(d.trace.architecture(), d.id.kind);
  const std::string note = "ε = " + number_text(epsilon) + " keeps the root from being 0";
  if (is_rms) {
    const double unit = x / std::sqrt(moments.mean_square + epsilon);
    d.add_step("mean of the squares", moments.mean_square, "the mean is not subtracted");
    d.add_step(name + " / √(mean of the squares + ε)", unit, note);
    return unit;
  }
  const double unit = (x - moments.mean) / std::sqrt(moments.variance + epsilon);
  d.add_step("mean of the row", moments.mean);
  d.add_step("variance of the row", moments.variance, "divided by n, not n − 1");
  d.add_step("(" + name + " − mean) / √(variance + ε)", unit, note);
  return unit;
}

void derive_norm(Derivation& d) {
  const StageId from = d.input(0), gain = d.input(1);
  Explanation::Strip row = d.read_row("x " + d.quoted_row(), from, d.row);
  const Moments moments = moments_of(row.values);
  row.names.clear();
  d.add_strip(std::move(row));
  const double x = d.add_cell("x[" + std::to_string(d.col) + "]", from, d.row, d.col);
  if (d.trace.architecture().norm_kind == NormKind::rms) {
    const double epsilon = norm_epsilon(d.trace.architecture(), d.id.kind);
    const double root = std::sqrt(moments.mean_square + epsilon);
    d.add_step("mean of x² over the row", moments.mean_square, "the mean is not subtracted");
    d.add_step("√(mean(x²) + ε)", root, "ε = " + number_text(epsilon) + " keeps the root from being 0");
    d.add_step("x / √(mean(x²) + ε)", x / root);
    const double scale = d.read_cell("γ", gain, 0, d.col);
    return d.add_step("RMSNorm(x) = that × γ", x / root * scale, "RMS norm has no bias");
  }
  const double unit = derive_unit(d, "x", moments, x, false);
  const double scale = d.read_cell("γ", gain, 0, d.col);
  const double bias = d.read_cell("β", d.input(2), 0, d.col);
  d.add_step("LayerNorm(x) = that × γ + β", unit * scale + bias);
}

/// Whether a norm of queries or keys is LayerNorm.
bool normalises_layers(const Trace& trace, const StageId& id) {
  return info(id.kind).scope == StageScope::head &&
         trace.architecture().foreign.head_norm == HeadNorm::layer_of_head;
}

std::string head_norm_formula(const Trace& trace, const StageId& id) {
  const NormedHead head = normed_head(trace, id);
  const std::string x = symbol_of(head.own), gain = head.gain ? " · " + symbol_of(*head.gain) : "";
  if (normalises_layers(trace, id)) return "(" + x + " − mean) / √(variance + ε)" + gain;
  const bool has_parts = info(id.kind).scope == StageScope::stack;
  const std::string of = head.parts.size() > 1 ? " of all heads" : has_parts ? " of a layer" : "";
  return x + " / RMS(" + x + of + ")" + gain;
}

/// The part of a row of the inputs of all layers that is that of one layer.
Explanation::Strip part_of_row(const Explanation::Strip& row, int first, int n) {
  const auto begin = row.values.begin() + first;
  return {row.label + ", layer " + std::to_string(first / n), {begin, begin + n}, {}};
}

/// Derives the norm of a query, key, value or latent, independent of the model's norms.
void derive_head_norm(Derivation& d) {
  const NormedHead head = normed_head(d.trace, d.id);
  const std::string name = symbol_of_row(head.own);
  Explanation::Strip row{name + (head.parts.size() > 1 ? " of all heads " : " ") + d.quoted_row(), {}, {}};
  for (const StageId& part : head.parts)
    std::ranges::copy(d.read_row({}, part, d.row).values, std::back_inserter(row.values));
  const int n_gains = head.gain ? d.trace.extent(*head.gain).cols : 0;
  const bool has_parts = info(d.id.kind).scope == StageScope::stack;
  const int gain_col = has_parts ? d.col % n_gains : head.first_gain + d.col;
  if (has_parts) row = part_of_row(row, d.col - gain_col, n_gains);
  d.add_strip(row);
  if (head.gain) d.add_source(*head.gain, 0, gain_col);
  const double x = d.add_cell(name + "[" + std::to_string(d.col) + "]", head.own, d.row, d.col);
  const double unit = derive_unit(d, name, moments_of(row.values), x, !normalises_layers(d.trace, d.id));
  if (!head.gain) return;
  const std::string gain = symbol_of(*head.gain);
  const bool is_shared = info(d.id.kind).scope == StageScope::head &&
                         d.trace.architecture().foreign.head_norm == HeadNorm::rms_of_head;
  const double scale = d.add_cell(gain, *head.gain, 0, gain_col,
                                  is_shared ? "the same in all heads" : "for each number of the row");
  d.add_step(symbol_of(d.id) + " = that × " + gain, unit * scale);
}

// Linear layers.

/// The inputs of x W + b, without the shares of experts, which come first.
struct LinearInputs {
  StageId rows, weights;
  std::optional<StageId> bias;
  std::optional<StageId> shared;      ///< the shared part of a key, which precedes its own part
  std::optional<StageId> of_experts;  ///< the experts' own biases
};

LinearInputs linear_inputs(const Trace& trace, const StageId& id) {
  LinearInputs inputs;
  const bool chooses = trace.graph().op(id) != Op::linear;
  bool has_rows = false;
  for (const StageId& input : trace.graph().inputs(id)) {
    const StageInfo& line = info(input.kind);
    if (!line.is_parameter()) {
      if (has_rows && !chooses) inputs.shared = inputs.rows;
      inputs.rows = input;
      has_rows = true;
    } else if (line.rows == Axis::single) {
      inputs.bias = input;
    } else if (input.kind == expert_biases) {
      inputs.of_experts = input;
    } else {
      inputs.weights = input;
    }
  }
  return inputs;
}

/// The cap of logits. 0 for everything else, and if there is none.
double cap_of(const Trace& trace, const StageId& id) {
  return id.kind == logits ? static_cast<double>(trace.architecture().logit_softcap) : 0.0;
}

std::string linear_formula(const Trace& trace, const StageId& id) {
  const LinearInputs inputs = linear_inputs(trace, id);
  std::string text = name_of_rows(id, inputs.rows) + " " + symbol_of(inputs.weights);
  if (inputs.bias) text += " + " + symbol_of(*inputs.bias);
  if (inputs.of_experts) text += " + " + input_symbol(trace, id) + " " + symbol_of(*inputs.of_experts);
  if (inputs.shared) return "[" + symbol_of(*inputs.shared) + ", " + text + "]";
  const double cap = cap_of(trace, id);
  if (cap == 0.0) return text;
  return number_text(cap) + " · tanh((" + text + ") / " + number_text(cap) + ")";
}

/// The contribution of each head to the cell, from one row of `concat`.
Explanation::Strip per_head(const Derivation& d, const std::vector<float>& products) {
  const auto width = static_cast<std::size_t>(d.trace.architecture().value_width(d.id.layer));
  Explanation::Strip heads{"Σ per head", {}, {}};
  for (std::size_t first = 0; first < products.size(); first += width) {
    double sum = 0.0;
    for (std::size_t i = first; i < first + width; ++i) sum += products[i];
    heads.names.push_back("head " + std::to_string(heads.values.size()));
    heads.values.push_back(static_cast<float>(sum));
  }
  return heads;
}

void derive_shared_part(Derivation& d, const StageId& shared, int n_shared) {
  const std::string place = "[" + std::to_string(d.col) + "]";
  d.read_cell(symbol_of(d.id) + place + " = " + symbol_of(shared) + place, shared, d.row, d.col,
              "positions rotate the first " + std::to_string(n_shared) +
                  " dimensions, which are the same in all heads");
}

void derive_linear(Derivation& d) {
  const LinearInputs in = linear_inputs(d.trace, d.id);
  const int n_shared = in.shared ? d.trace.extent(*in.shared).cols : 0;
  if (d.col < n_shared) return derive_shared_part(d, *in.shared, n_shared);
  const int col = d.col - n_shared;
  const std::string x = name_of_rows(d.id, in.rows), w = symbol_of(in.weights), symbol = symbol_of(d.id);
  const std::string products = x + " × " + w;
  Explanation::Strip row = d.read_row(x + " " + d.quoted_row(), in.rows, d.row);
  Explanation::Strip column = d.read_column(w + " column " + std::to_string(col), in.weights, col);
  const double sum = d.add_products(std::move(row), std::move(column), products);
  double result = sum;
  if (in.bias) {
    const std::string b = symbol_of(*in.bias);
    d.add_step("Σ " + products, sum);
    result += d.read_cell(b + "[" + std::to_string(col) + "]", *in.bias, 0, col);
    d.add_step(symbol + " = Σ " + products + " + " + b, result);
  } else if (in.of_experts) {
    d.add_step("Σ " + products, sum);
    const std::string biases = symbol_of(d.input(0)) + " × " + symbol_of(*in.of_experts);
    const double of_experts = d.add_products(
        d.read_row(symbol_of(d.input(0)) + " " + d.quoted_row(), d.input(0), d.row),
        d.read_column(symbol_of(*in.of_experts) + " column " + std::to_string(col), *in.of_experts, col),
        biases);
    d.add_step("Σ " + biases, of_experts, "each expert's bias counts as much as the expert");
    result += of_experts;
    d.add_step(symbol + " = Σ " + products + " + that", result);
  } else {
    d.add_step(symbol + " = Σ " + products, sum, "no bias");
  }
  if (info(in.weights.kind).rows == Axis::concat)
    d.add_computed_strip(per_head(d, d.explanation.strips.back().values));
  const double cap = cap_of(d.trace, d.id);
  if (cap == 0.0) return;
  const std::string c = number_text(cap);
  d.add_step(symbol + " = " + c + " · tanh(that / " + c + ")", cap * std::tanh(result / cap),
             "the softcap of the logits keeps each within ±" + c);
}

// Experts.

const Experts& experts_of(const Trace& trace) {
  return *trace.architecture().foreign.experts;
}

/// The token's share in an expert as a step.
double read_share(Derivation& d, const StageId& shares, int expert) {
  return d.read_cell(symbol_of(shares), shares, d.row, expert,
                     "the token's share in " + expert_name(d.trace, expert));
}

/// Derives x W + b of an active expert; others are not computed.
void derive_expert_linear(Derivation& d) {
  const StageId shares = d.input(0);
  const int expert = experts_of(d.trace).expert_of(d.col);
  if (d.number(shares, d.row, expert) != 0.0) return derive_linear(d);
  read_share(d, shares, expert);
  d.add_step(symbol_of(d.id), 0.0, "not computed, since the token does not take this expert");
}

std::string route_formula(const Trace& trace, const StageId& id) {
  const Experts& experts = experts_of(trace);
  std::string text = experts.factor == 1.0F ? "" : number_text(experts.factor) + " · ";
  text += (experts.uses_sigmoid ? "σ(" : "softmax(") + input_symbol(trace, id) + ")";
  text += experts.renormalizes ? " over " : ", of ";
  text += "the " + std::to_string(experts.top_k) + " largest of " + std::to_string(experts.count);
  if (experts.groups > 1)
    text += " in the " + std::to_string(experts.top_groups) + " best of " + std::to_string(experts.groups) +
            " groups";
  if (experts.dense_width > 0) text += " · f_R";
  if (experts.shared_width == 0) return text;
  return text + "; " + (experts.has_shared_gate ? input_symbol(trace, id, 1) : "1") + " of the shared expert";
}

/// Derives the normalised scores of all, or of the active, experts.
void derive_share_of_expert(Derivation& d, const std::vector<float>& logits,
                            const std::vector<float>& shares) {
  const Experts& experts = experts_of(d.trace);
  const float largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0.0;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (!experts.renormalizes || shares[i] != 0.0F) sum += share_score(experts, logits[i], largest);
  const double own = share_score(experts, logits[static_cast<std::size_t>(d.col)], largest);
  const std::string score = experts.uses_sigmoid ? "σ(R)" : "e^(R − largest R)";
  d.add_step(score, own, experts.uses_sigmoid ? "" : "subtracting the largest logit changes no share");
  const bool is_shared = !experts.uses_sigmoid || experts.renormalizes;
  if (is_shared)
    d.add_step(
        "Σ " + score + " over " + (experts.renormalizes ? "the experts that are taken" : "all experts"), sum);
  const std::string factor = experts.factor == 1.0F ? "" : number_text(experts.factor) + " × ";
  const double share = static_cast<double>(experts.factor) * (is_shared ? own / sum : own);
  const std::string text = factor + (is_shared ? "that share of the sum" : score);
  if (experts.dense_width == 0) return d.add_step("S = " + text, share);
  d.add_step(text, share);
  const double own_factor =
      d.read_cell("f_R[" + std::to_string(d.col) + "]", d.input(d.n_inputs() - 1), 0, d.col);
  d.add_step("S = that × f_R", share * own_factor, "the factor of the expert");
}

void derive_route(Derivation& d) {
  const Experts& experts = experts_of(d.trace);
  if (d.col == experts.count) {
    if (!experts.has_shared_gate) return d.add_step("S = 1", 1.0, "every token takes this expert in full");
    d.read_cell("S = s", d.input(1), d.row, 0, "every token takes this expert");
    return;
  }
  Explanation::Strip logits = d.read_row("R " + d.quoted_row(), d.input(0), d.row);
  const std::vector<float> shares = d.row_of(d.id, d.row);
  d.add_strip(logits);
  d.add_cell("R[" + std::to_string(d.col) + "]", d.input(0), d.row, d.col);
  if (experts.has_correction)
    d.read_cell("C[" + std::to_string(d.col) + "]", d.input(d.n_inputs() - 1), 0, d.col,
                "added to σ(R) where experts are chosen, but not in the share");
  if (shares[static_cast<std::size_t>(d.col)] == 0.0F)
    return d.add_step("S", 0.0,
                      "not among the " + std::to_string(experts.top_k) + " largest" +
                          (experts.groups > 1 ? " of the best groups" : "") + ": the token does not take it");
  derive_share_of_expert(d, logits.values, shares);
}

void derive_weigh(Derivation& d) {
  const StageId numbers = d.input(0);
  const int expert = experts_of(d.trace).expert_of(d.col);
  const std::string symbol = symbol_of(numbers);
  const double number =
      d.read_cell(symbol, numbers, d.row, d.col, "a number of " + expert_name(d.trace, expert));
  const double share = read_share(d, d.input(1), expert);
  d.add_step(symbol_of(d.id) + " = " + symbol + " × " + symbol_of(d.input(1)), number * share);
}

// Other row operations.

std::string gate_formula(const Trace& trace, const StageId& id) {
  return "σ(" + linear_formula(trace, id) + ")";
}

void derive_gate(Derivation& d) {
  const LinearInputs in = linear_inputs(d.trace, d.id);
  const std::string x = name_of_rows(d.id, in.rows), w = symbol_of(in.weights);
  Explanation::Strip row = d.read_row(x + " " + d.quoted_row(), in.rows, d.row);
  Explanation::Strip column = d.read_column(w + " column " + std::to_string(d.col), in.weights, d.col);
  const double sum = d.add_products(std::move(row), std::move(column), x + " × " + w);
  d.add_step("Σ " + x + " × " + w, sum);
  d.add_step(symbol_of(d.id) + " = 1 / (1 + exp(−that))", 1.0 / (1.0 + std::exp(-sum)),
             "between 0, where nothing passes through, and 1");
}

/// The logits of tokens whose row the pass did not keep.
RowFunction logits_of_tokens(const Trace& trace, const StageId& /*id*/) {
  struct Rows {
    std::mutex mutex;
    std::map<int, Matrix> of_tokens;
  };
  // Pages read the same few rows repeatedly.
  constexpr std::size_t max_rows = 64;
  const auto known = std::make_shared<Rows>();
  return [&trace, known](int first, int n, float* out) {
    const auto logits = [&] {
      const StageId read{StageKind::stack_output, trace.architecture().last_stack()};
      return logits_of_rows(trace.pass_inputs(), trace.kept().shape,
                            trace.kept().rows(read, {first, first + n}), first, shared_pool());
    };
    const auto write = [out](const Matrix& numbers) { std::copy_n(numbers.data(), numbers.size(), out); };
    if (n > 1) return write(logits());
    {
      const std::lock_guard lock(known->mutex);
      const auto row = known->of_tokens.find(first);
      if (row != known->of_tokens.end()) return write(row->second);
    }
    Matrix made = logits();
    write(made);
    const std::lock_guard lock(known->mutex);
    if (known->of_tokens.size() >= max_rows) known->of_tokens.clear();
    known->of_tokens.insert_or_assign(first, std::move(made));
  };
}

RowFunction probabilities_of_tokens(const Trace& trace, const StageId& id) {
  const StageId from = trace.graph().inputs(id).front();
  return [&trace, from](int first, int n, float* out) {
    const int n_words = trace.extent(from).cols;
    const StageNumbers numbers = trace.read(from, {first, 0, n, n_words});
    std::vector<float> scores;
    for (int row = 0; row < n; ++row) {
      const auto of_row = numbers.view.row(row);
      scores.insert(scores.end(), of_row.begin(), of_row.end());
    }
    ScoreBlock block;
    block.rows = n;
    block.cols = n_words;
    block.masked = scores.data();
    block.weights = out;
    softmax_over_keys(block);
  };
}

void derive_word_softmax(Derivation& d) {
  Explanation::Strip logits = d.read_row("logits of " + d.quoted_row(), d.input(0), d.row);
  const double maximum = *std::max_element(logits.values.begin(), logits.values.end());
  Explanation::Strip exponents{"exp(logit − row maximum)", {}, logits.names};
  double sum = 0.0;
  for (const float logit : logits.values) {
    const double exponent = std::exp(static_cast<double>(logit) - maximum);
    exponents.values.push_back(static_cast<float>(exponent));
    sum += exponent;
  }
  const double own = std::exp(static_cast<double>(logits.values[static_cast<std::size_t>(d.col)]) - maximum);
  d.add_strip(std::move(logits));
  d.add_computed_strip(std::move(exponents));
  d.add_step("row maximum", maximum);
  d.add_step("exp(logit − row maximum)", own);
  d.add_step("Σ over words", sum);
  d.add_step("probability = exp / Σ over words", own / sum);
}

// Elementwise operations.

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

/// The cosine and sine of the rotation angle of a pair.
std::array<double, 2> derive_turn(Derivation& d, const Rotary& rotary, const RotaryFrequencies& turns,
                                  int pair) {
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

std::string rotated_formula(const Trace& trace, const StageId& id) {
  const bool turns = trace.architecture().rotary_of(id.layer).fraction > 0.0F;
  return input_symbol(trace, id) +
         (turns ? ", rotated by its position" : ", which this layer does not rotate");
}

void derive_rotated(Derivation& d) {
  const StageId from = d.input(0);
  const std::string name = symbol_of_row(from);
  const Architecture& a = d.trace.architecture();
  const Rotary rotary = a.rotary_of(d.id.layer);
  const RotaryFrequencies turns =
      rotary_frequencies(rotary, a.head_width(d.id.layer), a.kv_latent.has_value());
  const int pair = turns.pair_of(d.col);
  const auto at = [&name](int dimension) { return name + "[" + std::to_string(dimension) + "]"; };
  const auto n_turning = turns.n_pairs() - std::ranges::count(turns.frequencies, 0.0);
  if (pair < 0 || pair >= n_turning) {
    const std::string first = "only the first ";
    d.read_cell(at(d.col), from, d.row, d.col,
                turns.n_pairs() == 0 ? "this layer rotates nothing"
                : pair < 0           ? first + std::to_string(2 * n_turning) + " dimensions are rotated"
                           : first + std::to_string(n_turning) + " pairs of dimensions turn: (i, i + " +
                                 std::to_string(turns.n_pairs()) + ")");
    return;
  }
  const auto [one, other] = turns.dimensions(pair);
  const double first = d.read_cell(at(one), from, d.row, one);
  const double second = d.read_cell(at(other), from, d.row, other);
  const auto [cosine, sine] = derive_turn(d, rotary, turns, pair);
  const std::string m = turns.amplitude == 1.0 ? "" : "m ";
  if (d.col == one) {
    d.add_step(at(one) + " " + m + "cos − " + at(other) + " " + m + "sin", first * cosine - second * sine);
  } else {
    d.add_step(at(one) + " " + m + "sin + " + at(other) + " " + m + "cos", first * sine + second * cosine);
  }
}

void derive_mapped(Derivation& d) {
  const StageId from = d.input(0);
  const std::string name = symbol_of(from) + "[" + std::to_string(d.col) + "]", mapped = symbol_of(d.id);
  const double x = d.read_cell(name, from, d.row, d.col);
  if (x > 0.0)
    return d.add_step(mapped + " = " + name + " + 1", x + 1.0, "above 0, elu leaves the number unchanged");
  d.add_step(mapped + " = exp(" + name + ")", std::exp(x),
             "up to 0, elu(x) = exp(x) − 1, and the 1 is added back");
}

std::string activation_formula(const Trace& trace, const StageId& /*id*/) {
  switch (trace.architecture().activation) {
    case Activation::relu:
      return "ReLU(F)";
    case Activation::gelu:
      return "GELU(F) = F · Φ(F)";
    case Activation::gelu_tanh:
      return "GELU(F) ≈ F · ½ (1 + tanh(√(2/π) (F + 0.044715 F³)))";
    case Activation::silu:
      return "SiLU(F) = F · σ(F)";
  }
  return {};
}

void derive_activation(Derivation& d) {
  const double x = d.read_cell("F", d.input(0), d.row, d.col);
  switch (d.trace.architecture().activation) {
    case Activation::relu:
      return d.add_step("ReLU(F) = max(F, 0)", std::max(x, 0.0),
                        x > 0.0 ? "" : "negative, so nothing passes");
    case Activation::gelu: {
      const double share = 0.5 * (1.0 + std::erf(x / std::numbers::sqrt2));
      d.add_step("Φ(F)", share, "the share of the standard normal distribution below F");
      return d.add_step("GELU(F) = F × Φ(F)", x * share);
    }
    case Activation::gelu_tanh: {
      const double inner = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
      d.add_step("u = √(2/π) (F + 0.044715 F³)", inner);
      d.add_step("½ (1 + tanh u)", 0.5 * (1.0 + std::tanh(inner)), "close to the share of N(0, 1) below F");
      return d.add_step("GELU(F) ≈ F × ½ (1 + tanh u)", 0.5 * x * (1.0 + std::tanh(inner)));
    }
    case Activation::silu: {
      const double share = 1.0 / (1.0 + std::exp(-x));
      d.add_step("σ(F) = 1 / (1 + e^−F)", share, "the logistic function, between 0 and 1");
      return d.add_step("SiLU(F) = F × σ(F)", x * share);
    }
  }
}

std::string limited_gate_formula(const Trace& trace, const StageId& /*id*/) {
  return "g · σ(1.702 g), g = min(F, " + number_text(trace.architecture().foreign.gate_limit) + ")";
}

void derive_limited_gate(Derivation& d) {
  constexpr double steepness = 1.702;
  const auto limit = static_cast<double>(d.trace.architecture().foreign.gate_limit);
  const double gate = std::min(d.read_cell("F", d.input(0), d.row, d.col), limit);
  d.add_step("g = min(F, " + number_text(limit) + ")", gate);
  const double share = 1.0 / (1.0 + std::exp(-steepness * gate));
  d.add_step("σ(1.702 g) = 1 / (1 + e^(−1.702 g))", share, "the logistic function, between 0 and 1");
  d.add_step("F′ = g × σ(1.702 g)", gate * share);
}

std::string limited_shift_formula(const Trace& trace, const StageId& /*id*/) {
  return "U within ±" + number_text(trace.architecture().foreign.gate_limit) + ", plus 1";
}

void derive_limited_shift(Derivation& d) {
  const auto limit = static_cast<double>(d.trace.architecture().foreign.gate_limit);
  const double within = std::clamp(d.read_cell("U", d.input(0), d.row, d.col), -limit, limit);
  d.add_step("U within ±" + number_text(limit), within);
  d.add_step("U′ = that + 1", within + 1.0);
}

/// The name that Shazeer 2020 gives to a gated layer with this activation.
std::string gate_name(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return "ReGLU";
    case Activation::gelu:
      return "GEGLU";
    case Activation::gelu_tanh:
      return "GEGLU, by tanh";
    case Activation::silu:
      return "SwiGLU";
  }
  return {};
}

std::string product_formula(const Trace& trace, const StageId& id) {
  const std::string a = input_symbol(trace, id), b = input_symbol(trace, id, 1);
  return id.kind == feed_forward_gated && trace.architecture().foreign.gate_limit == 0.0F
             ? a + " ⊙ " + b + " (" + gate_name(trace.architecture().activation) + ")"
             : a + " · " + b + ", number by number";
}

void derive_product(Derivation& d) {
  const StageId one = d.input(0), other = d.input(1);
  const std::string a = symbol_of(one), b = symbol_of(other);
  const double factor =
      d.read_cell(a + (d.id.kind == feed_forward_gated ? ", the gate" : ""), one, d.row, d.col);
  d.add_step(symbol_of(d.id) + " = " + a + " × " + b, factor * d.read_cell(b, other, d.row, d.col));
}

}  // namespace

std::string symbol_of_row(const StageId& id) {
  std::string symbol = symbol_of(id);
  for (char& c : symbol) c = c == 'Q' ? 'q' : c == 'K' ? 'k' : c;
  return symbol;
}

std::string expert_name(const Trace& trace, int expert) {
  return expert == experts_of(trace).count ? "the shared expert" : "expert " + std::to_string(expert);
}

NormedHead normed_head(const Trace& trace, const StageId& id) {
  NormedHead head;
  head.parts = trace.graph().inputs(id);
  if (info(head.parts.back().kind).is_parameter()) {
    head.gain = head.parts.back();
    head.parts.pop_back();
  }
  head.own = head.parts.front();
  if (info(id.kind).scope != StageScope::head) return head;
  const Architecture& a = trace.architecture();
  head.own = canonical(a, with_kind(id, head.own.kind));
  if (a.foreign.head_norm != HeadNorm::rms_of_head)
    head.first_gain =
        head.own.head / (info(id.kind).is_per_group ? a.group_size(id.layer) : 1) * a.head_width(id.layer);
  return head;
}

std::string name_of_rows(const StageId& id, const StageId& rows) {
  const StageInfo& line = info(rows.kind);
  if (id.attention == AttentionKind::cross && rows.kind == stack_output) return "memory";
  const bool is_in_layer = line.scope == StageScope::layer || line.scope == StageScope::attention;
  const bool flows = is_in_layer && line.cols == Axis::d_model && line.rows != Axis::distances;
  return flows ? "x" : symbol_of(rows);
}

std::span<const OpRecord> row_operations() {
  static constexpr std::array records{
      OpRecord{Op::sum, derive_sum, sum_formula},
      OpRecord{Op::copy, derive_copy, copy_formula},
      OpRecord{Op::norm, derive_norm, norm_formula},
      OpRecord{Op::head_norm, derive_head_norm, head_norm_formula},
      OpRecord{Op::linear, derive_linear, linear_formula, logits_of_tokens},
      OpRecord{Op::expert_linear, derive_expert_linear, linear_formula},
      OpRecord{Op::expert_sum, derive_linear, linear_formula},
      OpRecord{Op::route, derive_route, route_formula},
      OpRecord{Op::weigh, derive_weigh, "{0} · {1} of its expert"},
      OpRecord{Op::rotate, derive_rotated, rotated_formula},
      OpRecord{Op::feature_map, derive_mapped, "elu({0}) + 1"},
      OpRecord{Op::gate, derive_gate, gate_formula},
      OpRecord{Op::limited_gate, derive_limited_gate, limited_gate_formula},
      OpRecord{Op::limited_shift, derive_limited_shift, limited_shift_formula},
      OpRecord{Op::multiply, derive_product, product_formula},
      OpRecord{Op::word_softmax, derive_word_softmax, "softmax over words ({0})", probabilities_of_tokens},
      OpRecord{Op::activate, derive_activation, activation_formula},
  };
  return records;
}

}  // namespace headscope
