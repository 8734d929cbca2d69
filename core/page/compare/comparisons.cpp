#include "core/page/compare/comparisons.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "core/engine/opening.h"
#include "core/model/trained_model.h"

namespace headscope {
namespace {

/// The example that differs from the sentence in one word, as A. Empty if there is none.
std::optional<Hold> paired_example(const Session& session) {
  Session alone = session;
  alone.view = PageName::compare;
  alone.selection.heads.clear();
  const std::vector<Action> actions = beginning_comparison(alone);
  const auto* hold = actions.empty() ? nullptr : std::get_if<Hold>(&actions.front());
  if (hold == nullptr || !hold->subject || hold->subject->sentence == session.sentence) return std::nullopt;
  return *hold;
}

/// The first word of a sentence that another sentence does not have in the same place.
std::string differing_word(const std::string& sentence, const std::string& other) {
  const std::vector<Token> words = tokenize(sentence, TokenizerKind::word);
  const std::vector<Token> others = tokenize(other, TokenizerKind::word);
  const auto differs = std::ranges::mismatch(words, others, {}, &Token::lookup, &Token::lookup);
  return differs.in1 == words.end() ? "" : differs.in1->text;
}

/// The head to compare with the selected one: the picked one, or the next.
std::optional<HeadPlace> other_head(const Session& session) {
  const Selection& selection = session.selection;
  const HeadPlace selected{selection.layer, selection.head};
  if (selection.heads.size() == 1 && selection.heads.front() != selected) return selection.heads.front();
  const Architecture& a = session.architecture;
  if (a.n_heads > 1) return HeadPlace{selection.layer, (selection.head + 1) % a.n_heads};
  if (a.n_layers > 1) return HeadPlace{(selection.layer + 1) % a.n_layers, 0};
  return std::nullopt;
}

std::string named_head(const HeadPlace& place) {
  return std::to_string(place.layer) + "." + std::to_string(place.head);
}

}  // namespace

std::vector<PossibleComparison> comparisons(const Session& session) {
  const SetView shown{PageName::compare};
  std::vector<PossibleComparison> all;
  const std::vector<HeadPlace>& picked = session.selection.heads;
  if (picked.size() > 1)
    all.push_back({"The picked heads " + named_head(picked[0]) + " and " + named_head(picked[1]),
                   beginning_comparison(session), true});
  if (const auto example = paired_example(session))
    all.push_back({"The sentence with “" + differing_word(example->subject->sentence, session.sentence) + "”",
                   {*example, shown}});
  if (const auto other = other_head(session))
    all.push_back({"Another head, same sentence", {Hold{}, OpenHead{*other}, shown}, true});
  if (session.model && !session.model->is_capture())
    all.push_back({"The same model untrained", {Hold{untrained_twin(session)}, shown}});
  const bool is_masked = !(selected_mask(session, session.attention) == MaskSpec{});
  if (is_masked) all.push_back({"The same without its mask", {Hold{unmasked_twin(session)}, shown}});
  if (session.attention.scale)
    all.push_back({"The same without scaling", {Hold{unscaled_twin(session)}, shown}});
  all.push_back({"What you change next", {Hold{}, shown}});
  return all;
}

}  // namespace headscope
