#include "core/session/repair.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/model/architecture.h"
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

int n_distinct(const std::vector<Token>& tokens) {
  int greatest = -1;
  for (const Token& token : tokens) greatest = std::max(greatest, token.id);
  return greatest + 1;
}

int size_of(const Session& session, const std::vector<Token>& tokens, Axis axis) {
  const Architecture& architecture = session.architecture;
  switch (axis) {
    case Axis::query_tokens:
    case Axis::key_tokens:
      return static_cast<int>(tokens.size());
    case Axis::d_model:
      return std::max(architecture.d_model, 0);
    case Axis::d_head:
      return head_width(architecture);
    case Axis::d_value:
      return value_width(architecture);
    case Axis::concat:
      return concat_width(architecture);
    case Axis::single:
      return 1;
    case Axis::vocabulary:
      return session.tokenizer == TokenizerKind::seed1 ? seed1_vocabulary : n_distinct(tokens);
  }
  return 0;
}

void repair_attention(AttentionOptions& attention, const AttentionOptions& fallback, int n_tokens) {
  keep_finite(attention.temperature, fallback.temperature);
  attention.temperature = std::clamp(attention.temperature, min_temperature, max_temperature);
  MaskSpec& mask = attention.mask;
  if (mask.window) mask.window = std::max(*mask.window, 0);
  std::erase_if(mask.padding, [&](int token) { return !inside(token, n_tokens); });
  std::erase_if(mask.painted,
                [&](Cell cell) { return !inside(cell.query, n_tokens) || !inside(cell.key, n_tokens); });
  sort_unique(mask.padding);
  sort_unique(mask.painted);
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

/// A session's model is one self-attention layer of an encoder.
bool is_in_model(const StageId& stage) {
  return stage.stack == Stack::encoder && stage.layer == 0 && stage.attention == AttentionKind::self;
}

void repair_selection(Session& session, const std::vector<Token>& tokens) {
  Selection& selection = session.selection;
  const int last_head = std::max(session.architecture.n_heads, 1) - 1;
  selection.head = std::clamp(selection.head, 0, last_head);
  if (selection.token && !inside(*selection.token, static_cast<int>(tokens.size()))) selection.token.reset();
  if (!selection.pin) return;
  Pin& pin = *selection.pin;
  pin.stage.head = std::clamp(pin.stage.head, 0, last_head);
  pin.stage = normalized(pin.stage);
  const StageInfo& stage = info(pin.stage.kind);
  const bool exists = is_in_model(pin.stage) && inside(pin.row, size_of(session, tokens, stage.rows)) &&
                      inside(pin.col, size_of(session, tokens, stage.cols));
  if (!exists) selection.pin.reset();
}

}  // namespace

int axis_size(const Session& session, Axis axis) {
  return size_of(session, tokenize(session.sentence, session.tokenizer), axis);
}

Session repaired(Session session, const Session& fallback) {
  session.sentence = valid_utf8(session.sentence);
  const std::vector<Token> tokens = tokenize(session.sentence, session.tokenizer);
  repair_attention(session.attention, fallback.attention, static_cast<int>(tokens.size()));
  repair_picture(session.picture, fallback.picture);
  repair_selection(session, tokens);
  return session;
}

}  // namespace headscope
