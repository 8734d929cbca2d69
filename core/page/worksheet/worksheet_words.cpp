#include "core/page/worksheet/worksheet_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/page/parts/covered.h"
#include "core/page/worksheet/worksheet_given.h"
#include "core/text/number_text.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

constexpr const char* choose_a_computed_stage =
    ": choose a stage that is computed (--stage), such as query, raw or weights";

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

/// Whether the stage can be computed from its formula alone.
bool follows_from_its_place(StageKind kind) {
  return kind == StageKind::positions || kind == StageKind::position_bias;
}

}  // namespace

std::string reason_unsolvable(const Trace& trace, const StageId& stage) {
  const StageInfo& about = info(stage.kind);
  const std::string name(about.name);
  const std::string nothing = "there is nothing to fill in: ";
  if (!trace.uses(stage))
    return nothing + name + " is not used, because what follows it is given by hand" +
           choose_a_computed_stage;
  if (trace.given(stage) != nullptr) return nothing + name + " is given by hand" + choose_a_computed_stage;
  if (trace.graph().op(stage) == Op::captured)
    return nothing + name + " was read from a capture" + choose_a_computed_stage;
  if (about.is_parameter())
    return nothing + name + " is a parameter of the model, which is not computed" + choose_a_computed_stage;
  if (inputs_of(trace, stage).empty() && !follows_from_its_place(stage.kind)) {
    return nothing + name + " is drawn at random, so it cannot be computed" + choose_a_computed_stage;
  }
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

std::string task_text(const PageInputs& in, const StageId& stage, int decimals, bool is_way) {
  const Cover& cover = in.session.cover;
  if (cover.solution) return "Solution.";
  // A result computed from printed, rounded numbers may differ this much from the result computed from exact
  // ones.
  const std::string last = "; the last may differ by 1.";
  if (is_way) return "Fill in the empty frames, with 3 decimals" + last;
  const Extent size = in.trace->extent(stage);
  const auto count = count_covered(cover, size.rows, size.cols);
  const int n = count ? count->covered - count->right : 0;
  return "Fill in the " + (n == 1 ? "empty cell" : grouped(n) + " empty cells") + ", with " +
         grouped(decimals) + " decimals" + last;
}

std::string hidden_cells_text(const Trace& trace, const StageId& stage) {
  constexpr int max_named = 40;
  const CombinedMask& mask = trace.mask(stage);
  const Extent size = trace.extent(stage);
  std::string named;
  int n_hidden = 0;
  bool is_causal = true;
  for (int row = 0; row < size.rows; ++row) {
    for (int col = 0; col < size.cols; ++col) {
      const bool hides = !mask.is_visible(stage.head, row, col);
      is_causal = is_causal && hides == (col > row);
      if (!hides || ++n_hidden > max_named) continue;
      named += (named.empty() ? "" : ", ") + name_of_cell(trace, stage, row, col);
    }
  }
  if (n_hidden == 0) return "The mask hides nothing.";
  if (is_causal) return "The mask is causal: it hides every key that comes after its query.";
  const int more = n_hidden - max_named;
  return "The mask hides " + named + (more > 0 ? " and " + grouped(more) + " more" : "") + ".";
}

std::string hatch_text(bool are_shares) {
  return are_shares ? "hatched: 0, hidden by the mask" : "hatched: −∞, hidden by the mask";
}

std::string does_not_fit_text(const PageInputs& in, const StageId& stage, const SheetNeeds& needs) {
  const auto whole = [](float units) { return static_cast<int>(std::ceil(units)); };
  const int width = std::max(whole(needs.width), needs.paper.width);
  const int height = std::max(whole(needs.height), needs.paper.height);
  std::string said = "the worksheet of " + std::string(info(stage.kind).name) +
                     " does not fit on a page of " + std::to_string(needs.paper.width) + " × " +
                     std::to_string(needs.paper.height) + " points, because " + needs.problem;
  const bool is_poster =
      std::max(width, height) > long_side_of_a2 || std::min(width, height) > short_side_of_a2;
  const bool has_words =
      info(stage.kind).rows == Axis::vocabulary || info(stage.kind).cols == Axis::vocabulary;
  if (is_poster && has_words)
    return said +
           ": it has a row or column for each word of the vocabulary, so choose another stage (--stage)";
  constexpr int small_width = 4;
  constexpr int few_heads = 2;
  const Architecture& a = in.trace->architecture();
  const bool is_large = a.d_model > small_width || a.n_heads > few_heads;
  const std::string smaller =
      std::string("fewer words") + (is_large ? ", a smaller model (d_model 4, 2 heads)" : "");
  if (is_poster)
    return said + ", and would not fit on A2 either: choose " + smaller +
           " or the way to one cell (--row and --column)";
  return said + ": it would fit on " + std::to_string(width) + " × " + std::to_string(height) +
         " (--size), or choose " + smaller;
}

}  // namespace headscope
