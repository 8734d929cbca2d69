#include "app/views/inspector.h"

#include <algorithm>
#include <cmath>

#include "app/parts/derivation_part.h"
#include "app/parts/ranked_words.h"
#include "app/parts/token_strip_part.h"
#include "app/ui/figure_painter.h"
#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "core/figure/bars.h"
#include "core/figure/histogram.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

void heading(Frame& frame, const Pin& cell, const Explanation& explanation) {
  const Theme& theme = frame.ui.theme();
  const bool pinned = frame.session.selection.pin == cell;
  text(frame.ui, number_text(explanation.stored, 5), Font::mono, text_size::sentence, theme.accent);
  if (pinned) {
    ImGui::SameLine(0.0F, frame.ui.px(12.0F));
    if (link(frame.ui, "unpin (Esc)", "Let the inspector follow the mouse again"))
      frame.emit(CommandId::unpin);
  }
  paragraph(frame.ui, explanation.headline, theme.text, text_size::body);
  paragraph(frame.ui, path(cell.stage), theme.quiet);
}

void looks_at(Frame& frame, int query) {
  const Trace& trace = *frame.trace;
  const StageId used = weights_in_use(trace, selected_stage(frame, StageKind::weights));
  const MatrixView weights = trace.value(used);
  if (weights.empty() || query >= weights.rows) return;
  const char* after = used.kind == StageKind::dropped ? ", after dropout" : "";
  section(frame.ui, ("What “" + trace.label(used, Axis::query_tokens, query) + "” looks at" + after).c_str());
  constexpr std::size_t most_bars = 6;
  const std::vector<RankedKey> ranked = ranked_keys(weights, query);
  BarListSpec spec;
  for (std::size_t i = 0; i < std::min(ranked.size(), most_bars); ++i) {
    spec.bars.push_back({trace.label(used, Axis::key_tokens, ranked[i].key), ranked[i].weight,
                         number_text(ranked[i].weight, 3), frame.ui.theme().accent,
                         position_mark(trace.tokens(used, Axis::key_tokens), ranked[i].key)});
  }
  spec.maximum = std::max(1.0, static_cast<double>(ranked.empty() ? 0.0F : ranked.front().weight));
  const float width = ImGui::GetContentRegionAvail().x / frame.ui.scale();
  const Box area{0.0F, 0.0F, width, bar_list_height(spec)};
  figure_item(frame.ui, draw_bars(spec, area, frame.ui.theme(), frame.ui.measure()));
  if (ranked.size() > most_bars) {
    double rest = 0.0;
    for (std::size_t i = most_bars; i < ranked.size(); ++i) rest += static_cast<double>(ranked[i].weight);
    row(frame.ui, std::to_string(ranked.size() - most_bars) + " others in total", number_text(rest, 3));
  }
  double sum = 0.0;
  for (const RankedKey& key : ranked) sum += static_cast<double>(key.weight);
  constexpr double rounding = 1e-3;
  if (std::abs(sum - 1.0) < rounding) {
    row(frame.ui, "entropy", number_text(entropy(weights, query), 3) + " nats");
  } else {
    row(frame.ui, "row sum (not a distribution)", number_text(sum, 3));
  }
}

/// The effect of a causal mask on a model that was trained without one.
void cannot_see(Frame& frame, int query) {
  const Session& session = frame.session;
  const bool reads_both_ways = session.architecture.stacks == Stacks::encoder && !session.task.empty();
  const int after = frame.trace->n_tokens() - frame.trace->batch().n_padded - 1 - query;
  if (!reads_both_ways || !session.attention.mask.causal || after <= 0) return;
  const std::string word =
      frame.trace->label(selected_stage(frame, StageKind::weights), Axis::query_tokens, query);
  notice(frame.ui,
         "The causal mask hides the " + (after == 1 ? "word" : std::to_string(after) + " words") +
             " after “" + word +
             "” in every layer. Its row is the same whatever they are, so it cannot use them. This model was "
             "trained without the mask.",
         NoticeKind::information);
}

/// Other differences from the conditions of training.
void differs_from_training(Frame& frame) {
  const Session& session = frame.session;
  if (!frame.trace_model) return;
  const AttentionOptions& attention = session.attention;
  if (attention.drops()) {
    notice(frame.ui,
           "Dropout is on: some weights are dropped at random, so the model answers worse than it could.",
           NoticeKind::information);
  }
  if (session.architecture.stacks == Stacks::decoder && !attention.mask.causal && !attention.mask.prefix) {
    notice(
        frame.ui,
        "This model was trained with the causal mask: without it, a token sees the words it should predict.",
        NoticeKind::information);
  }
}

/// The model's answer at the token, if its weights were trained for it.
void stands_for(Frame& frame, int query) {
  const bool ends_here = frame.session.selection.stack == frame.trace->architecture().last_stack();
  const bool predicts = frame.trace->has({.kind = StageKind::probabilities}) && frame.trace_model;
  if (!ends_here || !predicts) return;
  constexpr std::size_t most = 4;
  section(frame.ui, prediction_heading(frame, query).c_str());
  ranked_words(frame, query, most);
  answer_notes(frame, query);
  cannot_see(frame, query);
  differs_from_training(frame);
}

void variance(Frame& frame) {
  section(frame.ui, "Before and after scaling");
  const ScoreSpread& spread = frame.screen.spread_of(frame.trace, selected_stage(frame, StageKind::raw));
  const float width = ImGui::GetContentRegionAvail().x / frame.ui.scale();
  constexpr float height = 150.0F;
  figure_item(frame.ui, draw_histograms(spread.raw, spread.scaled, {0.0F, 0.0F, width, height},
                                        frame.ui.theme(), frame.ui.measure()));
  const Statistics& raw = spread.raw.statistics;
  const Statistics& scaled = spread.scaled.statistics;
  const auto both = [](double before, double after) {
    return number_text(before) + " → " + number_text(after);
  };
  row(frame.ui, "variance, divided by n", both(raw.variance, scaled.variance));
  row(frame.ui, "divided by n − 1, as torch.var", both(raw.sample_variance(), scaled.sample_variance()));
}

void introduction(Frame& frame) {
  const Theme& theme = frame.ui.theme();
  text(frame.ui, "Inspector", Font::sans_bold, text_size::title, theme.text);
  paragraph(frame.ui, "Hover over any cell to see how its number was computed. Click to pin it here.",
            theme.quiet, text_size::body);
}

void closing_words(Frame& frame) {
  divider(frame.ui);
  paragraph(
      frame.ui,
      frame.is_untrained()
          ? "Untrained: the weights are random, so these patterns mean nothing about language. Even when "
            "trained, attention shows where a head reads, not on its own why the model answers as it does."
          : "Attention shows where a head reads, not on its own why the model answers as it does.",
      frame.ui.theme().quiet);
}

}  // namespace

void inspector_view(Frame& frame) {
  if (!frame.trace) return;
  const auto cell = inspected(frame);
  const Explanation* explanation = cell ? frame.screen.explanation_of(frame.trace, *cell) : nullptr;
  if (explanation != nullptr) {
    heading(frame, *cell, *explanation);
    derivation_part(frame, *explanation);
  } else {
    introduction(frame);
  }
  if (const auto query = shown_query(frame)) {
    looks_at(frame, *query);
    stands_for(frame, *query);
  }
  const StageKind stage = cell ? cell->stage.kind : frame.session.selection.stage;
  if (stage == StageKind::raw || stage == StageKind::scaled) variance(frame);
  closing_words(frame);
}

}  // namespace headscope
