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

void wait_for_stop(const std::atomic<bool>& stop) {
  while (!stop) std::this_thread::sleep_for(1ms);
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
  thread.submit([&](const auto& stop) {
    begun.set_value();
    wait_for_stop(stop);
  });
  begun.get_future().wait();
  for (int i = 0; i < 100; ++i) {
    thread.submit([&, i](const auto& stop) {
      if (stop) return;
      const std::lock_guard lock(mutex);
      done.push_back(i);
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
  for (int i = 0; i < 100; ++i) thread.submit([&done, i](const auto&) { done.push_back(i); });
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
  thread.submit([](const auto&) { throw std::runtime_error("the disk is full"); });
  thread.submit([](const auto&) { throw 3; });
  thread.submit([&](const auto&) { went_on = true; });
  wait_until_idle(thread);
  EXPECT_TRUE(went_on);
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_NE(faults[0].find("the disk is full"), std::string::npos) << faults[0];
}

TEST(JobThreadWorker, CancelStopsWhatRunsAndDropsWhatWaits) {
  std::atomic<int> n_begun = 0;
  std::promise<void> begun;
  JobThread thread(JobThread::Order::every, [](const auto&) {});
  thread.submit([&](const auto& stop) {
    ++n_begun;
    begun.set_value();
    wait_for_stop(stop);
  });
  thread.submit([&](const auto&) { ++n_begun; });
  begun.get_future().wait();
  thread.cancel();
  wait_until_idle(thread);
  EXPECT_EQ(n_begun, 1);
  std::atomic<bool> was_stopped = true;
  thread.submit([&](const auto& stop) { was_stopped = stop.load(); });
  wait_until_idle(thread);
  EXPECT_FALSE(was_stopped) << "the next job begins afresh";
}

TEST(JobThreadWorker, TheDestructorDoesNotWaitForAllThatWaits) {
  std::atomic<int> n_begun = 0;
  {
    std::promise<void> begun;
    JobThread thread(JobThread::Order::every, [](const auto&) {});
    thread.submit([&](const auto& stop) {
      begun.set_value();
      wait_for_stop(stop);
    });
    for (int i = 0; i < 10; ++i) thread.submit([&](const auto&) { ++n_begun; });
    begun.get_future().wait();
  }
  EXPECT_EQ(n_begun, 0);
}

}  // namespace
}  // namespace headscope
