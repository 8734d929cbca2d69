#include "core/tensor/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/tensor/aligned_buffer.h"

namespace headscope {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const int n_threads : {1, 2, 5}) {
    ThreadPool pool(n_threads);
    EXPECT_EQ(pool.size(), n_threads);
    for (const int n : {0, 1, 2, 3, 16, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(n));
      pool.for_each(n, [&](int i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const auto& count : runs) ASSERT_EQ(count, 1);
    }
  }
}

TEST(ThreadPool, ByDefaultHasAsManyThreadsAsTheMachine) {
  EXPECT_GE(ThreadPool().size(), 1);
}

TEST(ThreadPool, IsDoneWhenItReturns) {
  ThreadPool pool(4);
  for (int round = 0; round < 200; ++round) {
    int sum = 0;
    std::vector<int> results(20, 0);
    pool.for_each(20, [&](int i) { results[static_cast<std::size_t>(i)] = i; });
    for (const int result : results) sum += result;
    ASSERT_EQ(sum, 190);
  }
}

TEST(ThreadPool, ThrowsInTheCallerWhatATaskThrew) {
  for (const int n_threads : {1, 2, 4}) {
    ThreadPool pool(n_threads);
    constexpr int n = 40;
    for (int round = 0; round < 400; ++round) {
      const int bad = round % n;
      std::vector<std::atomic<int>> runs(n);
      std::string caught;
      try {
        pool.for_each(n, [&](int i) {
          ++runs[static_cast<std::size_t>(i)];
          if (i == bad) throw std::runtime_error(std::to_string(i));
        });
      } catch (const std::runtime_error& error) {
        caught = error.what();
      }
      ASSERT_EQ(caught, std::to_string(bad));
      for (const auto& count : runs) ASSERT_LE(count, 1);
    }
    std::atomic<int> sum{0};
    pool.for_each(n, [&](int i) { sum += i; });
    EXPECT_EQ(sum, n * (n - 1) / 2) << "the pool works on after exceptions";
  }
}

TEST(ThreadPool, WaitsForTheOthersWhereEveryTaskThrows) {
  ThreadPool pool(4);
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> under_way{0};
    const auto task = [&](int i) {
      ++under_way;
      if (i % 2 == 1) std::this_thread::sleep_for(std::chrono::microseconds(50));
      --under_way;
      throw std::bad_alloc();
    };
    ASSERT_THROW(pool.for_each(8, task), std::bad_alloc);
    ASSERT_EQ(under_way, 0);
  }
}

TEST(AlignedBuffer, IsAlignedAndAsLargeAsAsked) {
  for (const std::size_t n : {1U, 17U, 1000U}) {
    const AlignedBuffer buffer(n);
    EXPECT_EQ(buffer.size(), n);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
  }
}

TEST(ThreadPool, ALoopDoesNotWaitForThreadsThatWaitForItsCaller) {
  ThreadPool pool(2);
  std::atomic<int> n_waiting = 0;
  std::atomic<bool> is_over = false;
  std::thread other([&] {
    pool.for_each(2, [&](int) {
      ++n_waiting;
      while (!is_over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  });
  while (n_waiting < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::atomic<int> n_done = 0;
  pool.for_each(10, [&](int) { ++n_done; });
  EXPECT_EQ(n_done, 10);
  is_over = true;
  other.join();
}

TEST(ThreadPool, ALoopInATaskRunsOnItsThread) {
  std::atomic<int> n_done = 0;
  shared_pool().for_each(8, [&](int) {
    const auto thread = std::this_thread::get_id();
    shared_pool().for_each(8, [&](int) { n_done += std::this_thread::get_id() == thread ? 1 : 0; });
  });
  EXPECT_EQ(n_done, 64);
}

TEST(BufferPool, HandsOnWhatFits) {
  BufferPool store;
  AlignedBuffer buffer = store.take(1000);
  const float* address = buffer.data();
  store.release(std::move(buffer));
  AlignedBuffer again = store.take(700);
  EXPECT_EQ(again.data(), address);
  EXPECT_GE(again.size(), 700U);
}

TEST(BufferPool, NeverGivesTooLittleNorMoreThanTwice) {
  BufferPool store;
  for (const std::size_t given : {10U, 100U, 1000U, 10000U}) store.release(AlignedBuffer(given));
  for (const std::size_t asked : {9U, 30U, 101U, 499U, 600U, 20000U}) {
    const AlignedBuffer buffer = store.take(asked);
    EXPECT_GE(buffer.size(), asked);
    EXPECT_LE(buffer.size(), 2 * asked + 1);
  }
}

}  // namespace
}  // namespace headscope
