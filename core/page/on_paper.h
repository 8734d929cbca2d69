#pragma once

#include "core/figure/figure.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// The size of a figure on a kind of paper, with the page that it shows.
FigureSize size_on(Paper paper, FigureSize usual);

/// The figure with the rest of its paper around it; without its ground where the size says so.
Figure on_paper(Figure figure, const FigureSize& size);

/// How many points of its paper a unit of such a figure takes; 1 where a unit is a pixel of the screen.
float points_per_unit(const Figure& figure, Paper paper);

}  // namespace headscope
