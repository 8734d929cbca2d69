#include "app/parts/position_controls.h"

#include <algorithm>
#include <array>

#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/page/pages.h"
#include "core/session/settings.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr int min_positions = 2;
constexpr int max_positions = 256;
constexpr int document_positions = 20;
constexpr int document_width = 512;

bool counts_distances(Positions kind) {
  return kind == Positions::relative || kind == Positions::alibi;
}

constexpr std::array position_panel{
    item("architecture.positions"),         item("architecture.rotary.base"),
    item("architecture.rotary.local_base"), item("architecture.rotary.fraction"),
    item("architecture.rotary.pairing"),    item("architecture.rotary.scaling"),
    item("architecture.rotary.factor"),     item("architecture.rotary.original_length"),
    item("architecture.relative_buckets"),
};

/// One slider in the row of controls.
void size_slider(Frame& frame, const char* label, int& value, const IntRange& range, const char* hint) {
  constexpr bool padded = false;
  const float width = std::min(frame.ui.px(160.0F), ImGui::GetWindowWidth() * 0.25F);
  begin_child(label, {width, frame.ui.px(38.0F)}, padded,
              ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  slider_int(frame.ui, label, value, range, hint);
  end_child();
  ImGui::SameLine(0.0F, frame.ui.px(24.0F));
}

/// Links to useful sizes: those of the document, and those of the model itself.
void preset_sizes(Frame& frame, Positions kind) {
  ScreenState& shown = frame.screen;
  const bool free_width = has_free_width(kind);
  const auto n_tokens = static_cast<int>(frame.trace->tokens(frame.session.selection.stack).size());
  const int n = std::clamp(counts_distances(kind) ? n_tokens - 1 : n_tokens, min_positions, max_positions);
  const int width = frame.trace->architecture().d_model;
  const auto size = [free_width](int rows, int cols) {
    return std::to_string(rows) + (free_width ? " × " + std::to_string(cols) : "");
  };
  const std::string usual = size(document_positions, document_width);
  const std::string own = size(n, width) + (free_width ? ", as in the model" : ", as in the sentence");
  if (link(frame.ui, usual.c_str(), "The size of the well-known picture")) {
    shown.n_positions = document_positions;
    shown.position_width = document_width;
  }
  ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  if (link(frame.ui, own.c_str(), "The size of this sentence in the model")) {
    shown.n_positions = n;
    shown.position_width = width;
  }
}

}  // namespace

const std::array<std::string, enum_count<Positions>>& position_names() {
  static const auto names = [] {
    std::array<std::string, enum_count<Positions>> all;
    std::ranges::copy(control::positions, all.begin());
    return all;
  }();
  return names;
}

std::span<const PanelItem> position_items() {
  return position_panel;
}

std::string position_summary(const Session& session) {
  const Architecture& a = session.architecture;
  WordList words;
  words.add(position_names()[index_of(a.positions)]);
  if (control::scales_rotary(session)) words.add(control::scalings[index_of(a.rotary.scaling)]);
  if (a.uses_rotary() && a.rotary.fraction < 1.0F)
    words.add(number_text(static_cast<double>(a.rotary.fraction)) + " turn");
  if (a.positions == Positions::relative && a.relative_buckets)
    words.add(std::to_string(*a.relative_buckets) + " buckets");
  return words.text("none");
}

void choose_positions(Frame& frame, Positions kind) {
  change_setting(frame, setting("architecture.positions"), std::string(enum_name(kind)));
}

void position_choice(Frame& frame) {
  int kind = static_cast<int>(frame.session.architecture.positions);
  if (segmented(frame.ui, "kinds", position_names(), kind, setting("architecture.positions").sentence)) {
    choose_positions(frame, static_cast<Positions>(kind));
  }
}

void position_sizes(Frame& frame, Positions kind) {
  ScreenState& shown = frame.screen;
  const char* count_text = counts_distances(kind) ? "longest distance" : "positions";
  size_slider(frame, count_text, shown.n_positions, {min_positions, max_positions, 1, true},
              "Number of positions shown");
  if (has_free_width(kind)) {
    size_slider(frame, "dimensions", shown.position_width, {2, ArchitectureLimits::max_d_model, 2, true},
                "Width of the rows shown; the model's own are d_model wide");
    shown.position_width += shown.position_width % 2;  // every wave has a sine and a cosine
  }
  constexpr bool padded = false;
  begin_child("default sizes", {ImGui::GetContentRegionAvail().x, frame.ui.px(38.0F)}, padded,
              ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::SetCursorPosY(frame.ui.px(12.0F));
  preset_sizes(frame, kind);
  end_child();
}

}  // namespace headscope
