#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/tasks/grammar.h"
#include "core/tasks/task.h"
#include "core/tensor/random.h"

namespace headscope {

/// A sentence of the grammar, before anything in it is replaced or blanked.
struct Sentence {
  const CompiledFrame* frame = nullptr;
  bool means_a = true;  ///< which noun the pronouns P and O stand for
  /// Nothing else tells which noun is meant: the nouns ask for different pronouns.
  bool pronoun_decides = false;
  std::vector<int> words;                    ///< ids
  std::vector<std::uint8_t> is_key;          ///< per word: the pronoun cannot be told without it
  std::vector<std::uint8_t> has_content;     ///< per word: a noun, verb, adjective or adverb of the tables
  std::vector<int> means;                    ///< per word: of a pronoun, the row of its noun; else −1
  std::array<int, 3> noun_rows{-1, -1, -1};  ///< where A, B and C are, the last time
  std::size_t core_begin = 0;  ///< the words of the frame; before and after them may be other clauses
  std::size_t core_end = 0;
  bool has_pronoun = false;
  /// Nobody can tell which noun is meant: what is said fits both, or belongs to another frame.
  bool is_undecided = false;
  /// The pronoun may stand for A and for B.
  bool shares_pronoun = false;
  int decider_row = -1;  ///< the only word of what decides; −1: there is no such word, or it has several
};

/// At most so many tokens.
constexpr std::size_t longest_sentence = 24;

/// Any sentence of the grammar. In decisive frames each noun is meant about equally often.
Sentence draw_sentence(const Grammar& grammar, RandomStream& random);

/// The split of a sentence of this grammar by its canonical text: split_of(), and held out is also what holds
/// both nouns, or both things of which facts are told, of a sentence of the documents: animal and street,
/// trophy and suitcase, sky and grass, sky and world.
Split split_of_sentence(std::string_view canonical_text);

/// What split_of_sentence() asks for: the words of the frame, so that what is held out is not learned from
/// inside a longer sentence either.
std::string canonical_text(const Grammar& grammar, const Sentence& sentence);

}  // namespace headscope
