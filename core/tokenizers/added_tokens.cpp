#include "core/tokenizers/added_tokens.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/tokenizers/characters.h"

namespace headscope {
namespace {

/// The size of a trie node, including growth.
constexpr std::size_t bytes_per_added_byte = 64;

bool stands_alone(std::string_view text, TextSpan span) {
  return (span.begin == 0 || !is_word_character(character_before(text, span.begin).value)) &&
         (span.end == text.size() || !is_word_character(character_at(text, span.end).value));
}

}  // namespace

bool has_token(const std::vector<AddedToken>& tokens, std::string_view content) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [content](const AddedToken& token) { return token.content == content; });
}

void add_if_new(const AddedToken& token, std::vector<AddedToken>& to) {
  if (!has_token(to, token.content)) to.push_back(token);
}

void AddedTokens::add(const AddedToken& token, int id) {
  ids_[token.content] = id;
  tokens_[id] = token;
  size_ = std::max(size_, id + 1);
}

Result<AddedTokens> AddedTokens::make(const std::vector<AddedToken>& tokens, const PieceTable& pieces,
                                      const Normalizer& normalizer) {
  AddedTokens result;
  std::vector<const AddedToken*> specials;
  std::vector<const AddedToken*> others;
  std::unordered_map<std::string_view, bool> is_listed;
  std::size_t n_bytes = 0;
  for (const AddedToken& token : tokens) {
    if (token.content.empty()) continue;
    n_bytes += token.content.size();
    const std::string shown = "the added token '" + token.content.substr(0, 100) + "'";
    const auto known = result.find(token.content);
    const auto in_vocabulary = known ? known : pieces.find(token.content);
    const int id =
        in_vocabulary ? *in_vocabulary : token.id.value_or(std::max(result.size(), pieces.count()));
    if (id < 0 || id == std::numeric_limits<int>::max())
      return failure(shown + " has the invalid id " + std::to_string(id));
    if (token.is_special && !std::exchange(is_listed[token.content], true)) specials.push_back(&token);
    if (!is_listed[token.content]) others.push_back(&token);
    result.add(token, id);
  }
  // If the normalized texts of two tokens are equal, the first token is found. Special tokens come first.
  specials.insert(specials.end(), others.begin(), others.end());
  std::reverse(specials.begin(), specials.end());
  std::vector<PrefixTrie::Entry> originals;
  std::vector<PrefixTrie::Entry> in_normalized;
  const auto normalize = [&](Budget& budget) {
    return result_of([&] {
      budget.take(static_cast<std::size_t>(result.size()), sizeof(std::string));
      for (const AddedToken* const token : specials) {
        const int id = result.ids_.at(token->content);
        if (!token->is_normalized) {
          originals.emplace_back(token->content, id);
          continue;
        }
        const auto content = normalized(LocatedText(token->content, budget), normalizer);
        if (content.empty()) continue;
        budget.take(content.size(), bytes_per_added_byte);
        in_normalized.emplace_back(content.text(), id);
      }
    });
  };
  const auto done = within_budget(Budget(n_bytes), "the added tokens cannot be normalized",
                                  "use a tokenizer with fewer of them or a simpler normalizer", normalize);
  if (!done) return tl::unexpected(done.error());
  result.originals_ = PrefixTrie(std::move(originals));
  result.normalized_ = PrefixTrie(std::move(in_normalized));
  return result;
}

std::vector<AddedTokenPart> AddedTokens::parts(std::string_view text, bool is_normalized,
                                               Budget& budget) const {
  const PrefixTrie& trie = is_normalized ? normalized_ : originals_;
  std::vector<AddedTokenPart> result;
  std::size_t done = 0;
  for (std::size_t at = 0; !trie.empty() && at < text.size();) {
    budget.check_time();
    const auto found = trie.longest(text.substr(at));
    if (!found) {
      ++at;
      continue;
    }
    TextSpan span{at, at + found->second};
    at = span.end;
    const AddedToken& token = tokens_.at(found->first);
    // White space consumed by the previous token is not available.
    if (span.begin < done || (token.is_single_word && !stands_alone(text, span))) continue;
    if (token.strips_left) span.begin = std::max(spaces_before(text, span.begin), done);
    if (token.strips_right) span.end = spaces_after(text, span.end);
    // At most two parts, including vector growth.
    budget.take(4 * sizeof(AddedTokenPart));
    if (done < span.begin) result.push_back({{done, span.begin}, std::nullopt});
    result.push_back({span, found->first});
    done = span.end;
  }
  if (done < text.size()) result.push_back({{done, text.size()}, std::nullopt});
  return result;
}

std::optional<int> AddedTokens::find(std::string_view content) const {
  const auto found = ids_.find(std::string(content));
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const AddedToken* AddedTokens::token(int id) const {
  const auto found = tokens_.find(id);
  return found == tokens_.end() ? nullptr : &found->second;
}

bool AddedTokens::is_special(int id) const {
  const AddedToken* const found = token(id);
  return found != nullptr && found->is_special;
}

}  // namespace headscope
