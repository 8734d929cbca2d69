#include "core/tensor/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "core/tensor/aligned_buffer.h"

namespace headscope {
namespace {

TEST(TaskPool, RunsEveryTaskOnce) {
  for (const int n_threads : {1, 2, 5}) {
    TaskPool pool(n_threads);
    EXPECT_EQ(pool.size(), n_threads);
    for (const int n : {0, 1, 2, 3, 16, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(n));
      pool.for_each(n, [&](int i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const auto& count : runs) ASSERT_EQ(count, 1);
    }
  }
}

TEST(TaskPool, ByDefaultHasAsManyThreadsAsTheMachine) {
  EXPECT_GE(TaskPool().size(), 1);
}

TEST(TaskPool, IsDoneWhenItReturns) {
  TaskPool pool(4);
  for (int round = 0; round < 200; ++round) {
    int sum = 0;
    std::vector<int> results(20, 0);
    pool.for_each(20, [&](int i) { results[static_cast<std::size_t>(i)] = i; });
    for (const int result : results) sum += result;
    ASSERT_EQ(sum, 190);
  }
}

TEST(AlignedBuffer, IsAlignedAndAsLargeAsAsked) {
  for (const std::size_t n : {1U, 17U, 1000U}) {
    const AlignedBuffer buffer(n);
    EXPECT_EQ(buffer.size(), n);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
  }
}

TEST(BufferStore, HandsOnWhatFits) {
  BufferStore store;
  AlignedBuffer buffer = store.take(1000);
  const float* address = buffer.data();
  store.give_back(std::move(buffer));
  AlignedBuffer again = store.take(700);
  EXPECT_EQ(again.data(), address);
  EXPECT_GE(again.size(), 700U);
}

TEST(BufferStore, NeverGivesTooLittleNorMoreThanTwice) {
  BufferStore store;
  for (const std::size_t given : {10U, 100U, 1000U, 10000U}) store.give_back(AlignedBuffer(given));
  for (const std::size_t asked : {9U, 30U, 101U, 499U, 600U, 20000U}) {
    const AlignedBuffer buffer = store.take(asked);
    EXPECT_GE(buffer.size(), asked);
    EXPECT_LE(buffer.size(), 2 * asked + 1);
  }
}

}  // namespace
}  // namespace headscope
