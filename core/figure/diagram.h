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
  std::string name;        ///< "feed-forward, hidden"
  std::string detail;      ///< "[1, 11, 64]"
  StageId stage;           ///< The stage that a click selects.
  bool is_folded = false;  ///< The box is a folded layer.
  /// The space for a small picture of the stage. A width of 0 means that there is no space.
  Box picture = {};
};

/// A path of the data, axis-parallel with an arrowhead at its end.
using DiagramRoute = std::vector<Point>;

/// A frame around boxes that belong together: the unfolded layer, the heads of one attention, or several
/// folded layers.
struct DiagramFrame {
  Box box;
  std::string caption;  ///< "masked self-attention, 8 heads"
  bool is_layer = false;
};

/// The diagram of a model: a column for each stack, in which data flows downwards, with one unfolded layer.
struct Diagram {
  float width = 0.0F, height = 0.0F;
  std::vector<DiagramBox> boxes;
  std::vector<DiagramFrame> frames;  ///< The frame of a layer precedes those of its attentions.
  std::vector<Box> groups;           ///< Bars below heads that share keys and values.
  std::vector<DiagramRoute> ways;    ///< Arrows from box to box.
  /// Residual connections, and the paths from the encoder to the decoder.
  std::vector<DiagramRoute> shortcuts;
  /// Labels of the stacks and of the paths between them. The painter chooses their colours.
  std::vector<Label> labels;
};
/// Lays out the diagram with layer `open_layer` unfolded. Each attention shows the queries, keys and values
/// of head `head` above its heads.
Diagram layout_diagram(const Trace& trace, int open_layer, int head = 0);

/// The box of a stage: of its head, unless it has its own; of its layer, if that is folded; of what is
/// computed from it, for parameters and concatenated heads; or of the stage that it repeats. Empty if the
/// diagram has no such box.
std::optional<std::size_t> box_of_stage(const Trace& trace, const Diagram& diagram, const StageId& stage);

/// The path between the centres of two boxes' pictures, along the arrow between the boxes in either
/// direction. Empty if no arrow connects them.
std::vector<Point> path_between(const Diagram& diagram, std::size_t from, std::size_t to);

/// How a box is drawn. Marks are in the order of the boxes.
struct DiagramMark {
  bool chosen = false;
  bool is_source = false;  ///< The chosen box was computed from it.
  bool has_shape = true;   ///< The box shows its shape.
  std::string note;        ///< Replaces the shape: "3 of 11 rows".
  /// Centred in the box's picture area. Null if there is none. Must outlive the drawing.
  const Figure* picture = nullptr;
  /// The highlighted part of the picture, as shares of its height. Equal for none.
  float row_top = 0.0F, row_bottom = 0.0F;
};

Figure draw_diagram(const Diagram& diagram, const std::vector<DiagramMark>& marks, const Theme& theme,
                    const MeasureText& measure);

}  // namespace headscope
