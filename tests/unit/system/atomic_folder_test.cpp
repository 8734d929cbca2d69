#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "core/system/atomic_file.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/system/full_disk.h"
#include "tests/unit/system/killed_child.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

Result<void> write_folder(const fs::path& folder, const Files& files) {
  auto made = AtomicFolder::create(folder);
  if (!made) return tl::unexpected(made.error());
  for (const auto& [name, content] : files) {
    if (auto ok = write_atomically(made->staging() / name, content); !ok) return ok;
  }
  return made->commit();
}

Files files_in(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files[entry.path().filename().string()] = entry.is_directory() ? "(folder)" : content_of(entry.path());
  }
  return files;
}

TEST(AtomicFolder, MakesAFolderAndReplacesItsFiles) {
  const TemporaryFolder here;
  for (const fs::path& folder : {here / "new", here / "new" / ""}) {
    for (const Files& files : {Files{{"a", "1"}, {"b", "2"}}, Files{{"a", "3"}, {"b", ""}}}) {
      const auto written = write_folder(folder, files);
      ASSERT_TRUE(written) << written.error().message;
      EXPECT_EQ(files_in(folder), files);
      EXPECT_EQ(here.n_files(), 1U);
    }
  }
}

TEST(AtomicFolder, KeepsOtherFilesLinksAndTheMode) {
  const TemporaryFolder here;
  ASSERT_TRUE(write_folder(here / "folder", {{"a", "1"}}));
  ASSERT_TRUE(write_atomically(here / "elsewhere", "untouched"));
  fs::create_symlink("folder", here / "link");
  fs::create_symlink("../elsewhere", here / "folder" / "b");
  fs::create_symlink("nowhere", here / "folder" / "dangling");
  ASSERT_TRUE(write_atomically(here / "folder" / "mine", "mine"));
  ::chmod((here / "folder").c_str(), 0750);
  ASSERT_TRUE(write_folder(here / "link", {{"a", "2"}, {"b", "3"}}));
  EXPECT_TRUE(fs::is_symlink(here / "link"));
  EXPECT_EQ(content_of(here / "folder" / "a"), "2");
  EXPECT_FALSE(fs::is_symlink(here / "folder" / "b")) << "a link in a folder from elsewhere is not followed";
  EXPECT_EQ(content_of(here / "elsewhere"), "untouched");
  EXPECT_EQ(content_of(here / "folder" / "mine"), "mine");
  EXPECT_TRUE(fs::is_symlink(here / "folder" / "dangling"));
  struct stat status {};
  ::stat((here / "folder").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777U, 0750U);
  EXPECT_EQ(here.n_files(), 3U);
}

TEST(AtomicFolder, AFolderThatHoldsFoldersAndTheCurrentOneStayWhatTheyAre) {
  const TemporaryFolder here;
  ASSERT_TRUE(write_folder(here / "folder", {{"a", "1"}}));
  fs::create_directory(here / "folder" / "figures");
  ASSERT_TRUE(write_folder(here / "folder", {{"a", "2"}, {"b", "3"}}));
  EXPECT_EQ(files_in(here / "folder"), (Files{{"a", "2"}, {"b", "3"}, {"figures", "(folder)"}}));
  const fs::path before = fs::current_path();
  fs::current_path(here / "folder");
  fs::remove("figures");
  EXPECT_TRUE(write_folder(".", {{"a", "4"}}));
  EXPECT_EQ(content_of("a"), "4") << "the current folder still has its name";
  fs::current_path(before);
  EXPECT_EQ(files_in(here / "folder"), (Files{{"a", "4"}, {"b", "3"}}));
  EXPECT_EQ(here.n_files(), 1U);
}

TEST(AtomicFolder, AFolderInPlaceOfAFileIsRefusedAndNothingChanged) {
  const TemporaryFolder here;
  ASSERT_TRUE(write_folder(here / "folder", {{"a", "1"}}));
  fs::create_directory(here / "folder" / "b");
  EXPECT_FALSE(write_folder(here / "folder", {{"a", "2"}, {"b", "3"}}));
  EXPECT_EQ(files_in(here / "folder"), (Files{{"a", "1"}, {"b", "(folder)"}}));
  ASSERT_TRUE(write_atomically(here / "file", "x"));
  EXPECT_FALSE(write_folder(here / "file", {{"a", "2"}}));
  EXPECT_FALSE(write_folder(here / "none" / "folder", {{"a", "2"}}));
  EXPECT_EQ(here.n_files(), 2U);
}

TEST(AtomicFolder, AFolderThatMayNotBeWrittenIsRefused) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryFolder here;
  ASSERT_TRUE(write_folder(here / "folder", {{"a", "1"}}));
  ::chmod((here / "folder").c_str(), 0555);
  EXPECT_FALSE(write_folder(here / "folder", {{"a", "2"}}));
  ::chmod((here / "folder").c_str(), 0755);
  EXPECT_EQ(files_in(here / "folder"), (Files{{"a", "1"}}));
  EXPECT_EQ(here.n_files(), 1U);
}

TEST(AtomicFolder, AFullDiskLeavesTheOldFolder) {
  const TemporaryFolder here;
  const Files old{{"a", "1"}, {"b", "2"}};
  ASSERT_TRUE(write_folder(here / "folder", old));
  {
    const FullDisk disk(1000);
    EXPECT_FALSE(write_folder(here / "folder", {{"a", "3"}, {"b", std::string(5000, 'x')}}));
  }
  EXPECT_EQ(files_in(here / "folder"), old);
  EXPECT_EQ(here.n_files(), 1U);
}

TEST(AtomicFolder, AKillAtAnyMomentLeavesWholeFiles) {
  const TemporaryFolder here;
  const fs::path folder = here / "folder";
  const auto files_of = [](int version) {
    const std::string text = std::to_string(version) + std::string(3000, '.');
    return Files{{"a", text}, {"b", text}, {"c", text}};
  };
  ASSERT_TRUE(write_folder(folder, files_of(0)));
  ASSERT_TRUE(write_atomically(folder / "mine", "mine"));
  std::mt19937 random(3);
  for (int kill = 0; kill < 300; ++kill) {
    int version = kill;
    run_and_kill([&] { static_cast<void>(write_folder(folder, files_of(++version))); }, 4000, random);
    Files found = files_in(folder);
    std::erase_if(found, [](const auto& file) { return is_temporary(file.first); });
    ASSERT_EQ(found["mine"], "mine");
    for (const char* name : {"a", "b", "c"})
      ASSERT_EQ(found[name], files_of(std::stoi(found[name]))[name]) << "after kill " << kill;
  }
  ASSERT_TRUE(write_folder(folder, files_of(0)));
  EXPECT_EQ(content_of(folder / "b"), files_of(0)["b"]);
}

TEST(AtomicFolder, AFailurePutsBackWhatWasReplaced) {
  const TemporaryFolder here;
  ASSERT_TRUE(write_folder(here / "folder", {{"a", "1"}, {"b", "2"}}));
  auto made = AtomicFolder::create(here / "folder");
  ASSERT_TRUE(made);
  for (const char* name : {"a", "c"}) ASSERT_TRUE(write_atomically(made->staging() / name, "new"));
  // A folder cannot be renamed to where a file is.
  fs::create_directory(made->staging() / "b");
  EXPECT_FALSE(made->commit());
  EXPECT_EQ(content_of(here / "folder" / "a"), "1");
  EXPECT_EQ(content_of(here / "folder" / "b"), "2");
  EXPECT_FALSE(fs::exists(here / "folder" / "c"));
}

TEST(AtomicFolder, TheCurrentFolderStaysTheCurrentOne) {
  const TemporaryFolder here;
  fs::create_directory(here / "empty");
  const fs::path before = fs::current_path();
  fs::current_path(here / "empty");
  EXPECT_TRUE(write_folder(".", {{"a", "1"}}));
  EXPECT_EQ(content_of("a"), "1");
  fs::current_path(before);
}

TEST(AtomicFolder, ErrorsNameTheFinalPlace) {
  const TemporaryFolder here;
  const auto made = AtomicFolder::create(here / "folder");
  ASSERT_TRUE(made);
  const auto error =
      made->failed({Error::Kind::failure, "cannot write '" + (made->staging() / "a").string() + "'"});
  EXPECT_EQ(error.value().message, "cannot write '" + (here / "folder" / "a").string() + "'");
}

}  // namespace
}  // namespace headscope
