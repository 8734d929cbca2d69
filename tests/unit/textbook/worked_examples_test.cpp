#include "core/textbook/worked_examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "core/session/placed.h"
#include "core/session/repair.h"
#include "core/textbook/computed_example.h"
#include "tests/unit/instrumented.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

TEST(WorkedExamples, AllFilesCanBeRead) {
  EXPECT_GE(example_files().size(), 34U);
  std::set<std::string_view> names;
  for (const EmbeddedFile& file : example_files()) {
    const auto example = read_example(file);
    EXPECT_TRUE(example) << (example ? "" : example.error().message);
    EXPECT_TRUE(names.insert(file.name).second) << file.name;
  }
  EXPECT_EQ(worked_examples().size(), example_files().size());
  EXPECT_EQ(worked_examples().front().name, "raschka-3.3-simple");
}

TEST(WorkedExamples, SayWhoseTheyAreAndWhatTheyShow) {
  for (const WorkedExample& example : worked_examples()) {
    EXPECT_FALSE(example.author.empty() || example.title.empty() || example.where.empty()) << example.name;
    EXPECT_TRUE(example.shows.ends_with(".")) << example.name;
    EXPECT_EQ(worked_example(example.name), &example);
    std::set<std::string> names;
    for (const Quantity& quantity : example.quantities)
      EXPECT_TRUE(names.insert(quantity.name).second) << example.name << " " << quantity.name;
  }
  EXPECT_EQ(worked_example("no such example"), nullptr);
}

/// Every session that is opened must need no repair, and each of its given numbers must have a place.
TEST(WorkedExamples, AreWholeSessions) {
  for (const WorkedExample& example : worked_examples()) {
    if (!example.opens()) continue;
    for (const ExampleCase& each : example.cases) {
      const auto given = check_given(each.session);
      EXPECT_TRUE(given) << example.name << ": " << (given ? "" : given.error().message);
      EXPECT_EQ(repaired(each.session, Session{}), each.session) << example.name;
      EXPECT_TRUE(validate(each.session.architecture)) << example.name;
    }
  }
}

TEST(WorkedExamples, AgreeToThePrintedDigitsOrSayWhyNot) {
  int printed = 0;
  int explained = 0;
  for (const WorkedExample& example : worked_examples()) {
    const ComputedExample computed = compute_example(example).finish();
    for (std::size_t i = 0; i < example.quantities.size(); ++i) {
      const Quantity& quantity = example.quantities[i];
      const std::string name = example.name + ", " + quantity.name;
      const ComputedQuantity& numbers = computed[i];
      const Verdict said = verdict(quantity, numbers);
      EXPECT_NE(said, Verdict::failed) << name << ": " << numbers.problem;
      EXPECT_NE(said, Verdict::disagrees) << name;
      EXPECT_FALSE(numbers.numbers.values.empty()) << name;
      // It would be wrong to give a reason for a difference that does not exist.
      EXPECT_EQ(said == Verdict::explained, !quantity.reason.empty()) << name;
      printed += quantity.printed ? 1 : 0;
      explained += said == Verdict::explained ? 1 : 0;
    }
  }
  EXPECT_GE(printed, 60);
  EXPECT_GE(explained, 5);
}

/// All numbers of a value of the reference data, in order.
void flatten(const Json& value, std::vector<double>& numbers) {
  if (value.is_array()) {
    for (const Json& each : value) flatten(each, numbers);
  } else {
    numbers.push_back(value.is_number() ? value.get<double>() : -std::numeric_limits<double>::infinity());
  }
}

void expect_equal(const std::vector<double>& found, const Json& wanted, double tolerance,
                  const std::string& name) {
  std::vector<double> numbers;
  flatten(wanted, numbers);
  ASSERT_EQ(found.size(), numbers.size()) << name;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == numbers[i]) continue;
    EXPECT_NEAR(found[i], numbers[i], tolerance * std::max(1.0, std::fabs(numbers[i]))) << name << " " << i;
  }
}

/// The printed numbers must be those of the reference data, and the computed numbers must agree with the
/// reference computation in double precision.
TEST(WorkedExamples, AreThoseOfTheReferenceData) {
  const std::filesystem::path file =
      std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "../shared/reference/textbooks.json";
  std::ifstream stream(file);
  if (!stream) GTEST_SKIP() << "no reference data here: " << file;
  for (const Json& book : Json::parse(stream)) {
    const auto id = book.at("id").get<std::string>();
    const WorkedExample* example = worked_example(id);
    ASSERT_NE(example, nullptr) << id;
    if (!example->impossible.empty()) continue;
    const ComputedExample computed = compute_example(*example).finish();
    for (const auto& [key, expected] : book.at("expected").items()) {
      const std::string name = id + ", " + key;
      if (std::ranges::find(example->left_out, key, &OmittedPart::name) != example->left_out.end()) continue;
      const auto found = std::ranges::find(example->quantities, key, &Quantity::name);
      ASSERT_NE(found, example->quantities.end()) << name;
      const Json printed = expected.value("printed", Json());
      EXPECT_EQ(found->printed.has_value(), !printed.is_null()) << name;
      if (found->printed && !printed.is_null()) expect_equal(found->printed->values, printed, 0.0, name);
      if (!found->reason.empty()) continue;
      const auto index = static_cast<std::size_t>(found - example->quantities.begin());
      // The example is computed in single precision, in the worst case with a temperature of 0.01.
      const double tolerance = key == "estimate_gaussian_sigma_0.1" ? 1e-4 : 1e-5;
      expect_equal(computed[index].numbers.values, expected.at("recomputed"), tolerance, name);
    }
  }
}

/// A small example whose only quantity is `quantity`.
Result<WorkedExample> example_with(const std::string& quantity, const std::string& session = "{}") {
  const std::string text =
      R"({"version": 1, "author": "a", "title": "t", "where": "w", "heading": "h", "shows": "s.", "session": )" +
      session + R"(, "quantities": [)" + quantity + "]}";
  return read_example({"mine", text});
}

std::string error_of(const std::string& quantity, const std::string& session = "{}") {
  const auto example = example_with(quantity, session);
  return example ? "" : example.error().message;
}

TEST(WorkedExamples, WhatIsWrongInAFileIsNamed) {
  const std::string head = R"("name": "q", "title": "Q")";
  const auto begins = [](const std::string& text, const std::string& with) {
    return text.starts_with("cannot read the worked example “mine”: " + with);
  };
  EXPECT_EQ(error_of("{" + head + R"(, "stage": "weights"})"), "");
  EXPECT_PRED2(begins, error_of("{" + head + R"(, "stage": "wieghts"})"), "there is no stage “wieghts”");
  EXPECT_PRED2(begins, error_of("{" + head + "}"), "quantities[0].stage is missing");
  EXPECT_PRED2(begins, error_of(R"({"name": 3})"), "quantities[0].name is 3, but must be a text");
  EXPECT_PRED2(begins, error_of("{" + head + R"(, "stage": "raw", "digits": 99})"),
               "quantities[0].digits is 99, but must be a whole number from 0 to 12");
  EXPECT_PRED2(begins, error_of("{" + head + R"(, "stage": "raw", "printed": [[1, 2], [3]]})"),
               "quantities[0].printed is a list, but must be rows of numbers");
  EXPECT_PRED2(begins, error_of("{" + head + R"(, "stage": "raw", "then": "halves"})"),
               "there is no reduction “halves”");
  EXPECT_PRED2(begins, error_of("{" + head + R"(, "stage": "raw", "case": "other"})"),
               "there is no case “other”");
  EXPECT_PRED2(begins, error_of("{" + head + R"(, "stage": "raw"})", R"({"sentence": 3})"),
               "cannot read the session");
  EXPECT_PRED2(begins, error_of(""), "quantities is empty");
  EXPECT_NE(read_example({"mine", "{"}).error().message.find("line 1"), std::string::npos);
  EXPECT_FALSE(read_example({"mine", "[]"}));
  EXPECT_FALSE(read_example({"mine", R"({"version": 2})"}));
}

TEST(WorkedExamples, WhatMeansNothingIsRefused) {
  const std::string stage = R"("name": "q", "title": "Q", "stage": "weights")";
  const auto begins = [](const std::string& text, const std::string& with) {
    return text.starts_with("cannot read the worked example “mine”: " + with);
  };
  EXPECT_PRED2(begins, error_of("{" + stage + R"(, "colour": 1})"),
               "quantities[0].colour is not allowed here");
  EXPECT_PRED2(begins, error_of("{" + stage + R"(, "visible": "masked"})"),
               "quantities[0].visible is not allowed here");
  EXPECT_PRED2(begins, error_of("{" + stage + "}", R"({"sizes": 5})"), "sizes is 5, but must be an object");
  EXPECT_PRED2(begins, error_of("{" + stage + "}", R"({"sizes": {"layer": 5}})"),
               "sizes.layer is not allowed");
  EXPECT_PRED2(begins, error_of("{" + stage + "}", R"({"model": "pronouns"})"),
               "the session's model is not allowed here");
  EXPECT_PRED2(begins, error_of("{" + stage + "}", R"({"architecture": {"depth": 3}})"),
               "the session's architecture.depth is not allowed here");
  const std::string head = R"({"name": "q", "title": "Q", )";
  EXPECT_PRED2(begins, error_of(head + R"("cache": 3})"), "quantities[0].cache is 3, but must be an object");
  EXPECT_PRED2(begins, error_of(head + R"("cache": []})"),
               "quantities[0].cache is empty, but must describe at least one cache");
  EXPECT_PRED2(begins, error_of(head + R"("cache": [{"layers": 1}, 3]})"),
               "quantities[0].cache[1] is 3, but must be an object");
  EXPECT_PRED2(begins, error_of(head + R"("cache": {"lairs": 1}})"),
               "quantities[0].cache.lairs is not allowed");
  EXPECT_PRED2(begins, error_of(head + R"("visible": "query"})"),
               "quantities[0].visible is “query”, but must be a map of queries and keys");
  EXPECT_EQ(read_example({"mine", "[]"}).error().message,
            "cannot read the worked example “mine”: the file is a list, but must be an object");
}

/// Computes the example with this single quantity.
ComputedQuantity computed_of(const std::string& quantity, const std::string& session = "{}") {
  const auto example = example_with(quantity, session);
  EXPECT_TRUE(example) << (example ? "" : example.error().message);
  return example ? compute_example(*example).finish().front() : ComputedQuantity{};
}

TEST(WorkedExamples, IndicesBeyondAMatrixAreRefused) {
  const std::string session = R"({"sentence": "a b c d e f"})";
  const std::string head = R"({"name": "q", "title": "Q", "stage": "weights", )";
  EXPECT_EQ(computed_of(head + R"("rows": [10, 2, 1]})", session).problem,
            "there is no row 10: there are 6, counted from 0");
  EXPECT_EQ(computed_of(head + R"("columns": [2000000]})", session).problem,
            "there is no column 2000000: there are 6, counted from 0");
  const ComputedQuantity picked = computed_of(head + R"("rows": [5, 2], "columns": [1]})", session);
  EXPECT_EQ(picked.rows, (std::vector<std::string>{"f", "c"}));
  EXPECT_EQ(picked.cols, std::vector<std::string>{"b"});
  EXPECT_EQ(picked.numbers.values.size(), 2U);
}

TEST(WorkedExamples, ReductionsOfTooFewNumbersAreRefused) {
  const std::string head =
      R"({"name": "q", "title": "Q", "stage": "weights", "rows": [0], "columns": [0], "then": )";
  EXPECT_NE(computed_of(head + R"("quotient"})").problem.find("needs two numbers"), std::string::npos);
  EXPECT_NE(computed_of(head + R"("saving"})").problem.find("needs two numbers"), std::string::npos);
  EXPECT_NE(computed_of(head + R"("variance"})").problem.find("needs at least two numbers"),
            std::string::npos);
  EXPECT_EQ(computed_of(head + R"("argmax"})").problem, "");
}

TEST(WorkedExamples, LargeNumbersAreComputedInDoublePrecision) {
  EXPECT_EQ(printed_text(1e30, 0), "1000000000000000019884624838656");
  EXPECT_EQ(printed_text(-1e18, 0), "−1000000000000000000");
  EXPECT_EQ(printed_text(999'999'999'999'999.0, 0), "999,999,999,999,999");
  const ComputedQuantity cache = computed_of(
      R"({"name": "q", "title": "Q", "digits": 0, "cache": {"layers": 2147483647, "tokens": 2147483647,
          "kv_heads": 2147483647, "key_width": 2147483647, "batch": 2147483647, "bytes_per_number": 8}})");
  const double most = 2147483647.0;
  EXPECT_EQ(cache.numbers.values.at(0), most * (most * (2.0 * most)) * (most * most) * 8.0);
}

/// An example that would take more than a second or two, or too much memory, must be refused before it is
/// computed.
TEST(WorkedExamples, WhatIsTooLargeIsRefusedBeforeItIsComputed) {
  const std::string weights = R"({"name": "q", "title": "Q", "stage": "weights"})";
  const std::string count = R"({"name": "q", "title": "Q", "count": {}})";
  std::string words;
  for (int i = 0; i < 20'000; ++i) words += "word ";
  EXPECT_NE(error_of(weights, R"({"sentence": ")" + words + "\"}").find("20,000 tokens"), std::string::npos);
  EXPECT_NE(error_of(count, R"({"sizes": {"layers": 1048576}})").find("sizes.layers is 1048576"),
            std::string::npos);
  EXPECT_NE(error_of(count, R"({"sizes": {"heads": 1048576}})").find("sizes.heads is 1048576"),
            std::string::npos);
  EXPECT_NE(error_of(count, R"({"sizes": {"layers": 1024, "heads": 1024}})").find("1,048,576 heads"),
            std::string::npos);
  EXPECT_NE(error_of(weights, R"({"architecture": {"d_model": 4096, "layers": 24, "heads": 8}})")
                .find("are allowed in a worked example"),
            std::string::npos);
  std::string many = weights;
  for (int i = 0; i < 300; ++i) many += "," + weights;
  EXPECT_NE(error_of(many).find("301 quantities"), std::string::npos);
  std::string indices = "0";
  for (int i = 0; i < 3000; ++i) indices += ",0";
  const ComputedQuantity large = computed_of(R"({"name": "q", "title": "Q", "stage": "weights", "rows": [)" +
                                             indices + R"(], "columns": [)" + indices + "]}");
  EXPECT_NE(large.problem.find("3,001 × 3,001 numbers"), std::string::npos) << large.problem;
}

/// Examples with random bytes of other examples inside must be read and computed, or refused.
TEST(WorkedExamples, NoFileEndsTheProgram) {
  std::mt19937 random(3);
  const auto any = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const auto files = example_files();
  for (int i = 0; i < rounds(300); ++i) {
    std::string text(files[any(files.size())].text);
    for (std::size_t changes = 1 + any(3); changes > 0; --changes) {
      const std::string_view other = files[any(files.size())].text;
      const std::size_t from = any(other.size());
      text.replace(any(text.size()), any(8), other.substr(from, 1 + any(12)));
    }
    const auto example = read_example({"mine", text});
    if (!example) {
      EXPECT_FALSE(example.error().message.empty());
      continue;
    }
    EXPECT_EQ(compute_example(*example).finish().size(), example->quantities.size());
  }
}

TEST(WorkedExamples, ADifferenceIsFoundWhereItIs) {
  const std::string session =
      R"({"sentence": "a b", "architecture": {"d_model": 2, "heads": 1},
          "given": {"encoder.layers.0.self.heads.0.raw": [[1, 2], [3, 4]]}})";
  const std::string head = R"({"name": "q", "title": "Q", "stage": "raw", "digits": 1, "printed": )";
  const auto computed = [&](const std::string& rest) {
    const auto example = example_with(head + rest + "}", session);
    EXPECT_TRUE(example) << (example ? "" : example.error().message);
    return std::pair(*example, compute_example(*example).finish().front());
  };
  const auto [right, agreeing] = computed("[[1, 2.05], [3, 4]]");
  EXPECT_EQ(verdict(right.quantities.front(), agreeing), Verdict::agrees);
  const auto [wrong, differing] = computed("[[1, 2], [3.2, 4]]");
  EXPECT_EQ(verdict(wrong.quantities.front(), differing), Verdict::disagrees);
  EXPECT_EQ(differing.differs, (std::vector<bool>{false, false, true, false}));
  const AgreementCounts count_text = agreement_counts(wrong, ComputedExample{differing});
  EXPECT_EQ(count_text.printed, 4);
  EXPECT_EQ(count_text.agreeing, 3);
  EXPECT_EQ(count_text.unexplained, 1);
  const auto [explained, known] = computed(R"([[1, 2], [3.2, 4]], "reason": "a misprint")");
  EXPECT_EQ(verdict(explained.quantities.front(), known), Verdict::explained);
  const auto [larger, unfit] = computed("[[1, 2, 3]]");
  EXPECT_EQ(verdict(larger.quantities.front(), unfit), Verdict::failed);
  EXPECT_EQ(unfit.problem, "the printed table is 1 × 3, but the computed one is 2 × 2");
}

TEST(WorkedExamples, NumbersReadAsTheyArePrinted) {
  EXPECT_EQ(printed_text(1.495, 4), "1.4950");
  EXPECT_EQ(printed_text(-0.07389, 4), "−0.0739");
  EXPECT_EQ(printed_text(-0.00001, 4), "0.0000");
  EXPECT_EQ(printed_text(163009536.0, 0), "163,009,536");
  EXPECT_EQ(printed_text(-std::numeric_limits<double>::infinity(), 2), "−∞");
  EXPECT_TRUE(agrees(0.1386, 0.13855, 4));
  EXPECT_FALSE(agrees(0.1386, 0.13854, 4));
  EXPECT_FALSE(agrees(163009536.0, 163009537.0, 0));
}

}  // namespace
}  // namespace headscope
