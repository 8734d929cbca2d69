#include "core/figure/axis_labels.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "core/figure/text_fit.h"

namespace headscope {
namespace {

constexpr float gap_between_labels = 6.0F;
constexpr float max_word_step = 10.0F;
constexpr float sin_45 = 0.70710678F;
/// The distance between turned labels as a share of the line height. They may be this close because their
/// ascenders and descenders do not meet.
constexpr float turned_line = 0.7F;

/// A marked label is drawn in bold. All labels get the space for bold text, so that the map does not change
/// when another is marked.
constexpr Font widest_font = Font::sans_bold;

/// Up to this number of labels, all are measured.
constexpr int max_measured = 64;

/// Which labels are drawn if not all fit. Numbers are drawn at multiples of the step, words at distances of
/// the step from the marked one.
enum class Thinning { numbers, words };

/// Chooses every `step`-th label. The marked label replaces those that it would touch.
ChosenLabels every(const AxisLabelRequest& source, int step, Thinning thinning, const MeasureText& measure) {
  ChosenLabels result;
  const int origin = thinning == Thinning::words && source.marked ? *source.marked % step : 0;
  const int last = std::min(source.first + source.count, source.texts.size());
  // The marked label determines which words are chosen, but it must not change the space that they take.
  const bool needs_room = thinning == Thinning::words && source.count <= max_measured;
  const auto after = [&](int i) {
    const int next = needs_room ? i + 1 : i + step - ((i - origin) % step + step) % step;
    return source.marked && *source.marked > i ? std::min(next, *source.marked) : next;
  };
  for (int i = after(source.first - 1); i < last; i = after(i)) {
    const bool is_marked = source.marked == i;
    const bool near_marked = source.marked && !is_marked && std::abs(i - *source.marked) < step;
    const bool is_chosen = is_marked || (i % step == origin && !near_marked);
    if (!is_chosen && !needs_room) continue;
    AxisLabel label{i, elided_text(source.texts[i], source.max_width, widest_font, source.size, measure)};
    if (label.text.empty()) continue;
    result.widest = std::max(result.widest, measure(label.text, widest_font, source.size).width);
    if (is_chosen) result.labels.push_back(std::move(label));
  }
  return result;
}

/// The widest of a sample of labels. This distinguishes numbers from words without measuring thousands of
/// labels.
float widest_of_sample(const AxisLabelRequest& source, const MeasureText& measure) {
  constexpr int sample_size = 64;
  return every(source, std::max(1, source.count / sample_size), Thinning::numbers, measure).widest;
}

/// Chooses only the marked label, if not even every tenth word fits. The space does not depend on which label
/// is marked.
ChosenLabels marked_alone(const AxisLabelRequest& source, const MeasureText& measure) {
  ChosenLabels result;
  result.widest = widest_of_sample(source, measure);
  if (!source.marked || *source.marked < source.first || *source.marked >= source.first + source.count)
    return result;
  AxisLabel label{*source.marked, elided_text(source.texts[*source.marked], source.max_width, widest_font,
                                              source.size, measure)};
  result.widest = std::max(result.widest, measure(label.text, widest_font, source.size).width);
  if (!label.text.empty()) result.labels.push_back(std::move(label));
  return result;
}

bool is_short(float width, float size) {
  return width <= 2.6F * size;
}

std::optional<int> whole_number(std::string text) {
  constexpr std::string_view minus = "−";
  if (text.starts_with(minus)) text.replace(0, minus.size(), "-");
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// Whether the first labels are numbers that count up by 1. Only then can the labels left out be inferred.
bool count_up(const AxisLabelRequest& source) {
  const int last = std::min({source.first + source.count, source.texts.size(), source.first + max_measured});
  for (int i = source.first + 1; i < last; ++i) {
    const auto before = whole_number(source.texts[i - 1]);
    const auto number = whole_number(source.texts[i]);
    if (!before || !number || *number != *before + 1) return false;
  }
  return true;
}

}  // namespace

int round_step(float step) {
  int decade = 1;
  while (true) {
    for (const int factor : {1, 2, 5}) {
      if (static_cast<float>(factor * decade) >= step) return factor * decade;
    }
    if (decade > 100'000'000) return decade;
    decade *= 10;
  }
}

ChosenLabels choose_row_labels(const AxisLabelRequest& source, const MeasureText& measure) {
  if (source.texts.empty() || source.count == 0 || source.cell <= 0.0F) return {};
  const float line = measure("X", Font::sans, source.size).height;
  const float step = line / source.cell;
  if (step <= 1.0F) return every(source, 1, Thinning::words, measure);
  if (is_short(widest_of_sample(source, measure), source.size)) {
    return every(source, round_step(step), Thinning::numbers, measure);
  }
  if (step > max_word_step) return marked_alone(source, measure);
  ChosenLabels words = every(source, static_cast<int>(std::ceil(step)), Thinning::words, measure);
  words.widest = std::max(words.widest, widest_of_sample(source, measure));
  return words;
}

ChosenLabels choose_col_labels(const AxisLabelRequest& source, bool may_turn, const MeasureText& measure) {
  if (source.texts.empty() || source.count == 0 || source.cell <= 0.0F) return {};
  const float sampled = widest_of_sample(source, measure);
  const int flat_step = round_step((sampled + gap_between_labels) / source.cell);
  if (flat_step == 1 || (is_short(sampled, source.size) && (!may_turn || count_up(source)))) {
    // The sample may miss the widest label, which is then shortened to fit.
    AxisLabelRequest flat = source;
    const float place = static_cast<float>(flat_step) * source.cell - gap_between_labels;
    flat.max_width = std::min(source.max_width, std::max(sampled, place));
    return every(flat, flat_step, Thinning::numbers, measure);
  }
  if (!may_turn) return {};
  const float line = measure("X", Font::sans, source.size).height;
  const float step = turned_line * line / (source.cell * sin_45);
  ChosenLabels result = step > max_word_step
                            ? marked_alone(source, measure)
                            : every(source, static_cast<int>(std::ceil(step)), Thinning::words, measure);
  result.turned = true;
  return result;
}

}  // namespace headscope
