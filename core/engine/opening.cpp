#include "core/engine/opening.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <set>
#include <string_view>

#include "core/split_text.h"
#include "core/tasks/task.h"
#include "core/text/choices.h"
#include "core/text/letters.h"
#include "core/text/utf8.h"
#include "core/train/trainer.h"

namespace headscope {
namespace {

constexpr std::array<std::string_view, 7> pronouns{"it", "he", "she", "they", "him", "her", "them"};

bool is_pronoun(std::string_view lookup) {
  return std::ranges::find(pronouns, lookup) != pronouns.end();
}

/// The row to look at. A blank takes precedence over a pronoun, because leaving out a word asks for it.
std::optional<int> asked_row(const std::vector<Token>& tokens) {
  for (const auto is_asked : {is_blank, is_pronoun}) {
    const auto found = std::ranges::find_if(tokens, is_asked, &Token::lookup);
    if (found != tokens.end()) return static_cast<int>(found - tokens.begin());
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> token_of_interest(const Session& session) {
  if (session.model && !session.model->mask_text.empty() && session.tokenizer == TokenizerKind::model) {
    const Texts read = texts_of(session);
    const auto masked = std::ranges::find(read.sentence(), session.model->mask_text, &Token::lookup);
    if (masked != read.sentence().end()) return static_cast<int>(masked - read.sentence().begin());
  }
  const auto kind = parse_task_name(session.task);
  if (!kind) return std::nullopt;
  const Texts texts = texts_of(session);
  const std::vector<Token>& tokens = texts.sentence();
  const auto n = static_cast<int>(tokens.size());
  if (*kind == TaskKind::pronouns) return asked_row(tokens);
  if (*kind == TaskKind::reversing) {
    return texts.target().size() > 1 ? std::optional(1) : std::nullopt;
  }
  return n > 0 ? std::optional(n * 3 / 4) : std::nullopt;
}

bool is_word(const Token& token) {
  return !token.is_special && !is_mark(token) && !std::ranges::all_of(code_points(token.text), is_separator);
}

std::optional<int> default_row(const Session& session) {
  if (const auto token = token_of_interest(session)) return token;
  if (!session.model) return std::nullopt;
  const Texts texts = texts_of(session);
  const std::vector<Token>& tokens = session.architecture.has_cross() ? texts.target() : texts.sentence();
  const auto found = std::find_if(tokens.rbegin(), tokens.rend(), is_word);
  if (found == tokens.rend()) return std::nullopt;
  return static_cast<int>(tokens.rend() - found) - 1;
}

std::vector<Action> actions_to_show_example(const Session& session, const std::string& sentence) {
  const auto kind = parse_task_name(session.task);
  if (!kind) return {SetSentence{sentence}};
  Session shown = session;
  shown.sentence = sentence;
  const std::string target = task(*kind).target_of(sentence);
  if (!target.empty()) shown.target = target;
  return {SetSentence{sentence, target.empty() ? std::nullopt : std::optional(target)},
          SelectToken{token_of_interest(shown)}};
}

SetSentence with_correct_target(const Session& session, SetSentence action) {
  const auto kind = parse_task_name(session.task);
  if (!kind || action.target) return action;
  const std::string correct_target = task(*kind).target_of(session.sentence);
  if (!correct_target.empty() && session.target == correct_target)
    action.target = task(*kind).target_of(action.sentence);
  return action;
}

namespace {

/// Whether more than `n` words stand between blanks. Reads no more of the text than that takes.
bool has_more_words(std::string_view text, std::size_t n) {
  for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != std::string_view::npos; --n) {
    if (n == 0) return true;
    at = std::min(text.find(' ', at), text.size());
  }
  return false;
}

/// Returns whether two sentences have equally many words and differ in exactly one of them.
bool differ_by_one_word(const std::string& example, const std::string& sentence) {
  const std::vector<Token> words_a = tokenize(example, TokenizerKind::word);
  if (has_more_words(sentence, words_a.size())) return false;
  const std::vector<Token> words_b = tokenize(sentence, TokenizerKind::word);
  if (words_a.size() != words_b.size()) return false;
  int differences = 0;
  for (std::size_t i = 0; i < words_a.size(); ++i)
    differences += words_a[i].lookup != words_b[i].lookup ? 1 : 0;
  return differences == 1;
}

std::optional<std::string> paired_sentence(const Session& session) {
  const auto kind = parse_task_name(session.task);
  if (!kind || !session.model) return std::nullopt;
  for (const std::string& sentence : task(*kind).example_sentences()) {
    if (differ_by_one_word(sentence, session.sentence)) return sentence;
  }
  return std::nullopt;
}

}  // namespace

bool is_long_text(std::size_t bytes) {
  constexpr std::size_t most = 1U << 14U;
  return bytes > most;
}

std::size_t bytes_of(const std::vector<std::string>& texts) {
  return std::transform_reduce(texts.begin(), texts.end(), std::size_t{0}, std::plus<>(),
                               [](const std::string& text) { return text.size(); });
}

bool is_long_subject(const Subject& subject) {
  return is_long_text(subject.sentence.size() + subject.target.size() + bytes_of(subject.batch));
}

Subject untrained_variant(const Session& session) {
  return reduce(session, OpenModel{nullptr, {}, {}}).subject();
}

Subject unmasked_variant(const Session& session) {
  Session unmasked = session;
  selected_mask(unmasked, unmasked.attention) = {};
  return unmasked.subject();
}

Subject unscaled_variant(const Session& session) {
  Session unscaled = session;
  unscaled.attention.scale = false;
  return unscaled.subject();
}

std::optional<Subject> paired_example(const Session& session) {
  const auto sentence = paired_sentence(session);
  if (!sentence) return std::nullopt;
  Session other = session;
  for (const Action& action : actions_to_show_example(session, *sentence)) other = reduce(other, action);
  return other.subject();
}

namespace {

std::optional<HeadIndex> other_head(const Session& session) {
  const Selection& selection = session.selection;
  const HeadIndex selected{selection.layer, selection.head};
  if (selection.heads.size() == 1 && selection.heads.front() != selected) return selection.heads.front();
  const Architecture& a = session.architecture;
  if (a.n_heads > 1) return HeadIndex{selection.layer, (selection.head + 1) % a.n_heads};
  const int n_layers = a.layers_of(selection.stack);
  if (n_layers > 1) return HeadIndex{(selection.layer + 1) % n_layers, 0};
  return std::nullopt;
}

}  // namespace

std::optional<Subject> with_other_head(const Session& session) {
  const auto other = other_head(session);
  return other ? std::optional(reduce(session, open_head(*other)).subject()) : std::nullopt;
}

std::vector<Action> default_comparison(const Session& session) {
  const SetView shown{PageName::compare};
  const std::vector<HeadIndex>& picked = session.selection.heads;
  if (picked.size() > 1) {
    // What is shown stays B if it is one of them.
    const bool shows_first = picked[0] == HeadIndex{session.selection.layer, session.selection.head};
    const HeadIndex& a = picked[shows_first ? 1 : 0];
    return {SetCompared{reduce(session, open_head(a)).subject()}, open_head(picked[shows_first ? 0 : 1]),
            shown};
  }
  // A capture has nothing else to compare.
  const bool is_capture = session.model && session.model->is_capture();
  const bool compares_heads = session.view == PageName::heads || is_capture;
  if (const auto other = with_other_head(session); compares_heads && other)
    return {SetCompared{*other}, shown};
  if (const auto example = paired_example(session)) return {SetCompared{*example}, shown};
  // Without its model, a long text would have to be read again, which takes longer than a frame.
  if (session.model && !is_long_subject(session)) return {SetCompared{untrained_variant(session)}, shown};
  const bool is_masked = !(selected_mask(session, session.attention) == MaskSpec{});
  if (is_masked) return {SetCompared{unmasked_variant(session)}, shown};
  return {SetCompared{}, shown};
}

Action typed(const Session& session, const SetSentence& action) {
  const std::vector<std::string> sentences = expand_alternatives(action.sentence, max_compared + 1);
  if (sentences.size() == 1) return with_correct_target(session, action);
  SetChoices choices;
  for (const std::string& sentence : sentences)
    choices.sentences.push_back(with_correct_target(session, {sentence, action.target}));
  return choices;
}

namespace {

/// The different ids of the words in a text.
std::set<int> ids_of_words(const Tokenizer& tokenizer, std::string_view text) {
  std::set<int> ids;
  for (const Token& token : tokenizer.tokenize(text))
    if (is_word(token)) ids.insert(token.id);
  return ids;
}

/// A text for a model that knows no word of the usual one, such as one that sorts the letters A, B and C: the
/// first words of its vocabulary, again and again. Empty if its tokenizer does not read them either.
/// `placeholder` is what it takes for the words of the usual text.
std::string text_of_vocabulary(const TrainedModel& model, const std::set<int>& placeholder) {
  constexpr std::size_t most = 6;
  constexpr std::size_t most_tried = 1000;
  const std::vector<std::string>& words = model.vocabulary.words();
  std::vector<Token> tokens;
  for (std::size_t id = 0; id < std::min(words.size(), most_tried) && tokens.size() < most; ++id) {
    const std::vector<Token> alone{{words[id], words[id], static_cast<int>(id)}};
    const std::vector<Token> read =
        model.tokenizer->tokenize(model.tokenizer->with_appended_tokens("", alone));
    const auto is_same = [&](const Token& each) {
      return is_word(each) && each.id == alone.front().id && !placeholder.contains(each.id);
    };
    if (std::ranges::any_of(read, is_same)) tokens.push_back(alone.front());
  }
  const std::size_t n_found = tokens.size();
  while (n_found > 0 && tokens.size() < most) tokens.push_back(Token(tokens[tokens.size() - n_found]));
  std::string text = model.tokenizer->with_appended_tokens("", tokens);
  return ids_of_words(*model.tokenizer, text).size() > 1 ? text : "";
}

}  // namespace

OpenModel opening_action(const std::shared_ptr<const TrainedModel>& model) {
  OpenModel action{model, {}, {}};
  if (model->is_capture()) {
    action.example = model->text;
    action.example_target = model->target_text;
  } else if (model->tokenizer) {
    action.example = model->example.empty() ? default_sentence : model->example;
    // If all of its words are one and the same to the model, or left out, it does not read this text.
    const std::set<int> ids = ids_of_words(*model->tokenizer, action.example);
    std::string own = ids.size() > 1 ? "" : text_of_vocabulary(*model, ids);
    if (!own.empty()) action.example = std::move(own);
    if (model->model.architecture.has_cross()) action.example_target = default_target;
  }
  const auto kind = parse_task_name(model->task);
  if (!kind) return action;
  const TrainingRecipe recipe = training_recipe(*kind);
  action.training = {recipe.quick_steps, recipe.options.batch_size, recipe.options.adam.learning_rate};
  action.example = task(*kind).example_sentences().front();
  action.example_target = task(*kind).target_of(action.example);
  Session example;
  example.task = model->task;
  example.sentence = action.example;
  example.target = action.example_target;
  action.example_token = token_of_interest(example);
  return action;
}

std::string unsupported_parts_text(const TrainedModel& model, std::size_t most) {
  const std::vector<std::string>& keys = model.unknown_keys;
  std::string text = join_texts(model.warnings, ". ");
  if (keys.empty()) return text;
  text += text.empty() ? "" : ". ";
  text += "The configuration of this model says " + first_texts(keys, most) +
          (keys.size() > most ? " (headscope info lists all)" : "");
  return text + (keys.size() == 1 ? ", which Headscope does not know: it is ignored"
                                  : ", which Headscope does not know: they are ignored");
}

Result<Session> startup_session(const ModelSearchPaths& places) {
  return open_model(std::string(bundled_models.front().name), places).map([](const auto& model) {
    return reduce(default_session(), opening_action(model));
  });
}

}  // namespace headscope
