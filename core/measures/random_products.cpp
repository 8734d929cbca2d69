#include "core/measures/random_products.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/tensor/random.h"

namespace headscope {
namespace {

/// The number of queries that share the same keys, because keys take the longest to draw. It grows with the
/// number of keys in a row, and all rows together have at least `random_rows` different keys; with fewer, the
/// measured variance would be far from the expected one.
int queries_of_a_draw(int n_keys) {
  constexpr int keys_for_a_query = 4;
  constexpr int most = 16;
  return static_cast<int>(
      std::bit_floor(static_cast<unsigned>(std::clamp(n_keys / keys_for_a_query, 1, most))));
}

struct SumsOfWidth {
  VarianceSums products;
  SoftmaxSums divided, undivided;
};

std::vector<float> drawn_rows(RandomStream& random, int n) {
  std::vector<float> numbers(static_cast<std::size_t>(n) * static_cast<std::size_t>(widest_products));
  random.fill_normal(numbers, 1.0F);
  return numbers;
}

void add_products(const std::vector<double>& products, int width, SumsOfWidth& sums) {
  std::vector<double> scaled = products;
  const double root = std::sqrt(static_cast<double>(width));
  for (const double product : products) sums.products.add(product);
  for (double& score : scaled) score /= root;
  sums.divided.add(softmax_row(std::move(scaled)));
  sums.undivided.add(softmax_row(products));
}

/// Adds the products of a query with all keys, extending them from each width to the next.
void add_query(const float* query, const std::vector<float>& keys, std::map<int, SumsOfWidth>& sums) {
  constexpr auto stride = static_cast<std::size_t>(widest_products);
  std::vector<double> products(keys.size() / stride, 0.0);
  int from = 0;
  for (auto& [width, of_width] : sums) {
    for (std::size_t key = 0; key < products.size(); ++key) {
      const float* numbers = keys.data() + key * stride;
      for (int d = from; d < width; ++d)
        products[key] += static_cast<double>(query[d]) * static_cast<double>(numbers[d]);
    }
    from = width;
    add_products(products, width, of_width);
  }
}

}  // namespace

std::vector<RandomProducts> random_products(int n_keys, int own_width) {
  constexpr std::uint64_t seed = 1;
  RandomStream random(seed, "queries and " + std::to_string(n_keys) + " keys");
  std::map<int, SumsOfWidth> sums{{std::min(own_width, widest_products), {}}};
  for (int width = 1; width <= widest_products; width *= 2) sums[width] = {};
  const int n_queries = queries_of_a_draw(n_keys);
  for (int row = 0; row < random_rows; row += n_queries) {
    const std::vector<float> keys = drawn_rows(random, n_keys);
    const std::vector<float> queries = drawn_rows(random, n_queries);
    for (int q = 0; q < n_queries; ++q)
      add_query(queries.data() + static_cast<std::ptrdiff_t>(q) * widest_products, keys, sums);
  }
  std::vector<RandomProducts> found;
  found.reserve(sums.size());
  for (auto& [width, of_width] : sums) {
    found.push_back(
        {width, of_width.products.variance(), of_width.divided.means(), of_width.undivided.means()});
  }
  return found;
}

}  // namespace headscope
