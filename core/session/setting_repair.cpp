#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/overloaded.h"
#include "core/session/repair.h"
#include "core/session/settings.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

template <class Item>
void sort_unique(std::vector<Item>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

bool counts(int index, int size) {
  return index >= 0 && index < size;
}

/// Keeps a value within its limits. NaN and infinities are replaced by `fallback`.
template <class Number>
void keep_within(Number& value, Number low, Number high, Number fallback) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) value = fallback;
  }
  value = std::clamp(value, low, high);
}

/// Returns false for sizes, which stay as they are because the screen must say what is wrong with
/// inconsistent ones, and for the selection, which depends on them and is repaired with them. Other numbers
/// only have to be within their limits.
bool is_mended_by_itself(const Setting& setting) {
  if (std::holds_alternative<field::Decimal>(setting.field)) return true;
  return !setting.key.starts_with("architecture.") && !setting.key.starts_with("selection.");
}

/// Puts the ends of a fixed range in order and separates them.
void repair_range(PictureOptions& picture) {
  if (picture.fixed_low > picture.fixed_high) std::swap(picture.fixed_low, picture.fixed_high);
  if (picture.fixed_low != picture.fixed_high) return;
  const double width = std::max(1.0, std::abs(picture.fixed_low) / 2.0);
  (picture.fixed_low > 0.0 ? picture.fixed_low : picture.fixed_high) +=
      picture.fixed_low > 0.0 ? -width : width;
}

}  // namespace

void repair_settings(Session& session, const Session& fallback) {
  // The texts come first among the settings, so they are repaired before tokens are counted in them.
  const auto count = [&](field::Counted counted) {
    take_from_batch(session);
    session.texts = texts_of(session);
    const TokenCounts n = token_counts(session.texts);
    return counted == field::Counted::source ? n.source : n.target;
  };
  const Overloaded mend{
      [&](const field::Whole& f) {
        keep_within(f.value.write(session), f.low, f.last ? f.last(session) : f.high, f.value.read(fallback));
      },
      [&](const field::OptionalWhole& f) {
        std::optional<int>& value = f.value.write(session);
        if (value) value = std::clamp(*value, f.low, f.last ? f.last(session) : f.high);
      },
      [&](const field::Decimal& f) {
        keep_within(f.value.write(session), f.low, f.high, f.value.read(fallback));
      },
      [&](const field::Bound& f) {
        keep_within(f.value.write(session), f.low, f.high, f.value.read(fallback));
      },
      [&](const field::HiddenValue& f) {
        float& value = f.value.write(session);
        if (value != MaskValue::minus_infinity && !std::isfinite(value)) value = f.value.read(fallback);
      },
      [&](const field::Tokens& f) {
        std::vector<int>& tokens = f.value.write(session);
        std::erase_if(tokens, [n = count(f.keys)](int token) { return !counts(token, n); });
        sort_unique(tokens);
      },
      [&](const field::Cells& f) {
        std::vector<Cell>& cells = f.value.write(session);
        const int n_queries = count(f.queries);
        const int n_keys = count(f.keys);
        std::erase_if(cells,
                      [&](Cell cell) { return !counts(cell.query, n_queries) || !counts(cell.key, n_keys); });
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
  take_from_batch(session);
  repair_range(session.picture);
}

}  // namespace headscope
