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

/// The number of queries that share their keys, since drawing keys dominates the time. Grows with the number
/// of keys per row, such that there are at least `random_rows` distinct keys; fewer would distort the
/// measured variance.
int queries_of_a_draw(int n_keys) {
  constexpr int keys_for_a_query = 4;
  constexpr int max_queries = 16;
  return static_cast<int>(
      std::bit_floor(static_cast<unsigned>(std::clamp(n_keys / keys_for_a_query, 1, max_queries))));
}

struct SumsOfWidth {
  VarianceSums products;
  SoftmaxSums divided, undivided;
};

std::vector<float> drawn_rows(RandomStream& random, int n) {
  std::vector<float> numbers(static_cast<std::size_t>(n) * static_cast<std::size_t>(max_product_width));
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
  constexpr auto stride = static_cast<std::size_t>(max_product_width);
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

Slices<std::vector<RandomProducts>> random_products(int n_keys, int own_width) {
  constexpr std::uint64_t seed = 1;
  RandomStream random(seed, "queries and " + std::to_string(n_keys) + " keys");
  std::map<int, SumsOfWidth> sums{{std::min(own_width, max_product_width), {}}};
  for (int width = 1; width <= max_product_width; width *= 2) sums[width] = {};
  const int n_queries = queries_of_a_draw(n_keys);
  for (int row = 0; row < random_rows; row += n_queries) {
    const std::vector<float> keys = drawn_rows(random, n_keys);
    const std::vector<float> queries = drawn_rows(random, n_queries);
    for (int q = 0; q < n_queries; ++q)
      add_query(queries.data() + static_cast<std::ptrdiff_t>(q) * max_product_width, keys, sums);
    co_yield static_cast<double>(row) / random_rows;
  }
  std::vector<RandomProducts> found;
  found.reserve(sums.size());
  for (auto& [width, of_width] : sums) {
    found.push_back(
        {width, of_width.products.variance(), of_width.divided.means(), of_width.undivided.means()});
  }
  co_return found;
}

}  // namespace headscope
