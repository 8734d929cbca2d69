#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "app/shell/files.h"
#include "core/checkpoint/model_folder.h"
#include "core/checkpoint/saved_session.h"
#include "core/session/action.h"
#include "core/text/visible.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

class Scenes : public testing::Test {
 protected:
  Scenes() { driver.app().screen().export_form.folder = (folder / "").string(); }

  ExportForm& form() { return driver.app().screen().export_form; }
  void open(const fs::path& file) {
    driver.window().drop_file(file.string());
    driver.settle();
  }
  void click_on(const char* text) {
    const auto found = find_text(text);
    ASSERT_FALSE(found.empty()) << text;
    driver.click({found.front().x + 4.0F, found.front().y});
    driver.settle();
  }

  TemporaryFolder folder;
  AppDriver driver;
};

TEST_F(Scenes, SaveAsksOnceAndThenWritesTheSameFile) {
  driver.app().apply(ChangeSettings{{{"title", std::string("Why “it” looks back")}}});
  driver.press(CommandId::save_scene);
  EXPECT_EQ(form().kind, ExportKind::scene);
  EXPECT_TRUE(screen_contains("The title of the scene") || screen_contains("Why “it” looks back"));
  driver.press(Chord{Key::enter});
  driver.settle();
  EXPECT_FALSE(form().open);
  const fs::path file = folder / "why-“it”-looks-back.headscope";
  ASSERT_TRUE(fs::exists(file));
  const Session saved = driver.session();
  EXPECT_EQ(read_scene(file, {})->session.title, "Why “it” looks back");

  driver.press(CommandId::toggle_causal);
  driver.press(CommandId::save_scene);
  driver.settle();
  EXPECT_FALSE(form().open) << "where to is known";
  EXPECT_EQ(folder.n_files(), 1U);
  EXPECT_TRUE(read_scene(file, {})->session.attention.mask.causal);

  driver.press(CommandId::save_scene_as);
  EXPECT_TRUE(form().open);
  driver.press(Chord{Key::enter});
  driver.settle();
  EXPECT_EQ(folder.n_files(), 2U) << "a second file with a number";
  EXPECT_FALSE(saved.attention.mask.causal);
}

TEST_F(Scenes, OpenListsWhatCanBeOpened) {
  const Session session = reduce(default_session(), SetSentence{"sky is blue"});
  ASSERT_TRUE(write_scene(folder / "lesson.headscope", session));
  std::ofstream(folder / "notes.doc") << "not for this program";
  fs::create_directory(folder / "more");
  driver.press(CommandId::open_file);
  driver.settle();
  EXPECT_TRUE(screen_contains("more/"));
  EXPECT_FALSE(screen_contains("notes.doc"));
  click_on("lesson.headscope  ·  scene");
  EXPECT_EQ(driver.session().sentence, "sky is blue");
  EXPECT_FALSE(driver.app().screen().open_form.open);
  EXPECT_EQ(driver.app().settings().scenes.recent,
            std::vector<std::string>{(folder / "lesson.headscope").string()});
  driver.press(CommandId::undo);
  EXPECT_NE(driver.session().sentence, "sky is blue") << "opening is a step of undo";
}

TEST_F(Scenes, TheLastOnesAreKeptEachOnce) {
  for (int i = 0; i < 12; ++i) {
    const fs::path file = folder / ("scene-" + std::to_string(i % 10) + ".headscope");
    ASSERT_TRUE(write_scene(file, default_session()));
    open(file);
  }
  const auto& recent = driver.app().settings().scenes.recent;
  ASSERT_EQ(recent.size(), max_recent_files);
  EXPECT_EQ(fs::path(recent.front()).filename(), "scene-1.headscope");
  EXPECT_EQ(fs::path(recent[2]).filename(), "scene-9.headscope");
}

TEST_F(Scenes, AModelThatWasMovedIsFoundWhereItsFolderIsOpened) {
  driver.press(CommandId::open_pronouns);
  driver.settle();
  const auto trained = driver.session().model;
  ASSERT_TRUE(trained);
  ASSERT_TRUE(save_model(folder / "model", *trained));
  const auto named = load_model(folder / "model");
  ASSERT_TRUE(named) << named.error().message;
  Session session = driver.session();
  session.model = *named;
  session.title = "moved";
  const fs::path file = folder / "lesson.headscope";
  ASSERT_TRUE(write_scene(file, session));
  fs::rename(folder / "model", folder / "elsewhere");

  open(file);
  EXPECT_TRUE(screen_contains("Its model could not be opened"));
  EXPECT_FALSE(driver.session().model) << "no other weights are taken for them";
  open(folder / "elsewhere");
  EXPECT_EQ(driver.session().title, "moved") << "it is the scene that is whole now";
  ASSERT_TRUE(driver.session().model);
  EXPECT_EQ(content_hash(*driver.session().model), content_hash(*trained));
  EXPECT_EQ(driver.session().model->name, (folder / "elsewhere").string());
}

TEST_F(Scenes, WhatIsWrittenAboutOneStandsAboveItWhilePresented) {
  driver.app().apply(ChangeSettings{
      {{"title", std::string("Looking back")}, {"note", std::string("One head finds the noun.")}}});
  driver.settle();
  EXPECT_FALSE(screen_contains("One head finds the noun."));
  driver.press(CommandId::present);
  driver.settle();
  EXPECT_TRUE(screen_contains("Looking back"));
  EXPECT_TRUE(screen_contains("One head finds the noun."));
}

TEST(Folders, ListWhatOpensByNameAndByContents) {
  const TemporaryFolder folder;
  for (const char* name :
       {"b.headscope", "a.png", "mask.npy", "w.safetensors", "notes.txt", "b.bin", ".hidden.headscope"})
    std::ofstream(folder / name) << "";
  fs::create_directories(folder / "model");
  std::ofstream(folder / "model" / "config.json") << "{}";
  fs::create_directories(folder / "plain");
  const FolderListing listing = listing_of((folder / "").string());
  EXPECT_EQ(listing.problem, "");
  EXPECT_EQ(listing.names, std::vector<std::string>{"plain"});
  std::vector<std::string> files;
  for (const auto& [name, what] : listing.files) files.push_back(name + ": " + what);
  EXPECT_EQ(files, (std::vector<std::string>{"a.png: picture", "b.headscope: scene", "mask.npy: mask",
                                             "model: model", "notes.txt: text", "w.safetensors: weights"}));
  EXPECT_NE(listing_of((folder / "none").string()).problem, "");
}

TEST(FileStem, KeepsLettersOfAnyScriptAndNoPath) {
  EXPECT_EQ(file_stem("Why it looks back"), "why-it-looks-back");
  EXPECT_EQ(file_stem("../../etc/passwd"), "etc-passwd");
  EXPECT_EQ(file_stem("  √d_k — 注意力!"), "√d-k-—-注意力");
  EXPECT_EQ(file_stem("..."), "");
  EXPECT_EQ(file_stem(std::string(500, 'x')).size(), 60U);
}

}  // namespace
}  // namespace headscope
