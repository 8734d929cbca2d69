#pragma once

#include <string>
#include <vector>

#include "core/figure/column_groups.h"
#include "core/figure/heatmap.h"
#include "core/model/architecture.h"

namespace headscope {

/// The ways to look at positions.
enum class PositionPicture {
  rows,      ///< what is added to the embeddings: position × dimension
  angles,    ///< rotary: by what each pair is turned, in radians: position × pair
  cosines,   ///< of the angles
  sines,     ///< of the angles
  biases,    ///< what each head adds to its scores: head × distance
  products,  ///< how alike two positions are: position × position; not for biases
};

/// Positions of any number and width.
struct PositionSource {
  Architecture architecture;
  MatrixView table;     ///< the model's own, for learned and relative positions
  int n_positions = 0;  ///< rows; of biases the greatest distance is one less. At most as the table has
  int width = 0;        ///< dimensions of sinusoidal and split rows
  Stack stack = Stack::encoder;  ///< whose biases the table has: buckets differ
};

/// Fills `numbers`, which must stay in place while the spec is used, and says how they are drawn.
HeatmapSpec position_map(PositionPicture picture, const PositionSource& source, const PictureOptions& options,
                         OwnedMatrix& numbers);

/// The halves of split rows; nothing for others.
std::vector<ColumnGroup> position_groups(const PositionSource& source, const PictureOptions& options);

/// What a cell says: "Position 7, dimension 30: sin(7 / 1.716) = −0.8074".
std::string position_sentence(PositionPicture picture, const PositionSource& source,
                              const OwnedMatrix& numbers, CellIndex cell);

}  // namespace headscope
