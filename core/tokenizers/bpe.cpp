#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/tokenizers/characters.h"
#include "core/tokenizers/subword_model.h"

namespace headscope {
namespace {

/// A symbol of a word being merged, in a doubly linked list by index.
struct Symbol {
  WordPart part;
  int before = -1;
  int after = -1;
  bool is_joined = false;  ///< Merged into the previous symbol
};

/// A possible merge. The lowest priority goes first.
struct Join {
  double priority = 0.0;
  int id = 0;
};

/// A queued merge of two adjacent symbols; may be stale.
struct FoundJoin {
  Join join;
  int left = 0;
  std::uint32_t middle = 0;  ///< Start of the right one
  std::uint32_t end = 0;

  friend bool operator>(const FoundJoin& a, const FoundJoin& b) {
    return a.join.priority != b.join.priority ? a.join.priority > b.join.priority : a.left > b.left;
  }
};

void link(std::vector<Symbol>& symbols) {
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    symbols[i].before = static_cast<int>(i) - 1;
    symbols[i].after = i + 1 < symbols.size() ? static_cast<int>(i) + 1 : -1;
  }
}

/// Merges adjacent symbols while `find(left, right)` returns a merge, in order of priority, ties from left to
/// right. O(n log n).
template <class Find>
void join_symbols(std::vector<Symbol>& symbols, Budget& budget, Find&& find) {
  std::vector<FoundJoin> at_first;
  const auto at = [&](int index) -> Symbol& { return symbols[static_cast<std::size_t>(index)]; };
  const auto look_at = [&](int left, auto&& add) {
    if (left < 0 || at(left).after < 0) return;
    const WordPart& right = at(at(left).after).part;
    const std::optional<Join> join = find(at(left).part, right);
    if (join)
      add({*join, left, static_cast<std::uint32_t>(right.begin), static_cast<std::uint32_t>(right.end)});
  };
  link(symbols);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    look_at(static_cast<int>(i), [&](const FoundJoin& found) { at_first.push_back(found); });
  }
  std::priority_queue queue(std::greater<FoundJoin>(), std::move(at_first));
  while (!queue.empty()) {
    budget.check_time();
    const FoundJoin found = queue.top();
    queue.pop();
    Symbol& left = at(found.left);
    if (left.is_joined || left.after < 0) continue;
    Symbol& right = at(left.after);
    if (right.part.begin != found.middle || right.part.end != found.end) continue;
    left.part.id = found.join.id;
    left.part.end = right.part.end;
    right.is_joined = true;
    left.after = right.after;
    if (left.after >= 0) at(left.after).before = found.left;
    const auto push = [&](const FoundJoin& next) { queue.push(next); };
    look_at(left.before, push);
    look_at(found.left, push);
  }
}

void add_parts(const std::vector<Symbol>& symbols, std::vector<WordPart>& to) {
  for (const Symbol& symbol : symbols) {
    if (!symbol.is_joined) to.push_back(symbol.part);
  }
}

/// The merges by the ids of both pieces, in an open-addressing hash table, since every adjacent pair is
/// looked up.
class MergeTable {
 public:
  struct Merge {
    int rank = 0;
    int id = 0;
  };

  explicit MergeTable(std::size_t n_merges) : slots_(std::bit_ceil(2 * n_merges + 1)) {}

  /// For duplicate pairs, the last merge wins.
  void insert(int left, int right, Merge merge) {
    Slot& slot = slots_[slot_of(left, right)];
    slot = {left, right, merge};
  }
  /// Null if there is no such merge.
  const Merge* find(int left, int right) const {
    const Slot& slot = slots_[slot_of(left, right)];
    return slot.left == free ? nullptr : &slot.merge;
  }

 private:
  static constexpr int free = -1;
  struct Slot {
    int left = free;
    int right = 0;
    Merge merge;
  };

  std::size_t slot_of(int left, int right) const {
    const std::uint64_t key =
        std::uint64_t{static_cast<std::uint32_t>(left)} << 32U | static_cast<std::uint32_t>(right);
    constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15U;
    std::size_t slot = static_cast<std::size_t>((key * golden_ratio) >> 20U) & (slots_.size() - 1);
    while (slots_[slot].left != free && (slots_[slot].left != left || slots_[slot].right != right)) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }

  std::vector<Slot> slots_;
};

class MergeBpe : public SubwordModel {
 public:
  MergeBpe(PieceTable pieces, MergeTable merges, MergeBpeOptions options)
      : SubwordModel(std::move(pieces)), merges_(std::move(merges)), options_(std::move(options)) {
    if (options_.unknown) unknown_ = this->pieces().find(*options_.unknown);
  }

  void split(std::string_view word, std::vector<WordPart>& to, Budget& budget) const override {
    if (options_.ignores_merges) {
      if (const auto whole = pieces().find(word)) {
        to.push_back({*whole, 0, word.size()});
        return;
      }
    }
    std::vector<Symbol> symbols;
    add_characters(word, symbols);
    join_symbols(symbols, budget, [this](const WordPart& left, const WordPart& right) -> std::optional<Join> {
      const MergeTable::Merge* const merge = merges_.find(left.id, right.id);
      if (merge == nullptr) return std::nullopt;
      return Join{static_cast<double>(merge->rank), merge->id};
    });
    add_parts(symbols, to);
  }

 private:
  void add_characters(std::string_view word, std::vector<Symbol>& symbols) const {
    std::optional<WordPart> unknown;  // A pending unknown part
    const auto add = [&](int id, std::size_t begin, std::size_t end) {
      symbols.push_back({{id, begin, end}});
    };
    const auto flush = [&] {
      if (unknown) add(unknown->id, unknown->begin, unknown->end);
      unknown.reset();
    };
    std::string piece;
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t end = at + character_at(word, at).length;
      piece.clear();
      if (at > 0) piece += options_.continuing_prefix;
      piece += word.substr(at, end - at);
      if (end == word.size()) piece += options_.word_suffix;
      if (const auto id = pieces().find(piece)) {
        flush();
        add(*id, at, end);
      } else if (const auto bytes = options_.falls_back_to_bytes ? bytes_of(piece) : std::nullopt) {
        // A pending unknown character is added after these, as in the original.
        for (std::size_t i = 0; i < bytes->size(); ++i) {
          const std::size_t begin = std::min(at + i, end);
          add((*bytes)[i], begin, std::min(begin + 1, end));
        }
      } else if (options_.unknown) {
        if (!unknown_) {
          refuse(failure("the vocabulary has neither a piece for '" + std::string(word.substr(at, end - at)) +
                         "' nor the unknown token '" + *options_.unknown + "'"));
        }
        if (unknown && options_.fuses_unknown) {
          unknown->end = end;
        } else {
          flush();
          unknown = WordPart{*unknown_, at, end};
        }
      }
      at = end;
    }
    flush();
  }

  std::optional<std::vector<int>> bytes_of(std::string_view text) const {
    std::vector<int> ids;
    for (const char c : text) {
      const auto id = pieces().find(byte_piece(static_cast<unsigned char>(c)));
      if (!id) return std::nullopt;
      ids.push_back(*id);
    }
    return ids;
  }

  MergeTable merges_;
  MergeBpeOptions options_;
};

/// The characters of a word as symbols with unused ids.
std::vector<Symbol> characters_of(std::string_view word) {
  std::vector<Symbol> symbols;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t end = at + character_at(word, at).length;
    symbols.push_back({{0, at, end}});
    at = end;
  }
  return symbols;
}

class RankBpe : public SubwordModel {
 public:
  explicit RankBpe(PieceTable pieces) : SubwordModel(std::move(pieces)) {}

  void split(std::string_view word, std::vector<WordPart>& to, Budget& budget) const override {
    if (const auto whole = pieces().find(word)) {
      to.push_back({*whole, 0, word.size()});
      return;
    }
    std::vector<Symbol> symbols = characters_of(word);
    join_symbols(symbols, budget, [&](const WordPart& left, const WordPart& right) -> std::optional<Join> {
      const auto id = pieces().find(word.substr(left.begin, right.end - left.begin));
      if (!id) return std::nullopt;
      return Join{static_cast<double>(*id), *id};
    });
    for (Symbol& symbol : symbols) {
      const WordPart& part = symbol.part;
      if (symbol.is_joined) continue;
      const auto id = pieces().find(word.substr(part.begin, part.end - part.begin));
      if (!id) refuse(failure("the vocabulary has no piece for a byte of the text"));
      symbol.part.id = *id;
    }
    add_parts(symbols, to);
  }
};

class ScoreBpe : public SubwordModel {
 public:
  explicit ScoreBpe(ScoredPieces pieces)
      : SubwordModel(pieces.table(), pieces.unknown()), scored_(std::move(pieces)) {}

  bool is_control(int id) const override { return scored_.is_control(id); }

  void split(std::string_view word, std::vector<WordPart>& to, Budget& budget) const override {
    std::vector<Symbol> symbols = first_symbols(word, budget);
    Halves halves;
    join_symbols(symbols, budget, [&](const WordPart& left, const WordPart& right) -> std::optional<Join> {
      if (left.id == frozen || right.id == frozen) return std::nullopt;
      const auto id = pieces().find(word.substr(left.begin, right.end - left.begin));
      if (!id || !is_of_text(*id)) return std::nullopt;
      if (scored_[*id].kind == ScoredPiece::Kind::unused) halves[*id] = left.end - left.begin;
      return Join{-static_cast<double>(scored_[*id].score), *id};
    });
    const std::size_t first = to.size();
    for (const Symbol& symbol : symbols) {
      if (!symbol.is_joined) add_split_parts(word, symbol.part, halves, first, to);
    }
  }

 private:
  /// For unused pieces, the number of bytes of the left half.
  using Halves = std::unordered_map<int, std::size_t>;
  static constexpr int frozen = -1;

  bool is_of_text(int id) const {
    const auto kind = scored_[id].kind;
    return kind == ScoredPiece::Kind::normal || kind == ScoredPiece::Kind::user_defined ||
           kind == ScoredPiece::Kind::unused;
  }

  std::vector<Symbol> first_symbols(std::string_view word, Budget& budget) const {
    std::vector<Symbol> symbols;
    for (std::size_t at = 0; at < word.size();) {
      budget.check_time();
      const auto kept = scored_.users().longest(word.substr(at));
      const std::size_t end = at + (kept ? kept->second : character_at(word, at).length);
      symbols.push_back({{kept ? frozen : 0, at, end}});
      at = end;
    }
    return symbols;
  }

  void add_split_parts(std::string_view word, WordPart whole, const Halves& halves, std::size_t first,
                       std::vector<WordPart>& to) const {
    std::vector<WordPart> open{whole};
    while (!open.empty()) {
      WordPart part = open.back();
      open.pop_back();
      part.id = pieces().find(word.substr(part.begin, part.end - part.begin)).value_or(scored_.unknown());
      const auto half = halves.find(part.id);
      if (half == halves.end() || scored_[part.id].kind != ScoredPiece::Kind::unused) {
        add_scored_part(scored_, word, part, first, to);
        continue;
      }
      const std::size_t middle = part.begin + half->second;
      open.push_back({0, middle, part.end});
      open.push_back({0, part.begin, middle});
    }
  }

  ScoredPieces scored_;
};

}  // namespace

Result<SubwordModelPtr> make_merge_bpe(PieceTable pieces,
                                       const std::vector<std::pair<std::string, std::string>>& merges,
                                       MergeBpeOptions options) {
  MergeTable table(merges.size());
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const std::string& left = merges[rank].first;
    const std::string& right = merges[rank].second;
    const auto missing = [&](const std::string& piece) {
      return failure("merge " + std::to_string(rank + 1) + ", '" + left.substr(0, 100) + " " +
                     right.substr(0, 100) + "', needs the piece '" + piece.substr(0, 200) +
                     "', which the vocabulary does not have");
    };
    if (right.size() < options.continuing_prefix.size()) return missing(right);
    const std::string whole = left + right.substr(options.continuing_prefix.size());
    const auto left_id = pieces.find(left);
    const auto right_id = pieces.find(right);
    const auto whole_id = pieces.find(whole);
    if (!left_id) return missing(left);
    if (!right_id) return missing(right);
    if (!whole_id) return missing(whole);
    table.insert(*left_id, *right_id, {static_cast<int>(rank), *whole_id});
  }
  return std::make_unique<const MergeBpe>(std::move(pieces), std::move(table), std::move(options));
}

Result<SubwordModelPtr> make_rank_bpe(PieceTable pieces) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    if (!pieces.find(letters_of_bytes({&c, 1}))) {
      return failure("the vocabulary has no piece for the byte " +
                     byte_piece(static_cast<unsigned char>(byte)));
    }
  }
  return std::make_unique<const RankBpe>(std::move(pieces));
}

Result<SubwordModelPtr> make_score_bpe(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes) {
  return result_of([&]() -> SubwordModelPtr {
    return std::make_unique<const ScoreBpe>(ScoredPieces(std::move(pieces), falls_back_to_bytes));
  });
}

}  // namespace headscope
