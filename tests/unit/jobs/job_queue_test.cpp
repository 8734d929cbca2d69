#include "core/jobs/job_queue.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace headscope
