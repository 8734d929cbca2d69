#include "core/figure/diagram.h"

#include <algorithm>

#include "core/figure/text_fit.h"

namespace headscope {
namespace {

using enum StageKind;

constexpr float margin = 16.0F;
constexpr float column_width = 248.0F;
constexpr float column_gap = 72.0F;
constexpr float box_height = 30.0F;
constexpr float step = 14.0F;  ///< between boxes
constexpr float title_height = 28.0F;
constexpr float head_size = 26.0F;
constexpr float head_gap = 4.0F;
constexpr float name_size = 13.0F;
constexpr float detail_size = 11.0F;

/// Places the boxes of one stack below each other.
class Column {
 public:
  Column(const Trace& trace, Stack stack, int open_layer, float x, Diagram& diagram)
      : trace_(trace), a_(trace.architecture()), open_(open_layer), x_(x), diagram_(diagram) {
    id_.stack = stack;
  }

  void place() {
    title(id_.stack == Stack::encoder ? "Encoder" : "Decoder");
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
    diagram_.height = std::max(diagram_.height, y_ + margin);
  }

  /// Where the column's output leaves it, and where the keys and values of cross-attention enter.
  Point output() const { return {x_ + column_width, last_middle_}; }
  std::optional<Point> memory() const { return memory_; }

 private:
  void title(const char* text) {
    Label label;
    label.text = text;
    label.at = {x_ + column_width / 2.0F, y_};
    label.size = 15.0F;
    label.font = Font::sans_bold;
    label.horizontal = HorizontalAnchor::center;
    diagram_.titles.push_back(label);
    y_ += title_height;
  }

  StageId at(StageKind kind) const {
    StageId id = id_;
    id.kind = kind;
    return normalized(id);
  }

  void connect() {
    if (last_bottom_ > 0.0F) {
      const float x = x_ + column_width / 2.0F;
      diagram_.ways.push_back({{x, last_bottom_}, {x, last_bottom_}, {x, y_}, {x, y_}, {}, 1.5F});
    }
  }

  void finish_box(float height) {
    last_bottom_ = y_ + height;
    last_middle_ = y_ + height / 2.0F;
    y_ += height + step;
  }

  void add(const std::string& name, StageKind kind) {
    const StageId id = at(kind);
    if (!trace_.has(id)) return;
    connect();
    diagram_.boxes.push_back(
        {{x_, y_, column_width, box_height}, name, full_shape_text(trace_, id), id, false});
    finish_box(box_height);
  }

  void folded_layer() {
    connect();
    const std::string name = "layer " + std::to_string(id_.layer);
    diagram_.boxes.push_back(
        {{x_, y_, column_width, box_height}, name, "click to unfold", at(layer_output), true});
    finish_box(box_height);
  }

  /// The heads side by side, each a box of its own, in rows of eight.
  void heads() {
    connect();
    constexpr int in_row = 8;
    const int n = a_.n_heads;
    const int rows = (n + in_row - 1) / in_row;
    for (int head = 0; head < n; ++head) {
      StageId id = at(weights);
      id.head = head;
      const int columns = std::min(n, in_row);
      const float width = static_cast<float>(columns) * (head_size + head_gap) - head_gap;
      const float left = x_ + (column_width - width) / 2.0F;
      const Box box{left + static_cast<float>(head % in_row) * (head_size + head_gap),
                    y_ + static_cast<float>(head / in_row) * (head_size + head_gap), head_size, head_size};
      diagram_.boxes.push_back({box, std::to_string(head), "", id, false});
    }
    finish_box(static_cast<float>(rows) * (head_size + head_gap) - head_gap);
  }

  void shortcut_from(float from) {
    if (!a_.residual) return;
    const float right = x_ + column_width;
    const float out = right + 26.0F;
    diagram_.shortcuts.push_back(
        {{right, from}, {out, from}, {out, last_middle_}, {right, last_middle_}, {}, 1.5F});
  }

  void attention(AttentionKind kind) {
    id_.attention = kind;
    const float from = last_middle_;
    add("norm", norm);
    if (kind == AttentionKind::cross) memory_ = Point{x_, y_ + head_size / 2.0F};
    heads();
    add(kind == AttentionKind::self ? "heads · W_O" : "cross-attention · W_O", projected);
    if (a_.residual) {
      add("+ residual", residual);
      shortcut_from(from);
    }
    add("norm", normed);
    id_.attention = AttentionKind::self;
  }

  void open_layer() {
    attention(AttentionKind::self);
    if (a_.has_cross() && id_.stack == Stack::decoder) attention(AttentionKind::cross);
    if (a_.d_ff == 0) return;
    const float from = last_middle_;
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

  const Trace& trace_;
  const Architecture& a_;
  int open_;
  float x_;
  float y_ = margin;
  float last_bottom_ = 0.0F;
  float last_middle_ = 0.0F;
  StageId id_;
  std::optional<Point> memory_;
  Diagram& diagram_;
};

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
  diagram.width = column_width + 2.0F * margin + 40.0F;
  if (!a.has_cross()) {
    Column(trace, a.first_stack(), open_layer, margin, diagram).place();
    return diagram;
  }
  Column encoder(trace, Stack::encoder, open_layer, margin, diagram);
  encoder.place();
  const float x = margin + column_width + column_gap;
  Column decoder(trace, Stack::decoder, open_layer, x, diagram);
  decoder.place();
  diagram.width += column_width + column_gap;
  if (const auto memory = decoder.memory()) {
    const Point from = encoder.output();
    const float between = x - column_gap / 2.0F + 10.0F;
    diagram.shortcuts.push_back({from, {between, from.y}, {between, memory->y}, *memory, {}, 2.0F});
  }
  return diagram;
}

Figure draw_diagram(const Diagram& diagram, const std::vector<DiagramMark>& marks, const Theme& theme,
                    const MeasureText& measure) {
  Figure figure{diagram.width, diagram.height, theme.panel, {}};
  for (Curve way : diagram.ways) {
    way.color = theme.quiet;
    figure.items.emplace_back(way);
  }
  for (Curve shortcut : diagram.shortcuts) {
    shortcut.color = theme.accent;
    figure.items.emplace_back(shortcut);
  }
  for (Label title : diagram.titles) {
    title.color = theme.text;
    figure.items.emplace_back(title);
  }
  constexpr float rounding = 5.0F;
  constexpr float inset = 10.0F;
  for (std::size_t i = 0; i < diagram.boxes.size(); ++i) {
    const DiagramBox& part = diagram.boxes[i];
    const DiagramMark& mark = marks[i];
    const bool marked = mark.chosen || mark.is_source;
    figure.items.emplace_back(FilledRect{part.box, theme.ground, rounding});
    figure.items.emplace_back(
        StrokedRect{part.box, marked ? theme.accent : theme.line, mark.chosen ? 2.5F : 1.0F, rounding});
    const float middle = part.box.y + part.box.h / 2.0F;
    const bool has_detail = !part.detail.empty() || !mark.note.empty();
    Label name{part.name,
               {part.box.x + inset, middle},
               part.folds ? theme.quiet : theme.text,
               name_size,
               mark.chosen ? Font::sans_bold : Font::sans};
    name.vertical = VerticalAnchor::middle;
    if (!has_detail) {
      name.at.x = part.box.x + part.box.w / 2.0F;
      name.horizontal = HorizontalAnchor::center;
      name.size = detail_size;
    }
    figure.items.emplace_back(name);
    if (!has_detail) continue;
    const float room = part.box.w - 3.0F * inset - measure(part.name, name.font, name_size).width;
    const Font font = mark.note.empty() ? Font::mono : Font::sans;
    Label detail{fitted_text(mark.note.empty() ? part.detail : mark.note, room, font, detail_size, measure),
                 {part.box.right() - inset, middle},
                 mark.note.empty() ? theme.quiet : theme.accent,
                 detail_size,
                 font};
    detail.horizontal = HorizontalAnchor::right;
    detail.vertical = VerticalAnchor::middle;
    figure.items.emplace_back(detail);
  }
  return figure;
}

}  // namespace headscope
