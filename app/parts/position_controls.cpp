#include "app/parts/position_controls.h"

#include <algorithm>
#include <array>

#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

constexpr int fewest_positions = 2;
constexpr int most_positions = 256;
constexpr int document_positions = 20;
constexpr int document_width = 512;

struct About {
  const char* title;
  const char* formula;
  const char* sentence;
};

constexpr auto abouts = one_for_each<Positions, About>(
    About{"No positions", "X = E", "Only the words enter the model: it cannot tell one order from another."},
    About{
        "Sinusoidal, interleaved", "P[t, 2i] = sin(t / 10000^(2i/d))   P[t, 2i + 1] = cos(same)",
        "Each pair of dimensions is a sine and a cosine of one wavelength, short on the left and long on the "
        "right; a position's row is added to the word's embedding."},
    About{"Sinusoidal, split halves", "P[t, i] = sin(t / 10000^(i/(h − 1)))   P[t, h + i] = cos(same)",
          "The same waves, with all sines in the left half (h = d/2 columns) and all cosines in the right: "
          "hence "
          "the split down the centre of the well-known picture."},
    About{"Learned", "P[t] = row t of a table",
          "Every position has its own row of numbers, learned in training. Before training they are random; "
          "the "
          "table ends at 1024 positions."},
    About{
        "Rotary", "(q[2i], q[2i + 1]) turned by t / 10000^(2i/d_head), likewise k",
        "Nothing is added: each pair of a query's and a key's numbers is turned by an angle that grows with "
        "the position, so that their product depends on the distance alone."},
    About{
        "Relative", "score[q, k] + b[head, k − q]",
        "Each head adds one learned number per distance between query and key to a score; distances of 16 or "
        "more share one number."},
    About{"ALiBi", "score[q, k] − m · |k − q|",
          "Each head lowers a score in proportion to the distance, with its own fixed slope m."});

bool counts_distances(Positions kind) {
  return kind == Positions::relative || kind == Positions::alibi;
}

void explanation(Frame& frame, Positions kind) {
  const Theme& theme = frame.ui.theme();
  const About& about = abouts[index_of(kind)];
  ImGui::Dummy({0.0F, frame.ui.px(2.0F)});
  text_line(frame.ui,
            {{about.title, Font::sans_bold, text_size::title, theme.text},
             {about.formula, Font::mono, text_size::mono, theme.text}},
            16.0F);
  paragraph(frame.ui, about.sentence, theme.quiet, text_size::body);
}

/// One slider of the row of controls.
void size_slider(Frame& frame, const char* label, int& value, const IntRange& range, const char* hint) {
  constexpr bool padded = false;
  const float width = std::min(frame.ui.px(160.0F), ImGui::GetWindowWidth() * 0.25F);
  begin_child(label, {width, frame.ui.px(38.0F)}, padded,
              ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  slider_int(frame.ui, label, value, range, hint);
  ImGui::EndChild();
  ImGui::SameLine(0.0F, frame.ui.px(24.0F));
}

/// Sizes that are worth a click: the document's, and what the model itself has.
void usual_sizes(Frame& frame, Positions kind) {
  PositionCache& shown = frame.screen.positions;
  const bool free_width = has_free_width(kind);
  const auto n_tokens = static_cast<int>(frame.trace->tokens(frame.session.selection.stack).size());
  const int n =
      std::clamp(counts_distances(kind) ? n_tokens - 1 : n_tokens, fewest_positions, most_positions);
  const int width = frame.trace->architecture().d_model;
  const auto size = [free_width](int rows, int cols) {
    return std::to_string(rows) + (free_width ? " × " + std::to_string(cols) : "");
  };
  const std::string usual = size(document_positions, document_width);
  const std::string own = size(n, width) + (free_width ? ", as in the model" : ", as in the sentence");
  if (link(frame.ui, usual.c_str(), "The size of the well-known picture")) {
    shown.n_positions = document_positions;
    shown.width = document_width;
  }
  ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  if (link(frame.ui, own.c_str(), "The size of this sentence in the model")) {
    shown.n_positions = n;
    shown.width = width;
  }
}

}  // namespace

const std::array<std::string, enum_count<Positions>>& position_names() {
  static const auto names = one_for_each<Positions, std::string>("none", "sinusoidal", "split halves",
                                                                 "learned", "rotary", "relative", "ALiBi");
  return names;
}

void choose_positions(Frame& frame, Positions kind) {
  Architecture a = frame.session.architecture;
  a.positions = kind;
  frame.emit(SetArchitecture{a});
}

void position_choice(Frame& frame) {
  int kind = static_cast<int>(frame.session.architecture.positions);
  if (segmented(frame.ui, "kinds", position_names(), kind, setting("architecture.positions").sentence)) {
    choose_positions(frame, static_cast<Positions>(kind));
  }
  explanation(frame, frame.trace->architecture().positions);
}

bool has_free_width(Positions kind) {
  return kind == Positions::sinusoidal || kind == Positions::split;
}

void position_sizes(Frame& frame, Positions kind) {
  PositionCache& shown = frame.screen.positions;
  const char* counted = counts_distances(kind) ? "longest distance" : "positions";
  size_slider(frame, counted, shown.n_positions, {fewest_positions, most_positions, 1, true},
              "Number of positions shown");
  if (has_free_width(kind)) {
    size_slider(frame, "dimensions", shown.width, {2, ArchitectureLimits::max_d_model, 2, true},
                "Width of the rows shown; the model's own are d_model wide");
    shown.width += shown.width % 2;  // every wave has a sine and a cosine
  }
  constexpr bool padded = false;
  begin_child("default sizes", {ImGui::GetContentRegionAvail().x, frame.ui.px(38.0F)}, padded,
              ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::SetCursorPosY(frame.ui.px(12.0F));
  usual_sizes(frame, kind);
  ImGui::EndChild();
}

}  // namespace headscope
