#include "core/page/scale/scale_gradients.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/page/scale/scale_row.h"
#include "core/tasks/task.h"
#include "core/text/number_text.h"
#include "core/train/score_gradients.h"

namespace headscope {
namespace {

constexpr float between_tables = 32.0F;
constexpr float min_gradient_table_width = 460.0F;  ///< The least width of a table.
constexpr std::size_t max_gradient_heads = 16;      ///< The greatest number of heads in a table.

/// The gradients of a model after a number of training steps.
struct GradientsOfModel {
  ModelRef model;
  bool operator==(const GradientsOfModel&) const = default;

  struct Answer {
    int steps = 0;
    ScoreGradientStudy study;
  };
  static constexpr Lifetime life = Lifetime::view;
  /// Gradients of older weights may stay for a while. Those of another model may not, because it has other
  /// heads.
  std::pair<std::string, Architecture> stand_in() const { return {model->task, model->model.architecture}; }
  Slices<Result<Answer>> answer() const {
    auto finding = score_gradient_study(*model);
    while (finding.next()) co_yield finding.share();
    auto study = finding.take();
    if (!study) co_return tl::unexpected(study.error());
    co_return Answer{model->steps, std::move(*study)};
  }
};

/// The gradients to show, and whether those of newer weights are being computed. Others are started only
/// after they are done: otherwise, a training run whose weights change constantly would restart the
/// computation forever.
std::pair<const Result<GradientsOfModel::Answer>*, bool> gradients_to_show(const PageInputs& in,
                                                                           PageTools& tools) {
  const ResultCache& results = tools.memo.results;
  const GradientsOfModel wanted{ModelRef(in.trace_model)};
  const auto* last = results.last<GradientsOfModel>();
  const bool waits = last != nullptr && results.share_of(*last) && last->stand_in() == wanted.stand_in();
  const GradientsOfModel asked = waits ? *last : wanted;
  const auto* found = tools.find(asked);
  return {found, results.share_of(asked).has_value()};
}

std::string name_of_head(const Architecture& a, const HeadId& head) {
  std::string place = std::to_string(head.layer) + "." + std::to_string(head.head);
  if (!a.has_cross()) return place;
  return (head.attention == AttentionKind::cross ? "cross "
          : head.stack == Stack::encoder         ? "encoder "
                                                 : "decoder ") +
         place;
}

/// The gradients of all heads together.
HeadGradient together(const GradientNorms& reached) {
  HeadGradient all;
  for (const HeadGradient& head : reached.heads) {
    all.weights = std::hypot(all.weights, head.weights);
    all.scores = std::hypot(all.scores, head.scores);
  }
  return all;
}

Page table_of_gradients(const PageInputs& in, PageTools& tools, const GradientNorms& divided,
                        const GradientNorms& undivided, float width) {
  const Theme& theme = theme_of(in.session.picture.theme);
  const ScaleWords words = scale_words(*in.trace);
  ScaleTable table(in, {{words.column_with + ": gradient", theme.data},
                        {words.column_without + ": gradient", theme.text},
                        {words.column_with + ": let through", theme.data},
                        {words.column_without + ": let through", theme.text}});
  const auto add = [&](const std::string& label, const std::optional<HeadId>& head, const HeadGradient& with,
                       const HeadGradient& without) {
    table.add(label, head, {with.scores, without.scores, with.softmax_ratio(), without.softmax_ratio()});
  };
  const Selection& selection = in.session.selection;
  const HeadId shown{selection.stack, selection.attention, selection.layer, selection.head};
  const auto selected = static_cast<std::size_t>(
      std::ranges::find(divided.heads, shown, &HeadGradient::head) - divided.heads.begin());
  const std::size_t n = divided.heads.size();
  const std::size_t first = first_visible_line(n, selected, max_gradient_heads);
  for (std::size_t i = first; i < std::min(n, first + max_gradient_heads); ++i) {
    const HeadId& head = divided.heads[i].head;
    add(name_of_head(in.trace->architecture(), head), head, divided.heads[i], undivided.heads[i]);
  }
  add("all heads", std::nullopt, together(divided), together(undivided));
  return table.drawn(tools, width);
}

Page gradients_of(const PageInputs& in, PageTools& tools, const std::string& title,
                  const GradientNorms& divided, const GradientNorms& undivided, float width) {
  PageBuilder page(in, tools, width);
  const ScaleWords words = scale_words(*in.trace);
  page.line({page.bold(title), page.muted("loss " + number_text(divided.loss, 3) + " nats, or " +
                                          number_text(undivided.loss, 3) + " " + words.without)},
            8.0F);
  page.add(table_of_gradients(in, tools, divided, undivided, width));
  return page.take();
}

/// For example, "Untrained, softmax lets 8.9 % of the gradient through with the division, and 6.7 % without
/// the division."
std::string sentence_of(const std::string& when, const ScaleWords& words, const GradientNorms& divided,
                        const GradientNorms& undivided) {
  const auto percent = [](const GradientNorms& reached) {
    constexpr double whole = 100.0;
    return number_text(whole * together(reached).softmax_ratio(), 2) + " %";
  };
  return when + ", softmax lets " + percent(divided) + " of the gradient through " + words.with + ", and " +
         percent(undivided) + " " + words.without + ".";
}

/// Why there are no gradients. Empty if there may be some.
std::string why_no_gradients(const PageInputs& in) {
  if (has_task_of_gradients(in)) return {};
  if (!in.trace_model)
    return "Random weights have no task, so there is no loss to go back from. Trained models show the gradient: choose Pronouns, Copying or Reversing.";
  return "This model was trained for none of the program's tasks, so there is no loss to go back from. Pronouns, Copying and Reversing show the gradient.";
}

}  // namespace

ScaleTable::ScaleTable(const PageInputs& in, std::vector<Column> columns) : in_(in) {
  constexpr bool from_left = true;
  table_.columns.reserve(columns.size());
  for (Column& column : columns)
    table_.columns.push_back({std::move(column.title), {}, from_left, 0.0, column.color});
}

void ScaleTable::add(const std::string& label, const std::optional<HeadId>& head,
                     const std::vector<std::optional<double>>& numbers, const std::string& instead) {
  const Selection& selection = in_.session.selection;
  const HeadId selected{selection.stack, selection.attention, selection.layer, selection.head};
  if (head == selected) table_.marked = table_.labels.size();
  table_.labels.push_back(label);
  table_.instead.push_back(instead);
  heads_.push_back(head);
  for (std::size_t c = 0; c < table_.columns.size(); ++c) {
    table_.columns[c].values.emplace_back(numbers[c]);
    const std::size_t first_of_pair = c / 2 * 2;
    for (const std::size_t each : {first_of_pair, first_of_pair + 1}) {
      std::optional<double>& most = table_.columns[each].most;
      most = std::max(most.value_or(0.0), numbers[c].value_or(0.0));
    }
  }
}

Page ScaleTable::drawn_columns(PageTools& tools, std::size_t first, std::size_t n, float width) const {
  BarTable part = table_;
  const auto begin = table_.columns.begin() + static_cast<std::ptrdiff_t>(first);
  part.columns.assign(begin, begin + static_cast<std::ptrdiff_t>(n));
  Page page{draw_bar_table(part, width, theme_of(in_.session.picture.theme), tools.measure), {}};
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    const float top = part.line * static_cast<float>(i + 1);
    if (heads_[i]) page.regions.push_back({{0.0F, top, width, part.line}, PartBar{{.place = *heads_[i]}}});
  }
  return page;
}

Page ScaleTable::drawn(PageTools& tools, float width) const {
  const std::size_t n = table_.columns.size();
  if (width >= width_for_titles(table_, tools.measure)) return drawn_columns(tools, 0, n, width);
  Page page = drawn_columns(tools, 0, n / 2, width);
  append(page, drawn_columns(tools, n / 2, n - n / 2, width), 0.0F, page.figure.height + page_size::spacing);
  return page;
}

std::size_t first_visible_line(std::size_t n, std::size_t selected, std::size_t most) {
  if (n <= most) return 0;
  const std::size_t before = most / 2;
  return std::min(selected < before ? 0 : selected - before, n - most);
}

bool has_task_of_gradients(const PageInputs& in) {
  return in.trace_model && parse_task_name(in.trace_model->task).has_value();
}

void add_score_gradients(const PageInputs& in, PageTools& tools, PageBuilder& page) {
  page.section("The gradient that reaches the scores in training");
  if (const std::string why = why_no_gradients(in); !why.empty()) {
    page.explain(why);
    return;
  }
  const auto [found, is_computing] = gradients_to_show(in, tools);
  if (found == nullptr || !*found) {
    page.paragraph(is_computing ? "Going back from the loss…"
                                : "Not computed: " + found->error().message + ".");
    return;
  }
  const auto& [steps, study] = **found;
  const std::string now = steps == 0 ? "Before training" : "After " + count_text(steps, "training step");
  const ScaleWords words = scale_words(*in.trace);
  page.say(sentence_of("Untrained", words, study.untrained_divided, study.untrained_undivided) + " " +
           sentence_of(now, words, study.divided, study.undivided));
  const bool beside = page.width() >= 2.0F * min_gradient_table_width + between_tables;
  const float each = beside ? std::floor((page.width() - between_tables) / 2.0F) : page.width();
  Page both = gradients_of(in, tools, "Untrained", study.untrained_divided, study.untrained_undivided, each);
  const float below = both.figure.height + 2.0F * page_size::spacing;
  append(both, gradients_of(in, tools, now, study.divided, study.undivided, each),
         beside ? each + between_tables : 0.0F, beside ? 0.0F : below);
  page.add(both);
  page.space(page_size::spacing);
  page.paragraph(
      "Gradient: the norm of ∂ loss / ∂ scaled scores over all visible cells of the head in " +
      std::to_string(study.n_sentences) +
      " held-out sentences of the task; with respect to the products q · k, it is this times the factor. Let through: that norm divided by the norm of ∂ loss / ∂ weights, which reaches softmax. Without the factor, the same weights are used with 1 instead, for which they were not trained, so the loss differs. The loss is that of the task's words, without masks, interventions or numbers given by hand.");
  if (is_computing) page.paragraph("The gradients of newer weights are being computed…");
}

}  // namespace headscope
