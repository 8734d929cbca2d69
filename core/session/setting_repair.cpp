#include <algorithm>
#include <cmath>

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

/// Within its limits; what is no number comes from `fallback`.
template <class Number>
void keep_within(Number& value, Number low, Number high, Number fallback) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) value = fallback;
  }
  value = std::clamp(value, low, high);
}

/// The screen must say what is wrong with sizes that do not hold together, so they stay as asked; what is
/// selected depends on them and is mended with them.
bool is_mended_by_itself(const Setting& setting) {
  return !setting.key.starts_with("architecture.") && !setting.key.starts_with("selection.");
}

}  // namespace

void repair_settings(Session& session, const Session& fallback, const TokenCounts& n_tokens) {
  const auto count = [&](field::Counted counted) {
    return counted == field::Counted::source ? n_tokens.source : n_tokens.target;
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
      [](const auto&) {},  // any value has a meaning
  };
  for (const Setting& setting : all_settings) {
    if (is_mended_by_itself(setting)) std::visit(mend, setting.field);
  }
}

}  // namespace headscope
