#include "core/system/read_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/io/file_kind.h"
#include "core/io/inside.h"
#include "core/system/atomic_file.h"
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

TEST(FileKind, SaysWhatAFileIsAndWhatWouldBeNeeded) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& name, const std::string& content, const char* what,
                          bool misnamed) {
    std::filesystem::create_directories((folder / name).parent_path());
    ASSERT_TRUE(write_atomically(folder / name, content).has_value());
    const std::string why = explain_open_failure(folder / name);
    EXPECT_NE(why.find("'" + (folder / name).string() + "' is "), std::string::npos) << why;
    EXPECT_NE(why.find(what), std::string::npos) << why;
    EXPECT_EQ(is_misnamed(folder / name), misnamed) << name;
  };
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 1234567\n";
  expect("pointer.safetensors", pointer, "(1,234,567 bytes are elsewhere): run “git lfs pull”", true);
  expect("error.bin", "\n<!DOCTYPE html><html>Not found", "web page", true);
  expect("empty.gguf", "", "empty file", true);
  expect("weights.h5", "\x89HDF\r\n", "Keras", true);
  expect("model.onnx", "\x08\x07", "ONNX", true);
  const std::string safetensors("\x02\0\0\0\0\0\0\0{}", 10);
  expect("model.safetensors", "GGUF\x03", "a GGUF file, although its name ends in .safetensors: give it a",
         true);
  expect("model.gguf", safetensors, "a safetensors file, although its name ends in .gguf", true);
  expect("config.json", "PK\x03\x04",
         "a zip archive, although its name ends in .json: if torch.save wrote it", true);
  expect("saved.bin", safetensors, "a safetensors file, although its name ends in .bin", true);
  expect("saved.pt", "PK\x03\x04", "a file of PyTorch", false);
  expect("cut.safetensors", "abc", "damaged safetensors file", false);
  expect("cut.gguf", "GGU", "does not begin with “GGUF”", false);
  expect("model.zip", "PK\x03\x04", "archive: unpack it", false);
  expect("photo.jpg", "\xff\xd8\xff", "picture without a scene", false);
  expect("table.csv", "1,2", "table", false);
  expect("notes.txt", "some words", "text", false);
  expect("one/config.json", "{}", "open its folder", false);
  expect("unknown", std::string("\x01\x02", 2), "kind that Headscope does not know", false);
  EXPECT_EQ(explain_open_failure(folder / "none"),
            "there is no file or folder '" + (folder / "none").string() + "'");
}

TEST(FileKind, SaysWhatAFolderHolds) {
  const TemporaryFolder folder;
  const auto expect = [&](const char* file, const std::string& content, const char* what) {
    const std::filesystem::path path = folder / file;
    std::filesystem::create_directories(path.parent_path());
    ASSERT_TRUE(write_atomically(path, content).has_value());
    const std::string why = explain_open_failure(folder / std::filesystem::path(file).begin()->string());
    EXPECT_NE(why.find(what), std::string::npos) << why;
  };
  expect("lora/adapter_config.json", R"({"base_model_name_or_path": "gpt2"})", "LoRA adapter of gpt2");
  expect("words/tokenizer.json", "{}", "only a tokenizer");
  expect("bare/model.safetensors", "", "no config.json");
  expect("keras/tf_model.h5", "", "HDF5");
  expect("several/first/config.json", "{}", "open first in it");
  expect("several/second.gguf", "", "holds several models: open one of first, second.gguf");
  expect("none/notes", "", "has config.json beside its weights");
  expect("weightless/config.json", "{}", "has no weights");
}

TEST(Inside, NoLinkOfAModelLeadsOutOfItsFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "course/model/parts/deep");
  ASSERT_TRUE(write_atomically(folder / "secret.txt", "s"));
  EXPECT_TRUE(check_inside(folder / "course", folder / "course/model", "lesson"));
  std::filesystem::create_symlink("../model", folder / "course/model/within");
  EXPECT_TRUE(check_inside(folder / "course", folder / "course/model", "lesson"));
  std::filesystem::create_symlink(folder / "secret.txt", folder / "course/model/parts/deep/vocab.txt");
  EXPECT_FALSE(check_inside(folder / "course", folder / "course/model", "lesson"));
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

TEST(Inside, OnlyWhatLiesInTheFolderMayBeRead) {
  const TemporaryFolder home;
  for (const char* made : {"lesson", "lesson/model", "lesson/borrowed", "elsewhere"})
    std::filesystem::create_directory(home / made);
  for (const char* made : {"secret", "lesson/notes", "lesson/model/config.json",
                           "lesson/borrowed/model.safetensors", "elsewhere/config.json"})
    ASSERT_TRUE(write_atomically(home / made, "x"));
  const auto link = [&](const char* to, const char* name) {
    std::filesystem::create_symlink(to, home / name);
  };
  link("notes", "lesson/own link");
  link("../secret", "lesson/link out");
  link("..", "lesson/up");
  link("../elsewhere", "lesson/model out");
  link("../../elsewhere/config.json", "lesson/borrowed/config.json");
  link("/proc/self/environ", "lesson/environ");
  link("lesson", "reached by a link");
  ASSERT_EQ(::mkfifo((home / "lesson/pipe").c_str(), 0600), 0);
  for (const char* folder : {"lesson", "lesson/", "reached by a link"}) {
    for (const char* name : {"notes", "own link", "model", "model/config.json", "none", "no folder/none"}) {
      const auto place = inside(home / folder, name, "lesson");
      ASSERT_TRUE(place) << place.error().message;
      EXPECT_EQ(*place, home / folder / name);
    }
    for (const char* name :
         {"link out", "up/secret", "up", "model out", "borrowed", "borrowed/model.safetensors", "environ",
          "/proc/self/environ", "../secret", "model/../../secret", "../lesson/notes", "pipe"}) {
      const auto place = inside(home / folder, name, "lesson");
      ASSERT_FALSE(place) << name;
      EXPECT_NE(place.error().message.find("beside the lesson"), std::string::npos) << place.error().message;
    }
  }
  EXPECT_FALSE(inside({}, "notes", "lesson")) << "a lesson of the program has no files";
}

}  // namespace
}  // namespace headscope
