#include "app/parts/ranked_words.h"

#include <algorithm>

#include "app/ui/figure_painter.h"
#include "core/figure/bars.h"
#include "core/model/trained_model.h"
#include "core/trace/number_text.h"

namespace headscope {

bool fills_in(const Trace& trace) {
  return !trace.is_untrained() && trace.architecture().last_stack() == Stack::encoder;
}

std::string prediction_heading(const Frame& frame, int position) {
  const std::string word = frame.trace->label({.kind = StageKind::logits}, Axis::query_tokens, position);
  if (!fills_in(*frame.trace)) return "After “" + word + "”";
  return is_blank(word) ? "What fills the blank" : "What the model says for “" + word + "”";
}

void ranked_words(Frame& frame, int position, std::size_t most) {
  const StageId stage{.kind = StageKind::probabilities};
  const MatrixView probabilities = frame.trace->value(stage);
  const MatrixView logits = frame.trace->value({.kind = StageKind::logits});
  std::vector<int> order(static_cast<std::size_t>(probabilities.cols));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  most = std::min(order.size(), most);
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(most), [&](int a, int b) {
    const float left = logits(position, a);
    const float right = logits(position, b);
    return left != right ? left > right : a < b;
  });
  order.resize(most);
  BarListSpec spec;
  for (const int word : order) {
    const float probability = probabilities(position, word);
    const std::string label = frame.trace->label(stage, Axis::vocabulary, word);
    spec.bars.push_back({label.starts_with("[new") ? "unknown word" : label, probability,
                         number_text(probability, 3), frame.ui.theme().accent});
  }
  spec.maximum = 1.0;
  const Box area{0.0F, 0.0F, ImGui::GetContentRegionAvail().x / frame.ui.scale(), bar_list_height(spec)};
  figure_item(frame.ui, draw_bars(spec, area, frame.ui.theme(), frame.ui.measure()));
}

}  // namespace headscope
