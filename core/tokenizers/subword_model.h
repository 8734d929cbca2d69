#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/budget.h"
#include "core/result.h"
#include "core/tokenizers/prefix_trie.h"

namespace headscope {

/// The pieces of a vocabulary and their ids. Immutable. Ids may have gaps, and pieces may be duplicated.
class PieceTable {
 public:
  PieceTable() = default;
  /// Duplicates of pieces or ids: the last one wins. Fails if ids are negative or exceed a Budget.
  static Result<PieceTable> make(std::vector<std::pair<std::string, int>> pieces);

  PieceTable(const PieceTable&) = delete;
  PieceTable& operator=(const PieceTable&) = delete;
  PieceTable(PieceTable&&) noexcept = default;
  PieceTable& operator=(PieceTable&&) noexcept = default;
  ~PieceTable() = default;

  std::optional<int> find(std::string_view piece) const;
  /// Empty in gaps and out of range.
  std::string_view piece(int id) const;
  /// One more than the largest id.
  int size() const { return static_cast<int>(by_id_.size()); }
  /// The number of distinct pieces.
  int count() const { return static_cast<int>(ids_.size()); }

 private:
  std::vector<std::pair<std::string, int>> pieces_;  ///< Owns the strings of the views below
  std::unordered_map<std::string_view, int> ids_;
  std::vector<std::string_view> by_id_;
};

/// A piece of a word and its bytes [begin, end).
struct WordPart {
  int id = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The algorithm that splits words into pieces, with its vocabulary. Immutable and thread-safe.
class SubwordModel {
 public:
  virtual ~SubwordModel() = default;
  SubwordModel(const SubwordModel&) = delete;
  SubwordModel& operator=(const SubwordModel&) = delete;

  /// Appends the pieces of a non-empty word in valid UTF-8. Takes O(n), or O(n log n) for BPE, times the
  /// length of pieces; throws OverBudget if that is too long. Like the original, also throws if
  /// something has no piece.
  virtual void split(std::string_view word, std::vector<WordPart>& to, Budget& budget) const = 0;
  const PieceTable& pieces() const { return pieces_; }
  /// The id of the unknown piece, if any.
  std::optional<int> unknown() const { return unknown_; }
  /// Whether a piece is a control piece without text, like sentencepiece's "<s>".
  virtual bool is_control(int /*id*/) const { return false; }

 protected:
  explicit SubwordModel(PieceTable pieces, std::optional<int> unknown = std::nullopt)
      : unknown_(unknown), pieces_(std::move(pieces)) {}
  std::optional<int> unknown_;

 private:
  PieceTable pieces_;
};

using SubwordModelPtr = std::unique_ptr<const SubwordModel>;

/// Byte-pair encoding as in Hugging Face's tokenizers: repeatedly merges the adjacent pair that is first in
/// the merge list, from left to right (Sennrich et al. 2016).
struct MergeBpeOptions {
  std::optional<std::string> unknown{};  ///< The piece for unknown characters; if unset, they are dropped
  std::string continuing_prefix{};       ///< Prefix of all characters of a word but the first
  std::string word_suffix{};             ///< Suffix of the last character of a word
  bool fuses_unknown = false;            ///< Merges consecutive unknown characters
  bool falls_back_to_bytes = false;      ///< Unknown characters become bytes: "<0xE2>"
  bool ignores_merges = false;           ///< Words that are pieces are not split
};
/// Fails if a merge uses or makes a piece that is not in the vocabulary (merges count from 1). Splitting
/// fails if the unknown piece is needed but missing.
Result<SubwordModelPtr> make_merge_bpe(PieceTable pieces,
                                       const std::vector<std::pair<std::string, std::string>>& merges,
                                       MergeBpeOptions options);

/// Byte-pair encoding with tiktoken ranks: merges adjacent pairs that form a piece, smallest id first. Pieces
/// are in byte letters. Fails if a byte is not a piece.
Result<SubwordModelPtr> make_rank_bpe(PieceTable pieces);

/// A piece of a sentencepiece model.
struct ScoredPiece {
  enum class Kind { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };
  std::string text;
  float score = 0.0F;
  Kind kind = Kind::normal;
};

/// sentencepiece's BPE: merges adjacent pairs that form a piece, highest score first. User-defined pieces are
/// never merged, and unused ones are split again. Ids are list indices.
Result<SubwordModelPtr> make_score_bpe(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes);

struct WordPieceOptions {
  std::string unknown = "[UNK]";
  std::string continuing_prefix = "##";
  std::size_t max_characters = 100;  ///< Longer words are unknown
};
/// WordPiece: greedily matches the longest prefix of a word, and of the rest with "##" prepended. If any part
/// has no piece, the entire word is unknown (Wu et al. 2016, BERT).
Result<SubwordModelPtr> make_word_piece(PieceTable pieces, WordPieceOptions options);

/// Each word is either a piece or unknown.
Result<SubwordModelPtr> make_word_level(PieceTable pieces, std::string unknown);

/// A unigram language model (Kudo 2018): splits a word into the pieces with the maximum total score, in
/// double precision like Hugging Face's tokenizers. Ids are list indices. Fails if the unknown id is out of
/// range or a score is NaN.
Result<SubwordModelPtr> make_unigram(std::vector<std::pair<std::string, double>> pieces,
                                     std::optional<int> unknown, bool falls_back_to_bytes);

/// sentencepiece's variant, in single precision unless it `sums_doubles`: user-defined pieces take
/// precedence, and unused ones are ignored.
Result<SubwordModelPtr> make_scored_unigram(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes,
                                            bool sums_doubles = false);

/// The pieces of a sentencepiece model, indexed for its algorithms. Immutable.
class ScoredPieces {
 public:
  /// Throws an Error unless there is exactly one unknown piece, pieces are non-empty and unique, scores are
  /// not NaN and, if `falls_back_to_bytes`, all bytes have pieces.
  ScoredPieces(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes);

  const ScoredPiece& operator[](int id) const { return pieces_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(pieces_.size()); }
  int unknown() const { return unknown_; }
  bool is_control(int id) const {
    return id >= 0 && id < size() && (*this)[id].kind == ScoredPiece::Kind::control;
  }
  /// The ids of the bytes. Empty without byte fallback.
  const std::optional<std::array<int, 256>>& bytes() const { return bytes_; }
  /// The pieces that can match text: normal, user-defined and unused ones.
  const PrefixTrie& texts() const { return texts_; }
  /// The user-defined pieces.
  const PrefixTrie& users() const { return users_; }
  PieceTable table() const;

 private:
  std::vector<ScoredPiece> pieces_;
  int unknown_ = 0;
  std::optional<std::array<int, 256>> bytes_;
  PrefixTrie texts_;
  PrefixTrie users_;
};

/// Appends a part like sentencepiece: an unknown part becomes bytes, or is merged with a preceding unknown
/// part from `first` on.
void add_scored_part(const ScoredPieces& pieces, std::string_view text, WordPart part, std::size_t first,
                     std::vector<WordPart>& to);

}  // namespace headscope
