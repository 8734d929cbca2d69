// Tests that a crash loses neither what was typed nor what was learned.
#include "app/shell/autosave.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "core/checkpoint/saved_session.h"
#include "core/engine/opening.h"
#include "core/system/process.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// Leaves a folder behind as a killed program does.
fs::path leave_behind(const fs::path& state, const Session& session) {
  auto owned = OwnedFolder::make(state);
  EXPECT_TRUE(owned);
  const auto saved = save_session(owned->path(), session);
  EXPECT_TRUE(saved) << saved.error().message;
  return owned->path();
}

History::Step step_of(const std::string& sentence) {
  Session session = default_session();
  session.sentence = sentence;
  session.selection.token.reset();
  return std::make_shared<const Session>(session);
}

std::vector<fs::path> folders_in(const fs::path& state) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(state, error), end; !error && entry != end; entry.increment(error)) {
    found.push_back(entry->path());
  }
  return found;
}

/// Waits until the sentence that is kept is the wanted one, and returns it.
std::string saved_sentence(const fs::path& state, const std::string& wanted) {
  std::string found;
  for (int i = 0; i < 2000 && found != wanted; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto folders = folders_in(state);
    if (folders.empty()) continue;
    if (const auto kept = load_session(folders.front(), {})) found = kept->session.sentence;
  }
  return found;
}

TEST(Autosave, KeepsASecondAfterTheLastChangeAndNothingAfterTheEnd) {
  const TemporaryFolder state;
  Autosave autosave(state / "s");
  EXPECT_LT(autosave.keep(step_of("as it began"), 0.0), 0.0);
  EXPECT_TRUE(folders_in(state / "s").empty()) << "nothing has changed";
  const auto typed = step_of("one two");
  EXPECT_DOUBLE_EQ(autosave.keep(typed, 10.0), 1.0);
  EXPECT_DOUBLE_EQ(autosave.keep(typed, 10.5), 0.5);
  EXPECT_TRUE(folders_in(state / "s").empty());
  EXPECT_LT(autosave.keep(typed, 11.0), 0.0);
  EXPECT_EQ(saved_sentence(state / "s", "one two"), "one two");
  // A session that changes continually must be kept as well.
  double now = 20.0;
  for (; now < 25.0; now += 0.5) EXPECT_GE(autosave.keep(step_of(std::to_string(now)), now), 0.0) << now;
  EXPECT_LT(autosave.keep(step_of("on and on"), now), 0.0);
  EXPECT_EQ(saved_sentence(state / "s", "on and on"), "on and on");
  autosave.finish();
  EXPECT_TRUE(folders_in(state / "s").empty());
  EXPECT_EQ(autosave.take_complaint(), "");
}

TEST(Autosave, RescuesWhatIsNotWrittenYet) {
  const TemporaryFolder state;
  Autosave autosave(state / "s");
  autosave.keep(step_of("as it began"), 0.0);
  autosave.rescue(std::chrono::seconds(10));
  EXPECT_TRUE(folders_in(state / "s").empty()) << "nothing has changed";
  autosave.note(step_of("typed just now"));
  autosave.rescue(std::chrono::seconds(10));
  EXPECT_EQ(saved_sentence(state / "s", "typed just now"), "typed just now");
  autosave.note(step_of("typed after that"));
  autosave.finish();
  autosave.rescue(std::chrono::seconds(10));
  EXPECT_TRUE(folders_in(state / "s").empty()) << "it is kept elsewhere";
}

TEST(Autosave, SaysOnceThatItCannotKeepAnything) {
  const TemporaryFolder state;
  std::ofstream(state / "file") << "no folder";
  Autosave autosave(state / "file");
  autosave.keep(step_of("as it began"), 0.0);
  std::string complaint;
  for (int i = 1; i < 4; ++i) {
    autosave.keep(step_of(std::to_string(i)), 10.0 * i);
    autosave.keep(step_of(std::to_string(i)), 10.0 * i + 6.0);
    autosave.finish();
    const std::string now = autosave.take_complaint();
    EXPECT_TRUE(i == 1 || now.empty());
    complaint += now;
  }
  EXPECT_NE(complaint.find("cannot be saved"), std::string::npos) << complaint;
}

class RecoverableSession : public testing::Test {
 protected:
  Session lost() {
    Session session = default_session();
    session.sentence = "These words were not lost";
    session.selection.token.reset();
    return session;
  }
  std::unique_ptr<AppDriver> start() {
    return std::make_unique<AppDriver>(PixelSize{1280, 800}, 1.0F, Settings{}, state_ / "s");
  }
  void press_button(AppDriver& driver, const char* name) {
    const auto places = find_text(name);
    ASSERT_EQ(places.size(), 1U) << name;
    driver.click({places[0].x + places[0].w / 2.0F, places[0].y + places[0].h / 2.0F});
  }
  TemporaryFolder state_;
};

TEST_F(RecoverableSession, IsOfferedOpenedAndCanBeUndone) {
  const fs::path left = leave_behind(state_ / "s", lost());
  const auto driver = start();
  EXPECT_TRUE(screen_contains("Headscope quit unexpectedly"));
  press_button(*driver, "Open that session");
  driver->settle();
  EXPECT_EQ(driver->session().sentence, lost().sentence);
  EXPECT_FALSE(screen_contains("Headscope quit unexpectedly"));
  driver->press(CommandId::undo);
  EXPECT_EQ(driver->session().sentence, default_session().sentence);
  EXPECT_TRUE(fs::exists(left)) << "until the session is kept otherwise";
  driver->app().end_autosave();
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(RecoverableSession, TheOneBeforeItStaysWhatIsPressedMeanwhile) {
  const fs::path before = leave_behind(state_ / "s", default_session());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const fs::path left = leave_behind(state_ / "s", lost());
  const auto driver = start();
  driver->app().screen().recovery_choice = RecoveryChoice{left, true};
  driver->frames(2);
  EXPECT_FALSE(screen_contains("Discard")) << "it is answered";
  driver->settle();
  EXPECT_EQ(driver->session().sentence, lost().sentence);
  driver->app().end_autosave();
  EXPECT_TRUE(fs::exists(before));
}

TEST_F(RecoverableSession, ThatCannotBeReadWholeStays) {
  Session trained = *startup_session(bundled_model_folders());
  const fs::path left = leave_behind(state_ / "s", trained);
  std::ofstream(left / "session.json") << R"({"version": 1, "weights": "weights-gone"})";
  const auto driver = start();
  press_button(*driver, "Open that session");
  driver->settle();
  driver->app().end_autosave();
  EXPECT_TRUE(fs::exists(left));
}

TEST_F(RecoverableSession, DiscardedItIsGoneAndTheOneBeforeItIsOffered) {
  leave_behind(state_ / "s", default_session());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  leave_behind(state_ / "s", lost());
  const auto driver = start();
  press_button(*driver, "Discard it");
  driver->frames(2);
  EXPECT_EQ(folders_in(state_ / "s").size(), 1U);
  EXPECT_TRUE(screen_contains("Headscope quit unexpectedly"));
  driver->frames(60);
  press_button(*driver, "Discard it");
  driver->frames(2);
  EXPECT_TRUE(folders_in(state_ / "s").empty());
  EXPECT_FALSE(screen_contains("Headscope quit unexpectedly"));
}

TEST_F(RecoverableSession, ADoubleClickDiscardsOne) {
  for (int i = 0; i < 3; ++i) {
    leave_behind(state_ / "s", lost());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const auto driver = start();
  press_button(*driver, "Discard it");
  press_button(*driver, "Discard it");
  driver->frames(2);
  EXPECT_EQ(folders_in(state_ / "s").size(), 2U);
  driver->frames(60);
  press_button(*driver, "Discard it");
  EXPECT_EQ(folders_in(state_ / "s").size(), 1U) << "a click of its own";
}

TEST_F(RecoverableSession, AllAreListedAndEachCanBeOpenedOrThrownAway) {
  constexpr int n = 7;
  std::vector<fs::path> folders;
  for (int i = 0; i < n; ++i) {
    Session session = lost();
    session.sentence = "session number" + std::to_string(i);
    folders.push_back(leave_behind(state_ / "s", session));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const auto driver = start();
  EXPECT_TRUE(screen_contains("Headscope quit unexpectedly 7 times"));
  press_button(*driver, "6 more");
  EXPECT_TRUE(screen_contains("session number5")) << "the newest but one, of which the line speaks";
  EXPECT_TRUE(screen_contains("session number4"));
  ASSERT_EQ(driver->app().screen().recoverable_sessions->size(), 7U);
  EXPECT_GT(driver->app().screen().recoverable_sessions.use_count(), 1) << "no frame copies their sentences";
  // Discards the third one, and then opens the one that moves into its place.
  const auto places = find_text("Discard");  // the link of the newest says “Discard it”
  ASSERT_GE(places.size(), 2U);
  driver->click({places[1].x + places[1].w / 2.0F, places[1].y + places[1].h / 2.0F});
  EXPECT_FALSE(fs::exists(folders[4]));
  EXPECT_FALSE(screen_contains("session number4"));
  driver->app().screen().recovery_choice = RecoveryChoice{folders[3], true};
  driver->settle();
  EXPECT_EQ(driver->session().sentence, "session number3");
  EXPECT_FALSE(screen_contains("Headscope quit unexpectedly")) << "one is opened";
  driver->press(CommandId::recoverable_sessions);
  EXPECT_TRUE(screen_contains("Headscope quit unexpectedly 5 times")) << "the others are still there";
  driver->app().end_autosave();
  EXPECT_FALSE(fs::exists(folders[3]));
  EXPECT_TRUE(fs::exists(folders[0]));
}

TEST_F(RecoverableSession, OfAProgramThatStillRunsIsNotOffered) {
  auto owned = OwnedFolder::make(state_ / "s");
  ASSERT_TRUE(owned);
  ASSERT_TRUE(save_session(owned->path(), lost()));
  const auto driver = start();
  EXPECT_FALSE(screen_contains("Headscope quit unexpectedly"));
}

}  // namespace
}  // namespace headscope
