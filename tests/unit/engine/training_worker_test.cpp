#include "core/engine/training_worker.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/engine/request.h"
#include "core/engine/training_job.h"
#include "core/jobs/job_thread.h"
#include "core/train/trainer.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

using namespace std::chrono_literals;

using Kind = TrainingCommand::Kind;

constexpr double as_long_as_needed = 1e9;

/// A run that takes milliseconds.
TrainingRun small_run(TaskKind kind = TaskKind::reversing, int attempt = 0) {
  return {kind, test::smallest(training_recipe(kind).architecture), attempt};
}

TrainingSettings few_steps(int steps = 20) {
  return {steps, 4, 2e-3F};
}

/// Settings for a run that takes far too long to wait for.
TrainingSettings endless() {
  return {1'000'000, 4, 2e-3F};
}

/// A training worker, and a way to wait for what it publishes.
class School {
 public:
  TrainingWorker& worker() { return worker_; }

  template <class Condition>
  std::shared_ptr<const TrainingProgress> await(Condition condition) {
    std::unique_lock lock(mutex_);
    std::shared_ptr<const TrainingProgress> found;
    const auto is_there = [&] {
      found = worker_.latest();
      return found && condition(*found);
    };
    return changed_.wait_for(lock, 180s, is_there) ? found : nullptr;
  }
  std::shared_ptr<const TrainingProgress> await(const TrainingRun& run, TrainingState state) {
    return await([&](const TrainingProgress& now) { return now.run == run && now.state == state; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  TrainingWorker worker_{[this] {
                           const std::lock_guard lock(mutex_);
                           changed_.notify_all();
                         },
                         2};
};

std::vector<float> parameters_in(const TrainingProgress& progress, const TrainedModel& model) {
  return parameters_of(model.model, *progress.layout);
}

TEST(TrainingWorker, TrainsToTheLastStepAndKeepsWhatItPassed) {
  School school;
  EXPECT_EQ(school.worker().latest(), nullptr);
  const TrainingRun run = small_run();
  school.worker().carry_out({Kind::start, run, few_steps(), as_long_as_needed});
  const auto done = school.await(run, TrainingState::finished);
  ASSERT_NE(done, nullptr);
  EXPECT_EQ(done->steps, 20);
  EXPECT_EQ(done->total_steps, 20);
  EXPECT_EQ(done->train.size(), 20U);
  EXPECT_EQ(done->train.back().step, 20);
  ASSERT_FALSE(done->held_out.empty());
  EXPECT_EQ(done->held_out.back().step, 20);
  ASSERT_NE(done->newest, nullptr);
  EXPECT_EQ(done->newest->steps, 20);
  EXPECT_EQ(done->newest->task, "reversing");
  EXPECT_EQ(done->newest->model.architecture, run.architecture);
  EXPECT_EQ(done->kept.size(), 21U) << "a short run keeps every step";
  for (std::size_t i = 1; i < done->kept.size(); ++i)
    EXPECT_LT(done->kept[i - 1]->steps, done->kept[i]->steps);
  EXPECT_EQ(done->kept.front()->steps, 0);
  EXPECT_NE(parameters_in(*done, *done->kept.front()), parameters_in(*done, *done->newest));
  ASSERT_NE(done->gradients, nullptr);
  EXPECT_EQ(done->gradients->size(), done->layout->size);
  EXPECT_NE(
      std::count_if(done->gradients->begin(), done->gradients->end(), [](float g) { return g != 0.0F; }), 0);
}

TEST(TrainingWorker, FindsWhatATrainerOfTheSameThreadsFinds) {
  School school;
  const TrainingRun run = small_run(TaskKind::copying);
  school.worker().carry_out({Kind::start, run, few_steps(), as_long_as_needed});
  const auto done = school.await(run, TrainingState::finished);
  ASSERT_NE(done, nullptr);

  TrainOptions options = training_recipe(run.task).options;
  options.batch_size = 4;
  options.adam.learning_rate = 2e-3F;
  options.adam.decay_steps = 20;
  options.seed = run.architecture.seed;
  ThreadPool pool(2);
  auto trainer = Trainer::make(task(run.task), run.architecture, options, pool);
  ASSERT_TRUE(trainer.has_value());
  for (int i = 0; i < 20; ++i) (*trainer)->step();
  const auto expected = (*trainer)->parameters();
  EXPECT_EQ(parameters_in(*done, *done->newest), std::vector<float>(expected.begin(), expected.end()));
}

TEST(TrainingWorker, PausesStepsAndGoesOn) {
  School school;
  const TrainingRun run = small_run();
  school.worker().carry_out({Kind::prepare, run, endless()});
  auto now = school.await(run, TrainingState::paused);
  ASSERT_NE(now, nullptr);
  EXPECT_EQ(now->steps, 0);
  EXPECT_EQ(now->gradients, nullptr);
  school.worker().carry_out({.kind = Kind::step});
  now = school.await(
      [](const TrainingProgress& p) { return p.steps == 1 && p.state == TrainingState::paused; });
  ASSERT_NE(now, nullptr);
  school.worker().carry_out({.kind = Kind::resume});
  now = school.await(
      [](const TrainingProgress& p) { return p.steps > 10 && p.state == TrainingState::running; });
  ASSERT_NE(now, nullptr);
  school.worker().carry_out({.kind = Kind::pause});
  now = school.await(run, TrainingState::paused);
  ASSERT_NE(now, nullptr);
  const int stopped_at = now->steps;
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(school.worker().latest()->steps, stopped_at) << "a pause is a pause";
}

TEST(TrainingWorker, AFinishedRunGoesOnForMoreSteps) {
  School school;
  const TrainingRun run = small_run();
  school.worker().carry_out({Kind::start, run, few_steps(10), as_long_as_needed});
  ASSERT_NE(school.await(run, TrainingState::finished), nullptr);
  school.worker().carry_out({.kind = Kind::adjust, .settings = few_steps(30)});
  school.worker().carry_out({.kind = Kind::resume});
  const auto done = school.await(
      [](const TrainingProgress& p) { return p.state == TrainingState::finished && p.steps == 30; });
  ASSERT_NE(done, nullptr);
}

TEST(TrainingWorker, AsksBeforeWhatTakesLong) {
  School school;
  const TrainingRun run = small_run();
  constexpr double no_time = 1e-6;
  school.worker().carry_out({Kind::start, run, endless(), no_time});
  const auto waiting = school.await(run, TrainingState::waiting);
  ASSERT_NE(waiting, nullptr);
  EXPECT_GT(waiting->seconds_left, no_time);
  EXPECT_LT(waiting->steps, 100);
  TrainingSettings others = endless();
  others.learning_rate = 1e-3F;
  school.worker().carry_out({.kind = Kind::adjust, .settings = others});
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(school.worker().latest()->state, TrainingState::waiting) << "other settings are no answer";
  school.worker().carry_out({.kind = Kind::resume});
  const auto running = school.await([&](const TrainingProgress& p) {
    return p.state == TrainingState::running && p.steps > waiting->steps + 50;
  });
  EXPECT_NE(running, nullptr);
}

TEST(TrainingWorker, AnotherRunTakesThePlaceOfTheOneBefore) {
  School school;
  TrainingRun last;
  for (int attempt = 0; attempt < 20; ++attempt) {
    last = small_run(attempt % 2 == 0 ? TaskKind::reversing : TaskKind::copying, attempt);
    school.worker().carry_out({Kind::start, last, attempt < 19 ? endless() : few_steps(), as_long_as_needed});
    if (attempt % 3 == 0) std::this_thread::sleep_for(2ms);
  }
  EXPECT_NE(school.await(last, TrainingState::finished), nullptr);
  school.worker().carry_out({.kind = Kind::suspend});
  EXPECT_EQ(school.worker().latest(), nullptr);
  school.worker().carry_out({.kind = Kind::resume});  // There is no run to resume.
  school.worker().carry_out(
      {Kind::start, small_run(TaskKind::reversing, 77), few_steps(), as_long_as_needed});
  EXPECT_NE(school.await(small_run(TaskKind::reversing, 77), TrainingState::finished), nullptr);
}

TEST(TrainingWorker, ARunThatWasLeftIsTakenUpWhereItWasAndFindsTheSameWeights) {
  const TrainingSettings settings = few_steps(3000);
  const TrainingRun run = small_run(TaskKind::copying);
  School school;
  school.worker().carry_out({Kind::start, run, settings, as_long_as_needed});
  ASSERT_NE(school.await([](const TrainingProgress& now) { return now.steps > 20; }), nullptr);
  school.worker().carry_out({Kind::start, small_run(TaskKind::reversing), few_steps(),
                             as_long_as_needed});  // This interrupts the first run.
  ASSERT_NE(school.await(small_run(TaskKind::reversing), TrainingState::finished), nullptr);
  school.worker().carry_out({Kind::restore, run, settings});
  const auto again = school.await(run, TrainingState::paused);
  ASSERT_NE(again, nullptr);
  EXPECT_GT(again->steps, 20);
  EXPECT_LT(again->steps, 3000);
  school.worker().carry_out({.kind = Kind::resume});
  const auto finished = school.await(run, TrainingState::finished);
  ASSERT_NE(finished, nullptr);

  School undisturbed;
  undisturbed.worker().carry_out({Kind::start, run, settings, as_long_as_needed});
  const auto expected = undisturbed.await(run, TrainingState::finished);
  ASSERT_NE(expected, nullptr);
  EXPECT_EQ(parameters_in(*finished, *finished->newest), parameters_in(*expected, *expected->newest));
  EXPECT_EQ(finished->held_out.size(), expected->held_out.size());
  EXPECT_EQ(finished->train.size(), expected->train.size());
}

TEST(TrainingWorker, ARunThatOthersTookThePlaceOfIsGone) {
  School school;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const TrainingRun run = small_run(TaskKind::reversing, attempt);
    school.worker().carry_out({Kind::start, run, few_steps(), as_long_as_needed});
    ASSERT_NE(school.await(run, TrainingState::finished), nullptr);
  }
  school.worker().carry_out({Kind::restore, small_run(TaskKind::reversing, 2), few_steps()});
  EXPECT_NE(school.await(small_run(TaskKind::reversing, 2), TrainingState::finished), nullptr);
  school.worker().carry_out({Kind::restore, small_run(TaskKind::reversing, 0), few_steps()});
  const auto gone = school.await(small_run(TaskKind::reversing, 0), TrainingState::discarded);
  ASSERT_NE(gone, nullptr);
  EXPECT_EQ(gone->newest, nullptr);
}

TEST(TrainingWorker, SaysWhyItCannotTrain) {
  School school;
  TrainingRun run = small_run();
  run.architecture.stacks = Stacks::encoder;
  school.worker().carry_out({Kind::start, run, few_steps(), as_long_as_needed});
  auto refused = school.await(run, TrainingState::refused);
  ASSERT_NE(refused, nullptr);
  EXPECT_NE(refused->problem.find("an encoder and a decoder"), std::string::npos) << refused->problem;
  EXPECT_EQ(refused->newest, nullptr);

  run = small_run(TaskKind::reversing, 1);
  run.architecture.d_model = ArchitectureLimits::max_d_model;
  run.architecture.d_ff = ArchitectureLimits::max_d_ff;
  run.architecture.n_layers = ArchitectureLimits::max_layers;
  TrainingSettings huge{10, training_limits::max_batch_size, 1e-3F};
  const double bytes = training_bytes(task(run.task), run.architecture, {huge.batch_size, {}, 0.0F, 0}, 2);
  const double memory =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  constexpr double min_snapshots = 5.0;
  if (bytes + min_snapshots * model_bytes(run.architecture) < memory) {
    GTEST_SKIP() << "this machine could train it";
  }
  school.worker().carry_out({Kind::start, run, huge, as_long_as_needed});
  refused = school.await(run, TrainingState::refused);
  ASSERT_NE(refused, nullptr);
  EXPECT_NE(refused->problem.find(" GB"), std::string::npos) << refused->problem;
}

TEST(TrainingWorker, StopsWhereTheLossGrowsAndKeepsTheLastGoodWeights) {
  School school;
  const TrainingRun run = small_run(TaskKind::copying);
  TrainingSettings wild = few_steps(2000);
  wild.learning_rate = 10.0F;
  school.worker().carry_out({Kind::start, run, wild, as_long_as_needed});
  const auto diverged = school.await(run, TrainingState::diverged);
  ASSERT_NE(diverged, nullptr);
  EXPECT_NE(diverged->problem.find("learning rate"), std::string::npos);
  ASSERT_NE(diverged->newest, nullptr);
  for (const float number : parameters_in(*diverged, *diverged->newest)) ASSERT_TRUE(std::isfinite(number));
}

TEST(TrainingWorker, ClosingWhileItTrainsTakesNoTime) {
  const auto start = std::chrono::steady_clock::now();
  {
    School school;
    const TrainingRun run = small_run();
    school.worker().carry_out({Kind::start, run, endless(), as_long_as_needed});
    ASSERT_NE(school.await(run, TrainingState::running), nullptr);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
}

TEST(TrainingWorker, KeepsAboutAsManySnapshotsAsItMay) {
  for (const int steps : {47, 48, 100, 600}) {
    School school;
    const TrainingRun run = small_run(TaskKind::reversing, steps);
    school.worker().carry_out({Kind::start, run, few_steps(steps), as_long_as_needed});
    const auto done = school.await(run, TrainingState::finished);
    ASSERT_NE(done, nullptr);
    EXPECT_LE(done->kept.size(), TrainingProgress::max_kept);
    EXPECT_GE(done->kept.size(), TrainingProgress::max_kept / 2) << steps;
    EXPECT_EQ(done->kept.front()->steps, 0);
    EXPECT_EQ(done->settings, few_steps(steps));
  }
}

TEST(TrainingWorker, SaysWhereItsSettingsChangedUnderWay) {
  School school;
  const TrainingRun run = small_run();
  school.worker().carry_out({Kind::prepare, run, few_steps(10)});
  school.worker().carry_out({.kind = Kind::step});
  ASSERT_NE(school.await([](const TrainingProgress& p) { return p.steps == 1; }), nullptr);
  school.worker().carry_out({.kind = Kind::adjust, .settings = few_steps(8)});
  school.worker().carry_out({.kind = Kind::resume});
  const auto done = school.await(run, TrainingState::finished);
  ASSERT_NE(done, nullptr);
  EXPECT_EQ(done->steps, 8);
  EXPECT_FALSE(done->settings.has_value());
}

TEST(TrainingCurve, KeepsItsLengthAndItsMean) {
  TrainingCurve curve;
  double sum = 0.0;
  constexpr int n = 32'000;
  for (int step = 1; step <= n; ++step) {
    curve.add({step, static_cast<double>(step % 7), 0.5});
    sum += step % 7;
  }
  ASSERT_LE(curve.points().size(), 2000U);
  ASSERT_GE(curve.points().size(), 500U);
  double of_curve = 0.0;
  for (const TrainingPoint& point : curve.points()) of_curve += point.loss;
  EXPECT_NEAR(of_curve / static_cast<double>(curve.points().size()), sum / n, 0.05);
  EXPECT_DOUBLE_EQ(curve.points().front().accuracy, 0.5);
}

TEST(TrainingWorker, ARunThatIsLeftAndRestoredAtOnceIsThere) {
  const ScopedThreadBan alone;
  TrainingWorker worker([] {});
  const TrainingRun run = small_run();
  worker.carry_out({Kind::start, run, endless(), as_long_as_needed});
  const auto n_steps = [&] { return worker.latest() ? worker.latest()->steps : 0; };
  for (int i = 0; i < 100'000 && n_steps() < 4; ++i) run_slices(0ms);
  const int steps = n_steps();
  ASSERT_GE(steps, 4);
  run_slices(0ms);  // It is left in the middle of a step.
  worker.carry_out({.kind = Kind::suspend});
  worker.carry_out({Kind::restore, run, few_steps()});
  worker.carry_out({.kind = Kind::step});
  while (run_slices(0ms)) {
  }
  const auto restored = worker.latest();
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->state, TrainingState::paused);
  EXPECT_EQ(restored->steps, steps + 1) << "those before, and the one that was ordered";
  EXPECT_EQ(restored->total_steps, few_steps().steps);
}

TEST(TrainingWorker, WithoutThreadsTrainsStepByStepToTheSameWeights) {
  const ScopedThreadBan alone;
  TrainingWorker worker([] {});
  const auto run_all = [] {
    while (run_slices(0ms)) {
    }
  };
  const TrainingRun run = small_run();
  worker.carry_out({Kind::start, run, few_steps(), as_long_as_needed});
  run_all();
  const auto whole = worker.latest();
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->state, TrainingState::finished);
  EXPECT_EQ(whole->train.size(), 20U);
  // The same run with pauses, single steps and another run in between.
  const TrainingRun again = small_run(TaskKind::reversing, 1);
  worker.carry_out({Kind::prepare, again, few_steps()});
  run_all();
  EXPECT_EQ(worker.latest()->state, TrainingState::paused);
  EXPECT_EQ(worker.latest()->steps, 0);
  worker.carry_out({.kind = Kind::step});
  worker.carry_out({.kind = Kind::step});
  run_all();
  EXPECT_EQ(worker.latest()->steps, 2);
  worker.carry_out({.kind = Kind::resume});
  for (int i = 0; i < 4; ++i) run_slices(0ms);
  worker.carry_out({.kind = Kind::pause});
  worker.carry_out({Kind::start, small_run(TaskKind::copying, 2), endless(), as_long_as_needed});
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(run_slices(0ms)) << "it does not end";
  worker.carry_out({Kind::restore, again, few_steps()});
  run_all();
  ASSERT_EQ(worker.latest()->run, again);
  EXPECT_GE(worker.latest()->steps, 2);
  worker.carry_out({.kind = Kind::resume});
  run_all();
  const auto resumed = worker.latest();
  EXPECT_EQ(resumed->state, TrainingState::finished);
  EXPECT_EQ(parameters_in(*resumed, *resumed->newest), parameters_in(*whole, *whole->newest));
  worker.carry_out({.kind = Kind::suspend});
  EXPECT_EQ(worker.latest(), nullptr);
  run_all();
}

}  // namespace
}  // namespace headscope
