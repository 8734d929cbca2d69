#include "core/tokenizers/subword_model.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/tokenizers/characters.h"
#include "core/tokenizers/prefix_trie.h"

namespace headscope {

Result<PieceTable> PieceTable::make(std::vector<std::pair<std::string, int>> pieces) {
  PieceTable table;
  table.pieces_ = std::move(pieces);
  std::size_t size = 0, n_bytes = 0;
  for (const auto& [piece, id] : table.pieces_) {
    if (id < 0) {
      return failure("the id " + std::to_string(id) + " of the piece '" + piece.substr(0, 100) +
                     "' is negative");
    }
    n_bytes += piece.size();
    size = std::max(size, static_cast<std::size_t>(id) + 1);
  }
  const auto has_room = within_budget(Budget(n_bytes), "the vocabulary cannot be read",
                                      "use another tokenizer", [&](Budget& budget) -> Result<void> {
                                        budget.take(size, sizeof(std::string_view));
                                        return {};
                                      });
  if (!has_room) return tl::unexpected(has_room.error());
  table.by_id_.resize(size);
  table.ids_.reserve(table.pieces_.size());
  for (const auto& [piece, id] : table.pieces_) {
    table.ids_[piece] = id;
    table.by_id_[static_cast<std::size_t>(id)] = piece;
  }
  return table;
}

std::optional<int> PieceTable::find(std::string_view piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::string_view PieceTable::piece(int id) const {
  return id < 0 || id >= size() ? std::string_view() : by_id_[static_cast<std::size_t>(id)];
}

namespace {

std::string place_of_piece(std::size_t id, const ScoredPiece& piece) {
  return "the piece " + std::to_string(id) + ", '" + piece.text.substr(0, 100) + "',";
}

}  // namespace

ScoredPieces::ScoredPieces(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes)
    : pieces_(std::move(pieces)) {
  using Kind = ScoredPiece::Kind;
  std::vector<PrefixTrie::Entry> texts;
  std::vector<PrefixTrie::Entry> users;
  std::unordered_set<std::string_view> known;
  std::array<int, 256> bytes{};
  bytes.fill(-1);
  std::optional<int> unknown;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const ScoredPiece& piece = pieces_[i];
    const auto id = static_cast<int>(i);
    if (piece.text.empty()) refuse(failure("the piece " + std::to_string(i) + " is empty"));
    if (!std::isfinite(piece.score))
      refuse(failure(place_of_piece(i, piece) + " has a score that is not a number"));
    if (!known.insert(piece.text).second) refuse(failure(place_of_piece(i, piece) + " occurs twice"));
    if (piece.kind == Kind::unknown && std::exchange(unknown, id))
      refuse(failure(place_of_piece(i, piece) + " is a second unknown token"));
    const auto byte = piece.kind == Kind::byte ? byte_of_piece(piece.text) : std::nullopt;
    if (byte) bytes[*byte] = id;
    if (piece.kind == Kind::normal || piece.kind == Kind::user_defined || piece.kind == Kind::unused)
      texts.emplace_back(piece.text, id);
    if (piece.kind == Kind::user_defined) users.emplace_back(piece.text, id);
  }
  if (!unknown) refuse(failure("no piece is the unknown token"));
  unknown_ = *unknown;
  if (falls_back_to_bytes) {
    if (std::ranges::find(bytes, -1) != bytes.end())
      refuse(failure("it falls back to bytes, but has no piece for some bytes"));
    bytes_ = bytes;
  }
  texts_ = PrefixTrie(std::move(texts));
  users_ = PrefixTrie(std::move(users));
}

PieceTable ScoredPieces::table() const {
  std::vector<std::pair<std::string, int>> pairs;
  pairs.reserve(pieces_.size());
  for (const ScoredPiece& piece : pieces_) pairs.emplace_back(piece.text, static_cast<int>(pairs.size()));
  return PieceTable::make(std::move(pairs)).value();
}

void add_scored_part(const ScoredPieces& pieces, std::string_view text, WordPart part, std::size_t first,
                     std::vector<WordPart>& to) {
  const bool is_unknown = part.id == pieces.unknown();
  if (is_unknown && pieces.bytes()) {
    for (std::size_t i = part.begin; i < part.end; ++i) {
      to.push_back({(*pieces.bytes())[static_cast<unsigned char>(text[i])], i, i + 1});
    }
  } else if (is_unknown && to.size() > first && to.back().id == part.id) {
    to.back().end = part.end;
  } else {
    to.push_back(part);
  }
}

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

  void split(std::string_view word, std::vector<WordPart>& to, Budget& budget) const override {
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
    if (is_known) return;
    to.resize(first);
    if (!unknown_) refuse(no_unknown(word, options_.unknown));
    to.push_back({*unknown_, 0, word.size()});
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
};

class WordLevel : public SubwordModel {
 public:
  WordLevel(PieceTable pieces, std::string unknown)
      : SubwordModel(std::move(pieces)), unknown_name_(std::move(unknown)) {
    unknown_ = this->pieces().find(unknown_name_);
  }

  void split(std::string_view word, std::vector<WordPart>& to, Budget& /*budget*/) const override {
    const auto id = pieces().find(word);
    if (!id && !unknown_) refuse(no_unknown(word, unknown_name_));
    to.push_back({id ? *id : *unknown_, 0, word.size()});
  }

 private:
  std::string unknown_name_;
};

}  // namespace

Result<SubwordModelPtr> make_word_piece(PieceTable pieces, WordPieceOptions options) {
  return std::make_unique<const WordPiece>(std::move(pieces), std::move(options));
}

Result<SubwordModelPtr> make_word_level(PieceTable pieces, std::string unknown) {
  return std::make_unique<const WordLevel>(std::move(pieces), std::move(unknown));
}

}  // namespace headscope
