#pragma once

#include <random>

#include "core/tensor/matrix.h"

namespace headscope {

/// What a head that is computed by hand starts from.
struct SmallNumbers {
  Matrix input, w_query, w_key, w_value;
};

/// Draws whole numbers from −2 to 3 of the sizes of `numbers` with which a pencil is worth the work: no
/// scaled score is beyond ±3, no row gives nearly the same weight to all tokens or nearly all of it to one,
/// and the values of every dimension differ from 0 somewhere. Gives up after many draws, and keeps the last
/// one.
void draw_small_numbers(SmallNumbers& numbers, std::mt19937& generator);

/// Whether numbers are as draw_small_numbers() wants them.
bool are_worth_computing(const SmallNumbers& numbers);

}  // namespace headscope
