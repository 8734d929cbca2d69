// Fuzzes masks: the words of the command line and a .npy file are combined as in a pass, and the resulting
// weights are checked. The input is six bytes of sizes, the words, one on each line, a NUL, and the file,
// which the word “mask.npy” names.

#include <algorithm>
#include <array>

#include "app/cli/command_options.h"
#include "app/cli/mask_options.h"
#include "app/cli/option_values.h"
#include "app/cli/resource_loader.h"
#include "core/model/attention.h"
#include "core/split_text.h"
#include "core/tensor/aligned_buffer.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

using fuzzing::require;

constexpr std::size_t n_size_bytes = 6;
constexpr const char* mask_file = "mask.npy";

struct Wish {
  MaskSizes sizes;
  float value = MaskValue::minus_infinity;
};

Wish wish_of(std::string_view bytes) {
  const auto number = [&](std::size_t i, int end) { return static_cast<unsigned char>(bytes[i]) % end; };
  Wish wish;
  wish.sizes.n_queries = 1 + number(0, 12);
  wish.sizes.n_keys = 1 + number(1, 12);
  wish.sizes.n_heads = 1 + number(2, 4);
  wish.sizes.n_sequences = 1 + number(3, 4);
  wish.sizes.sequence = number(4, wish.sizes.n_sequences);
  constexpr std::array values{MaskValue::minus_infinity, MaskValue::minus_1e9, 0.0F, -7.5F};
  wish.value = values.at(static_cast<std::size_t>(number(5, 4)));
  return wish;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view line : split_text(text, '\n')) {
    // Only the harness's own file may be opened.
    if (line.find('/') == std::string_view::npos) words.emplace_back(line);
  }
  return words;
}

void check_reasons(const MaskSpec& spec, const Wish& wish, const CombinedMask& mask) {
  for (int head = 0; head < wish.sizes.n_heads; ++head) {
    const std::vector<int> blind = rows_without_keys(mask, head);
    for (int query = 0; query < wish.sizes.n_queries; ++query) {
      bool sees_a_key = false;
      for (int key = 0; key < wish.sizes.n_keys; ++key) {
        const bool visible = mask.is_visible(head, query, key);
        const std::string why = why_hidden(spec, wish.sizes, head, {query, key});
        if (!why.empty()) fuzzing::require_readable(why);
        require(visible || !why.empty(), "a hidden cell has a reason");
        require(!visible || why.empty() || mask.addend(head, query, key) < 0.0F, "a visible cell has none");
        sees_a_key = sees_a_key || (visible && std::isfinite(mask.addend(head, query, key)));
      }
      require(sees_a_key != std::ranges::binary_search(blind, query), "rows without keys are listed");
    }
  }
}

Linear projection(int n_in, int n_out) {
  Matrix weight(n_in, n_out);
  for (int r = 0; r < n_in; ++r) {
    for (int c = 0; c < n_out; ++c) weight(r, c) = static_cast<float>((r * 5 + c * 3) % 7 - 3) * 0.25F;
  }
  return {weight, RowVector::Zero(n_out)};
}

OwnedMatrix rows(int n, int width) {
  OwnedMatrix matrix(n, width);
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    matrix.values[i] = static_cast<float>(i % 5) * 0.5F - 1.0F;
  }
  return matrix;
}

void check_pass(const Wish& wish, const CombinedMask& mask) {
  static ThreadPool pool(1);
  constexpr int d_model = 4;
  const int n_heads = wish.sizes.n_heads;
  AttentionShape shape;
  shape.n_queries = wish.sizes.n_queries;
  shape.n_keys = wish.sizes.n_keys;
  shape.d_model = d_model;
  shape.n_heads = n_heads;
  shape.n_kv_heads = shape.n_heads;
  shape.d_head = shape.d_value = 2;
  shape.mask_changes_scores = !mask.visible.empty() || !mask.added.empty();
  AttentionWeights weights;
  weights.query = projection(d_model, shape.concat_width());
  weights.key = projection(d_model, shape.concat_width());
  weights.value = projection(d_model, shape.concat_width());
  weights.out = projection(shape.concat_width(), d_model);
  Arena counter(nullptr);
  AttentionBuffers(shape, counter);
  const AlignedBuffer memory(counter.used());
  Arena arena(memory.data());
  AttentionBuffers buffers(shape, arena);
  const OwnedMatrix query = rows(shape.n_queries, d_model);
  const OwnedMatrix key = rows(shape.n_keys, d_model);
  AttentionOptions options;
  options.mask_value = wish.value;
  const AttentionPlan plan{options, mask, nullptr, std::nullopt};
  attention_forward(weights, {query.view(), key.view(), key.view()}, plan, buffers, pool);
  for (int head = 0; head < n_heads; ++head) {
    const MatrixView map{buffers.weights + static_cast<std::size_t>(head) * shape.map_floats(),
                         shape.n_queries, shape.n_keys, shape.n_keys};
    fuzzing::require_weights(map);
  }
}

void check_masks(std::string_view input) {
  const Wish wish = wish_of(input);
  const auto parts = fuzzing::parts_of(input.substr(n_size_bytes), 2);
  fuzzing::put(mask_file, parts[1]);
  const MaskOption option{"--mask", wish.sizes.n_queries, wish.sizes.n_keys, true, nullptr, files().mask};
  const auto spec = result_of([&] { return with_masks({}, words_of(parts[0]), option); });
  if (!spec) return fuzzing::require_readable(spec.error().message);
  const auto mask = combine(*spec, wish.value, wish.sizes);
  if (!mask) return fuzzing::require_readable(mask.error().message);
  check_reasons(*spec, wish, *mask);
  check_pass(wish, *mask);
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  if (size < n_size_bytes) return 0;
  fuzzing::scratch();
  check_masks(fuzzing::text_of(data, size));
  return 0;
}
