// Compares passes with a plain one in double precision, which computes one operation of the graph after the
// other from weights, embeddings and masks alone, with one loop or product for each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "core/model/mask.h"
#include "core/model/positions.h"
#include "core/model/rotary.h"
#include "tests/unit/trace/passes.h"

namespace headscope {
namespace {

using Numbers = Eigen::MatrixXd;

/// The softmax of a row of scores. The weight of a sink with this score is left out; −∞ for none. A row
/// without visible keys gives zeros.
Eigen::RowVectorXd softmax_of(const Eigen::RowVectorXd& scores, double sink) {
  const double largest = std::max(scores.maxCoeff(), sink);
  if (std::isinf(largest)) return Eigen::RowVectorXd::Zero(scores.size());
  const Eigen::RowVectorXd e = (scores.array() - largest).exp().matrix();
  return e / (e.sum() + std::exp(sink - largest));
}

double activated(Activation activation, double x) {
  constexpr double pi = 3.14159265358979323846;
  switch (activation) {
    case Activation::relu:
      return std::max(x, 0.0);
    case Activation::gelu:
      return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0)));
    case Activation::gelu_tanh:
      return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / pi) * (x + 0.044715 * x * x * x)));
    case Activation::silu:
      return x / (1.0 + std::exp(-x));
  }
  return x;
}

class PlainPass {
 public:
  explicit PlainPass(const Trace& trace) : trace_(trace), a_(trace.architecture()) {}

  /// The numbers of a stage.
  const Numbers& of(const StageId& id) {
    const auto found = values_.find(id);
    return found != values_.end() ? found->second : values_.emplace(id, computed(id)).first->second;
  }

 private:
  Numbers stored(const StageId& id) const { return eigen(trace_.value(id)).cast<double>(); }

  Numbers computed(const StageId& id) {
    std::vector<Numbers> x, parameters;
    const Op op = trace_.graph().op(id);
    if (op == Op::parameter || op == Op::lookup || traits_of(op).is_on_demand) return stored(id);
    for (const StageId& input : trace_.graph().inputs(id))
      (info(input.kind).is_parameter() ? parameters : x).push_back(of(input));
    switch (op) {
      case Op::copy:
        return x.front();
      case Op::sum: {
        Numbers sum = x.front();
        for (std::size_t i = 1; i < x.size(); ++i) sum += x[i];
        return sum;
      }
      case Op::norm:
      case Op::head_norm:
        return normed(x.front(), parameters, op == Op::norm && a_.norm_kind == NormKind::layer);
      case Op::linear:
        return linear(id, x, parameters);
      case Op::gate:
        return (1.0 / (1.0 + (-(x.front() * parameters.front())).array().exp())).matrix();
      case Op::rotate:
        return rotated(id, x.front());
      case Op::scores:
        return x[0] * x[1].transpose();
      case Op::scale:
        return x.front() * factor(id);
      case Op::cap:
        return capped(x.front(), static_cast<double>(a_.softcap));
      case Op::mask:
        return masked(id, x);
      case Op::softmax:
        return weights(x.front(), parameters, trace_.options().softmax);
      case Op::average:
        return x[0] * x[1];
      case Op::concat:
        return beside(x);
      case Op::multiply:
        return x[0].cwiseProduct(x[1]);
      case Op::activate:
        return x.front().unaryExpr([this](double each) { return activated(a_.activation, each); });
      case Op::word_softmax:
        return weights(x.front(), {}, SoftmaxAxis::keys);
      default:
        ADD_FAILURE() << "no plain operation computes " << path(id);
        return stored(id);
    }
  }

  Numbers normed(const Numbers& x, const std::vector<Numbers>& parameters, bool subtracts_mean) const {
    Numbers out = x;
    if (subtracts_mean) out.colwise() -= x.rowwise().mean();
    const Eigen::VectorXd mean_square = out.array().square().rowwise().mean();
    const double epsilon = static_cast<double>(a_.norm_epsilon);
    for (Eigen::Index row = 0; row < out.rows(); ++row) {
      out.row(row) /= std::sqrt(mean_square[row] + epsilon);
      out.row(row) = out.row(row).cwiseProduct(parameters[0].row(0));
      if (parameters.size() > 1) out.row(row) += parameters[1].row(0);
    }
    return out;
  }

  /// With two inputs, the first has the dimensions of a key that all heads share.
  Numbers linear(const StageId& id, const std::vector<Numbers>& x,
                 const std::vector<Numbers>& parameters) const {
    Numbers out = x.back() * parameters[0];
    if (parameters.size() > 1) out.rowwise() += parameters[1].row(0);
    if (id.kind == StageKind::logits && a_.logit_softcap > 0.0F)
      return capped(out, static_cast<double>(a_.logit_softcap));
    return x.size() > 1 ? beside({x.front(), out}) : out;
  }

  static Numbers beside(const std::vector<Numbers>& parts) {
    Numbers all(parts.front().rows(), 0);
    for (const Numbers& part : parts) {
      const Eigen::Index n = all.cols();
      all.conservativeResize(Eigen::NoChange, n + part.cols());
      all.rightCols(part.cols()) = part;
    }
    return all;
  }

  static Numbers capped(const Numbers& x, double limit) {
    return x.unaryExpr([limit](double each) { return limit * std::tanh(each / limit); });
  }

  Numbers rotated(const StageId& id, const Numbers& x) const {
    const auto width = static_cast<int>(x.cols());
    const Rotary rotary = a_.rotary_of(id.layer);
    const RotaryFrequencies turns = rotary_frequencies(rotary, width, a_.kv_latent.has_value());
    const double length = turns.amplitude;
    const Eigen::Index n_pairs = turns.n_pairs();
    const bool halves = rotary.pairing == RotaryPairing::halves;
    Numbers out = x;
    for (Eigen::Index row = 0; row < x.rows(); ++row) {
      for (Eigen::Index pair = 0; pair < n_pairs; ++pair) {
        const double angle = static_cast<double>(row) * turns.frequencies[static_cast<std::size_t>(pair)];
        const Eigen::Index i = halves ? pair : 2 * pair, j = halves ? pair + n_pairs : i + 1;
        out(row, i) = length * (x(row, i) * std::cos(angle) - x(row, j) * std::sin(angle));
        out(row, j) = length * (x(row, i) * std::sin(angle) + x(row, j) * std::cos(angle));
      }
    }
    return out;
  }

  double factor(const StageId& id) const {
    const double by_width = 1.0 / std::sqrt(static_cast<double>(a_.head_width(id.layer)));
    const double scale = a_.score_scale > 0.0F ? static_cast<double>(a_.score_scale) : by_width;
    const AttentionOptions& options = trace_.options();
    return (options.scale ? scale : 1.0) / static_cast<double>(options.temperature) *
           score_amplitude(a_, id.attention, id.layer);
  }

  /// Adds biases of distances, if there are any, and hides keys.
  Numbers masked(const StageId& id, const std::vector<Numbers>& x) const {
    const CombinedMask& mask = trace_.mask(id);
    Numbers out = x.front();
    for (int query = 0; query < out.rows(); ++query) {
      for (int key = 0; key < out.cols(); ++key) {
        if (x.size() > 1) out(query, key) += x[1](query, key);
        out(query, key) += static_cast<double>(mask.addend(id.head, query, key));
        if (!mask.visible.empty() && !mask.is_visible(id.head, query, key))
          out(query, key) = static_cast<double>(mask.value);
      }
    }
    return out;
  }

  static Numbers weights(const Numbers& scores, const std::vector<Numbers>& sinks, SoftmaxAxis axis) {
    const double sink = sinks.empty() ? -std::numeric_limits<double>::infinity() : sinks[0](0, 0);
    const bool over_queries = axis == SoftmaxAxis::queries;
    Numbers rows = over_queries ? Numbers(scores.transpose()) : scores;
    for (Eigen::Index row = 0; row < rows.rows(); ++row) rows.row(row) = softmax_of(rows.row(row), sink);
    return over_queries ? Numbers(rows.transpose()) : rows;
  }

  const Trace& trace_;
  const Architecture& a_;
  std::map<StageId, Numbers> values_;
};

/// Whether two numbers are equal but for the rounding of floats. Hidden scores are −∞ in both.
bool are_near(double plain, double of_pass, double largest) {
  constexpr double tolerance = 2e-4;
  return plain == of_pass || std::abs(plain - of_pass) <= tolerance * largest;
}

/// A random pass of parts that models of this program have. Dropout and linear attention, whose maps are no
/// softmax, have tests of their own.
Request plain_request(std::mt19937& random) {
  Request request = testing::random_request(random);
  request.attention.train = false;
  request.architecture.foreign = {};
  request.architecture.linear_attention = false;
  return request;
}

TEST(PlainPass, OneOperationAfterTheOtherGivesTheNumbersOfThePass) {
  std::mt19937 random(11);
  int n_compared = 0;
  for (int round = 0; round < 200; ++round) {
    const Request request = plain_request(random);
    if (!validate(request.architecture)) continue;
    const auto trace = testing::pass(request);
    ASSERT_TRUE(trace);
    PlainPass plain(*trace);
    for (const StageId& id : trace->stages()) {
      const Eigen::MatrixXd& expected = plain.of(id);
      const MatrixView found = trace->value(id);
      ASSERT_EQ(expected.rows(), found.rows) << path(id);
      ASSERT_EQ(expected.cols(), found.cols) << path(id);
      double largest = 1.0;
      for (const double each : expected.reshaped())
        if (std::isfinite(each)) largest = std::max(largest, std::abs(each));
      // Sharper softmaxes round more than this test allows.
      constexpr double sharp = 100.0;
      if (id.kind == StageKind::scaled && largest > sharp) break;
      for (int row = 0; row < found.rows; ++row)
        for (int col = 0; col < found.cols; ++col)
          ASSERT_TRUE(are_near(expected(row, col), static_cast<double>(found(row, col)), largest))
              << "round " << round << ": " << path(id) << " (" << row << ", " << col << ") is "
              << found(row, col) << ", and " << expected(row, col) << " in the plain pass";
      ++n_compared;
    }
  }
  EXPECT_GT(n_compared, 5000);
}

}  // namespace
}  // namespace headscope
