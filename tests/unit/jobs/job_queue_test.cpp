#include "core/jobs/job_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <new>
#include <stdexcept>
#include <string>

namespace headscope {
namespace {

std::string refused(const std::string& problem) {
  return "refused: " + problem;
}

TEST(JobQueue, AnswersAJobThatThrowsAndGoesOn) {
  JobQueue<std::string> queue([] {});
  queue.submit([]() -> std::string { throw std::runtime_error("the disk is full"); }, refused);
  queue.submit([]() -> std::string { throw std::bad_alloc(); }, refused);
  queue.submit([] { return std::string("done"); }, refused);
  queue.finish();
  EXPECT_EQ(queue.take(), "refused: unexpected error: the disk is full");
  EXPECT_TRUE(queue.take().value_or("").starts_with("refused: not enough memory"));
  EXPECT_EQ(queue.take(), "done");
  EXPECT_EQ(queue.take(), std::nullopt);
  EXPECT_FALSE(queue.busy());
}

TEST(JobQueue, IsNotBusyWithAJobThatHasNotEvenARefusal) {
  JobQueue<std::string> queue([] {});
  queue.submit([]() -> std::string { throw std::bad_alloc(); },
               [](const auto&) -> std::string { throw std::bad_alloc(); });
  queue.submit([] { return std::string("done"); }, refused);
  queue.finish();
  EXPECT_TRUE(queue.busy());
  EXPECT_EQ(queue.take(), "done");
  EXPECT_FALSE(queue.busy());
}

Slices<std::string> in_thirds(bool throws) {
  for (int i = 1; i < 3; ++i) co_yield i / 3.0;
  if (throws) throw std::runtime_error("the disk is full");
  co_return "done";
}

TEST(JobQueue, SaysHowFarAJobInSlicesIs) {
  using namespace std::chrono_literals;
  const ScopedThreadBan alone;
  JobQueue<std::string> queue([] {});
  queue.submit(in_thirds(false), refused);
  queue.submit(in_thirds(true), refused);
  EXPECT_EQ(queue.share(), 0.0);
  EXPECT_TRUE(run_slices(0ms));
  EXPECT_EQ(queue.share(), 1 / 3.0);
  EXPECT_TRUE(run_slices(0ms));
  EXPECT_EQ(queue.share(), 2 / 3.0);
  EXPECT_EQ(queue.take(), std::nullopt);
  EXPECT_TRUE(run_slices(0ms));
  EXPECT_EQ(queue.take(), "done");
  EXPECT_EQ(queue.share(), 0.0);
  queue.finish();
  EXPECT_EQ(queue.take(), "refused: unexpected error: the disk is full");
}

}  // namespace
}  // namespace headscope
