#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/figure.h"
#include "core/figure/theme.h"
#include "core/trace/trace.h"

namespace headscope {

/// One part of the architecture: a stage, a head, or a folded layer.
struct DiagramBox {
  Box box;
  std::string name;    ///< "feed-forward, hidden"
  std::string detail;  ///< "[1, 11, 64]"
  StageId stage;       ///< The stage that a click selects.
  bool folds = false;  ///< The box is a whole folded layer.
  /// The space for a small picture of the stage. A width of 0 means that there is no space.
  Box picture = {};
};

/// A path of the data, drawn parallel to the axes with an arrowhead at its end.
struct DiagramRoute {
  std::vector<Point> points;
};

/// A frame around boxes that belong together: the unfolded layer, the heads of one attention, or several
/// folded layers.
struct DiagramFrame {
  Box box;
  std::string caption;  ///< "masked self-attention, 8 heads"
  bool is_layer = false;
};

/// The diagram of a model. It has a column for each stack, in which data runs downwards, and shows the inside
/// of one layer.
struct Diagram {
  float width = 0.0F, height = 0.0F;
  std::vector<DiagramBox> boxes;
  std::vector<DiagramFrame> frames;  ///< The frame of a layer precedes those of its attentions.
  std::vector<Box> groups;           ///< Bars below heads that share keys and values.
  std::vector<DiagramRoute> ways;    ///< From box to box.
  /// Residual connections, and the paths from the encoder to the decoder.
  std::vector<DiagramRoute> shortcuts;
  /// Labels of the stacks and of the paths between them. The painter chooses their colours.
  std::vector<Label> labels;

  std::optional<std::size_t> box_at(Point point) const;
};
/// Each attention shows the queries, keys and values of head `head` above its heads.
Diagram layout_diagram(const Trace& trace, int open_layer, int head = 0);

/// The box to which a stage belongs. A stage inside a head belongs to the box of the head unless it has one
/// of its own, and a stage of a folded layer to that of the layer. Parameters and the concatenated heads
/// belong to the box that is computed from them, and a stage that repeats another to that stage's box. Empty
/// if the diagram has no such box.
std::optional<std::size_t> box_of_stage(const Trace& trace, const Diagram& diagram, const StageId& stage);

/// The path between the middles of two boxes' pictures, which follows the arrow between the boxes forwards or
/// backwards. Empty if no arrow connects them.
std::vector<Point> way_between(const Diagram& diagram, std::size_t from, std::size_t to);

/// How a box is drawn. The marks have the same order as the boxes.
struct DiagramMark {
  bool chosen = false;
  bool is_source = false;  ///< The chosen box was computed from it.
  bool has_shape = true;   ///< The box shows its shape.
  std::string note;        ///< Replaces the shape: "3 of 11 rows".
  /// Drawn in the middle of the box's picture area. Null if there is none. Must outlive the drawing.
  const Figure* picture = nullptr;
  /// The part of the picture that stands out, as shares of its height. Equal if no part does.
  float row_top = 0.0F, row_bottom = 0.0F;
};

Figure draw_diagram(const Diagram& diagram, const std::vector<DiagramMark>& marks, const Theme& theme,
                    const MeasureText& measure);

}  // namespace headscope
