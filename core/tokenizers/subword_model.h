#pragma once

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
  /// length of pieces; throws OverBudget if that is too long. Fails if something has no piece, like the
  /// original.
  virtual Result<void> split(std::string_view word, std::vector<WordPart>& to, Budget& budget) const = 0;
  /// The display name of the algorithm.
  virtual std::string_view name() const = 0;
  const PieceTable& pieces() const { return pieces_; }
  /// The id of the unknown piece, if any.
  virtual std::optional<int> unknown() const = 0;
  /// Whether a piece is a control piece without text, like sentencepiece's "<s>".
  virtual bool is_control(int /*id*/) const { return false; }

 protected:
  explicit SubwordModel(PieceTable pieces) : pieces_(std::move(pieces)) {}

 private:
  PieceTable pieces_;
};

using SubwordModelPtr = std::unique_ptr<const SubwordModel>;

}  // namespace headscope
