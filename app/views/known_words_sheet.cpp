#include "app/views/sheets.h"
#include "app/widgets/controls.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/engine/opening.h"
#include "core/model/trained_model.h"
#include "core/tasks/pronouns.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

const std::vector<WordGroup>& kinds_of_pronouns() {
  static const std::vector<WordGroup> all = known_words();
  return all;
}

/// The words of a task, divided into kinds if the task has kinds.
std::vector<WordGroup> kinds_of(const Task& task) {
  if (task.kind() == TaskKind::pronouns) return kinds_of_pronouns();
  WordGroup all{"Words", {}};
  for (const std::string& word : task.vocabulary().words()) {
    if (!is_special(word)) all.words.push_back(word);
  }
  return {all};
}

void examples(Frame& frame, const Task& task) {
  section(frame.ui, "Sentences to try");
  for (const std::string& sentence : task.example_sentences()) {
    if (!link(frame.ui, sentence.c_str(), "Show this sentence", text_size::body)) continue;
    for (const Action& action : actions_to_show_example(frame.session, sentence)) frame.emit(action);
    frame.screen.known_words.open = false;
  }
}

/// The words of a kind that contain the search text. Without a search, all of them.
void words(Frame& frame, const WordGroup& kind) {
  std::string listed;
  int n = 0;
  for (const std::string& word : kind.words) {
    if (word.find(frame.screen.known_words.search) == std::string::npos) continue;
    listed += (n++ == 0 ? "" : ", ") + word;
  }
  if (n == 0) return;
  section(frame.ui, (kind.title + " · " + std::to_string(n)).c_str());
  paragraph(frame.ui, listed, frame.ui.theme().text, text_size::control);
}

}  // namespace

void known_words_sheet(Frame& frame) {
  KnownWordsForm& form = frame.screen.known_words;
  if (!form.open) return;
  const auto kind = parse_task_name(frame.session.task);
  const Sheet sheet(frame.ui, "known words", form.open, 720.0F);
  if (!kind) {
    text(frame.ui, "What the model knows", Font::sans_bold, text_size::title, frame.ui.theme().text);
    paragraph(frame.ui,
              frame.session.model
                  ? "This model was not trained on one of the program's tasks."
                  : "Random weights know no words: you can type any, but none of them means anything.",
              frame.ui.theme().quiet, text_size::body);
    return;
  }
  const Task& shown = task(*kind);
  text(frame.ui, "What “" + std::string(shown.title()) + "” knows", Font::sans_bold, text_size::title,
       frame.ui.theme().text);
  paragraph(frame.ui, shown.summary(), frame.ui.theme().quiet, text_size::body);
  examples(frame, shown);
  paragraph(frame.ui, "Any other word is underlined and replaced by a placeholder, which was trained too.",
            frame.ui.theme().quiet);
  text_field(frame.ui, "search", form.search, "search words", "Lists only words that contain this");
  for (const WordGroup& words_of_kind : kinds_of(shown)) words(frame, words_of_kind);
}

}  // namespace headscope
