// Fuzzes typed text: UTF-8, tokens, tokens that are followed through an edit, numbers, blanks and paths of
// stages. A NUL separates the text before an edit from the text after it.

#include <cmath>
#include <limits>

#include "app/cli/option_values.h"
#include "app/cli/shell_words.h"
#include "core/exact_text.h"
#include "core/io/csv.h"
#include "core/model/stage.h"
#include "core/tasks/task.h"
#include "core/text/letters.h"
#include "core/text/number_text.h"
#include "core/text/texts.h"
#include "core/text/utf8.h"
#include "core/text/vocabulary.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/unit/io/written_matrix.h"

namespace headscope {
namespace {

using fuzzing::is_utf8;
using fuzzing::require;

void check_utf8(std::string_view text) {
  const std::string valid = valid_utf8(text);
  require(is_utf8(valid), "mended text is UTF-8");
  require(!is_utf8(text) || valid == text, "well-formed text stays as it is");
  const std::vector<char32_t> points = code_points(text);
  std::string joined;
  for (const char32_t point : points) {
    joined += to_utf8(point);
    require(lower_case(lower_case(point)) == lower_case(point), "lower case is lower case");
    require(!(is_separator(point) && is_punctuation(point)), "a separator is no token");
  }
  require(joined == valid, "code points are those of the mended text");
  for (const std::size_t most : {std::size_t{1}, std::size_t{2}, std::size_t{40}}) {
    const std::string cut = truncated(valid, most);
    require(is_utf8(cut) && code_points(cut).size() <= most, "what is shortened is short");
    require(points.size() > most || cut == valid, "what is short stays");
  }
}

std::string joined(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) text += token.text + " ";
  return text;
}

void check_tokens(std::string_view text, TokenizerKind kind) {
  const std::vector<Token> tokens = tokenize(text, kind);
  for (const Token& token : tokens) {
    require(!token.text.empty() && !token.lookup.empty(), "a token has letters");
    require(is_utf8(token.text) && is_utf8(token.lookup), "a token is UTF-8");
    require(token.id >= 0, "a token has an id");
    for (const char32_t point : code_points(token.text)) {
      require(!is_separator(point), "a token has no separator in it");
    }
    require(is_blank(token.lookup) == (token.lookup.find_first_not_of('_') == std::string::npos),
            "a blank is underscores alone");
  }
  require(tokenize(joined(tokens), kind) == tokens, "tokens that are typed again are the same");
}

void check_following(std::string_view before, std::string_view after) {
  const auto old_tokens = tokenize(before, TokenizerKind::word);
  const auto new_tokens = tokenize(after, TokenizerKind::word);
  const std::vector<int> followed = align_tokens(old_tokens, new_tokens);
  require(followed.size() == old_tokens.size(), "every token is followed");
  int last = -1;
  for (std::size_t i = 0; i < followed.size(); ++i) {
    if (followed[i] == -1) continue;
    require(followed[i] > last && followed[i] < static_cast<int>(new_tokens.size()),
            "tokens keep their order");
    require(new_tokens[static_cast<std::size_t>(followed[i])].lookup == old_tokens[i].lookup,
            "a token is followed to itself");
    last = followed[i];
  }
  const std::vector<int> same = align_tokens(old_tokens, old_tokens);
  for (std::size_t i = 0; i < same.size(); ++i) {
    require(same[i] == static_cast<int>(i), "without an edit every token stays");
  }
}

void check_number(std::string_view text) {
  if (const auto number = parse_int(text)) require(grouped(*number).size() >= 1, "a count can be read");
  const auto number = parse_double(text);
  if (number) {
    require(!number_text(*number).empty() && is_utf8(number_text(*number)), "a number can be read");
    require(std::isnan(*number) || parse_double(exact_text(*number)) == number,
            "a number is written exactly");
  }
  for (const auto& error : {parse_whole_number("--heads", text, 1, 16).map([](int) {}),
                            parse_decimal_number("--dropout", text, 0.0, 0.95).map([](double) {}),
                            parse_dimensions("--size", text, 320, 8192).map([](const auto&) {})}) {
    if (!error) fuzzing::require_readable(error.error().message);
  }
}

void check_names(std::string_view text) {
  const std::vector<std::string> names{"weights", "feed_forward.W_1", "render", "tokenize"};
  near_matches(text, names);
  if (const auto id = parse_path(text)) require(path(*id) == text, "a path is read as it is written");
  parse_stage_kind(text);
  std::string printable(text.substr(0, text.find('\0')));
  require(!shell_quoted(printable).empty(), "a word for the shell is there");
  const std::vector<std::string> labels{printable, "b"};
  const float numbers[] = {1.0F, -std::numeric_limits<float>::infinity()};
  require(!csv_text({numbers, 2, 1, 1}, text, labels, {}).empty(), "a table is written");
}

void check_tasks(std::string_view text) {
  for (const TaskKind kind : {TaskKind::pronouns, TaskKind::copying, TaskKind::reversing}) {
    const Task& learned = task(kind);
    std::vector<Token> tokens = tokenize(text, TokenizerKind::word);
    learned.vocabulary().assign_ids(tokens);
    std::vector<int> ids;
    for (const Token& token : tokens) ids.push_back(token.id);
    const std::string target = learned.target_of(text);
    require(is_utf8(target), "a wanted target is UTF-8");
    std::vector<Token> target_tokens = tokenize(target, TokenizerKind::word);
    learned.vocabulary().assign_ids(target_tokens);
    std::vector<int> target_ids;
    for (const Token& token : target_tokens) target_ids.push_back(token.id);
    const std::vector<int> expected = learned.rows(ids, target_ids).expected;
    require(expected.size() == (target_ids.empty() ? ids.size() : target_ids.size()), "every row is asked");
    for (const int id : expected) {
      require(id >= -1 && id < learned.vocabulary().size(), "what is wanted is a word");
    }
  }
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  // The limits keep runs short, because some checks look at every character many times.
  constexpr std::size_t longest_text = 100'000;
  constexpr std::size_t longest_word = 300;
  constexpr std::size_t longest_sentence = 2000;
  const std::string_view input = fuzzing::text_of(data, size);
  const auto parts = fuzzing::parts_of(input, 2);
  check_utf8(input.substr(0, longest_text));
  check_tokens(input.substr(0, longest_text), TokenizerKind::word);
  check_tokens(input.substr(0, longest_text), TokenizerKind::seed1);
  check_following(parts[0], parts[1]);
  check_number(input.substr(0, longest_word));
  check_names(input.substr(0, longest_word));
  check_tasks(input.substr(0, longest_sentence));
  return 0;
}
