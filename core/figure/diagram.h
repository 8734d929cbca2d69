#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/figure.h"
#include "core/figure/theme.h"
#include "core/trace/trace.h"

namespace headscope {

/// One part of the architecture: a stage, a head, or a layer that is folded.
struct DiagramBox {
  Box box;
  std::string name;    ///< "query, key, value"
  std::string detail;  ///< "[11, 64]"
  StageId stage;       ///< where a click goes
  bool folds = false;  ///< a whole layer that is not unfolded
};

/// A diagram of a model: a column a stack, the layer of `open` unfolded, data running downwards.
struct Diagram {
  float width = 0.0F, height = 0.0F;
  std::vector<DiagramBox> boxes;
  std::vector<Curve> ways;       ///< of the data from box to box; colours are the painter's
  std::vector<Curve> shortcuts;  ///< residual connections, and the way from the encoder to the decoder
  std::vector<Label> titles;     ///< of the stacks; colours are the painter's

  std::optional<std::size_t> box_at(Point point) const;
};
Diagram layout_diagram(const Trace& trace, int open_layer);

/// How a box is drawn; in the order of `boxes`.
struct DiagramMark {
  bool chosen = false;
  bool is_source = false;  ///< what is chosen was computed from it
  std::string note;        ///< in place of the detail: "3 of 11 rows changed"
};
Figure draw_diagram(const Diagram& diagram, const std::vector<DiagramMark>& marks, const Theme& theme,
                    const MeasureText& measure);

}  // namespace headscope
