#include "core/engine/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

#include "core/jobs/job_thread.h"
#include "tests/unit/engine/passes.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// A worker, and a way to wait for what it publishes.
class Office {
 public:
  Worker& worker() { return worker_; }

  /// Waits for the complete outcome of `request` to become the latest. Null after a long wait.
  std::shared_ptr<const Outcome> await(const Request& request) {
    std::unique_lock lock(mutex_);
    const auto is_there = [&] {
      const auto latest = worker_.latest();
      return latest && latest->request == request && (!latest->trace || latest->trace->complete());
    };
    return ready_.wait_for(lock, 60s, is_there) ? worker_.latest() : nullptr;
  }
  int publications() const {
    const std::lock_guard lock(mutex_);
    return publications_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  int publications_ = 0;
  Worker worker_{[this] {
                   const std::lock_guard lock(mutex_);
                   ++publications_;
                   ready_.notify_all();
                 },
                 2};
};

/// A pass that takes long compared with the others.
Request slow_request(int variant) {
  Request request = request_for(words(700), 256, 8);
  request.architecture.seed = static_cast<std::uint64_t>(variant);
  return request;
}

TEST(Worker, HasNothingBeforeTheFirstPass) {
  Office office;
  EXPECT_EQ(office.worker().latest(), nullptr);
  EXPECT_FALSE(office.worker().busy());
}

TEST(Worker, PublishesATraceWithItsRequest) {
  Office office;
  const Request request = request_for("to be or not", 16, 2);
  office.worker().submit(request);
  const auto outcome = office.await(request);
  ASSERT_TRUE(outcome);
  ASSERT_TRUE(outcome->trace);
  EXPECT_EQ(outcome->trace->n_tokens(), 4);
  EXPECT_TRUE(outcome->error.empty());
}

TEST(Worker, PublishesErrorsAndGoesOn) {
  Office office;
  office.worker().submit(request_for("", 16, 2));
  const auto empty = office.await(request_for("", 16, 2));
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->trace, nullptr);
  EXPECT_NE(empty->error.find("no words"), std::string::npos);
  const Request good = request_for("word", 16, 2);
  office.worker().submit(good);
  const auto outcome = office.await(good);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->trace);
}

TEST(Worker, AnswersWhatItCouldNotFinishWithAnError) {
  std::atomic<int> n_calls = 0;
  Worker worker([&] {
    if (n_calls++ == 0) throw std::bad_alloc();
  });
  const Request first = request_for("one two", 16, 2);
  const Request second = request_for("three four", 16, 2);
  worker.submit({first, second});
  const auto begin = Clock::now();
  while (worker.busy() && Clock::now() - begin < 60s) std::this_thread::sleep_for(1ms);
  ASSERT_FALSE(worker.busy());
  const auto outcome = worker.outcome(second);
  ASSERT_TRUE(outcome);
  EXPECT_NE(outcome->error.find("not enough memory"), std::string::npos);
  const Request third = request_for("five six", 16, 2);
  worker.submit(third);
  while (worker.busy() && Clock::now() - begin < 60s) std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(worker.outcome(third));
  EXPECT_TRUE(worker.outcome(third)->trace);
}

TEST(Worker, TheLatestWins) {
  Office office;
  for (int i = 0; i < 20; ++i) office.worker().submit(slow_request(i));
  const Request last = request_for("the last word", 16, 2);
  office.worker().submit(last);
  const auto outcome = office.await(last);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->trace);
  EXPECT_LT(office.publications(), 20) << "stale passes give up";
  while (office.worker().busy()) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(office.worker().latest()->request, last) << "nothing older comes after it";
}

TEST(Worker, SubmittingDoesNotWait) {
  Office office;
  office.worker().submit(slow_request(0));
  std::this_thread::sleep_for(5ms);
  const auto start = Clock::now();
  for (int i = 1; i < 100; ++i) {
    office.worker().submit(slow_request(i));
    office.worker().latest();
    office.worker().busy();
  }
  // A single one of these passes takes far longer than this.
  EXPECT_LT(Clock::now() - start, 100 * 5ms);
}

TEST(Worker, TheSameRequestTwiceIsComputedOnce) {
  Office office;
  const Request request = request_for("once", 16, 2);
  office.worker().submit(request);
  const auto first = office.await(request);
  office.worker().submit(request);
  EXPECT_FALSE(office.worker().busy());
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(office.worker().latest(), first);
  EXPECT_EQ(office.publications(), 1);
}

TEST(Worker, GoingBackToTheFirstRequestComputesIt) {
  Office office;
  const Request a = slow_request(1);
  const Request b = request_for("between", 16, 2);
  office.worker().submit(a);
  office.worker().submit(b);
  office.worker().submit(a);
  const auto outcome = office.await(a);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->trace);
}

TEST(Worker, IsIdleOnceItHasPublished) {
  Office office;
  const Request request = request_for("idle", 16, 2);
  office.worker().submit(request);
  ASSERT_TRUE(office.await(request));
  EXPECT_FALSE(office.worker().busy());
}

TEST(Worker, KeepsThePassesThatAreWanted) {
  Office office;
  const Request a = request_for("one sentence", 16, 2);
  const Request b = request_for("another sentence", 16, 2);
  office.worker().submit({a, b, a});
  while (office.worker().busy()) std::this_thread::sleep_for(1ms);
  const auto first = office.worker().outcome(a);
  const auto second = office.worker().outcome(b);
  ASSERT_TRUE(first && first->trace && second && second->trace);
  EXPECT_EQ(office.worker().latest(), first);
  EXPECT_EQ(second->request, b);

  office.worker().submit({b, a});
  EXPECT_FALSE(office.worker().busy()) << "both are there";
  EXPECT_EQ(office.worker().latest(), second);
  EXPECT_EQ(office.worker().outcome(a), first);
  EXPECT_EQ(office.publications(), 2);

  office.worker().submit(a);
  EXPECT_EQ(office.worker().outcome(b), nullptr) << "it is wanted no more";
  EXPECT_EQ(office.worker().latest(), first);
}

TEST(Worker, WhatIsWantedFirstDoesNotWaitForTheOthers) {
  Office office;
  const Request slow = slow_request(1);
  office.worker().submit({request_for("one", 16, 2), slow});
  ASSERT_TRUE(office.await(request_for("one", 16, 2)));
  const Request next = request_for("two", 16, 2);
  office.worker().submit({next, slow});
  ASSERT_TRUE(office.await(next));
  while (office.worker().busy()) std::this_thread::sleep_for(1ms);
  const auto outcome = office.worker().outcome(slow);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->trace && outcome->trace->complete());
}

TEST(Worker, CanGoWhileBusy) {
  for (int i = 0; i < 20; ++i) {
    Worker worker(nullptr, 2);
    worker.submit(slow_request(i));
    if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(i));
  }
}

TEST(Worker, AnOutcomeOutlivesIt) {
  std::shared_ptr<const Outcome> outcome;
  const Request request = request_for("it stays", 16, 2);
  {
    Office office;
    office.worker().submit(request);
    outcome = office.await(request);
  }
  ASSERT_TRUE(outcome);
  EXPECT_EQ(stage(*outcome->trace, StageKind::weights, 1).rows, 2);
}

TEST(Worker, AnyThreadMayReadATrace) {
  Office office;
  const Request request = request_for(words(30), 64, 4);
  office.worker().submit(request);
  const auto outcome = office.await(request);
  ASSERT_TRUE(outcome);
  std::vector<std::thread> readers;
  std::atomic<int> n_cells{0};
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      for (int head = 0; head < 4; ++head) {
        n_cells += static_cast<int>(numbers(stage(*outcome->trace, StageKind::contribution, head)).size());
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(n_cells, 4 * 4 * 30 * 64);
}

TEST(Worker, WithoutThreadsComputesTheSamePassesInSlices) {
  const Request request = slow_request(1);
  Engine engine;
  const auto expected = engine.compute(request);
  ASSERT_TRUE(expected);
  const ScopedThreadBan alone;
  int n_ready = 0;
  Worker worker([&] { ++n_ready; });
  worker.submit(slow_request(2));
  EXPECT_TRUE(run_slices(0ms)) << "one layer";
  worker.submit(request);
  worker.submit({request, slow_request(3)});
  int n_slices = 0;
  while (run_slices(0ms)) ++n_slices;
  EXPECT_GE(n_slices, 2 * request.architecture.n_layers);
  EXPECT_FALSE(worker.busy());
  EXPECT_GE(n_ready, 2);
  EXPECT_EQ(worker.outcome(slow_request(2)), nullptr) << "it is no longer wanted";
  EXPECT_NE(worker.outcome(slow_request(3)), nullptr);
  const auto found = worker.latest();
  ASSERT_TRUE(found && found->trace && found->trace->complete()) << (found ? found->error : "");
  const StageId last{.kind = StageKind::stack_output, .stack = request.architecture.last_stack()};
  const MatrixView a = found->trace->value(last);
  const MatrixView b = (*expected)->value(last);
  ASSERT_EQ(a.rows, b.rows);
  for (int row = 0; row < a.rows; ++row)
    EXPECT_TRUE(std::ranges::equal(a.row(row), b.row(row))) << "to the last bit, in row " << row;
}

}  // namespace
}  // namespace headscope
