#include "core/engine/head_circuits.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>

#include "core/engine/row_parts.h"
#include "core/measures/head_scale.h"
#include "core/model/pass.h"
#include "core/tensor/matrix.h"

namespace headscope {
namespace {

using enum StageKind;
using DoubleMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The first rows of a stage or parameter, in double precision.
DoubleMatrix first_rows(const Trace& trace, const StageId& stage, int most) {
  const Extent size = trace.extent(stage);
  const StageNumbers numbers = trace.read(stage, {0, 0, std::min(size.rows, most), size.cols});
  return eigen(numbers.view).cast<double>();
}
DoubleMatrix all_rows(const Trace& trace, const StageId& stage) {
  return first_rows(trace, stage, trace.extent(stage).rows);
}

/// Applies the norm that makes a stage, if it is one. `inverse` replaces the factor of each row, and
/// the bias is then left out.
void apply_norm_of(const Trace& trace, const StageId& stage, DoubleMatrix& rows,
                   std::optional<double> inverse = std::nullopt) {
  if (!trace.graph().has(stage) || trace.graph().op(stage) != Op::norm) return;
  const Architecture& a = trace.architecture();
  const std::vector<StageId> from = trace.graph().inputs(stage);
  const DoubleMatrix gain = all_rows(trace, from.at(1));
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    const std::vector<double> row(rows.row(r).begin(), rows.row(r).end());
    const double factor = inverse ? *inverse : inverse_deviation(a, a.norm_kind, row);
    if (a.norm_kind == NormKind::layer) rows.row(r).array() -= rows.row(r).mean();
    rows.row(r) = rows.row(r).cwiseProduct(gain.row(0)) * factor;
    if (!inverse && from.size() > 2) rows.row(r) += all_rows(trace, from[2]).row(0);
  }
}

/// The embeddings of the queries or keys of an attention, as its heads read them.
DoubleMatrix words_read(const Trace& trace, const HeadId& head, bool are_keys) {
  const bool is_memory = are_keys && head.attention == AttentionKind::cross;
  const Stack stack = is_memory ? Stack::encoder : head.stack;
  DoubleMatrix rows = first_rows(trace, {embedding, stack}, max_circuit_tokens);
  apply_norm_of(trace, {embedding_sum_normed, stack}, rows);
  apply_norm_of(trace, is_memory ? StageId{stack_output, stack} : normalized(stage_in(head, norm)), rows);
  return rows;
}

/// The rows times the weights of a head, plus their bias if there is one.
DoubleMatrix projected_rows(const Trace& trace, const HeadId& head, const DoubleMatrix& rows,
                            StageKind weight, StageKind bias) {
  const Architecture& a = trace.architecture();
  DoubleMatrix out = rows * all_rows(trace, canonical(a, stage_in(head, weight)));
  const StageId added = canonical(a, stage_in(head, bias));
  if (trace.has(added)) out.rowwise() += all_rows(trace, added).row(0);
  return out;
}

/// W_O of a head [V, D]. Without an output projection, the head writes into columns of its own.
DoubleMatrix output_weights(const Trace& trace, const HeadId& head) {
  const Architecture& a = trace.architecture();
  const int width = a.value_width(head.layer);
  const StageId w_out = canonical(a, stage_in(head, w_output));
  if (trace.has(w_out)) return all_rows(trace, w_out).middleRows(head.head * width, width);
  DoubleMatrix columns = DoubleMatrix::Zero(width, a.layer_width());
  columns.middleCols(head.head * width, width).setIdentity();
  return columns;
}

/// Rotation at one place keeps products, except for the amplitude of YaRN.
void apply_amplitude(const Trace& trace, const HeadId& head, DoubleMatrix& rows) {
  const Architecture& a = trace.architecture();
  if (!trace.has(canonical(a, stage_in(head, rotated_query)))) return;
  const RotaryFrequencies turns = rotary_frequencies(a.rotary_of(head.layer), a.head_width(head.layer));
  for (int pair = 0; pair < turns.n_pairs(); ++pair)
    for (const int dimension : turns.dimensions(pair)) rows.col(dimension) *= turns.amplitude;
}

bool has_parameter(const Trace& trace, const HeadId& head, StageKind kind) {
  return trace.has(canonical(trace.architecture(), stage_in(head, kind)));
}

const char* why_no_qk(const Trace& trace, const HeadId& head) {
  const Architecture& a = trace.architecture();
  if (a.kv_latent || a.foreign.query_latent)
    return "queries and keys pass through latent rows, so that no two matrices make the scores";
  if (a.qk_norm)
    return "queries and keys are normalised before they are compared, so the scores are not bilinear";
  if (a.linear_attention) return "linear attention maps queries and keys before it compares them";
  if (!has_parameter(trace, head, w_query) || !has_parameter(trace, head, w_key))
    return "queries or keys were entered by hand, so that no weights make them";
  return a.has_embedding_projection() ? "the embeddings are narrower than the model" : "";
}

const char* why_no_ov(const Trace& trace, const HeadId& head) {
  const Architecture& a = trace.architecture();
  if (head.stack != a.last_stack())
    return "what the encoder's heads write reaches words only through the decoder";
  if (a.kv_latent) return "values pass through a latent row";
  if (a.foreign.value_norm) return "values are normalised, so that no matrix makes them";
  if (!has_parameter(trace, head, w_value))
    return "values were entered by hand, so that no weights make them";
  if (a.output_gate) return "a gate that depends on the query changes what the head writes";
  if (trace.pass_inputs().unembedding.n_in() != a.layer_width())
    return "the rows of the model are wider than those that words are compared with";
  return a.has_embedding_projection() ? "the embeddings are narrower than the model" : "";
}

/// The number of words in each list of WrittenWords.
constexpr std::size_t n_written_words = 3;

/// Keeps the words of greatest change, of which `words` holds those of earlier columns.
void keep_greatest(std::vector<std::pair<int, double>>& words, std::pair<int, double> word) {
  const auto magnitude = [](const std::pair<int, double>& each) { return std::fabs(each.second); };
  const auto place = std::ranges::upper_bound(words, magnitude(word), std::greater<>(), magnitude);
  if (static_cast<std::size_t>(place - words.begin()) >= n_written_words) return;
  words.insert(place, word);
  if (words.size() > n_written_words) words.pop_back();
}

/// The singular values of a bᵀ, from the small factors of QR decompositions. Empty if numbers are not finite.
std::vector<double> singular_values_of(const DoubleMatrix& a, const DoubleMatrix& b) {
  const auto upper = [](const DoubleMatrix& of) -> DoubleMatrix {
    const Eigen::Index n = std::min(of.rows(), of.cols());
    return Eigen::HouseholderQR<DoubleMatrix>(of).matrixQR().topRows(n).triangularView<Eigen::Upper>();
  };
  const DoubleMatrix product = upper(a) * upper(b).transpose();
  if (!product.allFinite()) return {};
  // They are the positive eigenvalues of [0 M; Mᵀ 0], of which the solver reads the lower half.
  const Eigen::Index n = product.rows(), m = product.cols();
  Eigen::MatrixXd both = Eigen::MatrixXd::Zero(n + m, n + m);
  both.bottomLeftCorner(m, n) = product.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(both, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return {};
  const Eigen::VectorXd values = solver.eigenvalues().tail(std::min(n, m)).reverse().cwiseMax(0.0);
  return {values.begin(), values.end()};
}

}  // namespace

Slices<HeadCircuits> head_circuits(const Trace& trace, HeadId head, int row) {
  const Architecture& a = trace.architecture();
  HeadCircuits found;
  found.absent_qk = why_no_qk(trace, head);
  found.absent_ov = why_no_ov(trace, head);
  const DoubleMatrix keys = words_read(trace, head, true);
  if (found.absent_qk.empty()) {
    DoubleMatrix q = projected_rows(trace, head, words_read(trace, head, false), w_query, b_query);
    DoubleMatrix k = projected_rows(trace, head, keys, w_key, b_key);
    apply_amplitude(trace, head, q);
    apply_amplitude(trace, head, k);
    const ScoreFactors factors = score_factors(trace, stage_in(head, raw));
    found.scores = OwnedMatrix(static_cast<int>(q.rows()), static_cast<int>(k.rows()));
    Eigen::Map<Matrix>(found.scores.values.data(), q.rows(), k.rows()) =
        (q * k.transpose() * (factors.is_divided ? factors.divided : factors.undivided)).cast<float>();
    found.qk_singular = singular_values_of(all_rows(trace, canonical(a, stage_in(head, w_query))),
                                           all_rows(trace, canonical(a, stage_in(head, w_key))));
  }
  if (!found.absent_ov.empty()) co_return found;
  const DoubleMatrix w_o = output_weights(trace, head);
  const DoubleMatrix w_v = all_rows(trace, canonical(a, stage_in(head, w_value)));
  found.ov_singular = singular_values_of(w_v, w_o.transpose());
  DoubleMatrix written = keys * w_v * w_o;
  const StageId last{stack_output, a.last_stack()};
  const StageId summed = trace.graph().inputs(last).front();
  apply_norm_of(trace, last, written, inverse_deviation(a, a.norm_kind, row_in_double(trace, summed, row)));
  const Matrix rows = written.cast<float>();
  found.written.resize(static_cast<std::size_t>(rows.rows()));
  const Linear& unembedding = trace.pass_inputs().unembedding;
  constexpr int at_once = 4096;
  for (int first = 0; first < unembedding.n_out(); first += at_once) {
    const int n = std::min(at_once, unembedding.n_out() - first);
    const Matrix logits = rows * unembedding.columns(first, n);
    for (Eigen::Index token = 0; token < logits.rows(); ++token) {
      WrittenWords& words = found.written[static_cast<std::size_t>(token)];
      for (int word = 0; word < n; ++word) {
        const auto logit = static_cast<double>(logits(token, word));
        if (logit > 0.0) keep_greatest(words.promoted, {first + word, logit});
        if (logit < 0.0) keep_greatest(words.suppressed, {first + word, logit});
      }
    }
    co_yield static_cast<double>(first + n) / static_cast<double>(unembedding.n_out());
  }
  co_return found;
}

}  // namespace headscope
