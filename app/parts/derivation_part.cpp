#include "app/parts/derivation_part.h"

#include <algorithm>

#include "app/ui/figure_painter.h"
#include "app/widgets/text.h"
#include "core/figure/strip.h"

namespace headscope {
namespace {

/// Strips of thousands of numbers (a wide projection) would fill the column; the rest is summarised in words.
constexpr std::size_t most_cells = 256;

void one_strip(Frame& frame, const Explanation::Strip& strip) {
  const std::size_t n = std::min(strip.values.size(), most_cells);
  StripSpec spec;
  spec.label = strip.label;
  spec.label_width = 124.0F;
  spec.values.assign(strip.values.begin(), strip.values.begin() + static_cast<std::ptrdiff_t>(n));
  const MatrixView all{strip.values.data(), 1, static_cast<int>(strip.values.size()),
                       static_cast<std::ptrdiff_t>(strip.values.size())};
  const bool is_signed = std::ranges::any_of(strip.values, [](float value) { return value < 0.0F; });
  PictureOptions picture = frame.session.picture;
  picture.range = RangeMode::map;
  picture.transfer = Transfer::linear;
  spec.scale = ColorScale(picture, is_signed, all, {}, hidden_magnitude);
  const float scale = frame.ui.scale();
  const float width = ImGui::GetContentRegionAvail().x / scale;
  const StripLayout layout = layout_strip(spec, {0.0F, 0.0F}, width);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const auto under_mouse = layout.index_at(to_figure(ImGui::GetIO().MousePos, origin, scale));
  if (under_mouse && ImGui::IsWindowHovered()) {
    spec.hovered = under_mouse;
    const auto i = static_cast<std::size_t>(*under_mouse);
    const std::string name =
        i < strip.names.size() ? "“" + strip.names[i] + "”" : "dimension " + std::to_string(i);
    tooltip(frame.ui, strip.label + ", " + name + ": " + number_text(strip.values[i], 6));
  }
  figure_item(frame.ui, draw_strip(spec, layout, frame.ui.theme(), frame.ui.measure()));
  if (n < strip.values.size()) {
    paragraph(frame.ui, "… and " + std::to_string(strip.values.size() - n) + " more", frame.ui.theme().quiet);
  }
}

}  // namespace

void derivation_part(Frame& frame, const Explanation& explanation) {
  section(frame.ui, "How this number was computed");
  text(frame.ui, explanation.formula, Font::mono, text_size::small, frame.ui.theme().quiet);
  for (const Explanation::Strip& strip : explanation.strips) one_strip(frame, strip);
  for (std::size_t i = 0; i < explanation.steps.size(); ++i) {
    const Explanation::Step& step = explanation.steps[i];
    const bool last = i + 1 == explanation.steps.size();
    row(frame.ui, step.label, number_text(step.value, 5), last);
    if (!step.note.empty()) paragraph(frame.ui, step.note, frame.ui.theme().quiet);
  }
}

}  // namespace headscope
