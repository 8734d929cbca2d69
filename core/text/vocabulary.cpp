#include "core/text/vocabulary.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <unordered_map>

#include "core/split_text.h"

namespace headscope {
namespace {

constexpr std::string_view padding = "[pad]";

std::string line_name(int id) {
  return "line " + std::to_string(id + 1);
}

tl::unexpected<Error> empty_word(int id) {
  return failure("the vocabulary has no word on " + line_name(id));
}

/// 64-bit FNV-1a with a final mixing step that makes the low bits depend on all bits.
std::uint64_t hash_of_word(std::string_view word) {
  std::uint64_t h = 0xcbf29ce484222325U;
  for (const char c : word) {
    h ^= static_cast<unsigned char>(c);
    h *= 0x100000001b3U;
  }
  h = (h ^ (h >> 30U)) * 0xbf58476d1ce4e5b9U;
  return h ^ (h >> 31U);
}

/// The first free placeholder from the word's own on, or the word's own if none is free.
std::size_t probe(std::string_view lookup, const std::vector<int>& placeholders,
                  const std::vector<int>& taken) {
  const auto own = static_cast<std::size_t>(hash_of_word(lookup) % placeholders.size());
  for (std::size_t step = 0; step < placeholders.size(); ++step) {
    const std::size_t place = (own + step) % placeholders.size();
    if (std::ranges::find(taken, placeholders[place]) == taken.end()) return place;
  }
  return own;
}

}  // namespace

std::optional<std::string> placeholder_ending(std::string_view word) {
  constexpr std::string_view opening = "[new";
  if (!word.starts_with(opening) || !word.ends_with(']')) return std::nullopt;
  std::string_view rest = word.substr(opening.size(), word.size() - opening.size() - 1);
  std::string_view ending;
  if (rest.starts_with('-')) {
    const std::size_t end = std::min(rest.find_first_of("0123456789"), rest.size());
    ending = rest.substr(1, end - 1);
    rest.remove_prefix(end);
    if (ending.empty()) return std::nullopt;
  }
  const bool is_number = !rest.empty() && rest.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? std::optional(std::string(ending)) : std::nullopt;
}

Result<Vocabulary> Vocabulary::make(std::vector<std::string> words) {
  if (words.empty()) return failure("a vocabulary needs at least one word");
  Vocabulary made;
  made.words_ = std::move(words);
  for (int id = 0; id < made.size(); ++id) {
    const std::string& word = made.word(id);
    if (word.empty()) return empty_word(id);
    if (word.find_first_of("\r\n") != std::string::npos)
      return failure("the vocabulary has a word with a line break on " + line_name(id));
    if (word == padding) made.pad_ = id;
    if (word == "[blank]") made.blank_ = id;
    if (word == "[begin]") made.begin_ = id;
    if (word == "[end]") made.end_ = id;
    if (const auto ending = placeholder_ending(word)) made.add_placeholder(*ending, id);
  }
  made.sorted_.resize(made.words_.size());
  std::iota(made.sorted_.begin(), made.sorted_.end(), 0);
  std::stable_sort(made.sorted_.begin(), made.sorted_.end(),
                   [&](int x, int y) { return made.word(x) < made.word(y); });
  const auto twice = std::adjacent_find(made.sorted_.begin(), made.sorted_.end(),
                                        [&](int x, int y) { return made.word(x) == made.word(y); });
  if (twice != made.sorted_.end())
    return failure("the vocabulary lists “" + made.word(*twice) + "” twice, on " + line_name(*twice) +
                   " and on " + line_name(*(twice + 1)) + "; each word may be listed only once");
  return made;
}

Vocabulary Vocabulary::from_pieces(std::vector<std::string> pieces, int pad, int end) {
  Vocabulary made;
  made.pad_ = pad;
  made.end_ = end;
  made.words_ = std::move(pieces);
  made.has_pieces_ = true;
  return made;
}

std::optional<int> Vocabulary::find(std::string_view lookup) const {
  const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), lookup,
                                      [&](int id, std::string_view wanted) { return word(id) < wanted; });
  if (found == sorted_.end() || word(*found) != lookup) return std::nullopt;
  return *found;
}

bool is_blank(std::string_view lookup) {
  return !lookup.empty() && lookup.find_first_not_of('_') == std::string_view::npos;
}

int Vocabulary::n_ordinary() const {
  return static_cast<int>(
      std::ranges::count_if(words_, [](const std::string& word) { return !is_special(word); }));
}

int Vocabulary::n_placeholders() const {
  std::size_t n = 0;
  for (const Placeholders& group : placeholders_) n += group.ids.size();
  return static_cast<int>(n);
}

bool Vocabulary::is_placeholder(int id) const {
  return std::ranges::any_of(placeholders_, [&](const Placeholders& group) {
    return std::binary_search(group.ids.begin(), group.ids.end(), id);
  });
}

void Vocabulary::add_placeholder(const std::string& ending, int id) {
  auto group = std::ranges::find(placeholders_, ending, &Placeholders::ending);
  if (group == placeholders_.end()) {
    placeholders_.push_back({ending, {}});
    // Longer endings are tried first.
    std::ranges::stable_sort(placeholders_, std::greater<>(),
                             [](const Placeholders& x) { return x.ending.size(); });
    group = std::ranges::find(placeholders_, ending, &Placeholders::ending);
  }
  group->ids.push_back(id);
}

const std::vector<int>& Vocabulary::placeholders_for(std::string_view lookup) const {
  constexpr std::size_t shortest_stem = 2;
  static const std::vector<int> none;
  for (const Placeholders& group : placeholders_) {
    const bool has_stem = group.ending.empty() || lookup.size() >= group.ending.size() + shortest_stem;
    if (has_stem && lookup.ends_with(group.ending)) return group.ids;
  }
  return none;
}

bool Vocabulary::knows(const Token& token) const {
  return has_pieces_ || find(token.lookup).has_value() || (blank_ >= 0 && is_blank(token.lookup));
}

void Vocabulary::assign_ids(std::vector<Token>& tokens) const {
  if (has_pieces_) {
    for (Token& token : tokens) {
      if (token.lookup == padding) token.id = pad_;
    }
    return;
  }
  std::vector<int> taken;
  std::vector<Token*> unknown;
  for (Token& token : tokens) {
    if (const std::optional<int> id = find(token.lookup)) {
      token.id = *id;
      if (is_placeholder(*id)) taken.push_back(*id);
    } else if (blank_ >= 0 && is_blank(token.lookup)) {
      token.id = blank_;
    } else {
      unknown.push_back(&token);
    }
  }
  std::unordered_map<std::string_view, int> chosen;
  for (Token* token : unknown) {
    const std::vector<int>& placeholders = placeholders_for(token->lookup);
    if (placeholders.empty()) {
      token->id = blank_ >= 0 ? blank_ : std::max(pad_, 0);
      continue;
    }
    const auto [entry, is_first] = chosen.try_emplace(token->lookup, 0);
    if (is_first) {
      entry->second = placeholders[probe(token->lookup, placeholders, taken)];
      taken.push_back(entry->second);
    }
    token->id = entry->second;
  }
}

std::string Vocabulary::to_text() const {
  std::string text;
  for (const std::string& word : words_) text += word + '\n';
  return text;
}

Result<Vocabulary> Vocabulary::from_text(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    words.emplace_back(take_line(text));
    if (words.back().empty()) return empty_word(static_cast<int>(words.size()) - 1);
  }
  return make(std::move(words));
}

std::string text_of(const Vocabulary& vocabulary, std::span<const int> ids) {
  return join_texts(ids, " ", [&](int id) -> const std::string& { return vocabulary.word(id); });
}

}  // namespace headscope
