#pragma once

#include <string>

namespace headscope::monkey {

/// Remembers the seed and the last events of a walk, and prints them where the walk fails: also when the
/// program is killed by a signal or an event takes longer than a minute.
namespace black_box {

/// Once, before the first walk.
void watch_signals();
void begin_walk(unsigned seed, int n_events);
void note(std::string event);
/// How to run the walk again, and the last events, newest last, to standard error.
void print();

}  // namespace black_box
}  // namespace headscope::monkey
