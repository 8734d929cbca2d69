#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/checkpoint/corpus.h"
#include "core/figure/curves.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/page_builder.h"
#include "core/tasks/task.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

constexpr float between_curves = 24.0F;

CurveSeries series(const char* name, Color color, const std::vector<TrainingPoint>& points,
                   double TrainingPoint::*value, float thickness) {
  CurveSeries line{name, color, {}, thickness};
  line.points.reserve(points.size());
  for (const TrainingPoint& point : points)
    line.points.push_back({static_cast<double>(point.step), point.*value});
  return line;
}

/// Describes one chart. Before training starts, the chart is empty but in place, so that nothing moves then.
CurvesSpec spec_of(const PageInputs& in, bool is_loss, const Theme& theme) {
  const TrainingProgress* now = in.training.get();
  CurvesSpec spec;
  spec.title = is_loss ? "Loss, nats" : "Accuracy";
  spec.x_axis = "steps";
  const int expected = now ? std::max(now->total_steps, now->steps) : in.session.training.steps;
  spec.x_high = static_cast<double>(std::max(expected, 1));
  spec.in_percent = !is_loss;
  if (!is_loss) spec.y_high = 1.0;
  spec.if_empty = "Press Train to begin.";
  const bool shows_snapshot = now && now->newest && in.session.model && in.session.model != now->newest;
  if (shows_snapshot) spec.marker = in.session.model->steps;
  const auto value = is_loss ? &TrainingPoint::loss : &TrainingPoint::accuracy;
  const std::vector<TrainingPoint> none;
  spec.series = {series("held out", theme.data, now ? now->held_out : none, value, 2.0F),
                 series("train", theme.accent, now ? now->train : none, value, 1.0F)};
  return spec;
}

std::string state_of(const PageInputs& in) {
  const int steps = in.session.model ? in.session.model->steps : 0;
  if (in.training)
    return steps > 0 ? "the weights after " + count_text(steps, "step") : "untrained: random weights";
  if (steps > 0) return "trained earlier, for " + grouped(steps) + " steps";
  return in.is_untrained() ? "untrained: random weights" : "";
}

/// The charts of the loss and the accuracy.
Page curves_page(const PageInputs& in, const PageSize& size, bool stacked, PageTools& tools) {
  const Theme& theme = in.theme();
  const float width = stacked ? size.width : (size.width - between_curves) / 2.0F;
  const float height = stacked ? (size.height - between_curves) / 2.0F : size.height;
  float label_room = 0.0F;
  for (const bool is_loss : {true, false})
    label_room = std::max(label_room, label_room_of(spec_of(in, is_loss, theme), tools.measure));
  const auto chart = [&](bool is_loss) -> Page {
    CurvesSpec spec = spec_of(in, is_loss, theme);
    spec.label_room = label_room;
    const Box area{0.0F, 0.0F, width, height};
    const Box plot = plot_of_curves(spec, area, tools.measure);
    return {draw_curves(spec, area, theme, tools.measure), {{plot, StepsArea{spec.x_high}}}};
  };
  Page both = chart(true);
  append_beside(both, chart(false), !stacked, width + between_curves, between_curves);
  return both;
}

Page head_part(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  const StageId weights = in.at(StageKind::weights);
  page.line({page.bold(info(weights.kind).title), page.muted(place_text(*in.trace, weights))}, 12.0F);
  // The space beside the curves is narrow.
  const MapLook look{
      .axes = false, .color_bar_label = false, .zoomable = true, .frames_row = true, .max_cell = 64.0F};
  page.add(
      map_page(in, tools, "train map", weights, size.width, std::max(size.height - page.y(), 1.0F), look));
  return page.take();
}

/// The statistics of a text, with a warning if it is only enough to learn by heart.
std::string found_words(const Corpus& corpus, const Session& session) {
  if (!corpus.is_open()) return "The text is not open: open it again to train on it.";
  std::string text = grouped(static_cast<std::int64_t>(corpus.n_characters)) + " characters, " +
                     grouped(static_cast<std::int64_t>(corpus.n_words)) +
                     " words: " + grouped(static_cast<std::int64_t>(corpus.n_ids(Split::train))) + " pieces" +
                     (corpus.is_of_characters ? ", single characters because the text is short," : "") +
                     " from a vocabulary of " +
                     grouped(static_cast<std::int64_t>(corpus.pieces.pieces.size())) + ". ";
  text += corpus.n_held_out_characters > 0
              ? grouped(static_cast<std::int64_t>(corpus.n_held_out_characters)) +
                    " more characters are held out, to be predicted but not learned. "
              : "Nothing is held out. ";
  const double windows = static_cast<double>(session.training.steps) * session.training.batch_size;
  const double times = windows / static_cast<double>(corpus.n_windows(session.architecture.foreign.context));
  constexpr double by_heart = 100.0;
  text += "In " + grouped(session.training.steps) + " steps, the model reads the text about " +
          (times < 10.0 ? number_text(times, 2) : grouped(static_cast<std::int64_t>(times))) + " times";
  return text + (times > by_heart ? ": too little text to learn much more than by heart." : ".");
}

/// The last point or sample that is no later than a step. Null if there is none.
template <class Moment>
const Moment* latest_until(const std::vector<Moment>& moments, int step) {
  const auto after = std::ranges::find_if(moments, [&](const Moment& each) { return each.step > step; });
  return after == moments.begin() ? nullptr : &*(after - 1);
}

/// Shows the model's continuation of the text. Its height does not depend on the sample.
Page sample_part(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  const WrittenSample* sample =
      in.training ? latest_until(in.training->samples, in.session.model->steps) : nullptr;
  const std::string begins = corpus_of(in.session.model)->example;
  page.line(
      {page.bold("What it writes"),
       page.muted(sample == nullptr ? "“" + begins + " …”" : "after " + count_text(sample->step, "step"))},
      12.0F);
  if (sample == nullptr) {
    page.explain("Press Train: a sample appears here, and again every few seconds.");
  } else {
    std::string text = begins + sample->text;
    for (std::size_t at = 0; at < text.size() && page.y() < size.height - page_size::title;) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = end > at ? text.substr(at, end - at) : " ";  // An empty line keeps its height.
      page.paragraph(line, page.theme().text, page_size::title);
      at = end + 1;
    }
  }
  Page part = page.take();
  part.figure.height = size.height;
  return part;
}

/// The step after which the loss on new text grew, as the last two evaluations clearly show, while that on
/// the training text kept falling. Empty if that has not happened.
std::optional<int> overfits_since(const TrainingProgress& now) {
  constexpr double clear = 0.03;  // nats, above the noise of an evaluation
  constexpr std::size_t n_last = 2;
  const std::vector<TrainingPoint>& held_out = now.held_out;
  if (held_out.size() <= n_last) return std::nullopt;
  const TrainingPoint best = *std::ranges::min_element(held_out, {}, &TrainingPoint::loss);
  const auto is_worse = [&](const TrainingPoint& point) { return point.loss > best.loss + clear; };
  const auto then =
      std::ranges::find_if(now.train, [&](const TrainingPoint& point) { return point.step >= best.step; });
  if (then == now.train.end() || !std::all_of(held_out.end() - n_last, held_out.end(), is_worse))
    return std::nullopt;
  return now.train.back().loss < then->loss - clear ? std::optional(best.step) : std::nullopt;
}

constexpr int max_words = 24;
constexpr const char* target_slot = "targets wanted";
constexpr const char* given_slot = "targets given";

std::string row_label(const Trace& trace, int row) {
  return trace.label(logits_stage, Axis::query_tokens, row);
}

std::string word_label(const Trace& trace, int word) {
  return trace.label(logits_stage, Axis::vocabulary, word);
}

HeatmapSpec target_spec(const PageInputs& in, const Targets& targets, bool is_given, OwnedMatrix& numbers) {
  const Trace& trace = *in.trace;
  numbers = is_given ? targets.probabilities : targets.one_hot;
  std::vector<std::string> rows, words;
  for (std::size_t i = 0; i < targets.rows.size(); ++i)
    rows.push_back(is_given ? rounded_text(targets.losses[i], CellDigits::two)
                            : row_label(trace, targets.rows[i]));
  for (const int word : targets.words) words.push_back(word_label(trace, word));
  HeatmapSpec spec = table_spec(numbers, {}, std::move(rows), is_given ? "cross-entropy, nats" : "tokens",
                                std::move(words), "words");
  spec.title = is_given ? "Probabilities" : "Target, one-hot";
  spec.font_size = 11.0F;  // Chosen so that more of the words fit.
  show_shares(spec, in.session.picture, numbers.view());
  return spec;
}

Page both_maps(const PageInputs& in, PageTools& tools, const Targets& targets, const std::string& kind,
               float width, float height) {
  constexpr float gap = 16.0F;
  // The maps stand below each other if there is enough height.
  const bool beside = height < 1.1F * width;
  const float map_width = beside ? (width - gap) / 2.0F : width;
  const float map_height = beside ? height : (height - gap) / 2.0F;
  const auto map = [&](bool is_given) {
    return table_page(
        tools, is_given ? given_slot : target_slot, table_of_pass(in, kind),
        [&](OwnedMatrix& numbers) { return target_spec(in, targets, is_given, numbers); }, map_width,
        map_height);
  };
  Page page = map(false);
  append_beside(page, map(true), beside, map_width + gap, gap);
  return page;
}

/// Why there are no targets to show. Empty if there are some.
std::string no_targets(const PageInputs& in) {
  if (in.trace->architecture().output_layer == OutputLayer::none) return "This model predicts no words.";
  if (!in.trace->has(probabilities_stage)) return "Computing…";
  const auto kind = in.trace_model ? parse_task_name(in.trace_model->task) : std::nullopt;
  if (!kind) return "The weights shown are random, not those of a model that has learned this.";
  if (in.trace_model->vocabulary.words() != task(*kind).vocabulary().words())
    return "This model's words differ from those of its task, so its targets are not known.";
  return {};
}

const Result<Targets>* targets_in(const PageInputs& in, PageTools& tools, bool of_task) {
  const Extent logits = in.trace->extent(logits_stage);
  constexpr std::int64_t few_exponentials = 1'000'000;  // ten milliseconds
  return tools.find(ExpectedWords{{in.trace, of_task}},
                    std::int64_t{logits.rows} * logits.cols <= few_exponentials);
}

/// The parameter named in the inputs or, by default, W_Q of the selected head. Null if the training run has
/// none of that name.
const NamedParameter* parameter_of(const PageInputs& in) {
  if (!in.training || !in.training->gradients) return nullptr;
  const auto& named = in.training->layout->named;
  const std::string name = in.parameter.empty() ? path(in.at(StageKind::w_query)) : in.parameter;
  const auto found = std::ranges::find(named, name, &NamedParameter::path);
  return found == named.end() ? nullptr : &*found;
}

OwnedMatrix gradient_of(const TrainingProgress& now, const NamedParameter& parameter) {
  OwnedMatrix numbers(parameter.rows, parameter.cols);
  for (int r = 0; r < parameter.rows; ++r) {
    const auto* from = now.gradients->data() + parameter.first + r * parameter.stride;
    std::copy_n(from, parameter.cols,
                numbers.values.begin() + static_cast<std::ptrdiff_t>(r) * parameter.cols);
  }
  return numbers;
}

HeatmapSpec gradient_spec(const PageInputs& in, const NamedParameter& parameter, OwnedMatrix& numbers) {
  const TrainingProgress& now = *in.training;
  numbers = gradient_of(now, parameter);
  HeatmapSpec spec;
  spec.source = source_of(numbers.view());
  spec.title = "∂ loss / ∂ " + parameter.path + " at step " + grouped(now.steps);
  spec.shape = shape_text(spec.extent());
  if (const auto stage = parse_path(parameter.path)) {
    const auto name = [&in](Axis axis) {
      return axis == Axis::single ? "" : std::string(info(axis_in(in.session.architecture, axis)).name);
    };
    spec.row_axis = name(info(stage->kind).rows);
    spec.col_axis = name(info(stage->kind).cols);
  }
  PictureOptions options = in.session.picture;
  options.range = RangeMode::map;
  constexpr bool is_signed = true;
  spec.scale = ColorScale(options, is_signed, numbers.view());
  spec.numbers = false;
  return spec;
}

/// The target words, one-hot, beside the model's probabilities, and the cross-entropy of each position.
Page targets_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  page.section("Targets of this sentence");
  if (const std::string why = no_targets(in); !why.empty()) return page.instead(why);
  const Result<Targets>* targets = targets_in(in, tools, true);
  if (targets == nullptr || !*targets || (*targets)->rows.empty())
    return page.instead(targets == nullptr ? "Computing…"
                        : !*targets
                            ? "They cannot be shown: " + targets->error().message
                            : "This sentence is not part of the model's task, so its targets are not known.");
  page.paragraph(
      "Training makes the model's map look like the map of the targets: the mean cross-entropy of these rows is " +
      number_text((*targets)->mean_loss, 3) + " nats.");
  page.add(both_maps(in, tools, **targets, "task", size.width, std::max(size.height - page.y(), 120.0F)));
  return page.take();
}

/// The gradient of the last batch's loss with respect to the weight matrix `in.parameter`, or the W_Q of the
/// selected head.
Page gradient_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  const NamedParameter* parameter = parameter_of(in);
  const bool has_gradients = in.training && in.training->gradients;
  // The selected place may have no queries of its own.
  if (has_gradients && parameter == nullptr) return page.take();
  page.section("Gradient of a weight matrix");
  if (!has_gradients) return page.instead("Gradients appear after the first step: press Step or Train.");
  TableSpec table = table_of_pass(in,
                                  parameter->path + " " + std::to_string(in.training->run.attempt) + " " +
                                      std::to_string(in.training->steps),
                                  24.0F);
  table.trace.reset();
  page.add(table_page(
      tools, "gradient", table, [&](OwnedMatrix& numbers) { return gradient_spec(in, *parameter, numbers); },
      size.width, std::max(size.height - page.y(), 1.0F)));
  return page.take();
}

/// The selected head beside the charts or, in a narrow room, below them; then targets and gradient.
Page training_parts(const PageInputs& in, const PageSize& size, PageTools& tools) {
  constexpr float min_side_width = 600.0F;
  constexpr float min_height = 300.0F;
  const bool learns_text = corpus_of(in.session.model) != nullptr;
  const bool has_curves = in.training || !in.session.model || in.session.model->steps == 0;
  PageBuilder page(in, tools, size.width);
  if (!has_curves) page.paragraph("The curves of this model's training were not kept.");
  const float height = std::max(size.height - page.y(), min_height);
  if (size.width < min_side_width) {
    constexpr float of_curves = 170.0F;
    if (learns_text) page.add(sample_part(in, {size.width, of_curves}, tools));
    if (has_curves) page.add(curves_page(in, {size.width, of_curves}, false, tools));
    page.add(head_part(in, {size.width, std::clamp(height - of_curves, min_height, 480.0F)}, tools));
  } else {
    const float head = has_curves ? std::floor((size.width - between_curves) * 0.62F) : size.width;
    constexpr float of_sample = 190.0F;
    Page both;
    if (learns_text) both = sample_part(in, {head, of_sample}, tools);
    const float above = learns_text ? of_sample : 0.0F;
    append(both, head_part(in, {head, height - above}, tools), 0.0F, above);
    constexpr float highest_charts = 700.0F;
    const PageSize beside{size.width - between_curves - head, std::min(height, highest_charts)};
    if (has_curves) append(both, curves_page(in, beside, true, tools), head + between_curves, 0.0F);
    page.add(both);
  }
  if (!learns_text) page.add(targets_page(in, {size.width, min_height}, tools));
  if (in.training) page.add(gradient_page(in, {size.width, min_height}, tools));
  return page.take();
}

/// “98.2 % of pronouns”, for the first part of the task, with the digits that the chart has.
std::string share_right(double share, TaskKind kind) {
  constexpr double percent = 100.0;
  return number_text(percent * share, 3) + " % of " + std::string(task(kind).parts().front().name);
}

/// What a model without a task of this program has learned. Empty if it has learned nothing or predicts no
/// words.
std::string learned_text(const PageInputs& in) {
  if (!in.trace_model || in.is_untrained() || !predicts_words(in) || in.trace_model->is_capture()) return {};
  return predicts_masked_words(*in.trace) ? "To fill in hidden words." : "To predict the next word.";
}

Headline text_headline(const PageInputs& in, const Corpus& corpus) {
  Headline headline{"Does it learn " + corpus.name + "?", {}};
  const int steps = in.session.model->steps;
  if (steps == 0) return {headline.question, {"Nothing yet: its weights are random."}};
  if (!in.training) return headline;
  const TrainingProgress& now = *in.training;
  const bool holds_out = !now.held_out.empty();
  const std::vector<TrainingPoint>& curve = holds_out ? now.held_out : now.train;
  const TrainingPoint* last = latest_until(curve, steps);
  if (last == nullptr) return headline;
  const std::string loss = number_text(last->loss, 3) + " nats";
  const auto since = last == &curve.back() ? overfits_since(now) : std::nullopt;
  if (since) {
    headline.answer.push_back("By heart since step " + grouped(*since) +
                              ": on new text, its loss has grown to " + loss + ".");
  } else {
    headline.answer.push_back("When last tested, its loss for the next piece of " +
                              std::string(holds_out ? "new text" : "the text") + " was " + loss + ".");
  }
  return headline;
}

}  // namespace

std::string accuracy_text(const TrainedModel& model) {
  const auto kind = parse_task_name(model.task);
  if (!model.accuracy || !kind) return {};
  return share_right(*model.accuracy, *kind) + " right in new sentences of its own kind";
}

Headline train_headline(const PageInputs& in, PageTools& /*tools*/) {
  const auto kind = parse_task_name(in.session.task);
  if (const auto corpus = corpus_of(in.session.model)) return text_headline(in, *corpus);
  Headline headline;
  if (!kind) {
    if (const std::string learned = learned_text(in); !learned.empty()) headline.answer = {learned};
    return headline;
  }
  const TrainingPoint* last = in.training && in.session.model
                                  ? latest_until(in.training->held_out, in.session.model->steps)
                                  : nullptr;
  if (last != nullptr) {
    const std::string loss = number_text(last->loss, 3) + " nats";
    headline.answer.push_back(
        "When last tested on new sentences, " +
        (std::isfinite(last->accuracy)
             ? "it got " + share_right(last->accuracy, *kind) + " right, with a loss of " + loss
             : "its loss was " + loss) +
        ".");
  } else if (in.is_untrained()) {
    headline.answer.emplace_back("Nothing yet: its weights are random.");
  } else if (const ModelRef& model = in.session.model; model && !accuracy_text(*model).empty()) {
    headline.answer.push_back("It gets " + accuracy_text(*model) + ".");
  }
  return headline;
}

Page train_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  const Theme& theme = page.theme();
  const auto kind = parse_task_name(in.session.task);
  const std::string state = state_of(in);
  const auto corpus = corpus_of(in.session.model);
  const std::string title = corpus != nullptr           ? corpus->name
                            : kind                      ? std::string(task(*kind).title())
                            : !learned_text(in).empty() ? in.trace_model->title()
                                                        : "No task";
  page.line({page.bold(title, page_size::title), page.muted(state), guess_word(*in.trace, theme)}, 12.0F);
  if (!kind && corpus == nullptr)
    return page.instead(
        learned_text(in).empty()
            ? "There is no task to learn here, so there is neither a loss nor a target to show."
            : (in.trace_model->trained_on.empty() ? "" : in.trace_model->trained_on + " ") +
                  "Neither its curve nor its texts are part of its file, so it cannot be trained further here.");
  page.paragraph(corpus != nullptr ? found_words(*corpus, in.session) : std::string(task(*kind).summary()));
  page.add(training_parts(in, {size.width, size.height - page.y()}, tools));
  return page.take();
}

Page next_targets_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  const Result<Targets>* targets = targets_in(in, tools, false);
  if (targets == nullptr || !*targets || (*targets)->rows.empty()) return {};
  return both_maps(in, tools, **targets, "next", size.width, size.height);
}

Targets expected_words(const Trace& trace, bool of_task) {
  return targets_of(trace, of_task ? trace.task_rows().expected : next_words(trace), max_words);
}

bool is_target_table(const std::string& table) {
  return table == target_slot || table == given_slot;
}

std::string describe_target(const PageInputs& in, const PageMemo& memo, CellIndex cell) {
  const auto* found =
      memo.results.ready_result(ExpectedWords{{in.trace, in.session.view == PageName::train}});
  if (found == nullptr || !*found) return {};
  const Targets& targets = **found;
  const Trace& trace = *in.trace;
  const auto at = static_cast<std::size_t>(cell.row);
  const int word = targets.words[static_cast<std::size_t>(cell.col)];
  return "At " + quoted_word(row_label(trace, targets.rows[at])) + " the target word is " +
         quoted_word(word_label(trace, targets.expected[at])) + "; " + quoted_word(word_label(trace, word)) +
         " has " + number_text(targets.probabilities.at(cell.row, cell.col), 3) +
         ". The loss here is −ln of the target word's probability: " + number_text(targets.losses[at], 3) +
         " nats.";
}

std::string describe_gradient(const PageInputs& in, CellIndex cell) {
  const NamedParameter* parameter = parameter_of(in);
  if (parameter == nullptr || cell.row >= parameter->rows || cell.col >= parameter->cols) return {};
  return "Row " + std::to_string(cell.row) + ", column " + std::to_string(cell.col) + ": " +
         number_text(gradient_of(*in.training, *parameter).at(cell.row, cell.col), 4) +
         " in the batch of step " + grouped(in.training->steps) +
         ", the latest. A weight whose gradient stays positive decreases.";
}

}  // namespace headscope
