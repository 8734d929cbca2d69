#pragma once

#include <string>

namespace headscope::monkey {

/// Records the seed and the last events of a walk, and prints them if it fails, even on a fatal signal or if
/// an event takes longer than a minute.
namespace black_box {

/// Call this once, before the first walk.
void watch_signals();
void begin_walk(unsigned seed, int n_events);
void note(std::string event);
/// Prints to standard error how to reproduce the walk, and its last events, newest last.
void print();

}  // namespace black_box
}  // namespace headscope::monkey
