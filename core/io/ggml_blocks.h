#pragma once

#include <cstddef>

namespace headscope {

// The blocks in which ggml stores quantised numbers. Each function converts blocks that lie one after
// another, at any address, to floats, and rounds exactly as ggml's own reference functions do. The layouts
// are those of ggml-common.h; all numbers in them are little-endian.

/// Blocks of 32 numbers: a scale d, for q4_1 and q5_1 a least number m, and 4 or 5 bits for each number.
void q4_0_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
void q4_1_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
void q5_0_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
void q5_1_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
/// Blocks of 32 numbers: a scale, and a byte with a sign for each number.
void q8_0_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
/// Blocks of 32 numbers: a scale, and for each number 4 bits that choose one of 16 unevenly spaced steps.
void iq4_nl_to_floats(const std::byte* from, std::size_t n_blocks, float* to);

/// Blocks of 256 numbers, whose parts of 16 or 32 have scales of their own, which are multiples of the
/// block's.
void q2_k_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
void q3_k_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
void q4_k_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
void q5_k_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
void q6_k_to_floats(const std::byte* from, std::size_t n_blocks, float* to);

/// A type of blocks: how many numbers a block has, and in how many bytes.
struct BlockSize {
  std::size_t numbers = 1;
  std::size_t bytes = 0;
};
inline constexpr BlockSize q4_0_block{32, 18}, q4_1_block{32, 20}, q5_0_block{32, 22}, q5_1_block{32, 24},
    q8_0_block{32, 34}, iq4_nl_block{32, 18}, q2_k_block{256, 84}, q3_k_block{256, 110}, q4_k_block{256, 144},
    q5_k_block{256, 176}, q6_k_block{256, 210};

}  // namespace headscope
