#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/tasks/task.h"

namespace headscope {

/// Returns a uniformly distributed number in 0 … n − 1 for n > 0. Takes one draw of bits.
inline std::size_t draw_below(RandomStream& random, std::size_t n) {
  return static_cast<std::size_t>(((random.bits() >> 32U) * static_cast<std::uint64_t>(n)) >> 32U);
}

/// Returns true with the given probability.
inline bool draw_chance(RandomStream& random, double probability) {
  return random.uniform() < probability;
}

template <class T>
const T& draw_one(RandomStream& random, const std::vector<T>& from) {
  return from[draw_below(random, from.size())];
}

/// Returns the split of a sentence: one of 16 is held out, selected by a portable hash of its canonical text.
/// That text consists of the lookup texts of its words in order, separated by spaces, without punctuation,
/// placeholders and blanks. For the pronouns, it is canonical_text().
inline Split split_of(std::string_view canonical_text) {
  return RandomStream(0x5EED, canonical_text).bits() % 16 == 0 ? Split::held_out : Split::train;
}

}  // namespace headscope
