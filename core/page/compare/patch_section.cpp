#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/engine/part_effects.h"
#include "core/figure/heatmap_metrics.h"
#include "core/model/interventions.h"
#include "core/page/compare/compare_page.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/map_panel.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

/// The greatest number of multiplications, about a second's work, for which the maps are computed without a
/// request. The count does not depend on the machine, so a file shows the same maps everywhere.
constexpr double max_work_unasked = 2e10;

/// The parts that the maps show.
constexpr TokenPatches of_heads = TokenPatches::left_out;

/// The heads, the feed-forward layer if there is one, and the whole layer.
int n_columns_of_parts(const Architecture& a) {
  return a.n_heads + (a.d_ff > 0 ? 2 : 1);
}

bool is_wanted(const PageMemo& memo, const PatchQuestion& question) {
  const Architecture& a = question.b->architecture();
  const double work = count_parameters(a) * static_cast<double>(question.b->tokens(a.last_stack()).size()) *
                      static_cast<double>(patched_passes(*question.b, of_heads));
  return memo.requested_patches == question || work <= max_work_unasked;
}

/// The patch question about two passes: the logit difference of the words that A and B predict, when B is
/// computed with a part of A. `a` holds the inputs of the first compared subject alone. The error says why
/// there is no such question.
Result<PatchQuestion> patch_question(const PageInputs& in, const PageInputs& a) {
  const std::optional<Prediction> of_b = explained_prediction(in);
  if (!of_b || !a.trace || !has_predictions(a))
    return failure("two passes are compared by their predictions: " +
                   std::string(cure_for_no_words(of_b ? a : in)));
  const Trace& trace = *in.trace;
  if (a.trace->vocabulary() != trace.vocabulary())
    return failure("words are compared one by one, and A and B predict from different vocabularies");
  if (std::string why = why_not_patched(*a.trace, trace); !why.empty()) return failure(std::move(why));
  const int row = of_b->row;
  const LogitDifference asked{row, of_b->word, likeliest_word(*a.trace, row)};
  if (asked.word == asked.other)
    return failure("both A and B give “" + trace.label(logits_stage, Axis::vocabulary, asked.word) +
                   "”, and a word has no difference from itself: choose another word");
  return PatchQuestion{a.trace, in.trace, asked};
}

/// The patch question about A and B. The error has no message unless exactly two subjects are compared, whose
/// passes are complete and predict words.
Result<PatchQuestion> question_of(const PageInputs& in) {
  if (in.session.compared.size() != 1 || !in.trace || !in.trace->complete()) return failure("");
  const PageInputs a = inputs_of_subject(in, 0);
  if (!a.trace || !a.trace->complete() || !has_predictions(in) || !has_predictions(a)) return failure("");
  return patch_question(in, a);
}

/// How far an answer has moved from B's (0) towards A's (1). Differences within rounding count as reached.
double share_of_way(const PatchMap& map, double difference) {
  if (std::fabs(difference - map.of_b) <= map.resolution) return 0.0;
  if (std::fabs(difference - map.of_a) <= map.resolution) return 1.0;
  return (difference - map.of_b) / (map.of_a - map.of_b);
}

/// A token or, for all tokens, the head, followed by the feed-forward layer and the layer.
int column_of(const Architecture& a, const PatchedPart& part) {
  if (part.token) return *part.token;
  if (part.part.kind == ModelPart::Kind::head) return part.part.place.head;
  return part.part.kind == ModelPart::Kind::layer ? n_columns_of_parts(a) - 1 : a.n_heads;
}

OwnedMatrix shares_of(const Architecture& a, const PatchMap& map, const std::vector<PatchedPart>& parts,
                      int n_columns) {
  OwnedMatrix shares(a.layers_of(a.last_stack()), n_columns);
  for (const PatchedPart& part : parts)
    shares.at(part.part.place.layer, column_of(a, part)) =
        static_cast<float>(share_of_way(map, part.difference));
  return shares;
}

HeatmapSpec spec_of(const PageInputs& in, OwnedMatrix& numbers, OwnedMatrix shares, const char* columns,
                    AxisTexts labels) {
  numbers = std::move(shares);
  double high = 1.0;
  for (const float share : numbers.values) high = std::max(high, std::fabs(static_cast<double>(share)));
  constexpr bool is_signed = true;
  HeatmapSpec spec = table_spec(numbers, ColorScale(in.session.picture, is_signed, high),
                                {numbers.rows, [](int layer) { return std::to_string(layer); }}, "layer",
                                std::move(labels), columns);
  if (!in.session.picture.details) spec.leaves_out_below = small_share;
  return spec;
}

std::string word_of(const PatchQuestion& question, int word) {
  return quoted_word(question.b->label(logits_stage, Axis::vocabulary, word));
}

/// The part that moves B's answer farthest. Null if there is none.
const PatchedPart* greatest_of(const PatchMap& map, const std::vector<PatchedPart>& parts) {
  if (parts.empty()) return nullptr;
  return &*std::ranges::max_element(parts, {}, [&](const PatchedPart& part) {
    const double share = std::fabs(share_of_way(map, part.difference));
    return std::isnan(share) ? -1.0 : share;
  });
}

std::string row_text(const PatchQuestion& question, const PatchedPart& part) {
  const HeadId& place = part.part.place;
  const std::vector<Token>& tokens = question.b->tokens(place.stack);
  const std::string token = quoted_word(tokens[static_cast<std::size_t>(part.token.value_or(0))].text);
  const std::string layer = "layer " + std::to_string(place.layer);
  return part.part.kind == ModelPart::Kind::feed_forward
             ? "the output of the feed-forward layer of " + layer + " for " + token
             : "the row of " + token + " that enters " + layer;
}

/// Names the output of a part for all tokens.
std::string part_text(const PatchQuestion& question, const ModelPart& part) {
  if (part.kind == ModelPart::Kind::head) return head_text(*question.b, part.place);
  const std::string layer = "layer " + std::to_string(part.place.layer);
  return part.kind == ModelPart::Kind::feed_forward ? "the feed-forward layer of " + layer
                                                    : "what " + layer + " adds";
}

/// Describes how near a part of A brings B to A's answer, in the numbers of the maps: "0.950 of the way to
/// A's answer". The part may also overshoot, or move the answer in the opposite direction.
std::string way_of(const PatchMap& map, const PatchedPart& part) {
  const double share = share_of_way(map, part.difference);
  if (share == 0.0) return "nowhere";
  if (share == 1.0) return "all the way to A's answer";
  constexpr double least = 0.0005;
  if (std::fabs(share) < least) return "hardly any of the way";
  if (std::fabs(share - 1.0) < least) return "almost exactly to A's answer";
  const std::string text = rounded_text(std::fabs(share)) + " of the way";
  if (share < 0.0) return text + " in the other direction";
  return share > 1.0 ? "beyond A's answer (" + text + ")" : text + " to A's answer";
}

/// Names the head that accounts for most of the difference. Empty if there are no heads.
std::string finding_of_heads(const PatchQuestion& question, const PatchMap& map) {
  std::vector<PatchedPart> heads = map.parts;
  std::erase_if(heads, [](const PatchedPart& part) { return part.part.kind != ModelPart::Kind::head; });
  const PatchedPart* head = greatest_of(map, heads);
  if (head == nullptr) return {};
  return place_text(*question.b, stage_in(head->part.place, StageKind::weights)) +
         " makes the most difference: if its output is taken from A, B's answer moves " + way_of(map, *head) +
         ".";
}

/// Names the row that accounts for most of the difference. Rows that enter the first layer are left out,
/// because they are the words themselves and only show which of these differ.
std::string finding_of_rows(const PatchQuestion& question, const PatchMap& map) {
  std::vector<PatchedPart> later = map.layer_rows;
  std::erase_if(later, [](const PatchedPart& part) { return part.part.place.layer == 0; });
  const PatchedPart* row = greatest_of(map, later);
  return row == nullptr
             ? ""
             : "Apart from the words themselves, which enter layer 0, " + row_text(question, *row) +
                   " makes the most difference: if this row is taken from A, B's answer moves " +
                   way_of(map, *row) + ".";
}

/// The text in place of findings that are being computed or do not exist. Empty if there are some.
std::string said_instead(const Result<PatchMap>* found) {
  if (found == nullptr) return "B is computed again with each part of A in turn …";
  if (!*found) return "Not shown: " + found->error().message + ".";
  const PatchMap& map = **found;
  if (!map.absent.empty()) return "Not shown: " + map.absent + ".";
  if (!std::isfinite(map.of_a - map.of_b)) return "Not shown: logits of A or B are not finite.";
  return std::fabs(map.of_a - map.of_b) <= map.resolution
             ? "None: both give these words the same difference of logits."
             : "";
}

constexpr float max_part_cell = 40.0F;

/// The map of heads, feed-forward layers and layers, as high as its rows.
Page parts_table(const PageInputs& in, PageTools& tools, const PatchQuestion& question, const PatchMap& map,
                 const PageSize& room) {
  const Architecture& a = question.b->architecture();
  const auto make = [&](OwnedMatrix& numbers) {
    const int n = n_columns_of_parts(a);
    return spec_of(in, numbers, shares_of(a, map, map.parts, n), "head",
                   {n, [n, n_heads = a.n_heads](int part) -> std::string {
                      if (part < n_heads) return std::to_string(part);
                      return part == n - 1 ? "all" : "FF";
                    }});
  };
  return table_page(tools, patched_parts_slot, table_of_pass(in, patched_parts_slot, max_part_cell), make,
                    room.width, room.height);
}

/// The map of `parts`, with a column for each token.
Page rows_table(const PageInputs& in, PageTools& tools, const PatchQuestion& question, const PatchMap& map,
                const char* slot, const std::vector<PatchedPart>& parts, const PageSize& room) {
  const auto trace = question.b;
  const Architecture& a = trace->architecture();
  const Stack last = a.last_stack();
  const auto n_tokens = static_cast<int>(trace->tokens(last).size());
  const auto make = [&](OwnedMatrix& numbers) {
    return spec_of(in, numbers, shares_of(a, map, parts, n_tokens), "token",
                   {n_tokens, [trace, last](int token) {
                      return display_word(trace->tokens(last)[static_cast<std::size_t>(token)].text);
                    }});
  };
  return table_page(tools, slot, table_of_pass(in, slot, max_part_cell), make, room.width, room.height);
}

void add_maps(const PageInputs& in, PageTools& tools, const PatchQuestion& question, const PatchMap& map,
              bool has_heads, PageBuilder& page) {
  constexpr float between = 32.0F;
  constexpr float height = 300.0F;
  constexpr float narrow = 480.0F;
  const std::size_t in_line = page.width() < narrow ? 1 : 2;
  const PageSize room{in_line == 1 ? page.width() : (page.width() - between) / 2.0F, height};
  std::vector<Page> maps;
  const auto add = [&](const char* title, const Page& table) {
    PageBuilder column(in, tools, room.width);
    column.line({{title, Font::sans, page_size::control, column.theme().text}});
    column.add(table);
    maps.push_back(column.take());
  };
  if (has_heads && !map.parts.empty())
    add("What a part passes on, for all tokens", parts_table(in, tools, question, map, room));
  if (!map.layer_rows.empty())
    add("The row of a token, as it enters a layer",
        rows_table(in, tools, question, map, patched_rows_slot, map.layer_rows, room));
  if (!map.feed_forward_rows.empty())
    add("The output of a feed-forward layer for a token",
        rows_table(in, tools, question, map, patched_feed_forward_slot, map.feed_forward_rows, room));
  page.add_rows(maps, in_line, room.width + between);
}

}  // namespace

std::optional<PatchProgress> patch_progress(const PageInputs& in, const PageMemo& memo) {
  const auto question = question_of(in);
  if (!question) return std::nullopt;
  if (!is_wanted(memo, *question))
    return PatchProgress{false, 0.0, estimated_seconds(*question->b, patched_passes(*question->b, of_heads))};
  const auto share = memo.results.share_of(*question);
  return share ? std::optional(PatchProgress{true, *share, 0.0}) : std::nullopt;
}

void request_patches(const PageInputs& in, PageMemo& memo) {
  const auto question = question_of(in);
  memo.requested_patches = question ? std::optional(*question) : std::nullopt;
}

void cancel_patches(PageMemo& memo) {
  if (const auto wanted = std::exchange(memo.requested_patches, std::nullopt)) memo.results.drop(*wanted);
}

PatchedParts::PatchedParts(const PageInputs& in, PageTools& tools)
    : in_(in), tools_(tools), question_(question_of(in)) {
  is_requested_ = question_ && is_wanted(tools.memo, *question_);
  if (!is_requested_) return;
  const auto* last = tools.memo.results.last<PatchQuestion>();
  if (last == nullptr || !(*last == *question_)) {
    for (const char* slot : {patched_parts_slot, patched_rows_slot, patched_feed_forward_slot})
      tools.memo.tables.erase(slot);
  }
  found_ = tools.find(*question_);
}

std::string PatchedParts::said() const {
  if (!question_ && !question_.error().message.empty())
    return "Parts of A are not put into B: " + question_.error().message + ".";
  if (!is_requested_) return {};
  std::string instead = said_instead(found_);
  if (found_ == nullptr) return instead;
  return instead.empty() ? finding_of_heads(*question_, **found_) : "";
}

std::optional<Page> PatchedParts::heads_page(const PageSize& room) const {
  const bool is_known = found_ != nullptr && said_instead(found_).empty();
  if (!is_known || (*found_)->parts.empty()) return std::nullopt;
  PageBuilder page(in_, tools_, room.width);
  page.line({{"Which part of A makes the difference?", Font::sans, page_size::control, page.theme().text}});
  const Architecture& a = question_->b->architecture();
  constexpr float labels = 40.0F;
  constexpr float min_cell = 16.0F;
  const float height = room.height - page.y();
  const bool fits = height >= labels + min_cell * static_cast<float>(a.layers_of(a.last_stack())) &&
                    room.width >= 2.0F * labels + 2.0F * min_cell * static_cast<float>(n_columns_of_parts(a));
  if (!fits) return std::nullopt;
  page.add(parts_table(in_, tools_, *question_, **found_, {room.width, height}));
  return page.take();
}

void PatchedParts::add_to(PageBuilder& page, bool has_heads) const {
  if (!question_) return;
  page.section(has_heads ? "Which part of A makes the difference?" : "Which row of A makes the difference?");
  if (!is_requested_)
    return page.paragraph("B can be computed again with each part of A in turn. That takes a while here.");
  if (const std::string instead = said_instead(found_); !instead.empty()) return page.paragraph(instead);
  const PatchMap& map = **found_;
  page.say(finding_of_rows(*question_, map));
  page.paragraph(
      "1: with this part from A, B answers as A does. 0, or no number: it changes nothing. What is compared is by how much the logit of " +
      word_of(*question_, question_->difference.word) + " is above that of " +
      word_of(*question_, question_->difference.other) + ": " + rounded_text(map.of_b) + " in B, " +
      rounded_text(map.of_a) + " in A.");
  add_maps(in_, tools_, *question_, map, has_heads, page);
}

std::string describe_patch(const PageInputs& in, const PageMemo& memo, const std::string& slot,
                           CellIndex cell) {
  const auto question = question_of(in);
  const auto* found = question ? memo.results.ready_result(*question) : nullptr;
  if (found == nullptr || !*found) return {};
  const PatchMap& map = **found;
  const auto& parts = slot == patched_parts_slot  ? map.parts
                      : slot == patched_rows_slot ? map.layer_rows
                                                  : map.feed_forward_rows;
  const Architecture& a = in.trace->architecture();
  const auto part = std::ranges::find_if(parts, [&](const PatchedPart& each) {
    return each.part.place.layer == cell.row && column_of(a, each) == cell.col;
  });
  if (part == parts.end()) return {};
  const std::string what = part->token ? row_text(*question, *part) : part_text(*question, part->part);
  return "With " + what + " from A, the difference of the logits is " + rounded_text(part->difference) +
         " instead of " + rounded_text(map.of_b) + ": " + way_of(map, *part) + ".\n" +
         (part->token                                ? "Click to select this token."
          : part->part.kind == ModelPart::Kind::head ? "Click to show this head."
                                                     : "Click to select this layer.");
}

PageNumbers compare_numbers(const PageInputs& in, PageTools& /*tools*/) {
  if (in.session.compared.empty())
    return failure("nothing is compared: keep something as A (on the command line, add --against)");
  const PageInputs a = inputs_of_subject(in, 0);
  const auto question = patch_question(in, a);
  if (!question) return tl::unexpected(question.error());
  const Trace& trace = *in.trace;
  const LogitDifference asked = question->difference;
  const int row = asked.row;
  const double seconds = estimated_seconds(trace, patched_passes(trace));
  if (seconds > max_partial_pass_seconds)
    return failure("taking every part of A in turn would take about " + number_text(seconds, 2) +
                   " seconds: shorten the text");
  const PatchMap found = patch_map(*a.trace, trace, asked).finish();
  if (!found.absent.empty()) return failure(found.absent);
  const auto word = [&](int index) { return trace.full_label(logits_stage, Axis::vocabulary, index); };
  DataTable prediction{"prediction",
                       {"subject", "position", "token", "word", "other_word", "logit_difference"}};
  for (const auto& [name, of, difference] :
       {std::tuple("A", a.trace.get(), found.of_a), std::tuple("B", in.trace.get(), found.of_b)}) {
    prediction.rows.push_back({std::string(name), row, of->full_label(logits_stage, Axis::query_tokens, row),
                               word(asked.word), word(asked.other), difference});
  }
  DataTable heads{"heads", {"head", "layer", "index", "logit_difference", "change"}};
  DataTable other_parts{"other_parts", {"part", "layer", "logit_difference", "change"}};
  DataTable head_rows{"head_rows",
                      {"head", "layer", "index", "position", "token", "logit_difference", "change"}};
  const std::vector<std::string> of_rows{"layer", "position", "token", "logit_difference", "change"};
  DataTable feed_forward_rows{"feed_forward_rows", of_rows};
  DataTable layer_rows{"layer_rows", of_rows};
  const auto add = [&](DataTable& table, const PatchedPart& part) {
    using Kind = ModelPart::Kind;
    const HeadId& place = part.part.place;
    const bool is_of_head = part.part.kind == Kind::head;
    std::vector<TableCell> cells;
    if (is_of_head) {
      cells.emplace_back(head_label(trace.architecture(), place));
    } else if (!part.token) {
      cells.emplace_back(std::string(part.part.kind == Kind::layer ? "layer" : "feed-forward"));
    }
    cells.emplace_back(place.layer);
    if (is_of_head) cells.emplace_back(place.head);
    if (part.token) {
      cells.emplace_back(*part.token);
      cells.emplace_back(trace.tokens(place.stack)[static_cast<std::size_t>(*part.token)].text);
    }
    cells.emplace_back(part.difference);
    cells.emplace_back(part.difference - found.of_b);
    table.rows.push_back(std::move(cells));
  };
  for (const PatchedPart& part : found.parts)
    add(part.part.kind == ModelPart::Kind::head ? heads : other_parts, part);
  for (const PatchedPart& part : found.head_rows) add(head_rows, part);
  for (const PatchedPart& part : found.feed_forward_rows) add(feed_forward_rows, part);
  for (const PatchedPart& part : found.layer_rows) add(layer_rows, part);
  return std::vector<DataTable>{std::move(prediction),        std::move(heads),
                                std::move(other_parts),       std::move(head_rows),
                                std::move(feed_forward_rows), std::move(layer_rows)};
}

}  // namespace headscope
