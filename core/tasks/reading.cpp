#include "core/tasks/reading.h"

#include <algorithm>
#include <optional>

namespace headscope {
namespace {

/// What is still to be found: the pieces of a phrase from one on, and then those of the phrase around it.
struct Rest {
  const Phrase* phrase = nullptr;
  std::size_t at = 0;
  const Rest* then = nullptr;
};

/// Finds one frame in a sentence, piece by piece, and goes back where a piece does not fit.
class FrameReader {
 public:
  FrameReader(const Grammar& grammar, const CompiledFrame& frame, std::span<const int> words)
      : grammar_(grammar), frame_(frame), words_(words) {}

  /// The rows that the pronouns stand for; nothing where the sentence is not of this frame.
  std::optional<std::vector<int>> read() {
    for (const char* opening : {"", "past-opening", "present-opening"}) {
      for (const char* closing : {"", "closing"}) {
        if (reads(opening, closing)) return meanings();
      }
    }
    return std::nullopt;
  }

 private:
  struct Pronoun {
    std::size_t row = 0;
    int form = 0;             ///< it, he, she, they
    std::optional<int> slot;  ///< nothing: the noun that is meant
  };

  bool reads(std::string_view opening, std::string_view closing) {
    pronouns_.clear();
    noun_rows_ = {-1, -1, -1};
    means_a_.reset();
    // The sentence's end may be a period.
    const Phrase end{{Piece::Kind::comma, grammar_.function.period, false}};
    const Rest last{&end, 0, nullptr};
    const Phrase closed = closing.empty() ? Phrase{} : Phrase{rule_piece(closing)};
    const Rest after{&closed, 0, &last};
    const Rest core{&frame_.phrase, 0, &after};
    const Phrase opened = opening.empty() ? Phrase{} : Phrase{rule_piece(opening)};
    const Rest all{&opened, 0, &core};
    return match(&all, 0);
  }

  Piece rule_piece(std::string_view name) const {
    return {Piece::Kind::rule, grammar_.rule_index.at(name), false};
  }

  int word(std::size_t row) const { return row < words_.size() ? words_[row] : -1; }

  bool match(const Rest* rest, std::size_t row) {
    while (rest != nullptr && rest->at == rest->phrase->size()) rest = rest->then;
    if (rest == nullptr) return row == words_.size();
    const Piece& piece = (*rest->phrase)[rest->at];
    const Rest next{rest->phrase, rest->at + 1, rest->then};
    const FunctionWords& f = grammar_.function;
    switch (piece.kind) {
      case Piece::Kind::word:
        return word(row) == piece.value && match(&next, row + 1);
      case Piece::Kind::comma: {
        const int mark = piece.value == 0 ? f.comma : piece.value;
        return (word(row) == mark && match(&next, row + 1)) || match(&next, row);
      }
      case Piece::Kind::rule:
        return match_one(grammar_.rules[static_cast<std::size_t>(piece.value)], next, row);
      case Piece::Kind::be:
        return match_be(next, row);
      case Piece::Kind::neg:
        return match_one(grammar_.rule("past-neg"), next, row) ||
               match_one(grammar_.rule("present-neg"), next, row) ||
               match_one(grammar_.rule("present-neg-plural"), next, row);
      case Piece::Kind::didnt:
        return match_one(grammar_.rule("past-neg"), next, row);
      case Piece::Kind::noun:
        return match_noun(static_cast<std::size_t>(piece.value), next, row);
      case Piece::Kind::meant:
        return match_pronoun(f.subject, std::nullopt, next, row);
      case Piece::Kind::subject:
        return match_pronoun(f.subject, piece.value, next, row);
      case Piece::Kind::object:
        return match_pronoun(f.object, piece.value, next, row);
      case Piece::Kind::decider:
        return match_decider(next, row);
      case Piece::Kind::fact:
        return match_fact(next, row);
    }
    return false;
  }

  bool match_one(const std::vector<Phrase>& alternatives, const Rest& next, std::size_t row) {
    return std::ranges::any_of(alternatives, [&](const Phrase& phrase) {
      const Rest inner{&phrase, 0, &next};
      return match(&inner, row);
    });
  }

  bool match_be(const Rest& next, std::size_t row) {
    const FunctionWords& f = grammar_.function;
    const int be = word(row);
    return (be == f.was || be == f.were || be == f.is || be == f.are) && match(&next, row + 1);
  }

  bool match_decider(const Rest& next, std::size_t row) {
    for (const bool means_a : {true, false}) {
      const int rule = means_a ? frame_.decides_a : frame_.decides_b;
      if (rule < 0) continue;
      means_a_ = means_a;
      if (match_one(grammar_.rules[static_cast<std::size_t>(rule)], next, row)) return true;
      means_a_.reset();
    }
    return false;
  }

  bool match_fact(const Rest& next, std::size_t row) {
    const std::size_t subject = word(row) == grammar_.function.the ? row + 1 : row;
    for (const CompiledFact& fact : grammar_.facts) {
      const bool fits = word(subject) == fact.subject &&
                        std::ranges::find(fact.attributes, word(subject + 2)) != fact.attributes.end();
      if (fits && match(&next, subject + 3)) return true;
    }
    return false;
  }

  bool match_pronoun(const std::array<int, 4>& forms, std::optional<int> slot, const Rest& next,
                     std::size_t row) {
    const auto form = std::ranges::find(forms, word(row));
    if (form == forms.end()) return false;
    pronouns_.push_back({row, static_cast<int>(form - forms.begin()), slot});
    if (match(&next, row + 1)) return true;
    pronouns_.pop_back();
    return false;
  }

  /// An article, perhaps an adjective, and a noun of the slot's kinds or a placeholder.
  bool match_noun(std::size_t slot, const Rest& next, std::size_t row) {
    if (!is_article(word(row))) return false;
    for (const std::size_t at : {row + 1, row + 2}) {
      for (const int kind : kinds_of(slot)) {
        const CompiledKind& of_kind = grammar_.kinds[static_cast<std::size_t>(kind)];
        const auto holds = [](const std::vector<int>& all, int id) {
          return std::ranges::find(all, id) != all.end();
        };
        const bool has_adjective = at == row + 1 || holds(of_kind.adjectives, word(row + 1));
        const bool is_noun = is_placeholder(word(at)) || holds(of_kind.words, word(at));
        if (!has_adjective || !is_noun) continue;
        noun_rows_[slot] = static_cast<int>(at);
        kinds_[slot] = kind;
        if (match(&next, at + 1)) return true;
        noun_rows_[slot] = -1;
      }
    }
    return false;
  }

  std::vector<int> kinds_of(std::size_t slot) const {
    if (slot == 1 && frame_.b_is_kind_of_a) return {kinds_[0]};
    return frame_.kinds[slot];
  }

  static bool is_placeholder(int id) {
    return id >= Grammar::first_placeholder && id < Grammar::first_placeholder + Grammar::n_placeholders;
  }

  bool is_article(int id) const {
    if (id == grammar_.function.an) return true;
    for (const char* rule : {"article", "article-plural"}) {
      for (const Phrase& phrase : grammar_.rule(rule)) {
        if (phrase.size() == 1 && phrase.front().value == id) return true;
      }
    }
    return false;
  }

  /// Whether a noun may be called by a form of pronoun.
  bool agrees(std::size_t slot, int form) const {
    const NounPronoun noun = grammar_.kinds[static_cast<std::size_t>(kinds_[slot])].pronoun;
    const auto called = static_cast<NounPronoun>(form);
    if (noun != NounPronoun::he_or_she) return noun == called;
    return called == NounPronoun::he || called == NounPronoun::she;
  }

  std::optional<int> meant(const Pronoun& pronoun) const {
    if (pronoun.slot) return pronoun.slot;
    if (means_a_ && !frame_.source->pronoun_decides) return *means_a_ ? 0 : 1;
    const bool may_be_a = agrees(0, pronoun.form);
    const bool may_be_b = agrees(1, pronoun.form);
    if (may_be_a == may_be_b) return std::nullopt;
    return may_be_a ? 0 : 1;
  }

  std::vector<int> meanings() const {
    std::vector<int> rows(words_.size(), -1);
    for (const Pronoun& pronoun : pronouns_) {
      if (const auto slot = meant(pronoun)) rows[pronoun.row] = noun_rows_[static_cast<std::size_t>(*slot)];
    }
    return rows;
  }

  const Grammar& grammar_;
  const CompiledFrame& frame_;
  std::span<const int> words_;
  std::vector<Pronoun> pronouns_;
  std::array<int, 3> noun_rows_{-1, -1, -1};
  std::array<int, 3> kinds_{0, 0, 0};
  std::optional<bool> means_a_;
};

}  // namespace

std::vector<int> antecedents(const Grammar& grammar, std::span<const int> words) {
  for (const CompiledFrame& frame : grammar.frames) {
    if (auto rows = FrameReader(grammar, frame, words).read()) return *rows;
  }
  return std::vector<int>(words.size(), -1);
}

}  // namespace headscope
