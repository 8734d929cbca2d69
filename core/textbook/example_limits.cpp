#include "core/textbook/example_limits.h"

#include <algorithm>
#include <set>

#include "core/engine/memory_estimate.h"
#include "core/textbook/origin_numbers.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

constexpr int most_tokens = 1024;
constexpr std::size_t most_parts = 2000;  ///< The matrices of all quantities.
constexpr double most_bytes =
    0.5 * static_cast<double>(default_trace_bytes);  ///< The memory of a case with its model.
constexpr double most_multiplications = 1e10;        ///< In all passes.
constexpr double most_heads_counted = 300'000;  ///< The heads of all models whose parameters are counted.

/// For example, "its longest text has 20,000 tokens, but at most 1,024 are allowed in a worked example".
std::string too_many(const std::string& what, double number, const std::string& unit, double most) {
  return what + " " + grouped(static_cast<long long>(number)) + " " + unit + ", but at most " +
         grouped(static_cast<long long>(most)) + " are allowed in a worked example";
}

/// Approximate number of multiplications in a pass: each parameter with each token, and each query with each
/// key.
double multiplications(const Architecture& a, double n_tokens) {
  const double stacks = a.has_cross() ? 3.0 : 1.0;
  const double of_pair = static_cast<double>(a.n_heads) * (a.head_width() + a.value_width());
  return count_parameters(a) * n_tokens + stacks * a.n_layers * of_pair * n_tokens * n_tokens;
}

/// Checks the passes of these cases.
std::string too_large_passes(const WorkedExample& example, const std::set<std::size_t>& cases) {
  double all = 0.0;
  for (const std::size_t index : cases) {
    const Session& session = example.cases[index].session;
    const int n_tokens = longest_text(texts_of(session), session.batch.size());
    if (n_tokens > most_tokens) return too_many("its longest text has", n_tokens, "tokens", most_tokens);
    constexpr double mebibyte = 1024.0 * 1024.0;
    const double bytes = memory_of(request_of(session)).total();
    if (bytes > most_bytes)
      return too_many("its model and numbers take", bytes / mebibyte, "MiB", most_bytes / mebibyte);
    all += multiplications(session.architecture, n_tokens);
  }
  if (all <= most_multiplications) return {};
  return "its passes would take too long to compute: use fewer cases, shorter texts or a smaller model";
}

std::size_t n_matrices(const Quantity& quantity) {
  const auto* stages = std::get_if<origin::Stages>(&quantity.origin);
  return quantity.cases.size() * (stages == nullptr ? 1 : stages->stages.size());
}

}  // namespace

std::string too_large(const WorkedExample& example) {
  std::set<std::size_t> with_pass;
  std::size_t parts = 0;
  double heads_counted = 0.0;
  for (const Quantity& quantity : example.quantities) {
    parts += n_matrices(quantity);
    for (const std::size_t index : quantity.cases) {
      const Architecture& a = example.cases[index].session.architecture;
      if (needs_pass(quantity.origin)) with_pass.insert(index);
      if (std::holds_alternative<origin::Count>(quantity.origin))
        heads_counted += static_cast<double>(a.n_layers) * a.n_heads;
    }
  }
  if (parts > most_parts)
    return too_many("its quantities have", static_cast<double>(parts), "matrices",
                    static_cast<double>(most_parts));
  if (heads_counted > most_heads_counted)
    return too_many("its counts have", heads_counted, "heads", most_heads_counted);
  return too_large_passes(example, with_pass);
}

}  // namespace headscope
