#include "core/budget.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

TEST(Budget, GrowsWithItsInputUpToAnEnd) {
  constexpr std::size_t megabyte = std::size_t{1} << 20U;
  EXPECT_NO_THROW(Budget(megabyte).take(600 * megabyte));
  EXPECT_THROW(Budget(1).take(600 * megabyte), OverBudget);
  EXPECT_THROW(Budget(1000 * megabyte).take(5000 * megabyte), OverBudget);
}

TEST(Budget, IsOneForAReaderAndThoseThatItCalls) {
  constexpr std::size_t much = std::size_t{300} << 20U;
  const auto part = [](Budget& budget) -> Result<int> {
    budget.take(much);
    return 1;
  };
  const auto read = [&](Budget& budget) -> Result<int> {
    budget.take(much);
    return within_budget(Budget(1), "a part cannot be read", "", part);
  };
  EXPECT_EQ(within_budget(Budget(1), "a part cannot be read", "", part), 1);
  const auto whole = within_budget(Budget(1), "it cannot be read", "use another", read);
  ASSERT_FALSE(whole);
  EXPECT_EQ(whole.error().message, "it cannot be read: it takes too much memory for its size; use another");
  EXPECT_EQ(Budget::current, nullptr);
}

}  // namespace
}  // namespace headscope
