#include "core/measures/combined.h"

#include <Eigen/Core>
#include <algorithm>

namespace headscope {
namespace {

using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// ½ (mean of the heads) + ½ I, with rows scaled to sum to 1.
Square with_residual(const Square& sum, std::size_t n_heads) {
  const double share = n_heads == 0 ? 0.0 : 0.5 / static_cast<double>(n_heads);
  Square mixed = share * sum;
  mixed.diagonal().array() += 0.5;
  const Eigen::VectorXd rows = mixed.rowwise().sum();
  return rows.cwiseInverse().asDiagonal() * mixed;
}

void add_map(const MatrixView& map, Square& sum) {
  for (int row = 0; row < map.rows; ++row) {
    for (int col = 0; col < map.cols; ++col) sum(row, col) += static_cast<double>(map(row, col));
  }
}

/// Left-multiplies the product of the layers below (empty for the first layer) by a layer.
void roll_on(const Square& layer, Square& below) {
  if (below.size() == 0) {
    below = layer;
  } else {
    Square product = layer * below;
    below.swap(product);
  }
}

OwnedMatrix as_floats(const Square& numbers) {
  OwnedMatrix out(static_cast<int>(numbers.rows()), static_cast<int>(numbers.cols()));
  std::transform(numbers.data(), numbers.data() + numbers.size(), out.values.begin(),
                 [](double number) { return static_cast<float>(number); });
  return out;
}

/// The map of a head, with hidden cells set to 0.
OwnedMatrix visible_weights(const Trace& trace, const StageId& id) {
  const Extent extent = trace.extent(id);
  const StageNumbers numbers = trace.read(id, {0, 0, extent.rows, extent.cols});
  const CombinedMask& mask = trace.mask(id);
  OwnedMatrix out(extent.rows, extent.cols);
  for (int row = 0; row < extent.rows; ++row) {
    for (int col = 0; col < extent.cols; ++col) {
      if (mask.is_visible(id.head, row, col)) out.at(row, col) = numbers.view(row, col);
    }
  }
  return out;
}

}  // namespace

Slices<OwnedMatrix> combined_weights(const Trace& trace, StageId place, std::vector<HeadIndex> heads,
                                     bool use_max) {
  OwnedMatrix all;
  const float share = use_max ? 1.0F : 1.0F / static_cast<float>(heads.size());
  for (const HeadIndex& head : heads) {
    const OwnedMatrix one =
        visible_weights(trace, {StageKind::weights, place.stack, head.layer, place.attention, head.head});
    if (all.values.empty()) all = OwnedMatrix(one.rows, one.cols);
    for (std::size_t i = 0; i < all.values.size(); ++i)
      all.values[i] =
          use_max ? std::max(all.values[i], one.values[i]) : all.values[i] + one.values[i] * share;
    co_yield static_cast<double>(&head - heads.data() + 1) / static_cast<double>(heads.size());
  }
  co_return all;
}

Slices<OwnedMatrix> rollout(const Trace& trace, Stack stack, int through) {
  const int n_heads = trace.architecture().n_heads;
  Square product;
  for (int layer = 0; layer <= through; ++layer) {
    Square sum;
    for (int head = 0; head < n_heads; ++head) {
      const OwnedMatrix map =
          visible_weights(trace, {StageKind::weights, stack, layer, AttentionKind::self, head});
      if (sum.size() == 0) sum = Square::Zero(map.rows, map.cols);
      add_map(map.view(), sum);
      co_yield static_cast<double>(layer * n_heads + head + 1) / ((through + 1) * n_heads);
    }
    roll_on(with_residual(sum, static_cast<std::size_t>(n_heads)), product);
  }
  co_return as_floats(product);
}

OwnedMatrix rollout(const std::vector<std::vector<MatrixView>>& layers) {
  Square product;
  for (const std::vector<MatrixView>& heads : layers) {
    Square sum = Square::Zero(heads.front().rows, heads.front().cols);
    for (const MatrixView& head : heads) add_map(head, sum);
    roll_on(with_residual(sum, heads.size()), product);
  }
  return as_floats(product);
}

}  // namespace headscope
