#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/engine/given_model.h"
#include "core/engine/head_study.h"
#include "core/measures/measure.h"
#include "core/model/pass_edits.h"
#include "core/page/heads/heads_page.h"
#include "core/page/parts/covered.h"
#include "core/tensor/descending.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

bool is_too_long(const PageInputs& in) {
  return is_too_long_to_measure(*in.trace, in.at(StageKind::weights));
}

/// Whether the weights of all heads are few and at hand.
bool is_little_work(const PageInputs& in) {
  return are_cheap_to_read(*in.trace, all_heads(in.trace->architecture(), in.at(StageKind::weights)));
}

/// Why heads that are to be measured have no values. Empty if they have.
template <class Found>
std::string why_unmeasured(const Result<Found>* found) {
  if (found == nullptr) return "Measuring…";
  return *found ? "" : "Not measured: " + found->error().message + ".";
}

HeadValues on_sentence(const PageInputs& in, PageTools& tools) {
  HeadValues values{{}, "this sentence", ""};
  if (is_too_long(in)) {
    values.absent = "Not measured: the text has more than " + std::to_string(max_measured_tokens) +
                    " tokens. Measure on random words instead.";
    return values;
  }
  const Selection& selection = in.session.selection;
  const StageId first_head{StageKind::weights, selection.stack, 0, selection.attention, 0};
  const auto* found = tools.find(Asked<measured_heads>{{in.trace, first_head, in.session.heads.detector}},
                                 is_little_work(in));
  values.absent = why_unmeasured(found);
  if (values.absent.empty()) values.heads = **found;
  return values;
}

/// The interventions on whole heads, which also apply to other texts.
std::vector<HeadChange> head_changes(const Trace& trace) {
  Interventions changes;
  if (trace.edits() == nullptr) return {};
  for (const PassEdits::AttentionEdits& attention : trace.edits()->attentions) {
    for (const HeadEdits& head : attention.heads) {
      HeadId place = attention.place;
      place.head = head.head;
      changes.heads.push_back({place, head.scale, head.is_uniform ? Pattern::uniform : Pattern::own});
    }
  }
  return in_order(std::move(changes)).heads;
}

/// Whether interventions change single weights or rows of this sentence, or use values from subject A.
bool changes_sentence(const Trace& trace) {
  const PassEdits* edits = trace.edits();
  if (edits == nullptr || !edits->rows.empty()) return edits != nullptr;
  return std::ranges::any_of(edits->attentions, [](const PassEdits::AttentionEdits& attention) {
    return std::ranges::any_of(attention.heads, [](const HeadEdits& head) {
      return !head.pattern.empty() || !head.weights.empty();
    });
  });
}

/// What the measures leave out of the pass on other texts.
std::string text_of_changes(const Trace& trace, bool are_heads_changed) {
  std::string text = are_heads_changed ? ", with the interventions" : "";
  if (changes_sentence(trace))
    text = are_heads_changed
               ? ", with the interventions on whole heads, but not those on weights and rows of this sentence"
               : ", without the interventions, which change weights and rows of this sentence";
  const bool gives_stages = std::ranges::any_of(trace.given().all, [](const GivenMatrix& each) {
    const auto stage = parse_path(each.path);
    return stage && !info(stage->kind).is_parameter();
  });
  return text + (gives_stages ? ", without the stages that were given for this sentence" : "");
}

HeadValues on_others(const PageInputs& in, PageTools& tools) {
  const Selection& selection = in.session.selection;
  const MeasuredOn on = in.session.heads.measured_on;
  const std::vector<HeadChange> changes = head_changes(*in.trace);
  HeadStudyRequest request{on,
                           in.trace->architecture(),
                           in.trace->options(),
                           in.trace_model,
                           selection.stack,
                           selection.attention,
                           changes,
                           given_parameters(in.trace->given()),
                           in.session.heads.detector};
  const auto* found = tools.find(Asked<head_study, Lifetime::session>{{std::move(request)}});
  HeadValues values;
  values.absent = why_unmeasured(found);
  if (!values.absent.empty()) return values;
  const std::string n = std::to_string((*found)->n_texts);
  values.heads = **found;
  values.on = on == MeasuredOn::task ? n + " held-out sentences of its task"
                                     : n + " sequences of random words, each repeated once";
  values.on += text_of_changes(*in.trace, !changes.empty());
  return values;
}

/// The number of rows behind a measure if it is small enough to mention. Otherwise 0.
long long few_rows(const HeadValues& values, HeadMeasure measure) {
  constexpr double max_few = 8.0;
  const double rows = values.heads->rows[static_cast<std::size_t>(measure)];
  return record_of(measure).rare_rows.empty() || rows > max_few ? 0 : std::llround(rows);
}

}  // namespace

HeadValues head_values(const PageInputs& in, PageTools& tools) {
  const bool is_here = in.session.heads.measured_on == MeasuredOn::sentence;
  HeadValues values = is_here ? on_sentence(in, tools) : on_others(in, tools);
  values.is_random = in.is_untrained();
  values.hides_roles = in.is_asked && in.asks_for_head;
  if (is_here) values.covered = covered_head(in, tools);
  const std::optional<TaughtHead>& taught = in.trace->task_rows().taught;
  const Selection& at = in.session.selection;
  const bool is_of_last = at.stack == in.trace->architecture().last_stack();
  if (taught && !taught->is_learning && is_of_last && at.attention == AttentionKind::self)
    values.taught = HeadIndex{taught->layer, taught->head};
  return values;
}

HeadValues cheap_head_values(const PageInputs& in, PageTools& tools) {
  if (!is_little_work(in) || is_too_long(in)) return {};
  HeadValues values = on_sentence(in, tools);
  values.is_random = in.is_untrained();
  values.hides_roles = in.is_asked && in.asks_for_head;
  values.covered = covered_head(in, tools);
  return values;
}

std::vector<HeadIndex> shown_heads(const PageInputs& in, const HeadValues& values) {
  const Architecture& a = in.trace->architecture();
  const HeadsOptions& options = in.session.heads;
  const bool one_layer = is_too_long(in);
  const int n_layers = a.layers_of(in.session.selection.stack);
  std::vector<HeadIndex> places;
  places.reserve(static_cast<std::size_t>(n_layers) * static_cast<std::size_t>(a.n_heads));
  for (int layer = 0; layer < n_layers; ++layer) {
    if (one_layer && layer != in.session.selection.layer) continue;
    for (int head = 0; head < a.n_heads; ++head) places.push_back({layer, head});
  }
  if (!values.heads) return places;
  const auto value = [&](const HeadIndex& place) {
    constexpr double least = std::numeric_limits<double>::lowest();  // Heads without a value come last.
    // The position of a covered head among the others would reveal what it does.
    if (values.covered == place) return least;
    const HeadMeasures head = values.heads->at(place);
    if (options.sorted_by) return value_of(head, *options.sorted_by).value_or(least);
    constexpr double any = 0.0;
    const auto role = strongest_role(head, any);
    return role ? role->value : least;
  };
  if (options.min_value > 0.0F) {
    const auto min_value = static_cast<double>(options.min_value);
    std::erase_if(
        places, [&](const HeadIndex& place) { return values.covered != place && value(place) < min_value; });
  }
  if (options.sorted_by) std::ranges::stable_sort(places, Descending{}, value);
  return places;
}

std::string measure_text(HeadMeasure measure, const std::optional<double>& value) {
  if (!value) return "—";
  return measure == HeadMeasure::distance ? decimals_text(*value, 1) : rounded_text(*value);
}

std::optional<StrongestRole> learned_role(const HeadValues& values, const HeadIndex& place) {
  if (!values.heads || values.is_random || values.covered == place) return std::nullopt;
  return strongest_role(values.heads->at(place));
}

RoleWords measure_words(const HeadValues& values, HeadMeasure measure, const std::optional<double>& value) {
  const MeasureRecord& record = record_of(measure);
  const long long n = few_rows(values, measure);
  const std::string rows = std::to_string(n);
  return {std::string(record.title) + (n == 0 ? "" : " (n = " + rows + ")"),
          std::string(record.tag) + (n == 0 ? "" : ", n = " + rows), measure_text(measure, value)};
}

RoleWords role_words(const HeadValues& values, const HeadIndex& place) {
  if (!values.heads || values.is_random || values.hides_roles || values.covered == place ||
      is_nan(values.heads->at(place)))
    return {};
  const auto role = learned_role(values, place);
  if (!role) return no_role;
  return measure_words(values, role->measure, role->value);
}

std::vector<std::string> head_sentences(const HeadIndex& place, const HeadValues& values) {
  if (!values.heads) return {values.absent};
  if (values.covered == place) return {"Its weights are covered: what it does is shown once they are found."};
  if (is_nan(values.heads->at(place))) return {"It cannot be measured: some of its weights are not numbers."};
  std::vector<std::string> sentences;
  const auto role = strongest_role(values.heads->at(place));
  if (role) {
    const long long n = few_rows(values, role->measure);
    const std::string from =
        n == 0 ? "" : ", from " + count_text(n, std::string(record_of(role->measure).rare_rows));
    sentences.push_back("It " + std::string(record_of(role->measure).does) + ": " +
                        measure_text(role->measure, role->value) + " of its attention" + from + ".");
  } else {
    sentences.emplace_back("It is mixed: it fits none of the patterns.");
  }
  if (values.taught == place)
    sentences.emplace_back(role && role->measure == HeadMeasure::noun
                               ? "It was trained to do this."
                               : "It was trained to look from a pronoun at its noun.");
  if (values.is_random && role) sentences.emplace_back("It has not learned this: its weights are random.");
  sentences.push_back("Measured on " + values.on + ".");
  return sentences;
}

}  // namespace headscope
