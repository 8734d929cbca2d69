#include "core/trace/prediction_stages.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/model/pass.h"
#include "core/tensor/softmax.h"
#include "core/trace/derivation.h"

namespace headscope::stages {
namespace {

/// A sentence such as "After “it” (token 7), the logit of “was” is 0.3". It begins with "At “it” …" for a
/// trained encoder, which fills in that very word.
std::string word_sentence(const Trace& trace, const StageId& id, const CellValue& cell, const char* what) {
  const bool fills_in = !trace.is_untrained() && trace.architecture().last_stack() == Stack::encoder;
  return (fills_in ? "At " : "After ") + token_as(trace, id, Axis::query_tokens, "token", cell.row) +
         ", the " + what + " of “" + trace.label(id, Axis::vocabulary, cell.col) + "” is " +
         number_text(cell.value);
}

}  // namespace

std::string layer_output_formula(const Trace& trace, const StageId& id) {
  return std::string(info(trace.graph().inputs(id).front().kind).symbol);
}

std::string stack_output_formula(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  if (a.layers_of(id.stack) == 0) return "X, because there are no layers";
  return a.has_final_norm(id.stack) ? norm_name(trace) + "(x′ of the last layer)" : "x′ of the last layer";
}

std::string logits_formula(const Trace& trace, const StageId& id) {
  const std::string linear = formula_by_operation(trace, id);
  const float cap = trace.architecture().logit_softcap;
  if (cap == 0.0F) return linear;
  const std::string c = number_text(cap);
  return c + " · tanh((" + linear + ") / " + c + ")";
}

std::string logits_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return word_sentence(trace, id, cell, "logit");
}

std::string probabilities_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return word_sentence(trace, id, cell, "probability");
}

RowMaker logits_maker(const Trace& trace, const StageId& /*id*/) {
  struct Rows {
    std::mutex mutex;
    std::map<int, Matrix> of_tokens;
  };
  // Pages read the same few rows again and again.
  constexpr std::size_t most_rows = 64;
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
    if (known->of_tokens.size() >= most_rows) known->of_tokens.clear();
    known->of_tokens.insert_or_assign(first, std::move(made));
  };
}

RowMaker probabilities_maker(const Trace& trace, const StageId& id) {
  const StageId from = at_kind(id, logits);
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

void derive_logits(Derivation& d) {
  derive_linear(d);
  const double cap = d.trace.architecture().logit_softcap;
  if (cap == 0.0) return;
  const std::string c = number_text(cap);
  const double score = d.sheet.steps.back().value;
  d.add_step("L = " + c + " · tanh(that / " + c + ")", cap * std::tanh(score / cap),
             "the softcap of the logits keeps each within ±" + c);
}

void derive_probabilities(Derivation& d) {
  const std::vector<float> logits = d.row_of(StageKind::logits, d.row);
  const double maximum = *std::max_element(logits.begin(), logits.end());
  std::vector<float> exponents;
  double sum = 0.0;
  for (const float logit : logits) {
    const double exponent = std::exp(static_cast<double>(logit) - maximum);
    exponents.push_back(static_cast<float>(exponent));
    sum += exponent;
  }
  const double own = std::exp(static_cast<double>(logits[static_cast<std::size_t>(d.col)]) - maximum);
  const std::vector<std::string>& words = d.trace.vocabulary();
  d.add_strip({"logits of " + d.quoted(d.row), logits, words});
  d.add_computed_strip({"exp(logit − row maximum)", std::move(exponents), words});
  d.add_source(StageKind::logits, d.row, std::nullopt);
  d.add_step("row maximum", maximum);
  d.add_step("exp(logit − row maximum)", own);
  d.add_step("Σ over words", sum);
  d.add_step("probability = exp / Σ over words", own / sum);
}

}  // namespace headscope::stages
