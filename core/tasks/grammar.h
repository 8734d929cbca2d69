#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/tasks/frames.h"
#include "core/tasks/noun_kinds.h"
#include "core/text/vocabulary.h"

namespace headscope {

/// One piece of a frame's or a rule's text (Frame says what there is).
struct Piece {
  enum class Kind { word, noun, meant, subject, object, decider, rule, comma, be, neg, didnt, fact };
  Kind kind = Kind::word;
  int value = 0;  ///< word: its id; noun, subject, object: slot 0 … 2; rule: its index
  bool is_key = false;
};

using Phrase = std::vector<Piece>;

struct CompiledFrame {
  const Frame* source = nullptr;
  Phrase phrase;
  std::array<std::vector<int>, 3> kinds;  ///< of each slot, indices of kinds; empty: no such noun
  bool b_is_kind_of_a = false;
  int decides_a = -1;  ///< indices of rules
  int decides_b = -1;
  double present_share = 0.0;  ///< how often it stands in the present tense
};

struct CompiledKind {
  NounPronoun pronoun = NounPronoun::it;
  std::vector<int> words;
  std::vector<int> adjectives;
};

struct CompiledFact {
  int subject = 0;
  std::vector<int> attributes;
  bool is_plural = false;
};

/// Words that drawing needs by name.
struct FunctionWords {
  int comma = 0, period = 0, the = 0, a = 0, an = 0;
  int was = 0, were = 0, is = 0, are = 0;
  std::array<int, 4> subject{};  ///< it, he, she, they
  std::array<int, 4> object{};   ///< it, him, her, them
};

/// The tables of frames, rules, kinds and facts as ids of one vocabulary: "[pad]", "[blank]", 256
/// placeholders, then the words in the order of the tables.
struct Grammar {
  std::vector<std::string> words;
  FunctionWords function;
  std::vector<CompiledKind> kinds;
  std::vector<std::vector<Phrase>> rules;
  std::unordered_map<std::string_view, int> rule_index;  ///< by name
  std::vector<CompiledFact> facts;
  std::vector<CompiledFrame> frames;
  std::vector<int> drawn_frames;  ///< indices of frames, each as often as its weight

  static constexpr int n_placeholders = 256;
  static constexpr int first_placeholder = 2;

  const std::vector<Phrase>& rule(std::string_view name) const {
    return rules[static_cast<std::size_t>(rule_index.at(name))];
  }
};

Grammar compile_grammar();

/// The parts of a text between separators; empty parts count.
std::vector<std::string_view> split_text(std::string_view text, char separator);

}  // namespace headscope
