#include "core/engine/request.h"

#include <algorithm>
#include <cmath>

#include "core/model/forward.h"

namespace headscope {

Request request_of(const Session& session) {
  return {session.sentence, session.tokenizer, session.architecture, session.attention};
}

int max_tokens(const Architecture& architecture, std::size_t max_bytes) {
  const auto fits = [&](int n) {
    return forward_shape(architecture, n, true).floats() * sizeof(float) <= max_bytes;
  };
  constexpr int more_than_any_text = 1 << 24;
  int low = 0;
  int high = more_than_any_text;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace headscope
