#include "core/model/head_maps.h"

#include <algorithm>
#include <span>

#include "core/model/head_pass.h"

namespace headscope {
namespace {

/// This many scores, together with the maps made from them, fit into a core's second-level cache.
constexpr int floats_at_once = 64 * 1024;

}  // namespace

HeadMaps::HeadMaps(const AttentionPlan& plan, const AttentionBuffers& buffers, int head)
    : plan_(plan), buffers_(buffers), head_(head) {
  const AttentionShape& s = buffers.shape;
  const std::ptrdiff_t column = static_cast<std::ptrdiff_t>(s.kv_head_of(head)) * s.d_head;
  keys_.pack_transposed({buffers.mapped_key + column, s.n_keys, s.d_head, s.key_width()});
}

void HeadMaps::rows(MapPart part, int first, int n, float* out) const {
  const int width = n_cols();
  const int at_once = std::clamp(floats_at_once / width, 1, std::max(n, 1));
  constexpr std::size_t parts = 5;
  const AlignedBuffer work(parts * static_cast<std::size_t>(at_once) * static_cast<std::size_t>(width));
  for (int done = 0; done < n; done += at_once) {
    some_rows(part, first + done, std::min(at_once, n - done), work.data(),
              out + static_cast<std::ptrdiff_t>(done) * width);
  }
}

/// Writes the scores of the queries from `first` on: given ones, or the products with all keys.
void HeadMaps::raw_scores(const MatrixView& queries, int first, float* raw) const {
  const HeadEdits* edits = plan_.edits_of_head(head_);
  if (edits != nullptr && edits->raw != nullptr) {
    std::copy_n(edits->raw->view().row(first).data(),
                static_cast<std::ptrdiff_t>(queries.rows) * buffers_.shape.n_keys, raw);
  } else {
    keys_.multiply(queries, nullptr, raw, buffers_.shape.n_keys);
  }
}

void HeadMaps::some_rows(MapPart part, int first, int n, float* work, float* out) const {
  const AttentionShape& s = buffers_.shape;
  const std::ptrdiff_t stride = s.query_width();
  const MatrixView queries{
      buffers_.mapped_query + first * stride + static_cast<std::ptrdiff_t>(head_) * s.d_head, n, s.d_head,
      stride};
  const CombinedMask& mask = plan_.mask;
  const std::size_t mask_at = mask.index(head_, first, 0);
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(n) * s.n_keys;
  ScoreBlock block;
  block.rows = n;
  block.cols = s.n_keys;
  block.raw = part == MapPart::raw ? out : work;
  block.scaled = part == MapPart::scaled ? out : work + size;
  block.capped = !s.caps ? block.scaled : part == MapPart::capped ? out : work + 4 * size;
  block.masked = !s.mask_changes_scores ? block.capped : part == MapPart::masked ? out : work + 2 * size;
  block.weights = part == MapPart::weights || part == MapPart::dropped ? out : work + 3 * size;
  block.softcap = plan_.softcap;
  if (plan_.sinks != nullptr) block.sink = plan_.sinks[head_];
  block.visible = mask.visible.empty() ? nullptr : &mask.visible;
  block.first_visible = mask.line(head_, first);
  block.added = mask.added.empty() ? nullptr : mask.added.data() + mask_at;
  block.biases = plan_.biases == nullptr
                     ? nullptr
                     : (*plan_.biases)[static_cast<std::size_t>(head_)].data() + s.n_keys - 1 - first;
  const HeadEdits* edits = plan_.edits_of_head(head_);
  if (!plan_.reads_weights()) {
    raw_scores(queries, first, block.raw);
    if (part == MapPart::raw) return;
    scale_and_mask(block, score_factor(plan_, s), mask.value);
  }
  if (part == MapPart::scaled || part == MapPart::capped) return;
  if (part == MapPart::masked) {
    if (block.masked != out) std::copy_n(block.masked, size, out);
    return;
  }
  weigh(plan_, s, head_, first, block);
  if (edits != nullptr && edits->changes_weights()) {
    for (int row = 0; row < n; ++row) {
      const std::size_t width = static_cast<std::size_t>(s.n_keys);
      const std::size_t at = static_cast<std::size_t>(row) * width;
      edit_weights(*edits, first + row, mask.keys(head_, first + row), {block.weights + at, width},
                   plan_.row_sums());
    }
  }
  if (part == MapPart::weights || !s.drops) return;
  std::vector<float> factors(static_cast<std::size_t>(s.n_keys));
  for (int row = 0; row < n; ++row) {
    plan_.dropout->factors(head_, first + row, factors);
    float* weights = out + static_cast<std::ptrdiff_t>(row) * s.n_keys;
    for (std::size_t i = 0; i < factors.size(); ++i) weights[i] *= factors[i];
  }
}

}  // namespace headscope
