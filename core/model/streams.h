#pragma once

#include <cstddef>

#include "core/model/linear.h"

namespace headscope {

// The operations of models whose layers compute one of several streams of rows, and predict and correct the
// others (AltUp: Baykal et al. 2023, “Alternating Updates for Efficient Transformers”, as in Gemma 3n). Rows
// of streams [T, n · D] hold all but the first. All outputs are contiguous.

/// Keeps the root of a row of zeros from being 0, as in the code of Gemma 3n.
inline constexpr double min_mean_square = 1e-5;

/// The mean of the squares of n numbers.
double mean_square(const float* x, std::size_t n);

/// Each part of a row, made as large as the row of `model` [T, D]: times the ratio of their root mean
/// squares.
void as_large(const MatrixView& parts, const MatrixView& model, float* out);

/// What the coefficients [T, (n + 1)²] predict of streams `first` to `last` − 1 from all of them, x [T, D]
/// being the first: stream i + Σ_j c[i (n + 1) + j] · stream j.
void predict_streams(const MatrixView& x, const MatrixView& others, const MatrixView& coefficients, int first,
                     int last, float* out);

/// The parts of `predicted` plus (computed − first) times 1 + the coefficient of their stream, the first part
/// being that of stream `index`. `first` [T, D] is the prediction of the stream that was computed.
void correct_streams(const MatrixView& predicted, const MatrixView& first, const MatrixView& computed,
                     const MatrixView& coefficients, int index, float* out);

/// Adds a row of `x` [T, D] to each part of a row.
void add_to_streams(const MatrixView& parts, const MatrixView& x, float* out);

/// The mean of a row of `x` [T, D] and all parts.
void mean_of_streams(const MatrixView& x, const MatrixView& parts, float* out);

/// Each part of a row times its own columns of the weights [D, n · D].
void multiply_streams(const MatrixView& parts, const Linear& linear, float* out, ThreadPool& pool);

/// x · W with the numbers of W limited to ±`limit`; 0 for no limit.
void multiply_limited(const MatrixView& x, const Linear& linear, float limit, float* out);

/// Each number less its row's quantile `share`, as of a normal distribution with the row's mean and
/// deviation; 0 below it.
void lower_by_quantile(const MatrixView& x, float share, float* out);

}  // namespace headscope
