#include "app/cli/text_limit.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/engine/engine.h"
#include "core/engine/memory_estimate.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

constexpr int always_computed = 8192;
/// The most multiplications of attention in a pass of a longer text, which take about a second.
constexpr double most_multiplications = 2e10;

/// The number of multiplications in attention for each pair of a query and a key. Linear attention has no
/// pairs.
double multiplications_of_pair(const Architecture& a) {
  if (a.linear_attention) return 0.0;
  const double attentions = a.has_cross() && a.has_self() ? 3.0 : 1.0;
  return attentions * a.n_layers * a.n_heads * (a.head_width() + a.value_width());
}

}  // namespace

int most_tokens_on_command_line(const Request& request) {
  const int fitting = max_tokens(request);
  const double of_pair = multiplications_of_pair(request.architecture);
  if (of_pair <= 0.0) return fitting;
  const double in_time = std::floor(std::sqrt(most_multiplications / of_pair));
  return std::min(fitting, static_cast<int>(std::max(in_time, static_cast<double>(always_computed))));
}

Result<void> check_length(const Request& request) {
  const int n = longest_text(texts_of(request), request.batch.size());
  const int most = most_tokens_on_command_line(request);
  if (n <= most || most == max_tokens(request)) return {};  // the engine reports what does not fit
  return failure("the sentence has " + grouped(n) +
                 " tokens: on the command line, this model computes at most " + grouped(most) +
                 ", as each looks at all others: shorten it, or use fewer heads or layers");
}

}  // namespace headscope
