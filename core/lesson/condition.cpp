#include "core/lesson/condition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "core/exact_text.h"
#include "core/io/matrix_text.h"
#include "core/lesson/prose.h"
#include "core/measures/measure.h"
#include "core/measures/measured_heads.h"
#include "core/session/names.h"
#include "core/session/setting_change.h"
#include "core/session/setting_value.h"
#include "core/session/settings.h"
#include "core/split_text.h"
#include "core/text/letters.h"
#include "core/text/tokenizer.h"
#include "core/text/utf8.h"
#include "core/to_float.h"

namespace headscope {

using ConditionValue = std::variant<bool, double, std::string>;
using Relation = ConditionTerm::Relation;

/// A subject of comparisons.
struct ConditionSubject {
  std::string_view name;
  std::string_view form;  ///< How it is written, for messages.
  std::size_t min_words = 0, max_words = 0;
  bool is_number = false;
  std::optional<ConditionValue> (*read)(const ConditionTerm& term, const ConditionContext& seen) = nullptr;
  bool is_found = false;  ///< It is what the learner looks for, and not what is changed.
  /// Whether the session or pass has what a value names. Null if any value is possible.
  bool (*has)(std::string_view value, const ConditionContext& seen) = nullptr;
};

namespace {

/// The name of a token in conditions: its word, with its occurrence if the word occurs before.
std::string token_name(const std::vector<Token>& tokens, int index) {
  const auto at = static_cast<std::size_t>(index);
  if (index < 0 || at >= tokens.size()) return "";
  const auto first = tokens.begin();
  const auto earlier = std::ranges::count(first, first + index, tokens[at].lookup, &Token::lookup);
  const std::string word(trimmed(tokens[at].lookup));
  return earlier == 0 ? word : word + ":" + std::to_string(earlier);
}

/// The first token with this text among these, or empty.
std::optional<int> first_token(const std::vector<Token>& tokens, std::string_view word) {
  const std::vector<Token> expected = tokenize(word, TokenizerKind::word);
  const std::string lookup = expected.size() == 1 ? expected.front().lookup : std::string(word);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_it = trimmed(tokens[i].lookup) == lookup || trimmed(tokens[i].text) == trimmed(word);
    if (is_it) return static_cast<int>(i);
  }
  return std::nullopt;
}

/// The token that a word names among these, or empty.
std::optional<int> token_named(const std::vector<Token>& tokens, std::string_view word) {
  if (const auto token = first_token(tokens, word)) return token;
  const std::size_t colon = word.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<int> earlier = parse_exact<int>(word.substr(colon + 1));
  if (!earlier || *earlier < 1) return std::nullopt;
  const auto first = first_token(tokens, word.substr(0, colon));
  if (!first) return std::nullopt;
  int left = *earlier;
  for (auto i = static_cast<std::size_t>(*first) + 1; i < tokens.size(); ++i) {
    if (tokens[i].lookup == tokens[static_cast<std::size_t>(*first)].lookup && --left == 0)
      return static_cast<int>(i);
  }
  return std::nullopt;
}

std::optional<ConditionValue> comparable(const nlohmann::json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_null()) return std::string("none");
  return std::nullopt;
}

std::optional<ConditionValue> seen_setting(const ConditionTerm& term, const ConditionContext& seen) {
  return comparable(value_of(*term.setting, seen.session));
}
std::optional<ConditionValue> seen_page(const ConditionTerm&, const ConditionContext& seen) {
  return std::string(enum_name(seen.session.view));
}
std::optional<ConditionValue> seen_stage(const ConditionTerm&, const ConditionContext& seen) {
  return to_lower_case(info(seen.session.selection.stage).name);
}
std::optional<ConditionValue> seen_head(const ConditionTerm&, const ConditionContext& seen) {
  const Selection& selection = seen.session.selection;
  return head_name({selection.layer, selection.head});
}
std::optional<ConditionValue> seen_row(const ConditionTerm&, const ConditionContext& seen) {
  const Session& session = seen.session;
  if (!session.selection.token) return std::string("none");
  const Texts texts = texts_of(session);
  const bool is_target = session.architecture.has_cross() && session.selection.stack == Stack::decoder;
  return token_name(is_target ? texts.target() : texts.sentence(), *session.selection.token);
}
std::optional<ConditionValue> seen_cell(const ConditionTerm&, const ConditionContext& seen) {
  const std::optional<Pin>& pin = seen.session.selection.pin;
  if (!pin) return std::string("none");
  if (seen.trace == nullptr || !seen.trace->has(pin->stage)) return std::nullopt;
  const auto name = [&](Axis axis, int index) {
    if (!is_token_axis(axis)) return std::to_string(index);
    return token_name(seen.trace->tokens(pin->stage, axis), index);
  };
  const StageInfo& kind = info(pin->stage.kind);
  return name(kind.rows, pin->row) + " " + name(kind.cols, pin->col);
}
std::optional<ConditionValue> seen_steps(const ConditionTerm&, const ConditionContext& seen) {
  return seen.session.model ? static_cast<double>(seen.session.model->steps) : 0.0;
}
std::optional<ConditionValue> n_compared(const ConditionTerm&, const ConditionContext& seen) {
  return static_cast<double>(seen.session.compared.size());
}
std::optional<ConditionValue> seen_cover(const ConditionTerm&, const ConditionContext& seen) {
  const Cover& cover = seen.session.cover;
  if (!cover.stage) return std::string("none");
  if (seen.trace == nullptr || !seen.trace->has(*cover.stage)) return std::nullopt;
  const Extent extent = seen.trace->extent(*cover.stage);
  const auto count = count_covered(cover, extent.rows, extent.cols);
  if (!count) return std::nullopt;
  return std::string(count->right == count->covered && count->covered > 0 ? "answered" : "open");
}

std::optional<ConditionValue> seen_number(const ConditionTerm& term, const ConditionContext& seen) {
  if (seen.trace == nullptr) return std::nullopt;
  const StageId id = canonical(seen.trace->architecture(), term.stage.in(seen.session));
  if (!seen.trace->has(id)) return std::nullopt;
  const auto row = row_named(*seen.trace, id, term.words.size() == 2 ? term.words[0] : "0");
  const auto column = column_named(*seen.trace, id, term.words.back());
  if (!row || !column) return std::nullopt;
  return static_cast<double>(seen.trace->number(id, *row, *column));
}

std::optional<ConditionValue> seen_strongest(const ConditionTerm& term, const ConditionContext& seen) {
  if (seen.trace == nullptr) return std::nullopt;
  const StageId id = term.stage.in(seen.session);
  if (!seen.trace->has(id)) return std::nullopt;
  const Extent extent = seen.trace->extent(id);
  const auto row = row_named(*seen.trace, id, term.words.front());
  if (!row || extent.cols == 0) return std::nullopt;
  const StageNumbers numbers = seen.trace->read_row(id, *row);
  int strongest = 0;
  for (int col = 1; col < extent.cols; ++col) {
    if (numbers.view(0, col) > numbers.view(0, strongest)) strongest = col;
  }
  return token_name(seen.trace->tokens(id, Axis::key_tokens), strongest);
}

std::optional<ConditionValue> seen_measure(const ConditionTerm& term, const ConditionContext& seen) {
  if (seen.trace == nullptr || seen.trace->n_tokens() > max_measured_tokens) return std::nullopt;
  const StageId id = term.stage.in(seen.session);
  if (!seen.trace->has(id)) return std::nullopt;
  MeasureSums sums;
  add_head(*seen.trace, id, measured_text(*seen.trace, id), sums);
  const auto value = value_of(means_of(sums), term.measure);
  return value ? std::optional<ConditionValue>(*value) : std::nullopt;
}

bool has_page(std::string_view name, const ConditionContext&) {
  const auto pages = std::span(names_of<PageName>).first(n_views);
  return std::ranges::find(pages, name) != pages.end();
}
bool has_stage(std::string_view name, const ConditionContext&) {
  return std::ranges::any_of(all_stage_kinds(),
                             [&](const StageInfo& stage) { return to_lower_case(stage.name) == name; });
}
bool has_head(std::string_view name, const ConditionContext& seen) {
  const auto head = parse_head_name(name);
  const Architecture& a = seen.session.architecture;
  return head && head->layer < a.n_layers && head->head < a.n_heads;
}
bool has_token(std::string_view name, const ConditionContext& seen) {
  const Texts texts = texts_of(seen.session);
  return name == "none" || token_named(texts.sentence(), name) || token_named(texts.target(), name);
}
/// A cell is named by its row and column; either may be an index.
bool has_cell(std::string_view name, const ConditionContext& seen) {
  const std::size_t between = name.find(' ');
  const auto has = [&](std::string_view word) { return parse_exact<int>(word) || has_token(word, seen); };
  return name == "none" ||
         (between != std::string_view::npos && has(name.substr(0, between)) && has(name.substr(between + 1)));
}
bool is_state_of_cover(std::string_view name, const ConditionContext&) {
  return name == "none" || name == "open" || name == "answered";
}

constexpr bool is_text = false;
constexpr bool is_number = true;
constexpr std::array subjects{
    ConditionSubject{"page", "page = heads", 0, 0, is_text, seen_page, true, has_page},
    ConditionSubject{"stage", "stage = weights", 0, 0, is_text, seen_stage, true, has_stage},
    ConditionSubject{"head", "head = 1.0", 0, 0, is_text, seen_head, true, has_head},
    ConditionSubject{"row", "row = it", 0, 0, is_text, seen_row, true, has_token},
    ConditionSubject{"cell", "cell = it street", 0, 0, is_text, seen_cell, true, has_cell},
    ConditionSubject{"strongest", "strongest(1.0, it) = street", 1, 1, is_text, seen_strongest, false,
                     has_token},
    ConditionSubject{"steps", "steps > 100", 0, 0, is_number, seen_steps},
    ConditionSubject{"held", "held > 0", 0, 0, is_number, n_compared},
    ConditionSubject{"cover", "cover = answered", 0, 0, is_text, seen_cover, true, is_state_of_cover},
};
constexpr ConditionSubject of_setting{"setting",   "setting attention.causal = on", 0, 0, is_text,
                                      seen_setting};
constexpr ConditionSubject of_stage{"", "weights(1.0, it, street) > 0.8", 1, 2, is_number, seen_number};
constexpr ConditionSubject of_measure{"", "entropy(1.0) < 0.3", 0, 0, is_number, seen_measure};

/// Parses one comparison from left to right. Throws as refuse() does.
class TermReader {
 public:
  explicit TermReader(std::string_view text) : text_(text), rest_(trimmed(text)) {}

  ConditionTerm read() {
    read_subject();
    read_brackets();
    read_relation();
    read_value();
    return std::move(term_);
  }

 private:
  std::string_view word() {
    const std::size_t end = std::min(rest_.find_first_of(" (=!<>"), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_ = trimmed(rest_.substr(end));
    return word;
  }

  void read_subject() {
    const std::string_view name = word();
    if (name == of_setting.name) {
      const std::string_view key = word();
      term_.subject = &of_setting;
      term_.setting = find_setting(key);
      if (term_.setting == nullptr)
        refuse(failure("there is no setting " + in_quotes(key) +
                       ": a scene's file lists the keys of all settings, such as attention.causal"));
      const nlohmann::json usual = value_of(*term_.setting, default_session());
      if (!usual.is_null() && !comparable(usual))
        refuse(failure("the setting " + in_quotes(key) + " has no single value to compare with"));
      return;
    }
    for (const ConditionSubject& subject : subjects) {
      if (subject.name == name) term_.subject = &subject;
    }
    if (term_.subject != nullptr) return;
    for (const MeasureRecord& record : measure_table) {
      if (record.name != name) continue;
      term_.subject = &of_measure;
      term_.measure = record.measure;
      return;
    }
    const auto stage = stage_place(name);
    if (!stage)
      refuse(failure("nothing is called " + in_quotes(name) + " in a condition. Possible are " +
                     possible_conditions()));
    term_.subject = &of_stage;
    term_.stage = *stage;
  }

  void read_brackets() {
    const ConditionSubject& subject = *term_.subject;
    const bool takes_words = subject.max_words > 0 || term_.subject == &of_measure;
    if (!rest_.starts_with('(')) {
      if (!takes_words) return;
      refuse(failure(in_quotes(text_) + " lacks its brackets: " + std::string(subject.form)));
    }
    const std::size_t end = rest_.find(')');
    if (end == std::string_view::npos || !takes_words)
      refuse(failure(in_quotes(text_) + " is not a condition: " + std::string(subject.form)));
    std::string_view inside = rest_.substr(1, end - 1);
    rest_ = trimmed(rest_.substr(end + 1));
    std::vector<std::string> words;
    while (!trimmed(inside).empty()) {
      const std::size_t comma = inside.find(',');
      words.emplace_back(trimmed(inside.substr(0, comma)));
      inside = comma == std::string_view::npos ? std::string_view() : inside.substr(comma + 1);
    }
    // A head comes first, unless a path has already named the place.
    const auto head = words.empty() || term_.stage.has_place ? std::nullopt : parse_head_name(words.front());
    if (head) {
      term_.stage.head = head;
      words.erase(words.begin());
    }
    const bool is_empty_word = std::ranges::any_of(words, &std::string::empty);
    if (words.size() < subject.min_words || words.size() > subject.max_words || is_empty_word)
      refuse(failure("the brackets of " + in_quotes(text_) +
                     " hold too much or too little: " + std::string(subject.form)));
    term_.words = std::move(words);
  }

  void read_relation() {
    constexpr std::array<std::pair<std::string_view, Relation>, 8> relations{
        {{"!=", Relation::is_not},
         {"<=", Relation::less_equal},
         {">=", Relation::greater_equal},
         {"==", Relation::is},
         {"=", Relation::is},
         {"<", Relation::less},
         {">", Relation::greater},
         {"contains", Relation::contains}}};
    for (const auto& [sign, relation] : relations) {
      if (!rest_.starts_with(sign)) continue;
      term_.relation = relation;
      rest_ = trimmed(rest_.substr(sign.size()));
      return;
    }
    refuse(failure(in_quotes(text_) +
                   " compares nothing: put =, !=, <, <=, >, >= or contains after the first part"));
  }

  /// The type of the subject determines the possible values.
  void read_value() {
    const bool is_quoted = rest_.size() >= 2 && rest_.front() == '"' && rest_.back() == '"';
    if (is_quoted) rest_ = rest_.substr(1, rest_.size() - 2);
    if (rest_.empty() && !is_quoted) refuse(failure(in_quotes(text_) + " has no value to compare with"));
    if (term_.subject == &of_setting) return read_setting_value();
    if (term_.subject->is_number) return read_number_value();
    term_.value = to_lower_case(rest_);
    check_text_relation();
  }

  void read_setting_value() {
    const nlohmann::json usual = value_of(*term_.setting, default_session());
    if (usual.is_boolean()) {
      const bool is_on = rest_ == "on" || rest_ == "true" || rest_ == "yes";
      const bool is_off = rest_ == "off" || rest_ == "false" || rest_ == "no";
      if (!is_on && !is_off) refuse(failure(in_quotes(rest_) + " is neither on nor off"));
      term_.value = is_on;
      return check_text_relation();
    }
    const bool is_name = std::holds_alternative<field::Weights>(term_.setting->field);
    if (usual.is_number() || (usual.is_null() && rest_ != "none" && !is_name)) return read_number_value();
    const auto* choice = std::get_if<field::Choice>(&term_.setting->field);
    if (choice != nullptr && std::ranges::find(choice->names, rest_) == choice->names.end())
      refuse(failure(std::string(term_.setting->name) + " cannot be " + in_quotes(rest_) + ", only " +
                     join_texts(choice->names, ", ")));
    term_.value = std::string(rest_);
    check_text_relation();
  }

  void read_number_value() {
    const CellNumber number = parse_cell(rest_);
    if (number.problem != CellProblem::none)
      refuse(failure(in_quotes(text_) + ": " + problem_text(number.problem, rest_)));
    if (term_.relation == Relation::contains)
      refuse(failure(in_quotes(text_) + ": a number contains nothing"));
    term_.value = static_cast<double>(number.value);
  }

  void check_text_relation() const {
    const bool is_possible = term_.relation == Relation::is || term_.relation == Relation::is_not ||
                             (term_.relation == Relation::contains && term_.value.index() == 2);
    if (!is_possible) refuse(failure(in_quotes(text_) + ": only numbers are greater or less than others"));
  }

  std::string_view text_;
  std::string_view rest_;
  ConditionTerm term_;
};

bool compare(double a, Relation relation, double b) {
  // Settings and stages are floats, whose decimals are not exact.
  const bool is_equal =
      a == b || (std::isfinite(a) && std::abs(a - b) <= 1e-6 * std::max({std::abs(a), std::abs(b), 1e-6}));
  switch (relation) {
    case Relation::is:
      return is_equal;
    case Relation::is_not:
      return !is_equal;
    case Relation::less:
      return a < b && !is_equal;
    case Relation::less_equal:
      return a <= b || is_equal;
    case Relation::greater:
      return a > b && !is_equal;
    case Relation::greater_equal:
      return a >= b || is_equal;
    case Relation::contains:
      return false;
  }
  return false;
}

bool holds(const ConditionTerm& term, const ConditionContext& seen) {
  const auto found = term.subject->read(term, seen);
  if (!found) return false;
  if (const auto* expected = std::get_if<double>(&term.value)) {
    const auto* number = std::get_if<double>(&*found);
    if (number == nullptr) return term.relation == Relation::is_not;
    return !std::isnan(*number) && compare(*number, term.relation, *expected);
  }
  const auto* expected = std::get_if<std::string>(&term.value);
  const auto* text = std::get_if<std::string>(&*found);
  if (term.relation == Relation::contains)
    return expected != nullptr && text != nullptr &&
           to_lower_case(*text).find(to_lower_case(*expected)) != std::string::npos;
  const bool is_equal = *found == ConditionValue(term.value);
  return is_equal == (term.relation == Relation::is);
}

/// Whether a comparison is with a number of the pass.
bool reads_pass(const ConditionTerm& term) {
  return term.subject == &of_stage || term.subject == &of_measure || !term.words.empty();
}

/// The first thing that a comparison names and that does not exist. Empty if everything exists.
std::optional<std::string> first_missing(const ConditionTerm& term, const ConditionContext& seen) {
  const auto* value = std::get_if<std::string>(&term.value);
  const bool names_something =
      value != nullptr && term.subject->has != nullptr && term.relation == Relation::is;
  if (names_something && !term.subject->has(*value, seen)) return *value;
  if (!reads_pass(term)) return std::nullopt;
  const StageId stage = canonical(seen.trace->architecture(), term.stage.in(seen.session));
  if (!seen.trace->has(stage)) {
    const std::string head = term.stage.head ? head_name(*term.stage.head) : "";
    return head.empty() || has_head(head, seen) ? std::string(info(stage.kind).name) : head;
  }
  const bool names_row = term.subject != &of_stage || term.words.size() == 2;
  for (std::size_t i = 0; i < term.words.size(); ++i) {
    const auto named = names_row && i == 0 ? row_named : column_named;
    if (!named(*seen.trace, stage, term.words[i])) return term.words[i];
  }
  return std::nullopt;
}

/// Whether a setting that the same condition expects may supply what a comparison names: a text may supply
/// tokens, the model's sizes heads, and any setting numbers of the pass.
bool is_brought_in(const ConditionTerm& term, const Condition& condition) {
  const auto expects = [&](auto is_one) {
    return std::ranges::any_of(condition, [&](const ConditionTerm& each) {
      return each.setting != nullptr && is_one(each.setting->key);
    });
  };
  const auto opens_model = [](std::string_view key) { return key == "task" || key == "model"; };
  if (reads_pass(term)) return expects([](std::string_view) { return true; });
  if (term.subject->has == has_head)
    return expects(
        [&](std::string_view key) { return opens_model(key) || key.starts_with("architecture."); });
  if (term.subject->has == has_token || term.subject->has == has_cell)
    return expects([&](std::string_view key) {
      return opens_model(key) || key == "sentence" || key == "target" || key == "batch";
    });
  return false;
}

/// Splits a condition at “and” outside quotation marks.
std::vector<std::string_view> parts_of(std::string_view text) {
  constexpr std::string_view joint = " and ";
  std::vector<std::string_view> parts;
  bool is_quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (is_quoted || text.substr(i, joint.size()) != joint) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + joint.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace

StageId StagePlace::in(const Session& session) const {
  if (has_place) return id;
  StageId place = session.selection.at(id.kind);
  if (head) {
    place.layer = head->layer;
    place.head = head->head;
  }
  return normalized(place);
}

Result<StagePlace> stage_place(std::string_view name) {
  if (const auto whole = parse_path(name)) return StagePlace{*whole, true, {}};
  if (const auto kind = parse_stage_kind(name)) return StagePlace{{.kind = *kind}, false, {}};
  return failure("there is no stage " + in_quotes(name) +
                 ": “headscope info” lists them, such as weights or query");
}

namespace {

/// \param n The number of places along the axis.
std::optional<int> place_named(const Trace& trace, const StageId& stage, Axis axis, int n,
                               std::string_view word) {
  if (is_token_axis(axis)) {
    if (const auto token = token_named(trace.tokens(stage, axis), word)) return token;
  }
  if (axis == Axis::vocabulary) {
    const auto& words = trace.vocabulary();
    const auto found =
        std::ranges::find_if(words, [&](const std::string& each) { return trimmed(each) == word; });
    if (found != words.end()) return static_cast<int>(found - words.begin());
  }
  const auto index = parse_exact<int>(word);
  return index && *index >= 0 && *index < n ? index : std::nullopt;
}

}  // namespace

std::optional<int> row_named(const Trace& trace, const StageId& stage, std::string_view word) {
  return place_named(trace, stage, info(stage.kind).rows, trace.extent(stage).rows, word);
}

std::optional<int> column_named(const Trace& trace, const StageId& stage, std::string_view word) {
  return place_named(trace, stage, info(stage.kind).cols, trace.extent(stage).cols, word);
}

std::string possible_conditions() {
  std::string text(of_setting.form);
  for (const ConditionSubject& subject : subjects) text.append(", ").append(subject.form);
  return text.append(", ").append(of_stage.form).append(", ").append(of_measure.form);
}

Result<Condition> read_condition(std::string_view text) {
  return result_of([&] {
    Condition condition;
    for (const std::string_view part : parts_of(text)) {
      if (trimmed(part).empty())
        refuse(failure("a condition is empty. Possible are " + possible_conditions()));
      condition.push_back(TermReader(part).read());
    }
    return condition;
  });
}

namespace {

/// Whether a setting affects the computation, unlike picture options, which are up to the reader.
bool decides_numbers(const Setting& setting) {
  constexpr std::array shown{"selection.", "picture.", "watch.", "diagram.",
                             "tiles.",     "lines.",   "title",  "note"};
  return std::ranges::none_of(shown, [&](std::string_view begin) { return setting.key.starts_with(begin); });
}

/// Formats a value of a setting for conditions. Empty for lists and matrices.
std::string condition_value(const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  if (value.is_null()) return "none";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return exact_text(to_float(value.get<double>()));
  return value.is_number() ? value.dump() : "";
}

}  // namespace

std::string condition_from_changes(const Session& before, const ConditionContext& now) {
  const Selection& was = before.selection;
  const Selection& is = now.session.selection;
  std::vector<std::string> parts;
  const auto add_seen = [&](const char* begin, const std::optional<ConditionValue>& seen) {
    if (seen) parts.push_back(begin + std::get<std::string>(*seen));
  };
  if (is.pin && is.pin != was.pin) {
    add_seen("cell = ", seen_cell({}, now));
  } else if (is.token && is.token != was.token) {
    add_seen("row = ", seen_row({}, now));
  }
  if (is.layer != was.layer || is.head != was.head)
    parts.push_back("head = " + head_name({is.layer, is.head}));
  if (is.stage != was.stage && !is.pin) parts.push_back("stage = " + std::string(info(is.stage).name));
  if (now.session.view != before.view)
    parts.push_back("page = " + std::string(names_of<PageName>[index_of(now.session.view)]));
  for (const Setting& setting : all_settings) {
    const nlohmann::json value = value_of(setting, now.session);
    if (!decides_numbers(setting) || value == value_of(setting, before)) continue;
    if (const std::string said = condition_value(value); !said.empty())
      parts.push_back("setting " + std::string(setting.key) + " = " + said);
  }
  // Conditions cannot express every text.
  std::erase_if(parts, [&](const std::string& part) {
    const auto read = read_condition(part);
    return !read || !holds(*read, now);
  });
  return join_texts(parts, " and ");
}

std::optional<std::string> first_missing(const Condition& condition, const ConditionContext& seen,
                                         bool can_supply) {
  for (const ConditionTerm& term : condition) {
    if (can_supply && is_brought_in(term, condition)) continue;
    if (auto lacking = first_missing(term, seen)) return lacking;
  }
  return std::nullopt;
}

bool asks_for_head(const Condition& condition) {
  return std::ranges::any_of(condition, [](const ConditionTerm& term) {
    const bool sets_head = term.setting != nullptr &&
                           (term.setting->key == "selection.head" || term.setting->key == "selection.layer");
    return sets_head || term.subject->read == seen_head;
  });
}

bool mentions_setting(const Condition& condition) {
  return std::ranges::any_of(condition, [](const ConditionTerm& term) {
    return term.setting != nullptr && !term.setting->control.label.empty();
  });
}

namespace {

/// Whether a number may still be on its way from the one before to what a comparison expects, as while a
/// slider is dragged or a step follows the other. A jump from `last` to another number than the expected one
/// has ended.
bool is_on_the_way(const ConditionTerm& term, const ConditionValue& before, const ConditionValue& now,
                   const std::optional<ConditionValue>& last) {
  const auto* expected = std::get_if<double>(&term.value);
  const auto* from = std::get_if<double>(&before);
  const auto* at = std::get_if<double>(&now);
  if (expected == nullptr || from == nullptr || at == nullptr) return false;
  if (std::abs(*at - *expected) >= std::abs(*from - *expected)) return false;
  if (term.relation != Relation::is) return !compare(*from, term.relation, *expected);
  const auto* left = last ? std::get_if<double>(&*last) : nullptr;
  const bool has_jumped = left != nullptr && std::abs(*at - *left) > 1.0;
  return !has_jumped && (*at < *expected) == (*from < *expected);
}

}  // namespace

bool is_attempted(const Condition& condition, const Session& before, const ConditionContext& now,
                  const Session* last) {
  return std::ranges::any_of(condition, [&](const ConditionTerm& term) {
    const bool is_chosen = term.setting == nullptr
                               ? term.subject->is_found
                               : !std::holds_alternative<field::Text>(term.setting->field);
    if (!is_chosen) return false;
    const auto value = term.subject->read(term, now);
    const auto was = term.subject->read(term, {before, now.trace});
    const auto left = last != nullptr ? term.subject->read(term, {*last, now.trace}) : std::nullopt;
    return value && !holds(term, now) && *value != ConditionValue(std::string("none")) && value != was &&
           !(was && is_on_the_way(term, *was, *value, left));
  });
}

bool is_met_by_finding(const Condition& condition) {
  return std::ranges::any_of(condition, [](const ConditionTerm& term) {
    return term.subject->is_found || (term.setting != nullptr && term.setting->key.starts_with("selection."));
  });
}

bool holds(const Condition& condition, const ConditionContext& seen) {
  return std::ranges::all_of(condition, [&](const ConditionTerm& term) { return holds(term, seen); });
}

}  // namespace headscope
