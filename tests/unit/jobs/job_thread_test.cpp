#include "core/jobs/job_thread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace headscope {
namespace {

using namespace std::chrono_literals;

bool wait_for_stop(const std::atomic<bool>& stop) {
  while (!stop) std::this_thread::sleep_for(1ms);
  return false;
}

void wait_until_idle(const JobThread& thread) {
  const auto begin = std::chrono::steady_clock::now();
  while (thread.busy() && std::chrono::steady_clock::now() - begin < 60s) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(thread.busy());
}

TEST(JobThreadWorker, TheNewestJobTakesThePlaceOfThoseBeforeIt) {
  std::mutex mutex;
  std::vector<int> done;
  std::promise<void> begun;
  JobThread thread(JobThread::Order::newest, [](const auto&) {});
  thread.submit([&] {
    begun.set_value();
    return wait_for_stop(thread.stop());
  });
  begun.get_future().wait();
  for (int i = 0; i < 100; ++i) {
    thread.submit([&, i] {
      const std::lock_guard lock(mutex);
      done.push_back(i);
      return false;
    });
  }
  wait_until_idle(thread);
  ASSERT_FALSE(done.empty());
  EXPECT_EQ(done.back(), 99) << "the last one is always carried out";
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
}

TEST(JobThreadWorker, EveryJobIsCarriedOutInOrder) {
  std::vector<int> done;
  JobThread thread(JobThread::Order::every, [](const auto&) {});
  for (int i = 0; i < 100; ++i) {
    thread.submit([&done, i] {
      done.push_back(i);
      return false;
    });
  }
  wait_until_idle(thread);
  ASSERT_EQ(done.size(), 100U);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
}

TEST(JobThreadWorker, WhatAJobThrowsEndsThatJobAlone) {
  std::mutex mutex;
  std::vector<std::string> faults;
  std::atomic<bool> went_on = false;
  JobThread thread(JobThread::Order::every, [&](const std::string& what) {
    const std::lock_guard lock(mutex);
    faults.push_back(what);
  });
  thread.submit([]() -> bool { throw std::runtime_error("the disk is full"); });
  thread.submit([]() -> bool { throw 3; });
  thread.submit([&] {
    went_on = true;
    return false;
  });
  wait_until_idle(thread);
  EXPECT_TRUE(went_on);
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_NE(faults[0].find("the disk is full"), std::string::npos) << faults[0];
}

TEST(JobThreadWorker, CancelStopsWhatRunsAndDropsWhatWaits) {
  std::atomic<int> n_begun = 0;
  std::promise<void> begun;
  JobThread thread(JobThread::Order::every, [](const auto&) {});
  const auto count = [&] {
    ++n_begun;
    return false;
  };
  thread.submit([&] {
    ++n_begun;
    begun.set_value();
    return wait_for_stop(thread.stop());
  });
  thread.submit(count);
  begun.get_future().wait();
  thread.cancel();
  wait_until_idle(thread);
  EXPECT_EQ(n_begun, 1);
  std::atomic<bool> was_stopped = true;
  thread.submit([&] {
    was_stopped = thread.stop().load();
    return false;
  });
  wait_until_idle(thread);
  EXPECT_FALSE(was_stopped) << "the next job begins afresh";
}

TEST(JobThreadWorker, TheDestructorDoesNotWaitForAllThatWaits) {
  std::atomic<int> n_begun = 0;
  {
    std::promise<void> begun;
    JobThread thread(JobThread::Order::every, [](const auto&) {});
    thread.submit([&] {
      begun.set_value();
      return wait_for_stop(thread.stop());
    });
    for (int i = 0; i < 10; ++i) {
      thread.submit([&] {
        ++n_begun;
        return false;
      });
    }
    begun.get_future().wait();
  }
  EXPECT_EQ(n_begun, 0);
}

TEST(JobThreadWorker, AJobIsCalledUntilNothingIsLeftOfIt) {
  int n_slices = 0;
  JobThread thread(JobThread::Order::every, [](const auto&) {});
  thread.submit([&] { return ++n_slices < 1000; });
  thread.finish();
  EXPECT_EQ(n_slices, 1000);
}

TEST(JobThreadWorker, WithoutThreadsJobsTakeTurnsInSlices) {
  const ScopedThreadBan alone;
  const std::thread::id here = std::this_thread::get_id();
  std::vector<int> order;
  const auto job = [&](int name, int n) {
    return [&order, here, name, n]() mutable {
      EXPECT_EQ(std::this_thread::get_id(), here);
      order.push_back(name);
      return --n > 0;
    };
  };
  JobThread first(JobThread::Order::every, [](const auto&) {});
  JobThread second(JobThread::Order::newest, [](const auto&) {});
  first.submit(job(1, 3));
  first.submit(job(2, 1));
  second.submit(job(3, 2));
  second.submit(job(4, 2));
  EXPECT_TRUE(order.empty()) << "nothing happens outside of run_slices()";
  EXPECT_TRUE(first.busy() && second.busy());
  while (run_slices(0ms)) {
  }
  EXPECT_EQ(order, (std::vector{1, 4, 1, 4, 1, 2})) << "in turn as long as both have work";
  EXPECT_FALSE(first.busy() || second.busy());
}

TEST(JobThreadWorker, WithoutThreadsASliceMayEndThreadsAndThrow) {
  const ScopedThreadBan alone;
  std::vector<std::string> faults;
  auto ended = std::make_unique<JobThread>(JobThread::Order::every, [](const auto&) {});
  JobThread thread(JobThread::Order::every, [&](const std::string& what) { faults.push_back(what); });
  ended->submit([] { return true; });
  thread.submit([&] {
    ended.reset();
    return false;
  });
  thread.submit([]() -> bool { throw std::runtime_error("the disk is full"); });
  for (int i = 0; i < 100 && run_slices(1ms); ++i) {
  }
  EXPECT_FALSE(run_slices(1ms));
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(faults[0].find("the disk is full"), std::string::npos);
}

}  // namespace
}  // namespace headscope
