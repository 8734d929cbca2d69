#include "core/model/later_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>

#include "core/tensor/packed_product.h"
#include "core/tensor/softmax.h"

namespace headscope {
namespace {

/// Whether the first n queries see the same keys under both masks, none beyond the first n.
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

}  // namespace

bool has_same_first_rows(const PassBuffers& before, const PassMasks& masks_before, const PassBuffers& now,
                         const PassMasks& masks_now, int n) {
  const PassShape& a = before.shape;
  const PassShape& b = now.shape;
  const Architecture& of = b.architecture();
  if (!(a.architecture() == of) || of.has_cross() || of.linear_attention || of.kv_latent ||
      of.foreign.captured)
    return false;
  if (a.kept != Retention::everything || b.kept != Retention::everything) return false;
  if (a.vocabulary != b.vocabulary || a.keeps_predictions != b.keeps_predictions) return false;
  if (a.edits_rows || b.edits_rows) return false;
  if (a.mask_hides != b.mask_hides || a.mask_changes_scores != b.mask_changes_scores) return false;
  // Rows summed in the same order have bit-identical weights, whatever hidden keys follow.
  if ((a.n_source < short_row) != (b.n_source < short_row)) return false;
  for (int layer = 0; layer < of.layers_of(of.last_stack()); ++layer) {
    const StageId scores{StageKind::raw, of.last_stack(), layer};
    if (a.attention(of.last_stack(), AttentionKind::self, layer).has_dropout) return false;
    if ((before.at(scores) == nullptr) != (now.at(scores) == nullptr)) return false;
  }
  return see_the_same(masks_before.source, masks_now.source, n) &&
         see_the_same(masks_before.sliding_source, masks_now.sliding_source, n);
}

void copy_first_rows(const PassBuffers& from, int n, PassBuffers& to) {
  std::set<const float*> copied;  // Stages may share memory.
  const auto copy = [&](const Step& step, int layer) {
    const StageId id = with_layer(step.stage, layer);
    float* row_to = to.at(id);
    const float* row_from = from.at(id);
    if (row_to == nullptr || !copied.insert(row_to).second) return;
    if (!is_map(id.kind)) {
      std::copy_n(row_from, std::ptrdiff_t{n} * to.shape.width(id), row_to);
      return;
    }
    const std::ptrdiff_t n_from = from.shape.n_tokens(id.stack);
    const std::ptrdiff_t n_to = to.shape.n_tokens(id.stack);
    for (int head = 0; head < to.shape.architecture().n_heads; ++head) {
      for (std::ptrdiff_t row = 0; row < n; ++row)
        std::copy_n(row_from + (head * n_from + row) * n_from, n, row_to + (head * n_to + row) * n_to);
    }
  };
  const Architecture& a = to.shape.architecture();
  const StackSteps& steps = to.shape.graph->steps(a.last_stack());
  for (const std::vector<Step>* once : {&steps.input, &steps.output, &to.shape.graph->prediction_steps()})
    for (const Step& step : *once) copy(step, 0);
  for (int layer = 0; layer < a.layers_of(a.last_stack()); ++layer)
    for (const Step& step : steps.layer) copy(step, layer);
}

void skip_first_queries(int first, AttentionBuffers& buffers) {
  AttentionShape& s = buffers.shape;
  const std::ptrdiff_t n = first - s.first_query;
  if (n == 0) return;
  s.n_map_rows = s.n_queries;
  s.n_queries -= static_cast<int>(n);
  s.first_query = first;
  buffers.query += n * s.query_width();
  buffers.concat += n * s.concat_width();
  for (float** map : {&buffers.raw, &buffers.scaled, &buffers.capped, &buffers.masked, &buffers.weights,
                      &buffers.dropped}) {
    if (*map != nullptr) *map += n * s.n_keys;
  }
}

void fill_later_keys(const AttentionPlan& plan, int n, const AttentionBuffers& b) {
  const AttentionShape& s = b.shape;
  const int n_later = s.n_keys - n;
  const float factor = score_factor(plan, s);
  PackedMatrix keys;
  int packed_head = -1;
  for (int head = 0; head < s.n_heads; ++head) {
    if (b.raw != nullptr && packed_head != s.kv_head_of(head)) {
      packed_head = s.kv_head_of(head);
      const std::ptrdiff_t first = std::ptrdiff_t{n} * s.key_width() + std::ptrdiff_t{packed_head} * s.d_head;
      keys.pack_transposed({b.key + first, n_later, s.d_head, s.key_width()});
    }
    const std::ptrdiff_t at =
        static_cast<std::ptrdiff_t>(static_cast<std::size_t>(head) * s.map_floats()) + n;
    const MatrixView queries{b.query + std::ptrdiff_t{head} * s.d_head, n, s.d_head, s.query_width()};
    if (b.raw != nullptr) keys.multiply(queries, nullptr, b.raw + at, s.n_keys);
    for (int row = 0; row < n; ++row) {
      const std::ptrdiff_t first = at + std::ptrdiff_t{row} * s.n_keys;
      for (int key = 0; key < n_later && b.raw != nullptr; ++key)
        b.scaled[first + key] = b.raw[first + key] * factor;
      if (s.has_softcap && b.raw != nullptr)
        softcap(b.scaled + first, static_cast<std::size_t>(n_later), plan.softcap, b.capped + first);
      std::fill_n(b.masked + first, n_later, plan.mask.value);
      std::fill_n(b.weights + first, n_later, 0.0F);
    }
  }
}

}  // namespace headscope
