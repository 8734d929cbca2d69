#include "core/textbook/computed_example.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "core/engine/engine.h"
#include "core/textbook/origin_numbers.h"
#include "core/textbook/reductions.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

/// As many numbers as all quantities of an example may have.
constexpr std::size_t most_numbers = std::size_t{1} << 20U;

/// The passes of an example's cases, each computed when it is first asked for. As many are kept as fit into
/// the memory of one.
class CasePasses {
 public:
  explicit CasePasses(const WorkedExample& example) : example_(example) {}

  Result<std::shared_ptr<const Trace>> get(std::size_t index) {
    const auto known = std::ranges::find(kept_, index, &Kept::first);
    if (known != kept_.end()) return known->second;
    auto computed = engine_.compute(request_of(example_.cases[index].session), TooLong::refuse);
    if (!computed) return tl::unexpected(computed.error());
    kept_.emplace_back(index, *computed);
    while (kept_.size() > 1 && bytes() > default_trace_bytes) kept_.pop_front();
    return *computed;
  }

 private:
  using Kept = std::pair<std::size_t, std::shared_ptr<const Trace>>;
  std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const Kept& each : kept_) bytes += each.second->bytes();
    return bytes;
  }

  const WorkedExample& example_;
  Engine engine_;
  std::deque<Kept> kept_;
};

/// Whether every row of what it makes is of the same row of what it was given.
bool keeps_rows(Reduction reduction) {
  return reduction == Reduction::row_sums || reduction == Reduction::shares ||
         reduction == Reduction::lower_triangle || reduction == Reduction::argmax;
}

/// The stage whose axes the numbers have; nothing where they have none.
std::optional<StageId> stage_of(const Origin& origin) {
  if (const auto* stages = std::get_if<origin::Stages>(&origin)) return stages->stages.front();
  if (const auto* visible = std::get_if<origin::Visible>(&origin)) return visible->head;
  if (std::holds_alternative<origin::Candidates>(origin)) return StageId{.kind = StageKind::logits};
  return std::nullopt;
}

/// What the `n` rows or columns that are taken of a stage are of, where these are tokens or words.
std::vector<std::string> labels_of(const Trace& pass, const StageId& stage, Axis axis,
                                   const std::vector<int>& picked, int n) {
  std::vector<std::string> labels;
  if (!runs_over_tokens(axis) && axis != Axis::vocabulary) return labels;
  labels.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    labels.push_back(pass.label(stage, axis, picked.empty() ? i : picked[static_cast<std::size_t>(i)]));
  return labels;
}

/// Puts down what the rows and columns of a part are of: tokens and words, or the case of its single row.
void add_labels(const WorkedExample& example, const Quantity& quantity, std::size_t in_case,
                const Trace* pass, const NumberTable& part, ComputedQuantity& made) {
  const std::optional<StageId> stage = pass == nullptr ? std::nullopt : stage_of(quantity.origin);
  std::vector<std::string> rows;
  if (stage) {
    const StageInfo& about = info(stage->kind);
    const bool is_row = std::holds_alternative<origin::Candidates>(quantity.origin);
    if (!is_row) rows = labels_of(*pass, *stage, about.rows, quantity.rows, part.rows);
    made.cols = labels_of(*pass, *stage, about.cols, quantity.cols, part.cols);
  }
  if (rows.empty() && part.rows == 1 && quantity.cases.size() > 1) rows = {example.cases[in_case].name};
  std::ranges::move(rows, std::back_inserter(made.rows));
}

/// The labels that are still those of the numbers after everything is done with them.
void keep_true_labels(const Quantity& quantity, ComputedQuantity& made) {
  const auto keeps_cols = [](Reduction reduction) {
    return reduction == Reduction::shares || reduction == Reduction::lower_triangle;
  };
  const auto fits = [](const std::vector<std::string>& labels, int n) {
    return labels.size() == static_cast<std::size_t>(n);
  };
  if (!std::ranges::all_of(quantity.then, keeps_rows) || !fits(made.rows, made.numbers.rows))
    made.rows.clear();
  if (!std::ranges::all_of(quantity.then, keeps_cols) || !fits(made.cols, made.numbers.cols))
    made.cols.clear();
}

/// The numbers of a quantity, and what their rows are of.
Result<ComputedQuantity> computed_numbers(const WorkedExample& example, const Quantity& quantity,
                                          CasePasses& passes, std::size_t most) {
  ComputedQuantity made;
  NumberTable& whole = made.numbers;
  int n_matrices = 0;
  for (const std::size_t index : quantity.cases) {
    std::shared_ptr<const Trace> pass;
    if (needs_pass(quantity.origin)) {
      auto computed = passes.get(index);
      if (!computed) return tl::unexpected(computed.error());
      pass = std::move(*computed);
    }
    const auto tables = numbers_of(quantity, example.cases[index].session, pass, most - whole.values.size());
    if (!tables) return tl::unexpected(tables.error());
    for (const NumberTable& part : *tables) {
      if (!append_below(whole, part)) return failure("its matrices differ in their columns");
      add_labels(example, quantity, index, pass.get(), part, made);
      ++n_matrices;
    }
  }
  for (const Reduction reduction : quantity.then) {
    auto next = reduced(whole, reduction, n_matrices);
    if (!next) return tl::unexpected(next.error());
    whole = std::move(*next);
  }
  for (double& number : whole.values) number *= quantity.times;
  keep_true_labels(quantity, made);
  return made;
}

void compare(const Quantity& quantity, ComputedQuantity& computed) {
  if (!quantity.printed) return;
  const NumberTable& printed = *quantity.printed;
  if (printed.rows != computed.numbers.rows || printed.cols != computed.numbers.cols) {
    computed.problem = "the source prints " + std::to_string(printed.rows) + " × " +
                       std::to_string(printed.cols) + " numbers, computed are " +
                       std::to_string(computed.numbers.rows) + " × " + std::to_string(computed.numbers.cols);
    return;
  }
  computed.differs.reserve(printed.values.size());
  for (std::size_t i = 0; i < printed.values.size(); ++i)
    computed.differs.push_back(!agrees(printed.values[i], computed.numbers.values[i], quantity.digits));
  computed.n_differing = static_cast<int>(std::ranges::count(computed.differs, true));
}

}  // namespace

ComputedExample compute_example(const WorkedExample& example, const std::atomic<bool>* stop) {
  ComputedExample made;
  made.quantities.resize(example.quantities.size());
  CasePasses passes(example);
  std::size_t most = most_numbers;
  for (std::size_t i = 0; i < example.quantities.size(); ++i) {
    if (stop != nullptr && *stop) return made;
    ComputedQuantity& computed = made.quantities[i];
    auto numbers = computed_numbers(example, example.quantities[i], passes, most);
    if (numbers) {
      most -= std::min(most, numbers->numbers.values.size());
      computed = std::move(*numbers);
      compare(example.quantities[i], computed);
    } else {
      computed.problem = numbers.error().message;
    }
  }
  return made;
}

Verdict verdict(const Quantity& quantity, const ComputedQuantity& computed) {
  if (!computed.problem.empty()) return Verdict::failed;
  if (!quantity.printed) return Verdict::unprinted;
  if (computed.n_differing == 0) return Verdict::agrees;
  return quantity.reason.empty() ? Verdict::disagrees : Verdict::explained;
}

bool agrees(double printed, double computed, int digits) {
  if (!std::isfinite(printed) || !std::isfinite(computed)) return printed == computed;
  constexpr double single_precision = 4e-7;
  const double half = 0.5 * std::pow(10.0, -digits);
  const double slack = digits > 0 ? single_precision * std::max(1.0, std::fabs(computed)) : 0.0;
  return std::fabs(printed - computed) <= half + slack;
}

std::string printed_text(double number, int digits) {
  if (!std::isfinite(number)) return number_text(number);
  constexpr double most_grouped = 1e18;  // what a whole number of 64 bits holds
  if (digits == 0 && std::fabs(number) < most_grouped) {
    const auto whole = std::llround(number);
    return (whole < 0 ? "−" : "") + grouped(std::llabs(whole));
  }
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), std::fabs(number),
                                          std::chars_format::fixed, digits);
  if (error != std::errc()) return number_text(number);
  const std::string_view shown(text.data(), static_cast<std::size_t>(end - text.data()));
  const bool is_zero = shown.find_first_not_of("0.") == std::string_view::npos;
  return (number < 0.0 && !is_zero ? "−" : "") + std::string(shown);
}

std::string quantity_text(const Quantity& quantity, double number) {
  return quantity.printed || quantity.digits == 0 ? printed_text(number, quantity.digits)
                                                  : number_text(number);
}

Tally tally(const WorkedExample& example, const ComputedExample& computed) {
  Tally tally;
  for (std::size_t i = 0; i < example.quantities.size(); ++i) {
    const Quantity& quantity = example.quantities[i];
    const ComputedQuantity& of_it = computed.quantities[i];
    const Verdict said = verdict(quantity, of_it);
    if (said == Verdict::failed || said == Verdict::disagrees) ++tally.unexplained;
    if (said == Verdict::explained) ++tally.explained;
    if (!quantity.printed) continue;
    const auto n = static_cast<int>(quantity.printed->values.size());
    tally.printed += n;
    if (said != Verdict::failed) tally.agreeing += n - of_it.n_differing;
  }
  return tally;
}

}  // namespace headscope
