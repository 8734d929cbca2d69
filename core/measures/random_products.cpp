#include "core/measures/random_products.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/tensor/random.h"

namespace headscope {
namespace {

constexpr int queries_of_a_draw = 16;
constexpr int n_draws = random_rows / queries_of_a_draw;

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

/// The products of a query with all keys, as they grow from width to width.
void add_query(const float* query, const std::vector<float>& keys, std::vector<SumsOfWidth>& sums) {
  constexpr auto stride = static_cast<std::size_t>(widest_products);
  std::vector<double> products(keys.size() / stride, 0.0);
  int from = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const int width = 1 << i;
    for (std::size_t key = 0; key < products.size(); ++key) {
      const float* numbers = keys.data() + key * stride;
      for (int d = from; d < width; ++d)
        products[key] += static_cast<double>(query[d]) * static_cast<double>(numbers[d]);
    }
    from = width;
    add_products(products, width, sums[i]);
  }
}

}  // namespace

std::vector<RandomProducts> random_products(int n_keys) {
  constexpr std::uint64_t seed = 1;
  RandomStream random(seed, "queries and keys");
  std::vector<SumsOfWidth> sums;
  for (int width = 1; width <= widest_products; width *= 2) sums.emplace_back();
  for (int draw = 0; draw < n_draws; ++draw) {
    const std::vector<float> keys = drawn_rows(random, n_keys);
    const std::vector<float> queries = drawn_rows(random, queries_of_a_draw);
    for (int q = 0; q < queries_of_a_draw; ++q)
      add_query(queries.data() + static_cast<std::ptrdiff_t>(q) * widest_products, keys, sums);
  }
  std::vector<RandomProducts> found;
  found.reserve(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    found.push_back(
        {1 << i, sums[i].products.variance(), sums[i].divided.means(), sums[i].undivided.means()});
  }
  return found;
}

}  // namespace headscope
