#include "core/tokenizers/subword_model.h"

#include <algorithm>

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

}  // namespace headscope
