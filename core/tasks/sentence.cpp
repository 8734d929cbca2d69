#include "core/tasks/sentence.h"

#include <algorithm>
#include <array>

#include "core/split_text.h"
#include "core/tasks/sentence_writer.h"

namespace headscope {

Sentence draw_sentence(const Grammar& grammar, RandomStream& random) {
  for (;;) {
    if (auto sentence = SentenceWriter(grammar, random).write()) return std::move(*sentence);
  }
}

Split split_of_sentence(std::string_view canonical_text) {
  struct Pair {
    std::string_view one, other;
  };
  constexpr std::array of_documents{Pair{"animal", "street"}, Pair{"trophy", "suitcase"},
                                    Pair{"sky", "grass"}, Pair{"sky", "world"}};
  const std::vector<std::string_view> words = split_text(canonical_text, ' ');
  const auto has_word = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  for (const Pair& pair : of_documents) {
    if (has_word(pair.one) && has_word(pair.other)) return Split::held_out;
  }
  return split_of(canonical_text);
}

std::string canonical_text(const Grammar& grammar, const Sentence& sentence) {
  std::string text;
  for (std::size_t row = sentence.core_begin; row < sentence.core_end; ++row) {
    const int id = sentence.words[row];
    if (grammar.is_mark(id)) continue;
    if (!text.empty()) text += ' ';
    text += grammar.words[static_cast<std::size_t>(id)];
  }
  return text;
}

}  // namespace headscope
