// Tests what each dimension of a mask file for batches counts.
#include <gtest/gtest.h>

#include "core/model/mask.h"
#include "tests/unit/model/mask_cells.h"

namespace headscope {
namespace {

TEST(BatchMask, EachSequenceOfABatchHasItsOwnMask) {
  auto file = std::make_shared<LoadedMask>();
  file->name = "batch.npy";
  file->n_sequences = 2;
  file->rows = 1;
  file->cols = 3;
  file->values = {1, 1, 0, 0, 1, 1};
  MaskSpec spec;
  spec.loaded = {file};
  MaskSizes sizes{1, 3, 2, 2, 0};
  EXPECT_EQ(cells_of(*combine(spec, MaskValue::minus_infinity, sizes)), (std::vector<std::uint8_t>{1, 1, 0}));
  sizes.sequence = 1;
  EXPECT_EQ(cells_of(*combine(spec, MaskValue::minus_infinity, sizes)), (std::vector<std::uint8_t>{0, 1, 1}));
  EXPECT_EQ(why_hidden(spec, sizes, 0, {0, 0}), "the mask batch.npy hides this cell");
  sizes.sequence = 0;
  EXPECT_EQ(why_hidden(spec, sizes, 0, {0, 0}), "");
  sizes.n_sequences = 3;
  const auto wrong = combine(spec, MaskValue::minus_infinity, sizes);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("[2, 1, 1, 3]"), std::string::npos) << wrong.error().message;
  for (const char* shape : {"[1, 3]", "[2, 1, 3] (for each head)", "[3, 1, 3] (for each sentence)",
                            "[3, 2, 1, 3] (batch first, then heads)"})
    EXPECT_NE(wrong.error().message.find(shape), std::string::npos) << wrong.error().message;
}

/// A file of three dimensions, of which the first may count heads or sequences.
std::shared_ptr<const LoadedMask> of_three_dimensions(int first, int rows, std::vector<float> values) {
  auto mask = std::make_shared<LoadedMask>();
  mask->name = "three.npy";
  mask->heads_or_sequences = true;
  mask->n_heads = first;
  mask->rows = rows;
  mask->cols = static_cast<int>(values.size()) / first / rows;
  mask->values = std::move(values);
  return mask;
}

TEST(BatchMask, ThreeDimensionsMayBeTheBatchs) {
  MaskSpec spec;
  spec.loaded = {of_three_dimensions(3, 2, {1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1}),
                 of_three_dimensions(3, 1, {1, 1, 1, 1, 1, 0})};
  const std::vector<std::vector<std::uint8_t>> expected{{1, 0, 1, 1}, {0, 1, 1, 1}, {1, 0, 0, 0}};
  for (const int n_heads : {1, 2, 4}) {
    for (int sequence = 0; sequence < 3; ++sequence) {
      const MaskSizes sizes{2, 2, n_heads, 3, sequence};
      const auto mask = combine(spec, MaskValue::minus_infinity, sizes);
      ASSERT_TRUE(mask) << mask.error().message;
      EXPECT_EQ(mask->n_heads, 1) << "the same for every head";
      EXPECT_EQ(cells_of(*mask), expected[static_cast<std::size_t>(sequence)]);
      for (int cell = 0; cell < 4; ++cell) {
        const bool says_hidden = !why_hidden(spec, sizes, n_heads - 1, {cell / 2, cell % 2}).empty();
        EXPECT_EQ(says_hidden, !mask->is_visible(0, cell / 2, cell % 2)) << sequence << cell;
      }
    }
  }
}

TEST(BatchMask, ThreeDimensionsAreTheHeadsWhereTheyFitThem) {
  MaskSpec spec;
  spec.loaded = {of_three_dimensions(2, 1, {1, 0, 0, 1})};
  for (const int n_sequences : {1, 3}) {
    const MaskSizes sizes{1, 2, 2, n_sequences, n_sequences - 1};
    const auto mask = combine(spec, MaskValue::minus_infinity, sizes);
    ASSERT_TRUE(mask) << mask.error().message;
    EXPECT_EQ(mask->n_heads, 2);
    EXPECT_EQ(cells_of(*mask), (std::vector<std::uint8_t>{1, 0, 0, 1}));
    EXPECT_EQ(why_hidden(spec, sizes, 1, {0, 0}), "the mask three.npy hides this cell");
    EXPECT_EQ(why_hidden(spec, sizes, 1, {0, 1}), "");
  }
}

TEST(BatchMask, ThreeDimensionsThatMayBeEitherAreRefusedWithTheCure) {
  MaskSpec spec;
  spec.loaded = {of_three_dimensions(2, 1, {1, 0, 0, 1})};
  const MaskSizes sizes{1, 2, 2, 2, 0};
  const auto unclear = combine(spec, MaskValue::minus_infinity, sizes);
  ASSERT_FALSE(unclear);
  for (const char* words : {"three.npy", "[2, 1, 2]", "[1, 2, 1, 2]", "[2, 1, 1, 2]", "mask[:, None]"})
    EXPECT_NE(unclear.error().message.find(words), std::string::npos) << unclear.error().message;

  LoadedMask clear = *spec.loaded.front();
  clear.heads_or_sequences = false;
  spec.loaded = {std::make_shared<const LoadedMask>(clear)};
  EXPECT_EQ(combine(spec, MaskValue::minus_infinity, sizes)->n_heads, 2) << "[1, H, T, S] counts heads";
  spec.loaded = {of_three_dimensions(1, 1, {1, 0})};
  EXPECT_TRUE(combine(spec, MaskValue::minus_infinity, {1, 2, 1, 1, 0})) << "one is the same for all";
  spec.loaded = {of_three_dimensions(3, 1, {1, 0, 0, 1, 1, 1})};
  const auto wrong = combine(spec, MaskValue::minus_infinity, sizes);
  ASSERT_FALSE(wrong);
  for (const char* shape : {"has the shape [3, 1, 2]", "[1, 2, 1, 2] (for each head)",
                            "[2, 1, 1, 2] (for each sentence)", "[2, 2, 1, 2]"})
    EXPECT_NE(wrong.error().message.find(shape), std::string::npos) << wrong.error().message;
}

}  // namespace
}  // namespace headscope
