#include "core/session/repair.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/model/architecture.h"
#include "core/model/trained_model.h"
#include "core/text/batch.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

template <class Number>
void keep_finite(Number& value, Number fallback) {
  if (!std::isfinite(value)) value = fallback;
}

template <class Item>
void sort_unique(std::vector<Item>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

bool inside(int index, int size) {
  return index >= 0 && index < size;
}

/// 0 where the heads do not make sense of it; Architecture::head_width() would divide by them.
int head_width(const Architecture& architecture) {
  if (architecture.d_head) return std::max(*architecture.d_head, 0);
  return architecture.n_heads > 0 ? std::max(architecture.d_model, 0) / architecture.n_heads : 0;
}

int value_width(const Architecture& architecture) {
  return architecture.d_value ? std::max(*architecture.d_value, 0) : head_width(architecture);
}

int concat_width(const Architecture& architecture) {
  const auto width = static_cast<long long>(std::max(architecture.n_heads, 0)) * value_width(architecture);
  constexpr long long most =
      static_cast<long long>(ArchitectureLimits::max_heads) * ArchitectureLimits::max_head_width;
  return static_cast<int>(std::min(width, most));
}

/// Tokens of both sentences.
struct SessionTokens {
  std::vector<Token> source;
  std::vector<Token> target;

  explicit SessionTokens(const Session& session)
      : source(source_tokens(session)), target(target_tokens(session)) {}

  const std::vector<Token>& of(const Architecture& architecture, Stack stack) const {
    return architecture.has_cross() && stack == Stack::decoder ? target : source;
  }
};

std::vector<std::string> words_of(const Session& session, const SessionTokens& tokens) {
  if (session.model) return session.model->vocabulary.words();
  std::vector<std::string> words;
  if (session.tokenizer == TokenizerKind::word) {
    for (const Token& token : listed_words(session.output_words)) words.push_back(token.text);
  }
  if (!words.empty()) return words;
  const std::vector<Token> none;
  for (const Token& token : distinct_words(read_batch(session.batch, session.tokenizer), tokens.source,
                                           session.architecture.has_cross() ? tokens.target : none)) {
    words.push_back(token.lookup);
  }
  return words;
}

int size_of(const Session& session, const SessionTokens& tokens, const StageId& id, Axis axis) {
  const Architecture& a = session.architecture;
  switch (axis) {
    case Axis::query_tokens: {
      const bool ends_model = info(id.kind).scope == StageScope::model;
      return static_cast<int>(tokens.of(a, ends_model ? a.last_stack() : id.stack).size());
    }
    case Axis::key_tokens:
      return static_cast<int>(
          (id.attention == AttentionKind::cross ? tokens.source : tokens.of(a, id.stack)).size());
    case Axis::d_model:
      return std::max(a.d_model, 0);
    case Axis::d_head:
      return head_width(a);
    case Axis::d_value:
      return value_width(a);
    case Axis::concat:
      return concat_width(a);
    case Axis::d_ff:
      return std::max(a.d_ff, 0);
    case Axis::single:
      return 1;
    case Axis::vocabulary:
      return static_cast<int>(words_of(session, tokens).size());
    case Axis::table_rows:
      if (session.model) return session.model->vocabulary.size();
      return session.tokenizer == TokenizerKind::seed1 ? seed1_vocabulary : 0;
    case Axis::position_rows:
      return a.positions == Positions::relative ? a.n_heads : learned_positions;
    case Axis::position_cols:
      return a.positions == Positions::relative ? relative_table_width : a.d_model;
  }
  return 0;
}

void repair_mask(MaskSpec& mask, int n_queries, int n_keys) {
  if (mask.window) mask.window = std::max(*mask.window, 0);
  if (mask.prefix) mask.prefix = std::max(*mask.prefix, 0);
  std::erase_if(mask.padding, [&](int token) { return !inside(token, n_keys); });
  std::erase_if(mask.painted,
                [&](Cell cell) { return !inside(cell.query, n_queries) || !inside(cell.key, n_keys); });
  sort_unique(mask.padding);
  sort_unique(mask.painted);
}

void repair_attention(AttentionOptions& attention, const AttentionOptions& fallback,
                      const SessionTokens& tokens) {
  keep_finite(attention.temperature, fallback.temperature);
  keep_finite(attention.dropout, fallback.dropout);
  if (attention.mask_value != MaskValue::minus_infinity)
    keep_finite(attention.mask_value, fallback.mask_value);
  attention.temperature = std::clamp(attention.temperature, min_temperature, max_temperature);
  attention.dropout = std::clamp(attention.dropout, 0.0F, max_dropout);
  const int n_source = static_cast<int>(tokens.source.size());
  const int n_target = static_cast<int>(tokens.target.size());
  repair_mask(attention.mask, n_source, n_source);
  repair_mask(attention.target_mask, n_target, n_target);
  repair_mask(attention.cross_mask, n_target, n_source);
}

void repair_sampling(Sampling& sampling, const Sampling& fallback) {
  keep_finite(sampling.temperature, fallback.temperature);
  keep_finite(sampling.top_p, fallback.top_p);
  sampling.temperature = std::clamp(sampling.temperature, min_sampling_temperature, max_sampling_temperature);
  sampling.top_p = std::clamp(sampling.top_p, 0.0F, 1.0F);
  sampling.top_k = std::max(sampling.top_k, 0);
}

void repair_training(TrainingSettings& training, const TrainingSettings& fallback) {
  using Limits = TrainingLimits;
  keep_finite(training.learning_rate, fallback.learning_rate);
  training.learning_rate =
      std::clamp(training.learning_rate, Limits::min_learning_rate, Limits::max_learning_rate);
  training.steps = std::clamp(training.steps, 1, Limits::max_steps);
  training.batch_size = std::clamp(training.batch_size, 1, Limits::max_batch_size);
}

void repair_batch(Session& session) {
  for (std::string& sentence : session.batch) sentence = valid_utf8(sentence);
  const int last = std::max(static_cast<int>(session.batch.size()) - 1, 0);
  session.sequence = std::clamp(session.sequence, 0, last);
  if (!session.batch.empty()) session.sentence = session.batch[static_cast<std::size_t>(session.sequence)];
}

void repair_picture(PictureOptions& picture, const PictureOptions& fallback) {
  keep_finite(picture.fixed_low, fallback.fixed_low);
  keep_finite(picture.fixed_high, fallback.fixed_high);
  keep_finite(picture.gamma, fallback.gamma);
  keep_finite(picture.line_threshold, fallback.line_threshold);
  picture.gamma = std::clamp(picture.gamma, min_gamma, max_gamma);
  picture.line_threshold = std::clamp(picture.line_threshold, 0.0F, 1.0F);
  picture.fixed_low = std::clamp(picture.fixed_low, -max_fixed_range, max_fixed_range);
  picture.fixed_high = std::clamp(picture.fixed_high, -max_fixed_range, max_fixed_range);
  if (picture.fixed_low > picture.fixed_high) std::swap(picture.fixed_low, picture.fixed_high);
  if (picture.fixed_low == picture.fixed_high) {
    const double width = std::max(1.0, std::abs(picture.fixed_low) / 2.0);
    if (picture.fixed_low > 0.0)
      picture.fixed_low -= width;
    else
      picture.fixed_high += width;
  }
}

bool has_attention(const Architecture& architecture, Stack stack, AttentionKind attention) {
  if (!architecture.has(stack)) return false;
  return attention == AttentionKind::self || (architecture.has_cross() && stack == Stack::decoder);
}

/// Whether the model has this place; how many rows and columns it has is for size_of to say.
bool is_in_model(const Architecture& architecture, const StageId& stage) {
  const StageScope scope = info(stage.kind).scope;
  if (scope == StageScope::model) return true;
  return has_attention(architecture, stage.stack, stage.attention) &&
         inside(stage.layer, std::max(architecture.n_layers, 1));
}

void repair_selection(Session& session, const SessionTokens& tokens) {
  Selection& selection = session.selection;
  const Architecture& a = session.architecture;
  const int last_head = std::max(a.n_heads, 1) - 1;
  selection.head = std::clamp(selection.head, 0, last_head);
  selection.layer = std::clamp(selection.layer, 0, std::max(a.n_layers, 1) - 1);
  if (!a.has(selection.stack)) selection.stack = a.first_stack();
  if (!has_attention(a, selection.stack, selection.attention)) selection.attention = AttentionKind::self;
  if (!session.attention.drops() && selection.stage == StageKind::dropped)
    selection.stage = StageKind::weights;
  const int n_queries = static_cast<int>(tokens.of(a, selection.stack).size());
  if (selection.token && !inside(*selection.token, n_queries)) selection.token.reset();
  if (!selection.pin) return;
  Pin& pin = *selection.pin;
  pin.stage.head = std::clamp(pin.stage.head, 0, last_head);
  pin.stage = normalized(pin.stage);
  const StageInfo& stage = info(pin.stage.kind);
  const bool exists = is_in_model(a, pin.stage) &&
                      inside(pin.row, size_of(session, tokens, pin.stage, stage.rows)) &&
                      inside(pin.col, size_of(session, tokens, pin.stage, stage.cols));
  if (!exists) selection.pin.reset();
}

}  // namespace

int axis_size(const Session& session, const StageId& id, Axis axis) {
  return size_of(session, SessionTokens(session), id, axis);
}

std::vector<std::string> predicted_words(const Session& session) {
  return words_of(session, SessionTokens(session));
}

std::vector<Token> source_tokens(const Session& session) {
  std::vector<Token> tokens = tokenize(session.sentence, session.tokenizer);
  pad(read_batch(session.batch, session.tokenizer).padded_length, session.tokenizer, tokens);
  return tokens;
}

std::vector<Token> target_tokens(const Session& session) {
  return tokenize(session.target, session.tokenizer);
}

int n_source_tokens(const Session& session) {
  return static_cast<int>(source_tokens(session).size());
}

int n_target_tokens(const Session& session) {
  return static_cast<int>(target_tokens(session).size());
}

Session repaired(Session session, const Session& fallback) {
  session.sentence = valid_utf8(session.sentence);
  session.target = valid_utf8(session.target);
  session.output_words = valid_utf8(session.output_words);
  repair_batch(session);
  const SessionTokens tokens(session);
  repair_attention(session.attention, fallback.attention, tokens);
  repair_sampling(session.sampling, fallback.sampling);
  repair_training(session.training, fallback.training);
  repair_picture(session.picture, fallback.picture);
  repair_selection(session, tokens);
  return session;
}

}  // namespace headscope
