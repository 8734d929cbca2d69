#include "core/page/train/targets_page.h"

#include <algorithm>
#include <utility>

#include "core/page/parts/page_text.h"
#include "core/tasks/task.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

constexpr int most_words = 24;
constexpr const char* wanted_slot = "targets wanted";
constexpr const char* given_slot = "targets given";

std::string row_label(const Trace& trace, int row) {
  return trace.label({.kind = StageKind::logits}, Axis::query_tokens, row);
}

std::string word_label(const Trace& trace, int word) {
  return trace.label({.kind = StageKind::logits}, Axis::vocabulary, word);
}

HeatmapSpec target_spec(const PageInputs& in, const Targets& targets, bool is_given, OwnedMatrix& numbers) {
  const Trace& trace = *in.trace;
  numbers = is_given ? targets.probabilities : targets.one_hot;
  HeatmapSpec spec;
  spec.source = source_of(numbers.view());
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < targets.rows.size(); ++i)
    rows.push_back(is_given ? number_text(targets.losses[i], 2) : row_label(trace, targets.rows[i]));
  spec.row_labels = std::move(rows);
  std::vector<std::string> words;
  for (const int word : targets.words) words.push_back(word_label(trace, word));
  spec.col_labels = std::move(words);
  spec.row_axis = is_given ? "cross-entropy, nats" : "tokens";
  spec.col_axis = "words";
  spec.title = is_given ? "Probabilities" : "Target, one-hot";
  PictureOptions options = in.session.picture;
  options.range = RangeMode::fixed;
  options.fixed_low = 0.0;
  options.fixed_high = 1.0;
  constexpr bool is_signed = false;
  spec.scale = ColorScale(options, is_signed, numbers.view());
  spec.color_bar = false;
  if (!in.session.picture.details) spec.notation = CellNotation::share;
  spec.font_size = 11.0F;  // Chosen so that more of the words fit.
  spec.numbers = in.session.picture.numbers;
  return spec;
}

Page both_maps(const PageInputs& in, PageTools& tools, const Targets& targets, const std::string& kind,
               float width, float height) {
  constexpr float gap = 16.0F;
  // The maps stand below each other in a high room.
  const bool beside = height < 1.1F * width;
  const float map_width = beside ? (width - gap) / 2.0F : width;
  const float map_height = beside ? height : (height - gap) / 2.0F;
  Page page;
  for (const bool is_given : {false, true}) {
    TableSpec table;
    table.name = kind;
    table.trace = in.trace;
    table.picture = in.session.picture;
    table.max_cell = 44.0F;
    const Page map = table_page(
        tools, is_given ? given_slot : wanted_slot, table,
        [&](OwnedMatrix& numbers) { return target_spec(in, targets, is_given, numbers); }, map_width,
        map_height);
    const float shift = is_given ? gap : 0.0F;
    append(page, map, is_given && beside ? map_width + gap : 0.0F,
           beside ? 0.0F : page.figure.height + shift);
  }
  return page;
}

/// Why there are no targets to show. Empty if there are some.
std::string no_targets(const PageInputs& in) {
  if (in.trace->architecture().output_layer == OutputLayer::none) return "This model predicts no words.";
  if (!in.trace->has({.kind = StageKind::probabilities})) return "Computing…";
  const auto kind = in.trace_model ? task_named(in.trace_model->task) : std::nullopt;
  if (!kind) return "The weights shown are random, not those of a model that has learned this.";
  if (in.trace_model->vocabulary.words() != task(*kind).vocabulary().words()) {
    return "This model's words differ from those of its task, so its targets are not known.";
  }
  return {};
}

Targets task_targets(const PageInputs& in) {
  return targets_of(*in.trace, in.trace->task_rows().wanted, most_words);
}

}  // namespace

Page targets_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  if (const std::string why = no_targets(in); !why.empty()) {
    page.paragraph(why, {}, page_size::body);
    return page.take();
  }
  const Targets targets = task_targets(in);
  if (targets.rows.empty()) {
    page.paragraph("This sentence is not part of the model's task, so its targets are not known.", {},
                   page_size::body);
    return page.take();
  }
  page.paragraph(
      "Training makes the model's map look like the map of the targets: the mean cross-entropy of these rows is " +
      number_text(targets.mean_loss, 3) + " nats.");
  page.add(both_maps(in, tools, targets, "task", size.width, std::max(size.height - page.y(), 120.0F)));
  return page.take();
}

Page next_targets_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  const Targets targets = targets_of(*in.trace, next_words(*in.trace), most_words);
  if (targets.rows.empty()) return {};
  return both_maps(in, tools, targets, "next", size.width, size.height);
}

bool is_target_table(const std::string& table) {
  return table == wanted_slot || table == given_slot;
}

Targets shown_targets(const PageInputs& in) {
  const bool of_task = in.session.view == PageName::train;
  return of_task ? task_targets(in) : targets_of(*in.trace, next_words(*in.trace), most_words);
}

std::string said_of_target(const PageInputs& in, const Targets& targets, CellIndex cell) {
  const Trace& trace = *in.trace;
  const auto at = static_cast<std::size_t>(cell.row);
  const int word = targets.words[static_cast<std::size_t>(cell.col)];
  return "At “" + row_label(trace, targets.rows[at]) + "” the target word is “" +
         word_label(trace, targets.wanted[at]) + "”; “" + word_label(trace, word) + "” has " +
         number_text(targets.probabilities.at(cell.row, cell.col), 3) +
         ". The loss here is −ln of the target word's probability: " + number_text(targets.losses[at], 3) +
         " nats.";
}

}  // namespace headscope
