#include "app/cli/stage_options.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "app/cli/command_options.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "app/cli/set_option.h"
#include "core/io/matrix_text.h"
#include "core/model/graph.h"
#include "core/model/trained_model.h"
#include "core/page/page_record.h"
#include "core/session/placed.h"
#include "core/session/repair.h"
#include "core/session/shown_figure.h"
#include "core/split_text.h"
#include "core/text/letters.h"
#include "core/trace/lens_names.h"

namespace headscope {
namespace {

using Text = CommandOptions::Text;

/// The tokens that a text names, by their lookup text or as shown; “it” also names “ it”.
std::vector<int> occurrences(const std::vector<Token>& tokens, const std::string& text, TokenizerKind kind) {
  const auto wanted = tokenize(text, kind);
  std::vector<int> found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_word = wanted.size() == 1 && tokens[i].lookup == wanted.front().lookup;
    if (is_word || trimmed(tokens[i].text) == trimmed(text)) found.push_back(static_cast<int>(i));
  }
  return found;
}

tl::unexpected<Error> unknown_token(const char* option, const std::string& given,
                                    const std::vector<Token>& tokens) {
  constexpr std::size_t max_listed = 60;
  std::string list;
  for (std::size_t i = 0; i < std::min(tokens.size(), max_listed); ++i) {
    list += (i == 0 ? "" : ", ") + std::to_string(i) + " " + tokens[i].text;
  }
  if (tokens.size() > max_listed) list += ", … " + std::to_string(tokens.size() - 1);
  return invalid_value(option, given, "there is no such token; the tokens are " + list);
}

/// Whether the tokens along an axis of a stage are those of the target, rather than of the source.
bool is_of_target(const Architecture& a, const StageId& id, Axis axis) {
  const bool ends_model = info(id.kind).scope == StageScope::model;
  const bool reads_encoder = axis == Axis::key_tokens && id.attention == AttentionKind::cross;
  return a.has_cross() && !reads_encoder && (ends_model || id.stack == Stack::decoder);
}

int token_index(const char* option, const std::string& given, const Session& session, const StageId& id,
                Axis axis) {
  const bool of_target = is_of_target(session.architecture, id, axis);
  const Texts texts = texts_of(session);
  const std::vector<Token>& tokens = of_target ? texts.target() : texts.sentence();
  if (const auto whole = occurrences(tokens, given, session.tokenizer); !whole.empty()) return whole.front();
  const auto colon = given.rfind(':');
  const auto number =
      colon == std::string::npos ? std::nullopt : parse_int(std::string_view(given).substr(colon + 1));
  if (!number || *number < 0) refuse(unknown_token(option, given, tokens));
  const auto places = occurrences(tokens, given.substr(0, colon), session.tokenizer);
  if (places.empty()) refuse(unknown_token(option, given, tokens));
  if (static_cast<std::size_t>(*number) < places.size()) return places[static_cast<std::size_t>(*number)];
  refuse(invalid_value(option, given,
                       "“" + given.substr(0, colon) + "” occurs " +
                           (places.size() == 1 ? "once" : std::to_string(places.size()) + " times") +
                           ", counted from 0"));
}

/// The error for an option that names a token of a sentence without words.
tl::unexpected<Error> no_words(const char* option, const Session& session, bool of_target) {
  return invalid_value(of_target ? "--target" : "--sentence", of_target ? session.target : session.sentence,
                       std::string(of_target ? "the target" : "the sentence") + " has no words, and " +
                           option + " names one of its tokens: give at least one word");
}

/// The column of a predicted word. An unknown word stands for the placeholder that replaces it in the
/// sentence.
int word_index(const char* option, const std::string& given, const Session& session) {
  const std::vector<Token> wanted = tokenize(given, session.tokenizer);
  const std::string lookup = wanted.size() == 1 ? wanted.front().lookup : given;
  const std::vector<std::string> words = predicted_words(session);
  if (const auto found = std::ranges::find(words, lookup); found != words.end()) {
    return static_cast<int>(found - words.begin());
  }
  const auto is_shown = [&](const std::string& word) { return trimmed(word) == trimmed(given); };
  if (const auto found = std::ranges::find_if(words, is_shown); found != words.end())
    return static_cast<int>(found - words.begin());
  if (session.model) {
    std::vector<Token> tokens = texts_of(session).sentence();
    session.model->vocabulary.assign_ids(tokens);
    const auto token = std::ranges::find(tokens, lookup, &Token::lookup);
    if (token != tokens.end()) return token->id;
  }
  refuse(invalid_value(option, given,
                       "it is not one of the " + std::to_string(words.size()) +
                           " words that the model predicts; an index from 0 to " +
                           std::to_string(words.size() - 1) + " also works"));
}

}  // namespace

int index_along(const char* option, const CommandOptions::Text& given, const Session& session,
                const StageId& stage, Axis axis) {
  const int size = axis_size(session, stage, axis);
  const bool is_token = is_token_axis(axis);
  if (is_token && size == 0) {
    refuse(no_words(option, session, is_of_target(session.architecture, stage, axis)));
  }
  if (!given) {
    if (axis == Axis::single) return 0;
    const std::string indices = size == 1 ? "the index 0" : "an index from 0 to " + std::to_string(size - 1);
    refuse(usage_error(std::string(option) + " is missing: give " +
                       (is_token    ? "a token, or " + indices
                        : size == 0 ? "an index"
                                    : indices)));
  }
  const auto index = parse_int(*given);
  if (!index && is_token) return token_index(option, *given, session, stage, axis);
  // If the model does not have the stage, the pass reports why.
  const bool is_absent = size == 0 && axis != Axis::vocabulary;
  if (index && *index >= 0 && (*index < size || is_absent)) return *index;
  if (!index && axis == Axis::vocabulary && size > 0) return word_index(option, *given, session);
  const std::string range =
      size == 1 ? "it takes 0" : "it takes an index from 0 to " + std::to_string(size - 1);
  refuse(
      invalid_value(option, *given,
                    (size == 0 ? std::string("there are none") : range) + (is_token ? ", or a token" : "")));
}

int row_of(const CommandOptions& o, const Session& session, const StageId& stage) {
  return index_along("--row", o.text("--row"), session, stage, info(stage.kind).rows);
}

int column_of(const CommandOptions& o, const Session& session, const StageId& stage) {
  return index_along("--column", o.text("--column"), session, stage, info(stage.kind).cols);
}

namespace {

constexpr const char* cover_option = "--cover";

/// The stage whose cells are covered: the one named after an @, or the selected one.
StageId covered_stage(const std::string& given, const Session& session) {
  const std::size_t at = given.rfind('@');
  if (at == std::string::npos) return session.selection.at(session.selection.stage);
  const std::string named = given.substr(at + 1);
  if (const auto kind = parse_stage_kind(named)) return session.selection.at(*kind);
  if (const auto id = parse_path(named)) return *id;
  refuse(invalid_value(cover_option, given, "“" + named + "” is not a stage: “headscope info” lists them"));
}

/// Replaces each token of a list such as "it,3", or of a list of cells such as "it.animal,3.4", by its index.
std::string in_indices(std::string_view list, bool are_cells, Axis axis, const Session& session,
                       const StageId& stage) {
  std::string words;
  const auto index = [&](std::string_view token, Axis along) {
    return std::to_string(index_along(cover_option, std::string(token), session, stage, along));
  };
  for (const std::string_view item : split_text(list, ',')) {
    const std::size_t dot = item.find('.');
    if (are_cells && dot == std::string_view::npos)
      refuse(invalid_value(cover_option, item, "a cell is a row and a column, such as it.animal or 7.1"));
    words += words.empty() ? "" : ",";
    words += index(are_cells ? item.substr(0, dot) : item, axis);
    if (are_cells) words += "." + index(item.substr(dot + 1), info(stage.kind).cols);
  }
  return words;
}

/// Returns the value of --cover with indices in place of tokens, and with the path of its stage.
std::string cover_in_indices(const std::string& given, const Session& session) {
  const auto stage = covered_stage(given, session);
  std::string words;
  const std::string rules = given.substr(0, given.rfind('@'));
  for (const std::string_view rule : split_text(rules, '+')) {
    const std::size_t colon = std::min(rule.find(':'), rule.size());
    const std::string_view kind = rule.substr(0, colon);
    const std::string_view list = rule.substr(std::min(colon + 1, rule.size()));
    const bool are_cells = kind == "cells" || kind == "except";
    const Axis axis = kind == "columns" ? info(stage.kind).cols : info(stage.kind).rows;
    words += words.empty() ? "" : "+";
    words += are_cells || kind == "rows" || kind == "columns"
                 ? std::string(kind) + ":" + in_indices(list, are_cells, axis, session, stage)
                 : std::string(rule);
  }
  return words + "@" + path(stage);
}

/// Reads --cover, --answered and --solution into a session whose place has been selected. In --cover, tokens
/// may stand for indices, as in --row and --column. An error names a cell that the stage does not have, and
/// the cells that it has.
void read_cover_options(const CommandOptions& o, Session& session) {
  const Setting& cover = setting("cover.cells");
  const auto given = o.text(cover);
  if (given && *given == "none") session.cover = {};
  if (given && *given != "none") {
    const auto words = cover_in_indices(*given, session);
    parse_setting(cover, words, session);
    if (!valid_cover(session).stage)
      refuse(invalid_value(cover_option, *given,
                           "this model has no such stage, or none of its cells is covered"));
  }
  for (const Setting& each : {setting("cover.right"), setting("cover.solution")}) {
    const auto value = o.text(each);
    if (!value) continue;
    if (!session.cover.stage)
      refuse(usage_error(std::string(each.option) + " needs --cover: nothing is covered"));
    parse_setting(each, *value, session);
  }
  const Cover placed = valid_cover(session);
  if (placed.right != session.cover.right) {
    refuse(invalid_value("--answered", o.text(setting("cover.right")).value_or(""),
                         "only covered cells can be answered; cells count from 0"));
  }
}

/// The names of the stages and parameters that the session's model has, each with its title.
std::vector<std::pair<std::string, std::string>> named_stages(const Session& session) {
  const bool has_table = session.model || session.tokenizer == TokenizerKind::seed1;
  std::vector<std::pair<std::string, std::string>> found;
  for (const StageId& id : Graph(session.architecture, session.attention, has_table).stages()) {
    const std::string name(info(id.kind).name);
    if (std::ranges::find(found, name, &std::pair<std::string, std::string>::first) == found.end())
      found.emplace_back(name, to_lower_case(info(id.kind).title));
  }
  return found;
}

/// Asks about stages that the model has: the one that the last part of what was given names, or those spelled
/// like all of it or like that part or else, if there are none, the first whose titles hold it.
std::string did_you_mean_stage(const std::string& given, const Session& session) {
  const auto stages = named_stages(session);
  std::vector<std::string> names;
  for (const auto& stage : stages) names.push_back(stage.first);
  const std::string last = given.substr(given.rfind('.') + 1);
  for (const std::string& word : {parse_stage_kind(last) ? last : given, last})
    if (std::string asked = did_you_mean(word, names); !asked.empty()) return asked;
  constexpr std::size_t shortest = 3;
  constexpr std::size_t most = 4;
  std::vector<std::string_view> told;
  for (const auto& [name, title] : stages)
    if (last.size() >= shortest && told.size() < most && title.find(to_lower_case(last)) != std::string::npos)
      told.push_back(name);
  return told.empty() ? "" : "did you mean " + joined_with_or(told) + "?";
}

tl::unexpected<Error> unknown_stage(const std::string& given, const Session& session, const StageId& place) {
  if (given == "all") {
    return invalid_value("--stage", given,
                         "only a figure takes all stages; to trace them all, leave out --stage");
  }
  const std::string asked = did_you_mean_stage(given, session);
  if (!asked.empty())
    return invalid_value("--stage", given, asked + " “headscope info” lists the stages of the model");
  const auto stages = named_stages(session);
  std::vector<std::string_view> names;
  for (const auto& stage : stages) names.emplace_back(stage.first);
  return invalid_value("--stage", given,
                       "choose " + joined_with_or(names) + ", or a path such as " +
                           path(with_kind(place, StageKind::weights)));
}

/// The stage with this name at `place`, or the stage that a path or a TransformerLens name identifies. A path
/// gives those parts of the place on which the stage depends.
StageId named_stage(const std::string& given, const Session& session, StageId place) {
  if (const auto kind = parse_stage_kind(given)) {
    place.kind = *kind;
    return place;
  }
  const auto lens = parse_lens_name(session.architecture, given);
  const auto id = lens ? lens : parse_path(given);
  if (!id) refuse(unknown_stage(given, session, place));
  const StageScope scope = info(id->kind).scope;
  place.kind = id->kind;
  if (scope >= StageScope::stack) place.stack = id->stack;
  if (scope >= StageScope::layer) place.layer = id->layer;
  if (scope >= StageScope::attention) place.attention = id->attention;
  // A TransformerLens name stands for all heads.
  if (scope >= StageScope::head && !lens) place.head = id->head;
  return place;
}

std::string list_of_stacks(const Architecture& a) {
  return std::string("the model has only ") + (a.stacks == Stacks::encoder ? "an encoder" : "a decoder");
}

constexpr const char* where_cross_is =
    "cross-attention exists only in the decoder of --stacks encoder-decoder and --stacks cross";
constexpr const char* where_self_is = "--stacks cross is cross-attention alone, in the decoder";

/// Fails if the model does not have the place, and lists those that it has.
void check_place(const Architecture& a, const StageId& id) {
  const auto does_not_fit = [&id](const std::string& what_there_is) {
    refuse(usage_error("--stage " + path(id) + " is not valid: " + what_there_is));
  };
  const auto count_text = [](const char* what, int n) {
    return n == 1 ? std::string("there is only one ") + what + ", 0"
                  : std::string("the ") + what + "s are 0 to " + std::to_string(n - 1);
  };
  if (info(id.kind).scope >= StageScope::stack && !a.has(id.stack)) does_not_fit(list_of_stacks(a));
  const StageScope scope = info(id.kind).scope;
  if (id.attention == AttentionKind::cross && !a.has(id.stack, id.attention)) does_not_fit(where_cross_is);
  if (scope >= StageScope::attention && !a.has(id.stack, id.attention)) does_not_fit(where_self_is);
  if (scope >= StageScope::layer && a.layers_of(id.stack) == 0) does_not_fit(where_self_is);
  const int n_layers = scope >= StageScope::layer ? a.layers_of(id.stack) : a.n_layers;
  if (id.layer >= n_layers) does_not_fit(count_text("layer", n_layers));
  if (id.head >= a.n_heads) does_not_fit(count_text("head", a.n_heads));
}

/// The place that --stack, --layer and --attention name. A trained model's default is the place of the head
/// that learned most; if another stack or attention is named, its layer 0.
StageId place_of(const CommandOptions& o, const Session& session, bool keeps_selection) {
  const Architecture& a = session.architecture;
  const auto given_stack = o.text(setting("selection.stack"));
  const auto given_attention = o.text(setting("selection.attention"));
  StageId id{StageKind::weights};
  id.stack = a.has_self() ? a.first_stack() : Stack::decoder;
  if (!a.has_self()) id.attention = AttentionKind::cross;
  const bool has_own = session.model && !given_stack && !given_attention;
  if (has_own || keeps_selection) id = session.selection.at(StageKind::weights);
  if (given_attention) {
    id.attention = choice<AttentionKind>("--attention", *given_attention).value();
    if (id.attention == AttentionKind::self && !a.has_self()) {
      refuse(invalid_value("--attention", *given_attention, where_self_is));
    }
    const bool cross = id.attention == AttentionKind::cross;
    if (cross && !a.has_cross()) {
      refuse(invalid_value("--attention", *given_attention, where_cross_is + (", and " + list_of_stacks(a))));
    }
    if (cross) id.stack = Stack::decoder;
  }
  if (given_stack) {
    const auto stack = choice<Stack>("--stack", *given_stack).value();
    if (!a.has(stack)) refuse(invalid_value("--stack", *given_stack, list_of_stacks(a)));
    if (id.attention == AttentionKind::cross && stack == Stack::encoder) {
      refuse(invalid_value("--stack", *given_stack, "--attention cross exists only in the decoder"));
    }
    id.stack = stack;
  }
  if (const auto given = o.text(setting("selection.layer"))) {
    id.layer = parse_whole_number("--layer", *given, 0, a.layers_of(id.stack) - 1).value();
  }
  return id;
}

int head_of(const std::string& given, int n_heads) {
  const auto head = parse_int(given);
  if (head && *head >= 0 && *head < n_heads) return *head;
  const std::string heads =
      n_heads == 1 ? "this model has only head 0" : "the heads are 0 to " + std::to_string(n_heads - 1);
  refuse(invalid_value("--head", given, given == "all" ? "only a figure takes all heads: " + heads : heads));
}

/// The stage at its place, including the parts of the place that the stage does not depend on.
StageId placed_stage(const CommandOptions& o, const Text& stage, const Text& head, const Session& session,
                     bool keeps_selection) {
  const StageId place = place_of(o, session, keeps_selection);
  StageId id = place;
  if (keeps_selection) id.head = session.selection.head;
  if (stage) id = named_stage(*stage, session, place);
  if (head) {
    const int index = head_of(*head, session.architecture.n_heads);
    if (stage && stage->find(".heads.") != std::string::npos && id.head != index)
      refuse(usage_error("--stage " + *stage + " and --head " + *head + " name different heads"));
    id.head = index;
  }
  check_place(session.architecture, normalized(id));
  return id;
}

}  // namespace

StageId stage_id_of(const CommandOptions& o, const Session& session) {
  const Text stage = o.text(setting("selection.stage"));
  const Session selected = apply_selection_values(o.texts("--set"), session);
  const bool keeps_selection = o.scene || sets_selection(o.texts("--set"));
  StageId id = placed_stage(o, stage, o.text(setting("selection.head")), selected, keeps_selection);
  if (keeps_selection && !stage) id.kind = selected.selection.stage;
  return canonical(session.architecture, normalized(id));
}

namespace {

constexpr const char* all = "all";

/// The page that belongs to the preset of --preset. Empty if it has none, or if a stage is named.
std::optional<PageName> page_of_preset(const CommandOptions& o) {
  if (!o.has("--preset") || o.has(setting("selection.stage"))) return std::nullopt;
  const auto session = preset_session(*o.text("--preset"));
  return session && session->view != Session{}.view ? std::optional(session->view) : std::nullopt;
}

/// The page that --page names, or one of --stage all, --head all and --diagram.
PageName page_of(const CommandOptions& o) {
  const bool all_heads = o.text(setting("selection.head")) == all;
  const bool all_stages = o.text(setting("selection.stage")) == all;
  if (all_heads && all_stages) {
    refuse(usage_error(
        "--stage all and --head all cannot be combined: choose one stage of all heads, or all stages of one head"));
  }
  const auto page = o.text(setting("selection.view"));
  if (page && (all_heads || all_stages || o.is_on("--diagram"))) {
    refuse(usage_error("--page " + *page + " cannot be combined with " +
                       (o.is_on("--diagram") ? "--diagram"
                        : all_heads          ? "--head all"
                                             : "--stage all") +
                       ", which is a page of its own"));
  }
  if (page) {
    const PageName name = choice<PageName>("--page", *page).value();
    return is_view(name) ? name : PageName::explore;
  }
  if (o.is_on("--diagram")) return PageName::model;
  if (all_heads) return PageName::heads;
  return all_stages ? PageName::stages : page_of_preset(o).value_or(PageName::explore);
}

/// Reads the cell or token of a stage that --row and --column, --pin or --token name.
void read_marked(const CommandOptions& o, const StageId& stage, Session& session) {
  const StageInfo& about = info(stage.kind);
  const bool has_row = o.has("--row"), has_column = o.has("--column");
  if (has_column && !has_row && about.rows != Axis::single)
    refuse(usage_error("--column needs --row: together they name a cell, while a row alone names a token"));
  if (has_row && !has_column && !is_token_axis(about.rows))
    refuse(
        usage_error("--row needs --column here: the rows of " + std::string(about.name) + " are not tokens"));
  const auto row = has_row || has_column ? std::optional(row_of(o, session, stage)) : std::nullopt;
  const auto column = has_column ? std::optional(column_of(o, session, stage)) : std::nullopt;
  Selection& selection = session.selection;
  const Setting& token = setting("selection.token");
  const Setting& pin = setting("selection.pin");
  if ((has_row && !has_column && o.has(token)) || (has_column && o.has(pin)))
    refuse(usage_error("--row and --column name the same as --token and --pin: keep one of them"));
  for (const Setting& each :
       {token, pin, setting("selection.heads"), setting("selection.picked"), setting("selection.word")}) {
    if (const auto given = o.text(each)) parse_setting(each, *given, session);
  }
  if (row && column) selection.pin = Pin{stage, *row, *column};
  if (row && !o.has(token) && has_query_rows(stage)) selection.token = row;
}

}  // namespace

bool names_page(const CommandOptions& o) {
  return o.has(setting("selection.view")) || o.is_on("--diagram") ||
         o.text(setting("selection.head")) == all || o.text(setting("selection.stage")) == all ||
         page_of_preset(o).has_value();
}

namespace {

/// The error for a word that is not among the words that the model predicts.
tl::unexpected<Error> unknown_word(const Session& session, const std::string& given) {
  if (session.architecture.output_layer == OutputLayer::none) {
    return invalid_value(
        "--word", given,
        "this model predicts no words: add --output-layer linear, or choose a trained --model");
  }
  return invalid_value(
      "--word", given,
      choices_text(given, predicted_words(session)) + "one of the words that the model predicts");
}

}  // namespace

Session selected_session(const CommandOptions& o, Session session, bool keeps_selection) {
  keeps_selection = keeps_selection || o.scene;
  const PageName page = page_of(o);
  const auto unless_all = [&](const Setting& each) { return o.text(each) == all ? Text() : o.text(each); };
  const Text stage = unless_all(setting("selection.stage"));
  const StageId id = placed_stage(o, stage, unless_all(setting("selection.head")), session, keeps_selection);
  Selection& selection = session.selection;
  if (!keeps_selection || (o.scene && names_page(o))) session.view = page;
  if (!keeps_selection || (o.scene && o.has(setting("difference"))))
    session.difference = o.text(setting("difference")).value_or(flag_off) != flag_off;
  if (!keeps_selection || stage) selection.stage = id.kind;
  selection.stack = id.stack;
  selection.layer = id.layer;
  selection.attention = id.attention;
  selection.head = id.head;
  StageId shown = id;
  shown.kind = selection.stage;
  read_marked(o, normalized(shown), session);
  read_cover_options(o, session);
  Session selected = repaired(session, session);
  const auto was_dropped = [&](std::string_view key) {
    const Setting& each = *find_setting(key);
    return o.has(each) && !same_setting(each, selected, session);
  };
  const bool names_cell = o.has(setting("selection.pin")) || (o.has("--row") && o.has("--column"));
  if (names_cell && session.selection.pin && !selected.selection.pin) {
    refuse(invalid_value("--pin", o.text(setting("selection.pin")).value_or(""),
                         "this model and sentence have no such cell"));
  }
  if (was_dropped("selection.word")) refuse(unknown_word(selected, session.selection.word));
  if (was_dropped("selection.picked")) {
    refuse(invalid_value("--picked-tokens", o.text(setting("selection.picked")).value_or(""),
                         "the sentence has no such token; tokens count from 0"));
  }
  return apply_selection_values(o.texts("--set"), std::move(selected));
}

}  // namespace headscope
