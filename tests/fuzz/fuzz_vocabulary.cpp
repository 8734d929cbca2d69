// Fuzzes a vocabulary, and the ids that it gives to its own and to other words.

#include <algorithm>

#include "core/text/tokenizer.h"
#include "core/text/vocabulary.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

using fuzzing::require;

void check_ids(const Vocabulary& vocabulary, std::string_view sentence) {
  std::vector<Token> tokens = tokenize(sentence, TokenizerKind::word);
  vocabulary.assign_ids(tokens);
  for (const Token& token : tokens) {
    require(token.id >= 0 && token.id < vocabulary.size(), "an id is that of a word");
    const auto own = vocabulary.find(token.lookup);
    require(!own || token.id == *own, "a known word has its own id");
    require(!own || vocabulary.knows(token), "a word that is found is known");
  }
}

void check_vocabulary(std::string_view text) {
  constexpr std::size_t longest_sentence = 10'000;
  const auto vocabulary = Vocabulary::from_text(text);
  if (!vocabulary) return fuzzing::require_readable(vocabulary.error().message);
  require(vocabulary->size() > 0, "a vocabulary has words");
  for (int id = 0; id < vocabulary->size(); ++id) {
    require(vocabulary->find(vocabulary->word(id)) == id, "a word is found by its text");
  }
  for (const int id : {vocabulary->pad(), vocabulary->blank(), vocabulary->begin(), vocabulary->end()}) {
    require(id >= -1 && id < vocabulary->size(), "a special word is a word");
  }
  require(vocabulary->n_ordinary() + vocabulary->n_placeholders() <= vocabulary->size(),
          "a word is ordinary or special");
  const auto again = Vocabulary::from_text(vocabulary->to_text());
  require(again && again->words() == vocabulary->words(), "a vocabulary read back is the same");
  check_ids(*vocabulary, text.substr(0, longest_sentence));
  check_ids(*vocabulary, text.substr(text.size() - std::min(text.size(), longest_sentence)));
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  headscope::check_vocabulary(headscope::fuzzing::text_of(data, size));
  return 0;
}
