#include "app/shell/settings.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "core/checkpoint/model_folder.h"
#include "core/engine/opening.h"
#include "core/model/trained_model.h"
#include "core/system/process.h"
#include "tests/gui/app_driver.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/session/random_session.h"
#include "tests/unit/system/killed_child.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

void put_text(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

TEST(SettingsFile, KeepsEverySession) {
  const TemporaryFolder folder;
  const fs::path file = folder / "new" / "settings.json";
  RandomSession random(11);
  for (int i = 0; i < 100; ++i) {
    Settings settings;
    settings.session = random.session();
    settings.session.attention.mask.loaded.clear();
    if (random.coin()) settings.ui_scale = 1.25F;
    settings.window = {random.whole(320, 4000), random.whole(320, 4000)};
    settings.export_folder = "a “folder” \\ with spaces";
    settings.panels = {random.coin(), random.coin(), static_cast<float>(random.whole(200, 640)),
                       static_cast<float>(random.whole(200, 640))};
    settings.reduces_motion = random.coin();
    settings.scenes.lesson_progress = {{"01-what-does-it-mean", random.whole(1, 5)}, {"/my/ümläut.md", 2}};
    const auto saved = save_settings(settings, file);
    ASSERT_TRUE(saved) << saved.error().message;
    const LoadedSettings loaded = load_settings(file);
    EXPECT_EQ(loaded.settings.reduces_motion, settings.reduces_motion);
    EXPECT_EQ(loaded.complaint, "");
    EXPECT_EQ(to_json(loaded.settings.session), to_json(settings.session));
    EXPECT_EQ(loaded.settings.ui_scale, settings.ui_scale);
    EXPECT_EQ(loaded.settings.window, settings.window);
    EXPECT_EQ(loaded.settings.export_folder, settings.export_folder);
    EXPECT_EQ(loaded.settings.panels, settings.panels);
    EXPECT_EQ(loaded.settings.scenes.lesson_progress, settings.scenes.lesson_progress);
  }
}

TEST(SettingsFile, TheProgramStartsAfreshFromABrokenOneAndSaysSo) {
  const TemporaryFolder folder;
  const fs::path file = folder / "settings.json";
  Settings usual;
  ASSERT_TRUE(save_settings(usual, file));
  const std::string good = content_of(file);
  int n_broken = 0;
  for (const std::string& broken :
       {std::string(), good.substr(0, good.size() / 2), std::string("null"), std::string("[1, 2]"),
        std::string("\0\xFF\xFE", 3), std::string(R"({"session": 3})"),
        std::string(R"({"session": {"architecture": {"d_model": "wide"}}})"),
        std::string(R"({"version": "1"})"), std::string(80'000, '['),
        "{\"session\": " + std::string(80'000, '[')}) {
    put_text(file, broken);
    const LoadedSettings loaded = load_settings(file);
    EXPECT_NE(loaded.complaint, "") << broken;
    EXPECT_TRUE(loaded.may_be_saved);
    const fs::path aside = folder / ("settings-not-understood-" + std::to_string(++n_broken) + ".json");
    EXPECT_EQ(content_of(aside), broken) << "what somebody wrote is not lost";
    EXPECT_NE(loaded.complaint.find(aside.filename().string()), std::string::npos) << loaded.complaint;
    EXPECT_FALSE(fs::exists(file));
    EXPECT_EQ(loaded.settings.session, default_session()) << broken;
    AppDriver driver({1280, 800}, 1.0F, loaded.settings);
    EXPECT_EQ(driver.trace().n_tokens(), 11);
  }
  EXPECT_NE(load_settings(folder / "").complaint, "") << "a folder is no file";
  EXPECT_EQ(load_settings(folder / "none.json").complaint, "") << "the first start is no fault";
}

TEST(SettingsFile, WhatALaterProgramWroteStaysAsItIs) {
  const TemporaryFolder folder;
  const fs::path file = folder / "settings.json";
  put_text(file, R"({"version": 2, "new": true})");
  const LoadedSettings loaded = load_settings(file);
  EXPECT_NE(loaded.complaint.find("later version"), std::string::npos);
  EXPECT_FALSE(loaded.may_be_saved);
  EXPECT_EQ(content_of(file), R"({"version": 2, "new": true})");
}

TEST(SettingsFile, WhatCannotBeReadIsNotWrittenOver) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "settings.json").c_str(), 0600), 0);
  const LoadedSettings loaded = load_settings(folder / "settings.json");
  EXPECT_NE(loaded.complaint, "");
  EXPECT_FALSE(loaded.may_be_saved);
}

TEST(SettingsFile, APinnedProbabilityOfATrainedModelIsThereAgain) {
  const TemporaryFolder folder;
  const fs::path file = folder / "settings.json";
  Settings settings;
  settings.session =
      reduce(default_session(), opening_action(*open_model("pronouns", bundled_model_folders())));
  settings.session = reduce(settings.session, SetSentence{"The dog barked because it was hungry"});
  settings.session = reduce(settings.session, SetView{PageName::words});
  const int last = settings.session.model->vocabulary.size() - 1;
  settings.session = reduce(settings.session, PinCell{{{StageKind::probabilities}, 4, last}});
  ASSERT_TRUE(settings.session.selection.pin);
  ASSERT_TRUE(save_settings(settings, file));
  const LoadedSettings loaded = load_settings(file);
  EXPECT_EQ(loaded.complaint, "");
  EXPECT_EQ(to_json(loaded.settings.session), to_json(settings.session));
  ASSERT_TRUE(loaded.settings.session.model);
}

/// There are more tokens than words, which only the model's tokenizer can say.
TEST(SettingsFile, ATokenInsideAWordIsSelectedAgain) {
  const TemporaryFolder folder;
  const fs::path file = folder / "settings.json";
  Settings settings;
  settings.session =
      reduce(default_session(), opening_action(*open_model("stories", bundled_model_folders())));
  settings.session = reduce(settings.session, SetSentence{"Unbelievably extraordinary"});
  settings.session.selection.token = 4;
  ASSERT_TRUE(save_settings(settings, file));
  const LoadedSettings loaded = load_settings(file);
  EXPECT_EQ(loaded.complaint, "");
  EXPECT_EQ(loaded.settings.session.selection.token, 4);
}

TEST(SettingsFile, AModelThatIsGoneTakesNothingElseAlong) {
  const TemporaryFolder folder;
  const fs::path file = folder / "settings.json";
  Settings settings;
  settings.session =
      reduce(default_session(), opening_action(*open_model("pronouns", bundled_model_folders())));
  settings.session = reduce(settings.session, SetSentence{"The dog barked because it was hungry"});
  settings.session = reduce(settings.session, PinCell{{{StageKind::probabilities}, 4, 700}});
  ASSERT_TRUE(save_model(folder / "m\xFF", *settings.session.model));
  settings.session.model = *load_model(folder / "m\xFF");
  ASSERT_TRUE(save_settings(settings, file)) << "though its name is no UTF-8";
  fs::remove_all(folder / "m\xFF");
  const LoadedSettings loaded = load_settings(file);
  EXPECT_NE(loaded.complaint.find("Its model could not be opened"), std::string::npos);
  EXPECT_EQ(loaded.settings.session.sentence, settings.session.sentence);
}

TEST(SettingsFile, AKillAtAnyMomentLeavesTheOldSettingsOrTheNewOnes) {
  const TemporaryFolder folder;
  const fs::path file = folder / "settings.json";
  std::mt19937 random(6);
  ASSERT_TRUE(save_settings({}, file));
  for (int kill = 0; kill < 300; ++kill) {
    Settings settings;
    run_and_kill([&] { ++settings.window.width, static_cast<void>(save_settings(settings, file)); }, 3000,
                 random);
    ASSERT_EQ(load_settings(file).complaint, "") << "after kill " << kill;
  }
}

TEST(SettingsFile, TwoProgramsKeepWhatEachOfThemChanged) {
  const TemporaryFolder folder;
  const fs::path file = folder / "settings.json";
  ASSERT_TRUE(save_settings({}, file));
  const Settings before = load_settings(file).settings;
  Settings one = before;
  one.session.sentence = "typed in the one";
  one.session.selection.token.reset();
  Settings other = before;
  other.ui_scale = 1.5F;
  other.export_folder = "chosen in the other";
  ASSERT_TRUE(save_settings(one, file, &before));
  ASSERT_TRUE(save_settings(other, file, &before));
  const Settings both = load_settings(file).settings;
  EXPECT_EQ(both.session.sentence, "typed in the one");
  EXPECT_EQ(both.ui_scale, 1.5F);
  EXPECT_EQ(both.export_folder, "chosen in the other");
}

TEST(SettingsFile, SizesBeyondReasonAreCut) {
  const TemporaryFolder folder;
  const fs::path file = folder / "settings.json";
  put_text(file,
           R"({"window": {"width": -5, "height": 1000000000000}, "ui_scale": 900, "export_folder": 7})");
  const Settings settings = load_settings(file).settings;
  EXPECT_GE(settings.window.width, 100);
  EXPECT_GE(settings.window.height, 100);
  EXPECT_LE(settings.window.height, 20000);
  EXPECT_LE(settings.ui_scale.value_or(0.0F), 4.0F);
}

TEST(SettingsFile, WhatCannotBeKeptIsSaid) {
  const TemporaryFolder folder;
  put_text(folder / "a-file", "x");
  EXPECT_FALSE(save_settings({}, folder / "a-file" / "settings.json"));
  EXPECT_FALSE(save_settings({}, {}));
}

TEST(SettingsFile, ALockOfAnotherProgramIsWaitedForBriefly) {
  const TemporaryFolder folder;
  const fs::path file = folder / "settings.json";
  Settings settings;
  settings.ui_scale = 1.5F;
  ASSERT_TRUE(save_settings(settings, file));
  const int lock = ::open((folder / "").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  const auto begin = std::chrono::steady_clock::now();
  const LoadedSettings loaded = load_settings(file);
  const auto saved = save_settings({}, file);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
  EXPECT_EQ(loaded.settings.ui_scale, 1.5F) << "reading needs no lock";
  EXPECT_FALSE(loaded.may_be_saved);
  EXPECT_NE(loaded.complaint.find("another program has locked"), std::string::npos) << loaded.complaint;
  EXPECT_FALSE(saved);
  ::close(lock);
  EXPECT_TRUE(load_settings(file).may_be_saved);
}

}  // namespace
}  // namespace headscope
