#include "core/jobs/result_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// Counts up to n in n slices, and holds `held` meanwhile.
struct Count {
  int n = 0;
  std::string what = {};
  std::shared_ptr<int> held = {};
  bool operator==(const Count&) const = default;

  using Answer = int;
  std::string slot() const { return what; }
  Slices<Result<int>> answer() const {
    for (int i = 1; i <= n; ++i) co_yield static_cast<double>(i) / n;
    if (n > 100) co_return failure("that is too far");
    if (n < 0) throw std::runtime_error("backwards");
    co_return n;
  }
};

struct Square {
  int n = 0;
  bool operator==(const Square&) const = default;

  using Answer = int;
  int stand_in() const { return n % 2; }
  int answer() const { return n * n; }
};

/// Takes until it is stopped.
struct Endless {
  std::shared_ptr<std::atomic<bool>> has_begun;
  bool operator==(const Endless&) const = default;

  using Answer = int;
  int answer(const std::atomic<bool>& stop) const {
    *has_begun = true;
    while (!stop) std::this_thread::yield();
    return 1;
  }
};

template <Lifetime of>
struct Living {
  int n = 0;
  bool operator==(const Living&) const = default;

  using Answer = int;
  static constexpr Lifetime life = of;
  int answer() const { return n; }
};

class ResultCacheTest : public testing::Test {
 protected:
  template <class Question>
  auto ask(const Question& question) {
    return cache_.get(question, [this](Job job) { jobs_.push_back(std::move(job)); });
  }
  void run_all() {
    for (const Job& job : std::exchange(jobs_, {}))
      while (job()) ++n_slices_;
  }

  ResultCache cache_;
  std::vector<Job> jobs_;
  int n_slices_ = 0;
};

TEST_F(ResultCacheTest, AQuestionIsAnsweredOnce) {
  EXPECT_EQ(ask(Count{3}), nullptr);
  EXPECT_EQ(ask(Count{3}), nullptr);
  ASSERT_EQ(jobs_.size(), 1U);
  EXPECT_TRUE(jobs_.front()());
  EXPECT_EQ(cache_.share_of(Count{3}), 1.0 / 3.0);
  EXPECT_EQ(cache_.share_of(Count{4}), std::nullopt);
  EXPECT_EQ(cache_.ready_result(Count{3}), nullptr);
  run_all();
  EXPECT_EQ(n_slices_, 2);
  EXPECT_EQ(cache_.share_of(Count{3}), std::nullopt) << "it is finished";
  ASSERT_NE(ask(Count{3}), nullptr);
  EXPECT_EQ(**ask(Count{3}), 3);
  EXPECT_TRUE(jobs_.empty());
  EXPECT_EQ(*cache_.now(Square{5}), 25);
  EXPECT_EQ(**ask(Square{5}), 25);
}

TEST_F(ResultCacheTest, AnErrorIsAResult) {
  ask(Count{101});
  run_all();
  EXPECT_EQ(ask(Count{101})->error().message, "that is too far");
  EXPECT_EQ(cache_.error_of<Count>()->message, "that is too far");
  EXPECT_EQ(cache_.now(Count{-1}).error().message, "unexpected error: backwards");
  EXPECT_EQ(*cache_.now(Count{2}), 2);
  EXPECT_EQ(cache_.error_of<Count>(), nullptr);
}

TEST_F(ResultCacheTest, ANewQuestionEndsTheOneInItsPlace) {
  ask(Count{10});
  jobs_.front()();
  ask(Count{20});
  ask(Count{5, "elsewhere"});
  EXPECT_FALSE(jobs_.front()()) << "nobody wants it";
  EXPECT_EQ(cache_.last<Count>()->n, 20);
  run_all();
  EXPECT_EQ(cache_.ready_result(Count{10}), nullptr);
  EXPECT_EQ(**cache_.ready_result(Count{20}), 20);
  EXPECT_EQ(**cache_.ready_result(Count{5, "elsewhere"}), 5) << "has a place of its own";
  cache_.drop(Count{20});
  EXPECT_EQ(cache_.ready_result(Count{20}), nullptr);
}

TEST_F(ResultCacheTest, AThreadAnswersAndEndsWhatIsNotWantedAnyMore) {
  JobThread thread(JobThread::Order::every, [](const auto&) {});
  const auto run = [&](Job job) { thread.submit(std::move(job)); };
  const Endless endless{std::make_shared<std::atomic<bool>>(false)};
  EXPECT_EQ(cache_.get(endless, run), nullptr);
  while (!*endless.has_begun) std::this_thread::yield();
  cache_.drop(endless);
  EXPECT_EQ(cache_.get(Count{100}, run), nullptr);
  while (cache_.get(Count{100}, run) == nullptr) cache_.share_of(Count{100});
  EXPECT_EQ(**cache_.get(Count{100}, run), 100);
  EXPECT_EQ(cache_.ready_result(endless), nullptr);
  thread.finish();
}

TEST_F(ResultCacheTest, AnEarlierAnswerStandsInForOneThatIsComing) {
  ask(Square{2});
  run_all();
  EXPECT_EQ(**ask(Square{4}), 4) << "of the square of 2, which may stand in for an even number";
  EXPECT_EQ(cache_.ready_result(Square{4}), nullptr);
  EXPECT_EQ(**ask(Square{6}), 4) << "still the last answer that there is";
  EXPECT_EQ(ask(Square{3}), nullptr);
  run_all();
  EXPECT_EQ(**ask(Square{3}), 9);
}

TEST_F(ResultCacheTest, DropsWhatNobodyAskedForWhenItsLifeEnds) {
  const auto held = std::make_shared<int>(1);
  const auto is_known = [&](const auto& question) { return cache_.ready_result(question) != nullptr; };
  const auto ask_all = [&] {
    cache_.now(Count{1, "", held});
    cache_.now(Living<Lifetime::view>{});
    cache_.now(Living<Lifetime::session>{});
  };
  ask_all();
  cache_.mark_all_unused();
  cache_.drop_unused(Lifetime::view);
  EXPECT_TRUE(is_known(Count{1, "", held}));
  EXPECT_FALSE(is_known(Living<Lifetime::view>{}));
  cache_.drop_unused(Lifetime::pass);
  EXPECT_EQ(held.use_count(), 1) << "with all that the question held";
  EXPECT_TRUE(is_known(Living<Lifetime::session>{}));
  ask_all();
  cache_.mark_all_unused();
  ask_all();
  cache_.drop_unused(Lifetime::pass);
  cache_.drop_unused(Lifetime::pass);
  EXPECT_TRUE(is_known(Count{1, "", held}) && is_known(Living<Lifetime::view>{}));
}

TEST_F(ResultCacheTest, WhatIsDroppedIsReleasedOnceItsSliceEnds) {
  const auto held = std::make_shared<int>(1);
  ask(Count{10, "", held});
  jobs_.front()();
  cache_.mark_all_unused();
  cache_.drop_unused(Lifetime::pass);
  EXPECT_EQ(held.use_count(), 2) << "the job has the question still";
  run_all();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(n_slices_, 0);
}

/// Passes of a long text follow each other faster than anybody asks.
TEST_F(ResultCacheTest, AStandInSurvivesPassesThatNobodyAskedAbout) {
  ask(Square{2});
  run_all();
  for (int i = 0; i < 3; ++i) cache_.mark_all_unused();
  EXPECT_EQ(**ask(Square{4}), 4);
  cache_.drop_unused(Lifetime::pass);
  EXPECT_EQ(**ask(Square{4}), 4);
}

}  // namespace
}  // namespace headscope
