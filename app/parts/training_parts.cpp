#include "app/parts/training_parts.h"

#include <algorithm>

#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "core/tasks/task.h"
#include "core/trace/number_text.h"
#include "core/trace/targets.h"

namespace headscope {
namespace {

constexpr int most_words = 24;

std::string row_label(const Trace& trace, int row) {
  return trace.label({.kind = StageKind::logits}, Axis::query_tokens, row);
}

std::string word_label(const Trace& trace, int word) {
  return trace.label({.kind = StageKind::logits}, Axis::vocabulary, word);
}

enum class TargetPicture { wanted, given };

/// One of the two pictures over the same rows and words.
void target_map(Frame& frame, const Targets& targets, TargetPicture picture, MatrixMapCache& cache,
                ImVec2 size) {
  const Trace& trace = *frame.trace;
  const bool is_given = picture == TargetPicture::given;
  MatrixMap map{is_given ? "given" : "wanted", frame.trace, frame.session.picture, {}, {}, {}, {}, {}, {}};
  map.max_cell = 32.0F;
  map.make = [&](OwnedMatrix& numbers) {
    numbers = is_given ? targets.probabilities : targets.one_hot;
    HeatmapSpec spec;
    spec.values = numbers.view();
    for (std::size_t i = 0; i < targets.rows.size(); ++i) {
      const std::string token = row_label(trace, targets.rows[i]);
      spec.row_labels.push_back(is_given ? number_text(targets.losses[i], 2) : token);
    }
    for (const int word : targets.words) spec.col_labels.push_back(word_label(trace, word));
    spec.row_axis = is_given ? "cross-entropy, nats" : "tokens";
    spec.col_axis = "words";
    spec.title = is_given ? "Probabilities" : "Target, one-hot";
    constexpr bool is_signed = false;
    PictureOptions options = map.picture;
    options.range = RangeMode::fixed;
    options.fixed_low = 0.0;
    options.fixed_high = 1.0;
    spec.scale = ColorScale(options, is_signed, spec.values);
    spec.color_bar = false;
    constexpr float small = 11.0F;  // so that more of the words fit
    spec.font_size = small;
    spec.numbers = frame.session.picture.numbers;
    return spec;
  };
  const MatrixMapAnswer mouse = matrix_map(frame.ui, cache, map, size);
  if (!mouse.cell) return;
  const auto at = static_cast<std::size_t>(mouse.cell->row);
  const int word = targets.words[static_cast<std::size_t>(mouse.cell->col)];
  const std::string what =
      "At “" + row_label(trace, targets.rows[at]) + "” the target word is “" +
      word_label(trace, targets.wanted[at]) + "”; “" + word_label(trace, word) + "” has " +
      number_text(targets.probabilities.at(mouse.cell->row, mouse.cell->col), 3) +
      ". The loss here is −ln of the target word's probability: " + number_text(targets.losses[at], 3) +
      " nats.";
  tooltip(frame.ui, what);
}

void both_maps(Frame& frame, const Targets& targets, ImVec2 room) {
  const float half = (room.x - frame.ui.px(16.0F)) / 2.0F;
  target_map(frame, targets, TargetPicture::wanted, frame.screen.train.wanted, {half, room.y});
  ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  target_map(frame, targets, TargetPicture::given, frame.screen.train.given, {half, room.y});
}

/// Recomputed for every pass.
const Targets& targets_in_view(Frame& frame) {
  TrainScreen& screen = frame.screen.train;
  if (screen.targets_trace.lock() == frame.trace) return screen.targets;
  screen.targets = targets_of(*frame.trace, frame.trace->task_rows().wanted, most_words);
  screen.targets_trace = frame.trace;
  return screen.targets;
}

/// Parameters by their paths, heads apart.
void choose_parameter(Frame& frame, const std::shared_ptr<const ParameterLayout>& layout) {
  TrainScreen& screen = frame.screen.train;
  if (screen.layout != layout) {
    screen.layout = layout;
    screen.paths.clear();
    for (const NamedParameter& parameter : layout->named) screen.paths.push_back(parameter.path);
  }
  if (std::ranges::find(screen.paths, screen.parameter) == screen.paths.end()) {
    const std::string query = path(selected_stage(frame, StageKind::query));
    screen.parameter = query.substr(0, query.rfind('.')) + ".W_Q";
  }
  auto selected = static_cast<int>(std::ranges::find(screen.paths, screen.parameter) - screen.paths.begin());
  if (combo(frame.ui, "##parameter", screen.paths, selected, "Weights to show")) {
    screen.parameter = screen.paths[static_cast<std::size_t>(selected)];
  }
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

/// Why there are no targets to show; empty where there are.
std::string no_targets(const Frame& frame) {
  if (frame.trace->architecture().output_layer == OutputLayer::none) return "This model predicts no words.";
  if (!frame.trace->has({.kind = StageKind::probabilities})) return "Computing…";
  const auto kind = frame.trace_model ? task_named(frame.trace_model->task) : std::nullopt;
  if (!kind) return "The weights shown are random and not those of a model that learns this.";
  if (frame.trace_model->vocabulary.words() != task(*kind).vocabulary().words()) {
    return "This model's words differ from those of its task, so its targets are not known.";
  }
  return {};
}

}  // namespace

void targets_part(Frame& frame) {
  const Theme& theme = frame.ui.theme();
  if (const std::string why = no_targets(frame); !why.empty()) {
    paragraph(frame.ui, why, theme.quiet, text_size::body);
    return;
  }
  const Targets& targets = targets_in_view(frame);
  if (targets.rows.empty()) {
    paragraph(frame.ui,
              "This sentence is not part of the model's task, so its targets are not known. Choose one that "
              "is (K).",
              theme.quiet, text_size::body);
    return;
  }
  paragraph(frame.ui,
            "Training makes the right map look like the left one: the mean cross-entropy of these rows is " +
                number_text(targets.mean_loss, 3) + " nats.",
            theme.quiet);
  both_maps(frame, targets, ImGui::GetContentRegionAvail());
}

bool next_words_part(Frame& frame, ImVec2 room) {
  TrainScreen& screen = frame.screen.train;
  if (screen.targets_trace.lock() != frame.trace) {
    screen.targets = targets_of(*frame.trace, next_words(*frame.trace), most_words);
    screen.targets_trace = frame.trace;
  }
  if (screen.targets.rows.empty()) return false;
  both_maps(frame, screen.targets, room);
  return true;
}

void gradient_part(Frame& frame) {
  const Theme& theme = frame.ui.theme();
  if (!frame.training || !frame.training->gradients) {
    paragraph(frame.ui, "Gradients appear after the first step: press Step or Train.", theme.quiet,
              text_size::body);
    return;
  }
  const TrainingProgress& now = *frame.training;
  choose_parameter(frame, now.layout);
  const auto& named = now.layout->named;
  const auto parameter = std::ranges::find(named, frame.screen.train.parameter, &NamedParameter::path);
  if (parameter == named.end()) return;  // the place that is selected has no queries of its own
  MatrixMap map{parameter->path + " " + std::to_string(now.run.attempt) + " " + std::to_string(now.steps),
                nullptr,
                frame.session.picture,
                {},
                {},
                {},
                {},
                {},
                {}};
  map.max_cell = 24.0F;
  map.make = [&](OwnedMatrix& numbers) {
    numbers = gradient_of(now, *parameter);
    HeatmapSpec spec;
    spec.values = numbers.view();
    spec.title = "∂ loss / ∂ " + parameter->path + " at step " + grouped(now.steps);
    spec.shape = "[" + std::to_string(parameter->rows) + " × " + std::to_string(parameter->cols) + "]";
    if (const auto stage = parse_path(parameter->path)) {
      const auto name = [](Axis axis) { return axis == Axis::single ? "" : std::string(axis_name(axis)); };
      spec.row_axis = name(info(stage->kind).rows);
      spec.col_axis = name(info(stage->kind).cols);
    }
    constexpr bool is_signed = true;
    PictureOptions options = map.picture;
    options.range = RangeMode::map;
    spec.scale = ColorScale(options, is_signed, spec.values);
    spec.numbers = false;
    return spec;
  };
  MatrixMapCache& cache = frame.screen.train.gradient;
  const MatrixMapAnswer mouse = matrix_map(frame.ui, cache, map, ImGui::GetContentRegionAvail());
  if (!mouse.cell) return;
  tooltip(frame.ui, "Row " + std::to_string(mouse.cell->row) + ", column " + std::to_string(mouse.cell->col) +
                        ": " + number_text(cache.numbers.at(mouse.cell->row, mouse.cell->col), 4) +
                        " in the batch of step " + grouped(now.steps) +
                        ", the latest. A weight whose gradient stays positive decreases.");
}

}  // namespace headscope
