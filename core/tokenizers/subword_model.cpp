#include "core/tokenizers/subword_model.h"

#include <algorithm>

namespace headscope {
namespace {

constexpr std::size_t most_holes = 1'000'000;

}  // namespace

Result<PieceTable> PieceTable::make(std::vector<std::pair<std::string, int>> pieces) {
  if (pieces.size() > most_pieces) {
    return failure("the vocabulary has " + std::to_string(pieces.size()) + " pieces, but at most " +
                   std::to_string(most_pieces) + " can be read");
  }
  PieceTable table;
  table.pieces_ = std::move(pieces);
  std::size_t size = 0;
  for (const auto& [piece, id] : table.pieces_) {
    if (id < 0 || static_cast<std::size_t>(id) >= table.pieces_.size() + most_holes) {
      return failure("the id " + std::to_string(id) + " of the piece '" + piece.substr(0, 100) +
                     "' does not fit a vocabulary of " + std::to_string(table.pieces_.size()) + " pieces");
    }
    size = std::max(size, static_cast<std::size_t>(id) + 1);
  }
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

}  // namespace headscope
