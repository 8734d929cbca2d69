#include "core/model/row_of_pass.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace headscope {
namespace {

/// The first `n_keys` cells of a row of every head's [rows, cols].
template <class Number>
std::vector<Number> row_of_heads(const std::vector<Number>& cells, const CombinedMask& mask, int row,
                                 int n_keys) {
  std::vector<Number> taken;
  if (cells.empty()) return taken;
  taken.reserve(static_cast<std::size_t>(mask.n_heads) * static_cast<std::size_t>(n_keys));
  for (int head = 0; head < mask.n_heads; ++head) {
    const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(mask.index(head, row, 0));
    taken.insert(taken.end(), begin, begin + n_keys);
  }
  return taken;
}

CombinedMask row_of_mask(const CombinedMask& mask, int row, int n_keys) {
  if (row >= mask.rows) return {};  // of an attention that there is not
  CombinedMask one;
  one.n_heads = mask.n_heads;
  one.rows = 1;
  one.cols = n_keys;
  one.value = mask.value;
  one.visible = row_of_heads(mask.visible, mask, row, n_keys);
  one.added = row_of_heads(mask.added, mask, row, n_keys);
  return one;
}

/// Number i is for key − query = i − row. The only query stands behind `row` keys, so that its own begin in
/// the middle and the others are not read.
DistanceBiases biases_of_row(const DistanceBiases& biases, int row) {
  DistanceBiases one;
  one.reserve(biases.size());
  for (const std::vector<float>& of_head : biases) {
    const auto n_before = static_cast<std::ptrdiff_t>(of_head.size() / 2) - row;
    std::vector<float> own(static_cast<std::size_t>(2 * row + 1), 0.0F);
    std::copy_n(of_head.begin() + n_before, row + 1, own.begin() + row);
    one.push_back(std::move(own));
  }
  return one;
}

/// The first `n_cols` numbers of a row; null where it is not given.
GivenStage row_of_given(const GivenStage& given, int row, int n_cols) {
  if (given == nullptr || row >= given->rows) return nullptr;
  OwnedMatrix one(1, n_cols);
  std::copy_n(given->view().row(row).begin(), n_cols, one.values.begin());
  return std::make_shared<const OwnedMatrix>(std::move(one));
}

GivenStage row_of_given(const GivenStage& given, int row) {
  return given == nullptr ? nullptr : row_of_given(given, row, given->cols);
}

/// Keys and values of all tokens so far are `made_again` with every row from what is cached of them, or are
/// themselves cached.
HeadEdits edits_of_head_row(const HeadEdits& edits, AttentionKind kind, int row, bool made_again) {
  const bool is_self = kind == AttentionKind::self;
  const auto keys_of = [&](int n_keys) { return is_self ? row + 1 : n_keys; };
  HeadEdits one = edits;
  if (!edits.pattern.empty()) {
    one.n_keys = keys_of(edits.n_keys);
    const auto begin = edits.pattern.begin() + static_cast<std::ptrdiff_t>(row) * edits.n_keys;
    one.pattern.assign(begin, begin + one.n_keys);
  }
  std::erase_if(one.weights, [&](const GivenWeight& given) { return given.cell.query != row; });
  for (GivenWeight& given : one.weights) given.cell.query = 0;
  one.query = row_of_given(edits.query, row);
  if (is_self && !made_again) {
    one.key = row_of_given(edits.key, row);
    one.value = row_of_given(edits.value, row);
  }
  if (edits.raw != nullptr) one.raw = row_of_given(edits.raw, row, keys_of(edits.raw->cols));
  return one;
}

/// Whether it replaces keys or values of any row: of the source, or where all are made again with each token.
bool counts_all_rows(const RowEdit& edit, bool made_again) {
  return (edit.place.attention == AttentionKind::cross || made_again) &&
         (edit.site == PatchSite::key || edit.site == PatchSite::value);
}

}  // namespace

PassMasks masks_of_row(const PassMasks& masks, const Architecture& architecture, int row) {
  PassMasks one;
  const bool two = architecture.has_cross();
  const int n_keys = row + 1;
  (two ? one.target : one.source) = row_of_mask(two ? masks.target : masks.source, row, n_keys);
  (two ? one.sliding_target : one.sliding_source) =
      row_of_mask(two ? masks.sliding_target : masks.sliding_source, row, n_keys);
  (two ? one.target_biases : one.source_biases) =
      biases_of_row(two ? masks.target_biases : masks.source_biases, row);
  one.cross = row_of_mask(masks.cross, row, masks.cross.cols);
  return one;
}

PassEdits edits_of_row(const PassEdits& edits, const Architecture& architecture, int row) {
  const Stack stack = architecture.last_stack();
  const bool made_again = architecture.kv_latent.has_value();
  PassEdits one;
  one.attentions = edits.attentions;
  std::erase_if(one.attentions, [&](const auto& attention) { return attention.place.stack != stack; });
  for (PassEdits::OfAttention& attention : one.attentions) {
    for (HeadEdits& head : attention.heads)
      head = edits_of_head_row(head, attention.place.attention, row, made_again);
  }
  one.rows = edits.rows;
  std::erase_if(one.rows, [&](const RowEdit& edit) {
    return edit.place.stack != stack || (edit.row != row && !counts_all_rows(edit, made_again));
  });
  for (RowEdit& edit : one.rows) edit.row = counts_all_rows(edit, made_again) ? edit.row : 0;
  one.input_of(stack) = row_of_given(edits.input_of(stack), row);
  return one;
}

}  // namespace headscope
