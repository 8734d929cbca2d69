#include "core/tokenizers/word_piece.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tokenizers/characters.h"
#include "core/tokenizers/prefix_trie.h"

namespace headscope {
namespace {

tl::unexpected<Error> no_unknown(std::string_view word, const std::string& unknown) {
  return failure("the vocabulary has neither a piece for '" + std::string(word.substr(0, 100)) +
                 "' nor the unknown token '" + unknown + "'");
}

PrefixTrie trie_of(const PieceTable& pieces) {
  std::vector<PrefixTrie::Entry> entries;
  for (int id = 0; id < pieces.size(); ++id) {
    const std::string_view piece = pieces.piece(id);
    const auto found = piece.empty() ? std::nullopt : pieces.find(piece);
    if (found) entries.emplace_back(piece, *found);
  }
  return PrefixTrie(std::move(entries));
}

class WordPiece : public SubwordModel {
 public:
  WordPiece(PieceTable pieces, WordPieceOptions options)
      : SubwordModel(std::move(pieces)), options_(std::move(options)), trie_(trie_of(this->pieces())) {
    unknown_ = this->pieces().find(options_.unknown);
    PrefixTrie::Node node = PrefixTrie::root();
    bool is_there = true;
    for (const char byte : options_.continuing_prefix) is_there = is_there && trie_.advance(node, byte);
    if (is_there) continuing_ = node;
  }

  std::string_view name() const override { return "WordPiece"; }
  std::optional<int> unknown() const override { return unknown_; }

  Result<void> split(std::string_view word, std::vector<WordPart>& to, Budget& budget) const override {
    const std::size_t first = to.size();
    bool is_known = character_count(word) <= options_.max_characters;
    for (std::size_t at = 0; is_known && at < word.size();) {
      budget.check_time();
      const auto longest = longest_from(word, at);
      is_known = longest.has_value();
      if (!longest) break;
      to.push_back(*longest);
      at = longest->end;
    }
    if (is_known) return {};
    to.resize(first);
    if (!unknown_) return no_unknown(word, options_.unknown);
    to.push_back({*unknown_, 0, word.size()});
    return {};
  }

 private:
  std::optional<WordPart> longest_from(std::string_view word, std::size_t begin) const {
    if (begin > 0 && !continuing_) return std::nullopt;
    PrefixTrie::Node node = begin > 0 ? *continuing_ : PrefixTrie::root();
    std::optional<WordPart> longest;
    for (std::size_t end = begin; end < word.size() && trie_.advance(node, word[end]);) {
      ++end;
      if (const auto id = trie_.value(node)) longest = WordPart{*id, begin, end};
    }
    return longest;
  }

  WordPieceOptions options_;
  PrefixTrie trie_;
  /// The node after the prefix. Empty if no piece has the prefix.
  std::optional<PrefixTrie::Node> continuing_;
  std::optional<int> unknown_;
};

class WordLevel : public SubwordModel {
 public:
  WordLevel(PieceTable pieces, std::string unknown)
      : SubwordModel(std::move(pieces)), unknown_name_(std::move(unknown)) {
    unknown_ = this->pieces().find(unknown_name_);
  }

  std::string_view name() const override { return "whole words"; }
  std::optional<int> unknown() const override { return unknown_; }

  Result<void> split(std::string_view word, std::vector<WordPart>& to, Budget& /*budget*/) const override {
    const auto id = pieces().find(word);
    if (!id && !unknown_) return no_unknown(word, unknown_name_);
    to.push_back({id ? *id : *unknown_, 0, word.size()});
    return {};
  }

 private:
  std::string unknown_name_;
  std::optional<int> unknown_;
};

}  // namespace

Result<SubwordModelPtr> make_word_piece(PieceTable pieces, WordPieceOptions options) {
  return std::make_unique<const WordPiece>(std::move(pieces), std::move(options));
}

Result<SubwordModelPtr> make_word_level(PieceTable pieces, std::string unknown) {
  return std::make_unique<const WordLevel>(std::move(pieces), std::move(unknown));
}

}  // namespace headscope
