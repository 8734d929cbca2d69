#include "core/engine/held_out.h"

#include "core/tasks/pronouns.h"

namespace headscope {

std::string text_of(const Vocabulary& vocabulary, const std::vector<int>& ids) {
  std::string text;
  for (const int id : ids) text.append(text.empty() ? "" : " ").append(vocabulary.word(id));
  return text;
}

std::vector<HeldOutText> held_out_texts(TaskKind kind, int n, std::uint64_t seed) {
  std::vector<HeldOutText> texts;
  texts.reserve(static_cast<std::size_t>(n));
  if (kind == TaskKind::pronouns) {
    for (const MinimalPair& pair : minimal_pairs(n, seed)) texts.push_back({pair.text, ""});
    return texts;
  }
  const Task& learned = task(kind);
  RandomStream random(seed, "held-out texts");
  for (int i = 0; i < n; ++i) {
    const Example example = learned.draw(random, Split::held_out);
    texts.push_back(
        {text_of(learned.vocabulary(), example.source), text_of(learned.vocabulary(), example.target)});
  }
  return texts;
}

}  // namespace headscope
