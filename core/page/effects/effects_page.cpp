#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <tuple>

#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/bar_tables.h"
#include "core/page/parts/covered.h"
#include "core/session/names.h"
#include "core/tensor/descending.h"
#include "core/text/number_text.h"
#include "core/trace/guess.h"
#include "core/trace/place_text.h"
#include "core/trace/summary.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

/// The effect of a part on a prediction. Unknown values are empty.
struct PartLine {
  ModelPart part;
  /// The loss without the part has the sign of what the part adds.
  std::optional<double> logit_lost, probability_lost, direct, gradient;
  /// An intervention has switched the head off, so switching it off has no further effect.
  bool is_off = false;
};

bool is_off(const Trace& trace, const ModelPart& part) {
  if (part.kind != ModelPart::Kind::head) return false;
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(part.place);
  return edits != nullptr && edits->scale == 0.0F;
}

bool belongs_to(const DirectPart& summand, const ModelPart& part) {
  using Kind = DirectPart::Kind;
  if (part.kind == ModelPart::Kind::head) return summand.kind == Kind::head && summand.place == part.place;
  if (summand.place.layer != part.place.layer || summand.place.stack != part.place.stack) return false;
  if (part.kind == ModelPart::Kind::feed_forward) return summand.kind == Kind::feed_forward;
  return summand.kind != Kind::input && summand.kind != Kind::output_bias;
}

/// One line for each part, in the order of the model. `effects` is null if they are not known.
/// `gradients` are the attention × gradient of all heads, or empty.
std::vector<PartLine> lines_of(const Trace& trace, const PartEffects* effects, const DirectParts& direct,
                               const std::vector<double>& gradients) {
  std::vector<PartLine> lines;
  std::size_t n_heads = 0;
  for (const ModelPart& part : parts_of(trace.architecture())) {
    PartLine line{part, {}, {}, {}, {}, is_off(trace, part)};
    if (part.kind == ModelPart::Kind::head && n_heads < gradients.size())
      line.gradient = gradients[n_heads++];
    if (effects != nullptr && !line.is_off) {
      const PartEffect& effect = effects->parts[lines.size()];
      line.logit_lost = effects->logit - effect.logit;
      line.probability_lost = effects->probability - effect.probability;
    }
    for (const DirectPart& summand : direct.parts) {
      if (!line.is_off && belongs_to(summand, part)) line.direct = line.direct.value_or(0.0) + summand.logit;
    }
    lines.push_back(line);
  }
  return lines;
}

/// The heads and feed-forward layers, in order; whole layers would dwarf them. If there are more than `most`,
/// those that change the prediction most or, if that is unknown, add most to it; at least half are heads.
std::vector<PartLine> shown_lines(std::vector<PartLine> lines, std::size_t most) {
  std::erase_if(lines, [](const PartLine& line) { return line.part.kind == ModelPart::Kind::layer; });
  if (lines.size() <= most) return lines;
  const auto weight = [](const PartLine& line) {
    return std::fabs(line.logit_lost.value_or(line.direct.value_or(0.0)));
  };
  std::ranges::stable_sort(lines, Descending{}, weight);
  const auto first_other = std::stable_partition(lines.begin(), lines.end(), [](const PartLine& line) {
    return line.part.kind == ModelPart::Kind::head;
  });
  const std::ptrdiff_t n_others =
      std::min<std::ptrdiff_t>(lines.end() - first_other, static_cast<std::ptrdiff_t>(most / 2));
  const std::ptrdiff_t n_heads =
      std::min<std::ptrdiff_t>(first_other - lines.begin(), static_cast<std::ptrdiff_t>(most) - n_others);
  lines.erase(first_other + n_others, lines.end());
  lines.erase(lines.begin() + n_heads, first_other);
  return lines;
}

/// The prefix “encoder ” or “decoder ” of a name. Empty if the model has only one stack.
std::string stack_prefix(const Architecture& a, const HeadId& place) {
  if (!a.has(Stack::encoder) || !a.has(Stack::decoder)) return {};
  return std::string(enum_name(place.stack)) + " ";
}

std::string layer_text(const Architecture& a, const HeadId& place) {
  return stack_prefix(a, place) + "layer " + std::to_string(place.layer);
}

/// “1.2” for a head, “FF 1” for a feed-forward layer, and “layer 1” for a whole layer.
std::string part_label(const Architecture& a, const ModelPart& part) {
  if (part.kind == ModelPart::Kind::head) return head_label(a, part.place);
  return part.kind == ModelPart::Kind::layer
             ? layer_text(a, part.place)
             : stack_prefix(a, part.place) + "FF " + std::to_string(part.place.layer);
}

/// The ablation of a part: “Switching off layer 1, head 2”.
std::string ablation_text(const Trace& trace, const ModelPart& part) {
  if (part.kind == ModelPart::Kind::head) return "Switching off " + head_text(trace, part.place);
  const std::string layer = layer_text(trace.architecture(), part.place);
  return part.kind == ModelPart::Kind::layer ? "Skipping " + layer
                                             : "Switching off the feed-forward layer of " + layer;
}

constexpr float gap_of_columns = 32.0F;
constexpr float side_width = 320.0F;
constexpr float min_table_width = 420.0F;  ///< The width of the table beside which the other parts fit.
constexpr float min_line_height = 20.0F;   ///< The height of a head's line.
constexpr float max_line_height = 44.0F;
constexpr std::size_t listed_words = 6;

double estimated_seconds(const Trace& trace) {
  return estimated_seconds(trace, std::ssize(parts_of(trace.architecture())));
}

const Result<PredictionParts>* parts_of(const PageInputs& in, PageTools& tools,
                                        const Prediction& prediction) {
  return tools.find(ExplainedPrediction{in.trace, prediction});
}

std::string word_of_prediction(const Trace& trace, const Prediction& prediction) {
  return quoted_word(trace.label(logits_stage, Axis::vocabulary, prediction.word));
}

/// The probability of a word with and without a part: “ (0.96 → 0.03)”.
std::string from_to(const PartEffects& effects, const PartEffect& effect) {
  return " (" + rounded_text(effects.probability) + " → " + rounded_text(effect.probability) + ")";
}

/// "Switching off layer 1, head 2 takes 0.93 from “animal” (0.96 → 0.03)."
std::string effect_sentence(const Trace& trace, const Prediction& prediction, const PartEffects& effects,
                            const PartEffect& effect) {
  if (is_off(trace, effect.part)) {
    return "An intervention has switched " + head_text(trace, effect.part.place) +
           " off, so it has no effect on the prediction.";
  }
  const double change = effect.probability - effects.probability;
  const std::string word = word_of_prediction(trace, prediction);
  const std::string what = ablation_text(trace, effect.part);
  constexpr double smallest = 0.005;
  if (std::fabs(change) < smallest)
    return what + " changes the probability of " + word + " by less than " + number_text(smallest) +
           from_to(effects, effect) + ".";
  return what + (change < 0.0 ? " takes " : " adds ") + rounded_text(std::fabs(change)) +
         (change < 0.0 ? " from " : " to ") + word + from_to(effects, effect) + ".";
}

/// "It gives 0.998 of its attention to “animal”, …" for a head that matters little. Empty for others.
std::string lesson_of(const PageInputs& in, const Prediction& prediction, const PartEffects& effects,
                      const PartEffect& effect) {
  constexpr double most_of_attention = 0.5;
  constexpr double little = 0.05;
  const Trace& trace = *in.trace;
  const StageId weights = stage_in(effect.part.place, StageKind::weights);
  const bool has_row = effect.part.place.stack == trace.architecture().last_stack() && trace.has(weights) &&
                       trace.is_quick_to_read(weights) && prediction.row < trace.extent(weights).rows;
  if (!has_row || is_off(trace, effect.part)) return {};
  const StageNumbers numbers = trace.read_row(weights, prediction.row);
  const std::vector<RankedKey> keys = ranked_keys(numbers.view, 0);
  const double gain = effect.probability - effects.probability;
  const double change = std::fabs(gain);
  if (keys.empty() || static_cast<double>(keys.front().weight) < most_of_attention || change >= little)
    return {};
  const std::string change_text = in.number(change);
  constexpr double least = 0.0005;
  const std::string without_it =
      gain > least
          ? "the answer gains " + change_text + ": what it adds helps other words more."
          : (change < least ? "the answer hardly changes" : "the answer changes by only " + change_text) +
                ": other parts of the model support it too.";
  return "It gives " + in.number(keys.front().weight) + " of its attention to " +
         quoted_word(trace.label(weights, Axis::key_tokens, keys.front().key)) + ", yet without it " +
         without_it + " Attention shows where a head looks, not what depends on it.";
}

/// The effect of the head that changes the prediction most.
const PartEffect& max_effect(const Trace& trace, const PartEffects& effects) {
  return *std::ranges::max_element(effects.parts, {}, [&](const PartEffect& effect) {
    const bool is_head = effect.part.kind == ModelPart::Kind::head;
    const double change = std::fabs(effect.probability - effects.probability);
    return !is_head ? -2.0 : is_off(trace, effect.part) ? -1.0 : change;
  });
}

/// The effect of a part. Null if it is not among the parts.
const PartEffect* effect_of(const PartEffects& effects, const ModelPart& part) {
  const auto found = std::ranges::find(effects.parts, part, &PartEffect::part);
  return found == effects.parts.end() ? nullptr : &*found;
}

/// The layers between the last layer and the logits: "the last norm and the final layer".
std::string end_of_model(const Trace& trace, std::string_view norm, std::string_view layer) {
  const Architecture& a = trace.architecture();
  return (a.has_final_norm(a.last_stack()) ? std::string(norm) + " and " : "") + std::string(layer);
}

void about_parts(PageBuilder& page, const Trace& trace, const Prediction& prediction,
                 const DirectParts& direct) {
  page.section("Parts of the logit");
  if (!direct.absent.empty()) return page.paragraph("Not shown: " + direct.absent + ".");
  using Kind = DirectPart::Kind;
  constexpr int max_layers = 4;  // The greatest number of layers that have a line each.
  const bool adds_layers_up = trace.architecture().n_layers > max_layers;
  const double resolution = logit_resolution(trace, prediction.row);
  const auto logit_text = [&](double logit) {
    return std::fabs(logit) <= resolution && logit != 0.0 ? "≈0" : rounded_text(logit);
  };
  const auto sum_of = [&](Kind kind) {
    double sum = 0.0;
    for (const DirectPart& part : direct.parts) sum += part.kind == kind ? part.logit : 0.0;
    return logit_text(sum);
  };
  page.row("embedding and position", sum_of(Kind::input));
  page.row("heads, each on its own", sum_of(Kind::head));
  page.row("biases of attention", sum_of(Kind::attention_bias));
  if (adds_layers_up) page.row("feed-forward layers", sum_of(Kind::feed_forward));
  for (const DirectPart& part : direct.parts) {
    if (part.kind == Kind::feed_forward && !adds_layers_up)
      page.row("feed-forward of layer " + std::to_string(part.place.layer), logit_text(part.logit));
  }
  page.row(end_of_model(trace, "last norm", "output bias"), sum_of(Kind::output_bias));
  page.row("logit, their sum", logit_text(direct.total), true);
}

void about_layers(PageBuilder& page, const Trace& trace, const Prediction& prediction,
                  const std::vector<LayerGuess>& guesses) {
  page.section("Logit lens: what each layer would answer");
  for (const LayerGuess& guess : guesses) {
    const auto add = [&](int word, double probability) {
      page.row(
          "layer " + std::to_string(guess.layer) + ": " + trace.label(logits_stage, Axis::vocabulary, word),
          rounded_text(probability));
    };
    add(guess.best, guess.best_probability);
    if (guess.best != prediction.word) add(prediction.word, guess.probability);
  }
  page.paragraph("What " + end_of_model(trace, "the last norm", "the final layer") +
                 " would predict from the row if this layer were the last: its likeliest word and " +
                 word_of_prediction(trace, prediction) + ", with their probabilities.");
}

Page side_of(const PageInputs& in, PageTools& tools, float width, const Prediction& prediction,
             const PredictionParts& parts) {
  PageBuilder page(in, tools, width);
  page.line({page.bold(prediction_heading(*in.trace, prediction.row))});
  add_ranked_words(page, in, prediction.row, listed_words);
  if (!in.in_file)
    page.paragraph("Click a word to see what the heads do to it; click it again for the likeliest one.");
  if (parts.effects) {
    page.section("Without a layer");
    for (const PartEffect& effect : parts.effects->parts) {
      if (effect.part.kind == ModelPart::Kind::layer)
        page.row(layer_text(in.trace->architecture(), effect.part.place) + " skipped",
                 rounded_text(effect.probability));
    }
    page.paragraph("The probability if the layer passes on its input as it is.");
  }
  about_layers(page, *in.trace, prediction, parts.guesses);
  about_parts(page, *in.trace, prediction, parts.direct);
  return page.take();
}

Page table_of(const PageInputs& in, PageTools& tools, const PageSize& room, const Prediction& prediction,
              const std::vector<PartLine>& lines) {
  const Architecture& a = in.trace->architecture();
  BarTable table;
  table.labels_title = "part";
  table.has_axes = true;
  const float for_lines = room.height - bar_axis_height;
  table.line = std::clamp(for_lines / static_cast<float>(lines.size() + 1), min_line_height, max_line_height);
  const double resolution = logit_resolution(*in.trace, prediction.row);
  // d p = p (1 − p) d logit, for the logits of the word and of the others.
  const double of_probability =
      2.0 * resolution * in.trace->number(probabilities_stage, prediction.row, prediction.word);
  for (const auto& [title, value, rounding] :
       {std::tuple("logit lost when off", &PartLine::logit_lost, resolution),
        std::tuple("probability lost when off", &PartLine::probability_lost, of_probability),
        std::tuple("direct part of the logit", &PartLine::direct, resolution),
        std::tuple("attention × gradient", &PartLine::gradient, 0.0)}) {
    SignedBars& bars = table.columns.emplace_back(SignedBars{title, {}});
    for (const PartLine& line : lines) bars.values.push_back(line.*value);
    bars.resolution = rounding;
  }
  const bool has_gradients =
      std::ranges::any_of(lines, [](const PartLine& line) { return line.gradient.has_value(); });
  if (!has_gradients) table.columns.pop_back();
  std::string caption;
  const ModelPart selected{.place = selected_head(in)};
  for (const PartLine& line : lines) {
    if (line.part == selected) table.marked = table.labels.size();
    table.labels.push_back(part_label(a, line.part));
    table.parts.emplace_back(line.part);
    table.instead.emplace_back(line.is_off ? "off" : "–");
  }
  const auto is_too_wide = [&] { return width_for_titles(table, tools.measure) > room.width; };
  if (has_gradients && is_too_wide()) {
    constexpr std::array brief{"logit lost", "prob. lost", "direct logit", "att. × grad."};
    for (std::size_t i = 0; i < brief.size(); ++i) table.columns[i].title = brief[i];
    const bool fits = !is_too_wide();
    if (!fits) table.columns.pop_back();
    caption = "Logit and probability lost when the part is off; direct part of the logit; ";
    caption += fits ? "attention × gradient." : "not shown: attention × gradient, which needs a wider page.";
  }
  set_diverging_colors(table, in.session.picture);
  PageBuilder captioned(in, tools, room.width);
  captioned.add(draw_bar_table(table, room.width, in.theme(), tools.measure));
  captioned.paragraph(caption);
  return captioned.take();
}

void introduction(PageBuilder& page, const PageInputs& in, const Prediction& prediction,
                  const Result<PredictionParts>* found) {
  const Trace& trace = *in.trace;
  const std::string token = trace.label(logits_stage, Axis::query_tokens, prediction.row);
  page.line({page.bold("What each part of the model does to " + word_of_prediction(trace, prediction) +
                           " at " + quoted_word(token),
                       page_size::title)});
  if (found == nullptr) {
    page.say("Switching off one part after another …");
  } else if (!*found) {
    page.notice("Not computed: " + found->error().message + ".");
  } else if ((*found)->effects) {
    const PartEffects& effects = *(*found)->effects;
    const PartEffect* own = effect_of(effects, {.place = selected_head(in)});
    page.say(own == nullptr ? "" : lesson_of(in, prediction, effects, *own));
  } else {
    constexpr double seconds_in_minute = 60.0;
    page.say("Switching off every part in turn would take about " +
             number_text(estimated_seconds(trace) / seconds_in_minute, 2) + " minutes, so it is not done.");
  }
  if (is_guess(trace, prediction.row)) page.notice(guess_notice(trace, prediction.row));
  page.notice(changes_sentences(trace));
}

/// "Of its direct part, 3.2 comes from “animal”, 0.3 from “it”." Empty if its weights are covered.
std::string describe_sources(const PageInputs& in, PageTools& tools, const Prediction& prediction,
                             const HeadId& head) {
  const Trace& trace = *in.trace;
  const StageId weights = stage_in(head, StageKind::weights);
  if (head.stack != trace.architecture().last_stack() || has_hidden_number(in, weights, tools)) return {};
  const std::vector<double> shares = direct_sources(trace, prediction, head);
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, Descending{}, [&](std::size_t key) { return std::fabs(shares[key]); });
  constexpr std::size_t most = 3;
  std::string said;
  for (std::size_t i = 0; i < std::min(order.size(), most); ++i) {
    const std::string token = trace.label(weights, Axis::key_tokens, static_cast<int>(order[i]));
    said += (i == 0 ? "\nOf its direct part, " : ", ") + rounded_text(shares[order[i]]) +
            (i == 0 ? " comes from " : " from ") + quoted_word(token);
  }
  return said.empty() ? said : said + ".";
}

DataTable prediction_table(const Trace& trace, const Prediction& prediction) {
  const auto number = [&](StageKind kind) {
    return static_cast<double>(trace.number({.kind = kind}, prediction.row, prediction.word));
  };
  DataTable table{"prediction", {"position", "token", "word", "logit", "probability"}};
  table.rows.push_back({prediction.row, trace.full_label(logits_stage, Axis::query_tokens, prediction.row),
                        trace.full_label(logits_stage, Axis::vocabulary, prediction.word),
                        number(StageKind::logits), number(StageKind::probabilities)});
  return table;
}

TableCell cell_of(const std::optional<double>& value) {
  return value ? TableCell(*value) : TableCell();
}

/// The effects of the heads, and those of the other parts.
std::pair<DataTable, DataTable> tables_of_effects(const Trace& trace, const std::vector<PartLine>& lines) {
  DataTable heads{"heads",
                  {"head", "stack", "attention", "layer", "index", "logit_lost_when_off",
                   "probability_lost_when_off", "direct_logit", "is_off", "attention_x_gradient"}};
  DataTable others{
      "other_parts",
      {"part", "stack", "layer", "logit_lost_when_off", "probability_lost_when_off", "direct_logit"}};
  for (const PartLine& line : lines) {
    const HeadId& place = line.part.place;
    const std::string stack(enum_name(place.stack));
    if (line.part.kind == ModelPart::Kind::head) {
      heads.rows.push_back({head_label(trace.architecture(), place), stack,
                            std::string(enum_name(place.attention)), place.layer, place.head,
                            cell_of(line.logit_lost), cell_of(line.probability_lost), cell_of(line.direct),
                            line.is_off, cell_of(line.gradient)});
    } else {
      const bool is_layer = line.part.kind == ModelPart::Kind::layer;
      others.rows.push_back({std::string(is_layer ? "layer" : "feed-forward"), stack, place.layer,
                             cell_of(line.logit_lost), cell_of(line.probability_lost), cell_of(line.direct)});
    }
  }
  return {std::move(heads), std::move(others)};
}

DataTable sum_table(const Trace& trace, const DirectParts& direct) {
  using Kind = DirectPart::Kind;
  const std::string output_bias = end_of_model(trace, "last norm", "output bias");
  DataTable table{"parts", {"part", "attention", "layer", "index", "logit"}};
  for (const DirectPart& part : direct.parts) {
    const char* name = part.kind == Kind::input            ? "embedding and position"
                       : part.kind == Kind::head           ? "head"
                       : part.kind == Kind::attention_bias ? "attention bias"
                       : part.kind == Kind::feed_forward   ? "feed-forward"
                                                           : output_bias.c_str();
    const bool has_layer = part.kind != Kind::input && part.kind != Kind::output_bias;
    const bool is_of_attention = part.kind == Kind::head || part.kind == Kind::attention_bias;
    table.rows.push_back(
        {std::string(name),
         is_of_attention ? TableCell(std::string(enum_name(part.place.attention))) : TableCell(),
         has_layer ? TableCell(part.place.layer) : TableCell(),
         part.kind == Kind::head ? TableCell(part.place.head) : TableCell(), part.logit});
  }
  if (direct.absent.empty())
    table.rows.push_back({std::string("their sum"), TableCell(), TableCell(), TableCell(), direct.total});
  return table;
}

/// What each head of the last stack carries from each key, unless its weights are covered.
DataTable sources_table(const PageInputs& in, PageTools& tools, const Prediction& prediction) {
  const Trace& trace = *in.trace;
  DataTable table{"sources", {"head", "attention", "layer", "index", "key", "token", "direct_logit"}};
  for (const HeadId& head : heads_of(trace.architecture())) {
    const StageId weights = stage_in(head, StageKind::weights);
    if (head.stack != trace.architecture().last_stack() || has_hidden_number(in, weights, tools)) continue;
    const std::vector<double> shares = direct_sources(trace, prediction, head);
    for (std::size_t key = 0; key < shares.size(); ++key) {
      table.rows.push_back({head_label(trace.architecture(), head), std::string(enum_name(head.attention)),
                            head.layer, head.head, static_cast<std::int64_t>(key),
                            trace.full_label(weights, Axis::key_tokens, static_cast<int>(key)), shares[key]});
    }
  }
  return table;
}

}  // namespace

Slices<PredictionParts> ExplainedPrediction::answer(const std::atomic<bool>& stop) const {
  PredictionParts parts;
  parts.direct = direct_parts(*trace, prediction);
  parts.guesses = logit_lens(*trace, prediction);
  if (estimated_seconds(*trace) > max_partial_pass_seconds) co_return parts;
  auto effects = part_effects(*trace, prediction, &stop);
  while (effects.next()) co_yield effects.share();
  parts.effects = effects.take();
  co_return parts;
}

std::optional<Prediction> explained_prediction(const PageInputs& in) {
  if (!has_predictions(in) || !in.trace->complete()) return std::nullopt;
  const int row = listed_row(in);
  const std::vector<std::string>& words = in.trace->vocabulary();
  if (words.empty()) return std::nullopt;
  const auto asked = std::ranges::find(words, in.session.selection.word);
  if (asked != words.end()) return Prediction{row, static_cast<int>(asked - words.begin())};
  return Prediction{row, likeliest_word(*in.trace, row)};
}

Headline effects_headline(const PageInputs& in, PageTools& tools) {
  const std::optional<Prediction> prediction = explained_prediction(in);
  if (!prediction) return {};
  const std::string label = head_label(in.trace->architecture(), selected_head(in));
  Headline headline{"What would change without head " + label + "?", {}};
  const Result<PredictionParts>* found = parts_of(in, tools, *prediction);
  if (found == nullptr || !*found || !(*found)->effects) return headline;
  const PartEffects& effects = *(*found)->effects;
  const PartEffect& greatest = max_effect(*in.trace, effects);
  const PartEffect* own = effect_of(effects, {.place = selected_head(in)});
  if (own == nullptr) return headline;
  const double change = own->probability - effects.probability;
  const std::string word = word_of_prediction(*in.trace, *prediction);
  const std::string now = rounded_text(effects.probability);
  if (is_off(*in.trace, own->part)) {
    headline.answer.emplace_back("Nothing: it is switched off already.");
  } else if (constexpr double least = 0.0005; std::fabs(change) < least) {
    headline.answer.push_back("Hardly anything: " + word + " keeps " + now + ".");
  } else {
    headline.answer.push_back(word + (change < 0.0 ? " would lose " : " would gain ") +
                              rounded_text(std::fabs(change)) + from_to(effects, *own) + ".");
  }
  headline.answer.push_back(own->part == greatest.part
                                ? "No head matters more for this probability."
                                : "Of all heads, " +
                                      head_label(in.trace->architecture(), greatest.part.place) +
                                      " matters most for it" + from_to(effects, greatest) + ".");
  return headline;
}

Page effects_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  const std::optional<Prediction> prediction = explained_prediction(in);
  if (!prediction) {
    page.line(
        {page.bold(predicts_words(in) ? "Computing…" : "This model predicts no words", page_size::title)});
    if (predicts_words(in)) return page.take();
    return page.instead("The effect of a part shows in a prediction: " + std::string(cure_for_no_words(in)) +
                        ".");
  }
  const Result<PredictionParts>* found = parts_of(in, tools, *prediction);
  static const PredictionParts unknown;
  const PredictionParts& parts = found == nullptr || !*found ? unknown : **found;
  introduction(page, in, *prediction, found);
  const bool is_wide = size.width >= min_table_width + gap_of_columns + side_width;
  const float table_width = is_wide ? size.width - gap_of_columns - side_width : size.width;
  const std::vector<PartLine> all = lines_of(*in.trace, parts.effects ? &*parts.effects : nullptr,
                                             parts.direct, attention_gradients(in, tools, *prediction));
  const float room = std::max(size.height - page.y() - 3.0F * min_line_height, 12.0F * min_line_height);
  const std::vector<PartLine> shown =
      shown_lines(all, static_cast<std::size_t>((room - bar_axis_height) / min_line_height) - 1);
  const float top = page.y();
  page.add(table_of(in, tools, {table_width, room}, *prediction, shown));
  const std::size_t n_parts = shown_lines(all, all.size()).size();
  if (shown.size() < n_parts) {
    page.paragraph(std::to_string(shown.size()) + " of " + std::to_string(n_parts) +
                   " parts: the heads, and the feed-forward layers (FF), that change the logit most.");
  }
  for (const PartLine& line : shown) {
    if (line.part.kind == ModelPart::Kind::head &&
        is_taught(*in.trace, stage_in(line.part.place, StageKind::weights)))
      page.paragraph("Head " + head_label(in.trace->architecture(), line.part.place) + " was " +
                     std::string(taught_head_note(*in.trace)) + " to nouns.");
  }
  if (!parts.direct.absent.empty()) page.paragraph("–: no number, because " + parts.direct.absent + ".");
  const Page side = side_of(in, tools, is_wide ? side_width : size.width, *prediction, parts);
  if (is_wide) {
    append(page.page(), side, table_width + gap_of_columns, top);
  } else {
    page.space(page_size::spacing);
    page.add(side);
  }
  Page whole = page.take();
  for (const HitRegion& region : whole.regions)
    whole.figure.height = std::max(whole.figure.height, region.box.bottom());
  if (is_wide) whole.figure.height = std::max(whole.figure.height, top + side.figure.height);
  // The selection may be ahead of the pass.
  if (!in.trace->has(stage_in(selected_head(in), StageKind::weights))) return whole;
  PageBuilder below(in, tools, size.width);
  add_attribution(below, in, tools, *prediction);
  below.space(page_size::title);
  add_circuits(below, in, tools, *prediction);
  append(whole, below.take(), 0.0F, whole.figure.height + 2.0F * page_size::title);
  return whole;
}

std::string describe_effect(const PageInputs& in, PageTools& tools, const ModelPart& part) {
  const std::optional<Prediction> prediction = explained_prediction(in);
  if (!prediction) return {};
  const Result<PredictionParts>* found = parts_of(in, tools, *prediction);
  if (found == nullptr || !*found || !(*found)->effects) return {};
  const PartEffects& effects = *(*found)->effects;
  const PartEffect* own = effect_of(effects, part);
  if (own == nullptr) return {};
  const std::string sentence = effect_sentence(*in.trace, *prediction, effects, *own);
  return part.kind == ModelPart::Kind::head ? sentence + describe_sources(in, tools, *prediction, part.place)
                                            : sentence;
}

PageNumbers effects_numbers(const PageInputs& in, PageTools& tools) {
  const Trace& trace = *in.trace;
  const std::optional<Prediction> prediction = explained_prediction(in);
  if (!prediction)
    return failure("the effect of a part shows in a prediction, and this model predicts no words: " +
                   std::string(cure_for_no_words(in)));
  const Result<PredictionParts>* found = parts_of(in, tools, *prediction);
  if (found == nullptr) return failure("the effects are still being computed");
  if (!*found) return tl::unexpected(found->error());
  if (!std::isfinite(trace.number(logits_stage, prediction->row, prediction->word)))
    return failure("the logits of “" + trace.full_label(logits_stage, Axis::query_tokens, prediction->row) +
                   "” are not finite, so they predict no word");
  const PredictionParts& parts = **found;
  const std::vector<PartLine> lines = lines_of(trace, parts.effects ? &*parts.effects : nullptr, parts.direct,
                                               attention_gradients(in, tools, *prediction));
  auto [heads, others] = tables_of_effects(trace, lines);
  DataTable layers{"layers", {"layer", "likeliest_word", "its_probability", "probability"}};
  for (const LayerGuess& guess : parts.guesses)
    layers.rows.push_back({guess.layer, trace.full_label(logits_stage, Axis::vocabulary, guess.best),
                           guess.best_probability, guess.probability});
  std::vector<DataTable> tables{prediction_table(trace, *prediction),
                                std::move(heads),
                                std::move(others),
                                std::move(layers),
                                sources_table(in, tools, *prediction),
                                sum_table(trace, parts.direct)};
  std::ranges::move(attribution_tables(in, tools, *prediction), std::back_inserter(tables));
  return tables;
}

}  // namespace headscope
