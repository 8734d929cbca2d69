#include "app/cli/stage_options.h"

#include <algorithm>

#include "app/cli/near_matches.h"
#include "app/cli/option_values.h"
#include "app/cli/setting_words.h"
#include "core/model/trained_model.h"
#include "core/page/page_name.h"
#include "core/session/repair.h"
#include "core/session/shown_figure.h"

namespace headscope {
namespace {

using Text = CommandOptions::Text;

tl::unexpected<Error> unknown_stage(const std::string& given) {
  if (given == "all") {
    return wrong_value("--stage", given,
                       "only a figure takes all stages; to trace them all, leave out --stage");
  }
  std::vector<std::string> names;
  for (const StageInfo& stage : all_stage_kinds()) {
    const std::string name(stage.name);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  const auto near = near_matches(given, names);
  const std::string cure =
      near.empty() ? "choose "
                   : "did you mean " + joined_with_or({near.begin(), near.end()}) + "? Otherwise choose ";
  return wrong_value("--stage", given,
                     cure + joined_with_or({names.begin(), names.end()}) +
                         ", or a path such as encoder.layers.0.self.heads.1.weights");
}

/// A stage by its name at a place, or by its path, which names as much of the place as the stage depends on.
Result<StageId> named_stage(const std::string& given, StageId place) {
  if (const auto kind = kind_named(given)) {
    place.kind = *kind;
    return place;
  }
  const auto id = parse_path(given);
  if (!id) return unknown_stage(given);
  const StageScope scope = info(id->kind).scope;
  place.kind = id->kind;
  if (scope >= StageScope::stack) place.stack = id->stack;
  if (scope >= StageScope::layer) place.layer = id->layer;
  if (scope >= StageScope::attention) place.attention = id->attention;
  if (scope >= StageScope::head) place.head = id->head;
  return place;
}

std::string stacks_there_are(const Architecture& a) {
  return std::string("the model has only ") + (a.stacks == Stacks::encoder ? "an encoder" : "a decoder");
}

constexpr const char* where_cross_is =
    "cross-attention exists only in the decoder of --stacks encoder-decoder";

/// A place that the model does not have: which ones it has.
Result<void> check_place(const Architecture& a, const StageId& id) {
  const auto does_not_fit = [&id](const std::string& what_there_is) {
    return usage_error("--stage " + path(id) + " is not valid: " + what_there_is);
  };
  const auto counted = [](const char* what, int n) {
    return n == 1 ? std::string("there is only one ") + what + ", 0"
                  : std::string("the ") + what + "s are 0 to " + std::to_string(n - 1);
  };
  if (info(id.kind).scope >= StageScope::stack && !a.has(id.stack)) {
    return does_not_fit(stacks_there_are(a));
  }
  if (id.attention == AttentionKind::cross && !(a.has_cross() && id.stack == Stack::decoder)) {
    return does_not_fit(where_cross_is);
  }
  if (id.layer >= a.n_layers) return does_not_fit(counted("layer", a.n_layers));
  if (id.head >= a.n_heads) return does_not_fit(counted("head", a.n_heads));
  return {};
}

/// The place that --stack, --layer and --attention name. A trained model's is that of the head that learned
/// most, as far as nothing else is named; another stack or attention begins at its layer 0.
Result<StageId> place_of(const CommandOptions& o, const Session& session) {
  const Architecture& a = session.architecture;
  const auto given_stack = o.text(setting("selection.stack"));
  const auto given_attention = o.text(setting("selection.attention"));
  StageId id{StageKind::weights};
  id.stack = a.first_stack();
  if (session.model && !given_stack && !given_attention) id = session.selection.at(StageKind::weights);
  if (given_attention) {
    const auto attention = choice<AttentionKind>("--attention", *given_attention);
    if (!attention) return tl::unexpected(attention.error());
    id.attention = *attention;
    const bool cross = id.attention == AttentionKind::cross;
    if (cross && !a.has_cross()) {
      return wrong_value("--attention", *given_attention, where_cross_is + (", and " + stacks_there_are(a)));
    }
    if (cross) id.stack = Stack::decoder;
  }
  if (given_stack) {
    const auto stack = choice<Stack>("--stack", *given_stack);
    if (!stack) return tl::unexpected(stack.error());
    if (!a.has(*stack)) return wrong_value("--stack", *given_stack, stacks_there_are(a));
    if (id.attention == AttentionKind::cross && *stack == Stack::encoder) {
      return wrong_value("--stack", *given_stack, "--attention cross exists only in the decoder");
    }
    id.stack = *stack;
  }
  if (const auto given = o.text(setting("selection.layer"))) {
    const auto layer = whole_number("--layer", *given, 0, a.n_layers - 1);
    if (!layer) return tl::unexpected(layer.error());
    id.layer = *layer;
  }
  return id;
}

Result<int> head_of(const std::string& given, int n_heads) {
  const auto head = parse_int(given);
  if (head && *head >= 0 && *head < n_heads) return *head;
  const std::string heads =
      n_heads == 1 ? "this model has only head 0" : "the heads are 0 to " + std::to_string(n_heads - 1);
  return wrong_value("--head", given, given == "all" ? "only a figure takes all heads: " + heads : heads);
}

std::vector<int> occurrences(const std::vector<Token>& tokens, const std::string& text, TokenizerKind kind) {
  std::vector<int> found;
  const auto wanted = tokenize(text, kind);
  if (wanted.size() != 1) return found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].lookup == wanted.front().lookup) found.push_back(static_cast<int>(i));
  }
  return found;
}

tl::unexpected<Error> unknown_token(const char* option, const std::string& given,
                                    const std::vector<Token>& tokens) {
  constexpr std::size_t most_listed = 60;
  std::string list;
  for (std::size_t i = 0; i < std::min(tokens.size(), most_listed); ++i) {
    list += (i == 0 ? "" : ", ") + std::to_string(i) + " " + tokens[i].text;
  }
  if (tokens.size() > most_listed) list += ", … " + std::to_string(tokens.size() - 1);
  return wrong_value(option, given, "there is no such token, only " + list);
}

/// Whether the target's tokens run along an axis of a stage, not the source's.
bool is_of_target(const Architecture& a, const StageId& id, Axis axis) {
  const bool ends_model = info(id.kind).scope == StageScope::model;
  const bool looks_away = axis == Axis::key_tokens && id.attention == AttentionKind::cross;
  return a.has_cross() && !looks_away && (ends_model || id.stack == Stack::decoder);
}

Result<int> token_index(const char* option, const std::string& given, const Session& session,
                        const StageId& id, Axis axis) {
  const bool of_target = is_of_target(session.architecture, id, axis);
  const auto tokens = tokenize(of_target ? session.target : session.sentence, session.tokenizer);
  if (const auto whole = occurrences(tokens, given, session.tokenizer); !whole.empty()) return whole.front();
  const auto colon = given.rfind(':');
  const auto number =
      colon == std::string::npos ? std::nullopt : parse_int(std::string_view(given).substr(colon + 1));
  if (!number || *number < 0) return unknown_token(option, given, tokens);
  const auto places = occurrences(tokens, given.substr(0, colon), session.tokenizer);
  if (places.empty()) return unknown_token(option, given, tokens);
  if (static_cast<std::size_t>(*number) < places.size()) return places[static_cast<std::size_t>(*number)];
  return wrong_value(option, given,
                     "“" + given.substr(0, colon) + "” occurs " +
                         (places.size() == 1 ? "once" : std::to_string(places.size()) + " times") +
                         ", counted from 0");
}

/// Where an option is to name a token of a sentence that has none.
tl::unexpected<Error> no_words(const char* option, const Session& session, bool of_target) {
  return wrong_value(of_target ? "--target" : "--sentence", of_target ? session.target : session.sentence,
                     std::string(of_target ? "the target" : "the sentence") + " has no words, and " + option +
                         " names one of its tokens: give at least one word");
}

/// A column of the words that are predicted, by its word; of a word that a trained model does not know, the
/// placeholder that stands for it in the sentence.
Result<int> word_index(const char* option, const std::string& given, const Session& session) {
  const std::vector<Token> wanted = tokenize(given, session.tokenizer);
  const std::string lookup = wanted.size() == 1 ? wanted.front().lookup : given;
  const std::vector<std::string> words = predicted_words(session);
  if (const auto found = std::ranges::find(words, lookup); found != words.end()) {
    return static_cast<int>(found - words.begin());
  }
  if (session.model) {
    std::vector<Token> tokens = tokenize(session.sentence, session.tokenizer);
    session.model->vocabulary.assign_ids(tokens);
    const auto token = std::ranges::find(tokens, lookup, &Token::lookup);
    if (token != tokens.end()) return token->id;
  }
  return wrong_value(option, given,
                     "it is not one of the " + std::to_string(words.size()) +
                         " words that the model can say; an "
                         "index from 0 to " +
                         std::to_string(words.size() - 1) + " works too");
}

Result<int> index_along(const char* option, const Text& given, const Session& session, const StageId& stage,
                        Axis axis) {
  const int size = axis_size(session, stage, axis);
  const bool is_token = runs_over_tokens(axis);
  if (is_token && size == 0) {
    return no_words(option, session, is_of_target(session.architecture, stage, axis));
  }
  if (!given) {
    if (axis == Axis::single) return 0;
    return usage_error(std::string(option) + " is missing: choose one of the " + std::to_string(size) +
                       " of " + std::string(info(stage.kind).name) + "?");
  }
  const auto index = parse_int(*given);
  if (!index && is_token) return token_index(option, *given, session, stage, axis);
  if (index && *index >= 0 && *index < size) return *index;
  if (!index && axis == Axis::vocabulary && size > 0) return word_index(option, *given, session);
  const std::string range =
      size == 1 ? "it takes 0" : "it takes an index from 0 to " + std::to_string(size - 1);
  return wrong_value(option, *given,
                     (size == 0 ? std::string("there are none") : range) + (is_token ? ", or a token" : ""));
}

/// The marks that --row and --column add to a figure: a marked token, or a cell.
Result<void> read_marks(const CommandOptions& o, const Session& session, FigureChoice& figure) {
  const StageId main = figure.main_stage();
  const bool row_is_token = runs_over_tokens(info(main.kind).rows);
  if (o.column && !o.row && info(main.kind).rows != Axis::single) {
    return usage_error("--column needs --row: together they name a cell, and a row alone names a token");
  }
  if (o.row && !o.column && !row_is_token) {
    return usage_error("--row needs --column here: the rows of " + std::string(info(main.kind).name) +
                       " are not tokens");
  }
  if (o.row || o.column) {
    const auto row = row_of(o, session, main);
    if (!row) return tl::unexpected(row.error());
    figure.row = *row;
  }
  if (o.column) {
    const auto column = column_of(o, session, main);
    if (!column) return tl::unexpected(column.error());
    figure.column = *column;
  }
  return {};
}

/// What --stage and --head name where they are not “all”.
struct NamedStage {
  CommandOptions::Text stage;
  CommandOptions::Text head;
};

/// The stage at its place, which also has what the stage does not depend on.
Result<StageId> placed_stage(const CommandOptions& o, const NamedStage& named, const Session& session) {
  const auto place = place_of(o, session);
  if (!place) return tl::unexpected(place.error());
  StageId id = *place;
  if (named.stage) {
    const auto found = named_stage(*named.stage, *place);
    if (!found) return tl::unexpected(found.error());
    id = *found;
  }
  if (named.head) {
    const auto head = head_of(*named.head, session.architecture.n_heads);
    if (!head) return tl::unexpected(head.error());
    const bool stage_names_head = named.stage && named.stage->find(".heads.") != std::string::npos;
    if (stage_names_head && id.head != *head) {
      return usage_error("--stage " + *named.stage + " and --head " + *named.head + " name different heads");
    }
    id.head = *head;
  }
  if (auto ok = check_place(session.architecture, normalized(id)); !ok) return tl::unexpected(ok.error());
  return id;
}

}  // namespace

Result<StageId> stage_id_of(const CommandOptions& o, const Session& session) {
  return placed_stage(o, {o.text(setting("selection.stage")), o.text(setting("selection.head"))}, session)
      .map(normalized);
}

namespace {

constexpr const char* all = "all";

/// The page that --page names, or --stage all, --head all and --diagram.
Result<View> page_of(const CommandOptions& o) {
  const bool all_heads = o.text(setting("selection.head")) == all;
  const bool all_stages = o.text(setting("selection.stage")) == all;
  if (all_heads && all_stages) {
    return usage_error(
        "--stage all and --head all cannot be combined: choose one stage of all heads, or all stages of one "
        "head");
  }
  const auto page = o.text(setting("selection.view"));
  if (page && (all_heads || all_stages || o.diagram)) {
    return usage_error("--page " + *page + " cannot be combined with " +
                       (o.diagram   ? "--diagram"
                        : all_heads ? "--head all"
                                    : "--stage all") +
                       ", which is a page of its own");
  }
  if (page) return choice<PageName>("--page", *page).map(view_of_page);
  if (o.diagram) return View::model;
  if (all_heads) return View::heads;
  return all_stages ? View::stages : View::explore;
}

/// The cell or the token that --row and --column, --pin and --token name.
Result<void> read_marked(const CommandOptions& o, FigureChoice figure, Session& session) {
  if (auto ok = read_marks(o, session, figure); !ok) return ok;
  Selection& selection = session.selection;
  const Setting& token = setting("selection.token");
  const Setting& pin = setting("selection.pin");
  if ((o.row && !o.column && o.has(token)) || (o.column && o.has(pin))) {
    return usage_error("--row and --column name what --token and --pin name, too: keep one of them");
  }
  for (const Setting& each : {token, pin}) {
    const auto given = o.text(each);
    if (!given) continue;
    if (auto ok = read_setting(each, *given, session); !ok) return ok;
  }
  if (figure.row && figure.column) {
    selection.pin = Pin{figure.main_stage(), *figure.row, *figure.column};
  } else if (figure.row) {
    selection.token = figure.row;
  }
  return {};
}

}  // namespace

Result<Session> selected_session(const CommandOptions& o, Session session) {
  const auto page = page_of(o);
  if (!page) return tl::unexpected(page.error());
  NamedStage named{o.text(setting("selection.stage")), o.text(setting("selection.head"))};
  if (named.head == all) named.head.reset();
  if (named.stage == all) named.stage.reset();
  const auto id = placed_stage(o, named, session);
  if (!id) return tl::unexpected(id.error());
  Selection& selection = session.selection;
  selection.view = *page;
  selection.stage = id->kind;
  selection.stack = id->stack;
  selection.layer = id->layer;
  selection.attention = id->attention;
  selection.head = id->head;
  FigureChoice figure;
  figure.place = *id;
  figure.stage = id->kind;
  figure.head = id->head;
  if (auto ok = read_marked(o, figure, session); !ok) return tl::unexpected(ok.error());
  const bool is_pinned = selection.pin.has_value();
  Session selected = repaired(session, session);
  if (is_pinned && !selected.selection.pin) {
    return wrong_value("--pin", o.text(setting("selection.pin")).value_or(""),
                       "this model and sentence have no such cell");
  }
  return selected;
}

Result<int> row_of(const CommandOptions& o, const Session& session, const StageId& stage) {
  return index_along("--row", o.row, session, stage, info(stage.kind).rows);
}

Result<int> column_of(const CommandOptions& o, const Session& session, const StageId& stage) {
  return index_along("--column", o.column, session, stage, info(stage.kind).cols);
}

}  // namespace headscope
