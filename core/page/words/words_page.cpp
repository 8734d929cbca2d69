#include <algorithm>
#include <cmath>

#include "core/engine/opening.h"
#include "core/figure/bars.h"
#include "core/figure/colormap.h"
#include "core/figure/text_fit.h"
#include "core/model/sampling.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/tasks/task.h"
#include "core/text/letters.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr float min_list_width = 288.0F;
constexpr float line_of_word = 22.0F;
constexpr float min_maps_width = 240.0F;  ///< The least width for the maps.
constexpr float min_words_height = 150.0F;

/// The last row of the sentence that grows. The padding of a batch comes after it.
int last_row(const Trace& trace) {
  const int rows = trace.extent(logits_stage).rows;
  return std::max(rows - (trace.architecture().has_cross() ? 0 : trace.batch().n_padded), 1) - 1;
}

/// Whether the vocabulary is a list of its own instead of the words of the sentences or of a trained model.
bool lists_words(const PageInputs& in) {
  return !in.trace_model && in.session.tokenizer == TokenizerKind::word && !in.session.output_words.empty();
}

const char* whose_words(const PageInputs& in) {
  if (in.trace_model && in.trace_model->is_foreign())
    return "The model chooses among all tokens that it knows.";
  if (in.trace_model)
    return count_words(*in.trace, *in.trace_model).unknown > 0
               ? "The model chooses among the words that it was trained on. For each word of the text that it does not know, it uses a placeholder, an embedding trained for new words, and can answer with that word."
               : "The model chooses among the words that it was trained on.";
  return lists_words(in)
             ? "These are the words listed in the settings. Untrained: the probabilities mean nothing about language."
             : "These are the words of the sentences. Untrained: the probabilities mean nothing about language.";
}

void no_words(PageBuilder& page, const PageInputs& in) {
  page.line({page.bold("This model predicts no words", page_size::title)});
  page.explain(
      "A final linear layer turns the last stack's output into a score for every word of the sentences; softmax turns the scores into probabilities.");
  if (in.trace_model && in.trace_model->is_foreign())
    page.explain("Here, " + std::string(cure_for_no_words(in)) + ".");
}

void add_next_word(PageBuilder& page, const PageInputs& in) {
  const NextWord next = next_word(in);
  if (next.has_ended) {
    page.row("After " + quoted_word(next.last_word) + ", nothing follows", "", true);
  } else {
    page.row(quoted_word(next.word) + " after the last word, " + quoted_word(next.last_word),
             in.number(next.probability), true);
  }
  double bits = 0.0;
  int n = 0;
  for (const auto& each : surprises(*in.trace)) {
    bits += each.value_or(0.0);
    n += each ? 1 : 0;
  }
  if (n > 0)
    page.row("surprise of " + count_text(n, "token") + ", on average", decimals_text(bits / n, 2) + " bits");
}

Page word_list_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  const int listed = listed_row(in);
  constexpr float around = 160.0F;  ///< The height of the other contents of the list.
  constexpr float fewest = 12.0F;
  const float fitting = (size.height - around) / line_of_word;
  const auto n_words = static_cast<float>(in.trace->extent(probabilities_stage).cols);
  const auto most = static_cast<std::size_t>(std::min(std::clamp(fitting, fewest, 32.0F), n_words));
  page.section(prediction_heading(*in.trace, listed));
  const float whole_list = page.y() + static_cast<float>(most) * line_of_word;
  if (predicts_masked_words(*in.trace) || in.session.sampling.greedy)
    add_ranked_words(page, in, listed, most);
  else
    add_sampled_words(page, in, listed, most);
  answer_notes(page, in, tools, listed);
  page.paragraph(whose_words(in));
  // If the whole list does not fit, a shorter list must not make the scroll bar appear and disappear.
  if (fitting < fewest) page.space(std::max(whole_list - page.y(), 0.0F));
  return page.take();
}

/// Lists the model's answer in each row, filling the space. A click on a row selects its token.
Page all_answers_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  constexpr float for_heading = 24.0F;
  // As many rows around the selected one as fit, and few enough to be read in every frame.
  constexpr int max_numbers = 1'500'000;
  const int n_rows = last_row(*in.trace) + 1;
  const int n_words = std::max(in.trace->extent(probabilities_stage).cols, 1);
  const int fitting = std::max(static_cast<int>((size.height - for_heading) / line_of_word), 1);
  const int n = std::min({n_rows, fitting, std::max(max_numbers / n_words, 1)});
  const int first = std::clamp(listed_row(in) - n / 2, 0, n_rows - n);
  const std::string part =
      n == n_rows ? "" : ": " + grouped(first + 1) + " to " + grouped(first + n) + " of " + grouped(n_rows);
  page.section((predicts_masked_words(*in.trace) ? "The answer for every token"
                                                 : "The likeliest next word after every token") +
               part);
  const Theme& theme = page.theme();
  const int listed = listed_row(in);
  constexpr float highest_line = 34.0F;
  const float line =
      std::clamp(std::floor((size.height - page.y()) / static_cast<float>(n)), line_of_word, highest_line);
  constexpr float for_share = 64.0F;
  constexpr float bar_height = 8.0F;
  constexpr float gap = 10.0F;
  const float answer_x = std::floor(0.26F * size.width);
  const float bar_x = std::floor(0.54F * size.width);
  for (int row = first; row < first + n; ++row) {
    const StageNumbers probabilities = in.trace->read_row(probabilities_stage, row);
    const auto along = probabilities.view.row(0);
    const auto likeliest = std::ranges::max_element(along);
    const bool is_listed = row == listed;
    const std::string token = in.trace->label(probabilities_stage, Axis::query_tokens, row);
    const std::string answer =
        in.trace->label(probabilities_stage, Axis::vocabulary, static_cast<int>(likeliest - along.begin()));
    const bool is_repeated =
        predicts_masked_words(*in.trace) && to_lower_case(token) == to_lower_case(answer);
    const Font font = is_listed ? Font::sans_bold : Font::sans;
    const Color color = is_listed ? theme.accent : is_repeated ? theme.quiet : theme.text;
    const float middle = page.y() + 0.5F * line;
    const auto write = [&](const std::string& text, float x, float room) {
      add_text(page.figure(), elided_text(text, room, font, page_size::body, tools.measure), {x, middle},
               color, page_size::body, font);
    };
    write(token, 0.0F, answer_x - gap);
    write(is_repeated ? "stays" : "→ " + answer, answer_x, bar_x - answer_x - gap);
    const auto share = static_cast<double>(*likeliest);
    const Box track{bar_x, middle - 0.5F * bar_height, size.width - bar_x - for_share - gap, bar_height};
    draw_share(page.figure(), track, static_cast<float>(share),
               is_repeated ? with_opacity(theme.data, 0.35F) : theme.data, theme);
    add_text(page.figure(), in.number(share), {size.width, middle}, color, page_size::body, Font::mono,
             HorizontalAnchor::right);
    page.page().regions.push_back({{0.0F, page.y(), size.width, line}, TokenArea{row}});
    page.space(line);
  }
  return page.take();
}

/// The logits and probabilities of all words, or a lesson's targets beside its predictions.
Page word_maps_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  constexpr float gap = 20.0F;
  const MapLook look{.title = true, .zoomable = true, .is_cut = true, .max_cell = 64.0F, .thin_share = 0.6F};
  const float half = std::max((size.height - gap) / 2.0F, min_words_height);
  for (const StageKind kind : {StageKind::logits, StageKind::probabilities}) {
    if (kind == StageKind::probabilities && lists_words(in)) {
      // A lesson shows its targets beside the predictions.
      const Page targets = next_targets_page(in, {size.width, half}, tools);
      if (!targets.figure.items.empty()) {
        page.add(targets);
        return page.take();
      }
    }
    const std::string slot = "words " + std::string(info(kind).name);
    page.add(map_page(in, tools, slot, {.kind = kind}, size.width, half, look));
    page.space(gap - 2.0F * page_size::spacing);
  }
  return page.take();
}

}  // namespace

bool predicts_words(const PageInputs& in) {
  return in.trace->architecture().output_layer != OutputLayer::none;
}

std::string_view cure_for_no_words(const PageInputs& in) {
  return in.trace_model && in.trace_model->is_foreign()
             ? "the file of this model has no output layer, so open one that has"
             : "add a final linear layer (Words), or open a trained model";
}

bool has_predictions(const PageInputs& in) {
  return in.trace->has(probabilities_stage);
}

int listed_row(const PageInputs& in) {
  const Selection& selection = in.session.selection;
  const int last = last_row(*in.trace);
  if (selection.stack != in.trace->architecture().last_stack()) return last;
  const auto asked = predicts_masked_words(*in.trace) ? token_of_interest(in.session) : std::nullopt;
  return std::min(selection.token.value_or(asked.value_or(last)), last);
}

NextWord next_word(const PageInputs& in) {
  const Trace& trace = *in.trace;
  const int last = last_row(trace);
  const auto possible = candidates(trace.read_row(logits_stage, last).view.row(0), in.session.sampling);
  const int chosen = choose(possible, in.session.sampling, last);
  NextWord next;
  next.id = chosen;
  next.word = trace.vocabulary()[static_cast<std::size_t>(chosen)];
  // A sampled word has the probability with which it was drawn; the likeliest word has the probability that
  // the model gave it.
  next.probability = std::ranges::find(possible, chosen, &Candidate::word)->probability;
  if (in.session.sampling.greedy)
    next.probability = static_cast<double>(trace.number(probabilities_stage, last, chosen));
  next.last_word = trace.label(logits_stage, Axis::query_tokens, last);
  const int end = in.trace_model ? in.trace_model->vocabulary.end() : -1;
  next.has_ended = end >= 0 && next.last_word == in.trace_model->vocabulary.word(end);
  return next;
}

Headline words_headline(const PageInputs& in, PageTools& /*tools*/) {
  if (!has_predictions(in)) return {};
  const Trace& trace = *in.trace;
  const int row = listed_row(in);
  const std::string word = quoted_word(trace.label(logits_stage, Axis::query_tokens, row));
  Headline headline{
      (predicts_masked_words(trace) ? "Which word does the model expect at " : "Which word comes after ") +
          word + "?",
      {}};
  if (answers_unknown(trace, row)) {
    headline.answer.emplace_back("One that it does not know.");
  } else {
    const int likeliest = likeliest_word(trace, row);
    const float share = trace.number(probabilities_stage, row, likeliest);
    headline.answer.push_back(quoted_word(trace.label(logits_stage, Axis::vocabulary, likeliest)) +
                              ", with a probability of " + in.number(share) + ".");
  }
  add_caveats(headline, in, row);
  return headline;
}

Page words_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  if (!has_predictions(in)) {
    PageBuilder page(in, tools, size.width);
    predicts_words(in) ? page.paragraph("Computing…", {}, page_size::title) : no_words(page, in);
    return page.take();
  }
  constexpr float gap = 32.0F;
  // With thousands of words, the columns would be as thin as hairs.
  constexpr int max_columns = 256;
  const bool has_maps =
      in.trace->extent(logits_stage).cols <= max_columns || in.session.picture.details || lists_words(in);
  const bool side_by_side = size.width - min_list_width - gap >= min_maps_width;
  constexpr float max_list_width = 480.0F;
  const float list =
      side_by_side ? std::clamp(size.width * 0.4F, min_list_width, max_list_width) : size.width;
  PageBuilder left(in, tools, list);
  if (!predicts_masked_words(*in.trace)) {
    left.line({left.bold("Next word", page_size::title)});
    add_next_word(left, in);
  }
  left.add(word_list_page(in, {list, size.height}, tools));
  // It takes only the remaining space, so that it does not make the page scroll.
  constexpr float for_summary = 140.0F;
  const auto kind = parse_task_name(in.session.task);
  if (kind && left.y() + for_summary < size.height) left.paragraph(task(*kind).summary());
  const auto rest = [&](const PageSize& room) {
    return has_maps ? word_maps_page(in, room, tools) : all_answers_page(in, room, tools);
  };
  if (!side_by_side) {
    left.divider();
    left.add(rest({list, 2.0F * min_words_height}));
    return left.take();
  }
  Page page = left.take();
  constexpr float max_answers_width = 640.0F;
  const float room = size.width - list - gap;
  append(page, rest({has_maps ? room : std::min(room, max_answers_width), size.height}), list + gap, 0.0F);
  return page;
}

}  // namespace headscope
