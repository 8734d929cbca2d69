#include "core/io/read_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/io/atomic_file.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

TEST(ReadFile, SaysWhyAFileCannotBeRead) {
  const TemporaryFolder folder;
  for (const auto& path : {folder / "none", folder / ""}) {
    for (const auto& content : {read_file(path), read_to_end(path, 100)}) {
      ASSERT_FALSE(content.has_value());
      EXPECT_NE(content.error().message.find(path.string()), std::string::npos);
    }
  }
}

TEST(ReadFile, APipeIsNotWaitedForAndADeviceNotReadForever) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", folder / "zeros");
  for (const char* name : {"pipe", "zeros"}) {
    const auto content = read_file(folder / name);
    ASSERT_FALSE(content.has_value());
    EXPECT_NE(content.error().message.find("not a regular file"), std::string::npos)
        << content.error().message;
  }
  const auto content = read_to_end(folder / "zeros", 1 << 20);
  ASSERT_FALSE(content.has_value());
  EXPECT_NE(content.error().message.find("larger than 1 MiB"), std::string::npos) << content.error().message;
}

TEST(ReadFile, ALargerFileThanIsWantedIsNotRead) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_atomically(folder / "file", std::string(2 << 20, 'x')).has_value());
  EXPECT_TRUE(read_file(folder / "file", 2 << 20).has_value());
  const auto content = read_file(folder / "file", 1 << 20);
  ASSERT_FALSE(content.has_value());
  EXPECT_NE(content.error().message.find("larger than 1 MiB"), std::string::npos);
}

}  // namespace
}  // namespace headscope
