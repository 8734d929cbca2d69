#include "core/trace/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/model/gemma_stages.h"
#include "tests/unit/trace/passes.h"

namespace headscope {
namespace {

using testing::between;
using testing::pass;
using testing::small_request;

std::string describe(const Explanation& e) {
  return to_text(e);
}

/// The sum of the magnitudes of all terms of a cell. Rounding errors grow with this sum and not with the
/// result.
double magnitude_of_terms(const Explanation& e) {
  double sum = 0.0;
  for (const auto& strip : e.strips) {
    if (!strip.is_product) continue;
    for (const float value : strip.values) sum += std::fabs(static_cast<double>(value));
  }
  return sum;
}

void expect_value_is_stored(const Explanation& e) {
  if (std::isinf(e.stored)) {
    EXPECT_EQ(e.value, e.stored) << describe(e);
    return;
  }
  const double tolerance = 1e-5 + 1e-4 * std::fabs(e.stored) + 1e-6 * magnitude_of_terms(e);
  EXPECT_NEAR(e.value, e.stored, tolerance) << describe(e);
}

void expect_strips_add_up(const Explanation& e) {
  for (const auto& strip : e.strips) {
    if (!strip.names.empty()) {
      EXPECT_EQ(strip.names.size(), strip.values.size()) << describe(e);
    }
    if (!strip.is_product) continue;
    double sum = 0.0;
    double terms = 0.0;
    for (const float value : strip.values) {
      sum += static_cast<double>(value);
      terms += std::fabs(static_cast<double>(value));
    }
    const auto step = std::find_if(e.steps.begin(), e.steps.end(), [&strip](const auto& candidate) {
      return candidate.label.find("Σ " + strip.label) != std::string::npos;
    });
    ASSERT_NE(step, e.steps.end()) << "no step sums " << strip.label << "\n" << describe(e);
    EXPECT_NEAR(step->value, sum, 1e-6 * (1.0 + terms)) << describe(e);
  }
}

void expect_products_are_elementwise(const Explanation& e) {
  for (std::size_t s = 2; s < e.strips.size(); ++s) {
    if (!e.strips[s].is_product) continue;
    const auto& a = e.strips[s - 2].values;
    const auto& b = e.strips[s - 1].values;
    ASSERT_EQ(a.size(), e.strips[s].values.size());
    ASSERT_EQ(b.size(), e.strips[s].values.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_FLOAT_EQ(a[i] * b[i], e.strips[s].values[i]);
  }
}

void expect_sources_are_in_range(const Trace& trace, const Explanation& e) {
  for (const auto& source : e.sources) {
    ASSERT_TRUE(trace.has(source.stage)) << path(source.stage) << "\n" << describe(e);
    const MatrixView view = trace.value(source.stage);
    EXPECT_TRUE(source.row || source.col);
    if (source.row) {
      EXPECT_LT(*source.row, view.rows) << describe(e);
      EXPECT_GE(*source.row, 0);
    }
    if (source.col) {
      EXPECT_LT(*source.col, view.cols) << describe(e);
      EXPECT_GE(*source.col, 0);
    }
  }
}

void expect_sound(const Trace& trace, const StageId& id, int row, int col) {
  const auto explained = explain(trace, id, row, col);
  ASSERT_TRUE(explained) << explained.error().message;
  const Explanation& e = *explained;
  EXPECT_EQ(e.stage, id);
  EXPECT_EQ(e.row, row);
  EXPECT_EQ(e.col, col);
  EXPECT_EQ(e.stored, static_cast<double>(trace.value(id)(row, col)));
  EXPECT_FALSE(e.headline.empty());
  EXPECT_EQ(e.headline, describe_cell(trace, id, row, col));
  EXPECT_EQ(e.formula, formula(trace, id));
  ASSERT_FALSE(e.steps.empty());
  EXPECT_EQ(e.steps.back().value, e.value);
  for (const auto& strip : e.strips) {
    EXPECT_TRUE(std::ranges::none_of(strip.values, [](float x) { return std::isnan(x); })) << describe(e);
  }
  for (const auto& step : e.steps) EXPECT_FALSE(std::isnan(step.value)) << describe(e);
  expect_value_is_stored(e);
  expect_strips_add_up(e);
  expect_products_are_elementwise(e);
  expect_sources_are_in_range(trace, e);
}

TEST(Explain, recomputes_the_stored_value_of_every_stage_of_random_passes) {
  std::mt19937 random(7);
  std::vector<bool> met(all_stage_kinds().size(), false);
  for (int round = 0; round < 250; ++round) {
    const auto trace = pass(testing::random_request(random));
    ASSERT_TRUE(trace);
    SCOPED_TRACE("round " + std::to_string(round));
    for (const StageId& id : trace->stages()) {
      met[static_cast<std::size_t>(id.kind)] = true;
      const MatrixView view = trace->value(id);
      for (int cell = 0; cell < 2; ++cell) {
        expect_sound(*trace, id, between(random, 0, view.rows - 1), between(random, 0, view.cols - 1));
      }
      if (HasFailure()) return;
    }
  }
  for (const StageInfo& line : all_stage_kinds()) {
    EXPECT_TRUE(met[static_cast<std::size_t>(line.kind)] || is_of_gemma(line))
        << line.title << " was never met";
  }
}

/// An einsum has two factors that share what is summed, and each letter of its result is in one of them.
void expect_sums_what_the_result_lacks(const std::string& text) {
  constexpr std::string_view before = "einsum ";
  ASSERT_TRUE(text.starts_with(before)) << text;
  const std::string sum = text.substr(before.size(), text.find(", with a batch") - before.size());
  const auto comma = sum.find(','), arrow = sum.find("->");
  ASSERT_TRUE(comma < arrow && arrow != std::string::npos) << text;
  const std::string first = sum.substr(0, comma), second = sum.substr(comma + 1, arrow - comma - 1);
  const std::string result = sum.substr(arrow + 2);
  for (const char letter : first)
    EXPECT_NE((second + result).find(letter), std::string::npos) << text << ": " << letter;
  for (const char letter : result)
    EXPECT_NE((first + second).find(letter), std::string::npos) << text << ": " << letter;
}

TEST(Explain, writes_products_as_einsums_of_all_heads) {
  std::mt19937 random(8);
  for (int round = 0; round < 60; ++round) {
    const auto trace = pass(testing::random_request(random));
    ASSERT_TRUE(trace);
    for (const StageId& id : trace->stages()) {
      const std::string text = einsum_text(*trace, id);
      if (!text.empty()) expect_sums_what_the_result_lacks(text);
    }
  }
  const auto trace = pass(small_request());
  const auto of = [&](StageKind kind) { return einsum_text(*trace, {.kind = kind}); };
  EXPECT_EQ(of(StageKind::raw), "einsum thk,shk->hts, with a batch ibhd,jbhd->ijbh");
  EXPECT_EQ(of(StageKind::output), "einsum hts,shv->thv, with a batch ijbh,jbhd->ibhd");
  EXPECT_EQ(of(StageKind::query), "einsum td,dhk->thk");
  EXPECT_EQ(of(StageKind::key), "einsum sd,dhk->shk");
  EXPECT_EQ(of(StageKind::projected), "einsum thv,hvd->td");
  EXPECT_EQ(of(StageKind::contribution), "einsum thv,hvd->thd");
  EXPECT_EQ(of(StageKind::weights), "");
}

TEST(Explain, recomputes_every_cell_of_one_token_alone) {
  Request request = small_request();
  request.sentence = "alone";
  const auto trace = pass(request);
  ASSERT_TRUE(trace);
  for (const StageId& id : trace->stages()) expect_sound(*trace, id, 0, trace->value(id).cols - 1);
  EXPECT_EQ(explain(*trace, {.kind = StageKind::weights}, 0, 0)->value, 1.0);
}

/// The small request with every key hidden from query 3.
Request with_empty_row(float value) {
  Request request = small_request();
  request.attention.mask_value = value;
  for (int key = 0; key < 11; ++key) request.attention.mask.painted.push_back({3, key});
  return request;
}

TEST(Explain, tells_of_a_fully_hidden_row_under_minus_infinity) {
  const auto trace = pass(with_empty_row(MaskValue::minus_infinity));
  for (int key = 0; key < trace->n_tokens(); ++key) {
    const auto e = explain(*trace, {.kind = StageKind::weights, .head = 2}, 3, key);
    ASSERT_TRUE(e);
    EXPECT_EQ(e->value, 0.0);
    EXPECT_EQ(e->stored, 0.0);
    EXPECT_NE(e->steps.back().note.find("PyTorch gives NaN"), std::string::npos) << describe(*e);
  }
}

TEST(Explain, tells_of_a_fully_hidden_row_under_minus_1e9) {
  const auto trace = pass(with_empty_row(MaskValue::minus_1e9));
  for (int key = 0; key < trace->n_tokens(); ++key) {
    const auto e = explain(*trace, {.kind = StageKind::weights, .head = 2}, 3, key);
    ASSERT_TRUE(e);
    EXPECT_DOUBLE_EQ(e->value, 1.0 / 11.0);
    EXPECT_NEAR(e->stored, 1.0 / 11.0, 1e-6);
    EXPECT_NE(e->steps.back().note.find("uniform"), std::string::npos) << describe(*e);
  }
}

TEST(Explain, says_where_a_head_is_drawn_otherwise_than_by_pytorch) {
  const auto trace = pass(small_request());  // d_model 32, 4 heads of 8
  const std::string weights = formula(*trace, {.kind = StageKind::w_query});
  EXPECT_NE(weights.find("±0.3873 = √(6 / (32 + 8))"), std::string::npos) << weights;
  EXPECT_NE(weights.find("all heads: ±0.3062 = √(6 / (32 + 32))"), std::string::npos) << weights;
  EXPECT_EQ(formula(*trace, {.kind = StageKind::w_output}).find("PyTorch"), std::string::npos);
  Request one_head = small_request();
  one_head.architecture.n_heads = 1;
  EXPECT_EQ(formula(*pass(one_head), {.kind = StageKind::w_query}).find("PyTorch"), std::string::npos);
}

TEST(Explain, says_that_a_number_among_the_scores_does_not_hide) {
  Request request = small_request();
  request.attention.mask_value = 0.0F;
  request.attention.mask.causal = true;
  const auto trace = pass(request);
  const auto e = explain(*trace, {.kind = StageKind::weights, .head = 2}, 3, 7);
  ASSERT_TRUE(e);
  EXPECT_GT(e->stored, 0.0);
  EXPECT_NEAR(e->value, e->stored, 1e-6);
  EXPECT_NE(e->steps.back().note.find("0 is not far enough below"), std::string::npos) << describe(*e);
  EXPECT_NE(formula(*trace, {.kind = StageKind::masked}).find("0 elsewhere"), std::string::npos);
}

TEST(Explain, does_not_take_a_score_of_plus_infinity_for_a_hidden_one) {
  Request request = small_request();
  request.attention.temperature = std::numeric_limits<float>::denorm_min();
  const auto trace = pass(request);
  ASSERT_TRUE(trace);
  const MatrixView masked = trace->value({.kind = StageKind::masked});
  int n_infinite = 0;
  for (int row = 0; row < masked.rows; ++row) {
    for (int col = 0; col < masked.cols; ++col) {
      if (!std::isinf(masked(row, col)) || masked(row, col) < 0) continue;
      ++n_infinite;
      const auto e = explain(*trace, {.kind = StageKind::weights}, row, col);
      ASSERT_TRUE(e);
      EXPECT_TRUE(std::isnan(e->value)) << describe(*e);
      EXPECT_TRUE(std::isnan(e->stored)) << describe(*e);
    }
  }
  EXPECT_GT(n_infinite, 0);
}

TEST(Explain, tells_why_a_cell_is_hidden) {
  Request request = small_request();
  request.attention.mask.causal = true;
  const auto trace = pass(request);
  const auto masked = explain(*trace, {.kind = StageKind::masked}, 2, 5);
  ASSERT_TRUE(masked);
  EXPECT_TRUE(std::isinf(masked->value) && masked->value < 0);
  EXPECT_NE(masked->steps.back().note.find("causal"), std::string::npos);
  const auto weight = explain(*trace, {.kind = StageKind::weights}, 2, 5);
  EXPECT_EQ(weight->value, 0.0);
  EXPECT_NE(weight->steps.back().note.find("causal"), std::string::npos);
  EXPECT_NE(weight->headline.find("gives 0 to “street” (key 5): hidden (causal"), std::string::npos);
}

TEST(Explain, sums_the_heads_contributions_to_the_projected_cell) {
  const auto trace = pass(small_request());
  const auto e = explain(*trace, {.kind = StageKind::projected}, 4, 9);
  ASSERT_TRUE(e);
  const auto heads = std::find_if(e->strips.begin(), e->strips.end(),
                                  [](const auto& strip) { return strip.label == "Σ per head"; });
  ASSERT_NE(heads, e->strips.end());
  ASSERT_EQ(heads->values.size(), 4U);
  double sum = trace->value({.kind = StageKind::b_output})(0, 9);
  for (int head = 0; head < 4; ++head) {
    const float own = heads->values[static_cast<std::size_t>(head)];
    EXPECT_NEAR(own, trace->value({.kind = StageKind::contribution, .head = head})(4, 9), 1e-5);
    sum += static_cast<double>(own);
  }
  EXPECT_NEAR(sum, e->stored, 1e-5);
}

TEST(Explain, names_the_rotated_query_and_key_that_give_a_score) {
  Request request = small_request();
  request.architecture.positions = Positions::rotary;
  const auto trace = pass(request);
  const auto explained = explain(*trace, {.kind = StageKind::raw, .head = 1}, 7, 1);
  ASSERT_TRUE(explained) << explained.error().message;
  const auto expect_strip = [&](std::size_t strip, const char* label, StageKind kind, int row) {
    EXPECT_EQ(explained->strips[strip].label, label);
    EXPECT_FLOAT_EQ(explained->strips[strip].values[0], trace->value({.kind = kind, .head = 1})(row, 0));
  };
  expect_strip(0, "q° “it”", StageKind::rotated_query, 7);
  expect_strip(1, "k° “animal”", StageKind::rotated_key, 1);
  EXPECT_NE(explained->strips[0].values[0], trace->value({.kind = StageKind::query, .head = 1})(7, 0));
}

TEST(Explain, refuses_what_the_pass_does_not_have) {
  Request request = small_request();
  request.architecture.bias.query = false;
  request.architecture.positions = Positions::none;
  const auto trace = pass(request);
  const auto message_of = [&trace](const StageId& id, int row, int col) {
    const auto explained = explain(*trace, id, row, col);
    return explained ? std::string() : explained.error().message;
  };
  EXPECT_NE(message_of({.kind = StageKind::weights, .head = 4}, 0, 0).find("4 heads"), std::string::npos);
  EXPECT_NE(message_of({.kind = StageKind::weights, .head = -1}, 0, 0).find("4 heads"), std::string::npos);
  EXPECT_NE(message_of({.kind = StageKind::weights, .layer = 1}, 0, 0).find("1 layer"), std::string::npos);
  EXPECT_NE(message_of({.kind = StageKind::b_query}, 0, 0).find("no bias"), std::string::npos);
  EXPECT_NE(message_of({.kind = StageKind::positions}, 0, 0).find("positions are off"), std::string::npos);
  EXPECT_NE(message_of({.kind = StageKind::weights}, 11, 0).find("11 rows, 0 to 10"), std::string::npos);
  EXPECT_NE(message_of({.kind = StageKind::weights}, 0, -1).find("column -1"), std::string::npos);
}

TEST(SentenceFor, says_who_gives_what_to_whom) {
  const auto trace = pass(small_request());
  const std::string weight =
      rounded_text(static_cast<double>(trace->value({.kind = StageKind::weights, .head = 1})(7, 1)));
  EXPECT_EQ(describe_cell(*trace, {.kind = StageKind::weights, .head = 1}, 7, 1),
            "“it” (query 7) gives " + weight + " to “animal” (key 1)");
  const std::string query = rounded_text(static_cast<double>(trace->value({.kind = StageKind::query})(7, 3)));
  EXPECT_EQ(describe_cell(*trace, {.kind = StageKind::query}, 7, 3),
            "Q of “it” (token 7), dimension 3, is " + query);
  EXPECT_EQ(describe_cell(*trace, {.kind = StageKind::weights}, 11, 0), "");
  EXPECT_EQ(describe_cell(*trace, {.kind = StageKind::weights, .head = 9}, 0, 0), "");
}

TEST(Formula, fills_in_the_options_of_the_pass) {
  Request request = small_request();
  request.architecture.d_head = 16;
  const StageId scaled{.kind = StageKind::scaled};
  EXPECT_EQ(formula(*pass(request), scaled), "raw / √16");
  request.attention.temperature = 2.0F;
  EXPECT_EQ(formula(*pass(request), scaled), "raw / (√16 · 2)");
  request.attention.scale = false;
  EXPECT_EQ(formula(*pass(request), scaled), "raw / 2 (scaling is off)");
  request.attention.temperature = 1.0F;
  EXPECT_EQ(formula(*pass(request), scaled), "raw (scaling is off)");
  EXPECT_EQ(formula(*pass(request), {.kind = StageKind::weights}), "softmax(scores) over keys");
  request.attention.softmax = SoftmaxAxis::queries;
  request.attention.mask.causal = true;
  request.architecture.bias.key = false;
  const auto trace = pass(request);
  EXPECT_EQ(formula(*trace, {.kind = StageKind::weights}),
            "softmax(masked) over queries: rows need not sum to 1");
  EXPECT_EQ(formula(*trace, {.kind = StageKind::masked}), "scaled where visible, −∞ elsewhere");
  EXPECT_EQ(formula(*trace, {.kind = StageKind::key}), "x W_K");
  EXPECT_EQ(formula(*trace, {.kind = StageKind::query}), "x W_Q + b_Q");
  EXPECT_EQ(shape_text(trace->value({.kind = StageKind::query})), "[11 × 16]");
}

TEST(ToText, keeps_its_lines_short_and_ends_with_the_stored_value_and_its_sources) {
  Request request = small_request();
  request.architecture.d_head = 50;
  const auto trace = pass(request);
  const std::string text = to_text(*explain(*trace, {.kind = StageKind::raw}, 7, 1));
  EXPECT_NE(text.find("raw = Σ q × k"), std::string::npos);
  EXPECT_NE(text.find("stored: "), std::string::npos);
  EXPECT_NE(text.find("from: encoder.layers.0.self.heads.0.query row 7"), std::string::npos);
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    ASSERT_NE(end, std::string::npos) << "every line ends";
    EXPECT_LE(end - start, 130U) << text.substr(start, end - start);
    start = end + 1;
  }
}

TEST(Explain, OfVeryManyElementsTheStrongestArePrinted) {
  Explanation sum;
  Explanation::Strip strip{"logits", std::vector<float>(2646, 0.001F), {}};
  for (std::size_t i = 0; i < strip.values.size(); ++i) strip.names.push_back("w" + std::to_string(i));
  strip.values[77] = -3.5F;
  strip.values[2000] = 4.25F;
  sum.strips.push_back(strip);
  const std::string text = to_text(sum);
  EXPECT_NE(text.find("w77"), std::string::npos);
  EXPECT_NE(text.find("−3.5"), std::string::npos);
  EXPECT_NE(text.find("w2000"), std::string::npos);
  EXPECT_NE(text.find("These are the 20 strongest; 2626 more are not listed"), std::string::npos);
  EXPECT_LT(std::ranges::count(text, '\n'), 20);
  sum.strips.front().values.resize(256);
  sum.strips.front().names.resize(256);
  EXPECT_EQ(to_text(sum).find("more"), std::string::npos) << "a sentence's keys are all printed";
}

}  // namespace
}  // namespace headscope
