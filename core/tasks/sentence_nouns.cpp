#include <algorithm>

#include "core/tasks/sentence_writer.h"

namespace headscope {
namespace {

constexpr double adjective_share = 0.15;
constexpr double second_adjective_share = 0.15;
constexpr double compound_share = 0.03;
constexpr double owner_share = 0.03;
constexpr double plural_share = 0.18;
/// The probability of a plural after a noun in the plural. It is high so that “they” may stand for either
/// noun often enough.
constexpr double plural_again_share = 0.5;

}  // namespace

SentenceWriter::Noun SentenceWriter::draw_noun(KindMask mask, bool may_be_plural) {
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

std::size_t SentenceWriter::weight_of(std::size_t kind) const {
  return std::min<std::size_t>(grammar_.kinds[kind].words.size(), 60) + 20;
}

bool SentenceWriter::is_taken(int word) const {
  return std::ranges::any_of(nouns_, [&](const Noun& noun) { return noun.word == word; }) ||
         std::ranges::find(sentence_.words, word) != sentence_.words.end();
}

SentenceWriter::Noun SentenceWriter::draw_new_noun(KindMask mask, bool may_be_plural) {
  for (int i = 0; i < tries && !fails_; ++i) {
    const Noun drawn = draw_noun(mask, may_be_plural);
    if (!is_taken(drawn.word)) return drawn;
  }
  fails_ = true;
  return {};
}

void SentenceWriter::choose_nouns() {
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
      if (is_bare(slot) && grammar_.kinds[at(drawn.kind)].use == NounKind::Use::name) continue;
      nouns_[at(slot)] = drawn;
      break;
    }
    fails_ = fails_ || nouns_[at(slot)].word < 0;
  }
  if (fails_ || nouns_[1].word < 0) return;
  differ_ = (grammar_.pronouns_of_word(other().word) & bit_of(meant())) == 0;
  sentence_.shares_pronoun = !differ_;
  const bool both = differ_ && (grammar_.pronouns_of_word(meant().word) & bit_of(other())) == 0;
  if (frame_->source->pronouns_differ && !both) fails_ = true;
  sentence_.pronoun_decides = frame_->source->pronouns_differ;
}

bool SentenceWriter::stands_as(Piece::Kind kind, int slot) const {
  return std::ranges::any_of(frame_->phrase,
                             [&](const Piece& piece) { return piece.kind == kind && piece.value == slot; });
}

void SentenceWriter::choose_by_action(const Piece& piece) {
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

const CompiledAction* SentenceWriter::find_action(const Piece& piece) {
  const auto fits = [&](int slot, KindMask mask) {
    if (slot == 2 && nouns_[2].word < 0) return frame_->allowed(2, mask) != 0;
    return has(mask, noun(slot).kind);
  };
  const KindMask others = differ_ ? 0 : grammar_.kinds_of_word(other().word);
  // A verb may be in the tables more than once.
  const auto is_said_of_other = [&](const CompiledAction& action) {
    if (others == 0) return false;
    return std::ranges::any_of(grammar_.actions, [&](const CompiledAction& one) {
      return one.verb == action.verb && ((piece.value == Piece::the_meant && (one.subjects & others) != 0) ||
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

void SentenceWriter::add_slot(int slot) {
  // The noun has no word yet if its action comes first, because the action then chooses its subject.
  if (nouns_[at(slot)].word < 0) choose_for_action(slot);
  if (fails_) return;
  add_determiner(nouns_[at(slot)]);
  add_noun_word(slot);
}

void SentenceWriter::choose_for_action(int slot) {
  for (const Piece& piece : frame_->phrase) {
    if (piece.kind != Piece::Kind::action || (piece.value != slot && piece.object != slot)) continue;
    const CompiledAction* action = find_action(piece);
    if (action == nullptr) break;
    chosen_ = {&piece, static_cast<int>(action - grammar_.actions.data())};
    return;
  }
  fails_ = true;
}

void SentenceWriter::add_noun_word(int slot) {
  const Noun& of = nouns_[at(slot)];
  is_plural_ = of.pronoun == NounPronoun::they;
  sentence_.noun_rows[at(slot)] = static_cast<int>(sentence_.words.size());
  add_word(of.word, sentence_.pronoun_decides, true);
  end_object();
}

void SentenceWriter::add_owner_slot(int slot) {
  const Noun& of = nouns_[at(slot)];
  if (of.owner < 0) {
    fails_ = true;
    return;
  }
  add_determiner(of);
  sentence_.noun_rows[at(slot)] = static_cast<int>(sentence_.words.size());
  add_word(of.owner, sentence_.pronoun_decides, true);
}

void SentenceWriter::add_any_noun(KindMask mask) {
  const Noun drawn = draw_new_noun(mask);
  if (fails_) return;
  add_determiner(drawn);
  add_word(drawn.word, false, true);
  is_plural_ = drawn.pronoun == NounPronoun::they;
  end_object();
}

void SentenceWriter::end_object() {
  const Phrase after = std::exchange(after_object_, {});
  add(after);
}

void SentenceWriter::add_determiner(const Noun& of) {
  const CompiledKind& kind = grammar_.kinds[at(of.kind)];
  if (kind.use == NounKind::Use::name) return;
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

void SentenceWriter::add_compound() {
  const Noun drawn = draw_noun(grammar_.compound_kinds, false);
  if (!is_taken(drawn.word)) add_word(drawn.word, false, true);
}

bool SentenceWriter::add_owner() {
  const Noun drawn = draw_noun(grammar_.owner_kinds, false);
  PronounMask taken = 0;
  for (const Noun& noun : nouns_)
    if (noun.word >= 0) taken |= bit_of(noun);
  if (drawn.owner < 0 || is_taken(drawn.word) || (grammar_.pronouns_of_word(drawn.word) & taken) != 0)
    return false;
  if (grammar_.kinds[at(drawn.kind)].use != NounKind::Use::name) add_word(grammar_.function.the, false);
  add_word(drawn.owner, false, true);
  return true;
}

}  // namespace headscope
