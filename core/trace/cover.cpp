#include "core/trace/cover.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "core/exact_text.h"

namespace headscope {
namespace {

template <class Item>
bool has(const std::vector<Item>& sorted, const Item& item) {
  return std::binary_search(sorted.begin(), sorted.end(), item);
}

template <class Item>
void insert(std::vector<Item>& sorted, const Item& item) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), item);
  if (at == sorted.end() || *at != item) sorted.insert(at, item);
}

template <class Item>
void erase(std::vector<Item>& sorted, const Item& item) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), item);
  if (at != sorted.end() && *at == item) sorted.erase(at);
}

/// A number in [0, 1) that depends on all bits of the seed and the cell (splitmix64 by Sebastiano Vigna).
double drawn(std::uint64_t seed, int row, int col) {
  const auto cell = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(row)) << 32U) |
                    static_cast<std::uint64_t>(static_cast<std::uint32_t>(col));
  const auto mixed = [](std::uint64_t z) {
    z += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  };
  constexpr double unit = 1.0 / 9007199254740992.0;  // 2^-53
  return static_cast<double>(mixed(mixed(seed) ^ cell) >> 11U) * unit;
}

/// One unit in the second significant digit, limited to 1 for large numbers and, for small ones, to 0.01, the
/// last decimal that maps print.
double last_digit_of(double magnitude) {
  constexpr double of_whole = 1.0;
  constexpr double min_step = 0.01;
  if (magnitude >= 10.0) return of_whole;
  return magnitude >= 1.0 ? 0.1 : min_step;
}

/// A number without a fraction bar.
std::optional<double> plain_number(std::string_view typed) {
  while (typed.ends_with(' ')) typed.remove_suffix(1);
  while (typed.starts_with(' ')) typed.remove_prefix(1);
  double sign = 1.0;
  for (const std::string_view mark : {"−", "-", "+"}) {
    if (!typed.starts_with(mark)) continue;
    typed.remove_prefix(mark.size());
    sign = mark == "+" ? 1.0 : -1.0;
    break;
  }
  if (typed == "inf" || typed == "∞") return sign * std::numeric_limits<double>::infinity();
  std::string text(typed);
  if (const std::size_t comma = text.find(','); comma != std::string::npos) text[comma] = '.';
  const bool begins_as_number =
      !text.empty() && std::string_view("0123456789.").find(text[0]) != std::string_view::npos;
  const auto number = begins_as_number ? parse_exact<double>(text) : std::nullopt;
  return number ? std::optional(sign * *number) : std::nullopt;
}

}  // namespace

bool Cover::rule_covers(int row, int col) const {
  return all || has(rows, row) || has(columns, col) || (every > 0 && (row + col) % every == 0) ||
         (share > 0.0F && drawn(seed, row, col) < static_cast<double>(share));
}

bool Cover::covers(int row, int col) const {
  if (!stage) return false;
  const StageCell cell{row, col};
  return (rule_covers(row, col) || has(cells, cell)) && !has(except, cell);
}

bool Cover::is_right(int row, int col) const {
  return has(right, StageCell{row, col});
}

bool Cover::hides_in_row(int row, int n_cols) const {
  if (!stage || solution) return false;
  for (int col = 0; col < n_cols; ++col) {
    if (hides(row, col)) return true;
  }
  return false;
}

std::optional<CoverCount> count_covered(const Cover& cover, int rows, int cols) {
  constexpr std::int64_t max_cells = 1'000'000;
  if (std::int64_t{rows} * cols > max_cells) return std::nullopt;
  CoverCount count;
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      if (!cover.covers(row, col)) continue;
      ++count.covered;
      if (cover.is_right(row, col)) ++count.right;
    }
  }
  return count;
}

bool hides_any(const Cover& cover, int rows, int cols) {
  if (!cover.stage || cover.solution) return false;
  const auto count = count_covered(cover, rows, cols);
  return !count || count->right < count->covered;
}

Cover with_cell(Cover cover, StageCell cell, bool covered) {
  erase(cover.right, cell);
  if (covered) {
    erase(cover.except, cell);
    if (!cover.covers(cell.row, cell.col)) insert(cover.cells, cell);
    return cover;
  }
  erase(cover.cells, cell);
  if (cover.covers(cell.row, cell.col)) insert(cover.except, cell);
  return cover;
}

std::optional<double> parse_answer(std::string_view typed) {
  const std::size_t bar = typed.find('/');
  if (bar == std::string_view::npos) return plain_number(typed);
  const auto above = plain_number(typed.substr(0, bar));
  const auto below = plain_number(typed.substr(bar + 1));
  if (!above || !below || *below == 0.0 || !std::isfinite(*above) || !std::isfinite(*below))
    return std::nullopt;
  return *above / *below;
}

bool is_right_answer(double answer, float value) {
  if (!std::isfinite(value) || !std::isfinite(answer)) return answer == static_cast<double>(value);
  constexpr double rounding = 1e-6;  // allows for the binary rounding of a decimal answer
  constexpr double share = 0.1;
  constexpr double min_step = 0.00005;
  const double magnitude = std::abs(static_cast<double>(value));
  const double of_number = std::max(share * magnitude, min_step);
  return std::abs(answer - static_cast<double>(value)) <=
         std::min(last_digit_of(magnitude), of_number) * (1.0 + rounding);
}

}  // namespace headscope
