// Tests that figures, scenes and lessons of earlier versions still open: those in tests/fixtures/kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/cli/lesson_command.h"
#include "core/checkpoint/saved_session.h"
#include "core/paint/picture_reader.h"
#include "core/session/session.h"
#include "core/system/read_file.h"
#include "tests/gui/session_of_command.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> kept(const std::string& begin) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/kept"))
    if (entry.path().filename().string().starts_with(begin)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::string text_in(const fs::path& file, const char* key) {
  for (const Metadata& entry : metadata_in(read_file(file).value()))
    if (entry.key == key) return entry.text;
  return {};
}

/// Expects that everything in `part` is also in `whole`. Lists must be equal.
void expect_within(const nlohmann::json& part, const nlohmann::json& whole, const std::string& name) {
  if (!part.is_object() || !whole.is_object()) {
    EXPECT_EQ(part, whole) << name;
    return;
  }
  for (const auto& [key, value] : part.items()) {
    ASSERT_TRUE(whole.contains(key)) << name << "." << key;
    expect_within(value, whole[key], name + "." + key);
  }
}

TEST(KeptFiles, FiguresHoldWhatTheirCommandsSay) {
  for (const fs::path& file : kept("figure-")) {
    const auto session = read_session_file(file);
    ASSERT_TRUE(session) << file << session.error().message;
    if (file.extension() == ".pdf") continue;  // its command is not read
    const auto described = session_of_command(text_in(file, "Command"), session_loader(*session));
    ASSERT_TRUE(described) << file << described.error().message;
    EXPECT_EQ(*described, *session) << file << to_json(*described) << to_json(*session);
  }
  EXPECT_EQ(kept("figure-").size(), 31U);
}

TEST(KeptFiles, ScenesOpenWithEverySettingThatTheyHold) {
  std::vector<fs::path> files = kept("scene-");
  EXPECT_EQ(files.size(), 10U);
  std::ranges::copy(kept("figure-"), std::back_inserter(files));
  for (const fs::path& file : files) {
    const auto session = read_session_file(file);
    ASSERT_TRUE(session) << file << session.error().message;
    const std::string scene = is_scene_file(file) ? read_file(file).value() : text_in(file, scene_key);
    const auto again = scene_text(*session);
    ASSERT_TRUE(again) << file << again.error().message;
    expect_within(nlohmann::json::parse(scene), nlohmann::json::parse(*again), file.filename());
  }
}

TEST(KeptFiles, LessonsHaveNoMistakes) {
  const std::vector<fs::path> files = kept("lesson-");
  EXPECT_EQ(files.size(), 9U);
  for (const fs::path& file : files) {
    const auto lesson = check_lesson(file);
    ASSERT_TRUE(lesson) << file << lesson.error().message;
    for (const std::string& mistake : lesson->mistakes) ADD_FAILURE() << file << mistake;
  }
}

}  // namespace
}  // namespace headscope
