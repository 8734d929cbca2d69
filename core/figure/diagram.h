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
  Box picture = {};    ///< for a small picture of the stage; no width: there is no room for one
};

/// A path of the data, along the axes, with an arrowhead at its end.
struct DiagramRoute {
  std::vector<Point> points;
};

/// What belongs together: the layer that is unfolded, the heads of one attention, or many folded layers.
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
  std::vector<Box> groups;           ///< bars below heads that share keys and values
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

/// From the middle of one box's picture along the arrow between the two to the middle of the other's, with or
/// against the arrow. Empty where no arrow joins them.
std::vector<Point> way_between(const Diagram& diagram, std::size_t from, std::size_t to);

/// How a box is drawn; in the order of `boxes`.
struct DiagramMark {
  bool chosen = false;
  bool is_source = false;  ///< what is chosen was computed from it
  bool has_shape = true;   ///< the box says its shape
  std::string note;        ///< in place of the shape: "3 of 11 rows"
  /// Drawn in the middle of the box's `picture`; null: none. Must outlive the drawing.
  const Figure* picture = nullptr;
};

Figure draw_diagram(const Diagram& diagram, const std::vector<DiagramMark>& marks, const Theme& theme,
                    const MeasureText& measure);

}  // namespace headscope
