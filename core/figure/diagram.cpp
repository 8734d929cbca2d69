#include "core/figure/diagram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/enum_count.h"
#include "core/model/mask.h"
#include "core/trace/place_text.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

using enum StageKind;

constexpr float diagram_margin = 16.0F;
constexpr float column_width = 256.0F;
constexpr float column_gap = 80.0F;
constexpr float right_margin =
    32.0F;  ///< The space for residual connections and the frame of a layer right of the last column.
constexpr float box_height = 30.0F;
constexpr float picture_width = 88.0F;  ///< At the right of a box.
constexpr float picture_edge = 3.0F;    ///< Between the picture and the edges of the box.
constexpr float step = 9.0F;            ///< Between boxes.
constexpr float branch_off = 7.0F;      ///< Where a residual connection branches off, above a box.
constexpr float residual_lane = 14.0F;
constexpr float parallel_lane = 5.0F;  ///< Left of the column, inside the frame of the layer.
constexpr float shares_lane = 2.5F;    ///< Between it and the column.
constexpr float entries_lane = 12.0F;  ///< Left of the frame of the layer.
constexpr float query_lane = 5.0F;     ///< Right of the column.
constexpr float memory_lane = 46.0F;   ///< Right of the encoder.
constexpr float frame_left = 8.0F;     ///< From the column to the frame of the layer.
constexpr float frame_right = 22.0F;
constexpr float frame_bottom = 9.0F;
constexpr float layer_caption = 22.0F;
constexpr float heads_caption = 25.0F;
constexpr float heads_bottom = 9.0F;
constexpr float title_height = 26.0F;
constexpr float max_head_width = 60.0F;
constexpr float input_height = 24.0F;       ///< Of the boxes of queries, keys and values.
constexpr float head_label_height = 13.0F;  ///< Above the picture of a head.
constexpr float head_edge = 2.0F;           ///< Between the picture and the other edges of the head.
constexpr int heads_in_row = 8;
constexpr int many_folded =
    4;  ///< From this number on, folded layers in a row share a frame instead of having a box each.
constexpr int folded_in_row = 4;
constexpr float folded_width = 56.0F;
constexpr float folded_height = 24.0F;

/// The gap between boxes in rows.
constexpr float head_gap = 4.0F;

constexpr float group_bar = 2.0F;
constexpr float group_bar_gap = 1.0F;  ///< Between the bar and the heads.

/// The positions of `n` boxes in rows of `in_row`. The rows are centred at x = `middle` and extend downwards
/// from `top`.
std::vector<Box> boxes_in_rows(int n, int in_row, float middle, float top, float width, float height) {
  const auto columns = static_cast<float>(std::min(n, in_row));
  const float left = middle - (columns * (width + head_gap) - head_gap) / 2.0F;
  std::vector<Box> places;
  places.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const int row = i / in_row;
    const int column = i % in_row;
    places.push_back({left + static_cast<float>(column) * (width + head_gap),
                      top + static_cast<float>(row) * (height + head_gap), width, height});
  }
  return places;
}

/// Adds bars below the heads that share keys and values. The boxes of the heads lie in rows of `in_row`, and
/// a bar continues in the next row if its group does.
void mark_groups(const Architecture& a, int layer, const std::vector<Box>& heads, int in_row,
                 Diagram& diagram) {
  if (!a.shares_keys(layer)) return;
  for (int head = 0; head < a.n_heads; ++head) {
    const Box& box = heads[static_cast<std::size_t>(head)];
    const Box bar{box.x, box.bottom() + group_bar_gap, box.w, group_bar};
    if (head % a.group_size(layer) == 0 || head % in_row == 0) {
      diagram.groups.push_back(bar);
    } else {
      diagram.groups.back().w = bar.right() - diagram.groups.back().x;
    }
  }
}

/// Writes a label beside the longer part of the lane, above or below the point where the memory enters it.
/// Writes nothing if that part is too short for the label.
void name_the_memory(float lane, float from, float first, float last, Diagram& diagram) {
  constexpr float size = 11.0F;
  constexpr float room_for_words = 110.0F;
  const float above = from - std::min(first, from);
  const float below = std::max(last, from) - from;
  if (std::max(above, below) < room_for_words) return;
  const float y = above >= below ? from - above / 2.0F : from + below / 2.0F;
  diagram.labels.push_back({"keys and values",
                            {lane - 5.0F, y},
                            {},
                            size,
                            Font::sans,
                            HorizontalAnchor::center,
                            VerticalAnchor::bottom,
                            90.0F});
}

/// Connects the encoder's output, which leaves it at `from`, with every layer of the decoder by a vertical
/// lane at x = `lane` from which paths branch off to `memories`, the points at which the layers read it, from
/// top to bottom.
void connect_memory(Point from, const std::vector<Point>& memories, float lane, Diagram& diagram) {
  constexpr float below = 14.0F;
  const Point corner{lane, from.y + below};
  diagram.height = std::max(diagram.height, corner.y + diagram_margin);
  if (memories.empty()) return;
  const Point first = memories.front();
  const Point last = memories.back();
  std::vector<Point> trunk{from, {from.x, corner.y}, corner};
  const auto end_lane_at = [&](Point to) {
    trunk.insert(trunk.end(), {{lane, to.y}, to});
    diagram.shortcuts.push_back(trunk);
    trunk = {corner};
  };
  if (first.y < corner.y) end_lane_at(first);
  if (last.y > corner.y) end_lane_at(last);
  for (const Point to : memories) {
    const bool at_an_end = (to == first && first.y < corner.y) || (to == last && last.y > corner.y);
    if (!at_an_end) diagram.shortcuts.push_back({{lane, to.y}, to});
  }
  name_the_memory(lane, corner.y, first.y, last.y, diagram);
}

/// For example, "masked self-attention, 8 heads". Padding alone does not count as masking.
std::string attention_caption(const Trace& trace, const StageId& id) {
  const MaskSpec& mask = trace.mask_spec(id);
  const bool masked =
      mask.hides_by_rule() || trace.sliding_window(id) || !mask.painted.empty() || !mask.loaded.empty();
  const Architecture& a = trace.architecture();
  const int n = a.n_heads;
  return std::string(masked ? "masked " : "") + (a.linear_attention ? "linear " : "") +
         (id.attention == AttentionKind::self ? "self-attention, " : "cross-attention, ") +
         std::to_string(n) + (n == 1 ? " head" : " heads") +
         (a.shares_keys(id.layer) ? " in groups of " + std::to_string(a.group_size(id.layer)) : "");
}

/// For example, "SiLU", or "gate: SiLU" if the activation multiplies a second layer.
std::string activation_caption(const Architecture& architecture) {
  static const auto names = make_enum_table<Activation, std::string>("ReLU", "GELU", "GELU by tanh", "SiLU");
  return (architecture.gated ? "gate: " : "") + names[index_of(architecture.activation)];
}

/// Places the boxes of one stack below each other.
class Column {
 public:
  Column(const Trace& trace, Stack stack, int open_layer, int head, float x, Diagram& diagram)
      : trace_(trace), a_(trace.architecture()), open_(open_layer), head_(head), x_(x), diagram_(diagram) {
    id_.stack = stack;
  }

  void place() {
    diagram_.labels.push_back({id_.stack == Stack::encoder ? "Encoder" : "Decoder",
                               {middle(), y_},
                               {},
                               15.0F,
                               Font::sans_bold,
                               HorizontalAnchor::center});
    y_ += title_height;
    // If queries, keys and values are entered by hand, nothing is computed from the input of the stack.
    if (trace_.uses(at(embedding))) add("embedding", embedding);
    if (trace_.uses(at(positions))) add("+ positions", positions);
    layer_embeddings();
    for (id_.layer = 0; id_.layer < a_.layers_of(id_.stack);) {
      if (id_.layer == open_) {
        open_layer();
        ++id_.layer;
      } else if (const int n = n_folded_here(); n >= many_folded) {
        folded_layers(n);
      } else {
        folded_layer();
        ++id_.layer;
      }
    }
    id_.layer = 0;
    add("mean of the streams", streams_mean);
    if (a_.has_final_norm(id_.stack)) add("final norm", stack_output);
    if (id_.stack == a_.last_stack()) {
      add("linear: logits", logits);
      add("softmax: probabilities", probabilities);
    }
    diagram_.height = std::max(diagram_.height, y_ - step + diagram_margin);
  }

  /// The points where the output leaves the column, and where keys and values enter it, with one point per
  /// layer.
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
    const bool joins = std::exchange(joins_, true);
    DiagramRoute way = std::exchange(detour_, {});
    if (way.empty()) way.push_back({middle(), last_bottom_});
    way.push_back({middle(), y_});
    if (joins && last_bottom_ > 0.0F) diagram_.ways.push_back(std::move(way));
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

  void add_box(const std::string& name, const StageId& id, bool is_folded) {
    connect();
    diagram_.boxes.push_back({{x_, y_, column_width, box_height},
                              name,
                              full_shape_text(trace_, id),
                              id,
                              is_folded,
                              {right() - picture_edge - picture_width, y_ + picture_edge, picture_width,
                               box_height - 2.0F * picture_edge}});
    finish_box(box_height);
  }

  bool has_cross_here() const { return a_.has_cross() && id_.stack == Stack::decoder; }

  void folded_layer() {
    if (has_cross_here()) memories_.push_back({x_, y_ + box_height / 2.0F});
    add_box("layer " + std::to_string(id_.layer), at(layer_output), true);
  }

  /// The number of folded layers from this one on, up to the open layer or the end of the stack.
  int n_folded_here() const {
    const int n_layers = a_.layers_of(id_.stack);
    return (id_.layer < open_ ? std::min(open_, n_layers) : n_layers) - id_.layer;
  }

  /// Adds a frame around the boxes that were placed.
  void finish_frame(const Box& last, std::string caption) {
    const float height = last.bottom() + heads_bottom - y_;
    diagram_.frames.push_back({{x_, y_, column_width, height}, std::move(caption)});
    finish_box(height);
  }

  /// Places folded layers in rows, in their order. If they were placed below each other, the diagram of a
  /// deep model would be too high to be seen as a whole.
  void folded_layers(int n) {
    connect();
    const std::vector<Box> places =
        boxes_in_rows(n, folded_in_row, middle(), y_ + heads_caption, folded_width, folded_height);
    const int first = id_.layer;
    for (const Box& box : places) {
      diagram_.boxes.push_back({box, "layer " + std::to_string(id_.layer), "", at(layer_output), true});
      ++id_.layer;
    }
    if (has_cross_here()) memories_.push_back({x_, places.front().y + folded_height / 2.0F});
    finish_frame(places.back(), "layers " + std::to_string(first) + " to " + std::to_string(id_.layer - 1) +
                                    ", one after another");
  }

  /// Adds a box each for the queries, keys and values of the head, and returns where they end.
  float inputs_of_heads(float top) {
    const std::array<std::pair<const char*, StageKind>, 3> all{
        {{"Q · query", query}, {"K · key", key}, {"V · value", value}}};
    constexpr auto n = static_cast<float>(all.size());
    const float room = column_width - 2.0F * (head_gap + head_edge);
    const std::vector<Box> places =
        boxes_in_rows(static_cast<int>(all.size()), static_cast<int>(all.size()), middle(), top,
                      (room + head_gap) / n - head_gap, input_height);
    for (std::size_t i = 0; i < all.size(); ++i) {
      StageId id = at(all[i].second);
      id.head = head_;
      if (trace_.has(id)) diagram_.boxes.push_back({places[i], all[i].first, "", id});
    }
    return places.front().bottom() + head_gap;
  }

  /// Adds a box for each head, in rows of eight, below the queries, keys and values, within a frame that
  /// names them.
  void heads() {
    connect();
    const float top = inputs_of_heads(y_ + heads_caption);
    const auto columns = static_cast<float>(std::min(a_.n_heads, heads_in_row));
    const float room = column_width - 2.0F * (head_gap + head_edge);
    const float width = std::min(std::floor((room + head_gap) / columns - head_gap), max_head_width);
    const float side = width - 2.0F * head_edge;
    const std::vector<Box> places =
        boxes_in_rows(a_.n_heads, heads_in_row, middle(), top, width, head_label_height + side + head_edge);
    for (int head = 0; head < a_.n_heads; ++head) {
      StageId id = at(weights);
      id.head = head;
      const Box& box = places[static_cast<std::size_t>(head)];
      diagram_.boxes.push_back({box,
                                head_label(id.layer, head),
                                "",
                                id,
                                false,
                                {box.x + head_edge, box.y + head_label_height, side, side}});
    }
    mark_groups(a_, id_.layer, places, heads_in_row, diagram_);
    if (id_.attention == AttentionKind::cross && !a_.kv_latent)
      memories_.push_back({x_, places.front().y + places.front().h / 2.0F});
    finish_frame(places.back(), attention_caption(trace_, at(weights)));
  }

  /// Adds the path around a sublayer, from its input to the sum.
  void shortcut_from(float from) {
    const float lane = right() + residual_lane;
    diagram_.shortcuts.push_back(
        {{middle(), from}, {lane, from}, {lane, last_middle_}, {right(), last_middle_}});
  }

  /// Adds the latent from which the heads' keys and values are computed. In cross-attention, it is computed
  /// from the memory. Queries bypass it.
  void compressed() {
    if (!a_.kv_latent) return;
    const float from = y_ - branch_off;
    const float lane = right() + query_lane;
    const float begin = last_bottom_ > 0.0F ? last_bottom_ : from;
    if (id_.attention == AttentionKind::cross) {
      memories_.push_back({x_, y_ + box_height / 2.0F});
      joins_ = false;
    }
    add("latent of K and V", normed_latent);
    const float to = y_ + heads_caption / 2.0F;
    diagram_.shortcuts.push_back(
        {{middle(), begin}, {middle(), from}, {lane, from}, {lane, to}, {right(), to}});
  }

  void attention(AttentionKind kind) {
    id_.attention = kind;
    add("predicted stream", predicted_row);
    const float from = y_ - branch_off;
    add("norm", norm);
    const float norm_middle = last_middle_;
    if (kind == AttentionKind::self) read_from_ = a_.block == Block::parallel_shared ? y_ - branch_off : from;
    compressed();
    heads();
    add("× gate", gated_heads);
    const char* outputs = a_.output_gate ? "gated heads" : "heads";
    add(outputs + std::string(a_.output_projection ? " · W_O" : ", side by side"), projected);
    add("norm", output_norm);
    if (a_.residual) {
      add("+ residual", residual);
      shortcut_from(from);
    }
    add("norm", normed);
    id_.attention = AttentionKind::self;
    if (trace_.has(at(laurel_residual))) lead_to_next({x_, norm_middle}, x_ - parallel_lane);
    add("+ LAuReL, ÷ √2", laurel_residual);
  }

  /// Adds a path from a point to the next box, along a lane beside the column: left of it if `lane` is.
  void lead_to_next(Point from, float lane) {
    const float to = y_ + box_height / 2.0F;
    diagram_.shortcuts.push_back({from, {lane, from.y}, {lane, to}, {lane < x_ ? x_ : right(), to}});
  }

  /// Adds such a path to a box that does not read the one above it, such as the first one of a feed-forward
  /// layer that is parallel to another sublayer. The path begins between boxes.
  void read_beside(float from) {
    lead_to_next({middle(), from}, x_ - parallel_lane);
    joins_ = false;
  }

  /// Adds the embeddings that layers read beside their input, which bypasses the box.
  void layer_embeddings() {
    if (pass_by("layer embeddings", layer_inputs)) entries_from_ = last_middle_;
  }

  /// Adds a box that the way to the next one passes by. Returns whether the model has its stage.
  bool pass_by(const std::string& name, StageKind kind) {
    if (!trace_.has(at(kind))) return false;
    const float from = y_ - branch_off;
    add(name, kind);
    const float lane = right() + query_lane;
    const float back = y_ - step / 2.0F;
    detour_ = {{middle(), from}, {lane, from}, {lane, back}, {middle(), back}};
    return true;
  }

  void feed_forward() {
    const float from = y_ - branch_off;
    if (a_.is_parallel()) read_beside(read_from_);
    Point shares;
    const bool reads_the_sum = trace_.has(at(router_norm));
    if (reads_the_sum) shares = router();
    add("norm", feed_forward_norm);
    if (!reads_the_sum) shares = router();
    add("feed-forward, hidden", hidden);
    add("− quantile of the row", sparse_gate);
    add(activation_caption(a_), activated);
    add("feed-forward, up", up);
    add("gate × up", feed_forward_gated);
    if (trace_.has(at(expert_weighted))) lead_to_next(shares, x_ - shares_lane);
    add("× shares", expert_weighted);
    add("feed-forward, output", feed_forward_output);
    add("norm", feed_forward_output_norm);
    dense_beside(from);
    add("norm", feed_forward_sum_norm);
    if (a_.residual) {
      add("+ residual", feed_forward_residual);
      shortcut_from(from);
    }
    add("norm", feed_forward_normed);
  }

  /// Adds the router, and returns where the shares of the experts leave it.
  Point router() {
    pass_by("router: shares", expert_shares);
    return {x_, last_middle_};
  }

  /// Adds the dense layer that reads the same rows as the experts above it, and the sum of both.
  void dense_beside(float from) {
    if (!trace_.has(at(dense_output))) return;
    const Point experts{right(), last_middle_};
    read_beside(from);
    add("norm", dense_norm);
    add("dense layer", dense_output);
    add("norm", dense_output_norm);
    lead_to_next(experts, right() + query_lane);
    add("experts + dense layer", feed_forward_sum);
  }

  /// Adds what the layer's embedding adds to its output, and the factor of the layer.
  void layer_entries() {
    const float from = y_ - branch_off;
    pass_by("other streams, corrected", corrected_streams);
    const Point others{x_, last_middle_};
    add("corrected stream", corrected_row);
    add("gate of embedding", layer_gate_activated);
    if (trace_.has(at(layer_gated))) lead_to_next({x_, entries_from_}, x_ - entries_lane);
    add("gate × embedding", layer_gated);
    add("norm", layer_entry_normed);
    add("+ residual", layer_entry_residual);
    if (trace_.has(at(streams_output))) lead_to_next(others, x_ - parallel_lane);
    add("+ in other streams", streams_output);
    if (trace_.has(at(layer_entry_residual))) shortcut_from(from);
    if (a_.foreign.layer_scalar) add("× factor", layer_output);
  }

  void open_layer() {
    const std::size_t place = diagram_.frames.size();
    const float top = y_;
    diagram_.frames.push_back({{}, "layer " + std::to_string(id_.layer), true});
    y_ += layer_caption;
    if (a_.has_self()) attention(AttentionKind::self);
    if (has_cross_here()) attention(AttentionKind::cross);
    if (a_.d_ff > 0) feed_forward();
    layer_entries();
    diagram_.frames[place].box = {x_ - frame_left, top, column_width + frame_left + frame_right,
                                  last_bottom_ + frame_bottom - top};
    y_ += frame_bottom;
  }

  const Trace& trace_;
  const Architecture& a_;
  int open_;
  int head_;  ///< The head whose queries, keys and values have boxes.
  float x_;
  float y_ = diagram_margin;
  float last_bottom_ = 0.0F;
  float last_middle_ = 0.0F;
  /// Where the common input of self-attention and a parallel feed-forward layer is read.
  float read_from_ = 0.0F;
  float entries_from_ = 0.0F;  ///< Where the embeddings that layers read leave their box.
  DiagramRoute detour_;        ///< How the way to the next box begins, if it passes one by.
  bool joins_ = true;          ///< The next box continues from the previous one.
  StageId id_;
  std::vector<Point> memories_;
  Diagram& diagram_;
};

}  // namespace

Diagram layout_diagram(const Trace& trace, int open_layer, int head) {
  Diagram diagram;
  const Architecture& a = trace.architecture();
  diagram.width = diagram_margin + column_width + right_margin;
  if (!a.has_cross()) {
    Column(trace, a.first_stack(), open_layer, head, diagram_margin, diagram).place();
    return diagram;
  }
  Column encoder(trace, Stack::encoder, open_layer, head, diagram_margin, diagram);
  encoder.place();
  Column decoder(trace, Stack::decoder, open_layer, head, diagram_margin + column_width + column_gap,
                 diagram);
  decoder.place();
  diagram.width += column_width + column_gap;
  connect_memory(encoder.output(), decoder.memories(), diagram_margin + column_width + memory_lane, diagram);
  return diagram;
}

namespace {

template <class Holds>
std::optional<std::size_t> first_box(const Diagram& diagram, Holds holds) {
  const auto found = std::ranges::find_if(diagram.boxes, holds);
  if (found == diagram.boxes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - diagram.boxes.begin());
}

/// Whether the box shows the stage, the head to which it belongs, or its folded layer. The boxes of a head's
/// queries, keys and values stand for nothing else.
bool encloses(const DiagramBox& part, const StageId& stage) {
  if (part.stage == stage) return true;
  const bool is_part_of_head =
      info(part.stage.kind).scope == StageScope::head && part.stage.kind != StageKind::weights;
  if (is_part_of_head) return false;
  const StageScope scope = info(stage.kind).scope;
  const bool same_layer = part.stage.stack == stage.stack && part.stage.layer == stage.layer;
  if (part.is_folded) return same_layer && scope >= StageScope::layer;
  return same_layer && scope == StageScope::head && info(part.stage.kind).scope == StageScope::head &&
         part.stage.attention == stage.attention && part.stage.head == stage.head;
}

/// The stage whose box stands for a stage. All stages from which latent keys and values are computed share
/// one box.
StageId boxed(const StageId& stage) {
  switch (stage.kind) {
    case StageKind::w_latent:
    case StageKind::latent_norm_gain:
    case StageKind::w_shared_key:
    case StageKind::latent:
    case StageKind::shared_key:
      return with_kind(stage, StageKind::normed_latent);
    default:
      return stage;
  }
}

/// The box, or the frame at which its paths begin and end.
Box joined_box(const Diagram& diagram, std::size_t box) {
  const Box& own = diagram.boxes[box].box;
  for (const DiagramFrame& frame : diagram.frames)
    if (!frame.is_layer && frame.box.contains({own.x, own.y})) return frame.box;
  return own;
}

bool touches(const Box& box, Point p) {
  constexpr float touching = 0.5F;
  return p.x >= box.x - touching && p.x <= box.right() + touching && p.y >= box.y - touching &&
         p.y <= box.bottom() + touching;
}

Point middle_of(const DiagramBox& part) {
  return (part.picture.w > 0.0F ? part.picture : part.box).center();
}

/// The points of the arrow from one box to another. Null if there is none.
const DiagramRoute* arrow_between(const Diagram& diagram, std::size_t from, std::size_t to) {
  const Box first = joined_box(diagram, from);
  const Box last = joined_box(diagram, to);
  for (const auto* routes : {&diagram.ways, &diagram.shortcuts}) {
    const auto found = std::ranges::find_if(*routes, [&](const DiagramRoute& route) {
      return touches(first, route.front()) && touches(last, route.back());
    });
    if (found != routes->end()) return &*found;
  }
  return nullptr;
}

}  // namespace

std::vector<Point> path_between(const Diagram& diagram, std::size_t from, std::size_t to) {
  std::vector<Point> way;
  if (from == to) return way;
  if (const auto* along = arrow_between(diagram, from, to)) {
    way = *along;
  } else if (const auto* against = arrow_between(diagram, to, from)) {
    way.assign(against->rbegin(), against->rend());
  } else {
    return way;
  }
  way.insert(way.begin(), middle_of(diagram.boxes[from]));
  way.push_back(middle_of(diagram.boxes[to]));
  return way;
}

std::optional<std::size_t> box_of_stage(const Trace& trace, const Diagram& diagram,
                                        const StageId& requested) {
  const StageId stage = boxed(requested);
  const Architecture& a = trace.architecture();
  const auto shows = [&](const DiagramBox& part) { return canonical(a, part.stage) == canonical(a, stage); };
  if (const auto exact = first_box(diagram, shows)) return exact;
  const auto own = first_box(diagram, [&](const DiagramBox& part) { return encloses(part, stage); });
  if (own) return own;
  // It repeats the numbers of another stage under a second name, or is their sum with the positions.
  if (stage.kind == StageKind::input || info(stage.kind).repeats) {
    const std::vector<StageId> inputs = inputs_of(trace, stage);
    return inputs.empty() ? std::nullopt : box_of_stage(trace, diagram, inputs.back());
  }
  return first_box(diagram, [&](const DiagramBox& part) {
    const std::vector<StageId> inputs = inputs_of(trace, part.stage);
    return std::ranges::find(inputs, stage) != inputs.end();
  });
}

}  // namespace headscope
