#include "core/session/lines_words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "core/exact_text.h"
#include "core/split_text.h"

namespace headscope {
namespace {

constexpr std::string_view none = "none";

constexpr std::array hideable{std::pair{std::string_view("first"), &HiddenKeys::first},
                              std::pair{std::string_view("special"), &HiddenKeys::special},
                              std::pair{std::string_view("punctuation"), &HiddenKeys::punctuation}};

std::optional<int> token_number(std::string_view text) {
  const auto number = parse_exact<int>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

tl::unexpected<Error> not_taken(std::string_view word, const char* must) {
  return usage_error("“" + std::string(word) + "” must be " + must);
}

}  // namespace

std::string format_hidden_keys(const Session& session) {
  std::string words;
  for (const auto& [name, member] : hideable) {
    if (session.lines.hidden.*member) words += (words.empty() ? "" : ",") + std::string(name);
  }
  return words.empty() ? std::string(none) : words;
}

Result<void> parse_hidden_keys(Session& session, std::string_view words) {
  HiddenKeys hidden;
  if (words != none && !words.empty()) {
    for (const std::string_view word : split_text(words, ',')) {
      const auto* found = std::ranges::find(hideable, word, [](const auto& one) { return one.first; });
      if (found == hideable.end())
        return not_taken(word, "first, special or punctuation, separated by commas, or none");
      hidden.*(found->second) = true;
    }
  }
  session.lines.hidden = hidden;
  return {};
}

std::string format_picked_tokens(const Session& session) {
  const PickedTokens& picked = session.selection.picked;
  if (picked.tokens.empty()) return std::string(none);
  std::string words = picked.are_keys ? "keys:" : "queries:";
  for (std::size_t i = 0; i < picked.tokens.size(); ++i)
    words += (i == 0 ? "" : ",") + std::to_string(picked.tokens[i]);
  return words;
}

Result<void> parse_picked_tokens(Session& session, std::string_view words) {
  PickedTokens picked;
  if (words != none && !words.empty()) {
    constexpr std::string_view queries = "queries:";
    constexpr std::string_view keys = "keys:";
    picked.are_keys = words.starts_with(keys);
    if (!picked.are_keys && !words.starts_with(queries))
      return not_taken(words, "queries: or keys: and token numbers, such as queries:3,5");
    for (const std::string_view word :
         split_text(words.substr((picked.are_keys ? keys : queries).size()), ',')) {
      const auto number = token_number(word);
      if (!number) return not_taken(word, "the number of a token, counted from 0");
      picked.tokens.push_back(*number);
    }
    std::ranges::sort(picked.tokens);
    picked.tokens.erase(std::unique(picked.tokens.begin(), picked.tokens.end()), picked.tokens.end());
  }
  session.selection.picked = std::move(picked);
  return {};
}

}  // namespace headscope
