#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/checkpoint/capture.h"
#include "core/io/safetensors.h"
#include "core/trace/trace.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope::test {

inline constexpr int pushed_layers = 3, pushed_heads = 2;

/// The weights that are pushed at a step: shares that differ in every cell and with every step.
inline float pushed_weight(int step, int layer, int head, int query, int key, int n) {
  constexpr int cycle = 13;
  const auto part = [&](int at) {
    return static_cast<float>(1 + (7 * step + 5 * layer + 3 * head + 2 * query + at) % cycle);
  };
  float sum = static_cast<float>(n / cycle * (cycle * (cycle + 1) / 2));
  for (int each = n / cycle * cycle; each < n; ++each) sum += part(each);
  return part(key) / sum;
}

/// The attention that a training loop pushes at a step, named "step 7". Its file has been removed, as by
/// Python. `tokens` is a JSON array of `n` texts.
inline std::shared_ptr<const TrainedModel> pushed_capture(int step,
                                                          const char* tokens = R"(["a", " b", " c", " d"])",
                                                          int n = 4) {
  std::vector<float> values;
  for (int layer = 0; layer < pushed_layers; ++layer) {
    for (int head = 0; head < pushed_heads; ++head) {
      for (int row = 0; row < n; ++row) {
        for (int col = 0; col < n; ++col) values.push_back(pushed_weight(step, layer, head, row, col, n));
      }
    }
  }
  const auto side = static_cast<std::size_t>(n);
  const std::vector<TensorView> tensors{{"attentions",
                                         {pushed_layers, pushed_heads, side, side},
                                         {values.data(), pushed_layers * pushed_heads * n, n, n}}};
  const TemporaryFolder folder;
  const auto file = folder / "pushed.safetensors";
  const auto written =
      write_safetensors(file, tensors, {{"tokens", tokens}, {"name", "step " + std::to_string(step)}});
  EXPECT_TRUE(written) << written.error().message;
  const auto opened = open_capture(file, "");
  EXPECT_TRUE(opened) << opened.error().message;
  return *opened;
}

/// Expects the weights of a pass to be those pushed at this step.
inline void expect_pushed(const Trace& trace, int step) {
  const int n = trace.n_tokens();
  for (int layer = 0; layer < pushed_layers; ++layer) {
    for (int head = 0; head < pushed_heads; ++head) {
      const StageId id{StageKind::weights, trace.architecture().last_stack(), layer, AttentionKind::self,
                       head};
      for (int row = 0; row < n; ++row) {
        for (int col = 0; col < n; ++col)
          ASSERT_EQ(trace.number(id, row, col), pushed_weight(step, layer, head, row, col, n)) << path(id);
      }
    }
  }
}

}  // namespace headscope::test
