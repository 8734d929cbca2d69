#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/parts/folder_list.h"
#include "app/parts/setting_control.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/engine/opening.h"
#include "core/engine/search.h"
#include "core/measures/measure.h"
#include "core/model/trained_model.h"
#include "core/overloaded.h"
#include "core/session/settings.h"
#include "core/system/process.h"
#include "core/tasks/pronouns.h"
#include "core/text/number_text.h"
#include "core/text/tokenizer.h"
#include "core/text/utf8.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

/// The words of a task, divided into kinds if the task has kinds.
std::vector<WordGroup> kinds_of(const Task& task) {
  static const std::vector<WordGroup> pronouns = known_words();
  if (task.kind() == TaskKind::pronouns) return pronouns;
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
    frame.emit(actions_to_show_example(frame.session, sentence));
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
  paragraph(frame.ui, "Any other word is underlined and replaced by a placeholder, which was trained too.");
  text_field(frame.ui, "search", form.search, "search words", "Lists only words that contain this");
  for (const WordGroup& words_of_kind : kinds_of(shown)) words(frame, words_of_kind);
}

namespace {

/// A line in a list of search results.
struct SearchRow {
  std::string_view text;
  std::span<const TextSpan> marked;  ///< byte ranges of the text, ascending
  std::string_view about;            ///< quiet, after the text
  std::string_view kind;             ///< quiet, on the right
  std::string_view shortcut;         ///< as a key, to the right of `kind`
};

constexpr float entry_height = 30.0F;
constexpr int max_rows = 11;
constexpr float kind_width = 104.0F;

/// Draws a text with its marks. Returns where it ends.
float marked_text(const Ui& ui, ImDrawList& list, ImVec2 at, const SearchRow& row, float room) {
  const Theme& theme = ui.theme();
  const std::string shown = paint::fitted(ui, row.text, Font::sans, text_size::body, room);
  // "…" replaces the letters from here on.
  const bool is_cut = shown.size() != row.text.size() || shown != row.text;
  constexpr std::size_t ellipsis = 3;
  const std::size_t end = is_cut ? shown.size() - std::min(ellipsis, shown.size()) : shown.size();
  float x = at.x;
  std::size_t from = 0;
  const auto draw = [&](std::size_t to, Font font, Color color) {
    if (to <= from) return;
    const std::string_view part = std::string_view(shown).substr(from, to - from);
    x += paint::text(ui, list, x, at.y, part, font, text_size::body, color);
    from = to;
  };
  for (const TextSpan& mark : row.marked) {
    draw(std::min(mark.begin, end), Font::sans, theme.text);
    draw(std::min(mark.end, end), Font::sans_bold, theme.accent);
  }
  draw(shown.size(), Font::sans, theme.text);
  return x;
}

void draw_row(Ui& ui, const SearchRow& row, ImVec2 min, float width, bool is_selected) {
  const Theme& theme = ui.theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float height = ui.px(entry_height);
  const ImVec2 max(min.x + width, min.y + height);
  if (is_selected) list.AddRectFilled(min, max, packed(theme.control), ui.px(6));
  const float middle = std::round((min.y + max.y) / 2.0F);
  const float padding = ui.px(10);
  float right = max.x - padding;
  if (!row.shortcut.empty()) {
    const float chip = paint::text_width(ui, row.shortcut, Font::mono, 10.0F) + ui.px(12);
    const ImVec2 corner(right - chip, middle - ui.px(9));
    paint::card(ui, list, corner, {right, corner.y + ui.px(18)}, theme.panel, theme.line, ui.px(4));
    paint::text(ui, list, corner.x + chip / 2.0F, middle, row.shortcut, Font::mono, 10.0F, theme.quiet,
                paint::Align::center);
    right -= chip + padding;
  }
  const float kind = std::min(ui.px(kind_width), width * 0.25F);
  right -=
      paint::text(ui, list, right, middle, paint::fitted(ui, row.kind, Font::sans, text_size::small, kind),
                  Font::sans, text_size::small, theme.quiet, paint::Align::right) +
      padding;
  const float left = min.x + padding;
  const float before_about = ui.px(14);
  const float end = marked_text(ui, list, {left, middle}, row, right - left) + before_about;
  if (right - end < ui.px(40)) return;
  paint::text(ui, list, end, middle, paint::fitted(ui, row.about, Font::sans, text_size::small, right - end),
              Font::sans, text_size::small, theme.quiet);
}

/// The results below a search field. The list always has the same height and scrolls to the selected line.
/// The arrow keys and the mouse select a line, and the arrow keys wrap around at the ends. Enter and a click
/// choose it. Returns the chosen line.
std::optional<std::size_t> search_list(Ui& ui, std::size_t n_rows,
                                       const std::function<SearchRow(std::size_t)>& row_of,
                                       const SearchFieldResult& typed, int& selected) {
  const int n = static_cast<int>(n_rows);
  if (n > 0) selected = ((selected + typed.moved) % n + n) % n;
  std::optional<std::size_t> chosen;
  if (typed.confirmed && n > 0) chosen = static_cast<std::size_t>(selected);
  const float height = ui.px(entry_height);
  const float free_height = ImGui::GetIO().DisplaySize.y - ui.px(176.0F);
  const int n_in_view = std::clamp(static_cast<int>(free_height / height), 2, max_rows);
  begin_child("found", {ImGui::GetContentRegionAvail().x, height * static_cast<float>(n_in_view)},
              ImGuiWindowFlags_NoNav);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float top = ImGui::GetScrollY();
  const float room = ImGui::GetWindowHeight();
  const float at = height * static_cast<float>(selected);
  if (typed.edited) ImGui::SetScrollY(0.0F);
  if (typed.moved != 0) ImGui::SetScrollY(std::clamp(top, at + height - room, at));
  const ImGuiIO& io = ImGui::GetIO();
  const bool mouse_moves = io.MouseDelta.x != 0.0F || io.MouseDelta.y != 0.0F;
  const int first = std::max(0, static_cast<int>(top / height));
  const int last = std::min(n, static_cast<int>((top + room) / height) + 1);
  for (int i = first; i < last; ++i) {
    const ImVec2 min(origin.x, origin.y + height * static_cast<float>(i));
    const bool is_under_mouse =
        ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(min, {min.x + width, min.y + height});
    if (is_under_mouse && mouse_moves) selected = i;
    if (is_under_mouse && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) chosen = static_cast<std::size_t>(i);
    const SearchRow row = row_of(static_cast<std::size_t>(i));
    draw_row(ui, row, min, width, i == selected);
  }
  ImGui::Dummy({1.0F, height * static_cast<float>(n)});
  if (n == 0) {
    ImGui::SetCursorScreenPos({origin.x + ui.px(10), origin.y + ui.px(6)});
    text(ui, "Nothing matches: try fewer letters, or another word.", Font::sans, text_size::body,
         ui.theme().text);
  }
  end_child();
  return chosen;
}

/// The page with the control of a setting. Empty if the control is in the panel of every page.
std::optional<PageName> page_of_control(const Setting& setting) {
  if (setting.group == training_group) return PageName::train;
  if (setting.group == word_group) return PageName::words;
  return std::nullopt;
}

void go_to_control(Frame& frame, const Setting& setting) {
  constexpr int settings_column = 1;
  const auto page = page_of_control(setting);
  if (page && *page != frame.session.view) frame.emit(SetView{*page});
  frame.screen.column = page ? 0 : settings_column;
  frame.screen.show_inspector = false;
  frame.screen.has_controls(frame.lesson != nullptr) = true;
  frame.ui.reveal(setting.sentence);
}

void execute(Frame& frame, const PaletteEntry& entry) {
  const Overloaded how{
      [&](int command) { frame.emit(static_cast<CommandId>(command)); },
      [&](const std::vector<Action>& actions) { frame.emit(actions); },
      [&](const Setting* setting) { go_to_control(frame, *setting); },
      [&](const std::string& lesson) { frame.send(OpenLesson{lesson}); },
  };
  std::visit(how, entry.effect);
}

}  // namespace

void palette_sheet(Frame& frame) {
  PaletteForm& form = frame.screen.palette;
  if (!form.open || !form.palette) return;
  const Sheet sheet(frame.ui, "palette", form.open, 680.0F);
  const SearchFieldResult typed = search_field(
      frame.ui, "palette", form.typed, "Find a command, page, lesson, stage, head, token, model or setting");
  if (typed.edited) {
    form.found = form.palette->find(form.typed);
    form.selected = 0;
  }
  const auto row_of = [&](std::size_t i) {
    const Palette::Found& found = form.found[i];
    return SearchRow{found.entry.name, found.marked, found.entry.about, found.entry.kind,
                     found.entry.shortcut};
  };
  const auto chosen = search_list(frame.ui, form.found.size(), row_of, typed, form.selected);
  const auto selected = static_cast<std::size_t>(form.selected);
  const bool is_term = selected < form.found.size() && form.found[selected].entry.kind == term_kind;
  text(frame.ui,
       is_term ? form.found[selected].entry.about
               : "↑ ↓ choose · Enter runs it · Esc closes · “1.2” is layer 1, head 2",
       Font::sans, text_size::small, is_term ? frame.ui.theme().text : frame.ui.theme().quiet);
  if (!chosen) return;
  const PaletteEntry& entry = form.found[*chosen].entry;
  // An entry that can do nothing says why, and stays in sight.
  const auto* actions = std::get_if<std::vector<Action>>(&entry.effect);
  if (actions != nullptr && actions->empty()) return;
  execute(frame, entry);
  form.open = false;
}

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
  static const auto names = measures_after("Weights from one word to another", &MeasureRecord::title);
  static const auto meanings = measures_after(
      "The largest weight that the first word gives to the second one", &MeasureRecord::meaning);
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
  paragraph(frame.ui, count_text(result.n_matches, "sentence") + " of " + grouped(result.n_sentences) +
                          (result.n_matches == 1 ? " has it" : " have it") +
                          (result.found.empty() ? "." : ". The first:") +
                          (result.problem.empty() ? "" : " Some could not be read: " + result.problem + "."));
  constexpr std::size_t max_letters = 72;
  for (const Finding& each : result.found) {
    const std::string label = page_number(frame.session.picture, each.value) + "  " +
                              quoted_word(each.query_token) + " → " + quoted_word(each.key_token) + "  " +
                              truncated(each.sentence, max_letters) + "###" + std::to_string(each.line);
    if (!link(frame.ui, label.c_str(), "Show this sentence, with this word selected", text_size::body))
      continue;
    frame.emit(SetSentence{each.sentence, std::nullopt});
    frame.emit(open_head({question.criteria.head.layer, question.criteria.head.head}));
    frame.emit(SelectToken{each.query});
    form.open = false;
  }
}

void outcome(Frame& frame) {
  SearchForm& form = frame.screen.search;
  if (!form.question) return;
  const SearchQuestion& question = *form.question;
  ResultCache& results = frame.screen.memo.results;
  const auto* found = results.get(question, frame.execute);
  if (found == nullptr) {
    progress_text(frame, results.share_of(question).value_or(0.0), "the sentences");
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

/// Lists folders in place of the search.
void choose_file(Frame& frame) {
  SearchForm& form = frame.screen.search;
  const FolderChoice choice = folder_list(frame.ui, form.listing, true);
  if (!choice.folder.empty()) form.folder = choice.folder;
  if (!choice.file.empty()) form.file = choice.file;
  if (button(frame.ui, "Cancel", "Back to the search") || !choice.file.empty()) form.chooses_file = false;
}

}  // namespace

void search_sheet(Frame& frame) {
  SearchForm& form = frame.screen.search;
  if (!form.open) return;
  const Sheet sheet(frame.ui, "search", form.open, 760.0F, 560.0F);
  const SearchCriteria criteria = search_target(frame);
  text(frame.ui, "Search sentences", Font::sans_bold, text_size::title, frame.ui.theme().text);
  if (frame.trace) {
    paragraph(
        frame.ui,
        "Finds the sentences in which " + head_text(*frame.trace, criteria.head) +
            " looks most in one way: in a text file with a sentence on each line or, without one, in 200 that the program makes.",
        frame.ui.theme().quiet, text_size::body);
  }
  if (form.chooses_file) return choose_file(frame);
  const bool in_file = text_field(frame.ui, "file", form.file, "200 sentences of the program",
                                  "A text file with one sentence on each line; ~ is your home folder");
  if (button(frame.ui, "Browse…", "Lists folders, to choose a text file")) form.chooses_file = true;
  const bool in_words = target_picker(frame);
  const bool asks = button(frame.ui, "Search", "Computes every sentence up to the layer of the head", "Enter",
                           ButtonStyle::primary);
  if (asks || in_file || in_words || sheet.confirmed()) {
    if (form.question) frame.screen.memo.results.drop(*form.question);
    form.question = SearchQuestion{request_of(frame.session), criteria,
                                   form.file.empty() ? "" : path_from_typed(form.file).string()};
  }
  outcome(frame);
}

}  // namespace headscope
