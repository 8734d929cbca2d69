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

}  // namespace
}  // namespace headscope
