#include "core/page/compare/patch_section.h"

#include <algorithm>
#include <cmath>

#include "core/engine/head_effects.h"
#include "core/engine/partial_pass.h"
#include "core/page/compare/compare_captions.h"
#include "core/page/compare/compare_page.h"
#include "core/page/effects/effects_page.h"
#include "core/page/parts/table_panel.h"
#include "core/page/words/words_page.h"
#include "core/trace/number_text.h"
#include "core/trace/patch_stage.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

/// The maps are computed without being asked for if they take no more multiplications than this, about a
/// second's work. What is counted does not depend on the machine, so a file shows the same maps everywhere.
constexpr double most_work_unasked = 2e10;

/// The parts that the maps show.
constexpr bool takes_head_rows = false;

double seconds_of(const PatchQuestion& question) {
  return estimated_seconds(*question.b, patched_passes(*question.b, takes_head_rows));
}

double work_of(const PatchQuestion& question) {
  const Architecture& a = question.b->architecture();
  return count_parameters(a) * static_cast<double>(question.b->tokens(a.last_stack()).size()) *
         static_cast<double>(patched_passes(*question.b, takes_head_rows));
}

bool is_wanted(const PatchMemo& memo, const PatchQuestion& question) {
  return memo.wanted == question || work_of(question) <= most_work_unasked;
}

/// What is asked if exactly two are compared and both passes are complete. Empty if nothing can be asked.
std::optional<PatchQuestion> question_of(const PageInputs& in) {
  if (in.session.held.size() != 1 || !in.trace || !in.trace->complete()) return std::nullopt;
  const PageInputs a = inputs_of_subject(in, 0);
  if (!a.trace || !a.trace->complete()) return std::nullopt;
  const auto question = patch_question(in, a);
  return question ? std::optional(*question) : std::nullopt;
}

/// Null while the parts are being taken.
const Work<PatchMap>* map_of(PageTools& tools, const PatchQuestion& question) {
  PatchMemo& memo = tools.memo.patches;
  if (!(memo.work.key() == question)) {
    tools.memo.tables.erase(patched_heads_slot);
    tools.memo.tables.erase(patched_rows_slot);
  }
  return memo.work.get(tools.carry_out, question, [](const PatchQuestion& asked, Work<PatchMap>& work) {
    const PatchJob job{takes_head_rows, &work.stop, &work.progress};
    if (auto map = patch_map(*asked.a, *asked.b, asked.difference, job)) work.value = std::move(*map);
  });
}

/// How much of the way from B to A an answer has come.
double share_of_way(const PatchMap& map, double difference) {
  return (difference - map.of_b) / (map.of_a - map.of_b);
}

/// A matrix of the shares, with a row for each layer.
OwnedMatrix shares_of(const PatchMap& map, const std::vector<PatchedPart>& parts, int n_rows, int n_columns) {
  OwnedMatrix shares(n_rows, n_columns);
  for (const PatchedPart& part : parts)
    shares.at(part.layer, part.token.value_or(part.stage.head)) =
        static_cast<float>(share_of_way(map, part.difference));
  return shares;
}

HeatmapSpec spec_of(const PageInputs& in, OwnedMatrix& numbers, OwnedMatrix shares, const char* columns,
                    AxisTexts labels) {
  numbers = std::move(shares);
  HeatmapSpec spec;
  spec.source = source_of(numbers.view());
  spec.row_labels = {numbers.rows, [](int layer) { return std::to_string(layer); }};
  spec.col_labels = std::move(labels);
  spec.row_axis = "layer";
  spec.col_axis = columns;
  double high = 1.0;
  for (const float share : numbers.values) high = std::max(high, std::fabs(static_cast<double>(share)));
  constexpr bool is_signed = true;
  spec.scale = ColorScale(in.session.picture, is_signed, high);
  spec.notation = CellNotation::rounded;
  spec.color_bar_label = false;
  spec.font_size = 12.0F;
  return spec;
}

std::string word_of(const PatchQuestion& question, int word) {
  return "“" + question.b->label({.kind = StageKind::logits}, Axis::vocabulary, word) + "”";
}

/// The part that brings B's answer nearest to A's. Null if there is none.
const PatchedPart* greatest_of(const PatchMap& map, const std::vector<PatchedPart>& parts) {
  if (parts.empty()) return nullptr;
  return &*std::ranges::max_element(
      parts, {}, [&](const PatchedPart& part) { return share_of_way(map, part.difference); });
}

std::string row_text(const PatchQuestion& question, const PatchedPart& part) {
  const std::vector<Token>& tokens = question.b->tokens(part.stage.stack);
  return "the row of “" + shown_word(tokens[static_cast<std::size_t>(part.token.value_or(0))].text) +
         "” that enters layer " + std::to_string(part.layer);
}

/// Names the head and, behind the first layer, the row that make most of the difference. What enters the
/// first layer are the words themselves, so the row there only says which of them differ.
std::string finding_of(const PatchQuestion& question, const PatchMap& map) {
  std::vector<PatchedPart> later = map.layer_rows;
  std::erase_if(later, [](const PatchedPart& part) { return part.layer == 0; });
  const auto way = [&](const PatchedPart& part) {
    return number_text(share_of_way(map, part.difference), 2);
  };
  std::string said;
  if (const PatchedPart* head = greatest_of(map, map.heads)) {
    said = "Of the heads, " + head_text(*question.b, head_of(head->stage)) +
           " makes the most difference: its output from A alone brings B’s answer " + way(*head) +
           " of the way to A’s.";
  }
  if (const PatchedPart* row = greatest_of(map, later))
    said += std::string(said.empty() ? "" : " ") + "Of the rows, it is " + row_text(question, *row) + ": " +
            way(*row) + ".";
  return said;
}

/// Adds the heading of a map and the map in a column of the page.
Page map_page(const PageInputs& in, PageTools& tools, const char* title, const std::string& slot,
              const TableSpec& table, const std::function<HeatmapSpec(OwnedMatrix&)>& make, float width) {
  PageText page(in, tools, width);
  page.line({{title, Font::sans, page_size::control, page.theme().text}});
  constexpr float height = 300.0F;
  page.add(table_page(tools, slot, table, make, width, height));
  return page.take();
}

void add_maps(const PageInputs& in, PageTools& tools, const PatchQuestion& question, const PatchMap& map,
              PageText& page) {
  const Trace& b = *question.b;
  const Architecture& a = b.architecture();
  const Stack last = a.last_stack();
  TableSpec table;
  table.trace = question.b;
  table.picture = in.session.picture;
  table.max_cell = 40.0F;
  constexpr float between = 32.0F;
  const float each = (page.width() - between) / 2.0F;
  Page both;
  if (!map.heads.empty()) {
    table.name = patched_heads_slot;
    const auto make = [&](OwnedMatrix& numbers) {
      return spec_of(in, numbers, shares_of(map, map.heads, a.layers_of(last), a.n_heads), "head",
                     {a.n_heads, [](int head) { return std::to_string(head); }});
    };
    append(both,
           map_page(in, tools, "The output of a head, for all tokens", patched_heads_slot, table, make, each),
           0.0F, 0.0F);
  }
  if (!map.layer_rows.empty()) {
    table.name = patched_rows_slot;
    const auto n_tokens = static_cast<int>(b.tokens(last).size());
    const auto make = [&](OwnedMatrix& numbers) {
      const auto trace = question.b;
      return spec_of(in, numbers, shares_of(map, map.layer_rows, a.layers_of(last), n_tokens), "token",
                     {n_tokens, [trace, last](int token) {
                        return shown_word(trace->tokens(last)[static_cast<std::size_t>(token)].text);
                      }});
    };
    append(
        both,
        map_page(in, tools, "The row of a token, as it enters a layer", patched_rows_slot, table, make, each),
        map.heads.empty() ? 0.0F : each + between, 0.0F);
  }
  page.add(both);
}

}  // namespace

Result<PatchQuestion> patch_question(const PageInputs& in, const PageInputs& a) {
  const std::optional<Prediction> of_b = explained_prediction(in);
  if (!of_b || !a.trace || !has_predictions(a))
    return failure(
        "two passes are compared by their predictions: add a final linear layer, or open a trained model");
  const Trace& trace = *in.trace;
  if (a.trace->vocabulary() != trace.vocabulary())
    return failure("words are compared one by one, and A and B predict from different vocabularies");
  const StageId logits{.kind = StageKind::logits};
  const int row = of_b->row;
  if (row >= a.trace->extent(logits).rows)
    return failure("the text of A has no such token: compare texts of one length");
  const LogitDifference asked{row, of_b->word, likeliest_word(*a.trace, row)};
  if (asked.word == asked.other)
    return failure("both A and B give “" + trace.label(logits, Axis::vocabulary, asked.word) +
                   "”, and a word has no difference from itself: choose another word (--word)");
  return PatchQuestion{a.trace, in.trace, asked};
}

std::optional<PatchProgress> patch_progress(const PageInputs& in, const PageMemo& memo) {
  const auto question = question_of(in);
  if (!question) return std::nullopt;
  if (!is_wanted(memo.patches, *question)) return PatchProgress{false, 0.0, seconds_of(*question)};
  const auto share = memo.patches.work.progress_of(*question);
  return share ? std::optional(PatchProgress{true, *share, 0.0}) : std::nullopt;
}

void want_patches(const PageInputs& in, PageMemo& memo) {
  memo.patches.wanted = question_of(in);
}

void add_patches(const PageInputs& in, PageTools& tools, PageText& page) {
  const std::optional<PatchQuestion> question = question_of(in);
  if (!question) return;
  page.section("Which part of A makes the difference?");
  if (!is_wanted(tools.memo.patches, *question))
    return page.paragraph("B can be computed again with each part of A in turn. That takes a while here.");
  const Work<PatchMap>* const work = map_of(tools, *question);
  if (work == nullptr) return page.paragraph("B is computed again with each part of A in turn …");
  if (!work->problem.empty() || !work->value.absent.empty()) {
    page.paragraph("Not shown: " + (work->problem.empty() ? work->value.absent : work->problem) + ".");
    return;
  }
  const PatchMap& map = work->value;
  if (map.of_a == map.of_b)
    return page.paragraph("None: both give these words the same difference of logits.");
  page.paragraph(finding_of(*question, map), page.theme().text, page_size::body);
  page.paragraph(
      "1: with this part from A, B answers as A does. 0: it changes nothing. What is compared is by how much the logit of " +
      word_of(*question, question->difference.word) + " is above that of " +
      word_of(*question, question->difference.other) + ": " + number_text(map.of_b, 2) + " in B, " +
      number_text(map.of_a, 2) + " in A.");
  add_maps(in, tools, *question, map, page);
}

std::string said_of_patch(const PageInputs& in, const PageMemo& memo, const std::string& slot,
                          CellIndex cell) {
  const Work<PatchMap>* const work = memo.patches.work.finished();
  if (work == nullptr || question_of(in) != memo.patches.work.key()) return {};
  const bool is_of_heads = slot == patched_heads_slot;
  const auto& parts = is_of_heads ? work->value.heads : work->value.layer_rows;
  const auto part = std::ranges::find_if(parts, [&](const PatchedPart& each) {
    return each.layer == cell.row && each.token.value_or(each.stage.head) == cell.col;
  });
  if (part == parts.end()) return {};
  const std::string what =
      is_of_heads ? head_text(*in.trace, head_of(part->stage)) : row_text(memo.patches.work.key(), *part);
  return "With " + what + " from A, the difference of the logits is " + number_text(part->difference) +
         " instead of " + number_text(work->value.of_b) + ": " +
         number_text(share_of_way(work->value, part->difference), 2) + " of the way to A.\n" +
         (is_of_heads ? "Click to show this head." : "Click to select this token.");
}

}  // namespace headscope
