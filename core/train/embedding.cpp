#include "core/train/embedding.h"

#include <algorithm>

#include "core/model/positions.h"

namespace headscope {
namespace {

std::ptrdiff_t row_start(int row, int width) {
  return static_cast<std::ptrdiff_t>(row) * width;
}

}  // namespace

template <class Scalar>
const Scalar* EmbeddingSublayer<Scalar>::position_row(const TrainContext<Scalar>& context,
                                                      int position) const {
  if (layout_.architecture.positions != Positions::learned) return waves_.row(position);
  return context.parameters + layout_.positions + row_start(position, layout_.architecture.d_model);
}

template <class Scalar>
void EmbeddingSublayer<Scalar>::prepare_waves(const Sequences& sequences) {
  const Architecture& a = layout_.architecture;
  if (!a.adds_positions() || a.positions == Positions::learned) return;
  int longest = 0;
  for (const int position : sequences.position) longest = std::max(longest, position + 1);
  if (waves_.rows() >= longest) return;
  const OwnedMatrix table = wave_table(a.positions, longest, a.d_model);
  waves_.resize(longest, a.d_model);
  std::copy(table.values.begin(), table.values.end(), waves_.data());
}

template <class Scalar>
void EmbeddingSublayer<Scalar>::forward(const TrainContext<Scalar>& context, const Sequences& sequences,
                                        Rows<Scalar>& out) {
  const int width = layout_.architecture.d_model;
  const bool adds = layout_.architecture.adds_positions();
  const auto scale = static_cast<Scalar>(layout_.architecture.embedding_factor());
  prepare_waves(sequences);
  out.resize(sequences.rows(), width);
  for (int r = 0; r < out.rows(); ++r) {
    const auto at = static_cast<std::size_t>(r);
    const Scalar* word = context.parameters + layout_.embedding + row_start(sequences.ids[at], width);
    Scalar* to = out.row(r);
    for (int i = 0; i < width; ++i) to[i] = scale * word[i];
    if (!adds) continue;
    const Scalar* position = position_row(context, sequences.position[at]);
    for (int i = 0; i < width; ++i) to[i] += position[i];
  }
}

template <class Scalar>
void EmbeddingSublayer<Scalar>::backward(const TrainContext<Scalar>& context, const Sequences& sequences,
                                         const Rows<Scalar>& d_out) {
  const int width = layout_.architecture.d_model;
  const bool learned = layout_.architecture.positions == Positions::learned;
  const auto scale = static_cast<Scalar>(layout_.architecture.embedding_factor());
  for (int r = 0; r < d_out.rows(); ++r) {
    const auto at = static_cast<std::size_t>(r);
    const Scalar* from = d_out.row(r);
    Scalar* word = context.gradients + layout_.embedding + row_start(sequences.ids[at], width);
    for (int i = 0; i < width; ++i) word[i] += scale * from[i];
    if (!learned) continue;
    Scalar* position = context.gradients + layout_.positions + row_start(sequences.position[at], width);
    for (int i = 0; i < width; ++i) position[i] += from[i];
  }
}

template class EmbeddingSublayer<float>;
template class EmbeddingSublayer<double>;

}  // namespace headscope
