#include "core/figure/diagram.h"

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

using enum StageKind;

constexpr float margin = 16.0F;
constexpr float column_width = 256.0F;
constexpr float column_gap = 80.0F;
constexpr float right_margin =
    32.0F;  ///< beside the last column: residual connections, and the layer's frame
constexpr float box_height = 30.0F;
constexpr float step = 18.0F;        ///< between boxes
constexpr float branch_off = 12.0F;  ///< above a box: where a residual connection leaves the way to it
constexpr float residual_lane = 14.0F;
constexpr float memory_lane = 46.0F;  ///< right of the encoder
constexpr float frame_left = 8.0F;    ///< of a layer, beyond its column
constexpr float frame_right = 22.0F;
constexpr float frame_bottom = 9.0F;
constexpr float layer_caption = 22.0F;
constexpr float heads_caption = 25.0F;
constexpr float heads_bottom = 9.0F;
constexpr float title_height = 30.0F;
constexpr float head_size = 26.0F;
constexpr float head_gap = 4.0F;
constexpr int heads_in_row = 8;

Label centered(std::string text, Point at, float size, Font font) {
  Label label;
  label.text = std::move(text);
  label.at = at;
  label.size = size;
  label.font = font;
  label.horizontal = HorizontalAnchor::center;
  return label;
}

/// "masked self-attention, 8 heads". Padding alone is not what that name means.
std::string attention_caption(const Trace& trace, const StageId& id) {
  const MaskSpec& mask = trace.mask_spec(id);
  const bool masked =
      mask.causal || mask.prefix || mask.window || !mask.painted.empty() || !mask.loaded.empty();
  const int n = trace.architecture().n_heads;
  return std::string(masked ? "masked " : "") +
         (id.attention == AttentionKind::self ? "self-attention, " : "cross-attention, ") +
         std::to_string(n) + (n == 1 ? " head" : " heads");
}

/// Places the boxes of one stack below each other.
class Column {
 public:
  Column(const Trace& trace, Stack stack, int open_layer, float x, Diagram& diagram)
      : trace_(trace), a_(trace.architecture()), open_(open_layer), x_(x), diagram_(diagram) {
    id_.stack = stack;
  }

  void place() {
    diagram_.labels.push_back(centered(id_.stack == Stack::encoder ? "Encoder" : "Decoder", {middle(), y_},
                                       15.0F, Font::sans_bold));
    y_ += title_height;
    add("embedding", embedding);
    add("+ positions", positions);
    for (id_.layer = 0; id_.layer < a_.n_layers; ++id_.layer) {
      if (id_.layer == open_) {
        open_layer();
      } else {
        folded_layer();
      }
    }
    id_.layer = 0;
    if (a_.norm == Norm::pre) add("final norm", stack_output);
    if (id_.stack == a_.last_stack()) {
      add("linear: logits", logits);
      add("softmax: probabilities", probabilities);
    }
    diagram_.height = std::max(diagram_.height, y_ - step + margin);
  }

  /// Where the column's output leaves it, and where keys and values enter: one place a layer.
  Point output() const { return {middle(), last_bottom_}; }
  const std::vector<Point>& memories() const { return memories_; }

 private:
  float middle() const { return x_ + column_width / 2.0F; }
  float right() const { return x_ + column_width; }

  StageId at(StageKind kind) const {
    StageId id = id_;
    id.kind = kind;
    return normalized(id);
  }

  void connect() {
    if (last_bottom_ > 0.0F) diagram_.ways.push_back({{{middle(), last_bottom_}, {middle(), y_}}});
  }

  void finish_box(float height) {
    last_bottom_ = y_ + height;
    last_middle_ = y_ + height / 2.0F;
    y_ += height + step;
  }

  void add(const std::string& name, StageKind kind) {
    const StageId id = at(kind);
    if (trace_.has(id)) add_box(name, id, false);
  }

  void add_box(const std::string& name, const StageId& id, bool folds) {
    connect();
    diagram_.boxes.push_back(
        {{x_, y_, column_width, box_height}, name, full_shape_text(trace_, id), id, folds});
    finish_box(box_height);
  }

  bool has_cross_here() const { return a_.has_cross() && id_.stack == Stack::decoder; }

  void folded_layer() {
    if (has_cross_here()) memories_.push_back({x_, y_ + box_height / 2.0F});
    add_box("layer " + std::to_string(id_.layer), at(layer_output), true);
  }

  /// The heads side by side, each a box of its own, in rows of eight, within a frame that names them.
  void heads() {
    connect();
    const int rows = (a_.n_heads + heads_in_row - 1) / heads_in_row;
    const int columns = std::min(a_.n_heads, heads_in_row);
    const float left = middle() - (static_cast<float>(columns) * (head_size + head_gap) - head_gap) / 2.0F;
    const float top = y_ + heads_caption;
    for (int head = 0; head < a_.n_heads; ++head) {
      StageId id = at(weights);
      id.head = head;
      const int row = head / heads_in_row;
      const Box box{left + static_cast<float>(head % heads_in_row) * (head_size + head_gap),
                    top + static_cast<float>(row) * (head_size + head_gap), head_size, head_size};
      diagram_.boxes.push_back({box, std::to_string(head), "", id, false});
    }
    if (id_.attention == AttentionKind::cross) memories_.push_back({x_, top + head_size / 2.0F});
    const float height =
        heads_caption + static_cast<float>(rows) * (head_size + head_gap) - head_gap + heads_bottom;
    diagram_.frames.push_back({{x_, y_, column_width, height}, attention_caption(trace_, at(weights))});
    finish_box(height);
  }

  /// Round a sublayer: from the way into it to the sum.
  void shortcut_from(float from) {
    const float lane = right() + residual_lane;
    diagram_.shortcuts.push_back(
        {{{middle(), from}, {lane, from}, {lane, last_middle_}, {right(), last_middle_}}});
  }

  void attention(AttentionKind kind) {
    id_.attention = kind;
    const float from = y_ - branch_off;
    add("norm", norm);
    heads();
    add(a_.output_projection ? "heads · W_O" : "heads, side by side", projected);
    if (a_.residual) {
      add("+ residual", residual);
      shortcut_from(from);
    }
    add("norm", normed);
    id_.attention = AttentionKind::self;
  }

  void feed_forward() {
    const float from = y_ - branch_off;
    add("norm", feed_forward_norm);
    add("feed-forward, hidden", hidden);
    add(a_.activation == Activation::relu ? "ReLU" : "GELU", activated);
    add("feed-forward, output", feed_forward_output);
    if (a_.residual) {
      add("+ residual", feed_forward_residual);
      shortcut_from(from);
    }
    add("norm", feed_forward_normed);
  }

  void open_layer() {
    const std::size_t place = diagram_.frames.size();
    const float top = y_;
    diagram_.frames.push_back({{}, "layer " + std::to_string(id_.layer), true});
    y_ += layer_caption;
    attention(AttentionKind::self);
    if (has_cross_here()) attention(AttentionKind::cross);
    if (a_.d_ff > 0) feed_forward();
    diagram_.frames[place].box = {x_ - frame_left, top, column_width + frame_left + frame_right,
                                  last_bottom_ + frame_bottom - top};
    y_ += frame_bottom;
  }

  const Trace& trace_;
  const Architecture& a_;
  int open_;
  float x_;
  float y_ = margin;
  float last_bottom_ = 0.0F;
  float last_middle_ = 0.0F;
  StageId id_;
  std::vector<Point> memories_;
  Diagram& diagram_;
};

/// Beside the longer part of the lane between where the memory comes from and where it goes; not where that
/// is too short for the words.
void name_the_memory(float lane, float from, float first, float last, Diagram& diagram) {
  constexpr float size = 11.0F;
  constexpr float room_for_words = 110.0F;
  const float above = from - std::min(first, from);
  const float below = std::max(last, from) - from;
  if (std::max(above, below) < room_for_words) return;
  const float y = above >= below ? from - above / 2.0F : from + below / 2.0F;
  Label label = centered("keys and values", {lane - 5.0F, y}, size, Font::sans);
  label.vertical = VerticalAnchor::bottom;
  label.degrees = 90.0F;
  diagram.labels.push_back(label);
}

/// The encoder's output runs to every layer of the decoder: along a lane, from which ways branch off between
/// its ends.
void connect_memory(const Column& encoder, const Column& decoder, Diagram& diagram) {
  constexpr float below = 14.0F;
  const Point from = encoder.output();
  const float lane = margin + column_width + memory_lane;
  const Point corner{lane, from.y + below};
  diagram.height = std::max(diagram.height, corner.y + margin);
  const std::vector<Point>& memories = decoder.memories();
  if (memories.empty()) return;
  const Point first = memories.front();
  const Point last = memories.back();
  std::vector<Point> trunk{from, {from.x, corner.y}, corner};
  const auto end_lane_at = [&](Point to) {
    trunk.insert(trunk.end(), {{lane, to.y}, to});
    diagram.shortcuts.push_back({trunk});
    trunk = {corner};
  };
  if (first.y < corner.y) end_lane_at(first);
  if (last.y > corner.y) end_lane_at(last);
  for (const Point to : memories) {
    const bool at_an_end = (to == first && first.y < corner.y) || (to == last && last.y > corner.y);
    if (!at_an_end) diagram.shortcuts.push_back({{{lane, to.y}, to}});
  }
  name_the_memory(lane, corner.y, first.y, last.y, diagram);
}

}  // namespace

std::optional<std::size_t> Diagram::box_at(Point point) const {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].box.contains(point)) return i;
  }
  return std::nullopt;
}

Diagram layout_diagram(const Trace& trace, int open_layer) {
  Diagram diagram;
  const Architecture& a = trace.architecture();
  diagram.width = margin + column_width + right_margin;
  if (!a.has_cross()) {
    Column(trace, a.first_stack(), open_layer, margin, diagram).place();
    return diagram;
  }
  Column encoder(trace, Stack::encoder, open_layer, margin, diagram);
  encoder.place();
  Column decoder(trace, Stack::decoder, open_layer, margin + column_width + column_gap, diagram);
  decoder.place();
  diagram.width += column_width + column_gap;
  connect_memory(encoder, decoder, diagram);
  return diagram;
}

}  // namespace headscope
