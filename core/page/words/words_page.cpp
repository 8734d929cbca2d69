#include "core/page/words/words_page.h"

#include <algorithm>
#include <array>

#include "core/engine/opening.h"
#include "core/figure/pages.h"
#include "core/model/sampling.h"
#include "core/page/parts/answers.h"
#include "core/page/train/train_page.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

constexpr float least_list = 288.0F;
constexpr float line_of_word = 22.0F;
constexpr float least_maps = 240.0F;  ///< The least width for the maps.
constexpr float least_words_height = 150.0F;

/// The last row of the sentence that grows. The padding of a batch comes after it.
int last_row(const Trace& trace) {
  const int rows = trace.extent({.kind = StageKind::logits}).rows;
  return std::max(rows - (trace.architecture().has_cross() ? 0 : trace.batch().n_padded), 1) - 1;
}

/// Whether the vocabulary is a list of its own instead of the words of the sentences or of a trained model.
bool lists_words(const PageInputs& in) {
  return !in.trace_model && in.session.tokenizer == TokenizerKind::word && !in.session.output_words.empty();
}

const char* whose_words(const PageInputs& in) {
  if (in.trace_model && in.trace_model->is_foreign()) return "These are the tokens that the model knows.";
  if (in.trace_model) return "These are the words that the model was trained on.";
  return lists_words(in)
             ? "These are the words listed in the settings. Untrained: the probabilities mean nothing about language."
             : "These are the words of the sentences. Untrained: the probabilities mean nothing about language.";
}

void no_words(PageText& page) {
  page.line({{"This model predicts no words", Font::sans_bold, page_size::title, page.theme().text}});
  page.paragraph(
      "A final linear layer turns the last stack's output into a score for every word of the sentences; softmax turns the scores into probabilities.",
      {}, page_size::body);
}

/// Shows the word that continues the text.
Page next_word_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  const NextWord next = next_word(in);
  if (next.has_ended) {
    page.row("After “" + next.last_word + "”, nothing follows", "", true);
  } else {
    page.row("“" + next.word + "” after the last word, “" + next.last_word + "”",
             number_text(next.probability, 3), true);
  }
  return page.take();
}

/// Lists the likeliest words at the selected token.
Page word_list_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  const int listed = listed_row(in);
  constexpr float around = 160.0F;  ///< The height of the other contents of the list.
  const auto most = static_cast<std::size_t>(std::clamp((size.height - around) / line_of_word, 12.0F, 32.0F));
  page.section(prediction_heading(*in.trace, listed));
  if (fills_in(*in.trace) || in.session.sampling.greedy)
    ranked_words(page, in, listed, most);
  else
    drawn_words(page, in, listed, most);
  answer_notes(page, in, tools, listed);
  page.paragraph(whose_words(in));
  return page.take();
}

/// Shows the logits and probabilities of all words, or a lesson's targets beside its predictions. As high as
/// the room.
Page word_maps_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  constexpr float gap = 20.0F;
  MapLook look;
  look.title = true;
  look.max_cell = 64.0F;
  look.thin_share = 0.6F;
  look.zoomable = true;
  const float half = std::max((size.height - gap) / 2.0F, least_words_height);
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
    Page map = map_page(in, tools, slot, {.kind = kind}, size.width, half, look);
    const HeatmapLayout& drawn = tools.memo.maps[slot].layout;
    if (drawn.content.h > 0.0F) map.figure.height = std::min(map.figure.height, drawn.content.bottom());
    page.add(map);
    page.space(gap - 2.0F * page_size::spacing);
  }
  return page.take();
}

}  // namespace

bool predicts_words(const PageInputs& in) {
  return in.trace->architecture().output_layer != OutputLayer::none;
}

bool has_predictions(const PageInputs& in) {
  return in.trace->has({.kind = StageKind::probabilities});
}

int listed_row(const PageInputs& in) {
  const Selection& selection = in.session.selection;
  const int last = last_row(*in.trace);
  if (selection.stack != in.trace->architecture().last_stack()) return last;
  const auto asked = fills_in(*in.trace) ? token_to_look_at(in.session) : std::nullopt;
  return std::min(selection.token.value_or(asked.value_or(last)), last);
}

NextWord next_word(const PageInputs& in) {
  const StageId logits{.kind = StageKind::logits};
  const Trace& trace = *in.trace;
  const int last = last_row(trace);
  const auto possible = candidates(trace.value(logits).row(last), in.session.sampling);
  const int chosen = choose(possible, in.session.sampling, last);
  NextWord next;
  next.id = chosen;
  next.word = trace.vocabulary()[static_cast<std::size_t>(chosen)];
  // A sampled word has the probability with which it was drawn; the likeliest word has the probability that
  // the model gave it.
  next.probability = std::ranges::find(possible, chosen, &Candidate::word)->probability;
  const MatrixView own = trace.value({.kind = StageKind::probabilities});
  if (in.session.sampling.greedy && last < own.rows)
    next.probability = static_cast<double>(own(last, chosen));
  next.last_word = trace.label(logits, Axis::query_tokens, last);
  const int end = in.trace_model ? in.trace_model->vocabulary.end() : -1;
  next.has_ended = end >= 0 && next.last_word == in.trace_model->vocabulary.word(end);
  return next;
}

Page words_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  if (!has_predictions(in)) {
    PageText page(in, tools, size.width);
    predicts_words(in) ? page.paragraph("Computing…", {}, page_size::title) : no_words(page);
    return page.take();
  }
  constexpr float gap = 32.0F;
  // With thousands of words, the columns would be as thin as hairs.
  constexpr int most_columns = 256;
  const bool has_maps = in.trace->extent({.kind = StageKind::logits}).cols <= most_columns ||
                        in.session.picture.details || lists_words(in);
  const bool side_by_side = size.width - least_list - gap >= least_maps;
  const float list =
      side_by_side ? std::clamp(size.width * (has_maps ? 0.4F : 0.7F), least_list, has_maps ? 480.0F : 800.0F)
                   : size.width;
  PageText left(in, tools, list);
  if (!fills_in(*in.trace)) {
    left.line({{"Next word", Font::sans_bold, page_size::title, left.theme().text}});
    left.add(next_word_page(in, {list, size.height}, tools));
  }
  left.add(word_list_page(in, {list, size.height}, tools));
  if (!side_by_side) {
    if (!has_maps) return left.take();
    left.divider();
    left.add(word_maps_page(in, {list, 2.0F * least_words_height}, tools));
    return left.take();
  }
  Page page = left.take();
  if (!has_maps) return page;
  append(page, word_maps_page(in, {size.width - list - gap, size.height}, tools), list + gap, 0.0F);
  return page;
}

}  // namespace headscope
