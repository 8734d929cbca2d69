#pragma once

#include <array>
#include <cstddef>

namespace headscope {

// Dequantisation of ggml blocks. Each function converts consecutive blocks, at any alignment, to floats,
// bit-identical to ggml's reference functions. Layouts are those of ggml-common.h, little-endian.

/// Blocks of 32 numbers: a scale d, for q4_1 and q5_1 a minimum m, and 4 or 5 bits per number.
void q4_0_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
void q4_1_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
void q5_0_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
void q5_1_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
/// Blocks of 32 numbers: a scale, and a signed byte per number.
void q8_0_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
/// Blocks of 32 numbers: a scale, and 4 bits per number that index 16 non-uniform levels.
void iq4_nl_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
/// Blocks of 32 numbers: an exponent e, and for each number 4 bits that choose one of fp4_steps, all times
/// 2^(e − 127).
void mxfp4_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
/// The numbers that 4 bits stand for in the format E2M1 (OCP Microscaling Formats 1.0).
inline constexpr std::array<float, 16> fp4_steps{0.0F,  0.5F,  1.0F,  1.5F,  2.0F,  3.0F,  4.0F,  6.0F,
                                                 -0.0F, -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F};

/// Super-blocks of 256 numbers, whose sub-blocks of 16 or 32 have their own scales, quantised relative to the
/// super-block's.
void q2_k_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
void q3_k_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
void q4_k_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
void q5_k_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
void q6_k_to_floats(const std::byte* from, std::size_t n_blocks, float* to);
/// The same, with the steps of iq4_nl.
void iq4_xs_to_floats(const std::byte* from, std::size_t n_blocks, float* to);

/// The size of a block: how many numbers in how many bytes.
struct BlockSize {
  std::size_t numbers = 1;
  std::size_t bytes = 0;
};
inline constexpr BlockSize q4_0_block{32, 18}, q4_1_block{32, 20}, q5_0_block{32, 22}, q5_1_block{32, 24},
    q8_0_block{32, 34}, iq4_nl_block{32, 18}, mxfp4_block{32, 17}, iq4_xs_block{256, 136},
    q2_k_block{256, 84}, q3_k_block{256, 110}, q4_k_block{256, 144}, q5_k_block{256, 176},
    q6_k_block{256, 210};

}  // namespace headscope
