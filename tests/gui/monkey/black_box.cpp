#include "tests/gui/monkey/black_box.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>

namespace headscope::monkey::black_box {
namespace {

constexpr std::size_t n_kept = 24;
constexpr unsigned patience = 60;  // the seconds that an event may take

struct Walk {
  unsigned seed = 0;
  int n_events = 0;
  std::size_t n_noted = 0;
  std::array<std::string, n_kept> last;
};

Walk& walk() {
  static Walk the_walk;
  return the_walk;
}

void on_signal(int number) {
  std::fprintf(stderr, "# %s\n",
               number == SIGALRM ? "the last event took longer than a minute" : "killed by a signal");
  print();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

void watch_signals() {
  for (const int number : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGALRM}) std::signal(number, on_signal);
}

void begin_walk(unsigned seed, int n_events) {
  walk() = {seed, n_events, 0, {}};
  alarm(patience);
}

void note(std::string event) {
  Walk& now = walk();
  now.last[now.n_noted % n_kept] = std::move(event);
  ++now.n_noted;
  alarm(patience);
}

void print() {
  const Walk& now = walk();
  std::fprintf(stderr,
               "# Again: HEADSCOPE_MONKEY_SEED=%u HEADSCOPE_MONKEY_EVENTS=%d\n# The last of %zu events:\n",
               now.seed, now.n_events, now.n_noted);
  const std::size_t first = now.n_noted > n_kept ? now.n_noted - n_kept : 0;
  for (std::size_t i = first; i < now.n_noted; ++i) {
    std::fprintf(stderr, "# %6zu %s\n", i, now.last[i % n_kept].c_str());
  }
}

}  // namespace headscope::monkey::black_box
