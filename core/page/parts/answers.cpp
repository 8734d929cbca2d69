#include "core/page/parts/answers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

#include "core/figure/bars.h"
#include "core/figure/text_fit.h"
#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/model/sampling.h"
#include "core/page/page.h"
#include "core/tasks/task.h"
#include "core/tensor/descending.h"
#include "core/text/number_text.h"
#include "core/trace/guess.h"
#include "core/trace/place_text.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

struct RankedWord {
  std::string label;
  float probability = 0.0F;
  std::optional<int> word;
};

/// Marks the space before a word that would otherwise look like another one of the list.
void mark_spaces(std::vector<RankedWord>& words) {
  for (RankedWord& word : words) {
    if (word.label.size() < 2 || word.label.front() != ' ') continue;
    if (std::ranges::find(words, word.label.substr(1), &RankedWord::label) != words.end())
      word.label.replace(0, 1, "␣");
  }
}

/// The likeliest words. Placeholders that the sentence does not use are one entry, or left out.
std::vector<RankedWord> likeliest(const Trace& trace, int position, std::size_t max_words,
                                  UnknownWords listed) {
  const StageNumbers likely = trace.read_row(probabilities_stage, position);
  const std::span<const float> probabilities = likely.view.row(0);
  const StageNumbers scores = trace.read_row(logits_stage, position);
  const std::span<const float> logits = scores.view.row(0);
  RankedWord unknown{"unknown words", 0.0F, {}};
  std::vector<int> order;
  for (int word = 0; word < static_cast<int>(probabilities.size()); ++word) {
    if (is_placeholder(trace.vocabulary()[static_cast<std::size_t>(word)])) {
      unknown.probability += probabilities[static_cast<std::size_t>(word)];
    } else {
      order.push_back(word);
    }
  }
  max_words = std::min(order.size(), max_words);
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(max_words), [&](int a, int b) {
    const float left = logits[static_cast<std::size_t>(a)];
    const float right = logits[static_cast<std::size_t>(b)];
    return Descending{}(left, right) || (!Descending{}(right, left) && a < b);
  });
  std::vector<RankedWord> words;
  for (std::size_t i = 0; i < max_words; ++i) {
    const int word = order[i];
    words.push_back({trace.label(probabilities_stage, Axis::vocabulary, word),
                     probabilities[static_cast<std::size_t>(word)], word});
  }
  mark_spaces(words);
  if (listed == UnknownWords::left_out) return words;
  const auto place = std::ranges::find_if(
      words, [&](const RankedWord& word) { return word.probability < unknown.probability; });
  if (place != words.end()) {
    words.insert(place, unknown);
    words.pop_back();
  }
  return words;
}

/// "Layer 1, head 2 looks most at “street”, but the model answers “animal”."
std::string looks_elsewhere(const PageInputs& in, int position) {
  const Trace& trace = *in.trace;
  const StageId head = in.at(StageKind::weights);
  if (head.stack != trace.architecture().last_stack() || !trace.has(head)) return {};
  // What a head attends to does not matter if its output is switched off.
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(head_of(head));
  if (edits != nullptr && edits->scale == 0.0F) return {};
  const StageNumbers weights = trace.read_row(head, position);
  const auto row = weights.view.row(0);
  const auto key = static_cast<int>(std::ranges::max_element(row) - row.begin());
  if (answers_unknown(trace, position)) return {};
  const std::string answer = trace.label(logits_stage, Axis::vocabulary, likeliest_word(trace, position));
  const std::vector<Token>& keys = trace.tokens(head, Axis::key_tokens);
  if (keys[static_cast<std::size_t>(key)].lookup == answer) return {};
  // No head can attend to an answer that is not in the sentence.
  if (std::ranges::find(keys, answer, &Token::lookup) == keys.end()) return {};
  return place_text(trace, head) + " looks most at " + quoted_word(trace.label(head, Axis::key_tokens, key)) +
         ", but the model answers " + quoted_word(answer) + ".";
}

/// Drops most words that the model does not expect. They carry no information, so a few are enough.
void drop_unexpected(std::vector<RankedWord>& ranked) {
  constexpr std::size_t fewest = 5;
  constexpr float hardly_any = 0.0005F;
  while (ranked.size() > fewest && ranked.back().probability < hardly_any) ranked.pop_back();
}

/// Draws the words as bars that can be clicked.
Page word_bars(const PageBuilder& page, const std::vector<RankedWord>& ranked, std::vector<Bar> bars,
               float label_width = 0.0F) {
  BarListSpec spec;
  spec.label_width = label_width;
  spec.bars = std::move(bars);
  spec.maximum = 1.0;
  Page list{draw_bars(spec, page.width(), page.theme(), page.measure()), {}};
  const float line = ranked.empty() ? 0.0F : list.figure.height / static_cast<float>(ranked.size());
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    list.regions.push_back(
        {{0.0F, static_cast<float>(i) * line, page.width(), line}, WordArea{ranked[i].word}});
  }
  return list;
}

}  // namespace

bool answers_unknown(const Trace& trace, int position) {
  const auto words = likeliest(trace, position, 1, UnknownWords::listed);
  return words.empty() || !words.front().word;
}

bool predicts_masked_words(const Trace& trace) {
  return !trace.is_untrained() && trace.architecture().last_stack() == Stack::encoder;
}

std::optional<double> surprise(const Trace& trace, int token) {
  const Stack last = trace.architecture().last_stack();
  if (trace.is_untrained() || last == Stack::encoder || !trace.has(probabilities_stage) || trace.overflow())
    return {};
  const Extent size = trace.extent(probabilities_stage);
  const std::vector<Token>& tokens = trace.tokens(last);
  if (token < 1 || token >= static_cast<int>(tokens.size()) || token > size.rows) return {};
  const int id = tokens[static_cast<std::size_t>(token)].id;
  if (id < 0 || id >= size.cols) return {};
  const double given = static_cast<double>(trace.number(probabilities_stage, token - 1, id));
  if (given > 0.0) return -std::log2(given);
  // It is too small for a float32 number, but its logarithm is not.
  return cross_entropy(trace.read_row(logits_stage, token - 1).view.row(0), id) / std::numbers::ln2;
}

std::vector<std::optional<double>> surprises(const Trace& trace) {
  constexpr std::int64_t max_numbers = 8'000'000;
  const Extent size = trace.extent(probabilities_stage);
  std::vector<std::optional<double>> all;
  if (std::int64_t{size.rows} * size.cols > max_numbers) return all;
  const auto n = static_cast<int>(trace.tokens(trace.architecture().last_stack()).size());
  for (int token = 0; token < n; ++token) all.push_back(surprise(trace, token));
  if (std::ranges::none_of(all, [](const auto& number) { return number.has_value(); })) all.clear();
  return all;
}

std::string prediction_heading(const Trace& trace, int position) {
  const std::string word = trace.label(logits_stage, Axis::query_tokens, position);
  if (!predicts_masked_words(trace)) return "After " + quoted_word(word);
  return is_blank(word) ? "What fills the blank" : "The model's answer for " + quoted_word(word);
}

void add_ranked_words(PageBuilder& page, const PageInputs& in, int position, std::size_t max_words,
                      UnknownWords unknown, float label_width) {
  if (in.trace->overflow())
    return page.paragraph("Numbers of this pass overflow, so it does not say which words are likely.");
  std::vector<RankedWord> ranked = likeliest(*in.trace, position, max_words, unknown);
  const std::size_t n_likely = ranked.size();
  drop_unexpected(ranked);
  double rest = 0.0;
  const StageNumbers all = in.trace->read_row(probabilities_stage, position);
  for (const float probability : all.view.row(0)) rest += static_cast<double>(probability);
  std::vector<Bar> bars;
  for (const RankedWord& word : ranked) {
    rest -= static_cast<double>(word.probability);
    bars.push_back({word.label, word.probability, in.number(word.probability), page.theme().data, ""});
  }
  page.add(word_bars(page, ranked, std::move(bars), label_width));
  if (ranked.size() < n_likely) page.row("all other words together", in.number(std::max(rest, 0.0)));
}

float ranked_words_width(const PageInputs& in, int position, std::size_t max_words,
                         const MeasureText& measure) {
  std::vector<RankedWord> ranked = likeliest(*in.trace, position, max_words, UnknownWords::listed);
  drop_unexpected(ranked);
  return widest_text(ranked, Font::sans, BarListSpec().font_size, measure, &RankedWord::label);
}

void add_sampled_words(PageBuilder& page, const PageInputs& in, int position, std::size_t max_words) {
  const Sampling& sampling = in.session.sampling;
  const StageNumbers logits = in.trace->read_row(logits_stage, position);
  const std::vector<Candidate> possible = candidates(logits.view.row(0), sampling);
  const std::vector<RankedWord> ranked = likeliest(*in.trace, position, max_words, UnknownWords::left_out);
  std::vector<Bar> bars;
  for (const RankedWord& word : ranked) {
    const auto found = word.word ? std::ranges::find(possible, *word.word, &Candidate::word) : possible.end();
    const bool is_cut = found == possible.end();
    const double drawn = is_cut ? 0.0 : found->probability;
    bars.push_back({word.label, drawn, is_cut ? "cut" : in.number(drawn), page.theme().data, ""});
  }
  page.add(word_bars(page, ranked, std::move(bars)));
  const bool are_all = std::cmp_equal(possible.size(), logits.view.cols);
  page.paragraph(are_all ? "Any word of the vocabulary can be drawn."
                         : count_text(static_cast<long long>(possible.size()), "word") +
                               " of the vocabulary's " + grouped(logits.view.cols) + " can be drawn.");
}

bool is_unknown_word(const Token& token, const TrainedModel& model) {
  return !is_mark(token) && !is_special_token(token) && !model.vocabulary.knows(token);
}

WordCount count_words(const Trace& trace, const TrainedModel& model) {
  // The window asks in every frame.
  constexpr std::size_t max_tokens = 1000;
  WordCount count;
  const std::vector<Token>& tokens = trace.tokens(trace.architecture().first_stack());
  if (!parse_task_name(model.task) || tokens.size() > max_tokens) return count;
  for (const Token& token : tokens) {
    if (is_mark(token) || is_special_token(token)) continue;
    ++count.all;
    count.unknown += is_unknown_word(token, model) ? 1 : 0;
  }
  return count;
}

std::string unknown_words_text(const Trace& trace, const TrainedModel& model) {
  const WordCount count = count_words(trace, model);
  if (count.unknown == 0) return {};
  return std::to_string(count.unknown) + " of " + count_text(count.all, "word") +
         (count.unknown == 1 ? " is" : " are") + " unknown to this model, which knows " +
         grouped(model.vocabulary.n_ordinary()) + " English words.";
}

void answer_notes(PageBuilder& page, const PageInputs& in, PageTools& tools, int position) {
  if (in.trace->expectation(position) == Expectation::repeats || in.trace->overflow()) return;
  if (is_guess(*in.trace, position)) page.notice(guess_notice(*in.trace, position));
  if (is_blank(in.trace->label(logits_stage, Axis::query_tokens, position))) return;
  const StageId head = in.at(StageKind::weights);
  if (in.trace->has(head) && !can_read(in, tools, head)) return;
  page.paragraph(looks_elsewhere(in, position));
}

}  // namespace headscope
