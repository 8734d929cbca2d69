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

/// The pieces of a vocabulary and their ids. Immutable. Ids may have gaps, and a piece may occur twice.
class PieceTable {
 public:
  PieceTable() = default;
  /// Makes a table. A piece that occurs twice is found by its last id. If two pieces have the same id, the
  /// last one is shown. It is an error if ids are negative, or if there is no Budget for all of them.
  static Result<PieceTable> make(std::vector<std::pair<std::string, int>> pieces);

  PieceTable(const PieceTable&) = delete;
  PieceTable& operator=(const PieceTable&) = delete;
  PieceTable(PieceTable&&) noexcept = default;
  PieceTable& operator=(PieceTable&&) noexcept = default;
  ~PieceTable() = default;

  std::optional<int> find(std::string_view piece) const;
  /// Empty in a gap and outside 0 ≤ id < size().
  std::string_view piece(int id) const;
  /// One more than the largest id.
  int size() const { return static_cast<int>(by_id_.size()); }
  /// The number of different pieces.
  int count() const { return static_cast<int>(ids_.size()); }

 private:
  std::vector<std::pair<std::string, int>> pieces_;  ///< The strings to which the views below refer.
  std::unordered_map<std::string_view, int> ids_;
  std::vector<std::string_view> by_id_;
};

/// A piece of a word, and the bytes of the word that it stands for.
struct WordPart {
  int id = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The algorithm that splits a word into pieces, with its vocabulary. It is immutable, and any thread may use
/// it.
class SubwordModel {
 public:
  virtual ~SubwordModel() = default;
  SubwordModel(const SubwordModel&) = delete;
  SubwordModel& operator=(const SubwordModel&) = delete;

  /// Adds the parts of a word, which is valid UTF-8 and not empty. It takes linear time, or O(n log n) for
  /// BPE, except for the time that long pieces take, for which it throws OverBudget. It is an error if the
  /// vocabulary has no piece for something that the original refuses as well.
  virtual Result<void> split(std::string_view word, std::vector<WordPart>& to, Budget& budget) const = 0;
  /// The name of the algorithm for people.
  virtual std::string_view name() const = 0;
  const PieceTable& pieces() const { return pieces_; }
  /// The id for unknown text. Empty if there is none.
  virtual std::optional<int> unknown() const = 0;
  /// Whether a piece stands for no text, as sentencepiece's "<s>" does.
  virtual bool is_control(int /*id*/) const { return false; }

 protected:
  explicit SubwordModel(PieceTable pieces) : pieces_(std::move(pieces)) {}

 private:
  PieceTable pieces_;
};

using SubwordModelPointer = std::unique_ptr<const SubwordModel>;

}  // namespace headscope
