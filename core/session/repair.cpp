#include "core/session/repair.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/model/architecture.h"
#include "core/model/trained_model.h"
#include "core/overloaded.h"
#include "core/session/placed.h"
#include "core/session/settings.h"
#include "core/text/texts.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

/// Clamps a value to its limits. `fallback` replaces NaN and infinities.
template <class Number>
void keep_within(Number& value, Number low, Number high, Number fallback) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) value = fallback;
  }
  value = std::clamp(value, low, high);
}

/// Returns false for sizes, which are kept because the screen must explain inconsistent ones, and for the
/// selection, which depends on them and is repaired with them. Other numbers only have to be within their
/// limits.
bool is_mended_by_itself(const Setting& setting) {
  if (std::holds_alternative<field::Real>(setting.field)) return true;
  return !setting.key.starts_with("architecture.") && !setting.key.starts_with("selection.");
}

/// Orders and separates the ends of a fixed range.
void repair_range(PictureOptions& picture) {
  if (picture.fixed_low > picture.fixed_high) std::swap(picture.fixed_low, picture.fixed_high);
  if (picture.fixed_low != picture.fixed_high) return;
  const double width = std::max(1.0, std::abs(picture.fixed_low) / 2.0);
  (picture.fixed_low > 0.0 ? picture.fixed_low : picture.fixed_high) +=
      picture.fixed_low > 0.0 ? -width : width;
}

std::vector<std::string> words_of(const Session& session, const Texts& texts) {
  if (session.model) return session.model->predicted();
  std::vector<std::string> words;
  if (session.tokenizer == TokenizerKind::word) {
    for (const Token& token : listed_words(session.output_words)) words.push_back(token.text);
  }
  if (!words.empty()) return words;
  const std::vector<Token> none;
  for (const Token& token : distinct_words(texts.batch(), texts.sentence(),
                                           session.architecture.has_cross() ? texts.target() : none)) {
    words.push_back(token.lookup);
  }
  return words;
}

/// Returns whether a word is one of those that the model predicts. An empty word counts as one.
bool predicts(const Session& session, const Texts& texts, const std::string& word) {
  if (word.empty()) return true;
  if (session.architecture.output_layer == OutputLayer::none) return false;
  const auto has = [&](const std::vector<std::string>& words) {
    return std::ranges::find(words, word) != words.end();
  };
  return session.model ? has(session.model->predicted()) : has(words_of(session, texts));
}

/// The length of an axis, or 0 if it is undefined because the sizes are inconsistent.
int size_of(const Session& session, const Texts& texts, const StageId& id, Axis axis) {
  if (session.architecture.n_heads < 1) return 0;
  const TokenCounts n = token_counts(texts);
  const bool is_of_words = axis == Axis::vocabulary;
  const int seed1_rows = session.tokenizer == TokenizerKind::seed1 ? seed1_vocabulary : 0;
  return std::max(axis_length({.architecture = session.architecture,
                               .table_rows = session.model ? session.model->vocabulary.size() : seed1_rows,
                               .n_words = is_of_words ? static_cast<int>(words_of(session, texts).size()) : 0,
                               .n_source = n.source,
                               .n_target = n.target},
                              id, axis),
                  0);
}

void repair_selection(Session& session, const Texts& texts) {
  Selection& selection = session.selection;
  const Architecture& a = session.architecture;
  const int last_head = std::max(a.n_heads, 1) - 1;
  selection.head = std::clamp(selection.head, 0, last_head);
  if (!a.has(selection.stack)) selection.stack = a.first_stack();
  if (!a.has_self()) selection.stack = Stack::decoder;
  const int n_layers = std::max(a.layers_of(selection.stack), 1);
  selection.layer = std::clamp(selection.layer, 0, n_layers - 1);
  if (!a.has(selection.stack, selection.attention)) {
    selection.attention = a.has_self() ? AttentionKind::self : AttentionKind::cross;
  }
  if (!session.attention.has_dropout() && selection.stage == StageKind::dropped)
    selection.stage = StageKind::weights;
  std::erase_if(selection.heads, [&](const HeadIndex& place) {
    return !inside(place.layer, n_layers) || !inside(place.head, last_head + 1);
  });
  sort_unique(selection.heads);
  const TokenCounts n = token_counts(texts);
  const int n_queries = n.of(a, selection.stack);
  if (selection.token && !inside(*selection.token, n_queries)) selection.token.reset();
  const bool counts_source = selection.picked.are_keys && selection.attention == AttentionKind::cross;
  keep_inside(selection.picked.tokens, counts_source ? n.source : n_queries);
  if (selection.picked.tokens.empty()) selection.picked.are_keys = false;
  if (!predicts(session, texts, selection.word)) selection.word.clear();
  if (!selection.pin) return;
  Pin& pin = *selection.pin;
  pin.stage.head = std::clamp(pin.stage.head, 0, last_head);
  pin.stage = canonical(a, normalized(pin.stage));
  const StageInfo& stage = info(pin.stage.kind);
  const bool exists = is_in_model(a, pin.stage) &&
                      inside(pin.row, size_of(session, texts, pin.stage, stage.rows)) &&
                      inside(pin.col, size_of(session, texts, pin.stage, stage.cols));
  if (!exists) selection.pin.reset();
}

/// The part of repaired() that follows from the records of the settings: makes texts valid UTF-8, numbers
/// finite and within their limits, and indices existing, sorted and unique. Also sets the sentence from the
/// batch and orders a fixed range. Leaves the tokens of the repaired texts in the session.
void repair_settings(Session& session, const Session& fallback) {
  // The texts come first among the settings, so they are repaired before their tokens are counted.
  const auto count = [&](Stack count_text) {
    use_batch_sentence(session);
    session.texts = texts_of(session);
    const TokenCounts n = token_counts(session.texts);
    return count_text == Stack::encoder ? n.source : n.target;
  };
  const Overloaded mend{
      [&](const field::Integer& f) {
        keep_within(f.value.write(session), f.low, f.last ? f.last(session) : f.high, f.value.read(fallback));
      },
      [&](const field::OptionalInteger& f) {
        std::optional<int>& value = f.value.write(session);
        if (value) value = std::clamp(*value, f.low, f.last ? f.last(session) : f.high);
      },
      [&]<class Number>(const field::Decimal<Number>& f) {
        keep_within(f.value.write(session), f.low, f.high, f.value.read(fallback));
      },
      [&](const field::HiddenValue& f) {
        float& value = f.value.write(session);
        if (value != MaskValue::minus_infinity && !std::isfinite(value)) value = f.value.read(fallback);
      },
      [&](const field::Tokens& f) { keep_inside(f.value.write(session), count(f.keys)); },
      [&](const field::Cells& f) {
        std::vector<Cell>& cells = f.value.write(session);
        const int n_queries = count(f.queries);
        const int n_keys = count(f.keys);
        std::erase_if(cells,
                      [&](Cell cell) { return !inside(cell.query, n_queries) || !inside(cell.key, n_keys); });
        sort_unique(cells);
      },
      [&](const field::Text& f) { f.value.write(session) = valid_utf8(f.value.read(session)); },
      [&](const field::Texts& f) {
        for (std::string& text : f.value.write(session)) text = valid_utf8(text);
      },
      // Any value is meaningful.
      [](const auto&) {},
  };
  for (const Setting& setting : all_settings) {
    if (is_mended_by_itself(setting)) std::visit(mend, setting.field);
  }
  // Queries and keys of cross-attention are in different sentences, so no document can contain both.
  session.attention.cross_mask.documents.clear();
  session.attention.cross_mask.separator.clear();
  use_batch_sentence(session);
  repair_range(session.picture);
}

/// Repairs each compared subject as if it were the edited one.
void repair_compared(Session& session, const Session& fallback) {
  if (session.compared.size() > max_compared) session.compared.resize(max_compared);
  for (Subject& compared : session.compared) {
    Session alone = repaired(with_subject(session, compared), with_subject(fallback, fallback.subject()));
    compared = alone.subject();
    compared.selection.stage = session.selection.stage;
  }
}

}  // namespace

bool is_in_model(const Architecture& architecture, const StageId& stage) {
  const StageInfo& about = info(stage.kind);
  const bool is_of_words = about.rows == Axis::vocabulary || about.cols == Axis::vocabulary;
  if (is_of_words && architecture.output_layer == OutputLayer::none) return false;
  if (about.scope == StageScope::model) return true;
  if (about.scope == StageScope::stack) return architecture.has(stage.stack);
  if (about.scope >= StageScope::attention && !architecture.has(stage.stack, stage.attention)) return false;
  return architecture.has(stage.stack) && architecture.layers_of(stage.stack) > 0 && stage.layer >= 0 &&
         stage.layer < std::max(architecture.layers_of(stage.stack), 1);
}

TokenCounts token_counts(const Texts& texts) {
  return {static_cast<int>(std::max(texts.sentence().size(), texts.batch().padded_length)),
          static_cast<int>(texts.target().size())};
}

int axis_size(const Session& session, const StageId& id, Axis axis) {
  return size_of(session, texts_of(session), id, axis);
}

std::vector<std::string> predicted_words(const Session& session) {
  return words_of(session, texts_of(session));
}

std::vector<Token> source_tokens(const Session& session) {
  const Texts texts = texts_of(session);
  std::vector<Token> tokens = texts.sentence();
  pad(texts.batch().padded_length, session.tokenizer, tokens);
  return tokens;
}

std::vector<Token> target_tokens(const Session& session) {
  return texts_of(session).target();
}

int n_source_tokens(const Session& session) {
  return token_counts(texts_of(session)).source;
}

int n_target_tokens(const Session& session) {
  return token_counts(texts_of(session)).target;
}

Session with_subject(const Session& session, const Subject& subject) {
  Session alone = session;
  static_cast<Subject&>(alone) = subject;
  alone.compared.clear();
  alone.difference = false;
  alone.cover = {};
  return alone;
}

std::vector<Session> subjects_of(const Session& session) {
  std::vector<Session> subjects{session};
  subjects.reserve(session.compared.size() + 1);
  for (const Subject& compared : session.compared) subjects.push_back(with_subject(session, compared));
  return subjects;
}

Session repaired(Session session, const Session& fallback) {
  repair_settings(session, fallback);
  if (!session.model) {
    session.architecture.foreign = {};
    const bool is_of_model =
        session.tokenizer == TokenizerKind::model || session.tokenizer == TokenizerKind::ids;
    if (is_of_model) session.tokenizer = TokenizerKind::word;
  }
  session.texts = texts_of(session);
  repair_selection(session, session.texts);
  session.interventions = valid_interventions(session);
  session.given = valid_given(session);
  session.cover = valid_cover(session);
  repair_compared(session, fallback);
  return session;
}

}  // namespace headscope
