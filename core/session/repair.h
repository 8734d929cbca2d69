#pragma once

#include <algorithm>
#include <vector>

#include "core/session/session.h"

namespace headscope {

template <class Item>
void sort_unique(std::vector<Item>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

/// Whether an index is one of `size` items.
inline bool inside(int index, int size) {
  return index >= 0 && index < size;
}

/// Drops the indices that are not inside, and sorts the others without duplicates.
inline void keep_inside(std::vector<int>& indices, int size) {
  std::erase_if(indices, [size](int index) { return !inside(index, size); });
  sort_unique(indices);
}

/// Returns the number of rows or columns on an axis of a stage in this session, or 0 if the sizes are
/// inconsistent.
int axis_size(const Session& session, const StageId& id, Axis axis);

/// Whether the model has this stage. axis_size() returns its numbers of rows and columns.
bool is_in_model(const Architecture& architecture, const StageId& stage);

/// Returns the words that a final linear layer predicts, in column order: those of the sentences, without
/// duplicates.
std::vector<std::string> predicted_words(const Session& session);

/// Return the tokens of the (source) sentence, padded to the length of the batch if there is one, and those
/// of the target.
std::vector<Token> source_tokens(const Session& session);
std::vector<Token> target_tokens(const Session& session);

/// Return the numbers of these tokens.
int n_source_tokens(const Session& session);
int n_target_tokens(const Session& session);

/// The numbers of tokens of both sentences, padded to the batch's length.
struct TokenCounts {
  int source = 0;
  int target = 0;

  int of(const Architecture& architecture, Stack stack) const {
    return architecture.has_cross() && stack == Stack::decoder ? target : source;
  }
};
TokenCounts token_counts(const Texts& texts);

/// Returns the session with meaningless values repaired and nothing else changed. Idempotent. Afterwards:
/// - the texts are valid UTF-8; token, padding, painted cells and pin lie inside them, sorted and unique;
/// - the selected stack, layer, attention and head exist; the pin's cell exists, and its stage is normalized;
/// - covered cells belong to a stage that exists;
/// - numbers are finite (those that were not come from `fallback`); numbers that are not sizes of the
///   architecture are within their limits; a fixed range goes from low to high.
///
/// Sizes of the architecture are kept, because the screen must say what is wrong with them.
Session repaired(Session session, const Session& fallback);

}  // namespace headscope
