#include <gtest/gtest.h>

#include <cmath>

#include "core/model/attention.h"

namespace headscope {
namespace {

const std::vector<float> one_to_six{1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F};

/// The numbers of seeds/3: the first head has (1 + 4 + 9) / √3 of two heads, and (1 + 4) / √2 of three.
TEST(HeadSplit, GivesTheNumbersOfTheDocument) {
  const std::vector<HeadSlice> two = split_into_heads(one_to_six, one_to_six, 2);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].query, (std::vector<float>{1.0F, 2.0F, 3.0F}));
  EXPECT_EQ(two[1].key, (std::vector<float>{4.0F, 5.0F, 6.0F}));
  EXPECT_EQ(two[0].product, 14.0);
  EXPECT_EQ(two[1].product, 77.0);
  EXPECT_DOUBLE_EQ(two[0].scaled, 14.0 / std::sqrt(3.0));

  const std::vector<HeadSlice> three = split_into_heads(one_to_six, one_to_six, 3);
  ASSERT_EQ(three.size(), 3U);
  EXPECT_EQ(three[2].query, (std::vector<float>{5.0F, 6.0F}));
  EXPECT_EQ(three[0].product, 5.0);
  EXPECT_DOUBLE_EQ(three[0].scaled, 5.0 / std::sqrt(2.0));
}

TEST(HeadSplit, TheProductsSumToTheWholeOne) {
  for (const int n_heads : {1, 2, 3, 6}) {
    double sum = 0.0;
    for (const HeadSlice& share : split_into_heads(one_to_six, one_to_six, n_heads)) sum += share.product;
    EXPECT_EQ(sum, 91.0) << n_heads << " heads";
  }
}

}  // namespace
}  // namespace headscope
