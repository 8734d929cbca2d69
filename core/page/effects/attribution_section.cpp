#include "core/page/effects/attribution_section.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "core/figure/colormap.h"
#include "core/figure/text_fit.h"
#include "core/page/effects/effects_page.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/covered_page.h"
#include "core/page/parts/signed_bars.h"
#include "core/page/parts/table_panel.h"
#include "core/session/names.h"
#include "core/tensor/descending.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

constexpr float attribution_line = 22.0F;  ///< The height of a line of the tables.
constexpr std::size_t max_attributed_tokens = 20;
constexpr std::size_t max_written_tokens = 14;
constexpr std::size_t max_singular_values = 8;
constexpr float gap_of_circuits = 32.0F;
constexpr float max_qk_side = 420.0F;
constexpr const char* qk_slot = "qk circuit";

HeadId head_in_question(const PageInputs& in) {
  return head_of(in.at(StageKind::weights));
}

StageId weights_of(const HeadId& head) {
  return stage_in(head, StageKind::weights);
}

/// The stack of the tokens that a head looks at.
Stack stack_of_keys(const HeadId& head) {
  return head.attention == AttentionKind::cross ? Stack::encoder : head.stack;
}

const Result<Attribution>* attribution_of(const PageInputs& in, PageTools& tools,
                                          const Prediction& prediction) {
  return tools.find(AttributedPrediction{in.trace, prediction});
}

/// The attribution if it is known. Null otherwise.
const Attribution* known_attribution(const PageInputs& in, PageTools& tools, const Prediction& prediction) {
  const Result<Attribution>* found = attribution_of(in, tools, prediction);
  return found == nullptr || !*found || !(*found)->absent.empty() ? nullptr : &**found;
}

const HeadAttribution* part_of(const Attribution& attribution, const HeadId& head) {
  const auto own = std::ranges::find(attribution.heads, head, &HeadAttribution::place);
  return own == attribution.heads.end() || own->products.empty() ? nullptr : &*own;
}

/// What the table shows of each token that the selected head may look at.
struct AttributedTokens {
  std::vector<std::string> labels;
  std::vector<double> inputs;   ///< Gradient × input.
  std::vector<double> weights;  ///< The attention of the row in question. Empty if the head has no such row.
  std::vector<double> gradients;  ///< Attention × gradient, summed over queries. Empty if unknown.
};

AttributedTokens attributed_tokens(const PageInputs& in, const Attribution& attribution,
                                   const Prediction& prediction) {
  const Trace& trace = *in.trace;
  const HeadId head = head_in_question(in);
  const StageId weights = weights_of(head);
  AttributedTokens tokens;
  tokens.inputs = attribution.inputs_of(stack_of_keys(head));
  const HeadAttribution* part = part_of(attribution, head);
  for (int key = 0; key < static_cast<int>(tokens.inputs.size()); ++key) {
    tokens.labels.push_back(trace.label(weights, Axis::key_tokens, key));
    if (part != nullptr) tokens.gradients.push_back(part->of_key(key));
  }
  if (head.stack != trace.architecture().last_stack()) return tokens;
  const StageNumbers row = trace.read_row(weights, prediction.row);
  tokens.weights.assign(row.view.row(0).begin(), row.view.row(0).end());
  return tokens;
}

double greatest_magnitude(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::fabs(value));
  return most;
}

/// Indices in descending order of a value.
template <class Value>
std::vector<std::size_t> order_by(std::size_t n, const Value& value) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, Descending{}, value);
  return order;
}

/// For example, "“animal” (3.21) speaks most for it, “street” (−0.92) most against it."
std::string describe_inputs(const AttributedTokens& tokens) {
  const double most = greatest_magnitude(tokens.inputs);
  const auto order = order_by(tokens.inputs.size(), [&](std::size_t i) { return tokens.inputs[i]; });
  const auto named = [&](std::size_t i) {
    return quoted_word(tokens.labels[i]) + " (" + column_text(tokens.inputs[i], most) + ")";
  };
  std::string said = "By its gradient, ";
  if (tokens.inputs[order.front()] > 0.0) said += named(order.front()) + " speaks most for it";
  if (tokens.inputs[order.back()] >= 0.0) return said + ".";
  return said + (tokens.inputs[order.front()] > 0.0 ? ", " : "") + named(order.back()) + " most against it.";
}

/// Whether attention and its gradient agree: "Head 1.0 looks most at “animal” (0.995), and that is also what
/// the logit depends on most through it (2.1)." Empty if the head has no such row.
std::string describe_attention(const PageInputs& in, const AttributedTokens& tokens) {
  if (tokens.weights.empty() || tokens.gradients.empty()) return {};
  const double most = greatest_magnitude(tokens.gradients);
  if (most == 0.0) return {};
  const std::size_t seen =
      order_by(tokens.weights.size(), [&](std::size_t i) { return tokens.weights[i]; }).front();
  const std::size_t used = order_by(tokens.gradients.size(), [&](std::size_t i) {
                             return std::fabs(tokens.gradients[i]);
                           }).front();
  const std::string head = head_label(in.trace->architecture(), head_in_question(in));
  const std::string value = " (" + column_text(tokens.gradients[used], most) + ")";
  return " Head " + head + " looks most at " + quoted_word(tokens.labels[seen]) + " (" +
         share_text(in.session.picture, tokens.weights[seen]) + ")" +
         (seen == used ? ", and what it takes from there matters most" + value + "."
                       : ", but what it takes from " + quoted_word(tokens.labels[used]) + " matters most" +
                             value + ".");
}

void set_bar_colors(BarTable& table, const PictureOptions& picture) {
  const ColorMap& colors = color_map(picture.diverging, picture.theme);
  constexpr float strong = 0.15F;
  table.negative = sample(colors, strong);
  table.positive = sample(colors, 1.0F - strong);
}

/// The tokens with the greatest numbers, in their order.
std::vector<std::size_t> shown_tokens(const AttributedTokens& tokens) {
  std::vector<std::size_t> shown =
      order_by(tokens.inputs.size(), [&](std::size_t i) { return std::fabs(tokens.inputs[i]); });
  shown.resize(std::min(shown.size(), max_attributed_tokens));
  std::ranges::sort(shown);
  return shown;
}

Figure tokens_table(const PageInputs& in, const PageTools& tools, const AttributedTokens& tokens,
                    const Prediction& prediction, float width) {
  const Trace& trace = *in.trace;
  const std::string head = head_label(trace.architecture(), head_in_question(in));
  BarTable table;
  table.labels_title = "token";
  table.has_axes = true;
  table.line = attribution_line;
  const auto add = [&](const std::string& title, const std::vector<double>& values) {
    SignedBars bars{title, {}};
    for (const std::size_t i : shown_tokens(tokens)) bars.values.emplace_back(values[i]);
    table.columns.push_back(std::move(bars));
  };
  for (const std::size_t i : shown_tokens(tokens)) {
    if (static_cast<int>(i) == prediction.row) table.marked = table.labels.size();
    table.labels.push_back(tokens.labels[i]);
  }
  table.instead.assign(table.labels.size(), "–");
  add("gradient × input", tokens.inputs);
  if (!tokens.weights.empty()) {
    add("attention of " + head, tokens.weights);
    table.columns.back().from_left = true;
    table.columns.back().most = 1.0;
    table.columns.back().are_shares = !in.session.picture.details;
  }
  if (!tokens.gradients.empty()) add("attention × gradient of " + head, tokens.gradients);
  set_bar_colors(table, in.session.picture);
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
  const std::string word =
      quoted_word(trace.label({.kind = StageKind::logits}, Axis::vocabulary, prediction.word));
  page.line({{"Which tokens the logit of " + word + " rests on", Font::sans_bold, page_size::title,
              page.theme().text}});
  const Result<Attribution>* found = attribution_of(in, tools, prediction);
  if (found == nullptr) return page.paragraph("Following the logit back …", {}, page_size::body);
  const std::string problem = !*found ? found->error().message : (*found)->absent;
  if (!problem.empty()) return page.notice("No gradients: " + problem + ".");
  const AttributedTokens tokens = attributed_tokens(in, **found, prediction);
  page.paragraph(describe_inputs(tokens) + describe_attention(in, tokens), page.theme().text,
                 page_size::body);
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

const Result<HeadCircuits>* circuits_of(const PageInputs& in, PageTools& tools,
                                        const Prediction& prediction) {
  return tools.find(HeadInQuestion{in.trace, head_in_question(in), prediction.row});
}

/// The scores that the QK circuit could reveal.
bool is_qk_covered(const PageInputs& in, PageTools& tools) {
  return std::ranges::any_of(std::array{StageKind::raw, StageKind::scaled, StageKind::masked},
                             [&](StageKind kind) { return has_hidden_number(in, in.at(kind), tools); });
}

Page qk_map(const PageInputs& in, PageTools& tools, const HeadCircuits& circuits,
            const Prediction& prediction, float side) {
  const StageId weights = weights_of(head_in_question(in));
  const auto trace = in.trace;
  TableSpec table;
  table.name = path(weights) + " qk";
  table.trace = trace;
  table.picture = in.session.picture;
  if (prediction.row < circuits.scores.rows && weights.stack == trace->architecture().last_stack())
    table.marked_row = prediction.row;
  const auto make = [&](OwnedMatrix& numbers) {
    numbers = circuits.scores;
    HeatmapSpec spec;
    spec.source = source_of(numbers.view());
    spec.row_labels = {numbers.rows, [trace, weights](int token) {
                         return trace->label(weights, Axis::query_tokens, token);
                       }};
    spec.col_labels = {
        numbers.cols, [trace, weights](int token) { return trace->label(weights, Axis::key_tokens, token); }};
    spec.row_axis = "queries";
    spec.col_axis = "keys";
    PictureOptions options = in.session.picture;
    options.range = RangeMode::map;
    constexpr bool is_signed = true;
    spec.scale = ColorScale(options, is_signed, numbers.view());
    spec.color_bar_label = false;
    if (!in.session.picture.details) spec.notation = CellNotation::rounded;
    spec.font_size = 11.0F;
    spec.numbers = in.session.picture.numbers;
    return spec;
  };
  return table_page(tools, qk_slot, table, make, side, std::min(side, max_qk_side));
}

/// “street 1.2, cat 0.9”
std::string words_text(const Trace& trace, const std::vector<std::pair<int, double>>& words, double most) {
  std::string text;
  for (const auto& [word, logit] : words) {
    text += (text.empty() ? "" : "  ") + trace.label({.kind = StageKind::logits}, Axis::vocabulary, word) +
            " " + column_text(logit, most);
  }
  return text.empty() ? "–" : text;
}

/// A line for each different token: the words that gain and lose most if the head attends to it.
Page ov_table(const PageInputs& in, const PageTools& tools, const HeadCircuits& circuits, float width) {
  const Trace& trace = *in.trace;
  const Theme& theme = theme_of(in.session.picture.theme);
  const StageId weights = weights_of(head_in_question(in));
  double most = 0.0;
  for (const WrittenWords& words : circuits.written) {
    for (const auto* list : {&words.promoted, &words.suppressed})
      if (!list->empty()) most = std::max(most, std::fabs(list->front().second));
  }
  Figure figure{width, 0.0F, theme.panel, {}};
  constexpr float token_share = 0.2F;
  const std::array<float, 3> left{0.0F, token_share * width, (1.0F + token_share) / 2.0F * width};
  const auto write = [&](const std::array<std::string, 3>& texts, Font font, Color color) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const float end = i + 1 < left.size() ? left[i + 1] : width;
      figure.items.emplace_back(Label{
          elided_text(texts[i], end - left[i] - page_size::spacing, font, page_size::control, tools.measure),
          {left[i], figure.height + attribution_line / 2.0F},
          color,
          page_size::control,
          font,
          HorizontalAnchor::left,
          VerticalAnchor::middle});
    }
    figure.height += attribution_line;
  };
  write({"for", "it promotes", "it suppresses"}, Font::sans_bold, theme.quiet);
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < circuits.written.size() && seen.size() < max_written_tokens; ++i) {
    const std::string token = trace.label(weights, Axis::key_tokens, static_cast<int>(i));
    if (std::ranges::find(seen, token) != seen.end()) continue;
    seen.push_back(token);
    write({token, words_text(trace, circuits.written[i].promoted, most),
           words_text(trace, circuits.written[i].suppressed, most)},
          Font::sans, theme.text);
  }
  return {std::move(figure), {}};
}

Figure singular_table(const PageInputs& in, const PageTools& tools, const HeadCircuits& circuits,
                      float width) {
  BarTable table;
  table.labels_title = "σ";
  table.line = attribution_line;
  for (const auto& [title, values] :
       {std::pair{"W_Q W_Kᵀ", &circuits.qk_singular}, std::pair{"W_V W_O", &circuits.ov_singular}}) {
    if (values->empty()) continue;
    SignedBars bars{title, {}};
    bars.from_left = true;
    const std::size_t n = std::min(values->size(), max_singular_values);
    for (std::size_t i = 0; i < n; ++i) bars.values.emplace_back((*values)[i]);
    while (table.labels.size() < n) table.labels.push_back(std::to_string(table.labels.size() + 1));
    table.columns.push_back(std::move(bars));
  }
  for (SignedBars& bars : table.columns) bars.values.resize(table.labels.size());
  table.instead.assign(table.labels.size(), "");
  set_bar_colors(table, in.session.picture);
  return draw_bar_table(table, width, theme_of(in.session.picture.theme), tools.measure);
}

/// For example, "By embeddings alone, head 1.0 would look from “it” mostly at “animal” (5.2), and for that
/// word write “street” (1.2)."
std::string describe_circuits(const PageInputs& in, const HeadCircuits& circuits,
                              const Prediction& prediction) {
  const Trace& trace = *in.trace;
  const StageId weights = weights_of(head_in_question(in));
  const OwnedMatrix& scores = circuits.scores;
  const int row = weights.stack == trace.architecture().last_stack() ? prediction.row : 0;
  if (row >= scores.rows || scores.cols == 0) return {};
  int best = 0;
  for (int key = 1; key < scores.cols; ++key)
    if (scores.at(row, key) > scores.at(row, best)) best = key;
  std::string said = "By embeddings alone, it would look from " +
                     quoted_word(trace.label(weights, Axis::query_tokens, row)) + " most at " +
                     quoted_word(trace.label(weights, Axis::key_tokens, best));
  if (best >= static_cast<int>(circuits.written.size())) return said + ".";
  const WrittenWords& words = circuits.written[static_cast<std::size_t>(best)];
  if (words.promoted.empty()) return said + ".";
  const auto [word, logit] = words.promoted.front();
  return said + ", and for that token promote " +
         quoted_word(trace.label({.kind = StageKind::logits}, Axis::vocabulary, word)) + ".";
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
  return said + " Singular values say along how many directions the head compares and writes.";
}

}  // namespace

void add_circuits(PageBuilder& page, const PageInputs& in, PageTools& tools, const Prediction& prediction) {
  const Trace& trace = *in.trace;
  const HeadId head = head_in_question(in);
  page.line({{"What head " + head_label(trace.architecture(), head) + " would do with these tokens",
              Font::sans_bold, page_size::title, page.theme().text}});
  const Result<HeadCircuits>* found = circuits_of(in, tools, prediction);
  if (found == nullptr) return page.paragraph("Multiplying its matrices …", {}, page_size::body);
  if (!*found) return page.notice("Not computed: " + found->error().message + ".");
  const HeadCircuits& circuits = **found;
  const bool has_qk = circuits.absent_qk.empty() && !is_qk_covered(in, tools);
  const bool has_ov = circuits.absent_ov.empty();
  if (const std::string said = has_qk ? describe_circuits(in, circuits, prediction) : ""; !said.empty())
    page.paragraph(said, page.theme().text, page_size::body);
  if (!circuits.absent_qk.empty()) page.notice("No QK circuit: " + circuits.absent_qk + ".");
  if (!has_ov) page.notice("No OV circuit: " + circuits.absent_ov + ".");
  constexpr float min_wide = 2.0F * 320.0F + gap_of_circuits;
  const bool is_wide = page.width() >= min_wide && has_qk && has_ov;
  const float half = is_wide ? (page.width() - gap_of_circuits) / 2.0F : page.width();
  const auto part_page = [&](std::string_view title, const Page& picture) {
    PageBuilder part(in, tools, half);
    part.section(title);
    part.add(picture);
    return part.take();
  };
  PageBuilder beside(in, tools, half);
  if (has_ov)
    beside.add(part_page("What it would write (OV): change of logits", ov_table(in, tools, circuits, half)));
  if (!circuits.qk_singular.empty() || has_ov)
    beside.add(part_page("Singular values", {singular_table(in, tools, circuits, half), {}}));
  const Page right = beside.take();
  const float top = page.y();
  if (has_qk)
    page.add(
        part_page("Where it would look (QK): scaled scores", qk_map(in, tools, circuits, prediction, half)));
  if (is_wide) {
    append(page.page(), right, half + gap_of_circuits, top);
    page.space(std::max(0.0F, top + right.figure.height + page_size::spacing - page.y()));
  } else {
    page.add(right);
  }
  page.paragraph(left_out_of_circuits(in, circuits));
}

std::string describe_circuit(const PageInputs& in, PageTools& tools, const std::string& table,
                             CellIndex cell) {
  const auto* question = tools.memo.results.last<HeadInQuestion>();
  const auto* found = question == nullptr ? nullptr : tools.memo.results.ready_result(*question);
  if (table != qk_slot || found == nullptr || !*found || question->trace != in.trace) return {};
  const OwnedMatrix& scores = (*found)->scores;
  if (cell.row >= scores.rows || cell.col >= scores.cols) return {};
  const StageId weights = weights_of(question->head);
  return "By embeddings alone, " + quoted_word(in.trace->label(weights, Axis::query_tokens, cell.row)) +
         " would score " + quoted_word(in.trace->label(weights, Axis::key_tokens, cell.col)) + " with " +
         number_text(static_cast<double>(scores.at(cell.row, cell.col))) + ".";
}

std::vector<DataTable> attribution_tables(const PageInputs& in, PageTools& tools,
                                          const Prediction& prediction) {
  const Trace& trace = *in.trace;
  const auto name = [](auto value) { return std::string(enum_name(value)); };
  DataTable inputs{"gradient_x_input", {"stack", "position", "token", "gradient_x_input"}, {}};
  DataTable heads{"attention_x_gradient",
                  {"head", "attention", "layer", "index", "key", "token", "attention_x_gradient"},
                  {}};
  DataTable cells{
      "selected_head", {"head", "query", "token", "key", "key_token", "attention_x_gradient"}, {}};
  const HeadId selected = head_in_question(in);
  const std::string selected_label = head_label(trace.architecture(), selected);
  if (const Attribution* known = known_attribution(in, tools, prediction)) {
    for (const Stack stack : {Stack::encoder, Stack::decoder}) {
      const std::vector<double>& values = known->inputs_of(stack);
      for (std::size_t i = 0; i < values.size(); ++i)
        inputs.rows.push_back(
            {name(stack), static_cast<std::int64_t>(i), trace.tokens(stack)[i].text, values[i]});
    }
    for (const HeadAttribution& head : known->heads) {
      const StageId weights = weights_of(head.place);
      const bool is_selected = head.place == selected;
      const std::string label = head_label(trace.architecture(), head.place);
      if (has_hidden_number(in, weights, tools)) continue;
      for (int key = 0; key < head.n_keys; ++key) {
        const std::string token = trace.full_label(weights, Axis::key_tokens, key);
        heads.rows.push_back({label, name(head.place.attention), std::int64_t{head.place.layer},
                              std::int64_t{head.place.head}, std::int64_t{key}, token, head.of_key(key)});
        for (int query = 0; is_selected && query < head.n_queries; ++query) {
          cells.rows.push_back({label, std::int64_t{query},
                                trace.full_label(weights, Axis::query_tokens, query), std::int64_t{key},
                                token, head.product(query, key)});
        }
      }
    }
  }
  DataTable qk{"qk", {"head", "query", "token", "key", "key_token", "score"}, {}};
  DataTable ov{"ov", {"head", "key", "token", "word", "logit"}, {}};
  DataTable singular{"singular_values", {"head", "index", "qk", "ov"}, {}};
  const Result<HeadCircuits>* found = circuits_of(in, tools, prediction);
  if (found != nullptr && *found) {
    const HeadCircuits& circuits = **found;
    const StageId weights = weights_of(selected);
    for (int query = 0; query < circuits.scores.rows && !is_qk_covered(in, tools); ++query) {
      for (int key = 0; key < circuits.scores.cols; ++key)
        qk.rows.push_back({selected_label, std::int64_t{query},
                           trace.full_label(weights, Axis::query_tokens, query), std::int64_t{key},
                           trace.full_label(weights, Axis::key_tokens, key),
                           static_cast<double>(circuits.scores.at(query, key))});
    }
    for (std::size_t key = 0; key < circuits.written.size(); ++key) {
      for (const auto* words : {&circuits.written[key].promoted, &circuits.written[key].suppressed})
        for (const auto& word : *words)
          ov.rows.push_back({selected_label, static_cast<std::int64_t>(key),
                             trace.full_label(weights, Axis::key_tokens, static_cast<int>(key)),
                             trace.full_label({.kind = StageKind::logits}, Axis::vocabulary, word.first),
                             word.second});
    }
    const auto value = [](const std::vector<double>& values, std::size_t i) {
      return i < values.size() ? TableCell(values[i]) : TableCell();
    };
    for (std::size_t i = 0; i < std::max(circuits.qk_singular.size(), circuits.ov_singular.size()); ++i)
      singular.rows.push_back({selected_label, static_cast<std::int64_t>(i), value(circuits.qk_singular, i),
                               value(circuits.ov_singular, i)});
  }
  return {inputs, heads, cells, qk, ov, singular};
}

}  // namespace headscope
