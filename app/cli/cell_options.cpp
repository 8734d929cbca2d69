#include "app/cli/cell_options.h"

#include <algorithm>

#include "app/cli/option_values.h"
#include "core/io/matrix_text.h"
#include "core/model/trained_model.h"
#include "core/session/repair.h"

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

Result<int> token_index(const char* option, const std::string& given, const Session& session,
                        const StageId& id, Axis axis) {
  const bool of_target = is_of_target(session.architecture, id, axis);
  const Texts texts = texts_of(session);
  const std::vector<Token>& tokens = of_target ? texts.target() : texts.sentence();
  if (const auto whole = occurrences(tokens, given, session.tokenizer); !whole.empty()) return whole.front();
  const auto colon = given.rfind(':');
  const auto number =
      colon == std::string::npos ? std::nullopt : parse_int(std::string_view(given).substr(colon + 1));
  if (!number || *number < 0) return unknown_token(option, given, tokens);
  const auto places = occurrences(tokens, given.substr(0, colon), session.tokenizer);
  if (places.empty()) return unknown_token(option, given, tokens);
  if (static_cast<std::size_t>(*number) < places.size()) return places[static_cast<std::size_t>(*number)];
  return invalid_value(option, given,
                       "“" + given.substr(0, colon) + "” occurs " +
                           (places.size() == 1 ? "once" : std::to_string(places.size()) + " times") +
                           ", counted from 0");
}

/// The error for an option that names a token of a sentence without words.
tl::unexpected<Error> no_words(const char* option, const Session& session, bool of_target) {
  return invalid_value(of_target ? "--target" : "--sentence", of_target ? session.target : session.sentence,
                       std::string(of_target ? "the target" : "the sentence") + " has no words, and " +
                           option + " names one of its tokens: give at least one word");
}

/// The column of a predicted word. An unknown word stands for the placeholder that replaces it in the
/// sentence.
Result<int> word_index(const char* option, const std::string& given, const Session& session) {
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
  return invalid_value(option, given,
                       "it is not one of the " + std::to_string(words.size()) +
                           " words that the model predicts; an index from 0 to " +
                           std::to_string(words.size() - 1) + " also works");
}

}  // namespace

Result<int> index_along(const char* option, const CommandOptions::Text& given, const Session& session,
                        const StageId& stage, Axis axis) {
  const int size = axis_size(session, stage, axis);
  const bool is_token = is_token_axis(axis);
  if (is_token && size == 0) {
    return no_words(option, session, is_of_target(session.architecture, stage, axis));
  }
  if (!given) {
    if (axis == Axis::single) return 0;
    const std::string indices = size == 1 ? "the index 0" : "an index from 0 to " + std::to_string(size - 1);
    return usage_error(std::string(option) + " is missing: give " +
                       (is_token    ? "a token, or " + indices
                        : size == 0 ? "an index"
                                    : indices));
  }
  const auto index = parse_int(*given);
  if (!index && is_token) return token_index(option, *given, session, stage, axis);
  // If the model does not have the stage, the pass reports why.
  const bool is_absent = size == 0 && axis != Axis::vocabulary;
  if (index && *index >= 0 && (*index < size || is_absent)) return *index;
  if (!index && axis == Axis::vocabulary && size > 0) return word_index(option, *given, session);
  const std::string range =
      size == 1 ? "it takes 0" : "it takes an index from 0 to " + std::to_string(size - 1);
  return invalid_value(
      option, *given, (size == 0 ? std::string("there are none") : range) + (is_token ? ", or a token" : ""));
}

Result<int> row_of(const CommandOptions& o, const Session& session, const StageId& stage) {
  return index_along("--row", o.row, session, stage, info(stage.kind).rows);
}

Result<int> column_of(const CommandOptions& o, const Session& session, const StageId& stage) {
  return index_along("--column", o.column, session, stage, info(stage.kind).cols);
}

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

}  // namespace headscope
