#include "core/model/mask.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/tensor/random.h"
#include "tests/unit/model/mask_cells.h"

namespace headscope {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

int pick(RandomStream& random, int low, int high) {
  return low + static_cast<int>(random.bits() % static_cast<std::uint64_t>(high - low + 1));
}

std::shared_ptr<const LoadedMask> random_loaded(RandomStream& random, const MaskSizes& sizes) {
  auto mask = std::make_shared<LoadedMask>();
  mask->name = "file.npy";
  mask->additive = pick(random, 0, 1) == 1;
  mask->n_sequences = pick(random, 0, 1) == 1 ? sizes.n_sequences : 1;
  mask->n_heads = pick(random, 0, 1) == 1 ? sizes.n_heads : 1;
  mask->rows = pick(random, 0, 1) == 1 ? sizes.n_queries : 1;
  mask->cols = sizes.n_keys;
  mask->values.resize(static_cast<std::size_t>(mask->n_sequences * mask->n_heads * mask->rows * mask->cols));
  for (float& value : mask->values) {
    const bool hides = pick(random, 0, 2) == 0;
    if (mask->additive) {
      value = hides ? minus_infinity : random.normal();
    } else {
      value = hides ? 0.0F : 1.0F;
    }
  }
  return mask;
}

struct RandomMask {
  MaskSizes sizes;
  MaskSpec spec;
};

RandomMask random_mask(std::uint64_t seed) {
  RandomStream random(seed, "mask");
  RandomMask mask;
  const int n_queries = pick(random, 1, 12);
  const int n_sequences = pick(random, 1, 3);
  mask.sizes = {n_queries, pick(random, 0, 1) == 1 ? n_queries : pick(random, 1, 12), pick(random, 1, 3),
                n_sequences, pick(random, 0, n_sequences - 1)};
  mask.spec.causal = pick(random, 0, 1) == 1;
  if (pick(random, 0, 1) == 1) mask.spec.window = pick(random, 0, 4);
  if (pick(random, 0, 2) == 0) mask.spec.prefix = pick(random, 0, 14);
  for (int i = pick(random, 0, 2); i > 0; --i) mask.spec.padding.push_back(pick(random, 0, 15));
  for (int i = pick(random, 0, 4); i > 0; --i) {
    mask.spec.painted.push_back({pick(random, 0, 15), pick(random, 0, 15)});
  }
  std::sort(mask.spec.padding.begin(), mask.spec.padding.end());
  std::sort(mask.spec.painted.begin(), mask.spec.painted.end());
  if (pick(random, 0, 1) == 1) mask.spec.loaded = {random_loaded(random, mask.sizes)};
  return mask;
}

/// Whether one cell is visible according to the rules of the documentation, applied one by one.
bool expected_visible(const MaskSpec& spec, int sequence, int head, Cell cell) {
  if (spec.causal && cell.key > cell.query) return false;
  if (spec.prefix && cell.key >= *spec.prefix && cell.key > cell.query) return false;
  if (spec.window && std::max(cell.query - cell.key, cell.key - cell.query) > *spec.window) return false;
  if (std::count(spec.padding.begin(), spec.padding.end(), cell.key) > 0) return false;
  if (std::count(spec.painted.begin(), spec.painted.end(), cell) > 0) return false;
  if (spec.loaded.empty() || spec.loaded.front()->additive) return true;
  const LoadedMask& file = *spec.loaded.front();
  const int b = file.n_sequences == 1 ? 0 : sequence;
  const int h = file.n_heads == 1 ? 0 : head;
  const int row = file.rows == 1 ? 0 : cell.query;
  return file.values[static_cast<std::size_t>(((b * file.n_heads + h) * file.rows + row) * file.cols +
                                              cell.key)] == 1.0F;
}

class CombinedMasks : public testing::TestWithParam<int> {};

TEST_P(CombinedMasks, EveryRuleHidesAndNothingElse) {
  const RandomMask wish = random_mask(static_cast<std::uint64_t>(GetParam()));
  const MaskSizes& sizes = wish.sizes;
  const auto mask = combine(wish.spec, MaskValue::minus_infinity, sizes);
  ASSERT_TRUE(mask) << mask.error().message;
  for (int head = 0; head < sizes.n_heads; ++head) {
    const auto empty_rows = rows_without_keys(*mask, head);
    for (int query = 0; query < sizes.n_queries; ++query) {
      bool any = false;
      for (int key = 0; key < sizes.n_keys; ++key) {
        const Cell cell{query, key};
        const bool visible = expected_visible(wish.spec, sizes.sequence, head, cell);
        ASSERT_EQ(mask->is_visible(head, query, key), visible);
        const bool adds_infinity = std::isinf(mask->addend(head, query, key));
        ASSERT_EQ(why_hidden(wish.spec, sizes, head, cell).empty(), visible && !adds_infinity);
        any = any || (visible && !adds_infinity);
      }
      const bool listed = std::count(empty_rows.begin(), empty_rows.end(), query) > 0;
      ASSERT_EQ(listed, !any) << "head " << head << ", query " << query;
    }
  }
}

TEST_P(CombinedMasks, ACellIsHiddenIfAndOnlyIfThereIsAReason) {
  RandomMask wish = random_mask(static_cast<std::uint64_t>(GetParam()));
  RandomStream random(static_cast<std::uint64_t>(GetParam()), "more rules");
  MaskSpec& spec = wish.spec;
  if (pick(random, 0, 2) == 0) spec.first_keys = pick(random, 0, 6);
  if (pick(random, 0, 2) == 0) spec.block = pick(random, 1, 6);
  if (pick(random, 0, 2) == 0) spec.dilation = pick(random, 1, 4);
  if (pick(random, 0, 1) == 0) wish.sizes.query_offset = pick(random, -15, 15);
  if (pick(random, 0, 1) == 0) wish.sizes.sliding = pick(random, 1, 8);
  for (int first = pick(random, 1, 6); first < 12 && pick(random, 0, 1) == 0; first += pick(random, 1, 5))
    spec.documents.push_back(first);
  const auto mask = combine(spec, MaskValue::minus_infinity, wish.sizes);
  ASSERT_TRUE(mask) << mask.error().message;
  for (int head = 0; head < mask->n_heads; ++head) {
    for (int query = 0; query < mask->rows; ++query) {
      int end = 0;
      for (int key = 0; key < mask->cols; ++key) {
        const bool adds_infinity = std::isinf(mask->addend(head, query, key));
        const bool is_visible = mask->is_visible(head, query, key);
        ASSERT_EQ(why_hidden(spec, wish.sizes, head, {query, key}).empty(), is_visible && !adds_infinity);
        if (is_visible) end = key + 1;
      }
      ASSERT_EQ(mask->keys(head, query).end(mask->cols), end);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Random, CombinedMasks, testing::Range(0, 200));

TEST(Combine, ALongCausalMaskTakesNoMemoryOfItsSquare) {
  constexpr int n = 1 << 20;
  const auto mask = combine(causal_mask(), MaskValue::minus_infinity, {n, n});
  ASSERT_TRUE(mask);
  EXPECT_TRUE(mask->is_visible(0, n - 1, n - 1));
  EXPECT_FALSE(mask->is_visible(0, n - 2, n - 1));
}

TEST(Combine, NothingToDoTakesNoMemory) {
  const auto mask = combine({}, MaskValue::minus_1e9, {5, 5, 2});
  ASSERT_TRUE(mask);
  EXPECT_TRUE(mask->visible.empty());
  EXPECT_TRUE(mask->added.empty());
  EXPECT_EQ(mask->value, MaskValue::minus_1e9);
  EXPECT_TRUE(mask->is_visible(1, 4, 4));
  EXPECT_EQ(mask->addend(1, 4, 4), 0.0F);
}

TEST(Combine, APrefixIsVisibleToAllAndTheRestIsCausal) {
  MaskSpec spec;
  spec.prefix = 2;
  EXPECT_TRUE(spec.hides_anything());
  const auto mask = combine(spec, MaskValue::minus_infinity, {4, 4, 3});
  ASSERT_TRUE(mask);
  EXPECT_EQ(cells_of(*mask), (std::vector<std::uint8_t>{1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1}));
  spec.prefix = 0;
  MaskSpec causal;
  causal.causal = true;
  EXPECT_EQ(cells_of(*combine(spec, MaskValue::minus_infinity, {4, 4, 3})),
            cells_of(*combine(causal, MaskValue::minus_infinity, {4, 4, 3})))
      << "no prefix at all is a causal mask";
}

TEST(Combine, AWindowHidesNoFirstKey) {
  MaskSpec spec;
  spec.causal = true;
  spec.window = 1;
  spec.first_keys = 2;
  const MaskSizes sizes{6, 6};
  const auto mask = combine(spec, MaskValue::minus_infinity, sizes);
  ASSERT_TRUE(mask);
  for (int query = 0; query < 6; ++query) {
    for (int key = 0; key < 6; ++key) {
      const bool visible = key <= query && (key < 2 || query - key <= 1);
      EXPECT_EQ(mask->is_visible(0, query, key), visible) << query << ", " << key;
      EXPECT_EQ(why_hidden(spec, sizes, 0, {query, key}).empty(), visible);
    }
  }
  MaskSpec alone;
  alone.first_keys = 2;
  EXPECT_TRUE(combine(alone, MaskValue::minus_infinity, sizes)->visible.empty())
      << "without a window, nothing";
}

TEST(Combine, AnAdditiveFileAloneHidesNothingByItself) {
  auto file = std::make_shared<LoadedMask>();
  file->additive = true;
  file->rows = 1;
  file->cols = 3;
  file->values = {0.5F, -2.0F, 0.0F};
  MaskSpec spec;
  spec.loaded = {file};
  const auto mask = combine(spec, MaskValue::minus_infinity, {3, 3, 4});
  ASSERT_TRUE(mask);
  EXPECT_TRUE(mask->visible.empty());
  for (int query = 0; query < 3; ++query) EXPECT_EQ(mask->addend(3, query, 1), -2.0F);
}

TEST(Combine, AFileOfAnotherShapeNamesBoth) {
  for (const auto& [heads, rows, cols] :
       {std::array{1, 4, 5}, std::array{1, 5, 4}, std::array{3, 5, 5}, std::array{1, 2, 5}}) {
    auto file = std::make_shared<LoadedMask>();
    file->name = "mine.npy";
    file->n_heads = heads;
    file->rows = rows;
    file->cols = cols;
    file->values.resize(static_cast<std::size_t>(heads * rows * cols), 1.0F);
    MaskSpec spec;
    spec.loaded = {file};
    const auto mask = combine(spec, MaskValue::minus_infinity, {5, 5, 2});
    ASSERT_FALSE(mask);
    const std::string& message = mask.error().message;
    EXPECT_NE(message.find("mine.npy"), std::string::npos);
    EXPECT_NE(message.find(std::to_string(rows) + ", " + std::to_string(cols) + "]"), std::string::npos);
    EXPECT_NE(message.find("[5, 5]"), std::string::npos);
    EXPECT_NE(message.find("[2, 5, 5]"), std::string::npos);
  }
}

std::shared_ptr<const LoadedMask> loaded(const std::string& name, bool additive, int n_heads, int rows,
                                         std::vector<float> values) {
  auto mask = std::make_shared<LoadedMask>();
  mask->name = name;
  mask->additive = additive;
  mask->n_heads = n_heads;
  mask->rows = rows;
  mask->cols = static_cast<int>(values.size()) / n_heads / rows;
  mask->values = std::move(values);
  return mask;
}

TEST(Combine, TwoBooleanFilesHideWhatEitherHides) {
  MaskSpec spec;
  spec.loaded = {loaded("a", false, 1, 2, {1, 0, 1, 1}), loaded("b", false, 1, 1, {0, 1})};
  const auto mask = combine(spec, MaskValue::minus_infinity, {2, 2, 3});
  ASSERT_TRUE(mask) << mask.error().message;
  EXPECT_EQ(mask->n_heads, 1);
  EXPECT_EQ(cells_of(*mask), (std::vector<std::uint8_t>{0, 0, 0, 1}));
  EXPECT_TRUE(mask->added.empty());
}

TEST(Combine, TwoFloatFilesAddUp) {
  MaskSpec spec;
  spec.loaded = {loaded("a", true, 1, 2, {0.5F, 1, minus_infinity, -3e38F}),
                 loaded("b", true, 1, 1, {0.25F, -3e38F})};
  const auto mask = combine(spec, MaskValue::minus_infinity, {2, 2, 1});
  ASSERT_TRUE(mask) << mask.error().message;
  EXPECT_TRUE(mask->visible.empty());
  EXPECT_EQ(mask->added, (std::vector<float>{0.75F, -3e38F, minus_infinity, minus_infinity}));
}

TEST(Combine, AMaskPerHeadGoesWithAPlainOne) {
  const auto per_head = loaded("heads", false, 2, 2, {1, 1, 0, 1, 1, 0, 1, 1});
  const auto added = loaded("plain", true, 1, 2, {1, 2, 3, 4});
  const auto plain = loaded("row", false, 1, 1, {1, 0});
  for (int order = 0; order < 2; ++order) {
    MaskSpec spec;
    spec.loaded = {per_head, added, plain};
    if (order == 1) std::reverse(spec.loaded.begin(), spec.loaded.end());
    const auto mask = combine(spec, MaskValue::minus_1e9, {2, 2, 2});
    ASSERT_TRUE(mask) << mask.error().message;
    EXPECT_EQ(mask->n_heads, 2);
    EXPECT_EQ(cells_of(*mask), (std::vector<std::uint8_t>{1, 0, 0, 0, 1, 0, 1, 0}));
    EXPECT_EQ(mask->added, (std::vector<float>{1, 2, 3, 4, 1, 2, 3, 4}));
  }
}

TEST(Combine, ASumThatSoftmaxCannotTakeIsRefused) {
  const auto great = [](const std::string& name) { return loaded(name, true, 1, 2, {0, 0, 0, 3e38F}); };
  MaskSpec spec;
  spec.loaded = {great("first.npy"), great("second.npy")};
  const auto sum = combine(spec, MaskValue::minus_infinity, {2, 2, 1});
  ASSERT_FALSE(sum);
  for (const char* words : {"first.npy and second.npy", "query 1, key 1", "+∞"})
    EXPECT_NE(sum.error().message.find(words), std::string::npos) << sum.error().message;

  spec.loaded.push_back(loaded("hides.npy", true, 1, 1, {0, minus_infinity}));
  for (int order = 0; order < 3; ++order) {
    std::rotate(spec.loaded.begin(), spec.loaded.begin() + 1, spec.loaded.end());
    const auto hidden = combine(spec, MaskValue::minus_infinity, {2, 2, 1});
    ASSERT_TRUE(hidden) << hidden.error().message;
    EXPECT_EQ(hidden->addend(0, 1, 1), minus_infinity) << "−∞ hides, in whatever order the masks come";
  }
  for (const float bad : {-minus_infinity, std::numeric_limits<float>::quiet_NaN()}) {
    spec.loaded = {loaded("bad.npy", true, 1, 1, {0, bad})};
    EXPECT_FALSE(combine(spec, MaskValue::minus_infinity, {2, 2, 1}));
  }
}

/// Which keys a query sees: a dot for a hidden key, an x for a visible one.
std::string row_of(const MaskSpec& spec, int query, int n, std::optional<int> sliding = std::nullopt) {
  MaskSizes sizes{n, n};
  sizes.sliding = sliding;
  const auto mask = combine(spec, minus_infinity, sizes);
  EXPECT_TRUE(mask);
  std::string text;
  for (int key = 0; mask && key < n; ++key) {
    text += mask->is_visible(0, query, key) ? 'x' : '.';
    EXPECT_EQ(mask->is_visible(0, query, key), why_hidden(spec, sizes, 0, {query, key}).empty());
  }
  return text;
}

TEST(Combine, BlocksDilationAndDocumentsShowTheirKeys) {
  MaskSpec block;
  block.block = 3;
  EXPECT_EQ(row_of(block, 4, 8), "...xxx..");
  EXPECT_EQ(row_of(block, 7, 8), "......xx");
  MaskSpec dilated;
  dilated.dilation = 2;
  EXPECT_EQ(row_of(dilated, 3, 8), ".x.x.x.x");
  dilated.window = 2;
  EXPECT_EQ(row_of(dilated, 3, 8), ".x.x.x..");
  MaskSpec documents;
  documents.documents = {2, 5};
  EXPECT_EQ(row_of(documents, 1, 8), "xx......");
  EXPECT_EQ(row_of(documents, 4, 8), "..xxx...");
  documents.causal = true;
  EXPECT_EQ(row_of(documents, 6, 8), ".....xx.");
}

TEST(Combine, ASlidingWindowCountsTheQueryItself) {
  MaskSpec causal;
  causal.causal = true;
  EXPECT_EQ(row_of(causal, 5, 8, 3), "...xxx..");
  EXPECT_EQ(row_of(causal, 5, 8, 1), ".....x..");
  EXPECT_EQ(row_of({}, 5, 8, 3), "...xxxxx");
  MaskSpec window;
  window.window = 2;
  EXPECT_EQ(row_of(window, 5, 8), row_of({}, 5, 8, 3)) << "--mask window counts the distance, one less";
}

TEST(AddDocuments, BeginAfterEachEnd) {
  MaskSpec spec;
  spec.documents = {4};
  add_documents(spec, {1, 3, 6}, 7);
  EXPECT_EQ(spec.documents, (std::vector<int>{2, 4})) << "nothing begins behind the last token";
}

TEST(WhyHidden, SaysWhichRule) {
  const MaskSizes sizes{6, 6};
  MaskSpec spec;
  spec.causal = true;
  spec.window = 2;
  spec.padding = {1};
  spec.painted = {{3, 3}};
  EXPECT_EQ(why_hidden(spec, sizes, 0, {3, 5}), "causal: key 5 comes after query 3");
  EXPECT_EQ(why_hidden(spec, sizes, 0, {5, 2}), "window: key 2 is more than 2 tokens from query 5");
  EXPECT_EQ(why_hidden(spec, sizes, 0, {2, 1}), "padding: key 1 counts as padding");
  EXPECT_EQ(why_hidden(spec, sizes, 0, {3, 3}), "painted: query 3, key 3 was hidden by hand");
  EXPECT_EQ(why_hidden(spec, sizes, 0, {3, 2}), "");
  MaskSpec prefix;
  prefix.prefix = 2;
  EXPECT_EQ(why_hidden(prefix, sizes, 0, {0, 2}),
            "prefix: key 2 is beyond the first 2 and comes after query 0");
  EXPECT_EQ(why_hidden(prefix, sizes, 0, {0, 1}), "");
}

}  // namespace
}  // namespace headscope
