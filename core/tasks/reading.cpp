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

/// The remaining pieces to match: the rest of a phrase, then of the enclosing one.
struct Rest {
  const Phrase* phrase = nullptr;
  std::size_t at = 0;
  const Rest* then = nullptr;
};

/// Finds all readings of a sentence as frames, by backtracking, and combines them.
class FrameReader {
 public:
  /// A frame must cover the whole sentence, except for an opening or closing clause, unless `takes_parts`.
  FrameReader(const Grammar& grammar, PhraseReader& phrases, bool takes_parts)
      : grammar_(grammar),
        phrases_(phrases),
        takes_parts_(takes_parts),
        meanings_(at(phrases.n_words()), no_reading) {}

  void read(const CompiledFrame& frame) {
    frame_ = &frame;
    n_steps_ = 0;
    std::vector<int> begins{0};
    if (takes_parts_) {
      for (int row = 1; row < phrases_.n_words(); ++row) begins.push_back(row);
    } else {
      std::ranges::copy(phrases_.ends_of_rules({"past-opening", "present-opening"}, 0),
                        std::back_inserter(begins));
    }
    const Rest all{&frame.phrase, 0, nullptr};
    for (const int begin : begins) match(all, begin);
  }
  bool has_any() const { return has_any_; }
  /// The antecedent row of each word, or −1.
  std::vector<int> antecedents() const {
    std::vector<int> rows = meanings_;
    for (int& row : rows) row = std::max(row, -1);
    return rows;
  }

 private:
  struct Slot {
    int row = -1;  ///< Row of its noun
    /// The kinds allowed by the frame and the predicates.
    KindMask allowed = ~KindMask{0};
  };
  struct Pronoun {
    int row = 0;
    int form = 0;             ///< The index in it, he, she, they.
    std::optional<int> slot;  ///< Empty for the antecedent
  };

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  void match(Rest rest, int row) {
    // Give up on text with too many partial readings.
    constexpr int max_steps = 20'000;
    if (++n_steps_ > max_steps) return give_up();
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
        for (const int noun : phrases_.nouns_at(row)) match_noun(piece.value, noun, next);
        return;
      case Kind::owner:
        for (const int noun : phrases_.possessives_at(row)) match_noun(piece.value, noun, next);
        return;
      case Kind::bare_noun:
        return match_noun(piece.value, row, next);
      case Kind::noun_again:
        for (const int noun : phrases_.nouns_at(row)) {
          const int before = slots_[at(piece.value)].row;
          if (phrases_.word(noun) == phrases_.word(before)) match_noun(piece.value, noun, next);
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
      case Kind::deciding_word:
        return match_decider(next, row);
      default:
        for (const int end : phrases_.ends_of(piece, row)) match(next, end);
    }
  }

  /// Whether the frame may end at a row, possibly followed by another clause and a period.
  bool ends_at(int row) const {
    if (takes_parts_) return true;
    std::vector<int> ends = phrases_.ends_of_rules({"closing"}, row);
    ends.push_back(row);
    return std::ranges::any_of(ends, [&](int end) {
      return end == phrases_.n_words() ||
             (end + 1 == phrases_.n_words() && phrases_.word(end) == grammar_.function.period);
    });
  }

  /// Continues with a predicate of a noun if it applies.
  template <class Then>
  void with_kinds(int slot, KindMask kinds, const Then& then) {
    KindMask& allowed = slot == Piece::the_meant ? meant_kinds_ : slots_[at(slot)].allowed;
    const KindMask before = allowed;
    allowed &= kinds;
    const int row = slot == Piece::the_meant ? -1 : slots_[at(slot)].row;
    if (allowed != 0 && (row < 0 || (phrases_.kinds_at(row) & allowed) != 0)) then();
    allowed = before;
  }

  void match_noun(int slot, int noun, const Rest& next) {
    Slot& of = slots_[at(slot)];
    if (frame_->allowed(slot, phrases_.kinds_at(noun) & of.allowed) == 0) return;
    const int before = std::exchange(of.row, noun);
    match(next, noun + 1);
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
      const int rule = means_a ? frame_->decides_a : frame_->decides_b;
      if (rule < 0) continue;
      means_a_ = means_a;
      for (const int end : phrases_.ends_of({Piece::Kind::rule, rule}, row)) match(next, end);
      means_a_.reset();
    }
  }

  bool agrees(int slot, int form) const {
    return (phrases_.pronouns_at(slots_[at(slot)].row) >> static_cast<unsigned>(form) & 1U) != 0;
  }

  /// Whether a noun may be the antecedent, judging by pronoun and predicates.
  bool may_mean(int slot, int form) const {
    const Slot& of = slots_[at(slot)];
    return of.row >= 0 && agrees(slot, form) && (phrases_.kinds_at(of.row) & meant_kinds_) != 0;
  }

  /// The slots that a pronoun may refer to.
  std::vector<int> meant(const Pronoun& pronoun) const {
    std::vector<int> slots;
    const auto add_if = [&](int slot, bool may_be) {
      if (may_be) slots.push_back(slot);
    };
    if (pronoun.slot) {
      add_if(*pronoun.slot, agrees(*pronoun.slot, pronoun.form));
      // If two nouns have the same pronoun, it is ambiguous.
      const int other = 1 - *pronoun.slot;
      const bool has_other = frame_->pronouns_differ && other >= 0;
      if (has_other && !slots.empty()) add_if(other, agrees(other, pronoun.form));
    } else if (means_a_) {
      add_if(*means_a_ ? 0 : 1, agrees(*means_a_ ? 0 : 1, pronoun.form));
    } else {
      for (const int slot : {0, 1}) add_if(slot, may_mean(slot, pronoun.form));
    }
    return slots;
  }

  /// Adds the reading, unless it has a pronoun without an antecedent.
  void add_reading() {
    std::vector<int> rows(at(phrases_.n_words()), -1);
    for (const Pronoun& pronoun : pronouns_) {
      const std::vector<int> slots = meant(pronoun);
      if (slots.empty()) return;
      if (slots.size() == 1) rows[at(pronoun.row)] = slots_[at(slots.front())].row;
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      // A partial reading is no evidence about pronouns outside of it.
      if (takes_parts_ && rows[row] < 0) continue;
      if (meanings_[row] == no_reading) meanings_[row] = rows[row];
      if (meanings_[row] != rows[row]) meanings_[row] = -1;
    }
    has_any_ = true;
  }
  /// The search was aborted: there may be other readings, so nothing is certain.
  void give_up() {
    std::ranges::fill(meanings_, -1);
    has_any_ = true;
  }

  static constexpr int no_reading = -2;
  const Grammar& grammar_;
  const CompiledFrame* frame_ = nullptr;
  PhraseReader& phrases_;
  bool takes_parts_;
  std::vector<int> meanings_;
  bool has_any_ = false;
  std::vector<Pronoun> pronouns_;
  std::array<Slot, 3> slots_;
  KindMask meant_kinds_ = ~KindMask{0};
  std::optional<bool> means_a_;
  int n_steps_ = 0;
};

/// Like antecedents(), but only for frames with deciding words, anywhere in the sentence and with any nouns:
/// "the glims, too, could not lift the plims because they were too heavy, my aunt said".
std::vector<int> decided_nouns(const Grammar& grammar, std::span<const int> words) {
  if (words.size() > max_sentence_tokens) return std::vector<int>(words.size(), -1);
  std::vector<int> unknown(words.begin(), words.end());
  for (const int row : PhraseReader(grammar, words).noun_rows()) {
    const int id = words[static_cast<std::size_t>(row)];
    const bool is_owner = grammar.possessive_nouns[static_cast<std::size_t>(id)] >= 0;
    if (!is_owner) unknown[static_cast<std::size_t>(row)] = Grammar::first_placeholder;
  }
  PhraseReader phrases(grammar, unknown);
  constexpr bool takes_parts = true;
  FrameReader reader(grammar, phrases, takes_parts);
  for (const CompiledFrame& frame : grammar.frames) {
    if (frame.decides_a >= 0 && frame.decides_b >= 0) reader.read(frame);
  }
  return reader.antecedents();
}

/// The index of a pronoun.
PronounMask forms_of(const std::array<int, 4>& forms, int word) {
  PronounMask mask = 0;
  for (unsigned form = 0; form < forms.size(); ++form) {
    if (forms[form] == word) mask |= static_cast<PronounMask>(1U << form);
  }
  return mask;
}

/// The rows of a clause.
struct Clause {
  int begin = 0;
  int end = 0;
};

/// Collects evidence from the tables about the pronouns of a sentence.
class Evidence {
 public:
  Evidence(const Grammar& grammar, std::span<const int> words)
      : grammar_(grammar), phrases_(grammar, words), nouns_(phrases_.noun_rows()) {
    for (int row = 0; row < phrases_.n_words(); ++row) {
      if (is_pronoun(row)) has_pronoun_ = true;
    }
    if (!has_pronoun_) return;
    decided_ = decided_nouns(grammar, words);
    for (int row = 0; row < phrases_.n_words(); ++row) begins_clause_.push_back(follows_conjunction(row));
  }

  std::vector<int> possible_targets(int row) {
    if (!is_pronoun(row)) return {};
    const bool may_be_subject = forms_of(grammar_.function.subject, phrases_.word(row)) != 0;
    KindMask said = may_be_subject ? phrases_.subjects_at(row + 1) : 0;
    const bool is_object = said == 0 && forms_of(grammar_.function.object, phrases_.word(row)) != 0;
    if (is_object) said = objects_at(row);

    std::vector<int> agreeing = agreeing_nouns(row, is_object, clause_of(row));
    // Coordinated nouns (“and”) look like clauses.
    if (agreeing.empty()) agreeing = agreeing_nouns(row, is_object, {row, row + 1});
    const int decided = decided_[static_cast<std::size_t>(row)];
    if (std::ranges::find(agreeing, decided) != agreeing.end()) return {decided};
    std::vector<int> fitting;
    for (const int noun : agreeing) {
      if ((kinds_of(noun) & said) != 0) fitting.push_back(noun);
    }
    return fitting.empty() ? agreeing : fitting;
  }

 private:
  /// The inherited subject of a clause without its own, as in "the cat found a nut and ate it". −1 if it has
  /// its own.
  int subject_of(const Clause& clause, int row) const {
    if (clause.begin == 0 || phrases_.verbs_at(clause.begin).empty()) return -1;
    for (const int noun : nouns_) {
      if (noun >= clause.begin && noun < row) return -1;
    }
    return nouns_.empty() || nouns_.front() >= clause.begin ? -1 : nouns_.front();
  }

  /// The candidate antecedents of the pronoun at a row, excluding nouns after it in its clause and, for an
  /// object, also those before it and the subject.
  std::vector<int> agreeing_nouns(int row, bool is_object, const Clause& clause) const {
    std::vector<int> agreeing;
    const int subject = is_object ? subject_of(clause, row) : -1;
    for (const int noun : nouns_) {
      if (noun == subject) continue;
      const bool is_of_clause = noun > row ? noun < clause.end : is_object && noun >= clause.begin;
      if (noun != row && !is_of_clause && (pronouns_of(noun) & forms(row)) != 0) agreeing.push_back(noun);
    }
    return agreeing;
  }

  bool is_unknown(int noun) const { return Grammar::is_placeholder(phrases_.word(noun)); }
  /// The ending of an unknown noun may mislead, as in “councilmen”.
  bool may_be_plural(int noun) const {
    return is_unknown(noun) || grammar_.words[static_cast<std::size_t>(phrases_.word(noun))].ends_with('s');
  }
  /// Treats words that the tables list only as other parts of speech as things, because the tables list all
  /// people and animals.
  KindMask kinds_of(int noun) const {
    const KindMask kinds = phrases_.kinds_at(noun);
    return kinds == 0 ? ~grammar_.living_kinds : kinds;
  }
  /// Guesses the pronouns of an unknown noun, or of a word listed only as another part of speech, from its
  /// ending.
  PronounMask pronouns_of(int noun) const {
    constexpr PronounMask it = 1U;
    constexpr PronounMask of_one = 7U;
    constexpr PronounMask they = 8U;
    const bool is_other = phrases_.kinds_at(noun) == 0;
    if (!is_other && !is_unknown(noun)) return phrases_.pronouns_at(noun);
    return static_cast<PronounMask>((is_other ? it : of_one) | (may_be_plural(noun) ? they : 0U));
  }

  PronounMask forms(int row) const {
    const FunctionWords& f = grammar_.function;
    return forms_of(f.subject, phrases_.word(row)) | forms_of(f.object, phrases_.word(row));
  }
  bool is_pronoun(int row) const { return forms(row) != 0; }

  /// Whether a clause may begin at a row: at the start, or after a comma or conjunction.
  bool follows_conjunction(int row) const {
    constexpr int longest_conjunction = 2;
    if (row == 0 || phrases_.word(row - 1) == grammar_.function.comma) return true;
    for (int from = std::max(row - longest_conjunction, 0); from < row; ++from) {
      const std::vector<int> ends = phrases_.ends_of_rules({"conj", "coord"}, from);
      if (std::ranges::find(ends, row) != ends.end()) return true;
    }
    return false;
  }

  Clause clause_of(int row) const {
    Clause clause{row, row + 1};
    const auto begins = [&](int at) { return begins_clause_[static_cast<std::size_t>(at)]; };
    while (!begins(clause.begin)) --clause.begin;
    while (clause.end < phrases_.n_words() && !begins(clause.end)) ++clause.end;
    return clause;
  }

  /// The kinds that the action on the object at a row applies to. 0 if unknown.
  KindMask objects_at(int row) const {
    constexpr int longest_verb = 4;
    KindMask kinds = 0;
    for (int at = std::max(row - longest_verb, 0); at < row; ++at) {
      for (const PhraseReader::VerbPhrase& verb : phrases_.verbs_at(at)) {
        if (verb.action == nullptr || verb.end != row) continue;
        if (!phrases_.ends_of(verb.action->after_object, row + 1).empty()) kinds |= verb.action->objects;
      }
    }
    return kinds;
  }

  const Grammar& grammar_;
  PhraseReader phrases_;
  std::vector<int> nouns_;
  std::vector<int> decided_;
  std::vector<bool> begins_clause_;  ///< For each row. Empty if there is no pronoun.
  bool has_pronoun_ = false;
};

}  // namespace

std::vector<int> antecedents(const Grammar& grammar, std::span<const int> words) {
  if (words.size() > max_sentence_tokens) return std::vector<int>(words.size(), -1);
  PhraseReader phrases(grammar, words);
  constexpr bool takes_parts = false;
  FrameReader reader(grammar, phrases, takes_parts);
  // Frames with deciding words take precedence over those in which predicates decide.
  for (const bool is_open : {false, true}) {
    for (const CompiledFrame& frame : grammar.frames) {
      if (frame.is_open == is_open) reader.read(frame);
    }
    if (reader.has_any()) break;
  }
  return reader.antecedents();
}

std::vector<std::vector<int>> possible_antecedents(const Grammar& grammar, std::span<const int> words) {
  std::vector<std::vector<int>> rows(words.size());
  if (words.size() > max_words_with_evidence) return rows;
  Evidence evidence(grammar, words);
  for (std::size_t row = 0; row < words.size(); ++row)
    rows[row] = evidence.possible_targets(static_cast<int>(row));
  return rows;
}

}  // namespace headscope
