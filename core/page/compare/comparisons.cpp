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

std::string named_head(const HeadIndex& place) {
  return std::to_string(place.layer) + "." + std::to_string(place.head);
}

}  // namespace

std::vector<PossibleComparison> comparisons(const Session& session) {
  // Each A is made on demand, because another model tokenizes the texts again.
  const auto holds = [&session](auto make) {
    return [&session, make] {
      return std::vector<Action>{SetCompared{make(session)}, SetView{PageName::compare}};
    };
  };
  std::vector<PossibleComparison> all;
  const std::vector<HeadIndex>& picked = session.selection.heads;
  if (picked.size() > 1)
    all.push_back({"The picked heads " + named_head(picked[0]) + " and " + named_head(picked[1]),
                   [&session] { return default_comparison(session); }, true, true});
  Session alone = session;
  alone.selection.heads.clear();
  if (const auto example = paired_example(alone))
    all.push_back({"The sentence with “" + differing_word(example->sentence, session.sentence) + "”",
                   holds([example](const Session&) { return *example; }), false, true});
  if (const auto other = with_other_head(session))
    all.push_back(
        {"Another head, same sentence", holds([other](const Session&) { return *other; }), false, true});
  if (session.model && !session.model->is_capture())
    all.push_back({"The same model untrained", holds(untrained_variant)});
  const bool is_masked = !(selected_mask(session, session.attention) == MaskSpec{});
  if (is_masked) all.push_back({"The same without its mask", holds(unmasked_variant)});
  if (session.attention.scale) all.push_back({"The same without scaling", holds(unscaled_variant)});
  all.push_back({"What you change next", holds([](const Session&) { return std::optional<Subject>(); })});
  return all;
}

}  // namespace headscope
