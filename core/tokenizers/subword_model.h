#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/piece_table.h"

namespace headscope {

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
  /// BPE. It is an error if the vocabulary has no piece for something that the original refuses as well.
  virtual Result<void> split(std::string_view word, std::vector<WordPart>& to) const = 0;
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
