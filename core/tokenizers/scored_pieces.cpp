#include "core/tokenizers/scored_pieces.h"

#include <cmath>
#include <unordered_set>
#include <utility>

#include "core/tokenizers/characters.h"

namespace headscope {
namespace {

std::string place_of_piece(std::size_t id, const ScoredPiece& piece) {
  return "the piece " + std::to_string(id) + ", '" + piece.text.substr(0, 100) + "',";
}

}  // namespace

Result<ScoredPieces> ScoredPieces::make(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes) {
  using Kind = ScoredPiece::Kind;
  ScoredPieces result;
  std::vector<PrefixTrie::Entry> texts;
  std::vector<PrefixTrie::Entry> users;
  std::unordered_set<std::string_view> known;
  std::array<int, 256> bytes{};
  bytes.fill(-1);
  std::optional<int> unknown;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const ScoredPiece& piece = pieces[i];
    const auto id = static_cast<int>(i);
    if (piece.text.empty()) return failure("the piece " + std::to_string(i) + " is empty");
    if (!std::isfinite(piece.score))
      return failure(place_of_piece(i, piece) + " has a score that is not a number");
    if (!known.insert(piece.text).second) return failure(place_of_piece(i, piece) + " occurs twice");
    if (piece.kind == Kind::unknown && std::exchange(unknown, id)) {
      return failure(place_of_piece(i, piece) + " is a second unknown token");
    }
    const auto byte = piece.kind == Kind::byte ? byte_of_piece(piece.text) : std::nullopt;
    if (byte) bytes[*byte] = id;
    if (piece.kind == Kind::normal || piece.kind == Kind::user_defined || piece.kind == Kind::unused) {
      texts.emplace_back(piece.text, id);
    }
    if (piece.kind == Kind::user_defined) users.emplace_back(piece.text, id);
  }
  if (!unknown) return failure("no piece is the unknown token");
  result.unknown_ = *unknown;
  if (falls_back_to_bytes) {
    for (const int id : bytes) {
      if (id < 0) return failure("it falls back to bytes, but has no piece for some bytes");
    }
    result.bytes_ = bytes;
  }
  result.texts_ = PrefixTrie(std::move(texts));
  result.users_ = PrefixTrie(std::move(users));
  result.pieces_ = std::move(pieces);
  return result;
}

Result<PieceTable> ScoredPieces::table() const {
  std::vector<std::pair<std::string, int>> pairs;
  pairs.reserve(pieces_.size());
  for (const ScoredPiece& piece : pieces_) pairs.emplace_back(piece.text, static_cast<int>(pairs.size()));
  return PieceTable::make(std::move(pairs));
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

}  // namespace headscope
