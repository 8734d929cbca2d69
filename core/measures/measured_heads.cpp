#include "core/measures/measured_heads.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "core/measures/measure.h"
#include "core/tensor/matrix.h"
#include "core/text/tokenizer.h"
#include "core/trace/number_source.h"

namespace headscope {
namespace {

/// The number of tokens without padding.
int n_own(const Trace& trace, const StageId& place, Axis axis) {
  const auto n = static_cast<int>(trace.tokens(place, axis).size());
  const bool reads_other = axis == Axis::key_tokens && place.attention == AttentionKind::cross;
  const bool is_first_stack = reads_other || place.stack == trace.architecture().first_stack();
  return is_first_stack ? std::max(n - trace.batch().n_padded, 0) : n;
}

std::vector<int> word_numbers(const std::vector<Token>& tokens, int n) {
  std::map<std::string_view, int> known;
  std::vector<int> words;
  words.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const std::string_view lookup = tokens[static_cast<std::size_t>(i)].lookup;
    words.push_back(known.emplace(lookup, static_cast<int>(known.size())).first->second);
  }
  return words;
}

/// Copies the weights of a row, with those of hidden keys set to 0 unless they are NaN. Returns the number of
/// visible keys.
int take_row(std::span<const float> row, const CombinedMask& mask, int head, int query,
             std::vector<float>& out) {
  int n_visible = 0;
  for (std::size_t key = 0; key < out.size(); ++key) {
    const bool is_visible = mask.is_visible(head, query, static_cast<int>(key));
    out[key] = is_visible || std::isnan(row[key]) ? row[key] : 0.0F;
    n_visible += is_visible ? 1 : 0;
  }
  return n_visible;
}

using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// ½ (mean of the heads) + ½ I, with rows scaled to sum to 1.
Square with_residual(const Square& sum, std::size_t n_heads) {
  const double share = n_heads == 0 ? 0.0 : 0.5 / static_cast<double>(n_heads);
  Square mixed = share * sum;
  mixed.diagonal().array() += 0.5;
  const Eigen::VectorXd rows = mixed.rowwise().sum();
  return rows.cwiseInverse().asDiagonal() * mixed;
}

/// Left-multiplies the product of the layers below (empty for the first layer) by a layer.
void extend_rollout(const Square& layer, Square& below) {
  below = below.size() == 0 ? layer : Square(layer * below);
}

OwnedMatrix as_floats(const Square& numbers) {
  OwnedMatrix out(static_cast<int>(numbers.rows()), static_cast<int>(numbers.cols()));
  Eigen::Map<Matrix>(out.values.data(), numbers.rows(), numbers.cols()) = numbers.cast<float>();
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

MeasuredText measured_text(const Trace& trace, const StageId& place, const DetectorOptions& detector) {
  const std::vector<Token>& queries = trace.tokens(place, Axis::query_tokens);
  const std::vector<Token>& keys = trace.tokens(place, Axis::key_tokens);
  const auto n_keys = static_cast<std::size_t>(n_own(trace, place, Axis::key_tokens));
  MeasuredText text;
  text.is_cross = place.attention == AttentionKind::cross;
  text.detector = detector;
  text.words = word_numbers(queries, n_own(trace, place, Axis::query_tokens));
  text.is_punctuation.reserve(n_keys);
  for (std::size_t key = 0; key < n_keys; ++key) text.is_punctuation.push_back(is_mark(keys[key]) ? 1U : 0U);
  const bool is_of_task = !text.is_cross && place.stack == trace.architecture().last_stack();
  if (is_of_task) text.nouns = trace.task_rows().attention_targets;
  return text;
}

void for_each_row(const Trace& trace, const StageId& head, const MeasuredText& text,
                  const std::function<void(const MeasuredRow&)>& visit) {
  const int n_keys = static_cast<int>(text.is_punctuation.size());
  if (n_keys == 0) return;
  const CombinedMask& mask = trace.mask(head);
  const int at_once = rows_at_once({text.n_queries(), n_keys});
  std::vector<float> weights(static_cast<std::size_t>(n_keys));
  for (int first = 0; first < text.n_queries(); first += at_once) {
    const int n = std::min(at_once, text.n_queries() - first);
    const StageNumbers block = trace.read(head, {first, 0, n, n_keys});
    for (int row = 0; row < n; ++row) {
      const int n_visible = take_row(block.view.row(row), mask, head.head, first + row, weights);
      visit({text, first + row, weights, n_visible});
    }
  }
}

void add_head(const Trace& trace, const StageId& head, const MeasuredText& text, MeasureSums& sums) {
  for_each_row(trace, head, text, [&sums](const MeasuredRow& row) { add_row(row, sums); });
}

HeadMeasures MeasuredHeads::at(const HeadIndex& place) const {
  const auto index = static_cast<std::size_t>(place.layer) * static_cast<std::size_t>(n_heads) +
                     static_cast<std::size_t>(place.head);
  return index < heads.size() ? heads[index] : HeadMeasures{};
}

Slices<MeasuredHeads> measured_heads(const Trace& trace, StageId place, DetectorOptions detector) {
  const Architecture& a = trace.architecture();
  const MeasuredText text = measured_text(trace, place, detector);
  MeasuredHeads measured;
  measured.n_heads = a.n_heads;
  const auto n_heads =
      static_cast<std::size_t>(a.layers_of(place.stack)) * static_cast<std::size_t>(a.n_heads);
  measured.heads.reserve(n_heads);
  for (int layer = 0; layer < a.layers_of(place.stack); ++layer) {
    for (int head = 0; head < a.n_heads; ++head) {
      const StageId id{StageKind::weights, place.stack, layer, place.attention, head};
      MeasureSums sums;
      if (trace.has(id)) add_head(trace, id, text, sums);
      measured.heads.push_back(means_of(sums));
      for (std::size_t i = 0; i < n_measures; ++i)
        measured.rows[i] = std::max(measured.rows[i], sums.weight[i]);
      co_yield static_cast<double>(measured.heads.size()) / static_cast<double>(n_heads);
    }
  }
  co_return measured;
}

std::string why_absent(HeadMeasure measure, AttentionKind attention) {
  const MeasureRecord& record = record_of(measure);
  const bool has_meaning = attention == AttentionKind::self || record.has_cross;
  return has_meaning ? std::string(record.none) : "queries and keys come from different texts";
}

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
      sum += eigen(map.view()).cast<double>();
      co_yield static_cast<double>(layer * n_heads + head + 1) / ((through + 1) * n_heads);
    }
    extend_rollout(with_residual(sum, static_cast<std::size_t>(n_heads)), product);
  }
  co_return as_floats(product);
}

OwnedMatrix rollout(const std::vector<std::vector<MatrixView>>& layers) {
  Square product;
  for (const std::vector<MatrixView>& heads : layers) {
    Square sum = Square::Zero(heads.front().rows, heads.front().cols);
    for (const MatrixView& head : heads) sum += eigen(head).cast<double>();
    extend_rollout(with_residual(sum, heads.size()), product);
  }
  return as_floats(product);
}

}  // namespace headscope
