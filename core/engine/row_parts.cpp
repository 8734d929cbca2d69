#include "core/engine/row_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/model/rotary.h"
#include "core/tensor/descending.h"
#include "core/trace/derivation.h"
#include "core/trace/place_text.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

using enum StageKind;
using Parts = std::vector<RowPart>;

double mean_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

void subtract(std::vector<double>& from, const std::vector<double>& numbers) {
  std::ranges::transform(from, numbers, from.begin(), std::minus<>());
}

Parts split(const Trace& trace, const StageId& id, int row);

RowPart leaf(const Trace& trace, RowPart::Kind kind, const StageId& id, int row) {
  return {kind, head_of(id), id, row_in_double(trace, id, row)};
}

bool is_replaced(const Trace& trace, const StageId& id, int row) {
  return trace.edits() != nullptr && trace.edits()->of(canonical(trace.architecture(), id), row) != nullptr;
}

Parts split_input(const Trace& trace, const StageId& id, int row, const std::vector<StageId>& from) {
  const auto kind_of = [](StageKind kind) {
    return kind == embedding   ? std::optional(RowPart::Kind::token)
           : kind == positions ? std::optional(RowPart::Kind::position)
           : kind == segments  ? std::optional(RowPart::Kind::segment)
                               : std::nullopt;
  };
  const bool is_sum =
      std::ranges::all_of(from, [&](const StageId& part) { return kind_of(part.kind).has_value(); });
  if (!is_sum) return {leaf(trace, RowPart::Kind::input, id, row)};
  // The embedding may be multiplied by √d_model before it is added, so its part is what the others leave.
  Parts parts{leaf(trace, RowPart::Kind::token, id, row)};
  for (const StageId& part : from) {
    if (part.kind == embedding) continue;
    parts.push_back(leaf(trace, *kind_of(part.kind), part, row));
    subtract(parts.front().numbers, parts.back().numbers);
  }
  return parts;
}

Parts split_sum(const Trace& trace, const std::vector<StageId>& from, int row) {
  Parts all;
  for (const StageId& part : from) {
    for (RowPart& each : split(trace, part, row)) all.push_back(std::move(each));
  }
  return all;
}

/// Splits the output of an attention into its heads and what it adds apart from them.
Parts split_attention(const Trace& trace, const StageId& id, int row) {
  Parts parts;
  RowPart rest = leaf(trace, RowPart::Kind::attention_bias, id, row);
  const Architecture& a = trace.architecture();
  for (int head = 0; head < a.n_heads; ++head) {
    const HeadId place{id.stack, id.attention, id.layer, head};
    parts.push_back(
        {RowPart::Kind::head, place, stage_in(place, contribution), addition_of_head(trace, place, row)});
    subtract(rest.numbers, parts.back().numbers);
  }
  if (a.bias.output || trace.edits() != nullptr) parts.push_back(std::move(rest));
  return parts;
}

/// γ (x − mean) / √(variance + ε) + β, or without the mean, with the moments of this row.
Parts normalised(const Trace& trace, int row, NormKind kind, const NormedHead& from) {
  std::vector<double> all;
  for (const StageId& part : from.parts)
    std::ranges::copy(row_in_double(trace, part, row), std::back_inserter(all));
  const double inverse = inverse_deviation(trace.architecture(), kind, all);
  const std::vector<double> gains =
      from.gain ? row_in_double(trace, *from.gain, 0) : std::vector<double>(all.size(), 1.0);
  Parts parts = split(trace, from.own, row);
  for (RowPart& part : parts) {
    const double mean_of_texts = kind == NormKind::layer ? mean_of(part.numbers) : 0.0;
    for (std::size_t i = 0; i < part.numbers.size(); ++i)
      part.numbers[i] =
          gains[static_cast<std::size_t>(from.first_gain) + i] * (part.numbers[i] - mean_of_texts) * inverse;
  }
  return parts;
}

/// Adds the bias of a norm or a linear layer, which is its third input.
Parts with_bias(const Trace& trace, const StageId& id, RowPart::Kind kind, const std::vector<StageId>& from,
                Parts parts) {
  if (from.size() > 2) parts.push_back({kind, head_of(id), id, row_in_double(trace, from[2], 0)});
  return parts;
}

/// x W + b of a head.
Parts projected_by_weights(const Trace& trace, const StageId& id, int row, const std::vector<StageId>& from) {
  const StageId weights_of = from.at(1);
  const Extent size = trace.extent(weights_of);
  const StageNumbers weights_read = trace.read(weights_of, {0, 0, size.rows, size.cols});
  Parts parts = split(trace, from.front(), row);
  for (RowPart& part : parts) {
    std::vector<double> made(static_cast<std::size_t>(size.cols), 0.0);
    for (int i = 0; i < size.rows; ++i) {
      const double x = part.numbers[static_cast<std::size_t>(i)];
      const auto line = weights_read.view.row(i);
      for (int k = 0; k < size.cols; ++k)
        made[static_cast<std::size_t>(k)] += x * static_cast<double>(line[static_cast<std::size_t>(k)]);
    }
    part.numbers = std::move(made);
  }
  return with_bias(trace, id, RowPart::Kind::bias, from, std::move(parts));
}

Parts rotated(const Trace& trace, const StageId& id, int row, const StageId& from) {
  const Architecture& model = trace.architecture();
  const RotaryFrequencies turns =
      rotary_frequencies(model.rotary_of(id.layer), model.head_width(id.layer), model.kv_latent.has_value());
  Parts parts = split(trace, from, row);
  for (RowPart& part : parts) {
    for (int pair = 0; pair < turns.n_pairs(); ++pair) {
      const auto [one, other] = turns.dimensions(pair);
      const double angle = turns.angle(row, pair);
      double& a = part.numbers[static_cast<std::size_t>(one)];
      double& b = part.numbers[static_cast<std::size_t>(other)];
      const double turned = turns.amplitude * (a * std::cos(angle) - b * std::sin(angle));
      b = turns.amplitude * (a * std::sin(angle) + b * std::cos(angle));
      a = turned;
    }
  }
  return parts;
}

Parts split(const Trace& trace, const StageId& id, int row) {
  if (!trace.has(id) || row >= trace.extent(id).rows) return {};
  if (trace.given(id) != nullptr || is_replaced(trace, id, row))
    return {leaf(trace, RowPart::Kind::given, id, row)};
  const std::vector<StageId> from = inputs_of(trace, id);
  if (id.kind == input) return split_input(trace, id, row, from);
  if (id.kind == projected) return split_attention(trace, id, row);
  if (id.kind == feed_forward_output || id.kind == dense_output)
    return {leaf(trace, RowPart::Kind::feed_forward, id, row)};
  constexpr std::array of_streams{layer_entry, predicted_row, corrected_row, laurel_residual, streams_mean};
  if (std::ranges::find(of_streams, id.kind) != of_streams.end())
    return {leaf(trace, RowPart::Kind::input, id, row)};
  switch (trace.graph().op(id)) {
    case Op::copy:
      return split(trace, from.front(), row);
    case Op::sum:
      return split_sum(trace, from, row);
    case Op::norm:
      return with_bias(trace, id, RowPart::Kind::norm_bias, from,
                       normalised(trace, row, trace.architecture().norm_kind, {{from[0]}, from[0], from[1]}));
    case Op::head_norm: {
      const bool is_layer = trace.architecture().foreign.head_norm == HeadNorm::layer_of_head;
      return normalised(trace, row, is_layer ? NormKind::layer : NormKind::rms, normed_head(trace, id));
    }
    case Op::linear:
      return projected_by_weights(trace, id, row, from);
    case Op::rotate:
      return rotated(trace, id, row, from.front());
    case Op::layer_scale: {
      Parts parts = split(trace, from.front(), row);
      const std::vector<double> factors = row_in_double(trace, from.at(1), 0);
      for (RowPart& part : parts)
        for (std::size_t i = 0; i < part.numbers.size(); ++i)
          part.numbers[i] *= factors[factors.size() == 1 ? 0 : i];
      return parts;
    }
    default:
      return {};
  }
}

std::string why_not_split(const Trace& trace, const StageId& raw_scores) {
  const Architecture& a = trace.architecture();
  if (!trace.has(raw_scores)) return "this pass has no scores of queries and keys here";
  if (trace.given(raw_scores) != nullptr) return "the scores were given by hand";
  if (trace.architecture().foreign.captured) return "its query and its key were read from a capture";
  if (a.linear_attention)
    return "the scores of linear attention are products of mapped queries and keys, which are not sums of parts";
  if (a.kv_latent) return "keys are made from a latent row, which is not split";
  return {};
}

}  // namespace

std::vector<double> row_in_double(const Trace& trace, const StageId& stage, int row) {
  const StageNumbers numbers = trace.read_row(stage, row);
  const auto line = numbers.view.row(0);
  return {line.begin(), line.end()};
}

double inverse_deviation(const Architecture& architecture, NormKind kind, const std::vector<double>& row) {
  const double mean = kind == NormKind::layer ? mean_of(row) : 0.0;
  double squares = 0.0;
  for (const double x : row) squares += (x - mean) * (x - mean);
  return 1.0 / std::sqrt(squares / static_cast<double>(row.size()) +
                         static_cast<double>(architecture.norm_epsilon));
}

std::string part_name(const Architecture& a, const RowPart& part) {
  switch (part.kind) {
    case RowPart::Kind::token:
      return "token";
    case RowPart::Kind::position:
      return "position";
    case RowPart::Kind::segment:
      return "segment";
    case RowPart::Kind::input:
      return part.stage.kind == input         ? "embedding"
             : part.stage.kind == layer_entry ? "embedding of layer " + std::to_string(part.place.layer)
                                              : stage_words(a, part.stage);
    case RowPart::Kind::head:
      return "head " + head_label(a, part.place);
    case RowPart::Kind::feed_forward:
      return "feed-forward of " +
             (a.has_cross() ? std::string(part.place.stack == Stack::encoder ? "encoder " : "decoder ")
                            : "") +
             "layer " + std::to_string(part.place.layer);
    case RowPart::Kind::attention_bias:
    case RowPart::Kind::norm_bias:
    case RowPart::Kind::bias:
      return "bias of " + stage_words(a, part.stage);
    case RowPart::Kind::given:
      return stage_words(a, part.stage) + ", given";
  }
  return {};
}

std::vector<double> addition_of_head(const Trace& trace, const HeadId& head, int row) {
  const StageId own = stage_in(head, contribution);
  if (trace.has(own)) return row_in_double(trace, own, row);
  std::vector<double> columns = row_in_double(trace, with_kind(own, output), row);
  const auto first = static_cast<std::ptrdiff_t>(columns.size()) * head.head;
  if (trace.architecture().output_gate) {
    const std::vector<double> gated = row_in_double(trace, with_kind(own, gated_heads), row);
    std::copy_n(gated.begin() + first, columns.size(), columns.begin());
  }
  std::vector<double> all(static_cast<std::size_t>(trace.architecture().layer_width()), 0.0);
  std::ranges::copy(columns, all.begin() + first);
  return all;
}

std::vector<RowPart> parts_of_row(const Trace& trace, const StageId& stage, int row) {
  return split(trace, canonical(trace.architecture(), normalized(stage)), row);
}

std::vector<ScoreParts::Pair> ScoreParts::greatest(std::size_t max_pairs) const {
  std::vector<Pair> pairs;
  pairs.reserve(terms.size());
  for (std::size_t q = 0; q < query.size(); ++q) {
    for (std::size_t k = 0; k < key.size(); ++k) pairs.push_back({q, k});
  }
  const std::size_t n = std::min(max_pairs, pairs.size());
  std::ranges::partial_sort(pairs, pairs.begin() + static_cast<std::ptrdiff_t>(n), Descending{},
                            [this](const Pair& pair) { return std::fabs(term(pair.query, pair.key)); });
  pairs.resize(n);
  return pairs;
}

double ScoreParts::sum_of_query(std::size_t part) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < key.size(); ++k) sum += term(part, k);
  return sum;
}

double ScoreParts::sum_of_key(std::size_t part) const {
  double sum = 0.0;
  for (std::size_t q = 0; q < query.size(); ++q) sum += term(q, part);
  return sum;
}

ScoreParts score_parts(const Trace& trace, const StageId& head, int query, int key) {
  ScoreParts split;
  const StageId raw_scores = canonical(trace.architecture(), with_kind(head, raw));
  split.absent = why_not_split(trace, raw_scores);
  if (!split.absent.empty()) return split;
  const std::vector<StageId> compared = inputs_of(trace, raw_scores);
  split.query = parts_of_row(trace, compared.at(0), query);
  split.key = parts_of_row(trace, compared.at(1), key);
  for (const RowPart& of_query : split.query) {
    for (const RowPart& of_key : split.key) {
      split.terms.push_back(
          std::inner_product(of_query.numbers.begin(), of_query.numbers.end(), of_key.numbers.begin(), 0.0));
      split.total += split.terms.back();
    }
  }
  split.score = static_cast<double>(trace.number(raw_scores, query, key));
  return split;
}

}  // namespace headscope
