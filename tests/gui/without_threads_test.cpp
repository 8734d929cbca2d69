#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "core/engine/engine.h"
#include "core/engine/request.h"
#include "core/jobs/job_thread.h"
#include "core/page/page_record.h"
#include "tests/gui/app_driver.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

/// The program as it is in a page that may start no threads: everything is computed between the frames.
class WithoutThreadsTest : public testing::Test {
 protected:
  const ScopedThreadBan alone_;
  AppDriver driver_{{1280, 800}};
};

TEST_F(WithoutThreadsTest, TypingComputesTheSamePass) {
  driver_.settle();
  driver_.paste_sentence("The dog chased the cat because it was hungry");
  driver_.settle();
  Engine engine;
  const auto expected = engine.compute(request_of(driver_.session()));
  ASSERT_TRUE(expected);
  const StageId weights = driver_.session().selection.at(StageKind::weights);
  const MatrixView a = driver_.trace().value(weights);
  const MatrixView b = (*expected)->value(weights);
  ASSERT_EQ(a.rows, b.rows);
  for (int row = 0; row < a.rows; ++row) EXPECT_TRUE(std::ranges::equal(a.row(row), b.row(row)));
}

TEST_F(WithoutThreadsTest, EveryPageIsDrawn) {
  driver_.press(CommandId::open_pronouns);
  for (const PageRecord& record : page_records()) {
    if (!record.workspace) continue;
    driver_.press(record.name);
    driver_.settle();
    EXPECT_EQ(driver_.session().view, record.name);
  }
}

TEST_F(WithoutThreadsTest, TrainingGoesOnWhileTheWindowAnswers) {
  driver_.press(CommandId::open_pronouns);
  driver_.settle();
  const Architecture small = test::smallest(driver_.session().architecture);
  driver_.app().apply(test::with(driver_.session(), TrainingSettings{100, 4, 2e-3F}));
  driver_.app().apply(test::with(driver_.session(), small));  // A new architecture is trained by itself.
  const auto steps = [&] {
    const auto& progress = driver_.app().scene().training.progress;
    return progress ? progress->steps : 0;
  };
  const auto slowest = driver_.slowest_frame([&] {
    driver_.press(PageName::explore);
    driver_.wait_until("all steps", [&] { return steps() == 100; });
  });
  std::cout << "the slowest frame took " << slowest.count() << " ms of the processor\n";
  driver_.app().undo();
  driver_.settle();
  EXPECT_EQ(driver_.session().model->name, "pronouns");
}

}  // namespace
}  // namespace headscope
