#include "app/views/positions.h"

#include <algorithm>
#include <array>

#include "app/parts/position_controls.h"
#include "app/parts/position_picture.h"
#include "app/parts/stage_map.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

constexpr float spacing = 24.0F;

void heading(Frame& frame, const std::string& title, const std::string& detail) {
  const Theme& theme = frame.ui.theme();
  text_line(frame.ui,
            {{title, Font::sans_bold, text_size::body, theme.text},
             {detail, Font::sans, text_size::small, theme.quiet}},
            12.0F);
}

/// A part of a row of pictures, with wrapped words of its own.
class Column {
 public:
  Column(const char* id, ImVec2 size) {
    constexpr bool padded = false;
    begin_child(id, size, padded, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  }
  ~Column() { ImGui::EndChild(); }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
};

void turned_pairs(Frame& frame, const PositionSource& source, float height) {
  struct Part {
    PositionPicture picture;
    const char* title;
  };
  constexpr std::array<Part, 3> parts{{{PositionPicture::angles, "Angles in radians"},
                                       {PositionPicture::cosines, "Their cosines"},
                                       {PositionPicture::sines, "Their sines"}}};
  const float between = frame.ui.px(16.0F);
  const float width = (ImGui::GetContentRegionAvail().x - 2.0F * between) / 3.0F;
  for (const Part& part : parts) {
    if (part.picture != PositionPicture::angles) ImGui::SameLine(0.0F, between);
    const Column column(part.title, {width, height});
    heading(frame, part.title, "");
    position_picture(frame, part.picture, source, ImGui::GetContentRegionAvail());
  }
}

void large_picture(Frame& frame, const PositionSource& source, float room) {
  const float height = std::clamp(room * 0.34F, frame.ui.px(200.0F), frame.ui.px(380.0F));
  const Positions kind = source.architecture.positions;
  const std::string n = std::to_string(source.n_positions) + " positions";
  if (kind == Positions::rotary) return turned_pairs(frame, source, height);
  if (source.architecture.biases_positions()) {
    heading(frame, "What each head adds by distance", "hover over a cell for its number");
    const float lines = frame.ui.px(static_cast<float>(source.architecture.n_heads) * 32.0F + 64.0F);
    return position_picture(frame, PositionPicture::biases, source,
                            {ImGui::GetContentRegionAvail().x, std::min(height, lines)});
  }
  const int width = has_free_width(kind) ? source.width : source.table.cols;
  heading(frame, n + " × " + std::to_string(width) + " dimensions",
          "what is added to a word at each position; hover over a cell for its number");
  position_picture(frame, PositionPicture::rows, source, {ImGui::GetContentRegionAvail().x, height});
}

MapLook look_of_column() {
  MapLook look;
  look.max_cell = 32.0F;
  look.font_size = 12.0F;
  return look;
}

/// The stage of the present pass alone, also while differences are shown: the pass before may not have it.
void present_stage(Frame& frame, const char* slot, const StageId& stage, ImVec2 size) {
  Frame present = frame;
  present.before.reset();
  stage_map(present, slot, stage, size, look_of_column());
}

const char* meaning_of_products(Positions kind) {
  switch (kind) {
    case Positions::rotary:
      return "Σ cos(difference of their angles): the product of two equal vectors after the rotations, "
             "relative to before.";
    case Positions::learned:
      return "The product of their rows. Random rows resemble only themselves.";
    default:
      return "The product of their rows: largest with itself, the same at equal distances.";
  }
}

void similarity(Frame& frame, const PositionSource& source) {
  if (source.architecture.biases_positions()) {
    StageId bias = selected_stage(frame, StageKind::position_bias);
    bias.attention = AttentionKind::self;
    heading(frame, "What head " + std::to_string(bias.head) + " adds to each score", "");
    paragraph(frame.ui, "The bias for the distance from query (row) to key (column), whatever the words.",
              frame.ui.theme().quiet);
    return present_stage(frame, "positions bias", bias, ImGui::GetContentRegionAvail());
  }
  heading(frame, "How similar two positions are", "");
  paragraph(frame.ui, meaning_of_products(source.architecture.positions), frame.ui.theme().quiet);
  position_picture(frame, PositionPicture::products, source, ImGui::GetContentRegionAvail());
}

void no_positions(Frame& frame) {
  const Theme& theme = frame.ui.theme();
  heading(frame, "A bag of words", "");
  paragraph(frame.ui,
            "Attention compares words, not places. Without positions and a mask, reordering the words only "
            "reorders the rows and columns of every map: no number in them changes.",
            theme.text, text_size::body);
  ImGui::Dummy({0.0F, frame.ui.px(4.0F)});
  struct Way {
    const char* label;
    Positions kind;
    const char* what;
  };
  constexpr std::array<Way, 3> ways{{{"Add waves", Positions::sinusoidal, "a row for each position"},
                                     {"Turn pairs", Positions::rotary, "of queries and keys, by position"},
                                     {"Bias scores", Positions::alibi, "by the distance between two words"}}};
  for (const Way& way : ways) {
    const ButtonLook look = way.kind == Positions::sinusoidal ? ButtonLook::primary : ButtonLook::plain;
    if (button(frame.ui, way.label, way.what, "", look, frame.ui.px(96.0F)))
      choose_positions(frame, way.kind);
    ImGui::SameLine(0.0F, frame.ui.px(12.0F));
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + frame.ui.px(6.0F));
    text_line(frame.ui, {{way.what, Font::sans, text_size::control, theme.quiet}});
  }
}

/// Under the title of the weights.
const char* note_on_weights(const Frame& frame) {
  if (frame.shows_difference()) {
    return "Above zero: what the last change added; below: what it removed. Shift+D returns to the weights.";
  }
  const Architecture& a = frame.trace->architecture();
  const bool in_scores = a.positions == Positions::rotary || a.biases_positions();
  if (in_scores && frame.session.selection.attention == AttentionKind::cross) {
    return "These positions apply only to self-attention: cross-attention has none.";
  }
  return "Choose other positions, then press Shift+D to see here what changed.";
}

void what_changes(Frame& frame) {
  const StageId weights = selected_stage(frame, StageKind::weights);
  const bool changed = frame.shows_difference();
  heading(frame, "Attention weights of head " + std::to_string(weights.head), changed ? "now − before" : "");
  paragraph(frame.ui, note_on_weights(frame), frame.ui.theme().quiet);
  stage_map(frame, "positions weights", weights, ImGui::GetContentRegionAvail(), look_of_column());
}

void two_columns(Frame& frame, const PositionSource& source, float room) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float between = frame.ui.px(spacing);
  const bool side_by_side = width > frame.ui.px(520.0F);
  const float column = side_by_side ? (width - between) / 2.0F : width;
  const float rest = std::max(room * 0.48F, ImGui::GetContentRegionAvail().y);
  const float height = std::clamp(rest, frame.ui.px(300.0F), frame.ui.px(480.0F));
  {
    const Column left("left", {column, height});
    if (source.architecture.positions == Positions::none) {
      no_positions(frame);
    } else {
      similarity(frame, source);
    }
  }
  if (side_by_side) ImGui::SameLine(0.0F, between);
  const Column right("right", {column, height});
  what_changes(frame);
}

/// Where the positions meet this sentence: the rows that are added, or the queries that are turned.
void in_this_sentence(Frame& frame, const PositionSource& source) {
  const bool turns = source.architecture.positions == Positions::rotary;
  if (!turns && !source.architecture.adds_positions()) return;
  const StageId stage = selected_stage(frame, turns ? StageKind::rotated_query : StageKind::positions);
  if (!frame.trace->has(stage)) return;
  const MatrixView values = frame.trace->value(stage);
  const std::string of_head = " of head " + std::to_string(stage.head);
  heading(frame, turns ? "This sentence's queries" + of_head + ", turned" : "This sentence's own rows",
          shape_text(values) + ", click a cell to see how it was computed");
  const float lines = frame.ui.px(static_cast<float>(values.rows) * 22.0F + 56.0F);
  const ImVec2 size{ImGui::GetContentRegionAvail().x, std::min(lines, frame.ui.px(400.0F))};
  present_stage(frame, "positions own", stage, size);
}

}  // namespace

void positions_view(Frame& frame) {
  const float room = ImGui::GetContentRegionAvail().y;
  const Panel panel(frame.ui, "positions", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  const PositionSource source = shown_positions(frame);
  const Positions kind = source.architecture.positions;
  position_choice(frame);
  if (kind == Positions::none) {
    ImGui::Dummy({0.0F, frame.ui.px(8.0F)});
  } else {
    position_sizes(frame, kind);
    large_picture(frame, source, room);
  }
  two_columns(frame, source, room);
  in_this_sentence(frame, source);
}

}  // namespace headscope
