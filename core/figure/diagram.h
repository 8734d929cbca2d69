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
  std::string name;    ///< "feed-forward, hidden"
  std::string detail;  ///< "[1, 11, 64]"
  StageId stage;       ///< where a click goes
  bool folds = false;  ///< a whole layer that is not unfolded
};

/// A path of the data, along the axes, with an arrowhead at its end.
struct DiagramRoute {
  std::vector<Point> points;
};

/// What belongs together: the layer that is unfolded, or the heads of one attention.
struct DiagramFrame {
  Box box;
  std::string caption;  ///< "masked self-attention, 8 heads"
  bool is_layer = false;
};

/// A diagram of a model: a column a stack, the layer of `open` unfolded, data running downwards.
struct Diagram {
  float width = 0.0F, height = 0.0F;
  std::vector<DiagramBox> boxes;
  std::vector<DiagramFrame> frames;  ///< a layer before the attentions that lie in it
  std::vector<DiagramRoute> ways;    ///< from box to box
  std::vector<DiagramRoute>
      shortcuts;              ///< residual connections, and the ways from the encoder to the decoder
  std::vector<Label> labels;  ///< of the stacks and of what runs between them; colours are the painter's

  std::optional<std::size_t> box_at(Point point) const;
};
Diagram layout_diagram(const Trace& trace, int open_layer);

/// The box that a stage belongs to: its own; of what happens inside a head the head's; of a folded layer the
/// layer's; of a parameter and of the heads side by side the box that is computed from it; else the one whose
/// result it repeats. Empty where the diagram has none.
std::optional<std::size_t> box_of_stage(const Trace& trace, const Diagram& diagram, const StageId& stage);

/// How a box is drawn; in the order of `boxes`.
struct DiagramMark {
  bool chosen = false;
  bool is_source = false;  ///< what is chosen was computed from it
  std::string note;        ///< in place of the detail: "3 of 11 rows"
};

Figure draw_diagram(const Diagram& diagram, const std::vector<DiagramMark>& marks, const Theme& theme,
                    const MeasureText& measure);

}  // namespace headscope
