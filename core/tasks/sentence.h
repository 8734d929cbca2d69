#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/tasks/grammar.h"
#include "core/tensor/random.h"

namespace headscope {

/// A sentence of the grammar, before anything in it is replaced or blanked.
struct Sentence {
  const Frame* frame = nullptr;
  bool means_a = true;                       ///< which noun the pronoun P stands for
  std::vector<int> words;                    ///< ids
  std::vector<std::uint8_t> is_key;          ///< per word: the pronoun cannot be told without it
  std::vector<int> means;                    ///< per word: of a pronoun, the row of its noun; else −1
  std::array<int, 3> noun_rows{-1, -1, -1};  ///< where A, B and C are
  std::size_t core_begin = 0;  ///< the words of the frame; before and after them may be other clauses
  std::size_t core_end = 0;
  bool has_pronoun = false;
};

/// At most so many tokens.
constexpr std::size_t longest_sentence = 22;

/// Any sentence of the grammar. In decisive frames each noun is meant equally often, and no noun is named a
/// second time.
Sentence draw_sentence(const Grammar& grammar, RandomStream& random);

/// What split_of() asks for: the words of the frame, so that what is held out is not learned from inside a
/// longer sentence either.
std::string canonical_text(const Grammar& grammar, const Sentence& sentence);

}  // namespace headscope
