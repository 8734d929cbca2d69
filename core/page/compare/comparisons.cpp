#include <algorithm>
#include <string>
#include <vector>

#include "core/engine/opening.h"
#include "core/model/trained_model.h"
#include "core/page/compare/compare_page.h"

namespace headscope {
namespace {

/// The first word of a sentence that another sentence does not have in the same place.
std::string differing_word(const std::string& sentence, const std::string& other) {
  const std::vector<Token> words = tokenize(sentence, TokenizerKind::word);
  const std::vector<Token> others = tokenize(other, TokenizerKind::word);
  const auto differs = std::ranges::mismatch(words, others, {}, &Token::lookup, &Token::lookup);
  return differs.in1 == words.end() ? "" : differs.in1->text;
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
  Session alone = session;
  alone.selection.heads.clear();
  if (const auto example = paired_example(alone))
    all.push_back({"The sentence with “" + differing_word(example->sentence, session.sentence) + "”",
                   {Hold{*example}, shown}});
  if (const auto other = with_other_head(session))
    all.push_back({"Another head, same sentence", {Hold{*other}, shown}});
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
