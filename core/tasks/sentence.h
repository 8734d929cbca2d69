#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/tasks/grammar.h"
#include "core/tasks/task.h"
#include "core/tensor/random.h"

namespace headscope {

/// A generated sentence, before words are replaced or blanked.
struct Sentence {
  const CompiledFrame* frame = nullptr;
  bool means_a = true;  ///< Whether the pronouns P and O refer to A, not B
  /// Whether the pronoun itself decides, because the nouns have different pronouns.
  bool pronoun_decides = false;
  std::vector<int> words;  ///< Ids.
  /// For each word, whether resolving the pronoun requires it.
  std::vector<std::uint8_t> is_key;
  /// For each word, whether it is a content word (noun, verb, adjective or adverb).
  std::vector<std::uint8_t> has_content;
  /// For each pronoun, the row of its antecedent; −1 for other words.
  std::vector<int> antecedent_rows;
  /// The rows of the last occurrences of A, B and C, or −1.
  std::array<int, 3> noun_rows{-1, -1, -1};
  /// The rows [core_begin, core_end) of the frame itself, without surrounding clauses.
  std::size_t core_begin = 0;
  std::size_t core_end = 0;
  bool has_pronoun = false;
  /// Whether the antecedent is ambiguous, because the predicate fits both nouns or belongs to another frame.
  bool is_ambiguous = false;
  /// Whether the pronoun agrees with both A and B.
  bool shares_pronoun = false;
  /// The row of the deciding word. −1 if there is none or several.
  int deciding_row = -1;
};

/// The maximum number of tokens of a sentence.
constexpr std::size_t max_sentence_tokens = 24;

/// Generates a random sentence. In frames that decide, both antecedents are about equally likely.
Sentence draw_sentence(const Grammar& grammar, RandomStream& random);

/// The split of a sentence of this grammar by its canonical text. In addition to split_of(), holds out
/// sentences that contain both nouns, or both subjects of facts, of an example in the documentation: animal
/// and street, trophy and suitcase, sky and grass, sky and world.
Split split_of_sentence(std::string_view canonical_text);

/// The argument of split_of_sentence(): the words of the frame only, so that a held-out sentence is not
/// learned as part of a longer one.
std::string canonical_text(const Grammar& grammar, const Sentence& sentence);

}  // namespace headscope
