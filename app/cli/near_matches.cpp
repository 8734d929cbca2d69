#include "app/cli/near_matches.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "app/cli/option_values.h"

namespace headscope {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// The Levenshtein distance, computed row by row.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// A small number if few letters differ. Empty if the words are too different for one to be meant by the
/// other.
std::optional<std::size_t> nearness(const std::string& wanted, const std::string& known) {
  constexpr std::size_t least_beginning = 3;
  const bool begins = std::min(wanted.size(), known.size()) >= least_beginning &&
                      (known.starts_with(wanted) || wanted.starts_with(known));
  const std::size_t d = distance(wanted, known);
  const bool is_near = begins || d <= std::max<std::size_t>(1, wanted.size() / 3);
  return is_near ? std::optional(d) : std::nullopt;
}

}  // namespace

std::vector<std::string> near_matches(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t longest_word = 64;
  if (word.empty() || word.size() > longest_word) return {};
  const std::string wanted = lower(word);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : names) {
    const std::string known = lower(name);
    const auto whole = nearness(wanted, known);
    const auto last_part = nearness(wanted, known.substr(known.rfind('.') + 1));
    const bool is_last_word = wanted.starts_with("--") && known.ends_with(wanted.substr(1));
    const std::size_t far = std::numeric_limits<std::size_t>::max();
    const std::size_t d = std::min(whole.value_or(far), is_last_word ? 0 : last_part.value_or(far));
    if (d != far) near.emplace_back(d, name);
  }
  std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string>::first);
  const bool is_exact = !near.empty() && near.front().first == 0;
  std::vector<std::string> found;
  for (auto& [d, name] : near) {
    if (d == 0 || !is_exact) found.push_back(std::move(name));
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  const std::vector<std::string> near = near_matches(word, names);
  return near.empty() ? "" : "did you mean " + joined_with_or({near.begin(), near.end()}) + "?";
}

std::string it_takes(std::string_view word, const std::vector<std::string>& names) {
  const std::string asked = did_you_mean(word, names);
  return asked.empty() ? "it takes " : asked + " It takes ";
}

std::string choose_among(std::string_view word, const std::vector<std::string>& names) {
  const std::string asked = did_you_mean(word, names);
  return asked.empty() ? "choose " : asked + " Otherwise choose ";
}

}  // namespace headscope
