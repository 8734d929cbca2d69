#include "core/tensor/hash.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace headscope {
namespace {

// The constants of the specification.
constexpr std::uint64_t prime_1 = 0x9e3779b185ebca87U;
constexpr std::uint64_t prime_2 = 0xc2b2ae3d27d4eb4fU;
constexpr std::uint64_t prime_3 = 0x165667b19e3779f9U;
constexpr std::uint64_t prime_4 = 0x85ebca77c2b2ae63U;
constexpr std::uint64_t prime_5 = 0x27d4eb2f165667c5U;

template <class Number>
Number taken(std::string_view& bytes) {
  Number number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

std::uint64_t round_of(std::uint64_t lane, std::uint64_t input) {
  return std::rotl(lane + input * prime_2, 31) * prime_1;
}

/// Four lanes over all whole blocks.
std::uint64_t hash_of_lanes(std::string_view& bytes, std::uint64_t seed) {
  constexpr std::size_t block = 32;
  std::array<std::uint64_t, 4> lanes{seed + prime_1 + prime_2, seed + prime_2, seed, seed - prime_1};
  while (bytes.size() >= block) {
    for (std::uint64_t& lane : lanes) lane = round_of(lane, taken<std::uint64_t>(bytes));
  }
  std::uint64_t h =
      std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
  for (const std::uint64_t lane : lanes) h = (h ^ round_of(0, lane)) * prime_1 + prime_4;
  return h;
}

}  // namespace

std::uint64_t hash_of_blocks(std::string_view bytes, std::uint64_t seed) {
  const std::uint64_t length = bytes.size();
  std::uint64_t h = length >= 32 ? hash_of_lanes(bytes, seed) : seed + prime_5;
  h += length;
  while (bytes.size() >= 8) {
    h = std::rotl(h ^ round_of(0, taken<std::uint64_t>(bytes)), 27) * prime_1 + prime_4;
  }
  if (bytes.size() >= 4) h = std::rotl(h ^ (taken<std::uint32_t>(bytes) * prime_1), 23) * prime_2 + prime_3;
  while (!bytes.empty()) h = std::rotl(h ^ (taken<std::uint8_t>(bytes) * prime_5), 11) * prime_1;
  h = (h ^ (h >> 33U)) * prime_2;
  h = (h ^ (h >> 29U)) * prime_3;
  return h ^ (h >> 32U);
}

}  // namespace headscope
