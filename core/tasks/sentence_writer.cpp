#include "core/tasks/sentence_writer.h"

#include <algorithm>

namespace headscope {
namespace {

constexpr double script_share = 0.5;
constexpr double adverb_share = 0.08;
constexpr double negated_share = 0.07;
constexpr double perfect_share = 0.05;
constexpr double modal_share = 0.05;
constexpr double undecided_share = 0.015;
/// Frames of at least this weight demonstrate the model, so it should be sure of them.
constexpr int often = 20;
constexpr double not_be_share = 0.05;
constexpr double comma_share = 0.6;
constexpr double period_share = 0.4;
constexpr double opening_share = 0.1;
constexpr double closing_share = 0.04;
constexpr double article_of_fact_share = 0.7;

}  // namespace

std::optional<Sentence> SentenceWriter::write() {
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
    sentence_.means[row] = sentence_.noun_rows[static_cast<std::size_t>(slot)];
  sentence_.has_pronoun = !pronouns_.empty();
  if (fails_ || sentence_.words.size() > longest_sentence || !names_its_nouns_once()) return std::nullopt;
  return std::move(sentence_);
}

void SentenceWriter::add_word(int id, bool is_key, bool has_content) {
  sentence_.words.push_back(id);
  sentence_.is_key.push_back(is_key ? 1U : 0U);
  sentence_.has_content.push_back(has_content ? 1U : 0U);
  sentence_.means.push_back(-1);
}

void SentenceWriter::add(const Phrase& phrase, bool is_key) {
  for (const Piece& piece : phrase) {
    if (fails_) return;
    add(piece, is_key || piece.is_key);
  }
}

void SentenceWriter::add(const Piece& piece, bool is_key) {
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
      if (grammar_.kinds[at(noun(piece.value).kind)].use != NounKind::Use::name)
        add_word(grammar_.function.the, false);
      return add_noun_word(piece.value);
    case Kind::any_noun:
      return add_any_noun(grammar_.masks[at(piece.value)]);
    case Kind::action:
      return add_action(piece, is_key);
    case Kind::saying:
      return add_saying(noun(piece.value), false);
    case Kind::deciding_saying:
      sentence_.is_undecided = !differ_ && draw_chance(random_, undecided_share);
      return add_saying(meant(), !differ_);
    case Kind::meant:
      return add_pronoun(sentence_.means_a ? 0 : 1, grammar_.function.subject);
    case Kind::meant_object:
      return add_pronoun(sentence_.means_a ? 0 : 1, grammar_.function.object);
    case Kind::subject:
      return add_pronoun(piece.value, grammar_.function.subject);
    case Kind::object:
      return add_pronoun(piece.value, grammar_.function.object);
    case Kind::decider:
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

const Phrase& SentenceWriter::draw_foreign_decider() {
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

void SentenceWriter::add_decider() {
  const std::size_t row = sentence_.words.size();
  const bool is_foreign = frame_->decides_by_degree && sentence_.shares_pronoun &&
                          frame_->source->weight < often && draw_chance(random_, undecided_share);
  if (is_foreign) {
    sentence_.is_undecided = true;
    add(draw_foreign_decider(), true);
  } else {
    add_one(sentence_.means_a ? frame_->decides_a : frame_->decides_b, true);
  }
  if (sentence_.words.size() == row + 1) sentence_.decider_row = static_cast<int>(row);
}

void SentenceWriter::add_by_tense(std::string_view name) {
  std::string rule = (is_present_ ? "present-" : "past-") + std::string(name);
  if (is_plural_ && grammar_.rule_index.contains(rule + "-plural")) rule += "-plural";
  add_rule(rule);
}

void SentenceWriter::add_be(bool is_plural) {
  const FunctionWords& f = grammar_.function;
  add_word(is_present_ ? (is_plural ? f.are : f.is) : (is_plural ? f.were : f.was), false);
}

void SentenceWriter::add_verb(const CompiledVerb& verb, bool is_key) {
  add_word(!is_present_ ? verb.past : is_plural_ ? verb.base : verb.present, is_key, true);
}

void SentenceWriter::add_action(const Piece& piece, bool is_key) {
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

void SentenceWriter::add_form(const CompiledAction& action, bool is_key) {
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

void SentenceWriter::add_adverb() {
  const std::size_t row = sentence_.words.size();
  add_rule("manner");
  sentence_.has_content[row] = 1U;
}

void SentenceWriter::add_saying(const Noun& of, bool decides) {
  const KindMask others = decides ? grammar_.kinds_of_word(other().word) : 0;
  for (int i = 0; i < 4 * tries; ++i) {
    const CompiledSaying& saying = draw_one(random_, grammar_.sayings);
    const bool fits_other = (saying.kinds & others) != 0;
    if (!has(saying.kinds, of.kind) || (decides && fits_other != sentence_.is_undecided)) continue;
    is_plural_ = of.pronoun == NounPronoun::they;
    if (draw_chance(random_, adverb_share) && saying.phrase.front().kind == Piece::Kind::verb) add_adverb();
    return add(saying.phrase, decides);
  }
  fails_ = true;
}

void SentenceWriter::add_pronoun(int slot, const std::array<int, 4>& forms) {
  const NounPronoun pronoun = nouns_[at(slot)].pronoun;
  is_plural_ = pronoun == NounPronoun::they;
  pronouns_.emplace_back(sentence_.words.size(), slot);
  add_word(forms[static_cast<std::size_t>(pronoun)], false);
  if (&forms == &grammar_.function.object) end_object();
}

void SentenceWriter::add_fact() {
  const CompiledFact& fact = draw_one(random_, grammar_.facts);
  if (draw_chance(random_, article_of_fact_share)) add_word(grammar_.function.the, false);
  add_word(fact.subject, false);
  add_be(fact.is_plural);
  add_word(draw_one(random_, fact.attributes), frame_->kinds[0] == 0 && !frame_->is_open);
}

bool SentenceWriter::names_its_nouns_once() const {
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

}  // namespace headscope
