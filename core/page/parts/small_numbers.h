#pragma once

#include <random>

#include "core/tensor/matrix.h"

namespace headscope {

/// What a head that is computed by hand starts from.
struct SmallNumbers {
  Matrix input, w_query, w_key, w_value;
};

/// Fills the matrices with whole numbers from −2 to 3 that make a good exercise: no scaled score is beyond
/// ±3, no row gives nearly the same weight to all tokens or nearly all of it to one, and no dimension of the
/// values is always 0. Gives up after many draws and keeps the last one.
void draw_small_numbers(SmallNumbers& numbers, std::mt19937& generator);

/// Whether numbers fulfil the conditions of draw_small_numbers().
bool are_worth_computing(const SmallNumbers& numbers);

}  // namespace headscope
