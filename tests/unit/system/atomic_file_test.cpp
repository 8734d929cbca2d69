#include "core/system/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/system/read_file.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/system/full_disk.h"
#include "tests/unit/system/killed_child.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

void expect_message(const Result<void>& result, const std::string& path, const std::string& reason) {
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, Error::Kind::failure);
  EXPECT_NE(result.error().message.find(path), std::string::npos) << result.error().message;
  EXPECT_NE(result.error().message.find(reason), std::string::npos) << result.error().message;
  EXPECT_NE(result.error().message.find(';'), std::string::npos) << "says what to do";
}

TEST(AtomicFile, WritesAndReplacesAndReadsBack) {
  const TemporaryFolder folder;
  const fs::path path = folder / "größe 동물.bin";
  const std::string bytes("a\0b\xFF", 4);
  for (const std::string& content : {bytes, std::string(), std::string(3'000'000, 'x'), bytes}) {
    ASSERT_TRUE(write_atomically(path, content).has_value());
    EXPECT_EQ(read_file(path), content);
    EXPECT_EQ(folder.n_files(), 1U);
  }
}

TEST(AtomicFile, KeepsTheModeOfAFileAndTheLinkToIt) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_atomically(folder / "file", "old").has_value());
  ::chmod((folder / "file").c_str(), 0640);
  fs::create_symlink("file", folder / "link");
  ASSERT_TRUE(write_atomically(folder / "link", "new").has_value());
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(content_of(folder / "file"), "new");
  struct stat status {};
  ::stat((folder / "file").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(AtomicFile, ANameWithoutFolderIsInTheCurrentOne) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder / "");
  EXPECT_TRUE(write_atomically("plain.txt", "x").has_value());
  fs::current_path(before);
  EXPECT_EQ(content_of(folder / "plain.txt"), "x");
}

TEST(AtomicFile, SaysWhyAPathCannotBeWritten) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_atomically(folder / "file", "x").has_value());
  expect_message(write_atomically(folder / "none/file", "x"), "none/file", "No such file or directory");
  expect_message(write_atomically(folder / "file/below", "x"), "file/below", "Not a directory");
  expect_message(write_atomically(folder / "", "x"), "headscope-test", "Is a directory");
  expect_message(write_atomically(folder / std::string(300, 'n'), "x"), "nnn", "File name too long");
  expect_message(write_atomically("", "x"), "''", "No such file or directory");
  expect_message(write_atomically("/proc/version", "x"), "/proc/version", "");
  EXPECT_EQ(folder.n_files(), 1U);
}

TEST(AtomicFile, AFullDiskLeavesTheOldFileAndNothingElse) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_atomically(folder / "file", "old").has_value());
  Result<void> written;
  {
    const FullDisk disk(1000);
    written = write_atomically(folder / "file", std::string(5000, 'x'));
  }
  expect_message(written, "file", "File too large");
  EXPECT_EQ(content_of(folder / "file"), "old");
  EXPECT_EQ(folder.n_files(), 1U);
}

TEST(AtomicFile, ADeviceIsWrittenDirectlyAndItsFullnessTold) {
  expect_message(write_atomically("/dev/full", "x"), "/dev/full", "No space left on device");
  EXPECT_TRUE(write_atomically("/dev/null", "x").has_value());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(AtomicFile, AFileThatIsGivenUpLeavesNothing) {
  const TemporaryFolder folder;
  {
    Result<AtomicFile> file = AtomicFile::create(folder / "file");
    ASSERT_TRUE(file.has_value());
    ASSERT_TRUE(file->write("half").has_value());
    AtomicFile moved = std::move(*file);
    ASSERT_TRUE(moved.write(" of it").has_value());
    EXPECT_LE(folder.n_files(), 1U) << "under a temporary name, if any";
  }
  EXPECT_EQ(folder.n_files(), 0U);
}

TEST(AtomicFile, TwoWritersOfOneFileDoNotMeet) {
  const TemporaryFolder folder;
  Result<AtomicFile> first = AtomicFile::create(folder / "file");
  Result<AtomicFile> second = AtomicFile::create(folder / "file");
  ASSERT_TRUE(first.has_value() && second.has_value());
  ASSERT_TRUE(first->write("first").has_value());
  ASSERT_TRUE(second->write("second").has_value());
  ASSERT_TRUE(second->commit().has_value());
  ASSERT_TRUE(first->commit().has_value());
  EXPECT_EQ(content_of(folder / "file"), "first");
  EXPECT_EQ(folder.n_files(), 1U);
}

TEST(AtomicFile, ALinkThatLeadsToNothingKeepsPointingThere) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "below");
  fs::create_symlink("below/file", folder / "link");
  fs::create_symlink("link", folder / "link to link");
  ASSERT_TRUE(write_atomically(folder / "link to link", "x").has_value());
  EXPECT_TRUE(fs::is_symlink(folder / "link to link"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(content_of(folder / "below/file"), "x");
  fs::create_symlink("round", folder / "round");
  expect_message(write_atomically(folder / "round", "x"), "round", "");
}

TEST(AtomicFile, AKillAtAnyMomentLeavesTheOldFileOrTheNewOne) {
  const TemporaryFolder folder;
  const fs::path path = folder / "file";
  const auto content = [](int version) { return std::to_string(version) + std::string(50'000, 'x'); };
  ASSERT_TRUE(write_atomically(path, content(0)).has_value());
  std::mt19937 random(2);
  for (int kill = 0; kill < 300; ++kill) {
    int version = kill;
    run_and_kill([&] { static_cast<void>(write_atomically(path, content(++version))); }, 2000, random);
    const std::string found = content_of(path);
    ASSERT_EQ(found, content(std::stoi(found))) << "after kill " << kill;
  }
  ASSERT_TRUE(write_atomically(path, "x").has_value());
  EXPECT_LE(folder.n_files(), 301U) << "each killed process leaves at most one temporary file";
}

TEST(AtomicFile, ANewOneReplacesNothingAndFollowsNoLink) {
  const TemporaryFolder folder;
  const auto write = [](const fs::path& path) { return write_atomically(path, "new"); };
  ASSERT_TRUE(write_new_file(folder / "file", write));
  EXPECT_EQ(content_of(folder / "file"), "new");
  fs::create_symlink("nowhere", folder / "link");
  for (const char* taken : {"file", "link"})
    expect_message(write_new_file(folder / taken, write), taken, "another program has written it");
  EXPECT_FALSE(fs::exists(folder / "nowhere"));
  const auto fails = [](const fs::path& path) { return write_atomically(path / "below", "x"); };
  expect_message(write_new_file(folder / "other", fails), "/other/below", "");
  EXPECT_EQ(folder.n_files(), 2U) << "nothing else is left";
}

}  // namespace
}  // namespace headscope
