#pragma once

#include <string>
#include <vector>

#include "core/figure/column_groups.h"
#include "core/figure/heatmap.h"
#include "core/model/architecture.h"

namespace headscope {

/// The pictures of positions.
enum class PositionPicture {
  rows,      ///< What is added to the embeddings: position × dimension.
  angles,    ///< Rotary: the angle in radians by which each pair is rotated: position × pair.
  cosines,   ///< The cosines of the angles.
  sines,     ///< The sines of the angles.
  biases,    ///< What each head adds to its scores: head × distance.
  products,  ///< The similarity of two positions: position × position. Not available for biases.
};

/// Positions with any number of rows and any width.
struct PositionSource {
  Architecture architecture;
  MatrixView table;     ///< The model's own table for learned and relative positions.
  int n_positions = 0;  ///< The number of rows; the greatest distance of biases is one less. Limited by the
                        ///< size of the table.
  int width = 0;        ///< The number of dimensions of sinusoidal and split rows.
  /// The stack to which a table of biases belongs. The stacks have different buckets.
  Stack stack = Stack::encoder;
  int layer = 0;  ///< Of rotary positions, which may differ between layers.
};

/// Fills `numbers` and describes how to draw them. `numbers` must not be moved while the spec is in use.
HeatmapSpec position_map(PositionPicture picture, const PositionSource& source, const PictureOptions& options,
                         OwnedMatrix& numbers);

/// The halves of split rows. Empty for other kinds of positions.
std::vector<ColumnGroup> position_groups(const PositionSource& source, const PictureOptions& options);

/// Describes a cell: "Position 7, dimension 30: sin(7 / 1.716) = −0.8074".
std::string position_sentence(PositionPicture picture, const PositionSource& source,
                              const OwnedMatrix& numbers, CellIndex cell);

}  // namespace headscope
