#pragma once

#include "core/figure/figure.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// Returns `usual` with the layout size and scale that belong to a kind of paper.
FigureSize size_on(Paper paper, FigureSize usual);

/// Centres a figure on a sheet of its paper. Removes the background if `size` asks for transparency.
Figure on_paper(Figure figure, const FigureSize& size);

/// Number of points on paper for each unit of a figure that on_paper() returned. 1 if a unit is a pixel on
/// the screen.
float points_per_unit(const Figure& figure, Paper paper);

}  // namespace headscope
