#include "core/tasks/sentence.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/split_text.h"

namespace headscope {
namespace {

constexpr double script_share = 0.5;
constexpr double adverb_share = 0.08;
constexpr double negated_share = 0.07;
constexpr double perfect_share = 0.05;
constexpr double modal_share = 0.05;
constexpr double undecided_share = 0.015;
/// Frames of at least this weight are used for demonstrations, so the model should be confident.
constexpr int often = 20;
constexpr double not_be_share = 0.05;
constexpr double comma_share = 0.6;
constexpr double period_share = 0.4;
constexpr double opening_share = 0.1;
constexpr double closing_share = 0.04;
constexpr double article_of_fact_share = 0.7;

constexpr double adjective_share = 0.15;
constexpr double second_adjective_share = 0.15;
constexpr double compound_share = 0.03;
constexpr double owner_share = 0.03;
constexpr double plural_share = 0.18;
/// The probability of a plural after a plural noun; high, so that “they” is often ambiguous.
constexpr double plural_again_share = 0.5;

/// Generates one sentence, or fails if random choices conflict.
class SentenceWriter {
 public:
  SentenceWriter(const Grammar& grammar, RandomStream& random) : grammar_(grammar), random_(random) {}

  std::optional<Sentence> write() {
    const bool is_script = draw_chance(random_, script_share);
    const auto& drawn = is_script ? grammar_.drawn_scripts : grammar_.drawn_open;
    frame_ = &grammar_.frames[static_cast<std::size_t>(draw_one(random_, drawn))];
    sentence_.frame = frame_;
    sentence_.means_a = draw_chance(random_, 0.5);
    is_present_ = draw_chance(random_, frame_->present_share);
    choose_nouns();
    if (fails_) return std::nullopt;
    const bool has_nouns = nouns_[0].word >= 0;
    const bool is_told = !frame_->is_question;
    if (is_told && has_nouns && draw_chance(random_, opening_share))
      add_rule(is_present_ ? "present-opening" : "past-opening");
    sentence_.core_begin = sentence_.words.size();
    add(frame_->phrase);
    sentence_.core_end = sentence_.words.size();
    if (is_told && has_nouns && draw_chance(random_, closing_share)) add_rule("closing");
    if (is_told && draw_chance(random_, period_share)) add_word(grammar_.function.period, false);
    for (const auto& [row, slot] : pronouns_)
      sentence_.antecedent_rows[row] = sentence_.noun_rows[static_cast<std::size_t>(slot)];
    sentence_.has_pronoun = !pronouns_.empty();
    if (fails_ || sentence_.words.size() > max_sentence_tokens || !names_its_nouns_once())
      return std::nullopt;
    return std::move(sentence_);
  }

 private:
  struct Noun {
    int kind = -1;
    int word = -1;
    int owner = -1;  ///< Possessive form
    NounPronoun pronoun = NounPronoun::it;
  };

  static constexpr int tries = 40;

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  static bool has(KindMask mask, int kind) { return (mask >> static_cast<unsigned>(kind) & 1U) != 0; }

  Noun& noun(int slot) { return nouns_[at(slot == Piece::the_meant ? (sentence_.means_a ? 0 : 1) : slot)]; }
  const Noun& meant() { return noun(Piece::the_meant); }
  const Noun& other() { return nouns_[sentence_.means_a ? 1 : 0]; }

  /// Draws a kind, weighted by weight_of(), and one of its words.
  Noun draw_noun(KindMask mask, bool may_be_plural = true) {
    std::size_t n = 0;
    for (std::size_t kind = 0; kind < grammar_.kinds.size(); ++kind)
      if (has(mask, static_cast<int>(kind))) n += weight_of(kind);
    Noun drawn;
    if (n == 0) {
      fails_ = true;
      return drawn;
    }
    std::size_t which = draw_below(random_, n);
    std::size_t kind = 0;
    for (;; ++kind) {
      if (!has(mask, static_cast<int>(kind))) continue;
      if (which < weight_of(kind)) break;
      which -= weight_of(kind);
    }
    const CompiledKind& of = grammar_.kinds[kind];
    const std::size_t i = draw_below(random_, of.words.size());
    drawn.kind = static_cast<int>(kind);
    const bool follows_plural = nouns_[0].word >= 0 && nouns_[0].pronoun == NounPronoun::they;
    const bool is_plural = may_be_plural && !of.plurals.empty() &&
                           draw_chance(random_, follows_plural ? plural_again_share : plural_share);
    drawn.word = is_plural ? of.plurals[i] : of.words[i];
    drawn.owner = of.owners.empty() || is_plural ? -1 : of.owners[i];
    drawn.pronoun = is_plural ? NounPronoun::they : of.pronoun;
    if (drawn.pronoun == NounPronoun::he_or_she)
      drawn.pronoun = draw_chance(random_, 0.5) ? NounPronoun::he : NounPronoun::she;
    return drawn;
  }

  /// The weight of a kind, which grows sublinearly with its number of words.
  std::size_t weight_of(std::size_t kind) const {
    return std::min<std::size_t>(grammar_.kinds[kind].words.size(), 60) + 20;
  }

  bool is_taken(int word) const {
    return std::ranges::any_of(nouns_, [&](const Noun& noun) { return noun.word == word; }) ||
           std::ranges::find(sentence_.words, word) != sentence_.words.end();
  }

  Noun draw_new_noun(KindMask mask, bool may_be_plural = true) {
    for (int i = 0; i < tries && !fails_; ++i) {
      const Noun drawn = draw_noun(mask, may_be_plural);
      if (!is_taken(drawn.word)) return drawn;
    }
    fails_ = true;
    return {};
  }

  void choose_nouns() {
    for (const Piece& piece : frame_->phrase) {
      if (piece.kind != Piece::Kind::action || piece.is_of_meant()) continue;
      if (piece.value > 1 || piece.object > 1) continue;
      choose_by_action(piece);
      break;
    }
    for (int slot = 0; slot < 3; ++slot) {
      const KindMask mask = frame_->kinds[at(slot)];
      if (nouns_[at(slot)].word >= 0 || mask == 0) continue;
      const bool is_like_a = slot == 1 && frame_->b_is_kind_of_a;
      for (int i = 0; i < tries; ++i) {
        nouns_[at(slot)] = {};
        const Noun drawn = draw_new_noun(mask, !is_owner(slot));
        if (fails_) return;
        if (is_like_a && drawn.pronoun != nouns_[0].pronoun) continue;
        if (is_bare(slot) && grammar_.kinds[at(drawn.kind)].use == CompiledKind::Use::name) continue;
        nouns_[at(slot)] = drawn;
        break;
      }
      fails_ = fails_ || nouns_[at(slot)].word < 0;
    }
    if (fails_ || nouns_[1].word < 0) return;
    differ_ = (grammar_.pronouns_of_word(other().word) & bit_of(meant())) == 0;
    sentence_.shares_pronoun = !differ_;
    const bool both = differ_ && (grammar_.pronouns_of_word(meant().word) & bit_of(other())) == 0;
    if (frame_->pronouns_differ && !both) fails_ = true;
    sentence_.pronoun_decides = frame_->pronouns_differ;
  }

  bool is_owner(int slot) const { return stands_as(Piece::Kind::owner, slot); }
  bool is_bare(int slot) const { return stands_as(Piece::Kind::bare_noun, slot); }
  bool stands_as(Piece::Kind kind, int slot) const {
    return std::ranges::any_of(frame_->phrase,
                               [&](const Piece& piece) { return piece.kind == kind && piece.value == slot; });
  }

  /// The pronoun of a drawn noun, as a mask with a single bit.
  static PronounMask bit_of(const Noun& noun) { return pronouns_of(noun.pronoun, false); }

  /// Draws nouns that fit the first action of the frame.
  void choose_by_action(const Piece& piece) {
    for (int i = 0; i < tries; ++i) {
      const std::size_t index = draw_below(random_, grammar_.actions.size());
      const CompiledAction& action = grammar_.actions[index];
      const KindMask subjects = frame_->allowed(piece.value, action.subjects);
      const KindMask objects = frame_->allowed(piece.object, action.objects);
      if (subjects == 0 || objects == 0) continue;
      nouns_[at(piece.value)] = draw_new_noun(subjects, !is_owner(piece.value));
      nouns_[at(piece.object)] = draw_new_noun(objects, !is_owner(piece.object));
      chosen_ = {&piece, static_cast<int>(index)};
      return;
    }
    fails_ = true;
  }

  void add_word(int id, bool is_key, bool has_content = false) {
    sentence_.words.push_back(id);
    sentence_.is_key.push_back(is_key ? 1U : 0U);
    sentence_.has_content.push_back(has_content ? 1U : 0U);
    sentence_.antecedent_rows.push_back(-1);
  }

  void add_rule(std::string_view name) { add(draw_one(random_, grammar_.rule(name))); }

  void add(const Phrase& phrase, bool is_key = false) {
    for (const Piece& piece : phrase) {
      if (fails_) return;
      add(piece, is_key || piece.is_key);
    }
  }

  void add(const Piece& piece, bool is_key) {
    using Kind = Piece::Kind;
    switch (piece.kind) {
      case Kind::word:
        return add_word(piece.value, is_key);
      case Kind::verb:
        return add_verb(grammar_.verbs[at(piece.value)], is_key);
      case Kind::noun:
        return add_slot(piece.value);
      case Kind::owner:
        return add_owner_slot(piece.value);
      case Kind::bare_noun:
        return add_noun_word(piece.value);
      case Kind::noun_again:
        if (grammar_.kinds[at(noun(piece.value).kind)].use != CompiledKind::Use::name)
          add_word(grammar_.function.the, false);
        return add_noun_word(piece.value);
      case Kind::any_noun:
        return add_any_noun(grammar_.masks[at(piece.value)]);
      case Kind::action:
        return add_action(piece, is_key);
      case Kind::saying:
        return add_saying(noun(piece.value), false);
      case Kind::deciding_saying:
        sentence_.is_ambiguous = !differ_ && draw_chance(random_, undecided_share);
        return add_saying(meant(), !differ_);
      case Kind::meant:
        return add_pronoun(sentence_.means_a ? 0 : 1, grammar_.function.subject);
      case Kind::meant_object:
        return add_pronoun(sentence_.means_a ? 0 : 1, grammar_.function.object);
      case Kind::subject:
        return add_pronoun(piece.value, grammar_.function.subject);
      case Kind::object:
        return add_pronoun(piece.value, grammar_.function.object);
      case Kind::deciding_word:
        return add_decider();
      case Kind::rule:
        return add_one(piece.value, is_key);
      case Kind::comma:
        if (draw_chance(random_, comma_share)) add_word(grammar_.function.comma, false);
        return;
      case Kind::be:
        return add_be(is_plural_);
      case Kind::said_be:
        return draw_chance(random_, not_be_share) ? add_by_tense("not") : add_be(is_plural_);
      case Kind::not_be:
        return add_by_tense("not");
      case Kind::neg:
        return add_by_tense("neg");
      case Kind::didnt:
        return add_rule(is_plural_ ? "past-neg-plural" : "past-neg");
      case Kind::asked_neg:
      case Kind::asked:
        is_plural_ = nouns_[0].pronoun == NounPronoun::they;
        return add_by_tense(piece.kind == Kind::asked ? "ask" : "ask-neg");
      case Kind::question_mark:
        return add_word(grammar_.function.question_mark, false);
      case Kind::fact:
        return add_fact();
    }
  }

  void add_one(int rule, bool is_key) { add(draw_one(random_, grammar_.rules[at(rule)]), is_key); }

  /// Adds the deciding words or, in a few sentences, those of another frame, which makes the sentence
  /// ambiguous.
  void add_decider() {
    const std::size_t row = sentence_.words.size();
    const bool is_foreign = frame_->decides_by_degree && sentence_.shares_pronoun && frame_->weight < often &&
                            draw_chance(random_, undecided_share);
    if (is_foreign) {
      sentence_.is_ambiguous = true;
      add(draw_foreign_decider(), true);
    } else {
      add_one(sentence_.means_a ? frame_->decides_a : frame_->decides_b, true);
    }
    if (sentence_.words.size() == row + 1) sentence_.deciding_row = static_cast<int>(row);
  }

  const Phrase& draw_foreign_decider() {
    for (;;) {
      const CompiledFrame& from = draw_one(random_, grammar_.frames);
      if (!from.decides_by_degree) continue;
      const int rule = draw_chance(random_, 0.5) ? from.decides_a : from.decides_b;
      const Phrase& drawn = draw_one(random_, grammar_.rules[at(rule)]);
      const auto is_own = [&](int own) {
        return std::ranges::find(grammar_.rules[at(own)], drawn) != grammar_.rules[at(own)].end();
      };
      if (!is_own(frame_->decides_a) && !is_own(frame_->decides_b)) return drawn;
    }
  }

  /// Adds the variant of a rule for the tense and the number of the preceding noun, such as
  /// "past-neg-plural".
  void add_by_tense(std::string_view name) {
    std::string rule = (is_present_ ? "present-" : "past-") + std::string(name);
    if (is_plural_ && grammar_.rule_index.contains(rule + "-plural")) rule += "-plural";
    add_rule(rule);
  }

  void add_be(bool is_plural) {
    const FunctionWords& f = grammar_.function;
    add_word(is_present_ ? (is_plural ? f.are : f.is) : (is_plural ? f.were : f.was), false);
  }

  void add_verb(const CompiledVerb& verb, bool is_key) {
    add_word(!is_present_ ? verb.past : is_plural_ ? verb.base : verb.present, is_key, true);
  }

  /// Adds the verb of an action. Its particle follows after the object.
  void add_action(const Piece& piece, bool is_key) {
    const CompiledAction* action = nullptr;
    if (chosen_.action >= 0 && chosen_.piece == &piece) {
      action = &grammar_.actions[at(std::exchange(chosen_.action, -1))];
    } else {
      action = find_action(piece);
    }
    if (action == nullptr) {
      fails_ = true;
      return;
    }
    add_form(*action, is_key || (piece.is_of_meant() && !differ_));
    add(action->after_verb);
    after_object_ = action->after_object;
  }

  void add_form(const CompiledAction& action, bool is_key) {
    const CompiledVerb& verb = grammar_.verbs[at(action.verb)];
    // The first verb of a question is in the base form: "did the dog chase".
    if (frame_->is_question && frame_->phrase.front().kind == Piece::Kind::asked &&
        sentence_.noun_rows[1] < 0 && pronouns_.empty())
      return add_word(verb.base, is_key, true);
    const double form = random_.uniform();
    if (form < negated_share) {
      add({Piece::Kind::neg, 0, false}, false);
      add_word(verb.base, is_key, true);
    } else if (form < negated_share + perfect_share) {
      add_by_tense("perfect");
      add_word(verb.participle, is_key, true);
    } else if (!is_present_ && form < negated_share + perfect_share + modal_share) {
      add_rule("modal");
      add_word(verb.base, is_key, true);
    } else {
      if (draw_chance(random_, adverb_share)) add_adverb();
      add_verb(verb, is_key);
    }
  }

  void add_adverb() {
    const std::size_t row = sentence_.words.size();
    add_rule("manner");
    sentence_.has_content[row] = 1U;
  }

  /// Draws an action of the piece's subject on its object. If the antecedent takes part, the other noun must
  /// not fit in its place, unless the pronoun distinguishes them. Also draws the third noun if the action
  /// involves it.
  const CompiledAction* find_action(const Piece& piece) {
    const auto fits = [&](int slot, KindMask mask) {
      if (slot == 2 && nouns_[2].word < 0) return frame_->allowed(2, mask) != 0;
      return has(mask, noun(slot).kind);
    };
    const KindMask others = differ_ ? 0 : grammar_.kinds_of_word(other().word);
    // A verb may be in the tables more than once.
    const auto is_said_of_other = [&](const CompiledAction& action) {
      if (others == 0) return false;
      return std::ranges::any_of(grammar_.actions, [&](const CompiledAction& one) {
        return one.verb == action.verb &&
               ((piece.value == Piece::the_meant && (one.subjects & others) != 0) ||
                (piece.object == Piece::the_meant && (one.objects & others) != 0));
      });
    };
    for (int i = 0; i < 4 * tries; ++i) {
      const CompiledAction& action = grammar_.actions[draw_below(random_, grammar_.actions.size())];
      if (!fits(piece.value, action.subjects) || !fits(piece.object, action.objects)) continue;
      if (is_said_of_other(action)) continue;
      for (const auto& [slot, mask] :
           {std::pair(piece.value, action.subjects), {piece.object, action.objects}}) {
        if (slot == 2 && nouns_[2].word < 0) nouns_[2] = draw_new_noun(frame_->allowed(2, mask));
      }
      return &action;
    }
    return nullptr;
  }

  /// Adds a predicate of a noun. A deciding one must not apply to the other noun.
  void add_saying(const Noun& of, bool decides) {
    const KindMask others = decides ? grammar_.kinds_of_word(other().word) : 0;
    for (int i = 0; i < 4 * tries; ++i) {
      const CompiledPredicate& saying = draw_one(random_, grammar_.sayings);
      const bool fits_other = (saying.kinds & others) != 0;
      if (!has(saying.kinds, of.kind) || (decides && fits_other != sentence_.is_ambiguous)) continue;
      is_plural_ = of.pronoun == NounPronoun::they;
      if (draw_chance(random_, adverb_share) && saying.phrase.front().kind == Piece::Kind::verb) add_adverb();
      return add(saying.phrase, decides);
    }
    fails_ = true;
  }

  void add_slot(int slot) {
    // If its action comes first, the noun is not drawn yet, because the action determines its subject.
    if (nouns_[at(slot)].word < 0) choose_for_action(slot);
    if (fails_) return;
    add_determiner(nouns_[at(slot)]);
    add_noun_word(slot);
  }

  /// Draws the third noun to fit the next action.
  void choose_for_action(int slot) {
    for (const Piece& piece : frame_->phrase) {
      if (piece.kind != Piece::Kind::action || (piece.value != slot && piece.object != slot)) continue;
      const CompiledAction* action = find_action(piece);
      if (action == nullptr) break;
      chosen_ = {&piece, static_cast<int>(action - grammar_.actions.data())};
      return;
    }
    fails_ = true;
  }

  void add_noun_word(int slot) {
    const Noun& of = nouns_[at(slot)];
    is_plural_ = of.pronoun == NounPronoun::they;
    sentence_.noun_rows[at(slot)] = static_cast<int>(sentence_.words.size());
    add_word(of.word, sentence_.pronoun_decides, true);
    end_object();
  }

  void add_owner_slot(int slot) {
    const Noun& of = nouns_[at(slot)];
    if (of.owner < 0) {
      fails_ = true;
      return;
    }
    add_determiner(of);
    sentence_.noun_rows[at(slot)] = static_cast<int>(sentence_.words.size());
    add_word(of.owner, sentence_.pronoun_decides, true);
  }

  void add_any_noun(KindMask mask) {
    const Noun drawn = draw_new_noun(mask);
    if (fails_) return;
    add_determiner(drawn);
    add_word(drawn.word, false, true);
    is_plural_ = drawn.pronoun == NounPronoun::they;
    end_object();
  }

  void end_object() {
    const Phrase after = std::exchange(after_object_, {});
    add(after);
  }

  /// Adds the determiner and modifiers of a noun.
  void add_determiner(const Noun& of) {
    const CompiledKind& kind = grammar_.kinds[at(of.kind)];
    if (kind.use == CompiledKind::Use::name) return;
    const bool is_plural = of.pronoun == NounPronoun::they;
    const bool is_owned = draw_chance(random_, owner_share) && add_owner();
    if (!is_owned) add_rule(is_plural ? "article-plural" : "article");
    const std::size_t article_row = sentence_.words.size() - 1;
    if (!kind.adjectives.empty() && draw_chance(random_, adjective_share)) {
      add_word(draw_one(random_, kind.adjectives), false, true);
      if (draw_chance(random_, second_adjective_share))
        add_word(draw_one(random_, kind.adjectives), false, true);
    }
    if (draw_chance(random_, compound_share)) add_compound();
    const bool is_next = sentence_.words.size() > article_row + 1;
    const std::string& after = grammar_.words[at(is_next ? sentence_.words[article_row + 1] : of.word)];
    if (sentence_.words[article_row] == grammar_.function.a &&
        std::string_view("aeiou").find(after[0]) != std::string_view::npos)
      sentence_.words[article_row] = grammar_.function.an;
  }

  /// Adds a noun modifier, as in "the apple tree".
  void add_compound() {
    const Noun drawn = draw_noun(grammar_.compound_kinds, false);
    if (!is_taken(drawn.word)) add_word(drawn.word, false, true);
  }

  /// Adds a possessive of a noun outside the frame with a different pronoun. Returns false on failure.
  bool add_owner() {
    const Noun drawn = draw_noun(grammar_.possessor_kinds, false);
    PronounMask taken = 0;
    for (const Noun& noun : nouns_)
      if (noun.word >= 0) taken |= bit_of(noun);
    if (drawn.owner < 0 || is_taken(drawn.word) || (grammar_.pronouns_of_word(drawn.word) & taken) != 0)
      return false;
    if (grammar_.kinds[at(drawn.kind)].use != CompiledKind::Use::name) add_word(grammar_.function.the, false);
    add_word(drawn.owner, false, true);
    return true;
  }

  void add_pronoun(int slot, const std::array<int, 4>& forms) {
    const NounPronoun pronoun = nouns_[at(slot)].pronoun;
    is_plural_ = pronoun == NounPronoun::they;
    pronouns_.emplace_back(sentence_.words.size(), slot);
    add_word(forms[static_cast<std::size_t>(pronoun)], false);
    if (&forms == &grammar_.function.object) end_object();
  }

  void add_fact() {
    const CompiledFact& fact = draw_one(random_, grammar_.facts);
    if (draw_chance(random_, article_of_fact_share)) add_word(grammar_.function.the, false);
    add_word(fact.subject, false);
    add_be(fact.is_plural);
    add_word(draw_one(random_, fact.attributes), frame_->kinds[0] == 0 && !frame_->is_open);
  }

  /// Whether each noun occurs only as often as in the frame.
  bool names_its_nouns_once() const {
    for (int slot = 0; slot < 3; ++slot) {
      if (sentence_.noun_rows[at(slot)] < 0) continue;
      const auto expected = std::ranges::count_if(frame_->phrase, [&](const Piece& piece) {
        const bool names = piece.kind == Piece::Kind::noun || piece.kind == Piece::Kind::noun_again ||
                           piece.kind == Piece::Kind::bare_noun || piece.kind == Piece::Kind::owner;
        return names && piece.value == slot;
      });
      const int word = sentence_.words[at(sentence_.noun_rows[at(slot)])];
      if (std::ranges::count(sentence_.words, word) != expected) return false;
    }
    return true;
  }

  const Grammar& grammar_;
  RandomStream& random_;
  Sentence sentence_;
  const CompiledFrame* frame_ = nullptr;
  bool is_present_ = false;
  bool is_plural_ = false;  ///< Number of the preceding noun or pronoun
  /// Whether the pronoun distinguishes the nouns.
  bool differ_ = true;
  bool fails_ = false;
  struct {
    const Piece* piece = nullptr;
    int action = -1;
  } chosen_;  ///< An action drawn in advance.
  Phrase after_object_;
  std::array<Noun, 3> nouns_;
  std::vector<std::pair<std::size_t, int>> pronouns_;  ///< Pairs of row and slot.
};

}  // namespace

Sentence draw_sentence(const Grammar& grammar, RandomStream& random) {
  for (;;) {
    if (auto sentence = SentenceWriter(grammar, random).write()) return std::move(*sentence);
  }
}

Split split_of_sentence(std::string_view canonical_text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> of_documents{
      {{"animal", "street"}, {"trophy", "suitcase"}, {"sky", "grass"}, {"sky", "world"}}};
  const std::vector<std::string_view> words = split_text(canonical_text, ' ');
  const auto has_word = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  for (const auto& [one, other] : of_documents) {
    if (has_word(one) && has_word(other)) return Split::held_out;
  }
  return split_of(canonical_text);
}

std::string canonical_text(const Grammar& grammar, const Sentence& sentence) {
  std::string text;
  for (std::size_t row = sentence.core_begin; row < sentence.core_end; ++row) {
    const int id = sentence.words[row];
    if (grammar.is_mark(id)) continue;
    if (!text.empty()) text += ' ';
    text += grammar.words[static_cast<std::size_t>(id)];
  }
  return text;
}

}  // namespace headscope
