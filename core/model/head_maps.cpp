#include "core/model/head_maps.h"

#include <algorithm>
#include <span>

#include "core/model/head_pass.h"

namespace headscope {
namespace {

/// This many scores, with the maps computed from them, fit into the L2 cache.
constexpr int floats_at_once = 64 * 1024;

}  // namespace

HeadMaps::HeadMaps(const AttentionPlan& plan, const AttentionBuffers& buffers, int head)
    : plan_(plan), buffers_(buffers), head_(head) {
  const AttentionShape& s = buffers.shape;
  const std::ptrdiff_t column = static_cast<std::ptrdiff_t>(s.kv_head_of(head)) * s.d_head;
  if (buffers.key != nullptr)
    keys_.pack_transposed({buffers.key + column, s.n_keys, s.d_head, s.key_width()});
}

void HeadMaps::rows(StageKind map, int first, int n, float* out) const {
  const int width = n_cols();
  const int at_once = std::clamp(floats_at_once / width, 1, std::max(n, 1));
  constexpr std::size_t parts = 5;
  const AlignedBuffer work(parts * static_cast<std::size_t>(at_once) * static_cast<std::size_t>(width));
  for (int done = 0; done < n; done += at_once) {
    some_rows(map, first + done, std::min(at_once, n - done), work.data(),
              out + static_cast<std::ptrdiff_t>(done) * width);
  }
}

/// The scores of the queries from `first` on: given ones, or Q Kᵀ.
void HeadMaps::raw_scores(int first, int n, float* raw) const {
  const AttentionShape& s = buffers_.shape;
  const HeadEdits* edits = plan_.edits_of_head(head_);
  if (edits != nullptr && edits->raw != nullptr) {
    for (int row = 0; row < n; ++row, raw += s.n_keys)
      std::copy_n(given_scores(s, *edits->raw, first + row), s.n_keys, raw);
    return;
  }
  const std::ptrdiff_t stride = s.query_width();
  const float* queries = buffers_.query + first * stride + static_cast<std::ptrdiff_t>(head_) * s.d_head;
  keys_.multiply({queries, n, s.d_head, stride}, nullptr, raw, s.n_keys);
}

void HeadMaps::some_rows(StageKind map, int first, int n, float* work, float* out) const {
  const AttentionShape& s = buffers_.shape;
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(n) * s.n_keys;
  ScoreBlock block = score_block_template(plan_, s, head_, first);
  block.rows = n;
  block.raw = map == StageKind::raw ? out : work;
  block.scaled = map == StageKind::scaled ? out : work + size;
  block.capped = !s.has_softcap ? block.scaled : map == StageKind::capped ? out : work + 4 * size;
  block.masked = !s.mask_changes_scores ? block.capped : map == StageKind::masked ? out : work + 2 * size;
  block.weights = map == StageKind::weights || map == StageKind::dropped ? out : work + 3 * size;
  const HeadEdits* edits = plan_.edits_of_head(head_);
  if (!plan_.has_captured_weights()) {
    raw_scores(first, n, block.raw);
    if (map == StageKind::raw) return;
    scale_and_mask(block, score_factor(plan_, s), plan_.mask.value);
  }
  if (map == StageKind::scaled || map == StageKind::capped) return;
  if (map == StageKind::masked) {
    if (block.masked != out) std::copy_n(block.masked, size, out);
    return;
  }
  weigh(plan_, s, head_, first, block);
  if (edits != nullptr && edits->changes_weights()) {
    for (int row = 0; row < n; ++row)
      edit_row(
          plan_, s, *edits, first + row,
          {block.weights + static_cast<std::ptrdiff_t>(row) * s.n_keys, static_cast<std::size_t>(s.n_keys)});
  }
  if (map == StageKind::weights || !s.has_dropout) return;
  std::vector<float> factors(static_cast<std::size_t>(s.n_keys));
  for (int row = 0; row < n; ++row) {
    plan_.dropout->factors(head_, s.first_query + first + row, factors);
    float* weights = out + static_cast<std::ptrdiff_t>(row) * s.n_keys;
    for (std::size_t i = 0; i < factors.size(); ++i) weights[i] *= factors[i];
  }
}

}  // namespace headscope
