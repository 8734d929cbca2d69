#include "core/system/machine_memory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "core/system/atomic_file.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

TEST(MachineMemory, IsKnownAndRefusesWhatIsFarTooLarge) {
  EXPECT_GT(machine_memory(), 1e7);
  EXPECT_TRUE(check_memory(1.0, "one byte", "take less").has_value());
  const auto refused = check_memory(1e18, "this", "take less");
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().message.ends_with(": take less")) << refused.error().message;
}

TEST(MachineMemory, IsLimitedByTheControlGroupsOfAContainer) {
  const TemporaryFolder folder;
  const auto limit_with = [&](const std::string& membership) {
    return cgroup_memory_limit(folder / "", membership);
  };
  EXPECT_TRUE(std::isinf(limit_with("0::/a/b\n"))) << "there are no such groups";
  std::filesystem::create_directories(folder / "a/b");
  ASSERT_TRUE(write_atomically(folder / "a/memory.max", "2000000\n").has_value());
  ASSERT_TRUE(write_atomically(folder / "a/b/memory.max", "max\n").has_value());
  EXPECT_EQ(limit_with("0::/a/b\n"), 2e6) << "the parent's limit counts";
  EXPECT_EQ(limit_with("1:cpu:/x\n0::/a\n"), 2e6);
  EXPECT_TRUE(std::isinf(limit_with("0::/\n")));
  EXPECT_TRUE(std::isinf(limit_with("4:memory:/a\n"))) << "version 1 is not read";
  EXPECT_TRUE(std::isinf(limit_with("10::/a\n")));
  EXPECT_TRUE(std::isinf(limit_with("")));
  ASSERT_TRUE(write_atomically(folder / "memory.max", "1000\n").has_value());
  EXPECT_EQ(limit_with("0::/\n"), 1000.0);
  EXPECT_EQ(limit_with("0::/a/b"), 1000.0);
}

}  // namespace
}  // namespace headscope
