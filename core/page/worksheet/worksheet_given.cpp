#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "core/figure/pages.h"
#include "core/model/attention.h"
#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/model/rotary.h"
#include "core/page/parts/covered.h"
#include "core/page/worksheet/worksheet_page.h"
#include "core/split_text.h"
#include "core/text/number_text.h"
#include "core/trace/number_source.h"

namespace headscope {
namespace {

using NumberAt = std::function<float(int row, int col)>;

/// A map that looks like the map of `stage` but has other numbers.
HeatmapSpec table_like(const HeatmapSpec& stage, const char* title, const Extent& size,
                       const PictureOptions& picture, const NumberAt& number) {
  OwnedMatrix numbers(size.rows, size.cols);
  double most = 0.0;
  for (int row = 0; row < size.rows; ++row) {
    for (int col = 0; col < size.cols; ++col) {
      const float value = number(row, col);
      numbers.at(row, col) = value;
      if (std::isfinite(value)) most = std::max(most, std::fabs(static_cast<double>(value)));
    }
  }
  HeatmapSpec spec = stage;
  spec.source = source_of(std::move(numbers));
  spec.title = title;
  spec.shape = shape_text(size);
  constexpr bool is_signed = true;
  PictureOptions of_table = picture;
  of_table.range = RangeMode::map;
  spec.scale = ColorScale(of_table, is_signed, most);
  return spec;
}

void give_added_mask(const Trace& trace, const StageId& stage, const PictureOptions& picture,
                     SheetGivens& given) {
  const CombinedMask& mask = trace.mask(stage);
  if (mask.added.empty()) return;
  given.tables.push_back(table_like(heatmap_of_stage(trace, stage, picture), "Added by the mask",
                                    trace.extent(stage), picture,
                                    [&](int row, int col) { return mask.addend(stage.head, row, col); }));
}

void give_dropout(const Trace& trace, const StageId& stage, const PictureOptions& picture,
                  SheetGivens& given) {
  const Extent size = trace.extent(stage);
  const Dropout dropout = dropout_of(trace.options(), stage.stack, stage.layer, stage.attention);
  std::vector<float> factors(static_cast<std::size_t>(size.cols));
  int row_of_factors = -1;
  given.tables.push_back(table_like(heatmap_of_stage(trace, stage, picture), "Factors of dropout", size,
                                    picture, [&](int row, int col) {
                                      if (row != row_of_factors) dropout.factors(stage.head, row, factors);
                                      row_of_factors = row;
                                      return factors[static_cast<std::size_t>(col)];
                                    }));
  given.notes.emplace_back("Each weight is multiplied by its factor.");
}

void give_turns(const Trace& trace, const StageId& stage, const PictureOptions& picture, SheetGivens& given) {
  const Architecture& a = trace.architecture();
  const RotaryFrequencies turns =
      rotary_frequencies(a.rotary_of(stage.layer), a.head_width(stage.layer), a.kv_latent.has_value());
  const Extent size{trace.extent(stage).rows, turns.n_pairs()};
  HeatmapSpec look = heatmap_of_stage(trace, stage, picture);
  std::vector<std::string> pairs;
  for (int pair = 0; pair < turns.n_pairs(); ++pair) {
    const auto [one, other] = turns.dimensions(pair);
    pairs.push_back(std::to_string(one) + "," + std::to_string(other));
  }
  look.col_labels = std::move(pairs);
  look.col_axis = "pairs of dimensions";
  const auto angle = [&](int row, int pair) { return turns.angle(row, pair); };
  const bool has_factor = turns.amplitude != 1.0;
  given.tables.push_back(table_like(
      look, has_factor ? "m cos" : "cos", size, picture,
      [&](int row, int pair) { return static_cast<float>(turns.amplitude * std::cos(angle(row, pair))); }));
  given.tables.push_back(table_like(
      look, has_factor ? "m sin" : "sin", size, picture,
      [&](int row, int pair) { return static_cast<float>(turns.amplitude * std::sin(angle(row, pair))); }));
  const std::string m = has_factor ? "m " : "";
  std::string said = "A pair of dimensions (a, b) becomes (a · " + m + "cos − b · " + m + "sin, a · " + m +
                     "sin + b · " + m + "cos).";
  if (2 * turns.n_pairs() < trace.extent(stage).cols) said += " The other dimensions stay as they are.";
  given.notes.push_back(std::move(said));
}

/// Names the keys that the last query sees, over which the state of linear attention sums.
std::string keys_of_last_query(const Trace& trace, const StageId& stage) {
  const CombinedMask& mask = trace.mask(stage);
  const StageId raw = with_kind(stage, StageKind::raw);
  const Extent size = trace.extent(raw);
  const int last = size.rows - 1;
  std::vector<std::string> named;
  for (int key = 0; key < size.cols; ++key) {
    if (mask.is_visible(stage.head, last, key) && std::isfinite(mask.addend(stage.head, last, key)))
      named.push_back(quoted_word(trace.label(raw, Axis::key_tokens, key)));
  }
  if (std::ssize(named) == size.cols) return "The last query sees every key.";
  return "The last query sees " + (named.empty() ? "no key" : join_texts(named, ", ")) + ".";
}

/// For example, "W_O[1] has rows 4 to 7 of W_O."
std::string rows_of_head(const Trace& trace, const StageId& stage) {
  const int width = trace.architecture().value_width(stage.layer);
  const std::string head = std::to_string(stage.head);
  const std::string which =
      std::to_string(stage.head * width) + " to " + std::to_string((stage.head + 1) * width - 1);
  const bool is_gated = stage.kind == StageKind::contribution && trace.architecture().output_gate;
  return "W_O[" + head + "] has rows " + which + " of W_O" +
         (is_gated ? ", C′[" + head + "] columns " + which + " of C′." : ".");
}

/// Describes the computation of a norm, which its formula only names.
std::string rule_of_norm(const Trace& trace, const StageId& stage) {
  using enum StageKind;
  const auto said = [](const std::string& rule, float epsilon) {
    return rule + ", with ε = " + number_text(epsilon) + ".";
  };
  const bool is_value = stage.kind == value && trace.graph().op(stage) == Op::head_norm;
  if (stage.kind == normed_query || stage.kind == normed_key || is_value)
    return trace.architecture().foreign.head_norm == HeadNorm::layer_of_head
               ? said("The mean and the variance are those of the row", trace.architecture().norm_epsilon)
               : said("RMS(x) = √(mean of the row's x² + ε)", trace.architecture().norm_epsilon);
  if (stage.kind == normed_latent)
    return said("RMS(c) = √(mean of the row's c² + ε)", norm_epsilon(trace.architecture(), stage.kind));
  if (trace.graph().op(stage) != Op::norm) return {};
  const auto inputs = inputs_of(trace, stage);
  const auto gain = std::ranges::find_if(
      inputs, [](const StageId& input) { return info(input.kind).parameter == ParameterKind::gain; });
  const Architecture& a = trace.architecture();
  const std::string times = " · " + std::string(info(gain->kind).symbol);
  if (a.norm_kind == NormKind::rms)
    return said("RMSNorm(x) = x / √(mean of the row's x² + ε)" + times, a.norm_epsilon);
  const std::string plus = " + " + std::string(info(inputs.back().kind).symbol);
  return said("LayerNorm(x) = (x − mean of the row) / √(variance of the row + ε)" + times + plus,
              a.norm_epsilon);
}

/// For example, "The rows of the table: “it” 5, “was” 7."
std::string ids_of_tokens(const Trace& trace, const StageId& stage) {
  std::vector<std::string> named;
  std::set<int> told;
  for (const Token& token : trace.tokens(stage.stack)) {
    if (told.insert(token.id).second)
      named.push_back(quoted_word(token.text) + " " + std::to_string(token.id));
  }
  return "The rows of the table: " + join_texts(named, ", ") + ".";
}

/// The inputs of a stage, without parameters.
std::vector<StageId> numbers_before(const Trace& trace, const StageId& stage) {
  std::vector<StageId> inputs = inputs_of(trace, stage);
  std::erase_if(inputs, [](const StageId& id) { return info(id.kind).is_parameter(); });
  for (StageId& id : inputs) id = canonical(trace.architecture(), id);
  return inputs;
}

/// The stages that lead from `from`, excluded, to `to`, included, if `to` contains the same numbers in
/// another form. Empty if it does not.
std::vector<StageId> path_between(const Trace& trace, const StageId& from, const StageId& to) {
  const std::vector<StageId> before = numbers_before(trace, to);
  const bool joins_heads = to.kind == StageKind::concat;
  if (joins_heads && std::ranges::find(before, from) != before.end()) return {to};
  if (before.size() != 1) return {};
  if (before.front() == from) return {to};
  std::vector<StageId> way = path_between(trace, from, before.front());
  if (!way.empty()) way.push_back(to);
  return way;
}

/// Whether each number of such a stage is computed from the number at the same position.
bool is_cell_by_cell(StageKind kind) {
  using enum StageKind;
  return kind == scaled || kind == capped || kind == masked || kind == dropped;
}

/// The same exercise, transferred to a stage that would reveal its numbers.
Cover cover_over(const Trace& trace, const Cover& asked, const StageId& given,
                 const std::vector<StageId>& way) {
  Cover cover = asked;
  cover.stage = given;
  if (std::ranges::all_of(way, is_cell_by_cell, &StageId::kind)) return cover;
  cover = {};
  cover.stage = given;
  const Extent size = trace.extent(*asked.stage);
  const bool joins_heads = given.kind == StageKind::concat;
  for (int row = 0; row < size.rows; ++row) {
    if (!asked.hides_in_row(row, size.cols)) continue;
    if (!joins_heads) cover.rows.push_back(row);
    for (int col = 0; joins_heads && col < size.cols; ++col) {
      if (asked.hides(row, col)) cover.cells.push_back({row, asked.stage->head * size.cols + col});
    }
  }
  return cover;
}

/// Describes which cells a mask hides.
std::string hidden_cells_text(const Trace& trace, const StageId& stage) {
  constexpr int max_named = 40;
  const CombinedMask& mask = trace.mask(stage);
  const Extent size = trace.extent(stage);
  std::vector<std::string> named;
  int n_hidden = 0;
  bool is_causal = true;
  for (int row = 0; row < size.rows; ++row) {
    for (int col = 0; col < size.cols; ++col) {
      const bool hides = !mask.is_visible(stage.head, row, col);
      is_causal = is_causal && hides == (col > row);
      if (!hides || ++n_hidden > max_named) continue;
      named.push_back(name_of_cell(trace, stage, row, col));
    }
  }
  if (n_hidden == 0) return "The mask hides nothing.";
  if (is_causal) return "The mask is causal: it hides every key that comes after its query.";
  const int more = n_hidden - max_named;
  return "The mask hides " + join_texts(named, ", ") + (more > 0 ? " and " + grouped(more) + " more" : "") +
         ".";
}

/// Names the numbers of a stage that an intervention set, which cannot be computed from the sheet: "weights
/// given by an intervention". Empty if there are none.
std::string intervention_origin(const Trace& trace, const StageId& stage) {
  const PassEdits* edits = trace.edits();
  if (edits == nullptr) return {};
  if (info(stage.kind).scope == StageScope::head) {
    const HeadEdits* head = edits->of(head_of(stage));
    const bool is_of_weights = stage.kind == StageKind::weights || stage.kind == StageKind::sink_share;
    if (head != nullptr && is_of_weights && !head->pattern.empty()) return "weights from the held pass";
    if (head != nullptr && stage.kind == StageKind::weights && !head->weights.empty())
      return "weights given by an intervention";
  }
  for (int row = 0; row < trace.extent(stage).rows; ++row) {
    const RowEdit* edit = edits->of(stage, row);
    if (edit != nullptr && edit->source == PatchSource::compared) return "rows from the held pass";
    if (edit != nullptr && is_mean(edit->source)) return "rows that are means over other texts";
  }
  return {};
}

bool is_letter_of_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.';
}

/// Whether the text after a word belongs to it: "x′" and "x̂" are not the symbol "x".
bool goes_on(std::string_view rest) {
  constexpr std::array<std::string_view, 4> marks{"′", "″", "°", "\u0302"};
  const auto begins = [rest](std::string_view mark) { return rest.starts_with(mark); };
  return (!rest.empty() && is_letter_of_name(rest.front())) || std::ranges::any_of(marks, begins);
}

/// Replaces a whole word in `text` with another.
std::string with_word(const std::string& text, std::string_view word, std::string_view instead) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_letter_of_name(word.front()) || !is_letter_of_name(text[at - 1]);
    const bool is_there = begins && text.compare(at, word.size(), word) == 0;
    if (is_there && !goes_on(std::string_view(text).substr(std::min(end, text.size())))) {
      result += instead;
      at = end;
    } else {
      result += text[at++];
    }
  }
  return result;
}

}  // namespace

SheetGivens sheet_givens(const Trace& trace, const StageId& stage, const PictureOptions& picture) {
  using enum StageKind;
  SheetGivens given{inputs_of(trace, stage), {}, {}};
  if (stage.kind == masked) give_added_mask(trace, stage, picture, given);
  if (stage.kind == dropped) give_dropout(trace, stage, picture, given);
  if (stage.kind == rotated_query || stage.kind == rotated_key) give_turns(trace, stage, picture, given);
  if (stage.kind == state || stage.kind == state_sum) given.notes.push_back(keys_of_last_query(trace, stage));
  if (stage.kind == contribution || stage.kind == effective_weights)
    given.notes.push_back(rows_of_head(trace, stage));
  const bool is_told = !trace.mask(stage).visible.empty() || given.tables.empty();
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(head_of(stage));
  const bool is_by_sight = trace.architecture().linear_attention || (edits != nullptr && edits->is_uniform);
  if ((stage.kind == masked && is_told) || (stage.kind == weights && is_by_sight))
    given.notes.push_back(hidden_cells_text(trace, stage));
  if (stage.kind == sink_share) given.notes.emplace_back("m is the largest of a row's scores and s.");
  if (stage.kind == embedding && !given.stages.empty()) given.notes.push_back(ids_of_tokens(trace, stage));
  if (std::string rule = rule_of_norm(trace, stage); !rule.empty()) given.notes.push_back(std::move(rule));
  return given;
}

AskedElsewhere asked_elsewhere(const PageInputs& in, const StageId& shown) {
  if (in.session.cover.solution) return {};
  const StageId given = canonical(in.trace->architecture(), shown);
  for (const Cover& asked : in.other_pages) {
    if (asked.is_over(given)) return {asked, {given}};
  }
  for (const Cover& asked : in.other_pages) {
    if (!asked.stage || !in.trace->has(*asked.stage)) continue;
    std::vector<StageId> way = path_between(*in.trace, *asked.stage, given);
    if (way.empty()) continue;
    Cover cover = cover_over(*in.trace, asked, given, way);
    way.insert(way.begin(), *asked.stage);
    return {std::move(cover), std::move(way)};
  }
  return {};
}

bool is_asked_elsewhere(const PageInputs& in, const Explanation::Source& source) {
  const Cover cover = asked_elsewhere(in, source.stage).cover;
  return cover.stage && has_hidden(cover, source, in.trace->extent(source.stage));
}

std::string reason_unsolvable(const Trace& trace, const StageId& stage) {
  const StageInfo& about = info(stage.kind);
  const std::string name(about.name);
  const bool follows_from_its_place =
      stage.kind == StageKind::positions || stage.kind == StageKind::position_bias;
  const char* why = !trace.uses(stage)              ? " is not used, because what follows it is given by hand"
                    : trace.given(stage) != nullptr ? " is given by hand"
                    : trace.graph().op(stage) == Op::captured ? " was read from a capture"
                    : about.is_parameter() ? " is a parameter of the model, which is not computed"
                    : inputs_of(trace, stage).empty() && !follows_from_its_place
                        ? " is drawn at random, so it cannot be computed"
                        : nullptr;
  if (why != nullptr)
    return "there is nothing to fill in: " + name + why +
           ": choose a stage that is computed (--stage), such as query, raw or weights";
  if (const std::string put = intervention_origin(trace, stage); !put.empty())
    return name + " has " + put +
           ", which no formula can give: remove the intervention, or choose another stage (--stage)";
  return {};
}

std::string reason_nothing_empty(const PageInputs& in) {
  const Cover& cover = in.session.cover;
  const Extent size = in.trace->extent(*cover.stage);
  const auto count = count_covered(cover, size.rows, size.cols);
  const std::string name(info(cover.stage->kind).name);
  if (!count) return {};
  if (count->covered == 0)
    return "there is nothing to fill in: the cover leaves every cell of " + name +
           " as it is, so choose cells that it has (--cover)";
  if (count->covered > count->right || cover.solution) return {};
  return "there is nothing to fill in: all " + count_text(count->covered, "covered cell") + " of " + name +
         " were found, so cover others (--cover) or leave the answers out (--answered)";
}

std::string formula_in_symbols(const Trace& trace, const StageId& stage) {
  std::string text = formula(trace, stage);
  const std::vector<StageId> inputs = inputs_of(trace, stage);
  for (const StageId& input : inputs) text = with_word(text, info(input.kind).name, info(input.kind).symbol);
  if (stage.kind == StageKind::weights) {
    for (const char* word : {"score", "scores"}) text = with_word(text, word, info(StageKind::masked).symbol);
  }
  // A formula uses x, memory, Q or K for whatever its rows are computed from.
  const auto rows =
      std::ranges::find_if(inputs, [](const StageId& id) { return !info(id.kind).is_parameter(); });
  if (rows == inputs.end()) return text;
  const std::string symbol(info(rows->kind).symbol);
  const bool is_sum = symbol.find(' ') != std::string::npos;
  const bool adds = stage.kind == StageKind::residual || stage.kind == StageKind::feed_forward_residual;
  if (is_sum && !adds && text.find(symbol) != std::string::npos) return text;
  const auto put = [&](std::string_view word) {
    const std::string alone = with_word(text, "(" + std::string(word) + ")", "(" + symbol + ")");
    text = alone != text ? alone : with_word(text, word, is_sum ? "(" + symbol + ")" : symbol);
  };
  const bool has_x =
      std::ranges::any_of(inputs, [](const StageId& id) { return info(id.kind).symbol == "x"; });
  if (!has_x) put("x");
  put("memory");
  if (stage.kind == StageKind::rotated_query) put(info(StageKind::query).symbol);
  if (stage.kind == StageKind::rotated_key) put(info(StageKind::key).symbol);
  return text;
}

}  // namespace headscope
