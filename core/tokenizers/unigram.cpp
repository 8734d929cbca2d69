#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/tokenizers/characters.h"
#include "core/tokenizers/prefix_trie.h"
#include "core/tokenizers/subword_model.h"

namespace headscope {
namespace {

// The score penalty for unknown characters, relative to the least likely piece.
constexpr double unknown_penalty = 10.0;

/// The best segmentation of a prefix: its last piece, and where that begins.
template <class Score>
struct BestWay {
  int id = 0;
  Score score = 0;
  std::ptrdiff_t begin = -1;
};

/// Finds the best segmentation of a word (Viterbi 1967). `piece_score(id, length)` returns the score of a
/// piece, or nothing if it may not be used. A character that is not a piece by itself may also be unknown.
/// Sums are stored as `Score` and compared before they are rounded to it. Without an `unknown` piece, it is
/// an error if the best segmentation up to any character ends in an unknown character.
template <class Score, class PieceScore>
std::vector<WordPart> best_parts(std::string_view word, const PrefixTrie& trie, std::optional<int> unknown,
                                 double unknown_score, Budget& budget, PieceScore&& piece_score) {
  std::vector<BestWay<Score>> best(word.size() + 1);
  // Records a segmentation up to `end` if it is the best so far. Returns whether it is.
  const auto offer = [&](std::size_t end, int id, double score, std::size_t begin) {
    BestWay<Score>& way = best[end];
    if (way.begin >= 0 && !(score > static_cast<double>(way.score))) return false;
    way = {id, static_cast<Score>(score), static_cast<std::ptrdiff_t>(begin)};
    return true;
  };
  for (std::size_t at = 0; at < word.size();) {
    budget.check_time();
    const std::size_t length = character_at(word, at).length;
    const auto so_far = static_cast<double>(best[at].score);
    bool has_single = false;
    PrefixTrie::Node node = PrefixTrie::root();
    for (std::size_t end = at; end < word.size() && trie.advance(node, word[end]);) {
      ++end;
      const auto id = trie.value(node);
      const auto score = id ? piece_score(*id, end - at) : std::nullopt;
      if (!score) continue;
      offer(end, *id, *score + so_far, at);
      has_single = has_single || end - at == length;
    }
    const bool is_unknown_best =
        !has_single && offer(at + length, unknown.value_or(0), unknown_score + so_far, at);
    if (is_unknown_best && !unknown) {
      refuse(failure("the vocabulary has neither a piece for '" + std::string(word.substr(at, length)) +
                     "' nor an unknown token"));
    }
    at += length;
  }
  std::vector<WordPart> parts;
  for (std::size_t end = word.size(); end > 0;) {
    const auto begin = static_cast<std::size_t>(best[end].begin);
    parts.push_back({best[end].id, begin, end});
    end = begin;
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

class Unigram : public SubwordModel {
 public:
  Unigram(PieceTable table, std::vector<double> scores, PrefixTrie trie, std::optional<int> unknown,
          bool falls_back_to_bytes)
      : SubwordModel(std::move(table), unknown), scores_(std::move(scores)), trie_(std::move(trie)) {
    unknown_score_ = *std::min_element(scores_.begin(), scores_.end()) - unknown_penalty;
    if (!falls_back_to_bytes) return;
    for (unsigned byte = 0; byte < bytes_.size(); ++byte) {
      bytes_[byte] = pieces().find(byte_piece(static_cast<unsigned char>(byte)));
    }
  }

  void split(std::string_view word, std::vector<WordPart>& to, Budget& budget) const override {
    const std::vector<WordPart> parts = best_parts<double>(
        word, trie_, unknown_, unknown_score_, budget,
        [this](int id, std::size_t) { return std::optional(scores_[static_cast<std::size_t>(id)]); });
    for (std::size_t i = 0; i < parts.size();) {
      WordPart part = parts[i++];
      // Merges consecutive unknown parts.
      while (unknown_ && part.id == *unknown_ && i < parts.size() && parts[i].id == *unknown_) {
        part.end = parts[i++].end;
      }
      add(word, part, to);
    }
  }

 private:
  /// Appends a known or unknown part.
  void add(std::string_view word, WordPart part, std::vector<WordPart>& to) const {
    const std::string_view text = word.substr(part.begin, part.end - part.begin);
    if (const auto id = pieces().find(text)) {
      to.push_back({*id, part.begin, part.end});
      return;
    }
    const bool has_bytes = std::all_of(text.begin(), text.end(), [this](char c) {
      return bytes_[static_cast<unsigned char>(c)].has_value();
    });
    if (has_bytes) {
      for (const char c : text) to.push_back({*bytes_[static_cast<unsigned char>(c)], part.begin, part.end});
    } else {
      to.push_back({unknown_.value_or(part.id), part.begin, part.end});
    }
  }

  std::vector<double> scores_;
  PrefixTrie trie_;
  double unknown_score_ = 0.0;
  std::array<std::optional<int>, 256> bytes_{};
};

class ScoredUnigram : public SubwordModel {
 public:
  ScoredUnigram(ScoredPieces pieces, bool sums_doubles)
      : SubwordModel(pieces.table(), pieces.unknown()),
        scored_(std::move(pieces)),
        sums_doubles_(sums_doubles) {
    float min_score = std::numeric_limits<float>::max();
    for (int id = 0; id < scored_.size(); ++id) {
      if (scored_[id].kind != ScoredPiece::Kind::normal) continue;
      min_score = std::min(min_score, scored_[id].score);
      greatest_ = std::max(greatest_, scored_[id].score);
    }
    unknown_score_ = min_score - static_cast<float>(unknown_penalty);
  }

  bool is_control(int id) const override { return scored_.is_control(id); }

  void split(std::string_view word, std::vector<WordPart>& to, Budget& budget) const override {
    const auto score = [this](int id, std::size_t length) -> std::optional<double> {
      const ScoredPiece& piece = scored_[id];
      if (piece.kind == ScoredPiece::Kind::unused) return std::nullopt;
      if (piece.kind != ScoredPiece::Kind::user_defined) return static_cast<double>(piece.score);
      return static_cast<double>(static_cast<float>(length) * greatest_) - 0.1;
    };
    const auto unknown_score = static_cast<double>(unknown_score_);
    const auto parts =
        sums_doubles_
            ? best_parts<double>(word, scored_.texts(), scored_.unknown(), unknown_score, budget, score)
            : best_parts<float>(word, scored_.texts(), scored_.unknown(), unknown_score, budget, score);
    const std::size_t first = to.size();
    for (const WordPart& part : parts) add_scored_part(scored_, word, part, first, to);
  }

 private:
  ScoredPieces scored_;
  bool sums_doubles_;
  float greatest_ = std::numeric_limits<float>::min();  // as in sentencepiece
  float unknown_score_ = 0.0F;
};

}  // namespace

Result<SubwordModelPtr> make_unigram(std::vector<std::pair<std::string, double>> pieces,
                                     std::optional<int> unknown, bool falls_back_to_bytes) {
  if (pieces.empty()) return failure("the vocabulary is empty");
  if (unknown && (*unknown < 0 || static_cast<std::size_t>(*unknown) >= pieces.size())) {
    return failure("the id " + std::to_string(*unknown) +
                   " of the unknown token (unk_id) is not in the vocabulary of " +
                   std::to_string(pieces.size()) + " pieces");
  }
  std::vector<double> scores;
  std::vector<PrefixTrie::Entry> entries;
  for (const auto& [piece, score] : pieces) {
    if (!std::isfinite(score))
      return failure("the piece '" + piece.substr(0, 100) + "' has a score that is not a number");
    if (!piece.empty()) entries.emplace_back(piece, static_cast<int>(scores.size()));
    scores.push_back(score);
  }
  std::vector<std::pair<std::string, int>> ids;
  ids.reserve(pieces.size());
  for (auto& entry : pieces) ids.emplace_back(std::move(entry.first), static_cast<int>(ids.size()));
  auto table = PieceTable::make(std::move(ids));
  if (!table) return tl::unexpected(table.error());
  return std::make_unique<const Unigram>(std::move(*table), std::move(scores), PrefixTrie(std::move(entries)),
                                         unknown, falls_back_to_bytes);
}

Result<SubwordModelPtr> make_scored_unigram(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes,
                                            bool sums_doubles) {
  return result_of([&]() -> SubwordModelPtr {
    return std::make_unique<const ScoredUnigram>(ScoredPieces(std::move(pieces), falls_back_to_bytes),
                                                 sums_doubles);
  });
}

}  // namespace headscope
