#include "core/model/later_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include "core/tensor/packed_product.h"
#include "core/tensor/softmax.h"

namespace headscope {
namespace {

/// A part with a row for each token. Null if there is none.
struct RowPart {
  float** data = nullptr;
  int width = 0;
};

std::vector<RowPart> keys_and_values(AttentionBuffers& b) {
  const AttentionShape& s = b.shape;
  return {{&b.key, s.key_width()},        {&b.normed_key, s.key_width()}, {&b.rotated_key, s.key_width()},
          {&b.mapped_key, s.key_width()}, {&b.own_key, s.key_width()},    {&b.value, s.value_width()}};
}

void add_sublayer(SublayerBuffers& around, int width, std::vector<RowPart>& parts) {
  for (float** part : {&around.norm, &around.output_norm, &around.residual, &around.normed})
    parts.push_back({part, width});
}

/// Returns the parts of a layer other than keys, values and maps.
std::vector<RowPart> rows_of_queries(const Architecture& a, LayerBuffers& layer) {
  std::vector<RowPart> parts;
  AttentionBuffers& b = layer.self;
  for (float** part : {&b.query, &b.normed_query, &b.rotated_query, &b.mapped_query})
    parts.push_back({part, b.shape.query_width()});
  for (float** part : {&b.concat, &b.gate, &b.gated}) parts.push_back({part, b.shape.concat_width()});
  parts.push_back({&b.projected, b.shape.projected_width()});
  add_sublayer(layer.around_self, a.d_model, parts);
  FeedForwardBuffers& f = layer.feed_forward;
  for (float** part : {&f.hidden, &f.activated, &f.up, &f.gated}) parts.push_back({part, a.d_ff});
  parts.push_back({&f.output, a.d_model});
  add_sublayer(layer.around_feed_forward, a.d_model, parts);
  return parts;
}

std::vector<RowPart> rows_of_stack(const Architecture& a, StackBuffers& stack) {
  std::vector<RowPart> parts;
  for (float** part : {&stack.embedding, &stack.positions, &stack.segments, &stack.sum, &stack.sum_normed})
    parts.push_back({part, a.embedding_width()});
  parts.push_back({&stack.input, a.d_model});
  parts.push_back({&stack.normed, a.d_model});
  return parts;
}

std::array<float**, 6> maps_of(AttentionBuffers& b) {
  return {&b.raw, &b.scaled, &b.capped, &b.masked, &b.weights, &b.dropped};
}

/// Copies the first rows of parts and maps. Copies each address only once, because parts may share memory.
class BeginningCopier {
 public:
  BeginningCopier(int n, int n_keys_before, int n_keys)
      : n_(n), n_keys_before_(n_keys_before), n_keys_(n_keys) {}

  void rows(const float* from, float* to, int width) {
    if (to == nullptr || !copied_.insert(to).second) return;
    std::copy_n(from, static_cast<std::ptrdiff_t>(n_) * width, to);
  }
  void rows(const std::vector<RowPart>& from, const std::vector<RowPart>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) rows(*from[i].data, *to[i].data, to[i].width);
  }
  void maps(const AttentionBuffers& from, const AttentionBuffers& to) {
    AttentionBuffers parts_from = from;
    AttentionBuffers parts_to = to;
    const auto of_from = maps_of(parts_from);
    const auto of_to = maps_of(parts_to);
    for (std::size_t i = 0; i < of_to.size(); ++i) {
      if (*of_to[i] == nullptr || !copied_.insert(*of_to[i]).second) continue;
      for (int head = 0; head < to.shape.n_heads; ++head) {
        const float* row_from = *of_from[i] + static_cast<std::size_t>(head) * from.shape.map_floats();
        float* row_to = *of_to[i] + static_cast<std::size_t>(head) * to.shape.map_floats();
        for (int row = 0; row < n_; ++row, row_from += n_keys_before_, row_to += n_keys_)
          std::copy_n(row_from, n_, row_to);
      }
    }
  }

 private:
  int n_, n_keys_before_, n_keys_;
  std::set<const float*> copied_;
};

/// Whether the first n queries see the same keys under both masks, all of them among the first n keys.
bool see_the_same(const CombinedMask& a, const CombinedMask& b, int n) {
  if (a.rows == 0 && b.rows == 0) return true;  // The model has no such layers.
  const auto hides_by_infinity = [](const CombinedMask& mask) {
    return !mask.visible.empty() && mask.added.empty() && std::isinf(mask.value);
  };
  if (!hides_by_infinity(a) || !hides_by_infinity(b) || a.n_heads != b.n_heads) return false;
  if (a.rows < n || b.rows < n) return false;
  for (int line = 0; line < a.n_heads * n; ++line) {
    const VisibleKeys of_a = a.keys(line / n, line % n);
    const VisibleKeys of_b = b.keys(line / n, line % n);
    if (of_a.end(a.cols) > n || of_b.end(b.cols) > n) return false;
    if (of_a.step != of_b.step || of_a.origin != of_b.origin) return false;
    if (!std::ranges::equal(of_a.ranges, of_b.ranges)) return false;
  }
  return true;
}

CombinedMask mask_behind(const CombinedMask& mask, int n) {
  CombinedMask behind;
  behind.n_heads = mask.n_heads;
  behind.rows = std::max(mask.rows - n, 0);
  behind.cols = mask.cols;
  behind.value = mask.value;
  behind.visible = KeyMask(mask.visible.step());
  for (int head = 0; head < mask.n_heads && !mask.visible.empty(); ++head) {
    for (int query = n; query < mask.rows; ++query) {
      const VisibleKeys keys = mask.keys(head, query);
      behind.visible.add_row(keys.ranges, keys.origin);
    }
  }
  return behind;
}

/// Returns the biases for the queries after the first n, with query n as the first. Element i of the given
/// biases of a head is for key − query = i − (T − 1).
DistanceBiases biases_behind(const DistanceBiases& biases, int n) {
  DistanceBiases behind = biases;
  for (std::vector<float>& of_head : behind)
    std::rotate(of_head.begin(), of_head.end() - std::min<std::ptrdiff_t>(n, std::ssize(of_head)),
                of_head.end());
  return behind;
}

/// The keys that a row has.
struct KeysOfRow {
  int first = 0;
  int n = 0;
};

/// What is added to the scores of these keys in one row of every head.
std::vector<float> added_to_row(const CombinedMask& mask, int row, const KeysOfRow& keys) {
  std::vector<float> taken;
  if (mask.added.empty()) return taken;
  taken.reserve(static_cast<std::size_t>(mask.n_heads) * static_cast<std::size_t>(keys.n));
  for (int head = 0; head < mask.n_heads; ++head) {
    const auto begin = mask.added.begin() + static_cast<std::ptrdiff_t>(mask.index(head, row, keys.first));
    taken.insert(taken.end(), begin, begin + keys.n);
  }
  return taken;
}

/// Which of these keys the row sees, for every head.
KeyMask visible_to_row(const CombinedMask& mask, int row, const KeysOfRow& keys) {
  KeyMask visible(mask.visible.step());
  for (int head = 0; head < mask.n_heads && !mask.visible.empty(); ++head) {
    const VisibleKeys of_head = mask.keys(head, row);
    std::vector<KeyRange> ranges;
    for (const KeyRange& range : of_head.ranges)
      add_range({std::max(range.first - keys.first, 0), std::min(range.last - keys.first, keys.n)}, ranges);
    visible.add_row(ranges, of_head.origin - keys.first);
  }
  return visible;
}

CombinedMask row_of_mask(const CombinedMask& mask, int row, const KeysOfRow& keys) {
  if (mask.rows == 0) return {};  // The model has no such attention.
  if (mask.rows == 1) row = 0;
  CombinedMask one;
  one.n_heads = mask.n_heads;
  one.rows = 1;
  one.cols = keys.n;
  one.value = mask.value;
  one.visible = visible_to_row(mask, row, keys);
  one.added = added_to_row(mask, row, keys);
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

bool shares_first_rows(const PassBuffers& before, const PassMasks& masks_before, const PassBuffers& now,
                       const PassMasks& masks_now, int n) {
  const PassShape& a = before.shape;
  const PassShape& b = now.shape;
  const Architecture& of = b.architecture;
  if (!(a.architecture == of) || of.has_cross() || of.linear_attention || of.kv_latent) return false;
  if (a.kept != Kept::everything || b.kept != Kept::everything || a.drops || b.drops) return false;
  if (a.vocabulary != b.vocabulary || a.keeps_predictions != b.keeps_predictions || a.gives_input ||
      b.gives_input)
    return false;
  if (a.mask_hides != b.mask_hides || a.mask_changes_scores != b.mask_changes_scores) return false;
  // The weights of a row have the same bits whatever hidden keys follow, if both rows are summed in the same
  // order.
  if ((a.n_source < short_row) != (b.n_source < short_row)) return false;
  const StackBuffers& stack_before = before.stack(of.last_stack());
  const StackBuffers& stack_now = now.stack(of.last_stack());
  for (std::size_t l = 0; l < stack_now.layers.size(); ++l) {
    const bool had_scores = stack_before.layers[l].self.raw != nullptr;
    if (had_scores != (stack_now.layers[l].self.raw != nullptr)) return false;
  }
  return see_the_same(masks_before.source, masks_now.source, n) &&
         see_the_same(masks_before.sliding_source, masks_now.sliding_source, n);
}

void copy_first_rows(const PassBuffers& from, int n, PassBuffers& to) {
  const Architecture& a = to.shape.architecture;
  StackBuffers stack_from = from.stack(a.last_stack());
  StackBuffers stack_to = to.stack(a.last_stack());
  BeginningCopier copier(n, stack_from.n_tokens, stack_to.n_tokens);
  copier.rows(rows_of_stack(a, stack_from), rows_of_stack(a, stack_to));
  for (std::size_t l = 0; l < stack_to.layers.size(); ++l) {
    LayerBuffers& layer_from = stack_from.layers[l];
    LayerBuffers& layer_to = stack_to.layers[l];
    copier.rows(keys_and_values(layer_from.self), keys_and_values(layer_to.self));
    copier.rows(rows_of_queries(a, layer_from), rows_of_queries(a, layer_to));
    copier.maps(layer_from.self, layer_to.self);
  }
  for (const auto part :
       {&OutputTransformBuffers::hidden, &OutputTransformBuffers::activated, &OutputTransformBuffers::output})
    copier.rows(from.transform.*part, to.transform.*part, a.output_width());
  copier.rows(from.logits, to.logits, to.shape.vocabulary);
  copier.rows(from.probabilities, to.probabilities, to.shape.vocabulary);
}

StackBuffers behind_first_rows(const Architecture& a, const StackBuffers& stack, int n) {
  const auto shift = [n](const std::vector<RowPart>& parts) {
    for (const RowPart& part : parts) {
      if (*part.data != nullptr) *part.data += static_cast<std::ptrdiff_t>(n) * part.width;
    }
  };
  const auto shift_ends = [n](const float*& end, int width) {
    end += static_cast<std::ptrdiff_t>(n) * width;
  };
  StackBuffers behind = stack;
  behind.n_tokens -= n;
  shift(rows_of_stack(a, behind));
  shift_ends(behind.output, a.layer_width());
  for (LayerBuffers& layer : behind.layers) {
    layer.n_tokens -= n;
    shift(rows_of_queries(a, layer));
    shift_ends(layer.input, a.d_model);
    shift_ends(layer.output, a.layer_width());
    AttentionShape& shape = layer.self.shape;
    for (float** map : maps_of(layer.self)) {
      if (*map != nullptr) *map += static_cast<std::ptrdiff_t>(n) * shape.n_keys;
    }
    shape.n_map_rows = shape.n_queries;
    shape.n_queries -= n;
    shape.n_cached = n;
    shape.first_position = n;
  }
  return behind;
}

StackBuffers only_row(const Architecture& a, const StackBuffers& stack, int row) {
  StackBuffers only = behind_first_rows(a, stack, row);
  only.n_tokens = 1;
  only.layers.back().n_tokens = 1;
  only.layers.back().self.shape.n_queries = 1;
  return only;
}

PassMasks behind_first_rows(const PassMasks& masks, const Architecture& a, int n) {
  PassMasks behind;
  behind.source = mask_behind(masks.source, n);
  behind.sliding_source = mask_behind(masks.sliding_source, n);
  if (a.biases_positions()) behind.source_biases = biases_behind(masks.source_biases, n);
  return behind;
}

void score_later_keys(const AttentionPlan& plan, int n, const AttentionBuffers& b) {
  const AttentionShape& s = b.shape;
  const int n_later = s.n_keys - n;
  const float factor = score_factor(plan, s);
  PackedMatrix keys;
  int packed_head = -1;
  for (int head = 0; head < s.n_heads; ++head) {
    if (b.raw != nullptr && packed_head != s.kv_head_of(head)) {
      packed_head = s.kv_head_of(head);
      const std::ptrdiff_t first = std::ptrdiff_t{n} * s.key_width() + std::ptrdiff_t{packed_head} * s.d_head;
      keys.pack_transposed({b.mapped_key + first, n_later, s.d_head, s.key_width()});
    }
    const std::ptrdiff_t at =
        static_cast<std::ptrdiff_t>(static_cast<std::size_t>(head) * s.map_floats()) + n;
    const MatrixView queries{b.mapped_query + std::ptrdiff_t{head} * s.d_head, n, s.d_head, s.query_width()};
    if (b.raw != nullptr) keys.multiply(queries, nullptr, b.raw + at, s.n_keys);
    for (int row = 0; row < n; ++row) {
      const std::ptrdiff_t first = at + std::ptrdiff_t{row} * s.n_keys;
      for (int key = 0; key < n_later && b.raw != nullptr; ++key)
        b.scaled[first + key] = b.raw[first + key] * factor;
      if (s.caps && b.raw != nullptr)
        softcap(b.scaled + first, static_cast<std::size_t>(n_later), plan.softcap, b.capped + first);
      std::fill_n(b.masked + first, n_later, plan.mask.value);
      std::fill_n(b.weights + first, n_later, 0.0F);
    }
  }
}

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
