#include "core/tasks/reading.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "core/tasks/phrase_reader.h"
#include "core/tasks/sentence.h"

namespace headscope {
namespace {

/// The part of a sentence that a frame must cover.
enum class Extent : std::uint8_t {
  whole,  ///< The whole sentence, except for an opening or closing clause.
  part    ///< Any part of the sentence.
};

/// Combines the readings of a sentence.
class Readings {
 public:
  Readings(std::size_t n_words, Extent extent) : extent_(extent), rows_(n_words, nobody_said) {}

  void add(const std::vector<int>& meanings) {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      // A part of the sentence says nothing about the pronouns in the rest.
      if (extent_ == Extent::part && meanings[row] < 0) continue;
      if (rows_[row] == nobody_said) rows_[row] = meanings[row];
      if (rows_[row] != meanings[row]) rows_[row] = -1;
    }
    has_any_ = true;
  }
  /// Must be called if the search was cut short: there may be another reading, so nothing is certain.
  void give_up() {
    std::ranges::fill(rows_, -1);
    has_any_ = true;
  }
  bool has_any() const { return has_any_; }
  std::vector<int> rows() const {
    std::vector<int> said = rows_;
    for (int& row : said) row = std::max(row, -1);
    return said;
  }

 private:
  static constexpr int nobody_said = -2;
  Extent extent_;
  std::vector<int> rows_;
  bool has_any_ = false;
};

/// The pieces that are still to be matched: the rest of a phrase, followed by the rest of the phrase around
/// it.
struct Rest {
  const Phrase* phrase = nullptr;
  std::size_t at = 0;
  const Rest* then = nullptr;
};

/// Finds all readings of a sentence as one frame, piece by piece, backtracking when a piece does not fit.
class FrameReader {
 public:
  FrameReader(const Grammar& grammar, const CompiledFrame& frame, PhraseReader& phrases, Readings& readings,
              Extent extent)
      : grammar_(grammar), frame_(frame), phrases_(phrases), readings_(readings), extent_(extent) {}

  void read() {
    std::vector<int> begins{0};
    if (extent_ == Extent::part) {
      for (int row = 1; row < phrases_.n_words(); ++row) begins.push_back(row);
    } else {
      for (const char* opening : {"past-opening", "present-opening"})
        std::ranges::copy(phrases_.ends_of_rule(opening, 0), std::back_inserter(begins));
    }
    const Rest all{&frame_.phrase, 0, nullptr};
    for (const int begin : begins) match(all, begin);
  }

 private:
  struct Slot {
    int row = -1;  ///< The row of its noun.
    /// The kinds that the frame, and what is said of the noun, allow.
    KindMask allowed = ~KindMask{0};
  };
  struct Pronoun {
    int row = 0;
    int form = 0;             ///< The index in it, he, she, they.
    std::optional<int> slot;  ///< Nullopt if it stands for the meant noun.
  };

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  void match(Rest rest, int row) {
    // Text that fits in too many ways is not worth the time.
    constexpr int most_steps = 20'000;
    if (++n_steps_ > most_steps) return readings_.give_up();
    if (rest.at == rest.phrase->size()) {
      if (rest.then != nullptr) return match(*rest.then, row);
      if (ends_at(row)) add_reading();
      return;
    }
    using Kind = Piece::Kind;
    const Piece& piece = (*rest.phrase)[rest.at];
    const Rest next{rest.phrase, rest.at + 1, rest.then};
    const FunctionWords& f = grammar_.function;
    switch (piece.kind) {
      case Kind::noun:
        for (const auto& noun : phrases_.nouns_at(row)) match_noun(piece.value, noun, next);
        return;
      case Kind::owner:
        for (const auto& noun : phrases_.owners_at(row)) match_noun(piece.value, noun, next);
        return;
      case Kind::bare_noun:
        return match_noun(piece.value, {row, row + 1}, next);
      case Kind::noun_again:
        for (const auto& noun : phrases_.nouns_at(row)) {
          const int before = slots_[at(piece.value)].row;
          if (phrases_.word(noun.row) == phrases_.word(before)) match_noun(piece.value, noun, next);
        }
        return;
      case Kind::action:
        return match_action(piece, next, row);
      case Kind::saying:
        for (const auto& said : phrases_.predicates_at(row))
          with_kinds(piece.value, said.kinds, [&] { match(next, said.end); });
        return;
      case Kind::deciding_saying:
        for (const auto& said : phrases_.predicates_at(row))
          with_kinds(Piece::the_meant, said.kinds, [&] { match(next, said.end); });
        return;
      case Kind::meant:
        return match_pronoun(f.subject, std::nullopt, next, row);
      case Kind::meant_object:
        return match_pronoun(f.object, std::nullopt, next, row);
      case Kind::subject:
        return match_pronoun(f.subject, piece.value, next, row);
      case Kind::object:
        return match_pronoun(f.object, piece.value, next, row);
      case Kind::decider:
        return match_decider(next, row);
      default:
        for (const int end : phrases_.ends_of(piece, row)) match(next, end);
    }
  }

  /// Returns whether the frame may end at a row. It may be followed by another clause and a period.
  bool ends_at(int row) const {
    if (extent_ == Extent::part) return true;
    std::vector<int> ends = phrases_.ends_of_rule("closing", row);
    ends.push_back(row);
    return std::ranges::any_of(ends, [&](int end) {
      return end == phrases_.n_words() ||
             (end + 1 == phrases_.n_words() && phrases_.word(end) == grammar_.function.period);
    });
  }

  /// Continues with what is said of a noun if it can be said of it.
  template <class Then>
  void with_kinds(int slot, KindMask kinds, const Then& then) {
    KindMask& allowed = slot == Piece::the_meant ? meant_kinds_ : slots_[at(slot)].allowed;
    const KindMask before = allowed;
    allowed &= kinds;
    const int row = slot == Piece::the_meant ? -1 : slots_[at(slot)].row;
    if (allowed != 0 && (row < 0 || (phrases_.kinds_at(row) & allowed) != 0)) then();
    allowed = before;
  }

  void match_noun(int slot, const PhraseReader::NounPhrase& noun, const Rest& next) {
    Slot& of = slots_[at(slot)];
    if (frame_.allowed(slot, phrases_.kinds_at(noun.row) & of.allowed) == 0) return;
    const int before = std::exchange(of.row, noun.row);
    match(next, noun.end);
    of.row = before;
  }

  /// The object follows the verb, and the words that belong to the verb follow the object.
  void match_action(const Piece& piece, const Rest& next, int row) {
    static const Phrase nothing;
    for (const auto& verb : phrases_.verbs_at(row)) {
      const Phrase object{(*next.phrase)[next.at]};
      const Rest after{next.phrase, next.at + 1, next.then};
      const Rest particle{verb.action == nullptr ? &nothing : &verb.action->after_object, 0, &after};
      const Rest all{&object, 0, &particle};
      const KindMask subjects = verb.action == nullptr ? ~KindMask{0} : verb.action->subjects;
      const KindMask objects = verb.action == nullptr ? ~KindMask{0} : verb.action->objects;
      with_kinds(piece.value, subjects,
                 [&] { with_kinds(piece.object, objects, [&] { match(all, verb.end); }); });
    }
  }

  void match_pronoun(const std::array<int, 4>& forms, std::optional<int> slot, const Rest& next, int row) {
    const auto form = std::ranges::find(forms, phrases_.word(row));
    if (form == forms.end()) return;
    pronouns_.push_back({row, static_cast<int>(form - forms.begin()), slot});
    match(next, row + 1);
    pronouns_.pop_back();
  }

  void match_decider(const Rest& next, int row) {
    for (const bool means_a : {true, false}) {
      const int rule = means_a ? frame_.decides_a : frame_.decides_b;
      if (rule < 0) continue;
      means_a_ = means_a;
      for (const int end : phrases_.ends_of({Piece::Kind::rule, rule}, row)) match(next, end);
      means_a_.reset();
    }
  }

  bool agrees(int slot, int form) const {
    return (phrases_.pronouns_at(slots_[at(slot)].row) >> static_cast<unsigned>(form) & 1U) != 0;
  }

  /// Returns whether a noun may be the meant one, judging by the pronoun and by what is said of it.
  bool may_mean(int slot, int form) const {
    const Slot& of = slots_[at(slot)];
    return of.row >= 0 && agrees(slot, form) && (phrases_.kinds_at(of.row) & meant_kinds_) != 0;
  }

  /// Returns the slots that a pronoun may stand for.
  std::vector<int> meant(const Pronoun& pronoun) const {
    std::vector<int> slots;
    const auto add_if = [&](int slot, bool may_be) {
      if (may_be) slots.push_back(slot);
    };
    if (pronoun.slot) {
      add_if(*pronoun.slot, agrees(*pronoun.slot, pronoun.form));
      // If two nouns have the same pronoun, it is open which is which.
      const int other = 1 - *pronoun.slot;
      const bool has_other = frame_.source->pronouns_differ && other >= 0;
      if (has_other && !slots.empty()) add_if(other, agrees(other, pronoun.form));
    } else if (means_a_) {
      add_if(*means_a_ ? 0 : 1, agrees(*means_a_ ? 0 : 1, pronoun.form));
    } else {
      for (const int slot : {0, 1}) add_if(slot, may_mean(slot, pronoun.form));
    }
    return slots;
  }

  /// Adds the reading, unless it has a pronoun that can stand for nothing.
  void add_reading() {
    std::vector<int> rows(at(phrases_.n_words()), -1);
    for (const Pronoun& pronoun : pronouns_) {
      const std::vector<int> slots = meant(pronoun);
      if (slots.empty()) return;
      if (slots.size() == 1) rows[at(pronoun.row)] = slots_[at(slots.front())].row;
    }
    readings_.add(rows);
  }

  const Grammar& grammar_;
  const CompiledFrame& frame_;
  PhraseReader& phrases_;
  Readings& readings_;
  Extent extent_;
  std::vector<Pronoun> pronouns_;
  std::array<Slot, 3> slots_;
  KindMask meant_kinds_ = ~KindMask{0};
  std::optional<bool> means_a_;
  int n_steps_ = 0;
};

}  // namespace

std::vector<int> decided_nouns(const Grammar& grammar, std::span<const int> words) {
  if (words.size() > longest_sentence) return std::vector<int>(words.size(), -1);
  std::vector<int> unknown(words.begin(), words.end());
  for (const int row : PhraseReader(grammar, words).noun_rows()) {
    const int id = words[static_cast<std::size_t>(row)];
    const bool is_owner = grammar.owner_words[static_cast<std::size_t>(id)] >= 0;
    if (!is_owner) unknown[static_cast<std::size_t>(row)] = Grammar::first_placeholder;
  }
  Readings readings(words.size(), Extent::part);
  PhraseReader phrases(grammar, unknown);
  for (const CompiledFrame& frame : grammar.frames) {
    if (frame.decides_a < 0 || frame.decides_b < 0) continue;
    FrameReader(grammar, frame, phrases, readings, Extent::part).read();
  }
  return readings.rows();
}

std::vector<int> antecedents(const Grammar& grammar, std::span<const int> words) {
  if (words.size() > longest_sentence) return std::vector<int>(words.size(), -1);
  Readings readings(words.size(), Extent::whole);
  PhraseReader phrases(grammar, words);
  // Frames in which certain words decide take precedence over those in which what can be said of a noun
  // decides.
  for (const bool is_open : {false, true}) {
    for (const CompiledFrame& frame : grammar.frames) {
      if (frame.is_open == is_open) FrameReader(grammar, frame, phrases, readings, Extent::whole).read();
    }
    if (readings.has_any()) return readings.rows();
  }
  return std::vector<int>(words.size(), -1);
}

}  // namespace headscope
