#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

namespace headscope {

/// Runs `work` repeatedly in a child process and kills it at a random moment within `max_microseconds`,
/// without cleanup. `work` must not need threads.
template <class Work>
void run_and_kill(const Work& work, int max_microseconds, std::mt19937& random) {
  const pid_t child = ::fork();
  if (child < 0) {
    ADD_FAILURE() << "no process could be started";
    return;
  }
  if (child == 0) {
    for (;;) work();
  }
  std::uniform_int_distribution<useconds_t> moment(0, static_cast<useconds_t>(max_microseconds));
  ::usleep(moment(random));
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
}

}  // namespace headscope
