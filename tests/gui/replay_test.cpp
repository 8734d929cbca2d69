// Replays a user's events in the window without a window.
#include <gtest/gtest.h>

#include "core/engine/opening.h"
#include "core/system/process.h"
#include "tests/gui/app_driver.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

/// The events of a program, and the session before each of them.
struct Recording {
  Scene start;
  std::vector<Event> events;
  std::vector<Session> before;

  explicit Recording(App& app) : start(app.scene()) {
    app.on_event([this, &app](const Event& event) {
      events.push_back(event);
      before.push_back(app.session());
    });
  }
};

void expect_same_replayed(const Recording& recording, const Session& last) {
  Scene scene = recording.start;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    ASSERT_EQ(scene.session(), recording.before[i]) << "before event " << i;
    scene = update(scene, recording.events[i]).scene;
  }
  EXPECT_EQ(scene.session(), last);
}

TEST(Replay, TheEventsOfAWindowGiveTheSameScenesWithoutOne) {
  Settings settings;
  if (const auto session = startup_session(bundled_model_folders())) settings.session = *session;
  AppDriver driver({1280, 800}, 1.0F, settings);
  const auto recording = std::make_unique<Recording>(driver.app());
  driver.paste_sentence("The trophy did not fit into the suitcase because it was too small");
  driver.press(Chord{Key::escape});
  for (const CommandOrView id : std::initializer_list<CommandOrView>{
           CommandId::toggle_causal, CommandId::next_head, PageName::stages, CommandId::undo, CommandId::redo,
           CommandId::open_copying, CommandId::train_step, CommandId::open_reversing,
           CommandId::toggle_difference, CommandId::undo}) {
    driver.app().run(id);
    driver.settle();
  }
  Architecture small = driver.session().architecture;
  small.d_model = 8;
  small.n_heads = 2;
  small.d_ff = 8;
  driver.app().apply(test::with(driver.session(), TrainingSettings{30, 4, 2e-3F}));
  driver.app().apply(test::with(driver.session(), small));
  driver.wait_until("the small model", [&] {
    const auto progress = driver.app().scene().training.progress;
    return progress && progress->state == TrainingState::finished;
  });
  driver.settle();
  driver.app().run(CommandId::undo);
  driver.settle();
  driver.app().on_event(nullptr);
  EXPECT_GT(recording->events.size(), 15U);
  expect_same_replayed(*recording, driver.session());
}

}  // namespace
}  // namespace headscope
