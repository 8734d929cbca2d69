#include "core/measures/measure.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>
#include <random>

#include "core/io/safetensors.h"
#include "core/measures/measured_heads.h"
#include "tests/unit/fixture_names.h"
#include "tests/unit/stored_npz.h"

namespace headscope {
namespace {

/// The attention weight that a query gives to a key.
using WeightAt = std::function<float(int query, int key)>;

MeasuredText text_of(std::vector<int> words) {
  MeasuredText text;
  text.words = std::move(words);
  text.is_punctuation.assign(text.words.size(), 0U);
  return text;
}

HeadMeasures measured(const MeasuredText& text, const WeightAt& pattern, bool causal = false) {
  MeasureSums sums;
  const auto n_keys = static_cast<int>(text.is_punctuation.size());
  for (int query = 0; query < text.n_queries(); ++query) {
    std::vector<float> weights;
    const int n_visible = causal ? query + 1 : n_keys;
    for (int key = 0; key < n_keys; ++key) weights.push_back(key < n_visible ? pattern(query, key) : 0.0F);
    add_row({text, query, weights, n_visible}, sums);
  }
  return means_of(sums);
}

double value(const HeadMeasures& values, HeadMeasure measure) {
  return value_of(values, measure).value_or(-1.0);
}

/// Draws a word from 0 to 4 for each position, so that words repeat.
std::vector<int> random_words(std::mt19937& random, int n) {
  std::vector<int> words(static_cast<std::size_t>(n));
  for (int& word : words) word = std::uniform_int_distribution<int>(0, 4)(random);
  return words;
}

TEST(Measure, OfAPerfectPatternIsOne) {
  std::mt19937 random(7);
  for (int n = 2; n < 40; ++n) {
    const MeasuredText text = text_of(random_words(random, n));
    const auto on = [&](auto key_of) {
      return measured(text, [=](int query, int key) { return key_of(query) == key ? 1.0F : 0.0F; });
    };
    EXPECT_EQ(value(on([](int q) { return std::max(q - 1, 0); }), HeadMeasure::previous), 1.0);
    EXPECT_EQ(value(on([=](int q) { return std::min(q + 1, n - 1); }), HeadMeasure::next), 1.0);
    EXPECT_EQ(value(on([](int) { return 0; }), HeadMeasure::first), 1.0);
    EXPECT_EQ(value(on([](int q) { return q; }), HeadMeasure::self), 1.0);
    const auto earlier = [&](int q) {
      for (int key = 0; key < q; ++key) {
        if (text.words[static_cast<std::size_t>(key)] == text.words[static_cast<std::size_t>(q)]) return key;
      }
      return -2;
    };
    if (!value_of(on(earlier), HeadMeasure::duplicate)) continue;
    EXPECT_EQ(value(on(earlier), HeadMeasure::duplicate), 1.0);
    EXPECT_EQ(value(on([&](int q) { return earlier(q) + 1; }), HeadMeasure::induction), 1.0);
  }
}

TEST(Measure, OfUniformWeightsIsTheShareOfItsKeys) {
  std::mt19937 random(8);
  for (int n = 2; n < 40; ++n) {
    MeasuredText text = text_of(random_words(random, n));
    text.is_punctuation.back() = 1U;
    text.nouns.assign(static_cast<std::size_t>(n), -1);
    text.nouns.back() = 0;
    const HeadMeasures all = measured(text, [=](int, int) { return 1.0F / static_cast<float>(n); });
    for (const HeadMeasure one : {HeadMeasure::previous, HeadMeasure::next, HeadMeasure::first,
                                  HeadMeasure::self, HeadMeasure::punctuation, HeadMeasure::noun}) {
      EXPECT_NEAR(value(all, one), 1.0 / n, 1e-6) << record_of(one).name << " of " << n;
    }
    EXPECT_NEAR(value(all, HeadMeasure::entropy), 1.0, 1e-6);
    EXPECT_NEAR(value(all, HeadMeasure::distance), (n * n - 1.0) / (3.0 * n), 1e-4);
    const HeadMeasures causal = measured(
        text, [](int query, int) { return 1.0F / static_cast<float>(query + 1); }, true);
    EXPECT_NEAR(value(causal, HeadMeasure::entropy), 1.0, 1e-6) << "ln of the visible keys, not of all";
    if (n < 3) continue;
    EXPECT_EQ(value(causal, HeadMeasure::next), 0.0) << "hidden cells count as 0";
  }
}

TEST(Measure, LeavesOutRowsWithoutAMeaning) {
  const MeasuredText text = text_of({1, 2, 1, 3});
  const HeadMeasures all = measured(text, [](int query, int key) {
    return query == 2 && key == 0 ? 0.75F : query == 2 && key == 1 ? 0.25F : 0.0F;
  });
  EXPECT_EQ(value(all, HeadMeasure::duplicate), 0.75) << "only row 2 has an earlier occurrence";
  EXPECT_EQ(value(all, HeadMeasure::induction), 0.25);
  EXPECT_FALSE(value_of(all, HeadMeasure::punctuation));
  EXPECT_FALSE(value_of(all, HeadMeasure::noun));
  const HeadMeasures different = measured(text_of({1, 2, 3}), [](int, int) { return 0.5F; });
  EXPECT_FALSE(value_of(different, HeadMeasure::duplicate));
  EXPECT_FALSE(value_of(different, HeadMeasure::induction));
  const HeadMeasures single = measured(text_of({1}), [](int, int) { return 1.0F; });
  for (const MeasureRecord& record : measure_table) {
    if (!record.detector.empty()) continue;  // TransformerLens's detectors count a single token
    EXPECT_FALSE(value_of(single, record.measure)) << "a single token has no choice: " << record.name;
    EXPECT_NE(record.meaning.find(record.measure == HeadMeasure::entropy ? "divided by their sum"
                                                                         : "see two keys or more"),
              std::string_view::npos)
        << record.name << " does not say which rows count";
  }
}

TEST(Measure, OfASinkIsOfTheKeysOnlyAndItsEntropyIsOfWeightsThatAddUpToOne) {
  const MeasuredText text = text_of({1, 2});
  MeasureSums sums;
  for (int query = 0; query < 2; ++query) {
    const std::vector<float> weights{0.25F, 0.25F};  // the sink has the other half
    add_row({text, query, weights, 2}, sums);
  }
  const HeadMeasures found = means_of(sums);
  EXPECT_NEAR(value(found, HeadMeasure::entropy), 1.0, 1e-6);
  EXPECT_NEAR(value(found, HeadMeasure::self), 0.25, 1e-6);
  EXPECT_NEAR(value(found, HeadMeasure::previous_mul), 0.25 / 1.0, 1e-6) << "of what the keys have in all";
}

/// The scores of transformer_lens.head_detector, worked out by hand for a map of the three words “x y x”.
TEST(Measure, DetectorScoresAreThoseOfTransformerLens) {
  MeasuredText text = text_of({1, 2, 1});
  const float map[3][3] = {{1.0F, 0.0F, 0.0F}, {0.75F, 0.25F, 0.0F}, {0.5F, 0.125F, 0.375F}};
  const auto at = [&](int query, int key) { return map[query][key]; };
  constexpr bool causal = true;
  const HeadMeasures all = measured(text, at, causal);
  EXPECT_NEAR(value(all, HeadMeasure::previous_mul), (0.75 + 0.125) / 3.0, 1e-9);
  EXPECT_NEAR(value(all, HeadMeasure::duplicate_mul), 0.5 / 3.0, 1e-9);
  EXPECT_NEAR(value(all, HeadMeasure::induction_mul), 0.125 / 3.0, 1e-9);
  EXPECT_NEAR(value(all, HeadMeasure::previous), (0.75 + 0.125) / 2.0, 1e-9) << "ours leaves out row 0";
  EXPECT_NEAR(value(all, HeadMeasure::previous_abs), 1.0 - (1.0 + 0.5 + (0.5 + 0.875 + 0.375)) / 3.0, 1e-9);
  EXPECT_NEAR(value(all, HeadMeasure::duplicate_abs), 1.0 - (1.0 + 1.0 + (0.5 + 0.125 + 0.375)) / 3.0, 1e-9);
  text.detector.exclude_bos = true;
  const HeadMeasures without_first = measured(text, at, causal);
  EXPECT_NEAR(value(without_first, HeadMeasure::previous_mul), 0.125 / 0.75, 1e-9);
  EXPECT_NEAR(value(without_first, HeadMeasure::previous_abs), 1.0 - (0.25 + 0.875 + 0.375) / 3.0, 1e-9);
  EXPECT_NEAR(value(without_first, HeadMeasure::previous), (0.75 + 0.125) / 2.0, 1e-9) << "ours as before";
  text.detector.exclude_current_token = true;
  const HeadMeasures neither = measured(text, at, causal);
  EXPECT_NEAR(value(neither, HeadMeasure::previous_mul), 1.0, 1e-9) << "only the cell [2, 1] is left";
  EXPECT_NEAR(value(neither, HeadMeasure::induction_abs), 1.0 - 0.875 / 3.0, 1e-9);
}

/// The reference has the scores of head_detector.py for two layers of a small random decoder.
TEST(Measure, DetectorScoresAreThoseOfTheReference) {
  const std::filesystem::path folder =
      std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "../shared/reference/interpretability/decoder";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << "the reference data of head detection is not beside this tree";
  constexpr std::array muls{HeadMeasure::previous_mul, HeadMeasure::duplicate_mul,
                            HeadMeasure::induction_mul};
  constexpr std::array abses{HeadMeasure::previous_abs, HeadMeasure::duplicate_abs,
                             HeadMeasure::induction_abs};
  int n_compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().front() != 's') continue;
    const auto arrays = stored_npz(entry.path());
    const NpyArray& attention = arrays.at("attention");
    const auto n = static_cast<std::size_t>(attention.shape[2]);
    const auto n_heads = static_cast<std::size_t>(attention.shape[0] * attention.shape[1]);
    std::vector<int> ids;
    for (const float id : arrays.at("ids").values) ids.push_back(static_cast<int>(id));
    MeasuredText text = text_of(ids);
    for (std::size_t head = 0; head < n_heads; ++head) {
      const float* map = attention.values.data() + head * n * n;
      for (std::size_t options = 0; options < 4; ++options) {
        text.detector = {options / 2 == 1, options % 2 == 1};
        const HeadMeasures found = measured(
            text,
            [&](int query, int key) {
              return map[static_cast<std::size_t>(query) * n + static_cast<std::size_t>(key)];
            },
            true);
        for (std::size_t pattern = 0; pattern < muls.size(); ++pattern) {
          const std::size_t at = (pattern * 4 + options) * n_heads + head;
          EXPECT_NEAR(value(found, muls.at(pattern)), arrays.at("score_mul").values[at], 2e-6)
              << entry.path();
          const double abs = value_of(found, abses.at(pattern)).value_or(9.0);
          EXPECT_NEAR(abs, arrays.at("score_abs_unrounded").values[at], 2e-6) << entry.path();
          EXPECT_NEAR(1.0 - std::round((1.0 - abs) * 1000.0) / 1000.0, arrays.at("score_abs").values[at],
                      1.001e-3);
          ++n_compared;
        }
      }
    }
  }
  EXPECT_GE(n_compared, 3 * 4 * 8);
}

TEST(Measure, OfCrossAttentionHasNoPlaces) {
  MeasuredText text = text_of({1, 2, 1});
  text.is_cross = true;
  text.is_punctuation = {0U, 1U};
  const HeadMeasures all = measured(text, [](int, int key) { return key == 0 ? 0.75F : 0.25F; });
  for (const MeasureRecord& record : measure_table)
    EXPECT_EQ(value_of(all, record.measure).has_value(), record.has_cross) << record.name;
  EXPECT_EQ(value(all, HeadMeasure::first), 0.75);
  EXPECT_EQ(value(all, HeadMeasure::punctuation), 0.25);
}

TEST(Measure, TheStrongestRoleStandsOut) {
  HeadMeasures values;
  EXPECT_FALSE(strongest_role(values));
  values[index_of(HeadMeasure::entropy)] = 0.95;
  values[index_of(HeadMeasure::distance)] = 7.0;
  values[index_of(HeadMeasure::next)] = role_threshold - 0.01;
  EXPECT_FALSE(strongest_role(values)) << "nothing stands out, and entropy is no role";
  values[index_of(HeadMeasure::self)] = 0.6;
  values[index_of(HeadMeasure::previous)] = 0.5;
  ASSERT_TRUE(strongest_role(values));
  EXPECT_EQ(strongest_role(values)->measure, HeadMeasure::self);
  values[index_of(HeadMeasure::previous)] = 0.6;
  EXPECT_EQ(strongest_role(values)->measure, HeadMeasure::previous) << "of equals the first in the table";
}

class MeasureFixture : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto read = read_safetensors(std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/measures" /
                                 (GetParam() + ".safetensors"));
    ASSERT_TRUE(read) << read.error().message;
    file_ = std::move(*read);
  }
  const Tensor& tensor(std::string_view name) const {
    const Tensor* found = file_.find(name);
    if (found == nullptr) throw std::runtime_error("no tensor " + std::string(name));
    return *found;
  }
  int size(std::size_t axis) const { return static_cast<int>(tensor("weights").shape[axis]); }
  MatrixView map(std::string_view name, int index) const {
    const int n = size(2);
    return {tensor(name).values.data() + static_cast<std::ptrdiff_t>(index) * n * n, n, n, n};
  }
  MeasuredText text() const {
    const std::vector<float>& words = tensor("words").values;
    return text_of({words.begin(), words.end()});
  }
  bool is_causal() const { return file_.metadata.at("causal") == "1"; }

 private:
  Safetensors file_;
};

TEST_P(MeasureFixture, MeasuresAreThoseOfNumPy) {
  for (int head = 0; head < size(0) * size(1); ++head) {
    const MatrixView weights = map("weights", head);
    const HeadMeasures found = measured(
        text(), [&](int query, int key) { return weights(query, key); }, is_causal());
    for (const MeasureRecord& record : measure_table) {
      if (record.measure == HeadMeasure::punctuation || record.measure == HeadMeasure::noun) continue;
      if (!record.detector.empty()) continue;
      const float expected = tensor(record.name).values[static_cast<std::size_t>(head)];
      const auto mine = value_of(found, record.measure);
      ASSERT_EQ(mine.has_value(), !std::isnan(expected)) << record.name;
      if (mine) {
        EXPECT_NEAR(*mine, expected, 1e-6) << record.name << " of head " << head;
      }
    }
  }
}

TEST_P(MeasureFixture, PatternsAreThoseOfTransformerLens) {
  const std::pair<HeadMeasure, const char*> patterns[] = {{HeadMeasure::previous, "previous_pattern"},
                                                          {HeadMeasure::duplicate, "duplicate_pattern"},
                                                          {HeadMeasure::induction, "induction_pattern"}};
  const MeasuredText words = text();
  const int n = size(2);
  for (const auto& [measure, name] : patterns) {
    for (int query = 0; query < n; ++query) {
      for (int key = 0; key < n; ++key) {
        std::vector<float> weights(static_cast<std::size_t>(n), 0.0F);
        weights[static_cast<std::size_t>(key)] = 1.0F;
        const auto found = measure_row(measure, {words, query, weights, n});
        EXPECT_EQ(found.value_or(0.0), map(name, 0)(query, key)) << name << " " << query << ", " << key;
      }
    }
  }
}

TEST_P(MeasureFixture, RolloutIsThatOfNumPy) {
  std::vector<std::vector<MatrixView>> layers;
  for (int layer = 0; layer < size(0); ++layer) {
    layers.emplace_back();
    for (int head = 0; head < size(1); ++head)
      layers.back().push_back(map("weights", layer * size(1) + head));
    const OwnedMatrix found = rollout(layers);
    const MatrixView expected = map("rollout", layer);
    for (int row = 0; row < found.rows; ++row) {
      double sum = 0.0;
      for (int col = 0; col < found.cols; ++col) {
        EXPECT_NEAR(found.at(row, col), expected(row, col), 1e-6);
        if (is_causal() && col > row) {
          EXPECT_EQ(found.at(row, col), 0.0F) << "causal stays causal";
        }
        sum += static_cast<double>(found.at(row, col));
      }
      EXPECT_NEAR(sum, 1.0, 1e-5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(NumPy, MeasureFixture,
                         ::testing::ValuesIn(fixture_names(std::filesystem::path(HEADSCOPE_SOURCE_DIR) /
                                                           "tests/fixtures/measures")),
                         [](const auto& info) { return info.param; });

TEST(Measures, ThoseOfTransformerLensAreSumsOverRowsThatCountAlike) {
  for (const MeasureRecord& each : measure_table)
    EXPECT_EQ(!each.detector.empty(), each.name.ends_with("-mul") || each.name.ends_with("-abs"))
        << each.name;
}

}  // namespace
}  // namespace headscope
