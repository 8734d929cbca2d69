#include "core/tasks/sentence.h"

#include <algorithm>

#include "core/tasks/draws.h"

namespace headscope {
namespace {

constexpr double adjective_share = 0.1;
constexpr double comma_share = 0.6;
constexpr double period_share = 0.4;
constexpr double opening_share = 0.12;
constexpr double closing_share = 0.06;
constexpr double article_of_fact_share = 0.7;

class SentenceWriter {
 public:
  SentenceWriter(const Grammar& grammar, RandomStream& random) : grammar_(grammar), random_(random) {}

  Sentence write() {
    frame_ = &grammar_.frames[static_cast<std::size_t>(draw_one(random_, grammar_.drawn_frames))];
    sentence_.frame = frame_->source;
    sentence_.means_a = draw_chance(random_, 0.5);
    is_present_ = draw_chance(random_, frame_->present_share);
    choose_nouns();
    const bool has_nouns = !frame_->kinds[0].empty();
    if (has_nouns && draw_chance(random_, opening_share))
      add_rule(is_present_ ? "present-opening" : "past-opening");
    sentence_.core_begin = sentence_.words.size();
    add(frame_->phrase);
    sentence_.core_end = sentence_.words.size();
    if (has_nouns && draw_chance(random_, closing_share)) add_rule("closing");
    if (draw_chance(random_, period_share)) add_word(grammar_.function.period, false);
    for (const auto& [row, slot] : pronouns_)
      sentence_.means[row] = sentence_.noun_rows[static_cast<std::size_t>(slot)];
    sentence_.has_pronoun = !pronouns_.empty();
    return std::move(sentence_);
  }

 private:
  void choose_nouns() {
    for (std::size_t slot = 0; slot < 3; ++slot) {
      if (frame_->kinds[slot].empty()) continue;
      const bool is_kind_of_a = slot == 1 && frame_->b_is_kind_of_a;
      kinds_[slot] = is_kind_of_a ? kinds_[0] : draw_one(random_, frame_->kinds[slot]);
      const CompiledKind& kind = kind_of(slot);
      do {
        nouns_[slot] = draw_one(random_, kind.words);
      } while (std::find(nouns_.begin(), nouns_.begin() + static_cast<std::ptrdiff_t>(slot), nouns_[slot]) !=
               nouns_.begin() + static_cast<std::ptrdiff_t>(slot));
      pronoun_of_[slot] = kind.pronoun;
      if (kind.pronoun == NounPronoun::he_or_she)
        pronoun_of_[slot] = draw_chance(random_, 0.5) ? NounPronoun::he : NounPronoun::she;
    }
  }

  const CompiledKind& kind_of(std::size_t slot) const {
    return grammar_.kinds[static_cast<std::size_t>(kinds_[slot])];
  }

  void add_word(int id, bool is_key) {
    sentence_.words.push_back(id);
    sentence_.is_key.push_back(is_key ? 1U : 0U);
    sentence_.means.push_back(-1);
  }

  void add_rule(std::string_view name) { add(draw_one(random_, grammar_.rule(name))); }

  void add(const Phrase& phrase, bool is_key = false) {
    for (const Piece& piece : phrase) add(piece, is_key || piece.is_key);
  }

  void add(const Piece& piece, bool is_key) {
    switch (piece.kind) {
      case Piece::Kind::word:
        add_word(piece.value, is_key);
        break;
      case Piece::Kind::noun:
        add_noun(static_cast<std::size_t>(piece.value));
        break;
      case Piece::Kind::meant:
        add_pronoun(sentence_.means_a ? 0 : 1, grammar_.function.subject);
        break;
      case Piece::Kind::subject:
        add_pronoun(piece.value, grammar_.function.subject);
        break;
      case Piece::Kind::object:
        add_pronoun(piece.value, grammar_.function.object);
        break;
      case Piece::Kind::decider:
        add_one(sentence_.means_a ? frame_->decides_a : frame_->decides_b, true);
        break;
      case Piece::Kind::rule:
        add_one(piece.value, is_key);
        break;
      case Piece::Kind::comma:
        if (draw_chance(random_, comma_share)) add_word(grammar_.function.comma, false);
        break;
      case Piece::Kind::be:
        add_be(is_plural_);
        break;
      case Piece::Kind::neg:
        add_rule(!is_present_ ? "past-neg" : is_plural_ ? "present-neg-plural" : "present-neg");
        break;
      case Piece::Kind::didnt:
        add_rule("past-neg");
        break;
      case Piece::Kind::fact:
        add_fact();
        break;
    }
  }

  void add_one(int rule, bool is_key) {
    add(draw_one(random_, grammar_.rules[static_cast<std::size_t>(rule)]), is_key);
  }

  void add_be(bool is_plural) {
    const FunctionWords& f = grammar_.function;
    add_word(is_present_ ? (is_plural ? f.are : f.is) : (is_plural ? f.were : f.was), false);
  }

  void add_noun(std::size_t slot) {
    is_plural_ = pronoun_of_[slot] == NounPronoun::they;
    const std::size_t article_row = sentence_.words.size();
    add_rule(is_plural_ ? "article-plural" : "article");
    if (draw_chance(random_, adjective_share)) add_word(draw_one(random_, kind_of(slot).adjectives), false);
    sentence_.noun_rows[slot] = static_cast<int>(sentence_.words.size());
    add_word(nouns_[slot], sentence_.frame->pronoun_decides);
    const std::string& after = grammar_.words[static_cast<std::size_t>(sentence_.words[article_row + 1])];
    if (sentence_.words[article_row] == grammar_.function.a &&
        std::string_view("aeiou").find(after[0]) != std::string_view::npos)
      sentence_.words[article_row] = grammar_.function.an;
  }

  void add_pronoun(int slot, const std::array<int, 4>& forms) {
    const NounPronoun pronoun = pronoun_of_[static_cast<std::size_t>(slot)];
    is_plural_ = pronoun == NounPronoun::they;
    pronouns_.emplace_back(sentence_.words.size(), slot);
    add_word(forms[static_cast<std::size_t>(pronoun)], false);
  }

  void add_fact() {
    const CompiledFact& fact = draw_one(random_, grammar_.facts);
    if (draw_chance(random_, article_of_fact_share)) add_word(grammar_.function.the, false);
    add_word(fact.subject, false);
    add_be(fact.is_plural);
    add_word(draw_one(random_, fact.attributes), frame_->kinds[0].empty());
  }

  const Grammar& grammar_;
  RandomStream& random_;
  Sentence sentence_;
  const CompiledFrame* frame_ = nullptr;
  bool is_present_ = false;
  bool is_plural_ = false;  ///< of the noun or pronoun before
  std::array<int, 3> kinds_{};
  std::array<int, 3> nouns_{-1, -1, -1};
  std::array<NounPronoun, 3> pronoun_of_{};
  std::vector<std::pair<std::size_t, int>> pronouns_;  ///< row and slot
};

bool names_its_nouns_once(const Sentence& sentence) {
  return std::all_of(sentence.noun_rows.begin(), sentence.noun_rows.end(), [&](int row) {
    return row < 0 || std::count(sentence.words.begin(), sentence.words.end(),
                                 sentence.words[static_cast<std::size_t>(row)]) == 1;
  });
}

}  // namespace

Sentence draw_sentence(const Grammar& grammar, RandomStream& random) {
  for (;;) {
    Sentence sentence = SentenceWriter(grammar, random).write();
    if (sentence.words.size() <= longest_sentence && names_its_nouns_once(sentence)) return sentence;
  }
}

std::string canonical_text(const Grammar& grammar, const Sentence& sentence) {
  std::string text;
  for (std::size_t row = sentence.core_begin; row < sentence.core_end; ++row) {
    const int id = sentence.words[row];
    if (id == grammar.function.comma || id == grammar.function.period) continue;
    if (!text.empty()) text += ' ';
    text += grammar.words[static_cast<std::size_t>(id)];
  }
  return text;
}

}  // namespace headscope
