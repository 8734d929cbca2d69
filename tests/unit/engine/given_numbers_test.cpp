#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/model/parameters.h"
#include "core/model/pass_edits.h"
#include "core/trace/explain.h"
#include "core/trace/number_source.h"
#include "core/trace/trace.h"
#include "tests/unit/engine/random_given.h"
#include "tests/unit/engine/transformers.h"

namespace headscope {
namespace {

std::vector<float> numbers_of(const Trace& trace, const StageId& id) {
  return numbers(trace.value(id));
}

OwnedMatrix copy_of(const Trace& trace, const StageId& id) {
  const MatrixView view = trace.value(id);
  OwnedMatrix copy(view.rows, view.cols);
  copy.values = numbers(view);
  return copy;
}

Request random_pass(std::uint64_t seed) {
  RandomStream random(seed, "given");
  Request request = random_transformer(seed, static_cast<Stacks>(seed % 3));
  if (seed % 5 == 0) request.tokenizer = TokenizerKind::seed1;
  if (pick(random, 0, 2) == 0) request.attention.mask.causal = true;
  return request;
}

TEST(GivenNumbers, ThatWouldHaveBeenComputedChangeNothing) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Request request = random_pass(seed);
    const SharedTrace plain = computed(engine, request);
    ASSERT_TRUE(plain);
    RandomStream random(seed, "some");
    int n = 0;
    for (const StageId& id : plain->stages()) {
      if (!can_be_given(id.kind) || pick(random, 0, 2) > 0) continue;
      if (!why_not_given(plain->graph(), id).empty()) {
        EXPECT_EQ(plain->architecture().output_layer, OutputLayer::tied) << path(id);
        continue;
      }
      give(request, path(id), copy_of(*plain, id));
      ++n;
    }
    ASSERT_GT(n, 0);
    const SharedTrace given = computed(engine, request);
    ASSERT_TRUE(given);
    for (const StageId& id : plain->stages())
      EXPECT_TRUE(same_bits(numbers_of(*plain, id), numbers_of(*given, id))) << seed << ' ' << path(id);
  }
}

TEST(GivenNumbers, AreWhatTheirStageHolds) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    RandomStream random(seed, "numbers");
    Request request = random_pass(seed);
    const SharedTrace plain = computed(engine, request);
    ASSERT_TRUE(plain);
    give_random_numbers(random, *plain, request);
    const SharedTrace given = computed(engine, request);
    ASSERT_TRUE(given);
    for (const GivenMatrix& each : request.given.all) {
      const StageId id = parse_path(each.path).value();
      EXPECT_TRUE(same_bits(numbers_of(*given, id), each.numbers->values)) << each.path;
      // If a following stage is given as well, the formula mentions that first.
      EXPECT_NE(formula(*given, id).find("given by hand"), std::string::npos) << formula(*given, id);
      EXPECT_TRUE(inputs_of(*given, id).empty());
    }
  }
}

TEST(GivenNumbers, EveryCellIsExplainedAsItIsStored) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 45; ++seed) {
    RandomStream random(seed, "numbers");
    Request request = random_pass(seed);
    if (pick(random, 0, 4) == 0) request.attention.softmax = SoftmaxAxis::queries;
    request.attention.train = pick(random, 0, 4) == 0;
    const SharedTrace plain = computed(engine, request);
    ASSERT_TRUE(plain);
    give_random_numbers(random, *plain, request);
    const SharedTrace trace = computed(engine, request);
    ASSERT_TRUE(trace);
    for (const StageId& id : trace->stages()) {
      const Extent size = trace->extent(id);
      if (size.empty()) continue;
      const int row = pick(random, 0, size.rows - 1);
      const int col = pick(random, 0, size.cols - 1);
      const auto sheet = explain(*trace, id, row, col);
      ASSERT_TRUE(sheet) << path(id);
      if (std::isinf(sheet->stored)) continue;
      EXPECT_NEAR(sheet->value, sheet->stored, 1e-4 * (1.0 + std::fabs(sheet->stored)))
          << path(id) << ' ' << row << ' ' << col << '\n'
          << to_text(*sheet);
    }
  }
}

/// A step that is named after a stage of the head ("raw", "scaled = raw / √2") must have the number of that
/// stage.
void expect_steps_are_stored(const Trace& trace, const Explanation& sheet) {
  for (const Explanation::Step& step : sheet.steps) {
    const auto kind = parse_stage_kind(step.label.substr(0, step.label.find(" = ")));
    if (!kind || !is_map(*kind)) continue;
    const auto stored =
        static_cast<double>(trace.number(with_kind(sheet.stage, *kind), sheet.row, sheet.col));
    if (std::isinf(stored)) {
      EXPECT_EQ(step.value, stored) << to_text(sheet);
    } else {
      EXPECT_NEAR(step.value, stored, 1e-4 * (1.0 + std::fabs(stored))) << to_text(sheet);
    }
  }
}

TEST(GivenNumbers, OfScoresAreNotDerivedFromQueriesAndKeys) {
  Engine engine;
  int n_given = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    RandomStream random(seed, "scores");
    Request request = random_pass(seed);
    const SharedTrace plain = computed(engine, request);
    ASSERT_TRUE(plain);
    for (const StageId& id : plain->stages()) {
      if (id.kind != StageKind::raw || pick(random, 0, 1) == 0) continue;
      OwnedMatrix matrix = copy_of(*plain, id);
      for (float& number : matrix.values) number = random.uniform(-1.5F, 1.5F);
      give(request, path(id), std::move(matrix));
    }
    const SharedTrace trace = computed(engine, request);
    ASSERT_TRUE(trace);
    for (const StageId& id : trace->stages()) {
      using enum StageKind;
      if (id.kind != scaled && id.kind != capped && id.kind != masked && id.kind != weights) continue;
      const Extent size = trace->extent(id);
      if (size.empty()) continue;
      const auto sheet = explain(*trace, id, pick(random, 0, size.rows - 1), pick(random, 0, size.cols - 1));
      ASSERT_TRUE(sheet) << path(id);
      expect_steps_are_stored(*trace, *sheet);
      if (trace->given(with_kind(id, raw)) == nullptr) continue;
      ++n_given;
      for (const Explanation::Strip& strip : sheet->strips) EXPECT_FALSE(strip.is_product) << to_text(*sheet);
      for (const Explanation::Source& source : sheet->sources)
        EXPECT_TRUE(is_map(source.stage.kind) || source.stage.kind == sink) << path(source.stage);
      if (id.kind == weights) {
        EXPECT_EQ(sheet->steps.front().label, "raw");
        EXPECT_EQ(sheet->steps.front().note, "given by hand, not computed");
      }
    }
  }
  EXPECT_GT(n_given, 60);
}

TEST(GivenNumbers, AreTheSameWhateverAPassKeeps) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    RandomStream random(seed, "kept");
    Request request = random_pass(seed);
    request.tokenizer = TokenizerKind::word;
    request.sentence = words(150);
    const SharedTrace plain = computed(engine, request);
    ASSERT_TRUE(plain);
    give_random_numbers(random, *plain, request);
    const SharedTrace whole = computed(engine, request);
    Request frugal = request;
    frugal.max_bytes = 1;
    while (max_tokens(frugal) < 150) frugal.max_bytes += frugal.max_bytes / 16 + 1;
    const SharedTrace little = computed(engine, frugal);
    ASSERT_TRUE(whole && little);
    EXPECT_NE(little->kept().shape.kept, Retention::everything);
    for (const StageId& id : whole->stages())
      EXPECT_TRUE(same_bits(numbers_of(*whole, id), numbers_of(*little, id))) << path(id);
  }
}

TEST(GivenNumbers, LeaveEverythingBeforeThemAsItWas) {
  Engine engine;
  Request request = random_transformer(3, Stacks::encoder);
  request.architecture.positions = Positions::none;
  const SharedTrace plain = computed(engine, request);
  ASSERT_TRUE(plain);
  const StageId input{.kind = StageKind::input};
  OwnedMatrix matrix = copy_of(*plain, input);
  for (float& number : matrix.values) number += 1.0F;
  give(request, path(input), matrix);
  const SharedTrace given = computed(engine, request);
  ASSERT_TRUE(given);
  const StageId embedding{.kind = StageKind::embedding};
  EXPECT_TRUE(same_bits(numbers_of(*plain, embedding), numbers_of(*given, embedding)));
  EXPECT_TRUE(same_bits(numbers_of(*given, input), matrix.values));
  EXPECT_FALSE(same_bits(numbers_of(*plain, {.kind = StageKind::query}),
                         numbers_of(*given, {.kind = StageKind::query})));
}

TEST(GivenNumbers, LeaveUnusedWhatOnlyTheyWouldBeComputedFrom) {
  Engine engine;
  Request request = request_for("one two three", 4, 2);
  SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  const StageId of_head_1{.kind = StageKind::query, .head = 1};
  give(request, path(of_head_1), copy_of(*trace, of_head_1));
  trace = computed(engine, request);
  EXPECT_FALSE(trace->uses({.kind = StageKind::w_query, .head = 1}));
  EXPECT_FALSE(trace->uses({.kind = StageKind::b_query, .head = 1}));
  EXPECT_TRUE(trace->uses({.kind = StageKind::w_query, .head = 0}));
  EXPECT_TRUE(trace->uses({.kind = StageKind::embedding})) << "keys and values come from it";
  EXPECT_NE(formula(*trace, {.kind = StageKind::w_query, .head = 1}).find("not used"), std::string::npos);

  for (const int head : {0, 1}) {
    for (const StageKind kind : {StageKind::query, StageKind::key, StageKind::value}) {
      const StageId id{.kind = kind, .head = head};
      give(request, path(id), copy_of(*trace, id));
    }
  }
  trace = computed(engine, request);
  for (const StageId& id : trace->stages()) {
    EXPECT_FALSE(id.kind == StageKind::embedding || id.kind == StageKind::input ||
                 id.kind == StageKind::w_key)
        << path(id);
  }
  EXPECT_TRUE(trace->uses({.kind = StageKind::w_output}));
}

TEST(GivenNumbers, ChangeNothingWhereTheyAreNotUsed) {
  Engine engine;
  int n_unused = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Request request = random_pass(seed);
    RandomStream random(seed, "given, unused");
    const SharedTrace plain = computed(engine, request);
    ASSERT_TRUE(plain);
    give_random_numbers(random, *plain, request);
    const SharedTrace given = computed(engine, request);
    ASSERT_TRUE(given);
    Request other = request;
    for (const StageId& id : given->graph().stages()) {
      if (given->uses(id) || !why_not_given(given->graph(), id).empty()) continue;
      OwnedMatrix matrix = copy_of(*given, id);
      for (float& number : matrix.values) number += 0.5F;
      give(other, path(id), std::move(matrix));
      ++n_unused;
    }
    const SharedTrace changed = computed(engine, other);
    ASSERT_TRUE(changed);
    for (const StageId& id : given->stages())
      EXPECT_TRUE(same_bits(numbers_of(*given, id), numbers_of(*changed, id))) << path(id);
  }
  EXPECT_GT(n_unused, 100);
}

TEST(GivenNumbers, MakeTheOneHeadThatIsComputedByHand) {
  Request request = request_for("one two", 2, 1);
  request.architecture.output_projection = false;
  request.architecture.bias = {false, false, false, false};
  const std::string head = "encoder.layers.0.self.heads.0.";
  const auto matrix = [](std::vector<float> values) {
    OwnedMatrix result(2, 2);
    result.values = std::move(values);
    return result;
  };
  give(request, "encoder.input", matrix({1.0F, 0.0F, 0.0F, 2.0F}));
  give(request, head + "W_Q", matrix({1.0F, 2.0F, 3.0F, 4.0F}));
  give(request, head + "W_K", matrix({1.0F, 0.0F, 0.0F, 1.0F}));
  give(request, head + "W_V", matrix({0.0F, 1.0F, 1.0F, 0.0F}));
  Engine engine;
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  EXPECT_FALSE(trace->is_untrained()) << "nothing in it is drawn";
  EXPECT_EQ(numbers(stage(*trace, StageKind::query)), (std::vector{1.0F, 2.0F, 6.0F, 8.0F}));
  EXPECT_EQ(numbers(stage(*trace, StageKind::raw)), (std::vector{1.0F, 4.0F, 6.0F, 16.0F}));
  const double first = 1.0 / (1.0 + std::exp(3.0 / std::sqrt(2.0)));
  EXPECT_NEAR(stage(*trace, StageKind::weights)(0, 0), first, 1e-6);
  EXPECT_NEAR(stage(*trace, StageKind::output)(0, 1), first, 1e-6);
}

TEST(GivenNumbers, ThatDoNotFitAreExplained) {
  Engine engine;
  Request request = request_for("one two three", 64, 4);
  const auto message = [&](const std::string& path, int rows, int cols) {
    request.given = {};
    give(request, path, OwnedMatrix(rows, cols));
    const auto trace = engine.compute(request);
    EXPECT_FALSE(trace);
    return trace ? "" : trace.error().message;
  };
  EXPECT_EQ(
      message("encoder.layers.0.self.heads.0.W_Q", 2, 2),
      "encoder.layers.0.self.heads.0.W_Q needs 64 rows of 16 numbers, but 2 rows of 2 numbers are given: give as many as it needs, or set d_model to 2 and set d_head to 2");
  EXPECT_EQ(
      message("encoder.input", 2, 64),
      "encoder.input needs 3 rows of 64 numbers, but 2 rows of 64 numbers are given: give as many as it needs, or use a sentence of 2 tokens");
  EXPECT_EQ(
      message("encoder.layers.0.self.heads.4.W_Q", 64, 16),
      "numbers cannot be given for encoder.layers.0.self.heads.4.W_Q: the model has 4 heads, counted from 0");
  EXPECT_NE(message("encoder.layers.0.self.heads.0.weights", 3, 3).find("only parameters"),
            std::string::npos);
  EXPECT_NE(message("nonsense", 3, 3).find("no parameter and no stage has this path"), std::string::npos);
}

TEST(GivenNumbers, OfEveryParameterHaveThePathOfItsStage) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Request request = random_transformer(seed, static_cast<Stacks>(seed % 3));
    const ParameterLayout layout = layout_of(request.architecture, 9);
    const AxisSizes sizes{.architecture = request.architecture, .table_rows = 9, .n_words = 9};
    for (const NamedParameter& parameter : layout.named) {
      const auto id = parse_path(parameter.path);
      ASSERT_TRUE(id) << parameter.path;
      const bool is_tied = request.architecture.output_layer == OutputLayer::tied;
      EXPECT_EQ(why_not_given(Graph(request.architecture, {}, true), *id), "") << parameter.path << is_tied;
      EXPECT_EQ(size_to_give(sizes, *id), (Extent{parameter.rows, parameter.cols})) << parameter.path;
    }
  }
}

}  // namespace
}  // namespace headscope
