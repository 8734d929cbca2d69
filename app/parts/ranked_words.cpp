#include "app/parts/ranked_words.h"

#include <algorithm>

#include "app/ui/figure_painter.h"
#include "core/figure/bars.h"
#include "core/model/trained_model.h"
#include "core/trace/number_text.h"

namespace headscope {

namespace {

/// The 3 of “[new3]”, a placeholder that stands for no word of the sentence; empty where it is a word.
std::string placeholder_number(const std::string& word) {
  constexpr std::string_view opening = "[new";
  if (!word.starts_with(opening) || !word.ends_with("]")) return {};
  return word.substr(opening.size(), word.size() - opening.size() - 1);
}

}  // namespace

bool fills_in(const Trace& trace) {
  return !trace.is_untrained() && trace.architecture().last_stack() == Stack::encoder;
}

std::string prediction_heading(const Frame& frame, int position) {
  const std::string word = frame.trace->label({.kind = StageKind::logits}, Axis::query_tokens, position);
  if (!fills_in(*frame.trace)) return "After “" + word + "”";
  return is_blank(word) ? "What fills the blank" : "The model's answer for “" + word + "”";
}

namespace {

int greatest(std::span<const float> row) {
  return static_cast<int>(std::ranges::max_element(row) - row.begin());
}

/// "Layer 1 head 2 looks most at “street”, but the model answers “animal”."
std::string looks_elsewhere(const Frame& frame, int position) {
  const Trace& trace = *frame.trace;
  const StageId head = selected_stage(frame, StageKind::weights);
  const StageId logits{.kind = StageKind::logits};
  if (head.stack != trace.architecture().last_stack() || !trace.has(head)) return {};
  const int key = greatest(trace.value(head).row(position));
  const std::string answer =
      trace.label(logits, Axis::vocabulary, greatest(trace.value(logits).row(position)));
  const Token& token = trace.tokens(head, Axis::key_tokens)[static_cast<std::size_t>(key)];
  if (token.lookup == answer) return {};
  return "Layer " + std::to_string(head.layer) + " head " + std::to_string(head.head) + " looks most at “" +
         trace.label(head, Axis::key_tokens, key) + "”, but the model answers “" + answer + "”.";
}

}  // namespace

void answer_notes(Frame& frame, int position) {
  const Demand demand = frame.trace->demand(position);
  if (demand == Demand::repeats) return;
  if (demand == Demand::guess) notice(frame.ui, "Outside what it learned: a guess.", NoticeKind::information);
  const std::string asks = frame.trace->label({.kind = StageKind::logits}, Axis::query_tokens, position);
  if (is_blank(asks)) return;
  const std::string elsewhere = looks_elsewhere(frame, position);
  if (!elsewhere.empty()) paragraph(frame.ui, elsewhere.c_str(), frame.ui.theme().quiet);
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
    const std::string number = placeholder_number(label);
    spec.bars.push_back({number.empty() ? label : "unknown word", probability, number_text(probability, 3),
                         frame.ui.theme().accent, number.empty() ? "" : " " + number});
  }
  spec.maximum = 1.0;
  const Box area{0.0F, 0.0F, ImGui::GetContentRegionAvail().x / frame.ui.scale(), bar_list_height(spec)};
  figure_item(frame.ui, draw_bars(spec, area, frame.ui.theme(), frame.ui.measure()));
}

}  // namespace headscope
