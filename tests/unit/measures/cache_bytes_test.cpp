#include "core/measures/cache_bytes.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

/// The shape of Raschka's examples: 4096 wide, 32 heads, 32 layers, 32,768 tokens in 16 bit.
constexpr CacheShape all_heads{
    .layers = 32, .window_layers = 0, .window = 1024, .kv_heads = 32, .key_width = 128, .value_width = 128};
constexpr CacheLoad load{.tokens = 32768, .batch = 1, .bytes_per_number = 2};

CacheShape grouped(CacheShape shape) {
  shape.kv_heads = 8;
  return shape;
}
CacheShape windowed(CacheShape shape) {
  shape.window_layers = window_layers(shape.layers, 5, 1);
  return shape;
}

TEST(CacheBytes, EqualPrintedFigures) {
  EXPECT_EQ(cache_bytes(all_heads, load), 17'179'869'184.0);
  EXPECT_EQ(cache_bytes(grouped(all_heads), load), 4'294'967'296.0);
  EXPECT_EQ(windowed(all_heads).window_layers, 27);
  EXPECT_EQ(cache_bytes(windowed(all_heads), load), 3'137'339'392.0);
  EXPECT_EQ(cache_bytes(windowed(grouped(all_heads)), load), 784'334'848.0);
}

TEST(CacheBytes, LatentCacheOfDeepSeekV2) {
  // 60 layers, d_c = 512, d_h^R = 64: a token takes (512 + 64) · 60 numbers, where 128 heads of width 128
  // would take 128 · 256 · 60.
  const CacheShape latent{.layers = 60, .key_width = 512, .value_width = 64};
  EXPECT_EQ(cached_numbers(latent, 1), 34'560);
  EXPECT_EQ(cache_bytes(latent, {.tokens = 131'072, .batch = 2, .bytes_per_number = 2}),
            34'560.0 * 131'072 * 2 * 2);
}

TEST(CacheBytes, KeysAndValuesOfDifferentWidths) {
  CacheShape shape = all_heads;
  shape.value_width = 64;
  EXPECT_EQ(cached_numbers(shape, 3), 32 * 32 * (128 + 64) * 3);
}

TEST(CacheBytes, WindowKeepsAllThereIsUntilItIsFull) {
  CacheShape shape = all_heads;
  shape.window_layers = shape.layers;
  shape.window = 4;
  const std::int64_t of_token = cached_numbers(all_heads, 1);
  for (std::int64_t tokens = 0; tokens < 9; ++tokens) {
    EXPECT_EQ(cached_numbers(shape, tokens), of_token * (tokens < 4 ? tokens : 4)) << tokens;
  }
}

TEST(CacheBytes, GroupsOfLayersBeginWithWindows) {
  EXPECT_EQ(window_layers(6, 5, 1), 5);
  EXPECT_EQ(window_layers(5, 5, 1), 5);
  EXPECT_EQ(window_layers(7, 5, 1), 6);
  EXPECT_EQ(window_layers(3, 1, 1), 2);
  EXPECT_EQ(window_layers(4, 0, 1), 0);
  EXPECT_EQ(window_layers(4, 1, 0), 4);
}

}  // namespace
}  // namespace headscope
