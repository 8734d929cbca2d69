#include "core/session/presets.h"

#include <gtest/gtest.h>

#include <set>

namespace headscope {
namespace {

std::string error_of(std::string_view text) {
  const auto read = read_preset({"broken", text});
  return read ? "" : read.error().message;
}

TEST(Presets, EveryFileIsReadAndItsNamesAreItsOwn) {
  for (const EmbeddedFile& file : preset_files()) {
    const auto read = read_preset(file);
    EXPECT_TRUE(read) << read.error().message;
  }
  ASSERT_EQ(presets().size(), preset_files().size());
  std::set<std::string> names;
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_TRUE(preset.short_name.empty() || names.insert(preset.short_name).second) << preset.short_name;
    EXPECT_FALSE(preset.title.empty()) << preset.name;
    EXPECT_FALSE(preset.summary.ends_with('.')) << preset.name;
  }
}

TEST(Presets, TheSettingsOfAFileChangeTheDefaultSession) {
  const auto read = read_preset(
      {"small", R"({"name": "Small", "summary": "One head", "session": {"architecture": {"heads": 1}}})"});
  ASSERT_TRUE(read) << read.error().message;
  Session expected = default_session();
  expected.architecture.n_heads = 1;
  EXPECT_EQ(read->session, expected);
  EXPECT_EQ(read->title, "Small");
}

TEST(Presets, AFileThatCannotBeReadIsRefusedWithItsField) {
  const std::vector<std::pair<std::string_view, std::string_view>> files{
      {"{", "cannot read the preset “broken”"},
      {"[]", "must be an object"},
      {R"({"summary": "x"})", "name is missing"},
      {R"({"name": "x", "summary": "x", "colour": 1})", "colour is not allowed here"},
      {R"({"name": "x", "summary": "x", "session": {"heads": 3}})",
       "the session's heads is not allowed here"},
      {R"({"name": "x", "summary": "x", "session": {"architecture": {"heads": 0}}})", "architecture.heads"},
  };
  for (const auto& [text, said] : files) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(said), std::string::npos) << text << ": " << error;
  }
}

}  // namespace
}  // namespace headscope
