#include "core/model/head_split.h"

#include <cmath>

namespace headscope {
namespace {

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

}  // namespace

std::vector<HeadSlice> split_into_heads(std::span<const float> query, std::span<const float> key,
                                        int n_heads) {
  const std::size_t width = query.size() / static_cast<std::size_t>(n_heads);
  std::vector<HeadSlice> shares;
  for (std::size_t first = 0; first + width <= query.size(); first += width) {
    const auto q = query.subspan(first, width);
    const auto k = key.subspan(first, width);
    const double product = dot(q, k);
    shares.push_back({{q.begin(), q.end()},
                      {k.begin(), k.end()},
                      product,
                      product / std::sqrt(static_cast<double>(width))});
  }
  return shares;
}

}  // namespace headscope
