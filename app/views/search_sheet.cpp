#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/views/sheets.h"
#include "app/widgets/controls.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/engine/search.h"
#include "core/measures/measure.h"
#include "core/text/number_text.h"
#include "core/text/utf8.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

SearchCriteria search_target(const Frame& frame) {
  const SearchForm& form = frame.screen.search;
  const Selection& selection = frame.session.selection;
  SearchCriteria criteria{{selection.stack, selection.attention, selection.layer, selection.head}};
  if (form.way > 0) {
    criteria.measure = static_cast<HeadMeasure>(form.way - 1);
  } else {
    criteria.from = form.from;
    criteria.to = form.to;
  }
  return criteria;
}

/// The choice of what to search for, with the fields for its words. Returns true if Enter was pressed in one.
bool target_picker(Frame& frame) {
  SearchForm& form = frame.screen.search;
  static const auto names = [] {
    std::vector<std::string> all{"Weights from one word to another"};
    for (const MeasureRecord& record : measure_table) all.emplace_back(record.title);
    return all;
  }();
  static const auto meanings = [] {
    std::vector<std::string> all{"The largest weight that the first word gives to the second one"};
    for (const MeasureRecord& record : measure_table) all.emplace_back(record.meaning);
    return all;
  }();
  combo(frame.ui, "Look for", names, form.way, "Sentences with the most of this come first", meanings);
  if (form.way > 0) return false;
  const bool in_from =
      text_field(frame.ui, "from", form.from, "from this word, or any", "The word that looks");
  const bool in_to =
      text_field(frame.ui, "to", form.to, "to this word, or any", "The word that is attended to");
  return in_from || in_to;
}

void findings(Frame& frame, const SearchQuestion& question, const SearchResult& result) {
  SearchForm& form = frame.screen.search;
  paragraph(frame.ui,
            count_text(result.n_matches, "sentence") + " of " + grouped(result.n_sentences) +
                (result.n_matches == 1 ? " has it" : " have it") +
                (result.found.empty() ? "." : ". The first:") +
                (result.problem.empty() ? "" : " Some could not be read: " + result.problem + "."),
            frame.ui.theme().quiet);
  constexpr std::size_t max_letters = 72;
  for (const Finding& each : result.found) {
    const std::string label = share_text(frame.session.picture, each.value) + "  “" + each.query_token +
                              "” → “" + each.key_token + "”  " + truncated(each.sentence, max_letters) +
                              "###" + std::to_string(each.line);
    if (!link(frame.ui, label.c_str(), "Show this sentence, with this word selected", text_size::body))
      continue;
    frame.emit(SetSentence{each.sentence, std::nullopt});
    frame.emit(OpenHead{{question.criteria.head.layer, question.criteria.head.head}});
    frame.emit(SelectToken{each.query});
    form.open = false;
  }
}

/// The progress of the running search, or its results.
void outcome(Frame& frame) {
  SearchForm& form = frame.screen.search;
  if (!form.question) return;
  const SearchQuestion& question = *form.question;
  ResultCache& results = frame.screen.memo.results;
  const auto* found = results.get(question, frame.execute);
  if (found == nullptr) {
    constexpr double percent = 100.0;
    const double share = results.share_of(question).value_or(0.0);
    text(frame.ui, number_text(std::floor(percent * share), 3) + " % of the sentences are done", Font::sans,
         text_size::body, frame.ui.theme().quiet);
    constexpr double often = 0.1;
    frame.ui.wake_in(often);
    ImGui::SameLine(0.0F, frame.ui.px(12.0F));
    if (button(frame.ui, "Stop", "Discards what was found so far")) {
      results.drop(question);
      form.question.reset();
    }
  } else if (!*found) {
    paragraph(frame.ui, "Nothing was searched: " + found->error().message + ".", frame.ui.theme().warning,
              text_size::body);
  } else {
    findings(frame, question, **found);
  }
}

}  // namespace

void search_sheet(Frame& frame) {
  SearchForm& form = frame.screen.search;
  if (!form.open) return;
  const Sheet sheet(frame.ui, "search", form.open, 760.0F, 560.0F);
  const SearchCriteria criteria = search_target(frame);
  text(frame.ui, "Search sentences", Font::sans_bold, text_size::title, frame.ui.theme().text);
  if (frame.trace) {
    paragraph(frame.ui,
              "Finds the sentences of a text file in which " + head_text(*frame.trace, criteria.head) +
                  " looks most in one way. The file has a sentence on each line.",
              frame.ui.theme().quiet, text_size::body);
  }
  const bool in_file = text_field(frame.ui, "file", form.file, "the path of a text file",
                                  "A text file with one sentence on each line");
  const bool in_words = target_picker(frame);
  const bool asks =
      button(frame.ui, "Search the file", "Computes every sentence up to the layer of the head (Enter)");
  if (asks || in_file || in_words || (sheet.confirmed() && !form.file.empty())) {
    if (form.question) frame.screen.memo.results.drop(*form.question);
    form.question = SearchQuestion{request_of(frame.session), criteria, form.file};
  }
  outcome(frame);
}

}  // namespace headscope
