#include "core/tasks/evidence.h"

#include <algorithm>
#include <array>

#include "core/tasks/phrase_reader.h"
#include "core/tasks/reading.h"

namespace headscope {
namespace {

/// Returns which of the four pronouns a word is.
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

/// Determines what the tables say about the pronouns of one sentence.
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

  std::vector<int> possible(int row) {
    if (!is_pronoun(row)) return {};
    const bool may_be_subject = forms_of(grammar_.function.subject, phrases_.word(row)) != 0;
    KindMask said = may_be_subject ? phrases_.subjects_at(row + 1) : 0;
    const bool is_object = said == 0 && forms_of(grammar_.function.object, phrases_.word(row)) != 0;
    if (is_object) said = objects_at(row);

    std::vector<int> agreeing = agreeing_nouns(row, is_object, clause_of(row));
    // Nouns that are joined by “and” look like clauses.
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
  /// Returns the noun that a clause without its own subject takes over, as in "the cat found a nut and ate
  /// it". Returns −1 if the clause has its own subject.
  int subject_of(const Clause& clause, int row) const {
    if (clause.begin == 0 || phrases_.verbs_at(clause.begin).empty()) return -1;
    for (const int noun : nouns_) {
      if (noun >= clause.begin && noun < row) return -1;
    }
    return nouns_.empty() || nouns_.front() >= clause.begin ? -1 : nouns_.front();
  }

  /// Returns the nouns that the pronoun at a row may stand for. Nouns after it in its clause are excluded,
  /// and for an object also those before it and the subject.
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
  /// An unknown noun may be one like “councilmen”, whose ending does not tell.
  bool may_be_plural(int noun) const {
    return is_unknown(noun) || grammar_.words[static_cast<std::size_t>(phrases_.word(noun))].ends_with('s');
  }
  /// Treats a noun that the tables list only as something else as a thing, because they list all people and
  /// animals.
  KindMask kinds_of(int noun) const {
    const KindMask kinds = phrases_.kinds_at(noun);
    return kinds == 0 ? ~grammar_.living_kinds : kinds;
  }
  /// Guesses the pronouns of a noun that is unknown, or that the tables list only as something else, from its
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

  /// Returns whether a row is the first one or follows a comma or a conjunction, where a clause begins.
  bool follows_conjunction(int row) const {
    constexpr int longest_conjunction = 2;
    if (row == 0 || phrases_.word(row - 1) == grammar_.function.comma) return true;
    for (const char* rule : {"conj", "coord"}) {
      for (int from = std::max(row - longest_conjunction, 0); from < row; ++from) {
        const std::vector<int> ends = phrases_.ends_of_rule(rule, from);
        if (std::ranges::find(ends, row) != ends.end()) return true;
      }
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

  /// Returns the kinds that the action on the object at a row can be done to, or 0 if the tables do not say.
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

std::vector<std::vector<int>> possible_nouns(const Grammar& grammar, std::span<const int> words) {
  std::vector<std::vector<int>> rows(words.size());
  if (words.size() > most_words_with_evidence) return rows;
  Evidence evidence(grammar, words);
  for (std::size_t row = 0; row < words.size(); ++row) rows[row] = evidence.possible(static_cast<int>(row));
  return rows;
}

}  // namespace headscope
