#pragma once

#include "core/model/architecture.h"
#include "core/model/rotary_turns.h"
#include "core/tensor/view.h"

namespace headscope {

// Positions as tables of any size, for display; no pass needs them. The first row is position 0.

/// The rows that sinusoidal or split positions add: [n_positions, width].
OwnedMatrix wave_table(Positions kind, int n_positions, int width);

/// The angles, in radians, by which rotary positions rotate each pair of dimensions: [n_positions, pairs].
OwnedMatrix rotary_angles(int n_positions, const RotaryTurns& turns);

/// What each head adds to its scores by distance: [H, 2n − 1], for the distances −(n − 1) … n − 1. `relative`
/// is the learned table [H, 2·max + 1] of relative positions; it is not read for ALiBi.
OwnedMatrix bias_table(const Architecture& architecture, const MatrixView& relative, Stack stack,
                       int n_positions);

/// The dot products of all pairs of rows: [rows, rows].
OwnedMatrix row_products(const MatrixView& rows);

/// The counterpart for rotary positions: [n_positions, n_positions]. A cell is the product of a query at s
/// and a key at t that have length 1 and the same direction in every pair that is rotated: the sum over pairs
/// of cos(angle of s − angle of t), times YaRN's amplitude of both.
OwnedMatrix rotary_products(int n_positions, const RotaryTurns& turns);

}  // namespace headscope
