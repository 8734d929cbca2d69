#include "core/model/pass_edits.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace headscope {
namespace {

HeadId attention_of(HeadId place) {
  place.head = 0;
  return place;
}

double sum_of(std::span<const float> weights) {
  double sum = 0.0;
  for (const float weight : weights) sum += static_cast<double>(weight);
  return sum;
}

void scale_to(std::span<float> weights, double total, double sum) {
  for (float& weight : weights) weight = static_cast<float>(static_cast<double>(weight) * total / sum);
}

int count_visible(const VisibleKeys& visible, std::size_t n_keys) {
  int n = 0;
  for (std::size_t key = 0; key < n_keys; ++key) n += visible.sees(static_cast<int>(key)) ? 1 : 0;
  return n;
}

void make_uniform(const VisibleKeys& visible, WeightChange& change, std::span<float> weights) {
  change.origin = WeightOrigin::uniform;
  if (change.n_visible == 0) return;
  const float share = static_cast<float>(change.total) / static_cast<float>(change.n_visible);
  for (std::size_t key = 0; key < weights.size(); ++key)
    weights[key] = visible.sees(static_cast<int>(key)) ? share : 0.0F;
}

/// Copies the weights of visible keys from another pass, scaled to the row's sum.
void apply_pattern(std::span<const float> pattern, const VisibleKeys& visible, WeightChange& change,
                   std::span<float> weights) {
  change.origin = WeightOrigin::no_counterpart;
  if (std::isnan(pattern.front())) return;
  std::vector<float> taken(pattern.begin(), pattern.end());
  for (std::size_t key = 0; key < taken.size(); ++key) {
    if (!visible.sees(static_cast<int>(key))) taken[key] = 0.0F;
  }
  const double sum = sum_of(taken);
  change.origin = sum > 0.0 ? WeightOrigin::compared : WeightOrigin::nothing_compared;
  if (sum <= 0.0) return;
  change.compared = sum;
  std::ranges::copy(taken, weights.begin());
  scale_to(weights, change.total, sum);
}

void apply_given_weights(std::span<const GivenWeight> given, const VisibleKeys& visible, WeightChange& change,
                         std::span<float> weights) {
  std::vector<float> fixed(weights.size(), 0.0F);
  for (const GivenWeight& each : given) {
    if (each.cell.key < visible.first) continue;
    const auto key = static_cast<std::size_t>(each.cell.key - visible.first);
    const bool is_used = key < weights.size() && visible.sees(each.cell.key - visible.first);
    ++(is_used ? change.n_given : change.n_hidden);
    if (!is_used) continue;
    fixed[key] = each.weight;
    weights[key] = 0.0F;
  }
  change.others = sum_of(weights);
  change.given = sum_of(fixed);
  if ((change.others <= 0.0 && change.given <= 0.0) || change.total <= 0.0) return;
  // Given weights are used unscaled, unless they exceed the row's sum or are its only weights.
  change.fills_row = change.given >= change.total || change.others <= 0.0;
  if (change.fills_row) scale_to(fixed, change.total, change.given);
  if (change.others > 0.0)
    scale_to(weights, change.fills_row ? 0.0 : change.total - change.given, change.others);
  for (std::size_t key = 0; key < weights.size(); ++key) weights[key] += fixed[key];
}

/// The sum of the pattern over visible keys, at most 1, or `fallback` if it is 0.
double shown_sum(std::span<const float> pattern, const VisibleKeys& visible, double fallback) {
  if (std::isnan(pattern.front())) return fallback;
  double sum = 0.0;
  for (std::size_t key = 0; key < pattern.size(); ++key) {
    if (visible.sees(static_cast<int>(key))) sum += static_cast<double>(pattern[key]);
  }
  return sum > 0.0 ? std::min(sum, 1.0) : fallback;
}

}  // namespace

const std::vector<HeadEdits>* PassEdits::heads_of(const HeadId& attention) const {
  const auto found = std::ranges::find(attentions, attention_of(attention), &AttentionEdits::place);
  return found == attentions.end() ? nullptr : &found->heads;
}

const HeadEdits* PassEdits::of(const HeadId& place) const {
  return edits_of(heads_of(place), place.head);
}

HeadEdits& PassEdits::at(HeadId id) {
  const int head = std::exchange(id.head, 0);
  auto found = std::ranges::find(attentions, id, &AttentionEdits::place);
  if (found == attentions.end()) found = attentions.insert(found, AttentionEdits{id, {}});
  auto edits = std::ranges::find(found->heads, head, &HeadEdits::head);
  if (edits == found->heads.end()) {
    edits = found->heads.insert(edits, HeadEdits{});
    edits->head = head;
  }
  return *edits;
}

const RowEdit* PassEdits::of(const StageId& stage, int row) const {
  const RowEdit* found = nullptr;
  for (const RowEdit& edit : rows) {
    if (edit.applies_to(stage, row) && (found == nullptr || edit.row == row)) found = &edit;
  }
  return found;
}

void apply_row_edits(const PassEdits& edits, const StageId& stage, const MutableRows& rows) {
  for (const auto& [given, numbers] : edits.given) {
    if (given != stage) continue;
    for (int row = 0; row < std::min(rows.n, numbers->rows - rows.first); ++row)
      std::ranges::copy(numbers->view().row(rows.first + row), rows.data + row * rows.stride);
  }
  const auto replace = [&](const RowEdit& edit, int row) {
    float* const numbers = rows.data + (row - rows.first) * rows.stride;
    if (edit.source != PatchSource::scaled) {
      std::ranges::copy(edit.numbers, numbers);
      return;
    }
    for (int i = 0; i < rows.width; ++i) numbers[i] *= edit.factor;
  };
  for (const RowEdit& edit : edits.rows) {
    if (edit.stage != stage) continue;
    const bool is_every = edit.row == every_row;
    const int first = is_every ? rows.first : std::max(edit.row, rows.first);
    const int end = std::min(is_every ? rows.first + rows.n : edit.row + 1, rows.first + rows.n);
    for (int row = first; row < end; ++row) {
      if (!is_every || edits.of(stage, row) == &edit) replace(edit, row);
    }
  }
}

const HeadEdits* edits_of(const std::vector<HeadEdits>* heads, int head) {
  if (heads == nullptr) return nullptr;
  const auto found = std::ranges::find(*heads, head, &HeadEdits::head);
  return found == heads->end() ? nullptr : &*found;
}

RowSums row_sums(SoftmaxAxis softmax, bool has_sinks) {
  if (softmax == SoftmaxAxis::queries) return RowSums::any;
  return has_sinks ? RowSums::less : RowSums::one;
}

WeightChange edit_weights(const HeadEdits& edits, int row, const VisibleKeys& visible,
                          std::span<float> weights, RowSums sums) {
  WeightChange change;
  if (weights.empty()) return change;
  change.total = sums == RowSums::one ? 1.0 : sum_of(weights);
  change.n_visible = count_visible(visible, weights.size());
  if (edits.is_uniform) make_uniform(visible, change, weights);
  if (!edits.pattern.empty()) {
    const std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(edits.n_keys);
    const auto pattern =
        std::span(edits.pattern).subspan(at + static_cast<std::size_t>(visible.first), weights.size());
    if (sums == RowSums::less) change.total = shown_sum(pattern, visible, change.total);
    apply_pattern(pattern, visible, change, weights);
  }
  const auto of_row = [](const GivenWeight& given) { return given.cell.query; };
  const auto first = std::ranges::lower_bound(edits.weights, row, {}, of_row);
  const auto last = std::ranges::upper_bound(edits.weights, row, {}, of_row);
  if (first != last)
    apply_given_weights(std::span(&*first, static_cast<std::size_t>(last - first)), visible, change, weights);
  return change;
}

}  // namespace headscope
