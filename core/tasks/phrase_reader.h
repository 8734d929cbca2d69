#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tasks/grammar.h"

namespace headscope {

/// Parses phrases anywhere in a sentence. Independent of frames: the caller relates phrases to A, B and C.
/// Rows past the end have no word.
class PhraseReader {
 public:
  PhraseReader(const Grammar& grammar, std::span<const int> words)
      : grammar_(grammar), words_(words), predicates_(words.size() + 1) {}

  /// A predicate.
  struct Predicate {
    KindMask kinds = 0;
    int end = 0;
  };
  /// A verb with auxiliaries and adverbs: "didn't quickly kick".
  struct VerbPhrase {
    const CompiledAction* action = nullptr;  ///< Null for unknown verbs
    /// The row where the object begins.
    int end = 0;
  };

  int word(int row) const { return row >= 0 && row < n_words() ? words_[static_cast<std::size_t>(row)] : -1; }
  int n_words() const { return static_cast<int>(words_.size()); }

  /// The possible end rows of a piece that begins at `row`. Pieces with slots do not match.
  std::vector<int> ends_of(const Piece& piece, int row) const {
    using Kind = Piece::Kind;
    const FunctionWords& f = grammar_.function;
    const int here = word(row);
    const auto one_if = [&](bool fits) { return fits ? std::vector<int>{row + 1} : std::vector<int>{}; };
    switch (piece.kind) {
      case Kind::word:
        return one_if(here == piece.value);
      case Kind::verb:
        return one_if(Grammar::is_placeholder(here) ||
                      is_form_of(grammar_.verbs[static_cast<std::size_t>(piece.value)], here));
      case Kind::comma:
        return here == f.comma ? std::vector<int>{row + 1, row} : std::vector<int>{row};
      case Kind::be:
        return one_if(here == f.was || here == f.were || here == f.is || here == f.are);
      case Kind::not_be:
        return ends_of_rules({"past-not", "past-not-plural", "present-not", "present-not-plural"}, row);
      case Kind::said_be: {
        std::vector<int> rows = ends_of({Kind::be}, row);
        add(rows, ends_of({Kind::not_be}, row));
        return rows;
      }
      case Kind::asked_neg:
        return ends_of_rules({"past-ask-neg", "present-ask-neg", "present-ask-neg-plural"}, row);
      case Kind::asked: {
        std::vector<int> rows = ends_of({Kind::asked_neg}, row);
        add(rows, ends_of_rules({"past-ask", "present-ask", "present-ask-plural"}, row));
        return rows;
      }
      case Kind::question_mark:
        return here == f.question_mark ? std::vector<int>{row + 1} : std::vector<int>{row};
      case Kind::rule:
        return ends_of_any(grammar_.rules[static_cast<std::size_t>(piece.value)], row);
      case Kind::neg:
        return ends_of_rules({"past-neg", "past-neg-plural", "present-neg", "present-neg-plural"}, row);
      case Kind::didnt:
        return ends_of_rules({"past-neg", "past-neg-plural"}, row);
      case Kind::any_noun: {
        std::vector<int> rows;
        for (const int noun : nouns_at(row)) {
          if ((kinds_at(noun) & grammar_.masks[static_cast<std::size_t>(piece.value)]) != 0)
            add(rows, noun + 1);
        }
        return rows;
      }
      case Kind::fact: {
        const int subject = here == f.the ? row + 1 : row;
        for (const CompiledFact& fact : grammar_.facts) {
          if (word(subject) == fact.subject && !ends_of({Kind::be}, subject + 1).empty() &&
              std::ranges::find(fact.attributes, word(subject + 2)) != fact.attributes.end())
            return {subject + 3};
        }
        return {};
      }
      default:
        return {};
    }
  }

  /// The same for a phrase.
  std::vector<int> ends_of(const Phrase& phrase, int row) const {
    std::vector<int> rows{row};
    for (const Piece& piece : phrase) {
      std::vector<int> next;
      for (const int from : rows) add(next, ends_of(piece, from));
      rows = std::move(next);
      if (rows.empty()) break;
    }
    return rows;
  }

  /// The same for an alternative of one of these rules.
  std::vector<int> ends_of_rules(std::initializer_list<std::string_view> names, int row) const {
    std::vector<int> rows;
    for (const std::string_view name : names) add(rows, ends_of_any(grammar_.rule(name), row));
    return rows;
  }

  /// The rows of the nouns, which end the noun phrases that begin at `row` with determiners and modifiers.
  std::vector<int> nouns_at(int row) const {
    std::vector<int> found;
    if (kinds_at(row) != 0) found.push_back(row);
    for (const int after : after_determiner(row)) {
      for (const int noun : after_adjectives(after)) {
        if (kinds_at(noun) != 0) found.push_back(noun);
      }
    }
    return found;
  }

  /// The same for possessives: "the old man's".
  std::vector<int> possessives_at(int row) const {
    std::vector<int> found;
    if (is_owner(word(row))) found.push_back(row);
    std::vector<int> begins =
        word(row) == grammar_.function.an ? std::vector<int>{row + 1} : std::vector<int>{};
    add(begins, ends_of_rules({"article"}, row));
    for (const int begin : begins) {
      for (const int owner : after_adjectives(begin)) {
        if (is_owner(word(owner))) found.push_back(owner);
      }
    }
    return found;
  }

  const std::vector<Predicate>& predicates_at(int row) {
    auto& known = predicates_[static_cast<std::size_t>(std::min(row, n_words()))];
    if (known) return *known;
    known.emplace();
    std::vector<int> begins{row};
    add(begins, ends_of_rules({"manner", "modal"}, row));
    add(begins, ends_of({Piece::Kind::neg}, row));
    for (const int begin : begins) {
      for (const CompiledPredicate& saying : grammar_.sayings) {
        for (const int end : ends_of(saying.phrase, begin)) known->push_back({saying.kinds, end});
      }
    }
    return *known;
  }

  std::vector<VerbPhrase> verbs_at(int row) const {
    std::vector<int> begins{row};
    add(begins, ends_of_rules({"manner", "past-neg", "past-neg-plural", "present-neg", "present-neg-plural",
                               "modal", "past-perfect", "present-perfect", "present-perfect-plural"},
                              row));
    std::vector<VerbPhrase> found;
    for (const int begin : begins) {
      const int id = word(begin);
      if (id < 0) continue;
      if (Grammar::is_placeholder(id)) found.push_back({nullptr, begin + 1});
      for (const CompiledAction& action : grammar_.actions) {
        if (!is_form_of(grammar_.verbs[static_cast<std::size_t>(action.verb)], id)) continue;
        for (const int end : ends_of(action.after_verb, begin + 1)) found.push_back({&action, end});
      }
    }
    return found;
  }

  /// The rows of words used as nouns: heads of noun phrases, names, plurals, and nouns without an article.
  std::vector<int> noun_rows() const {
    std::vector<int> rows;
    for (int row = 0; row < n_words(); ++row) {
      for (const int after : after_determiner(row)) {
        if (const int head = head_of_run(after); head >= 0) add(rows, head);
      }
      // Whatever follows "the" is a noun, even if the tables list the word only as something else.
      const bool is_other = word(row) == grammar_.function.the && kinds_at(row + 1) == 0 &&
                            head_of_run(row + 1) < 0 && !is_adjective(word(row + 1)) && row + 1 < n_words();
      if (is_other) add(rows, row + 1);
      const std::vector<NounSense>& senses = grammar_.senses[static_cast<std::size_t>(word(row))];
      const bool needs_no_article = std::ranges::any_of(senses, [&](const NounSense& sense) {
        const CompiledKind& kind = grammar_.kinds[static_cast<std::size_t>(sense.kind)];
        return sense.is_plural || kind.use != CompiledKind::Use::countable;
      });
      if (needs_no_article || is_owner(word(row))) add(rows, row);
    }
    std::ranges::sort(rows);
    return rows;
  }

  /// The kinds of nouns that the predicate at `row` can apply to. 0 if unknown.
  KindMask subjects_at(int row) {
    std::vector<Predicate> said = predicates_at(row);
    for (const int after : after_be(row)) {
      if (is_size_at(after)) return 0;
      add_said_with_be(after, said);
      for (const CompiledPredicate& saying : grammar_.sayings) {
        if (saying.phrase.front().kind != Piece::Kind::said_be) continue;
        const Phrase rest(saying.phrase.begin() + 1, saying.phrase.end());
        for (const int end : ends_of(rest, after)) said.push_back({saying.kinds, end});
      }
    }
    for (const VerbPhrase& verb : verbs_at(row)) {
      const bool has_particle = verb.action != nullptr && !verb.action->after_object.empty();
      if (verb.action != nullptr && !has_particle) said.push_back({verb.action->subjects, verb.end});
    }
    // An unknown word may be any verb, so it is no evidence.
    std::erase_if(said, [&](const Predicate& one) {
      for (int at = row; at < one.end; ++at) {
        if (Grammar::is_placeholder(word(at))) return true;
      }
      return false;
    });
    const auto longest = std::ranges::max_element(said, {}, &Predicate::end);
    KindMask kinds = 0;
    for (const Predicate& one : said) kinds |= one.end == longest->end ? one.kinds : 0;
    return kinds;
  }

  /// The possible kinds of the word at `row`: all for an unknown word, none for a known word that is not a
  /// noun; for a possessive, those of its noun.
  KindMask kinds_at(int row) const {
    const int id = word(row);
    if (id < 0) return 0;
    if (Grammar::is_placeholder(id)) return every_kind;
    const int owner = grammar_.possessive_nouns[static_cast<std::size_t>(id)];
    return grammar_.kinds_of_word(owner >= 0 ? owner : id);
  }

  /// The pronouns that may refer to the word at `row`.
  PronounMask pronouns_at(int row) const {
    const int id = word(row);
    if (id < 0) return 0;
    if (Grammar::is_placeholder(id)) return every_pronoun;
    const int owner = grammar_.possessive_nouns[static_cast<std::size_t>(id)];
    return owner >= 0 ? static_cast<PronounMask>(grammar_.pronouns_of_word(owner))
                      : grammar_.pronouns_of_word(id);
  }

 private:
  static constexpr KindMask every_kind = ~KindMask{0};
  static constexpr PronounMask every_pronoun = 15U;

  static void add(std::vector<int>& rows, int row) {
    if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
  }
  static void add(std::vector<int>& rows, const std::vector<int>& more) {
    for (const int row : more) add(rows, row);
  }

  std::vector<int> ends_of_any(const std::vector<Phrase>& phrases, int row) const {
    std::vector<int> rows;
    for (const Phrase& phrase : phrases) add(rows, ends_of(phrase, row));
    return rows;
  }

  std::vector<int> after_determiner(int row) const {
    std::vector<int> rows =
        word(row) == grammar_.function.an ? std::vector<int>{row + 1} : std::vector<int>{};
    add(rows, ends_of_rules({"article", "article-plural"}, row));
    for (const int owner : possessives_at(row)) add(rows, owner + 1);
    return rows;
  }

  std::vector<int> after_adjectives(int row) const {
    std::vector<int> rows{row};
    for (int i = 0; i < 2 && is_adjective(word(row)); ++i) rows.push_back(++row);
    // A noun may modify the next one.
    const std::size_t n = rows.size();
    for (std::size_t i = 0; i < n; ++i) {
      if ((kinds_at(rows[i]) & grammar_.compound_kinds) != 0) add(rows, rows[i] + 1);
    }
    return rows;
  }

  bool is_adjective(int id) const {
    return Grammar::is_placeholder(id) || (id >= 0 && grammar_.is_adjective(id));
  }

  bool is_owner(int id) const {
    return id >= 0 && grammar_.possessive_nouns[static_cast<std::size_t>(id)] >= 0;
  }

  /// The row of the last noun in the run of adjectives and nouns at `row`, or −1.
  int head_of_run(int row) const {
    constexpr int longest_run = 4;
    int head = -1;
    // It may be an adjective in another table.
    if (kinds_at(row) == 0 && kinds_at(row + 1) != 0) ++row;
    for (int at = row; at < row + longest_run; ++at) {
      if (kinds_at(at) != 0) {
        head = at;
        const bool goes_on =
            is_owner(word(at)) || (kinds_at(at + 1) != 0 && !Grammar::is_placeholder(word(at + 1)));
        if (!goes_on) break;
      } else if (!is_adjective(word(at))) {
        break;
      }
    }
    return head;
  }

  /// The rows after "was", "isn't", "had been" etc. at `row`.
  std::vector<int> after_be(int row) const {
    std::vector<int> rows = ends_of({Piece::Kind::said_be}, row);
    for (const int at : ends_of_rules({"past-perfect", "present-perfect", "present-perfect-plural"}, row)) {
      if (word(at) == grammar_.function.been) add(rows, at + 1);
    }
    return rows;
  }

  /// The kinds of nouns that the words after "was" at `row` decide for.
  std::vector<Predicate> decided_at(int row) const {
    std::vector<Predicate> decided;
    for (const CompiledFrame& frame : grammar_.frames) {
      if (!frame.decides_by_degree || frame.is_question) continue;
      for (const auto& [rule, slot] : {std::pair(frame.decides_a, 0), {frame.decides_b, 1}}) {
        for (const int degree : ends_of_rules({"degree"}, row)) {
          for (const int end : ends_of({Piece::Kind::rule, rule}, degree))
            decided.push_back({frame.kinds[static_cast<std::size_t>(slot)], end});
        }
      }
    }
    return decided;
  }

  /// Whether these words denote a size, which applies to everything.
  bool is_size_at(int row) const {
    constexpr std::size_t many = 4;
    const std::vector<Predicate> decided = decided_at(row);
    const auto is_living = [&](const Predicate& one) { return (one.kinds & ~grammar_.living_kinds) == 0; };
    return decided.size() > many && !std::ranges::all_of(decided, is_living);
  }

  /// Adds the predicates after "was" at `row`: the kinds that they decide for, and the objects of
  /// participles.
  void add_said_with_be(int row, std::vector<Predicate>& said) const {
    const std::vector<Predicate> decided = decided_at(row);
    said.insert(said.end(), decided.begin(), decided.end());
    for (const CompiledAction& action : grammar_.actions) {
      const int participle = grammar_.verbs[static_cast<std::size_t>(action.verb)].participle;
      if (participle != word(row) || word(row) < 0) continue;
      for (const int end : ends_of(action.after_object, row + 1)) said.push_back({action.objects, end});
    }
  }

  bool is_form_of(const CompiledVerb& verb, int id) const {
    return id >= 0 && (id == verb.past || id == verb.base || id == verb.present || id == verb.participle);
  }

  const Grammar& grammar_;
  std::span<const int> words_;
  std::vector<std::optional<std::vector<Predicate>>> predicates_;
};

}  // namespace headscope
