#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/tasks/grammar.h"
#include "core/tasks/task.h"
#include "core/tensor/random.h"

namespace headscope {

/// A sentence of the grammar, before words in it are replaced or blanked.
struct Sentence {
  const CompiledFrame* frame = nullptr;
  bool means_a = true;  ///< True if the pronouns P and O stand for A, false if they stand for B.
  /// True if only the pronoun tells which noun is meant, because the nouns have different pronouns.
  bool pronoun_decides = false;
  std::vector<int> words;  ///< Ids.
  /// For each word, whether the pronoun cannot be resolved without it.
  std::vector<std::uint8_t> is_key;
  /// For each word, whether it is a noun, verb, adjective or adverb of the tables.
  std::vector<std::uint8_t> has_content;
  /// For each word, the row of its noun if it is a pronoun, else −1.
  std::vector<int> means;
  /// The rows of A, B and C where they last occur. −1 if they do not occur.
  std::array<int, 3> noun_rows{-1, -1, -1};
  /// The row where the words of the frame begin. Other clauses may precede them, and follow at `core_end`.
  std::size_t core_begin = 0;
  std::size_t core_end = 0;
  bool has_pronoun = false;
  /// True if the sentence leaves open which noun is meant, because what is said fits both or belongs to
  /// another frame.
  bool is_undecided = false;
  /// True if the pronoun may stand for both A and B.
  bool shares_pronoun = false;
  /// The row of the deciding word. −1 if there is none or if several words decide together.
  int decider_row = -1;
};

/// The greatest number of tokens in a sentence.
constexpr std::size_t longest_sentence = 24;

/// Draws a sentence of the grammar. In frames that decide, each noun is meant about equally often.
Sentence draw_sentence(const Grammar& grammar, RandomStream& random);

/// Returns the split of a sentence of this grammar by its canonical text. Besides what split_of() holds out,
/// this holds out every sentence that contains both nouns, or both things of which facts are told, of a
/// sentence of the documents: animal and street, trophy and suitcase, sky and grass, sky and world.
Split split_of_sentence(std::string_view canonical_text);

/// Returns the text that split_of_sentence() needs: the words of the frame, so that a held-out sentence is
/// not learned as part of a longer one.
std::string canonical_text(const Grammar& grammar, const Sentence& sentence);

}  // namespace headscope
