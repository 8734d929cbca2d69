#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>

#include "core/engine/attribution.h"
#include "core/engine/head_circuits.h"
#include "core/figure/text_fit.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/bar_tables.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/map_panel.h"
#include "core/session/names.h"
#include "core/tensor/descending.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

constexpr float attribution_line = 22.0F;  ///< The height of a line of the tables.
constexpr std::size_t max_attributed_tokens = 20;
constexpr std::size_t max_written_tokens = 14;
constexpr float singular_share = 0.75F;  ///< The share of a line for singular values.
constexpr float gap_of_circuits = 32.0F;
constexpr float max_qk_side = 420.0F;
constexpr const char* qk_slot = "qk circuit";

StageId weights_of(const HeadId& head) {
  return stage_in(head, StageKind::weights);
}

const Result<Attribution>* attribution_of(const PageInputs& in, PageTools& tools,
                                          const Prediction& prediction) {
  return tools.find(Asked<attribution, Lifetime::view>{{in.trace, prediction}});
}

/// The attribution if it is known. Null otherwise.
const Attribution* known_attribution(const PageInputs& in, PageTools& tools, const Prediction& prediction) {
  const Result<Attribution>* found = attribution_of(in, tools, prediction);
  return found == nullptr || !*found || !(*found)->absent.empty() ? nullptr : &**found;
}

/// Numbers of each token that the selected head may look at.
struct AttributedTokens {
  std::vector<std::string> labels;
  std::vector<double> inputs;     ///< Gradient × input.
  std::vector<double> weights;    ///< The row in question of the head, if it has it and it is quick to read.
  std::vector<double> gradients;  ///< Attention × gradient, summed over queries. Empty if unknown.
};

AttributedTokens attributed_tokens(const PageInputs& in, const Attribution& attribution,
                                   const Prediction& prediction) {
  const Trace& trace = *in.trace;
  const HeadId head = selected_head(in);
  const StageId weights = weights_of(head);
  const auto part = std::ranges::find(attribution.heads, head, &HeadAttribution::place);
  AttributedTokens tokens;
  tokens.inputs = attribution.inputs_of(head.attention == AttentionKind::cross ? Stack::encoder : head.stack);
  for (int key = 0; key < static_cast<int>(tokens.inputs.size()); ++key) {
    tokens.labels.push_back(trace.label(weights, Axis::key_tokens, key));
    if (part != attribution.heads.end()) tokens.gradients.push_back(part->of_key(key));
  }
  const bool has_row = head.stack == trace.architecture().last_stack() && trace.has(weights) &&
                       trace.is_quick_to_read(weights) && prediction.row < trace.extent(weights).rows;
  if (!has_row) return tokens;
  const StageNumbers row = trace.read_row(weights, prediction.row);
  tokens.weights.assign(row.view.row(0).begin(), row.view.row(0).end());
  return tokens;
}

std::size_t place_of_greatest(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

/// For example, "By gradient × input, “animal” (0.630) speaks most for this logit, “it” (−1.560) most against
/// it. Head 1.0 looks most at “animal” (0.998), but what it takes from “it” (0.730) matters more."
std::string describe_attribution(const PageInputs& in, const AttributedTokens& tokens) {
  const auto named = [&](std::size_t token, const std::vector<double>& values) {
    return quoted_word(tokens.labels[token]) + " (" + rounded_text(values[token]) + ")";
  };
  const auto lowest =
      static_cast<std::size_t>(std::ranges::min_element(tokens.inputs) - tokens.inputs.begin());
  const std::size_t highest = place_of_greatest(tokens.inputs);
  const bool has_support = tokens.inputs[highest] > 0.0;
  const bool has_opposition = tokens.inputs[lowest] < 0.0;
  std::string said = "By gradient × input, ";
  if (has_support)
    said += named(highest, tokens.inputs) + " speaks most for this logit";
  else
    said += has_opposition ? "no token speaks for this logit" : "no token counts for this logit";
  if (has_opposition)
    said += (has_support ? ", " : ", and ") + named(lowest, tokens.inputs) +
            (has_support ? " most against it" : " speaks most against it");
  said += ".";
  std::vector<double> sizes = tokens.gradients;
  for (double& size : sizes) size = std::fabs(size);
  if (tokens.weights.empty() || std::ranges::none_of(sizes, [](double size) { return size > 0.0; }))
    return said;
  const std::size_t seen = place_of_greatest(tokens.weights);
  const std::size_t used = place_of_greatest(sizes);
  return said + " Head " + head_label(in.trace->architecture(), selected_head(in)) + " looks most at " +
         quoted_word(tokens.labels[seen]) + " (" + in.number(tokens.weights[seen]) + ")" +
         (seen == used ? ", and what it takes from there matters most."
                       : ", but what it takes from " + named(used, tokens.gradients) + " matters more.");
}

/// The tokens with the greatest numbers, in their order.
std::vector<std::size_t> shown_tokens(const AttributedTokens& tokens) {
  std::vector<std::size_t> shown(tokens.inputs.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  std::ranges::stable_sort(shown, Descending{}, [&](std::size_t i) { return std::fabs(tokens.inputs[i]); });
  shown.resize(std::min(shown.size(), max_attributed_tokens));
  std::ranges::sort(shown);
  return shown;
}

Page tokens_table(const PageInputs& in, const PageTools& tools, const AttributedTokens& tokens,
                  const Prediction& prediction, float width) {
  const Trace& trace = *in.trace;
  const HeadId selected = selected_head(in);
  const std::string head = head_label(trace.architecture(), selected);
  // The row of the logit is a token of the table only if the keys are tokens of the stack that predicts.
  const bool has_row =
      selected.attention != AttentionKind::cross && selected.stack == trace.architecture().last_stack();
  BarTable table;
  table.labels_title = "token";
  table.has_axes = true;
  table.line = attribution_line;
  const std::vector<std::size_t> shown = shown_tokens(tokens);
  const auto add = [&](const std::string& title, const std::vector<double>& values) {
    SignedBars bars{title, {}};
    for (const std::size_t i : shown) bars.values.emplace_back(values[i]);
    bars.resolution = logit_resolution(trace, prediction.row);
    table.columns.push_back(std::move(bars));
  };
  for (const std::size_t i : shown) {
    if (has_row && static_cast<int>(i) == prediction.row) table.marked = table.labels.size();
    table.labels.push_back(tokens.labels[i]);
  }
  table.instead.assign(table.labels.size(), "–");
  add("gradient × input", tokens.inputs);
  if (!tokens.weights.empty()) {
    add("attention of " + head, tokens.weights);
    table.columns.back().from_left = true;
    table.columns.back().resolution = 0.0;
    table.columns.back().most = 1.0;
  }
  if (!tokens.gradients.empty()) add("attention × gradient of " + head, tokens.gradients);
  set_diverging_colors(table, in.session.picture);
  return draw_bar_table(table, width, theme_of(in.session.picture.theme), tools.measure);
}

}  // namespace

std::vector<double> attention_gradients(const PageInputs& in, PageTools& tools,
                                        const Prediction& prediction) {
  const Attribution* known = known_attribution(in, tools, prediction);
  std::vector<double> totals;
  if (known == nullptr) return totals;
  for (const HeadAttribution& head : known->heads) totals.push_back(head.total());
  return totals;
}

void add_attribution(PageBuilder& page, const PageInputs& in, PageTools& tools,
                     const Prediction& prediction) {
  const Trace& trace = *in.trace;
  const std::string word = quoted_word(trace.label(logits_stage, Axis::vocabulary, prediction.word));
  page.line({page.bold("Which tokens the logit of " + word + " rests on", page_size::title)});
  const Result<Attribution>* found = attribution_of(in, tools, prediction);
  if (found == nullptr) return page.explain("Following the logit back …");
  const std::string problem = !*found ? found->error().message : (*found)->absent;
  if (!problem.empty()) return page.notice("No gradients: " + problem + ".");
  const AttributedTokens tokens = attributed_tokens(in, **found, prediction);
  page.say(describe_attribution(in, tokens));
  page.add(tokens_table(in, tools, tokens, prediction, page.width()));
  const std::size_t n = tokens.inputs.size();
  page.paragraph(
      (n > max_attributed_tokens ? "The " + std::to_string(max_attributed_tokens) + " of " +
                                       std::to_string(n) + " tokens with the greatest numbers. "
                                 : std::string()) +
      "Gradient × input: the embedding of a token times the gradient of the logit. Attention × "
      "gradient: the weights on a token, from all queries, times their gradients. Both estimate what a "
      "small change would do.");
}

namespace {

/// The circuits of a head, with the scale that the final norm has in a row of the logits.
using HeadInQuestion = Asked<head_circuits, Lifetime::view>;

const Result<HeadCircuits>* circuits_of(const PageInputs& in, PageTools& tools,
                                        const Prediction& prediction) {
  return tools.find(HeadInQuestion{{in.trace, selected_head(in), prediction.row}});
}

/// The scores that the QK circuit could reveal.
bool is_qk_covered(const PageInputs& in, PageTools& tools) {
  return std::ranges::any_of(std::array{StageKind::raw, StageKind::scaled, StageKind::masked},
                             [&](StageKind kind) { return has_hidden_number(in, in.at(kind), tools); });
}

Page qk_map(const PageInputs& in, PageTools& tools, const HeadCircuits& circuits,
            const Prediction& prediction, float side) {
  const StageId weights = weights_of(selected_head(in));
  const auto trace = in.trace;
  TableSpec table = table_of_pass(in, path(weights) + " qk");
  if (prediction.row < circuits.scores.rows && weights.stack == trace->architecture().last_stack())
    table.marked_row = prediction.row;
  const auto make = [&](OwnedMatrix& numbers) {
    numbers = circuits.scores;
    const auto labels = [trace, weights](Axis axis) {
      return [=](int token) { return trace->label(weights, axis, token); };
    };
    constexpr bool is_signed = true;
    HeatmapSpec spec = small_table(in.session.picture, numbers, {numbers.rows, labels(Axis::query_tokens)},
                                   {numbers.cols, labels(Axis::key_tokens)}, is_signed, numbers);
    spec.row_axis = "queries";
    spec.col_axis = "keys";
    spec.numbers = in.session.picture.numbers;
    return spec;
  };
  return table_page(tools, qk_slot, table, make, side, std::min(side, max_qk_side));
}

/// Joins as many texts as fit.
std::string fitting(const std::vector<std::string>& texts, Font font, float width, const PageTools& tools) {
  std::string joined;
  for (const std::string& text : texts) {
    const std::string next = joined + (joined.empty() ? "" : "  ") + text;
    if (!joined.empty() && tools.measure(next, font, page_size::control).width > width) break;
    joined = next;
  }
  return joined;
}

/// The first key of each different token of the OV circuit.
std::vector<int> different_tokens(const PageInputs& in, const HeadCircuits& circuits) {
  const StageId weights = weights_of(selected_head(in));
  std::vector<std::string> seen;
  std::vector<int> keys;
  for (int key = 0; key < static_cast<int>(circuits.written.size()); ++key) {
    const std::string token = in.trace->label(weights, Axis::key_tokens, key);
    if (std::ranges::find(seen, token) != seen.end()) continue;
    seen.push_back(token);
    keys.push_back(key);
  }
  return keys;
}

/// A line for each of the first different tokens: the words that gain and lose most if the head attends to
/// it.
Page ov_table(const PageInputs& in, const PageTools& tools, const HeadCircuits& circuits, float width) {
  const Trace& trace = *in.trace;
  const Theme& theme = theme_of(in.session.picture.theme);
  const StageId weights = weights_of(selected_head(in));
  Figure figure{width, 0.0F, theme.panel, {}};
  constexpr float token_share = 0.16F;
  const std::array<float, 3> left{0.0F, token_share * width, (1.0F + token_share) / 2.0F * width};
  const auto listed = [&](const std::vector<std::pair<int, double>>& words) {
    std::vector<std::string> texts;
    for (const auto& [word, logit] : words)
      texts.push_back(trace.label(logits_stage, Axis::vocabulary, word) + " " + rounded_text(logit));
    if (texts.empty()) texts.emplace_back("–");
    return fitting(texts, Font::sans, width - left[2] - page_size::spacing, tools);
  };
  const auto write = [&](const std::array<std::string, 3>& texts, Font font, Color color) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const float end = i + 1 < left.size() ? left[i + 1] : width;
      add_text(
          figure,
          elided_text(texts[i], end - left[i] - page_size::spacing, font, page_size::control, tools.measure),
          {left[i], figure.height + attribution_line / 2.0F}, color, page_size::control, font);
    }
    figure.height += attribution_line;
  };
  write({"for", "it promotes", "it suppresses"}, Font::sans_bold, theme.quiet);
  const std::vector<int> keys = different_tokens(in, circuits);
  for (std::size_t i = 0; i < std::min(keys.size(), max_written_tokens); ++i) {
    const WrittenWords& written = circuits.written[static_cast<std::size_t>(keys[i])];
    write({trace.label(weights, Axis::key_tokens, keys[i]), listed(written.promoted),
           listed(written.suppressed)},
          Font::sans, theme.text);
  }
  return {std::move(figure), {}};
}

/// For example, "By embeddings alone, the head would look from “it” most at “animal”, and promote “animal”
/// there." Empty if its queries are no rows of the logits.
std::string describe_circuits(const PageInputs& in, const HeadCircuits& circuits,
                              const Prediction& prediction) {
  const Trace& trace = *in.trace;
  const StageId weights = weights_of(selected_head(in));
  const OwnedMatrix& scores = circuits.scores;
  if (weights.stack != trace.architecture().last_stack() || prediction.row >= scores.rows) return {};
  const auto row = scores.view().row(prediction.row);
  const auto best = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
  std::string said = "By embeddings alone, the head would look from " +
                     quoted_word(trace.label(weights, Axis::query_tokens, prediction.row)) + " most at " +
                     quoted_word(trace.label(weights, Axis::key_tokens, static_cast<int>(best)));
  if (best >= circuits.written.size() || circuits.written[best].promoted.empty()) return said + ".";
  return said + ", and promote " +
         quoted_word(
             trace.label(logits_stage, Axis::vocabulary, circuits.written[best].promoted.front().first)) +
         " there.";
}

/// What the circuits leave out.
std::string left_out_of_circuits(const PageInputs& in, const HeadCircuits& circuits) {
  const Architecture& a = in.trace->architecture();
  std::string said = "Each token stands for its embedding alone" +
                     std::string(a.has_pre_norm() ? ", after the norm of this layer" : "") +
                     ": positions and what earlier layers add are left out" +
                     (a.uses_rotary() ? ", as if query and key stood at the same place." : ".");
  if (circuits.absent_ov.empty())
    said += " So are the bias of values and whatever follows the head before the last norm.";
  said += " Singular values say along how many directions the head compares and writes.";
  const HeadId head = selected_head(in);
  const Stack keys = head.attention == AttentionKind::cross ? Stack::encoder : head.stack;
  const std::size_t n_tokens = std::max(in.trace->tokens(head.stack).size(), in.trace->tokens(keys).size());
  if (n_tokens > static_cast<std::size_t>(max_circuit_tokens))
    said += " Only the first " + std::to_string(max_circuit_tokens) + " tokens are used.";
  if (different_tokens(in, circuits).size() > max_written_tokens)
    said +=
        " Of the words written, only those for " + std::to_string(max_written_tokens) + " tokens are listed.";
  return said;
}

}  // namespace

void add_circuits(PageBuilder& page, const PageInputs& in, PageTools& tools, const Prediction& prediction) {
  const Trace& trace = *in.trace;
  const HeadId head = selected_head(in);
  page.line({page.bold("What head " + head_label(trace.architecture(), head) + " would do with these tokens",
                       page_size::title)});
  const Result<HeadCircuits>* found = circuits_of(in, tools, prediction);
  if (found == nullptr) return page.explain("Multiplying its matrices …");
  if (!*found) return page.notice("Not computed: " + found->error().message + ".");
  const HeadCircuits& circuits = **found;
  const bool has_qk = circuits.absent_qk.empty() && !is_qk_covered(in, tools);
  const bool has_ov = circuits.absent_ov.empty();
  page.say(has_qk ? describe_circuits(in, circuits, prediction) : "");
  if (!circuits.absent_qk.empty()) page.notice("No QK circuit: " + circuits.absent_qk + ".");
  if (!has_ov) page.notice("No OV circuit: " + circuits.absent_ov + ".");
  if (circuits.qk_singular.empty() && circuits.ov_singular.empty()) return;
  constexpr float min_wide = 2.0F * 320.0F + gap_of_circuits;
  const bool is_wide = page.width() >= min_wide && has_qk && has_ov;
  const float half = is_wide ? (page.width() - gap_of_circuits) / 2.0F : page.width();
  PageBuilder map(in, tools, half);
  if (has_qk) {
    map.section("Where it would look (QK): scaled scores");
    map.add(qk_map(in, tools, circuits, prediction, half));
  }
  PageBuilder words(in, tools, half);
  if (has_ov) {
    words.section("What it would write (OV): change of logits");
    words.add(ov_table(in, tools, circuits, half));
  }
  words.section("Singular values, the greatest first");
  for (const auto& [product, values] :
       {std::pair("W_Q W_Kᵀ", &circuits.qk_singular), std::pair("W_V W_O", &circuits.ov_singular)}) {
    std::vector<std::string> texts;
    for (const double value : *values) texts.push_back(rounded_text(value));
    if (!texts.empty()) words.row(product, fitting(texts, Font::mono, singular_share * half, tools));
  }
  Page both = map.take();
  append_beside(both, words.take(), is_wide, half + gap_of_circuits, 0.0F);
  page.add(both);
  page.paragraph(left_out_of_circuits(in, circuits));
}

std::string describe_circuit(const PageInputs& in, PageTools& tools, const std::string& table,
                             CellIndex cell) {
  const auto* question = tools.memo.results.last<HeadInQuestion>();
  const auto* found = question == nullptr ? nullptr : tools.memo.results.ready_result(*question);
  if (table != qk_slot || found == nullptr || !*found) return {};
  const auto& [trace, head, row] = question->arguments;
  if (trace != in.trace) return {};
  const OwnedMatrix& scores = (*found)->scores;
  if (cell.row >= scores.rows || cell.col >= scores.cols) return {};
  const StageId weights = weights_of(head);
  return "By embeddings alone, " + quoted_word(in.trace->label(weights, Axis::query_tokens, cell.row)) +
         " would score " + quoted_word(in.trace->label(weights, Axis::key_tokens, cell.col)) + " with " +
         number_text(static_cast<double>(scores.at(cell.row, cell.col))) + ".";
}

std::vector<DataTable> attribution_tables(const PageInputs& in, PageTools& tools,
                                          const Prediction& prediction) {
  const Trace& trace = *in.trace;
  DataTable inputs{"gradient_x_input", {"stack", "position", "token", "gradient_x_input"}};
  DataTable heads{"attention_x_gradient", {"head", "key", "key_token", "attention_x_gradient"}};
  DataTable cells{"selected_head", {"head", "query", "token", "key", "key_token", "attention_x_gradient"}};
  DataTable qk{"qk", {"head", "query", "token", "key", "key_token", "score"}};
  DataTable ov{"ov", {"head", "key", "key_token", "word", "logit"}};
  DataTable singular{"singular_values", {"head", "index", "qk", "ov"}};
  const HeadId selected = selected_head(in);
  const auto label = [&](const HeadId& head) { return head_label(trace.architecture(), head); };
  const auto key_text = [&](const HeadId& head, int key) {
    return trace.full_label(weights_of(head), Axis::key_tokens, key);
  };
  /// Adds a row for a query and a key of the selected head.
  const auto add_cell = [&](DataTable& table, int query, int key, double value) {
    table.rows.push_back({label(selected), query,
                          trace.full_label(weights_of(selected), Axis::query_tokens, query), key,
                          key_text(selected, key), value});
  };
  if (const Attribution* known = known_attribution(in, tools, prediction)) {
    for (const Stack stack : {Stack::encoder, Stack::decoder}) {
      std::int64_t position = 0;
      for (const double value : known->inputs_of(stack)) {
        const std::string& token = trace.tokens(stack)[static_cast<std::size_t>(position)].text;
        inputs.rows.push_back({std::string(enum_name(stack)), position++, token, value});
      }
    }
    for (const HeadAttribution& head : known->heads) {
      if (has_hidden_number(in, weights_of(head.place), tools)) continue;
      for (int key = 0; key < head.n_keys; ++key) {
        heads.rows.push_back({label(head.place), key, key_text(head.place, key), head.of_key(key)});
        for (int query = 0; head.place == selected && query < head.n_queries; ++query)
          add_cell(cells, query, key, head.product(query, key));
      }
    }
  }
  if (const auto* found = circuits_of(in, tools, prediction); found != nullptr && *found) {
    const HeadCircuits& circuits = **found;
    const int n_queries = is_qk_covered(in, tools) ? 0 : circuits.scores.rows;
    for (int query = 0; query < n_queries; ++query)
      for (int key = 0; key < circuits.scores.cols; ++key)
        add_cell(qk, query, key, static_cast<double>(circuits.scores.at(query, key)));
    for (int key = 0; key < static_cast<int>(circuits.written.size()); ++key) {
      const WrittenWords& written = circuits.written[static_cast<std::size_t>(key)];
      for (const auto* words : {&written.promoted, &written.suppressed})
        for (const auto& [word, logit] : *words)
          ov.rows.push_back({label(selected), key, key_text(selected, key),
                             trace.full_label(logits_stage, Axis::vocabulary, word), logit});
    }
    const auto value = [](const std::vector<double>& values, std::size_t i) {
      return i < values.size() ? TableCell(values[i]) : TableCell();
    };
    const std::size_t n = std::max(circuits.qk_singular.size(), circuits.ov_singular.size());
    for (std::size_t i = 0; i < n; ++i)
      singular.rows.push_back({label(selected), static_cast<std::int64_t>(i), value(circuits.qk_singular, i),
                               value(circuits.ov_singular, i)});
  }
  return {inputs, heads, cells, qk, ov, singular};
}

}  // namespace headscope
