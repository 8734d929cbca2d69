#include "core/page/parts/attention_lines.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace headscope {
namespace {

/// The weight of a key, or 0 if the cell does not hold a finite number.
float weight_at(std::span<const float> row, int key) {
  const float weight = row[static_cast<std::size_t>(key)];
  return std::isfinite(weight) ? weight : 0.0F;
}

bool is_heavier(const AttentionLine& a, const AttentionLine& b) {
  return a.weight > b.weight;
}

/// The lightest of the heaviest weights that together have `share` of their sum.
float min_of_share(std::vector<float> weights, double sum, float share) {
  if (share >= 1.0F) return 0.0F;
  std::ranges::sort(weights, std::greater{});
  constexpr double rounding = 1e-6;  // Allows for the rounding errors of float sums.
  const double wanted = (static_cast<double>(share) - rounding) * sum;
  double reached = 0.0;
  for (const float weight : weights) {
    reached += static_cast<double>(weight);
    if (reached >= wanted) return weight;
  }
  return 0.0F;
}

}  // namespace

RowRule rule_of(std::span<const float> row, const LineRules& rules) {
  double total = 0.0;
  double hidden = 0.0;
  std::vector<float> shown;
  const bool sorts = rules.share < 1.0F;
  if (sorts) shown.reserve(row.size());
  for (int key = 0; key < static_cast<int>(row.size()); ++key) {
    const float weight = weight_at(row, key);
    total += static_cast<double>(weight);
    if (rules.hides(key)) {
      hidden += static_cast<double>(weight);
    } else if (sorts) {
      shown.push_back(weight);
    }
  }
  RowRule rule;
  rule.hidden = static_cast<float>(hidden);
  const double rest = total - hidden;
  constexpr double nothing = 1e-12;
  if (rest <= nothing) {
    rule.scale = 0.0F;
    rule.least = rules.threshold;
    return rule;
  }
  if (hidden > 0.0) rule.scale = static_cast<float>(total / rest);
  rule.total = static_cast<float>(total);
  rule.least = std::max(rules.threshold, min_of_share(std::move(shown), rest, rules.share) * rule.scale);
  return rule;
}

LineCollector::LineCollector(LineRules rules, PickedTokens from, std::size_t limit)
    : rules_(std::move(rules)), from_(std::move(from)), limit_(limit) {}

void LineCollector::keep(const AttentionLine& line) {
  ++found_.n_found;
  std::vector<AttentionLine>& kept = found_.lines;
  if (kept.size() < limit_) {
    kept.push_back(line);
    std::ranges::push_heap(kept, is_heavier);
  } else if (!kept.empty() && is_heavier(line, kept.front())) {
    std::ranges::pop_heap(kept, is_heavier);
    kept.back() = line;
    std::ranges::push_heap(kept, is_heavier);
  }
}

void LineCollector::add_row(int query, std::span<const float> row) {
  const bool is_picked = !from_.are_keys && std::ranges::binary_search(from_.tokens, query);
  if (!from_.are_keys && !from_.tokens.empty() && !is_picked) return;
  const RowRule rule = rule_of(row, rules_);
  found_.hidden += static_cast<double>(rule.hidden);
  found_.before += static_cast<double>(rule.total > 0.0F ? rule.total : rule.hidden);
  const auto take_key = [&](int key) {
    if (rules_.hides(key)) return;
    const float weight = weight_at(row, key) * rule.scale;
    found_.total += static_cast<double>(weight);
    if (!from_.tokens.empty()) {
      const int other = from_.are_keys ? query : key;
      found_.shares.back()[static_cast<std::size_t>(other)] += weight;
    }
    if (weight > 0.0F && weight >= rule.least) keep({head_, query, key, weight});
  };
  if (from_.are_keys && !from_.tokens.empty()) {
    std::ranges::for_each(from_.tokens, take_key);
    return;
  }
  for (int key = 0; key < static_cast<int>(row.size()); ++key) take_key(key);
}

void LineCollector::begin_head(int n_queries, int n_keys) {
  ++head_;
  if (from_.tokens.empty()) return;
  found_.shares.emplace_back(static_cast<std::size_t>(from_.are_keys ? n_queries : n_keys), 0.0F);
}

void LineCollector::add(int first_query, const MatrixView& rows) {
  for (int row = 0; row < rows.rows; ++row) add_row(first_query + row, rows.row(row));
}

FoundLines LineCollector::take() {
  FoundLines found = std::exchange(found_, {});
  std::ranges::sort_heap(found.lines, is_heavier);
  std::ranges::reverse(found.lines);
  found.drawn = 0.0;
  for (const AttentionLine& line : found.lines) found.drawn += static_cast<double>(line.weight);
  return found;
}

}  // namespace headscope
