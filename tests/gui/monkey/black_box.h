#pragma once

#include <string>

namespace headscope::monkey {

/// Remembers the seed and the last events of a walk, and prints them if the walk fails, even if a signal
/// kills the program or an event takes longer than a minute.
namespace black_box {

/// Call this once, before the first walk.
void watch_signals();
void begin_walk(unsigned seed, int n_events);
void note(std::string event);
/// Prints to standard error how to run the walk again, and the last events with the newest last.
void print();

}  // namespace black_box
}  // namespace headscope::monkey
