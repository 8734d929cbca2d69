#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/engine/row_parts.h"
#include "core/figure/bars.h"
#include "core/figure/text_fit.h"
#include "core/model/interventions.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/bar_tables.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/map_panel.h"
#include "core/page/parts/page_builder.h"
#include "core/tasks/task.h"
#include "core/trace/place_text.h"
#include "core/trace/summary.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

/// Notes how the pass differs from the conditions under which its weights were trained.
void notes_on_answer(PageBuilder& page, const PageInputs& in, int query) {
  const Session& session = in.session;
  const AttentionOptions& attention = session.attention;
  const bool reads_both_ways = session.architecture.stacks == Stacks::encoder && !session.task.empty();
  const int after = in.trace->n_tokens() - in.trace->batch().n_padded - 1 - query;
  if (reads_both_ways && attention.mask.causal && after > 0) {
    const std::string word = in.trace->label(in.at(StageKind::weights), Axis::query_tokens, query);
    const bool is_one = after == 1;
    page.notice("The causal mask hides the " + (is_one ? "word" : std::to_string(after) + " words") +
                " after " + quoted_word(word) + " in every layer. Its row is the same whatever " +
                (is_one ? "that word is, so it cannot use it" : "these words are, so it cannot use them") +
                ". This model was trained without the mask.");
  }
  if (attention.has_dropout()) {
    page.notice(
        "Dropout is on: some weights are dropped at random, so the model answers worse than it could.");
  }
  const bool sees_ahead = !attention.mask.causal && !attention.mask.prefix;
  if (in.session.architecture.stacks == Stacks::decoder && sees_ahead) {
    page.notice(
        "This model was trained with the causal mask: without it, a token sees the words it should predict.");
  }
}

std::optional<Explanation> explanation_of(const PageInputs& in, const std::optional<Pin>& cell) {
  if (!cell) return std::nullopt;
  auto derived = explain(*in.trace, cell->stage, cell->row, cell->col);
  return derived ? std::optional<Explanation>(std::move(*derived)) : std::nullopt;
}

void formula_of(PageBuilder& page, const Explanation& explanation) {
  page.line({{explanation.formula, Font::mono, page_size::small, page.theme().quiet}});
}

void tables_of(PageBuilder& page, const PageInputs& in, const PageTools& tools,
               std::span<const Explanation::Strip> strips) {
  for (const auto& group : strip_groups(strips)) {
    page.add(derivation_table(in, tools, group, page.width()));
    page.space(page_size::spacing);
  }
}

/// Shows how to compute a hidden number: its inputs, with a blank for each result.
void hidden_derivation(PageBuilder& page, const PageInputs& in, const PageTools& tools,
                       const Explanation& way) {
  if (uses_hidden(in, way)) return page.paragraph("It is computed from covered numbers: find those first.");
  Explanation explanation = way;
  for (Explanation::Strip& strip : explanation.strips) {
    const auto asked = asked_in_strip(*in.trace, way, strip);
    if (asked) strip.values[*asked] = std::numeric_limits<float>::quiet_NaN();
  }
  page.section("How to compute this number");
  formula_of(page, explanation);
  std::vector<Explanation::Strip> given;
  std::ranges::copy_if(explanation.strips, std::back_inserter(given),
                       [](const Explanation::Strip& strip) { return !strip.is_computed; });
  tables_of(page, in, tools, given);
  for (const Explanation::Strip& strip : explanation.strips) {
    if (strip.is_computed) page.row(strip.label, hidden_number);
  }
  for (const Explanation::Step& step : explanation.steps) {
    const bool is_last = &step == &explanation.steps.back();
    const bool is_shown = !is_last && step.cell;
    page.row(step.label, is_shown ? in.number(step.value) : hidden_number, is_last);
  }
}

/// The numbers that lead to the explained one, each with an optional note.
void steps_of(PageBuilder& page, const PageInputs& in, const Explanation& explanation) {
  const std::vector<std::string> numbers = step_texts(explanation.steps, in.session.picture);
  for (std::size_t i = 0; i < explanation.steps.size(); ++i) {
    const Explanation::Step& step = explanation.steps[i];
    page.row(step.label, numbers[i], i + 1 == explanation.steps.size());
    page.paragraph(step.note);
  }
}

void derivation(PageBuilder& page, const PageInputs& in, const PageTools& tools,
                const Explanation& explanation, std::string_view title) {
  if (uses_hidden(in, explanation))
    return page.paragraph("It is computed from covered numbers: find those first.");
  constexpr std::size_t few = 4;
  const bool has_many = std::ranges::any_of(
      explanation.strips, [](const Explanation::Strip& strip) { return strip.values.size() > few; });
  if (!title.empty()) page.section(title);
  // The link beside the heading expands or collapses the list of numbers. A short one is always complete.
  if (has_many) {
    const std::string_view words = in.session.picture.all_numbers ? "Fewer numbers" : "All numbers";
    const TextSize size = page.measure()(words, Font::sans, page_size::small);
    const Box box{page.width() - size.width, page.y() - page_size::spacing - size.height, size.width,
                  size.height};
    page.figure().write(std::string(words), {box.x, box.y}, page.theme().accent, page_size::small);
    add_box(page.figure(), {box.x, box.bottom(), box.w, 1.0F},
            mixed(page.theme().panel, page.theme().accent, 0.4F));
    page.page().regions.push_back({box.grown(4.0F), AllNumbersArea{}});
  }
  formula_of(page, explanation);
  if (!has_many || in.session.picture.all_numbers) tables_of(page, in, tools, explanation.strips);
  steps_of(page, in, explanation);
}

/// Whether a stage is a score of a head or follows from one cell by cell.
bool is_score(StageKind kind) {
  using enum StageKind;
  return kind == raw || kind == scaled || kind == capped || kind == masked || kind == weights;
}

std::vector<std::string> part_names(const Architecture& a, const std::vector<RowPart>& parts) {
  std::vector<std::string> names;
  names.reserve(parts.size());
  for (const RowPart& part : parts) names.push_back(part_name(a, part));
  return names;
}

/// The map of the products of all parts of a query with all parts of a key. Empty for a model with very many
/// parts, because they could not be told apart.
Page map_of_pairs(const PageInputs& in, PageTools& tools, const ScoreParts& split, const Pin& cell,
                  float width) {
  constexpr std::size_t max_parts = 64;
  if (std::max(split.query.size(), split.key.size()) > max_parts) return {};
  const TableSpec table = table_of_pass(
      in, path(cell.stage) + " " + std::to_string(cell.row) + " " + std::to_string(cell.col), 26.0F);
  const auto make = [&](OwnedMatrix& numbers) {
    numbers = OwnedMatrix(static_cast<int>(split.query.size()), static_cast<int>(split.key.size()));
    std::ranges::transform(split.terms, numbers.values.begin(),
                           [](double term) { return static_cast<float>(term); });
    const Architecture& a = in.trace->architecture();
    constexpr bool is_signed = true;
    return table_spec(numbers, ColorScale(in.session.picture, is_signed, numbers.view()),
                      part_names(a, split.query), "parts of q", part_names(a, split.key), "parts of k");
  };
  return table_page(tools, score_pairs_slot, table, make, width, width);
}

using PartsOfScore = Asked<score_parts>;

/// The score that was split last, whose map has this cell. Null if it has not.
const ScoreParts* split_with(const PageMemo& memo, CellIndex cell) {
  const auto* asked = memo.results.last<PartsOfScore>();
  const auto* found = asked == nullptr ? nullptr : memo.results.ready_result(*asked);
  if (found == nullptr || !*found) return nullptr;
  const ScoreParts& split = **found;
  const bool has_cell = cell.row < std::ssize(split.query) && cell.col < std::ssize(split.key);
  return has_cell ? &split : nullptr;
}

/// The greatest products of the parts that wrote the query and the key of a score, and a map of all.
void why_this_score(PageBuilder& page, const PageInputs& in, PageTools& tools, const Pin& cell) {
  constexpr std::size_t most = 6;
  page.section("Why this score: what wrote q and k");
  const auto* found =
      tools.find(PartsOfScore{{in.trace, with_kind(cell.stage, StageKind::raw), cell.row, cell.col}});
  if (found == nullptr) return page.paragraph("Computing…");
  if (!*found || !(*found)->absent.empty())
    return page.paragraph("Not split: " + (*found ? (*found)->absent : found->error().message) + ".");
  const ScoreParts& split = **found;
  const Architecture& a = in.trace->architecture();
  double shown = 0.0;
  const std::vector<ScoreParts::Pair> pairs = split.greatest(most);
  for (const auto& [query, key] : pairs) {
    shown += split.term(query, key);
    page.row(part_name(a, split.query[query]) + " × " + part_name(a, split.key[key]),
             in.number(split.term(query, key)));
  }
  if (split.terms.size() > pairs.size())
    page.row(count_text(static_cast<long long>(split.terms.size() - pairs.size()), "other product"),
             in.number(split.total - shown));
  page.row("raw = their sum", in.number(split.total), true);
  page.add(map_of_pairs(in, tools, split, cell, page.width()));
}

/// Shows a cell's number and how it was computed, or how to compute it if it is covered.
void about_cell(PageBuilder& page, const PageInputs& in, const PageTools& tools,
                const Explanation& explanation) {
  const bool hides = is_hidden(in, {explanation.stage, explanation.row, explanation.col});
  const bool is_asked = in.session.cover.is_over(canonical(in.trace->architecture(), explanation.stage));
  page.line({{hides ? hidden_number : in.number(explanation.stored), Font::mono, page_size::number,
              page.theme().accent}});
  page.say(hides ? name_of_cell(*in.trace, explanation.stage, explanation.row, explanation.col) +
                       (is_asked ? " is covered. Point at it and type its number, or click it to see it."
                                 : " is covered, because it would tell covered numbers.")
                 : explanation.headline);
  if (in.session.picture.details) page.paragraph(path(explanation.stage));
  if (hides) return hidden_derivation(page, in, tools, explanation);
  derivation(page, in, tools, explanation, "How it was computed");
}

/// How the greatest weight of a row was computed, with a line for each stage that changed the number.
void strongest_weight(PageBuilder& page, const PageInputs& in, PageTools& tools, int query) {
  const StageId used = shown_weights(in);
  const auto key = strongest_column(in, tools, used, query);
  if (!key || !can_read(in, tools, used)) return;
  const auto derived = explain(*in.trace, used, query, *key);
  if (!derived || uses_hidden(in, *derived)) return;
  page.section("How " + quoted_word(in.trace->label(used, Axis::query_tokens, query)) + " gives " +
               in.number(derived->stored) + " to " +
               quoted_word(in.trace->label(used, Axis::key_tokens, *key)));
  std::string before;
  for (const Explanation::Step& step : derived->steps) {
    const bool is_stage = step.label.find(" = ") != std::string::npos;
    const std::string number = in.number(step.value);
    if (!is_stage || number == before) continue;
    page.row(step.label, number, &step == &derived->steps.back());
    before = number;
  }
}

/// The index in `b` of a token of `a`, if the two texts are equal except for at most one word, which may be
/// missing in one of them.
std::optional<int> token_before(const std::vector<Token>& a, const std::vector<Token>& b, int token) {
  const auto is_same = [](const Token& of_a, const Token& of_b) { return of_a.lookup == of_b.lookup; };
  const auto first = std::ranges::mismatch(a, b, is_same);
  const auto last = std::mismatch(a.rbegin(), std::make_reverse_iterator(first.in1), b.rbegin(),
                                  std::make_reverse_iterator(first.in2), is_same);
  const auto n_words = [](auto from, auto to) {
    return std::count_if(from, to, [](const Token& token) { return !token.continues_word; });
  };
  const auto end = last.first.base();
  if (n_words(first.in1, end) > 1 || n_words(first.in2, last.second.base()) > 1) return std::nullopt;
  if (token < first.in1 - a.begin()) return token;
  const bool is_replaced = end - first.in1 == 1 && last.second.base() - first.in2 == 1;
  if (token < end - a.begin() && !is_replaced) return std::nullopt;
  return token + static_cast<int>(b.size()) - static_cast<int>(a.size());
}

/// "before: animal 0.998": what a word attended to before another was changed. Empty if unknown.
std::string before_edit_text(const PageInputs& in, int query) {
  if (!in.before_edit || in.before_edit->architecture() != in.trace->architecture()) return {};
  const StageId weights = in.at(StageKind::weights);
  const auto before = token_before(in.trace->tokens(weights, Axis::query_tokens),
                                   in.before_edit->tokens(weights, Axis::query_tokens), query);
  const auto key = before ? strongest_key(*in.before_edit, weights, *before) : std::nullopt;
  if (!key) return {};
  return "before: " + in.before_edit->label(weights, Axis::key_tokens, key->key) + " " +
         in.number(key->weight);
}

/// Writes at the right end of the last heading, where it moves nothing.
void beside_heading(PageBuilder& page, const std::string& heading, const std::string& said) {
  constexpr float gap = 10.0F;
  const float room = page.width() - page.measure()(heading, Font::sans_bold, page_size::control).width - gap;
  const std::string fitting = elided_text(said, room, Font::sans, page_size::small, page.measure());
  const TextSize size = page.measure()(fitting, Font::sans, page_size::small);
  page.figure().write(fitting, {page.width() - size.width, page.y() - page_size::spacing - size.height},
                      page.theme().quiet, page_size::small);
}

void looks_at(PageBuilder& page, const PageInputs& in, int query) {
  const Trace& trace = *in.trace;
  const StageId used = shown_weights(in);
  const Extent size = trace.extent(used);
  if (size.empty() || query >= size.rows) return;
  const StageNumbers row = trace.read_row(used, query);
  const std::string title = "What " + quoted_word(trace.label(used, Axis::query_tokens, query)) + " looks at";
  page.section(title);
  const bool is_hidden = hides_weights_of(in, query, size.cols);
  if (const std::string before = before_edit_text(in, query); !before.empty() && !is_hidden)
    beside_heading(page, title, before);
  const std::string_view dropout = dropout_text(trace, used.kind);
  page.paragraph(place_text(trace, used) + (dropout.empty() ? "" : ", ") + std::string(dropout));
  if (is_hidden) return page.paragraph("Not shown during this exercise.");
  constexpr std::size_t max_bars = 6;
  std::vector<RankedKey> ranked = ranked_keys(row.view, 0);
  // Hidden keys have no bars but are counted, so that the count covers the whole row.
  const std::size_t n_hidden = std::erase_if(ranked, [&](const RankedKey& key) {
    return key.weight == 0.0F && !trace.mask(used).sees(used.head, query, key.key);
  });
  BarListSpec spec;
  for (std::size_t i = 0; i < std::min(ranked.size(), max_bars); ++i) {
    spec.bars.push_back({trace.label(used, Axis::key_tokens, ranked[i].key), ranked[i].weight,
                         in.number(ranked[i].weight), page.theme().data,
                         position_mark(trace.tokens(used, Axis::key_tokens), ranked[i].key)});
  }
  spec.maximum = std::max(1.0, static_cast<double>(ranked.empty() ? 0.0F : ranked.front().weight));
  page.add(draw_bars(spec, page.width(), page.theme(), page.measure()));
  double rest = 0.0;
  double sum = 0.0;
  std::size_t n_others = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    sum += static_cast<double>(ranked[i].weight);
    if (i < max_bars) continue;
    rest += static_cast<double>(ranked[i].weight);
    ++n_others;
  }
  if (n_others > 0) page.row(count_text(n_others, "other"), in.number(rest));
  if (n_hidden > 0) page.row(std::to_string(n_hidden) + " hidden by the mask", "0");
  const StageId sink = in.at(StageKind::sink_share);
  if (trace.has(sink) && query < trace.extent(sink).rows) {
    page.row("given to the sink", in.number(trace.number(sink, query, 0)));
    page.paragraph(
        "The sink is a score of the head itself and belongs to no key. Its share has no value; the weights add up to the rest.");
    return;
  }
  constexpr double rounding = 1e-3;
  if (std::abs(sum - 1.0) < rounding) {
    if (!in.session.picture.details) return;
    page.row("entropy", number_text(entropy(row.view, 0), 3) + " nats");
  } else if (!std::isnan(sum)) {
    page.row("row sum (not a distribution)", in.number(sum));
  }
}

/// The model's prediction at the token, if its weights were trained to make one.
void answers(PageBuilder& page, const PageInputs& in, PageTools& tools, int query) {
  const bool ends_here = in.session.selection.stack == in.trace->architecture().last_stack();
  if (!ends_here || !in.trace_model || query >= in.trace->extent(probabilities_stage).rows) return;
  page.section(prediction_heading(*in.trace, query));
  if (has_hidden_number(in, probabilities_stage, tools) || has_hidden_number(in, logits_stage, tools))
    return page.paragraph("Some of the numbers that it is computed from are covered.");
  constexpr std::size_t most = 4;
  add_ranked_words(page, in, query, most);
  answer_notes(page, in, tools, query);
  notes_on_answer(page, in, query);
  const auto kind = parse_task_name(in.session.task);
  if (kind == TaskKind::pronouns && in.trace->expectation(query) == Expectation::repeats)
    page.paragraph("It says what pronouns stand for and fills in blanks (___). It repeats every other word.");
}

std::pair<HistogramSpec, HistogramSpec> spread_of_head(const Trace& trace, const StageId& raw,
                                                       const StageId& scaled) {
  const auto histogram_of = [&](const char* name, const StageId& stage) -> HistogramSpec {
    constexpr int n_bins = 24;
    const NumberSourcePtr scores = stage_source(trace, stage);
    return {name, histogram(*scores, n_bins), statistics(*scores)};
  };
  return {histogram_of("raw", raw), histogram_of("scaled", scaled)};
}

void variance(PageBuilder& page, const PageInputs& in, PageTools& tools) {
  page.section("Before and after scaling");
  const StageId of_raw = in.at(StageKind::raw);
  const StageId of_scaled = in.at(StageKind::scaled);
  const auto* const spread = tools.find(Asked<spread_of_head>{{in.trace, of_raw, of_scaled}},
                                        are_cheap_to_read(*in.trace, {of_raw, of_scaled}));
  if (spread == nullptr) return page.paragraph("Computing…");
  if (!*spread) return page.paragraph("Not computed: " + spread->error().message + ".");
  const auto& [raw, scaled] = **spread;
  constexpr float height = 150.0F;
  page.add(draw_histograms(raw, scaled, {0.0F, 0.0F, page.width(), height}, page.theme(), page.measure()));
  const auto both = [](double before, double after) {
    return number_text(before) + " → " + number_text(after);
  };
  page.row("variance, divided by n", both(raw.statistics.variance, scaled.statistics.variance));
  page.row("divided by n − 1, as torch.var",
           both(raw.statistics.sample_variance(), scaled.statistics.sample_variance()));
}

}  // namespace

std::optional<Pin> inspected(const Trace& trace, const std::optional<Pin>& pin,
                             const std::optional<Pin>& hovered) {
  for (const auto& cell : {pin, hovered}) {
    if (!cell) continue;
    const Extent values = trace.extent(cell->stage);
    if (cell->row >= 0 && cell->row < values.rows && cell->col >= 0 && cell->col < values.cols) return cell;
  }
  return std::nullopt;
}

std::optional<int> shown_query(const PageInputs& in) {
  const auto n = static_cast<int>(in.trace->tokens(in.session.selection.stack).size());
  for (const auto& candidate : {in.hovered_token, in.session.selection.token}) {
    if (candidate && *candidate >= 0 && *candidate < n) return candidate;
  }
  // If a cell stays selected after its token was deselected, its row counts.
  const Selection& at = in.session.selection;
  const bool is_here = at.pin && is_map(at.pin->stage.kind) && at.pin->stage.stack == at.stack &&
                       at.pin->stage.attention == at.attention;
  if (is_here && at.pin->row >= 0 && at.pin->row < n) return at.pin->row;
  return std::nullopt;
}

Page cell_page(const PageInputs& in, const std::optional<Pin>& cell, const PageSize& room, PageTools& tools) {
  PageBuilder page(in, tools, room.width);
  const auto explanation = explanation_of(in, cell);
  if (!explanation) return page.take();
  if (is_hidden(in, *cell)) {
    hidden_derivation(page, in, tools, *explanation);
    return page.take();
  }
  const auto say_what_it_is = [&](PageBuilder& text) { text.say(explanation->headline); };
  say_what_it_is(page);
  derivation(page, in, tools, *explanation, {});
  if (page.y() <= room.height) return page.take();
  // The steps are complete without the tables. A page that is cut somewhere would not be.
  if (!uses_hidden(in, *explanation)) {
    PageBuilder steps(in, tools, room.width);
    say_what_it_is(steps);
    formula_of(steps, *explanation);
    steps_of(steps, in, *explanation);
    if (steps.y() <= room.height) return steps.take();
  }
  PageBuilder brief(in, tools, room.width);
  say_what_it_is(brief);
  return brief.take();
}

std::optional<HeadId> head_of_pair(const PageMemo& memo, CellIndex cell) {
  const ScoreParts* split = split_with(memo, cell);
  if (split == nullptr) return std::nullopt;
  for (const RowPart& part :
       {split->key[static_cast<std::size_t>(cell.col)], split->query[static_cast<std::size_t>(cell.row)]}) {
    if (part.kind == RowPart::Kind::head) return part.place;
  }
  return std::nullopt;
}

std::string describe_pair(const PageInputs& in, const PageMemo& memo, CellIndex cell) {
  const ScoreParts* split = split_with(memo, cell);
  if (split == nullptr || !in.trace) return {};
  const Architecture& a = in.trace->architecture();
  const auto query = static_cast<std::size_t>(cell.row);
  const auto key = static_cast<std::size_t>(cell.col);
  const auto head = head_of_pair(memo, cell);
  return "What the " + part_name(a, split->query[query]) + " wrote into q, times what the " +
         part_name(a, split->key[key]) + " wrote into k: " + number_text(split->term(query, key)) + " of " +
         number_text(split->score) + (head ? ".\nClick to show " + head_text(*in.trace, *head) + "." : ".");
}

Page inspector_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  const auto cell = inspected(*in.trace, in.session.selection.pin, in.hovered);
  const bool is_pinned = cell && in.session.selection.pin == cell;
  // In a low panel, the cell under the mouse stands alone: its derivation would otherwise end below the
  // panel, which cannot be scrolled without leaving the cell.
  constexpr float min_for_all = 720.0F;
  const bool only_cell = cell && !is_pinned && size.height < min_for_all;
  const bool can_explain = !cell || can_read(in, tools, cell->stage);
  const auto explanation = can_explain ? explanation_of(in, cell) : std::nullopt;
  if (!can_explain) page.paragraph(unreadable_text(tools));
  const bool is_of_two = in.session.view == PageName::compare && !in.session.compared.empty();
  if (is_of_two) page.line({{"All of this is about B.", Font::sans, page_size::small, page.theme().accent}});
  if (is_pinned && explanation) about_cell(page, in, tools, *explanation);
  const bool can_be_split =
      is_pinned && explanation && in.session.picture.details && is_score(cell->stage.kind);
  if (can_be_split && !uses_hidden(in, *explanation) && !is_hidden(in, *cell))
    why_this_score(page, in, tools, *cell);
  const auto query = shown_query(in);
  const StageId used = shown_weights(in);
  const bool is_known = !in.trace->has(used) || can_read(in, tools, used);
  if (query && is_known && !only_cell) looks_at(page, in, *query);
  if (query && !only_cell) answers(page, in, tools, *query);
  const std::string unknown = in.trace_model ? unknown_words_text(*in.trace, *in.trace_model) : "";
  if (!unknown.empty() && !only_cell) page.paragraph(unknown);
  // The parts that depend on the mouse come last, so that they do not move the rest.
  if (explanation && !is_pinned) {
    page.section("The cell under the mouse");
    about_cell(page, in, tools, *explanation);
  } else if (!cell) {
    if (query) strongest_weight(page, in, tools, *query);
    // The lines have no cells to point at.
    if (in.session.view != PageName::lines && !in.in_file)
      page.paragraph("Point at a cell to see how its number was computed. Click to keep it here.");
  }
  const StageKind stage = explanation ? explanation->stage.kind : in.session.selection.stage;
  const bool is_told = !has_hidden_number(in, in.at(StageKind::raw), tools) &&
                       !has_hidden_number(in, in.at(StageKind::scaled), tools);
  const bool is_scaled = is_told && in.trace->has(in.at(StageKind::scaled));
  if (is_scaled && (stage == StageKind::raw || stage == StageKind::scaled)) variance(page, in, tools);
  page.divider();
  page.paragraph(
      in.is_untrained()
          ? "Untrained: the weights are random, so these patterns mean nothing about language. Even when trained, attention shows where a head reads, not on its own why the model answers as it does."
          : "Attention shows where a head reads, not on its own why the model answers as it does.");
  return page.take();
}

}  // namespace headscope
