#include "core/palette/palette.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/engine/opening.h"
#include "core/overloaded.h"
#include "core/palette/glossary.h"
#include "core/session/presets.h"
#include "core/session/setting_change.h"
#include "core/session/setting_value.h"
#include "core/session/settings.h"
#include "core/tasks/task.h"
#include "core/text/number_text.h"
#include "core/textbook/worked_examples.h"

namespace headscope {
namespace {

using Entries = std::vector<PaletteEntry>;

constexpr const char* starting_point = "Starting point";
/// What they lose against other answers to a query.
constexpr double score_of_starting_points = 20.0;

void add_terms(Entries& entries) {
  for (const Term& term : glossary()) {
    PaletteEffect shows = std::vector<Action>{SetView{term.page}};
    if (!term.lesson.empty()) shows = std::string(term.lesson);
    entries.push_back({.name = std::string(term.name),
                       .keywords = "glossary term word meaning what is " + std::string(term.keywords),
                       .about = std::string(term.meaning),
                       .kind = term_kind,
                       .effect = std::move(shows)});
  }
}

void add_stages(const std::vector<StageKind>& stages, Entries& entries) {
  for (const StageKind kind : stages) {
    const StageInfo& stage = info(kind);
    entries.push_back({.name = std::string(stage.title),
                       .keywords = std::string(stage.name) + " " + std::string(stage.symbol),
                       .about = std::string(stage.symbol),
                       .kind = stage.is_parameter() ? "Weights" : "Stage",
                       .effect = std::vector<Action>{select_stage(kind)}});
  }
}

/// Adds every head of the selected stack and attention.
void add_heads(const Session& session, Entries& entries) {
  const Architecture& a = session.architecture;
  const Selection& at = session.selection;
  for (int layer = 0; layer < a.layers_of(at.stack); ++layer) {
    for (int head = 0; head < a.n_heads; ++head) {
      const bool is_selected = layer == at.layer && head == at.head;
      std::vector<Action> select;
      if (layer != at.layer) select.emplace_back(select_place(at.stack, layer, at.attention));
      select.emplace_back(select_head(head));
      const std::string number = std::to_string(layer) + "." + std::to_string(head);
      entries.push_back({.name = "Layer " + std::to_string(layer) + ", head " + std::to_string(head),
                         .keywords = number,
                         .about = is_selected ? "selected" : number,
                         .kind = "Head",
                         .effect = std::move(select)});
    }
  }
}

void add_tokens(const Session& session, Entries& entries) {
  const Texts texts = texts_of(session);
  const bool is_target = session.architecture.has_cross() && session.selection.stack == Stack::decoder;
  const std::vector<Token>& tokens = is_target ? texts.target() : texts.sentence();
  constexpr std::size_t max_tokens = 2000;
  for (std::size_t i = 0; i < std::min(tokens.size(), max_tokens); ++i) {
    entries.push_back({.name = display_word(tokens[i].text),
                       .about = "token " + std::to_string(i),
                       .kind = "Token",
                       .effect = std::vector<Action>{SelectToken{static_cast<int>(i)}}});
  }
}

std::string title_of(const TrainedModel& model) {
  const auto kind = parse_task_name(model.task);
  if (!kind) return model.name;
  const std::string title(task(*kind).title());
  return model.name.empty() || model.name == model.task ? title : title + " from " + model.name;
}

void add_models(const std::vector<ModelRef>& models, Entries& entries) {
  for (const ModelRef& model : models) {
    entries.push_back({.name = title_of(*model),
                       .keywords = "recent",
                       .about = count_text(model->steps, "training step"),
                       .kind = "Recent model",
                       .effect = std::vector<Action>{opening_action(model)}});
  }
}

void add_examples(const Session& session, Entries& entries) {
  if (const auto kind = parse_task_name(session.task)) {
    for (const std::string& sentence : task(*kind).example_sentences())
      entries.push_back({.name = sentence,
                         .keywords = "example",
                         .kind = "Example",
                         .effect = actions_to_show_example(session, sentence)});
  }
  for (const Preset& preset : presets()) {
    entries.push_back(
        {.name = preset.name,
         .keywords = "preset " + preset.document +
                     (preset.session.given.empty() ? "" : " my own numbers Q K V matrix by hand 2x2 3x3"),
         .about = preset.summary,
         .kind = starting_point,
         .effect = std::vector<Action>{load_preset(preset.name)}});
  }
}

/// A value of a setting, with the action that sets it.
struct SettingValue {
  std::string text;              ///< "causal", "on", "0.5"
  std::optional<Action> action;  ///< Empty if the setting already has this value or cannot have it.
  std::string refusal = {};      ///< Why the setting cannot have the value.
};

constexpr int digits = 6;

/// A value with the action that gives it to the setting.
SettingValue value_that(const Setting& setting, std::string text, const SettingInput& input,
                        const Session& session) {
  const SettingChange change{setting.key, input};
  const auto changed = with_changes(session, std::span(&change, 1));
  if (!changed) return {std::move(text), std::nullopt, changed.error().message};
  if (same_setting(setting, session, *changed)) return {std::move(text), std::nullopt};
  return {std::move(text), ChangeSettings{{change}}};
}

/// The name of a setting as a title: "temperature". If several settings share it, such as the masks of the
/// three kinds of attention, all but the first add their option.
std::string title_of(const Setting& setting) {
  constexpr std::string_view article = "the ";
  std::string_view name = setting.name;
  if (name.starts_with(article)) name.remove_prefix(article.size());
  std::string title(name);
  const auto* const first = std::ranges::find(all_settings, setting.name, &Setting::name);
  if (first == all_settings.end() || first->key == setting.key || setting.option.empty()) return title;
  std::string option(setting.option.substr(std::min<std::size_t>(2, setting.option.size())));
  std::ranges::replace(option, '-', ' ');
  return title + " (" + option + ")";
}

/// The present value of a setting as readable text. A number of steps beyond every text means all.
std::string shown_value(const Setting& setting, const Session& session) {
  const auto* whole = std::get_if<field::Integer>(&setting.field);
  if (whole != nullptr && whole->high >= max_decoding_step && whole->value.read(session) == whole->high)
    return "all";
  const nlohmann::json value = value_of(setting, session);
  return value.is_number_float() ? number_text(value.get<double>(), digits) : value_text(setting, session);
}

/// The values of a switch or a choice, in order. Empty for other settings.
std::vector<SettingValue> values_of(const Setting& setting, const Session& session) {
  std::vector<SettingValue> values;
  const auto add = [&](std::string_view text, const SettingInput& input) {
    values.push_back(value_that(setting, std::string(text), input, session));
  };
  const Overloaded kinds{
      [&](const field::Flag&) {
        add("on", true);
        add("off", false);
      },
      [&](const field::NamedFlag& flag) {
        add(flag.on, true);
        add(flag.off, false);
      },
      [&](const field::Choice& choice) {
        for (const std::string_view name : choice.names) add(name, std::string(name));
      },
      [](const auto&) {},
  };
  std::visit(kinds, setting.field);
  // How texts are read depends on the model: a value that only another one can have changes nothing, and is
  // not offered. That does not depend on the texts, and reading a long one takes time.
  if (setting.group != input_group) return values;
  Session without_texts = session;
  without_texts.sentence.clear();
  without_texts.target.clear();
  without_texts.batch.clear();
  without_texts.compared.clear();
  without_texts = reduce(without_texts, OpenSession{without_texts});
  std::erase_if(values, [&](const SettingValue& value) {
    return value.action && reduce(without_texts, *value.action) == without_texts;
  });
  return values;
}

/// Whether the setting takes a number.
bool accepts_number(const Setting& setting) {
  const Overloaded kinds{
      [](const field::Integer&) { return true; }, [](const field::OptionalInteger&) { return true; },
      [](const field::Seed&) { return true; },    [](const field::Real&) { return true; },
      [](const field::Bound&) { return true; },   [](const auto&) { return false; },
  };
  return std::visit(kinds, setting.field);
}

/// The value for a number. Empty if the setting does not accept it: it is out of range or has a fraction.
std::optional<SettingValue> number_value(const Setting& setting, double number, const Session& session) {
  Session given = session;
  const nlohmann::json value =
      is_whole(number) ? nlohmann::json(static_cast<std::int64_t>(number)) : nlohmann::json(number);
  if (!accepts_number(setting) || assign_value(setting, value, given)) return std::nullopt;
  return value_that(setting, value.is_number_integer() ? value.dump() : number_text(number, digits), number,
                    session);
}

/// The page that shows the effect of a setting. Empty if other pages show it, too.
std::optional<PageName> page_of(const Setting& setting) {
  if (setting.key.starts_with("heads.")) return PageName::heads;
  if (setting.key.starts_with("lines.")) return PageName::lines;
  if (setting.key.starts_with("tiles.")) return PageName::tiles;
  if (setting.key.starts_with("decoding.")) return PageName::decoding;
  if (setting.key.starts_with("textbook")) return PageName::textbooks;
  return std::nullopt;
}

/// Whether a setting has entries of another kind, as the page, the stage, the head and the token do.
bool is_listed_elsewhere(const Setting& setting) {
  return setting.group == place_group && !page_of(setting);
}

/// The actions that give a setting its value and show the page on which the effect is visible.
std::vector<Action> giving(const Setting& setting, const SettingValue& value, const Session& session) {
  std::vector<Action> actions;
  if (value.action) actions.push_back(*value.action);
  const std::optional<PageName> page = page_of(setting);
  if (page && *page != session.view) actions.emplace_back(SetView{*page});
  return actions;
}

/// Says what would change, or why nothing does.
std::string about_value(const SettingValue& value, const std::string& now) {
  if (!value.refusal.empty()) return value.refusal;
  return value.action ? "now " + now : "already set";
}

/// Whether the setting belongs to an attention mask that the model does not have.
bool has_no_place(const Setting& setting, const Session& session) {
  return !session.architecture.has_cross() && (setting.key.starts_with("attention.target_mask.") ||
                                               setting.key.starts_with("attention.cross_mask."));
}

/// What a setting is also found by: its key, its option, and the label of its control.
std::string words_for(const Setting& setting) {
  std::string words =
      std::string(setting.key) + " " + std::string(setting.option) + " " + std::string(setting.control.label);
  if (words.find("√") != std::string::npos) words += " sqrt square root";
  return words;
}

void add_setting(const Setting& setting, const Session& session, Entries& entries) {
  const std::string title = title_of(setting);
  const std::string words = words_for(setting);
  const std::vector<SettingValue> values = values_of(setting, session);
  if (values.empty() && !accepts_number(setting)) return;
  const std::string now = shown_value(setting, session);
  if (accepts_number(setting)) {
    entries.push_back({.name = title,
                       .keywords = words,
                       .about = now + " now; type another number after the name",
                       .kind = "Setting",
                       .effect = &setting,
                       .number = &setting});
  }
  for (const SettingValue& value : values) {
    entries.push_back({.name = title + ": " + value.text,
                       .keywords = words,
                       .about = about_value(value, now),
                       .kind = "Setting",
                       .effect = giving(setting, value, session)});
  }
}

void add_worked_examples(Entries& entries) {
  for (const WorkedExample& example : worked_examples()) {
    entries.push_back(
        {.name = example.heading,
         .keywords = "textbook " + example.name + " " + example.author + " " + example.title,
         .about = example.author + ", " + example.where,
         .kind = "Worked example",
         .effect = std::vector<Action>{set_to("textbook", example.name), SetView{PageName::textbooks}}});
  }
}

void add_settings(const Session& session, Entries& entries) {
  for (const Setting& setting : all_settings) {
    if (!is_listed_elsewhere(setting) && !has_no_place(setting, session) &&
        !is_fixed_by_capture(session, setting))
      add_setting(setting, session, entries);
  }
}

/// The words that a question asks for: "what is a token?" gives "token". Other queries stay as they are.
std::string_view without_question(std::string_view query) {
  while (query.ends_with('?') || query.ends_with(' ')) query.remove_suffix(1);
  for (const std::string_view beginning : {"what is ", "What is ", "what are ", "What are "}) {
    if (!query.starts_with(beginning)) continue;
    query.remove_prefix(beginning.size());
    for (const std::string_view article : {"a ", "an ", "the "})
      if (query.starts_with(article)) query.remove_prefix(article.size());
  }
  return query;
}

/// The number that a query ends in, and the words before it.
std::optional<std::pair<std::string_view, double>> words_and_number(std::string_view query) {
  while (query.ends_with(' ')) query.remove_suffix(1);
  const std::size_t space = query.rfind(' ');
  if (space == std::string_view::npos) return std::nullopt;
  double number = 0.0;
  const char* const end = query.data() + query.size();
  const auto read = std::from_chars(query.data() + space + 1, end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return std::pair(query.substr(0, space), number);
}

/// The entry that gives a setting the number that was typed. Empty if the entry has no setting that takes the
/// number.
std::optional<PaletteEntry> with_number(const PaletteEntry& entry, double number, const Session& session) {
  if (entry.number == nullptr) return std::nullopt;
  const auto value = number_value(*entry.number, number, session);
  if (!value) return std::nullopt;
  PaletteEntry made = entry;
  made.name += ": " + value->text;
  made.about = about_value(*value, shown_value(*entry.number, session));
  made.effect = giving(*entry.number, *value, session);
  made.number = nullptr;
  return made;
}

}  // namespace

Palette::Palette(const Session& session, std::vector<PaletteEntry> given,
                 const std::vector<StageKind>& stages, const std::vector<ModelRef>& models)
    : session_(session), entries_(std::move(given)) {
  add_stages(stages, entries_);
  add_terms(entries_);
  add_tokens(session, entries_);
  add_heads(session, entries_);
  add_models(models, entries_);
  add_examples(session, entries_);
  add_worked_examples(entries_);
  add_settings(session, entries_);
}

std::vector<Palette::Found> Palette::find(std::string_view query) const {
  constexpr std::size_t longest_query = 512;  // No entry has this many letters.
  if (query.size() > longest_query) return {};
  query = without_question(query);
  std::vector<std::pair<double, Found>> ranked;
  const auto number = words_and_number(query);
  for (const PaletteEntry& entry : entries_) {
    // What takes the place of the model comes after what does not.
    const double behind = !query.empty() && entry.kind == starting_point ? score_of_starting_points : 0.0;
    if (auto answer = match(query, entry.name, entry.keywords))
      ranked.emplace_back(answer->score - behind, Found{entry, std::move(answer->marked)});
    if (!number) continue;
    auto answer = match(number->first, entry.name, entry.keywords);
    if (!answer) continue;
    if (auto made = with_number(entry, number->second, session_))
      ranked.emplace_back(answer->score, Found{std::move(*made), std::move(answer->marked)});
  }
  std::ranges::stable_sort(ranked, std::ranges::greater{}, &std::pair<double, Found>::first);
  const bool has_better = !ranked.empty() && ranked.front().first > shortened_score;
  std::vector<Found> found;
  found.reserve(ranked.size());
  for (auto& [score, one] : ranked) {
    if (!has_better || score > shortened_score) found.push_back(std::move(one));
  }
  return found;
}

}  // namespace headscope
