#include "core/system/signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

/// How a process ended that was watching for signals and received some.
struct End {
  bool exited = false;
  int code = 0;  ///< the exit code, or the signal
  double seconds = 0.0;
};

/// Runs `work` with a watch in a child process, and sends the signals once `work` reports that it is ready.
template <class Work>
End end_of(const Work& work, int n_signals) {
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ready[0]);
    SignalWatch watch;
    work(watch, [&] { static_cast<void>(::write(ready[1], "x", 1)); });
    std::_Exit(0);
  }
  ::close(ready[1]);  // otherwise read() would wait for a process that ended before it was ready
  char said = 0;
  EXPECT_EQ(::read(ready[0], &said, 1), 1);
  const auto begin = Clock::now();
  for (int i = 0; i < n_signals; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::kill(child, SIGTERM);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  ::close(ready[0]);
  return {WIFEXITED(status), WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), seconds};
}

void work_forever(SignalWatch& watch, const std::filesystem::path& file,
                  const std::function<void()>& say_ready) {
  watch.on_termination([file] { std::ofstream(file) << "rescued"; });
  say_ready();
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

TEST(SignalWatch, AProgramThatIsAskedEndsByItself) {
  const End end = end_of(
      [](SignalWatch& watch, const auto& say_ready) {
        say_ready();
        while (!watch.shutdown_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      },
      1);
  EXPECT_TRUE(end.exited);
  EXPECT_EQ(end.code, 0);
}

TEST(SignalWatch, OneThatDoesNotEndIsRescuedAndEndedWithinTwoSeconds) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "rescued";
  const End end =
      end_of([&](SignalWatch& watch, const auto& say_ready) { work_forever(watch, file, say_ready); }, 1);
  EXPECT_FALSE(end.exited);
  EXPECT_EQ(end.code, SIGTERM);
  EXPECT_LT(end.seconds, 2.0);
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(SignalWatch, ASecondSignalDoesNotWait) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "rescued";
  const End end =
      end_of([&](SignalWatch& watch, const auto& say_ready) { work_forever(watch, file, say_ready); }, 2);
  EXPECT_EQ(end.code, SIGTERM);
  EXPECT_LT(end.seconds, 1.0);
  EXPECT_TRUE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace headscope
