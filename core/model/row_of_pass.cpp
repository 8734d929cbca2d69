#include "core/model/row_of_pass.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace headscope {
namespace {

/// The keys that a row has.
struct KeysOfRow {
  int first = 0;
  int n = 0;
};

/// The cells of these keys in one row of every head's [rows, cols].
template <class Number>
std::vector<Number> row_of_heads(const std::vector<Number>& cells, const CombinedMask& mask, int row,
                                 const KeysOfRow& keys) {
  std::vector<Number> taken;
  if (cells.empty()) return taken;
  taken.reserve(static_cast<std::size_t>(mask.n_heads) * static_cast<std::size_t>(keys.n));
  for (int head = 0; head < mask.n_heads; ++head) {
    const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(mask.index(head, row, keys.first));
    taken.insert(taken.end(), begin, begin + keys.n);
  }
  return taken;
}

CombinedMask row_of_mask(const CombinedMask& mask, int row, const KeysOfRow& keys) {
  if (row >= mask.rows) return {};  // The model has no such attention.
  CombinedMask one;
  one.n_heads = mask.n_heads;
  one.rows = 1;
  one.cols = keys.n;
  one.value = mask.value;
  one.visible = row_of_heads(mask.visible, mask, row, keys);
  one.added = row_of_heads(mask.added, mask, row, keys);
  return one;
}

/// The biases of the only query. Element i is for key − query = i − (keys.n − 1). The query comes after its
/// keys, so its biases begin in the middle, and the elements before them are not read.
DistanceBiases biases_of_row(const DistanceBiases& biases, int row, const KeysOfRow& keys) {
  DistanceBiases one;
  one.reserve(biases.size());
  for (const std::vector<float>& of_head : biases) {
    const auto first = static_cast<std::ptrdiff_t>(of_head.size() / 2) - row + keys.first;
    std::vector<float> own(static_cast<std::size_t>(2 * keys.n - 1), 0.0F);
    std::copy_n(of_head.begin() + first, keys.n, own.begin() + keys.n - 1);
    one.push_back(std::move(own));
  }
  return one;
}

/// The numbers of a row for these keys. Null if the row is not given.
GivenStage row_of_given(const GivenStage& given, int row, const KeysOfRow& keys) {
  if (given == nullptr || row >= given->rows) return nullptr;
  OwnedMatrix one(1, keys.n);
  std::copy_n(given->view().row(row).begin() + keys.first, keys.n, one.values.begin());
  return std::make_shared<const OwnedMatrix>(std::move(one));
}

GivenStage row_of_given(const GivenStage& given, int row) {
  return given == nullptr ? nullptr : row_of_given(given, row, {0, given->cols});
}

/// A given matrix without its first `n` rows. Null if it is not given.
GivenStage without_first(const GivenStage& given, int n) {
  if (given == nullptr || n == 0) return given;
  OwnedMatrix rest(std::max(given->rows - n, 0), given->cols);
  std::copy_n(given->values.end() - static_cast<std::ptrdiff_t>(rest.values.size()), rest.values.size(),
              rest.values.begin());
  return std::make_shared<const OwnedMatrix>(std::move(rest));
}

/// The edits of one head for one row. If `made_again`, the keys and values of all tokens so far are computed
/// again for every row from what is cached of them; otherwise they are cached themselves.
HeadEdits edits_of_head_row(const HeadEdits& edits, AttentionKind kind, int row, int n_let_go,
                            bool made_again) {
  const bool is_self = kind == AttentionKind::self;
  const int first = is_self ? n_let_go : 0;
  const auto keys_of = [&](int n_keys) { return KeysOfRow{first, is_self ? row + 1 - first : n_keys}; };
  HeadEdits one = edits;
  if (!edits.pattern.empty()) {
    const KeysOfRow keys = keys_of(edits.n_keys);
    one.n_keys = keys.n;
    const auto begin = edits.pattern.begin() + static_cast<std::ptrdiff_t>(row) * edits.n_keys + keys.first;
    one.pattern.assign(begin, begin + keys.n);
  }
  std::erase_if(one.weights,
                [&](const GivenWeight& given) { return given.cell.query != row || given.cell.key < first; });
  for (GivenWeight& given : one.weights) given.cell = {0, given.cell.key - first};
  one.query = row_of_given(edits.query, row);
  if (is_self) {
    one.key = made_again ? without_first(edits.key, first) : row_of_given(edits.key, row);
    one.value = made_again ? without_first(edits.value, first) : row_of_given(edits.value, row);
  }
  if (edits.raw != nullptr) one.raw = row_of_given(edits.raw, row, keys_of(edits.raw->cols));
  return one;
}

/// Whether the edit replaces rows of any key: those of the source, or keys and values that are all computed
/// again with each token.
bool counts_all_rows(const RowEdit& edit, bool made_again) {
  if (edit.place.attention == AttentionKind::cross) return is_of_keys(edit.site);
  return made_again && (edit.site == PatchSite::key || edit.site == PatchSite::value);
}

}  // namespace

PassMasks masks_of_row(const PassMasks& masks, const Architecture& architecture, int row, int n_let_go) {
  PassMasks one;
  const bool two = architecture.has_cross();
  const KeysOfRow all{0, row + 1};
  const KeysOfRow sliding{n_let_go, row + 1 - n_let_go};
  const DistanceBiases& biases = two ? masks.target_biases : masks.source_biases;
  (two ? one.target : one.source) = row_of_mask(two ? masks.target : masks.source, row, all);
  (two ? one.sliding_target : one.sliding_source) =
      row_of_mask(two ? masks.sliding_target : masks.sliding_source, row, sliding);
  (two ? one.target_biases : one.source_biases) = biases_of_row(biases, row, all);
  if (n_let_go > 0) one.sliding_biases = biases_of_row(biases, row, sliding);
  one.cross = row_of_mask(masks.cross, row, {0, masks.cross.cols});
  return one;
}

PassEdits edits_of_row(const PassEdits& edits, const Architecture& architecture, int row, int n_let_go) {
  const Stack stack = architecture.last_stack();
  const bool made_again = architecture.kv_latent.has_value();
  const auto let_go = [&](const HeadId& place) {
    return place.attention == AttentionKind::self && architecture.slides(place.layer) ? n_let_go : 0;
  };
  PassEdits one;
  one.attentions = edits.attentions;
  std::erase_if(one.attentions, [&](const auto& attention) { return attention.place.stack != stack; });
  for (PassEdits::OfAttention& attention : one.attentions) {
    for (HeadEdits& head : attention.heads)
      head = edits_of_head_row(head, attention.place.attention, row, let_go(attention.place), made_again);
  }
  one.rows = edits.rows;
  std::erase_if(one.rows, [&](const RowEdit& edit) {
    if (edit.place.stack != stack) return true;
    return counts_all_rows(edit, made_again) ? edit.row < let_go(edit.place) : edit.row != row;
  });
  for (RowEdit& edit : one.rows)
    edit.row = counts_all_rows(edit, made_again) ? edit.row - let_go(edit.place) : 0;
  for (const GivenSite& given : edits.given) {
    if (given.place.stack != stack) continue;
    const bool is_of_source = given.place.attention == AttentionKind::cross && is_of_keys(given.site);
    one.given.push_back(
        {given.site, given.place, is_of_source ? given.numbers : row_of_given(given.numbers, row)});
  }
  return one;
}

}  // namespace headscope
