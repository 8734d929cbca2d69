#include <algorithm>

#include "app/parts/model_controls.h"
#include "app/parts/step_player.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/engine/opening.h"
#include "core/page/parts/answers.h"
#include "core/session/settings.h"
#include "core/tasks/task.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

/// The facts to the right of the sentence: the number of tokens and the time of the pass.
struct Facts {
  std::string tokens, below;
  Color tokens_color, below_color;
  Font below_font = Font::sans;
  bool is_warning = false;
  std::string why = {};   ///< the tooltip of what is below
  std::string said = {};  ///< what is below, in a sentence, which replaces it where the field has space
};

int longest_shown(const Trace& trace) {
  return static_cast<int>(std::max(trace.tokens(Stack::encoder).size(), trace.tokens(Stack::decoder).size()));
}

/// The number of tokens, "11 tokens", with the limit when it is near.
std::string token_count(const Frame& frame) {
  const Trace& trace = *frame.trace;
  const int n = trace.n_sentence_tokens();
  if (trace.architecture().has_cross() && n <= longest_shown(trace)) {
    const auto count = [&](Stack stack) { return grouped(static_cast<int>(trace.tokens(stack).size())); };
    return count(Stack::encoder) + " + " + count(Stack::decoder) + " tokens";
  }
  std::string label = grouped(n) + (n == 1 ? " token" : " tokens");
  constexpr int near_the_limit = 4;
  if (frame.max_tokens > 0 && n > frame.max_tokens / near_the_limit)
    label += " of at most " + grouped(frame.max_tokens);
  return label;
}

Facts facts_of(const Frame& frame) {
  const Theme& theme = frame.ui.theme();
  const int shown = longest_shown(*frame.trace);
  if (frame.trace->n_sentence_tokens() > shown) {
    return {token_count(frame), "the first " + grouped(shown) + " are shown",
            theme.warning,      theme.warning,
            Font::sans,         true};
  }
  std::string time = frame.computing ? "computing…" : "";
  if (frame.opening > 0.0)
    time = "opening: " + std::to_string(static_cast<int>(100.0 * frame.opening)) + " %";
  if (time.empty() && frame.session.picture.details)
    time = number_text(frame.trace->milliseconds(), 2) + " ms";
  if (time.empty() && frame.trace_model) {
    const WordCount words = count_words(*frame.trace, *frame.trace_model);
    if (words.unknown > 0) {
      return {token_count(frame),
              grouped(words.unknown) + " unknown",
              theme.quiet,
              theme.warning,
              Font::sans,
              false,
              unknown_words_text(*frame.trace, *frame.trace_model),
              grouped(words.unknown) + " of " + count_text(words.all, "word") +
                  " unknown: this model knows only English"};
    }
  }
  return {token_count(frame), time, theme.quiet, theme.quiet, Font::mono};
}

/// Whether the session shows captured attention, whose text cannot be changed.
bool has_own_text(const Session& session) {
  return session.model && session.model->is_capture();
}

/// The labels of the buttons for the sentences of a batch.
struct BatchLabels {
  std::string place, remove, add;  ///< empty if there is one sentence
};

BatchLabels batch_labels(const Session& session, bool is_narrow) {
  const auto n = session.batch.size();
  const std::string place = std::to_string(session.sequence + 1) + " of " + std::to_string(n);
  if (n == 0) return {};
  if (is_narrow) return {place, "×", "+"};
  return {"sentence " + place, "remove", "+ sentence"};
}

constexpr float between_buttons = 2.0F;

/// The width of batch_controls() in ImGui pixels.
float batch_width(const Ui& ui, const BatchLabels& labels) {
  float width = 0.0F;
  const auto add = [&](const std::string& label) {
    constexpr float around = 24.0F + between_buttons;
    width += (ui.measure()(label, Font::sans, text_size::body).width + around) * ui.scale();
  };
  if (labels.place.empty()) return width;
  for (const std::string& label :
       {std::string("‹"), labels.place, std::string("›"), labels.remove, labels.add})
    add(label);
  return width;
}

constexpr const char* examples_label = "Examples ▾";

/// The menu of sentences that the model was trained for, with a link to everything that it knows.
void example_menu(Frame& frame) {
  const auto kind = parse_task_name(frame.session.task);
  if (!kind) return;
  std::vector<std::string> entries;
  for (const std::string& sentence : task(*kind).example_sentences()) entries.push_back(sentence);
  const auto all_it_knows = static_cast<int>(entries.size());
  entries.emplace_back("All it knows…");
  const auto chosen = menu(frame.ui, examples_label, entries, "Sentences that the model was trained for");
  if (!chosen) return;
  if (*chosen == all_it_knows) return frame.emit(CommandId::known_words);
  frame.emit(actions_to_show_example(frame.session, entries[static_cast<std::size_t>(*chosen)]));
}

/// The place of the shown sentence among several: "‹ sentence 2 of 8 › remove".
void place_in_batch(Frame& frame, const BatchLabels& labels) {
  const Session& session = frame.session;
  const int n = static_cast<int>(session.batch.size());
  const float gap = frame.ui.px(between_buttons);
  const auto quiet = [&](const std::string& label, const std::string& meaning) {
    const bool clicked = button(frame.ui, label.c_str(), meaning.c_str(), "", ButtonStyle::quiet);
    ImGui::SameLine(0.0F, gap);
    return clicked;
  };
  if (quiet("‹", "Previous sentence")) frame.emit(set_to("sequence", (session.sequence + n - 1) % n));
  if (quiet(labels.place + "##batch",
            "The sentence shown, at batch index " + std::to_string(session.sequence))) {
    frame.emit(set_to("sequence", (session.sequence + 1) % n));
  }
  if (quiet("›", "Next sentence")) frame.emit(set_to("sequence", (session.sequence + 1) % n));
  if (quiet(labels.remove + "##batch", "Remove this sentence from the batch")) {
    std::vector<std::string> fewer = session.batch;
    fewer.erase(fewer.begin() + session.sequence);
    if (fewer.size() == 1) fewer.clear();
    frame.emit(SetBatch{fewer});
  }
}

void batch_controls(Frame& frame, const BatchLabels& labels) {
  if (labels.place.empty()) return;
  place_in_batch(frame, labels);
  command_button(frame, (labels.add + "##more").c_str(), "Adds a sentence to the batch",
                 CommandId::add_sentence, ButtonStyle::quiet);
}

constexpr float one_line = 32.0F;
constexpr float target_line = 44.0F;
constexpr float narrow_bar = 720.0F;       ///< below this width, buttons have short names
constexpr float min_field_width = 220.0F;  ///< the facts are left out before the field gets narrower

constexpr float caption_width = 52.0F;  ///< "Source", "Target"

/// The caption of one of two fields, centred vertically.
void caption(Frame& frame, ImVec2 at, const char* name) {
  const Ui& ui = frame.ui;
  ImGui::SetCursorPos({at.x, at.y + ui.px(9.0F)});
  text(frame.ui, name, Font::sans, text_size::control, ui.theme().quiet);
}

/// The span of the hovered token in the text of a stack's field.
TextSpan hovered_span(const Frame& frame, Stack stack, const std::string& typed) {
  std::optional<int> hovered = frame.screen.hovered_token;
  const auto& cell = frame.screen.hovered;
  if (!hovered && cell && info(cell->stage.kind).rows == Axis::query_tokens) hovered = cell->row;
  const bool is_of_stack = !frame.session.architecture.has_cross() || frame.session.selection.stack == stack;
  if (!hovered || !frame.trace || !is_of_stack) return {};
  const std::vector<Token>& tokens = frame.trace->tokens(stack);
  if (*hovered < 0 || *hovered >= static_cast<int>(tokens.size())) return {};
  const Token& token = tokens[static_cast<std::size_t>(*hovered)];
  // The pass may still be that of the previous text.
  const bool is_unchanged =
      token.span.end <= typed.size() && typed.compare(token.span.begin, token.text.size(), token.text) == 0;
  return is_unchanged ? token.span : TextSpan{};
}

void target_field(Frame& frame, ImVec2 at, float width) {
  caption(frame, at, "Target");
  ImGui::SetCursorPos({at.x + frame.ui.px(caption_width), at.y});
  std::string target = frame.target;
  SentenceFieldOptions options;
  options.width = width;
  options.hint = "Type the decoder's sentence";
  options.read_only = has_own_text(frame.session);
  options.underlined = hovered_span(frame, Stack::decoder, target);
  if (sentence_field(frame.ui, "##target", target, options)) frame.emit(SetTarget{target});
  leave_field(frame.ui, frame.screen.focus_sentence);
}

float width_of(const Facts& facts, const Ui& ui) {
  const float words = std::max(ui.measure()(facts.tokens, Font::sans, text_size::small).width,
                               ui.measure()(facts.below, facts.below_font, text_size::small).width);
  // Its neighbours must not move when the time of a pass gains a digit, or a word becomes unknown.
  constexpr float least = 84.0F;
  return std::max(words, least) * ui.scale();
}

/// Writes what is to be said of the sentence at the end of its field, behind the sentence. Returns false if
/// there is nothing to be said, or no space.
bool say_in_field(const Frame& frame, const Facts& facts, ImVec2 start, float width) {
  constexpr float apart = 24.0F;
  const Ui& ui = frame.ui;
  const float sentence = ui.measure()(frame.sentence, Font::sans, text_size::sentence).width;
  const float said = ui.measure()(facts.said, Font::sans, text_size::small).width;
  if (facts.said.empty() || ui.px(sentence + said + 2.0F * apart) > width) return false;
  const ImVec2 corner = ImGui::GetWindowPos();
  constexpr float middle = 18.0F;
  paint::text(ui, *ImGui::GetWindowDrawList(), corner.x + start.x + width - ui.px(8.0F),
              corner.y + start.y + ui.px(middle), facts.said, Font::sans, text_size::small,
              ui.theme().warning, paint::Align::right);
  return true;
}

void draw_facts(Frame& frame, const Facts& facts, ImVec2 start, float width) {
  const Ui& ui = frame.ui;
  const auto right_aligned = [&](const std::string& label, Font font, Color color, float y) {
    const float label_width = ui.measure()(label, font, text_size::small).width * ui.scale();
    ImGui::SetCursorPos({start.x + width - label_width, start.y + ui.px(y)});
    text(frame.ui, label, font, text_size::small, color);
  };
  const float first_line = facts.below.empty() ? 8.0F : 0.0F;
  constexpr float second_line = 17.0F;
  right_aligned(facts.tokens, Font::sans, facts.tokens_color, first_line);
  right_aligned(facts.below, facts.below_font, facts.below_color, second_line);
  if (!facts.why.empty()) tooltip_for_item(frame.ui, facts.why.c_str());
}

/// The height of the fields in design units.
float fields_height(const Session& session) {
  return one_line + (session.architecture.has_cross() ? target_line : 0.0F);
}

}  // namespace

float sentence_bar_height(const Frame& frame) {
  return frame.ui.px(fields_height(frame.session) + (has_time_line(frame) ? time_line_height : 0.0F) +
                     2.0F * panel_padding(frame.ui));
}

void sentence_bar(Frame& frame) {
  const Ui& ui = frame.ui;
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 start = ImGui::GetCursorPos();
  const bool has_target = frame.session.architecture.has_cross();
  const float before = has_target ? ui.px(caption_width) : 0.0F;
  const BatchLabels labels = batch_labels(frame.session, width < ui.px(narrow_bar));
  Facts facts = frame.trace ? facts_of(frame) : Facts{};
  const float facts_width = width_of(facts, ui);
  const float examples = parse_task_name(frame.session.task) ? button_width(ui, examples_label) : 0.0F;
  const bool takes_sentences = !has_own_text(frame.session);
  const float model_width = width < ui.px(narrow_bar) ? 120.0F : 184.0F;
  const bool has_models = has_models_in_bar(ui);
  const float model = has_models ? ui.px(model_width) : 0.0F;
  const bool has_settings = width >= ui.px(narrow_bar);
  constexpr const char* widest_settings = "Settings · 88";
  const float settings = has_settings ? button_width(ui, widest_settings) + ui.px(between_buttons) : 0.0F;
  const float room = width - before - settings - (takes_sentences ? batch_width(ui, labels) : 0.0F) -
                     examples - model - ui.px(24.0F);
  const bool shows_facts = facts.is_warning || room - facts_width >= ui.px(min_field_width);
  const float field = std::max(room - (shows_facts ? facts_width : 0.0F), ui.px(40.0F));
  std::string sentence = frame.sentence;
  SentenceFieldOptions options;
  options.width = field;
  options.take_focus = frame.screen.focus_sentence;
  options.selects_all = frame.screen.replaces_sentence;
  options.read_only = has_own_text(frame.session);
  options.underlined = hovered_span(frame, frame.session.architecture.first_stack(), sentence);
  frame.screen.focus_sentence = false;
  if (has_target) caption(frame, start, "Source");
  ImGui::SetCursorPos({start.x + before, start.y});
  if (sentence_field(frame.ui, "##sentence", sentence, options)) frame.emit(SetSentence{sentence});
  if (ImGui::IsItemActive()) frame.screen.replaces_sentence = false;
  leave_field(frame.ui, frame.screen.focus_bar);
  if (has_target) target_field(frame, {start.x, start.y + ui.px(target_line)}, field);
  ImGui::SetCursorPos({start.x + before + field + ui.px(8.0F), start.y + ui.px(2.0F)});
  if (has_models) model_menu(frame, model);
  ImGui::SetCursorPos({start.x + before + field + model + ui.px(16.0F), start.y + ui.px(2.0F)});
  if (has_settings) {
    const std::size_t n_changed = n_changed_settings(frame);
    const std::string label =
        (n_changed == 0 ? "Settings" : "Settings · " + std::to_string(n_changed)) + "###all settings";
    const std::string tooltip =
        n_changed == 0 ? "Sizes, masks, positions, training and how the picture looks"
                       : count_text(n_changed, "setting") + " changed since the model was opened";
    command_button(frame, label.c_str(), tooltip, CommandId::toggle_controls, ButtonStyle::quiet,
                   button_width(ui, widest_settings));
    ImGui::SameLine(0.0F, ui.px(between_buttons));
  }
  if (examples > 0.0F) {
    example_menu(frame);
    ImGui::SameLine(0.0F, ui.px(between_buttons));
  }
  if (takes_sentences) batch_controls(frame, labels);
  if (say_in_field(frame, facts, {start.x + before, start.y}, field)) facts.below.clear();
  if (frame.trace && shows_facts) draw_facts(frame, facts, start, width);
  if (!has_time_line(frame)) return;
  ImGui::SetCursorPos({start.x, start.y + ui.px(fields_height(frame.session) + 1.5F * panel_gap)});
  time_line(frame);
}

}  // namespace headscope
