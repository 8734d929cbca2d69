#include "core/budget.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace headscope {
namespace {

TEST(Budget, GrowsWithItsInputButNotBeyondTheMachine) {
  constexpr std::size_t megabyte = std::size_t{1} << 20U;
  EXPECT_NO_THROW(Budget(megabyte).take(600 * megabyte));
  EXPECT_THROW(Budget(1).take(600 * megabyte), OverBudget);
  const auto memory = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::size_t>(::sysconf(_SC_PAGE_SIZE));
  EXPECT_THROW(Budget(memory).take(memory), OverBudget);
}

}  // namespace
}  // namespace headscope
