// Opens captured attention made of random numbers, and compares every stage with what the file holds or with
// a plain computation in double precision.
#include "core/checkpoint/capture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/checkpoint/captured_text.h"
#include "core/checkpoint/model_shelf.h"
#include "core/engine/engine.h"
#include "core/engine/opening.h"
#include "core/engine/row_parts.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/session/action.h"
#include "core/session/setting_change.h"
#include "core/system/atomic_file.h"
#include "core/trace/explain.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// A tensor of a capture that owns its numbers.
struct Numbers {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<float> values;

  double at(std::initializer_list<std::size_t> index) const {
    std::size_t place = 0;
    auto side = shape.begin();
    for (const std::size_t i : index) place = place * *side++ + i;
    return static_cast<double>(values[place]);
  }
};

class RandomNumbers {
 public:
  explicit RandomNumbers(unsigned seed) : random_(seed) {}

  std::size_t size(std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(random_);
  }
  bool chance() { return size(0, 1) == 1; }
  Numbers tensor(std::string name, std::vector<std::size_t> shape) {
    std::size_t n = 1;
    for (const std::size_t side : shape) n *= side;
    Numbers made{std::move(name), std::move(shape), std::vector<float>(n)};
    for (float& value : made.values) value = std::normal_distribution<float>()(random_);
    return made;
  }
  /// Rows that add up to 1.
  Numbers weights(std::vector<std::size_t> shape) {
    Numbers made = tensor("attentions", std::move(shape));
    const std::size_t width = made.shape.back();
    for (std::size_t first = 0; first < made.values.size(); first += width) {
      float sum = 0.0F;
      for (std::size_t i = 0; i < width; ++i)
        sum += made.values[first + i] = std::exp(made.values[first + i]);
      for (std::size_t i = 0; i < width; ++i) made.values[first + i] /= sum;
    }
    return made;
  }

 private:
  std::mt19937 random_;
};

std::string json_list(std::size_t n, const char* word) {
  std::string text = "[";
  for (std::size_t i = 0; i < n; ++i)
    text.append(i == 0 ? "\"" : ", \"")
        .append(i == 0 ? "" : " ")
        .append(word)
        .append(std::to_string(i))
        .append("\"");
  return text + "]";
}

void write(const fs::path& file, const std::vector<Numbers>& all, const TensorMetadata& metadata) {
  std::vector<TensorView> views;
  for (const Numbers& each : all) {
    const auto width = static_cast<int>(each.shape.back());
    views.push_back({each.name,
                     each.shape,
                     {each.values.data(), static_cast<int>(each.values.size()) / width, width, width}});
  }
  const auto written = write_safetensors(file, views, metadata);
  ASSERT_TRUE(written.has_value()) << written.error().message;
}

std::shared_ptr<const Trace> trace_of(const Session& session) {
  Engine engine;
  const auto trace = engine.compute(request_of(session));
  EXPECT_TRUE(trace.has_value()) << trace.error().message;
  return trace ? *trace : nullptr;
}

Session opened(const fs::path& file) {
  const auto model = open_capture(file, file.string());
  EXPECT_TRUE(model.has_value()) << model.error().message;
  return model ? reduce(default_session(), opening_action(*model)) : default_session();
}

std::string refusal(const fs::path& file) {
  const auto model = open_capture(file, file.string());
  EXPECT_FALSE(model.has_value());
  return model ? "" : model.error().message;
}

StageId stage(const Trace& trace, StageKind kind, int layer, int head) {
  const Architecture& a = trace.architecture();
  return {kind, a.last_stack(), layer, a.has_cross() ? AttentionKind::cross : AttentionKind::self, head};
}

double number(const Trace& trace, const StageId& id, std::size_t row, std::size_t col) {
  return static_cast<double>(trace.number(id, static_cast<int>(row), static_cast<int>(col)));
}

/// Whether every cell of a stage is explained by the number that is stored.
void expect_explained(const Trace& trace, const StageId& id) {
  const Extent size = trace.extent(id);
  for (int row = 0; row < size.rows; ++row) {
    for (int col = 0; col < size.cols; ++col) {
      const auto sheet = explain(trace, id, row, col);
      ASSERT_TRUE(sheet.has_value()) << sheet.error().message;
      EXPECT_NEAR(sheet->value, sheet->stored, 1e-5 * std::max(1.0, std::abs(sheet->stored))) << path(id);
    }
  }
}

TEST(Capture, WeightsAreThoseOfTheFileAndOutputsAverageItsValues) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    RandomNumbers random(seed);
    const std::size_t layers = random.size(1, 3);
    const std::size_t key_heads = random.size(1, 2);
    const std::size_t heads = key_heads * random.size(1, 3);
    const bool is_cross = random.chance();
    const std::size_t n = random.size(1, 9);
    const std::size_t s = is_cross ? random.size(1, 9) : n;
    const std::size_t v = random.size(1, 5);
    const Numbers weights = random.weights({layers, heads, n, s});
    Numbers values = random.tensor("values", {layers, key_heads, s, v});
    std::vector<Numbers> all{weights};
    const bool has_values = random.chance();
    if (has_values) all.push_back(values);
    TensorMetadata metadata{{"tokens", json_list(n, "query")}};
    if (is_cross) metadata["source_tokens"] = json_list(s, "key");
    const TemporaryFolder folder;
    write(folder / "c.safetensors", all, metadata);
    ASSERT_TRUE(is_capture(folder / "c.safetensors"));
    const auto trace = trace_of(opened(folder / "c.safetensors"));
    ASSERT_NE(trace, nullptr);
    for (std::size_t l = 0; l < layers; ++l) {
      for (std::size_t h = 0; h < heads; ++h) {
        const auto place = [&](StageKind kind) {
          return stage(*trace, kind, static_cast<int>(l), static_cast<int>(h));
        };
        EXPECT_FALSE(trace->has(place(StageKind::query)));
        EXPECT_FALSE(trace->has(place(StageKind::masked)));
        EXPECT_EQ(trace->has(place(StageKind::output)), has_values);
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < s; ++j)
            EXPECT_EQ(number(*trace, place(StageKind::weights), i, j), weights.at({l, h, i, j}));
          for (std::size_t d = 0; has_values && d < v; ++d) {
            double wanted = 0.0;
            for (std::size_t j = 0; j < s; ++j)
              wanted += weights.at({l, h, i, j}) * values.at({l, h / (heads / key_heads), j, d});
            EXPECT_NEAR(number(*trace, place(StageKind::output), i, d), wanted, 1e-5);
          }
        }
        expect_explained(*trace, place(StageKind::weights));
        if (has_values) expect_explained(*trace, place(StageKind::output));
      }
    }
  }
}

TEST(Capture, WeightsAreComputedFromQueriesAndKeysWithItsScaleAndMask) {
  for (unsigned seed = 100; seed < 140; ++seed) {
    RandomNumbers random(seed);
    const std::size_t layers = random.size(1, 3);
    const std::size_t key_heads = random.size(1, 2);
    const std::size_t heads = key_heads * random.size(1, 3);
    const std::size_t n = random.size(2, 9);
    const std::size_t k = random.size(1, 6);
    const std::size_t d_model = random.size(1, 7);
    const Numbers queries = random.tensor("queries", {layers, heads, n, k});
    const Numbers keys = random.tensor("keys", {layers, key_heads, n, k});
    const Numbers hidden = random.tensor("hidden_states", {layers + 1, n, d_model});
    const bool has_scale = random.chance();
    const Numbers scale{"scale", {1}, {0.37F}};
    const bool is_of_heads = random.chance();
    Numbers mask = random.tensor("mask", is_of_heads ? std::vector{heads, n, n} : std::vector{n, n});
    for (float& cell : mask.values) cell = cell < -0.5F ? -std::numeric_limits<float>::infinity() : cell;
    std::vector<Numbers> all{queries, keys, hidden};
    if (has_scale) all.push_back(scale);
    const bool has_mask = random.chance();
    if (has_mask) all.push_back(mask);
    const TemporaryFolder folder;
    write(folder / "c.safetensors", all, {{"tokens", json_list(n, "word")}});
    const auto trace = trace_of(opened(folder / "c.safetensors"));
    ASSERT_NE(trace, nullptr);
    const double factor = has_scale ? static_cast<double>(0.37F) : 1.0 / std::sqrt(static_cast<double>(k));
    for (std::size_t l = 0; l < layers; ++l) {
      for (std::size_t d = 0; d < d_model; ++d) {
        EXPECT_EQ(number(*trace, stage(*trace, StageKind::layer_input, static_cast<int>(l), 0), 0, d),
                  hidden.at({l, 0, d}));
        const bool is_last = l + 1 == layers;
        EXPECT_EQ(trace->has(stage(*trace, StageKind::layer_output, static_cast<int>(l), 0)), !is_last);
        const StageId left = is_last ? StageId{StageKind::stack_output, trace->architecture().last_stack()}
                                     : stage(*trace, StageKind::layer_output, static_cast<int>(l), 0);
        EXPECT_EQ(number(*trace, left, n - 1, d), hidden.at({l + 1, n - 1, d}));
      }
      for (std::size_t h = 0; h < heads; ++h) {
        const auto place = [&](StageKind kind) {
          return stage(*trace, kind, static_cast<int>(l), static_cast<int>(h));
        };
        EXPECT_FALSE(trace->has(place(StageKind::value)));
        for (std::size_t i = 0; i < n; ++i) {
          std::vector<double> row(n);
          double greatest = -std::numeric_limits<double>::infinity();
          for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t d = 0; d < k; ++d)
              row[j] += queries.at({l, h, i, d}) * keys.at({l, h / (heads / key_heads), j, d});
            EXPECT_NEAR(number(*trace, place(StageKind::raw), i, j), row[j], 1e-5);
            row[j] *= factor;
            if (has_mask) row[j] += is_of_heads ? mask.at({h, i, j}) : mask.at({i, j});
            greatest = std::max(greatest, row[j]);
          }
          double sum = 0.0;
          for (double& score : row) sum += score = std::isfinite(score) ? std::exp(score - greatest) : 0.0;
          for (std::size_t j = 0; j < n; ++j)
            EXPECT_NEAR(number(*trace, place(StageKind::weights), i, j), sum > 0.0 ? row[j] / sum : 0.0,
                        1e-5);
        }
        expect_explained(*trace, place(StageKind::weights));
        EXPECT_NE(score_parts(*trace, place(StageKind::raw), 0, 0).absent.find("read from a capture"),
                  std::string::npos);
      }
    }
  }
}

TEST(Capture, CausalWeightsAndMasksBelongToADecoder) {
  RandomNumbers random(7);
  const TemporaryFolder folder;
  Numbers weights = random.weights({1, 2, 3, 3});
  for (std::size_t h = 0; h < 2; ++h) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = i + 1; j < 3; ++j) weights.values[(h * 3 + i) * 3 + j] = 0.0F;
    }
  }
  write(folder / "c.safetensors", {weights}, {});
  EXPECT_EQ(opened(folder / "c.safetensors").architecture.stacks, Stacks::decoder);
  EXPECT_TRUE(opened(folder / "c.safetensors").attention.mask.causal);
  weights.values[2] = 0.001F;
  write(folder / "c.safetensors", {weights}, {});
  EXPECT_EQ(opened(folder / "c.safetensors").architecture.stacks, Stacks::encoder);
  EXPECT_FALSE(opened(folder / "c.safetensors").attention.mask.causal);
}

TEST(Capture, TheMaskOfCrossAttentionStays) {
  RandomNumbers random(12);
  const TemporaryFolder folder;
  Numbers mask = random.tensor("mask", {4, 4});
  for (std::size_t i = 0; i < mask.values.size(); ++i)
    mask.values[i] = i % 4 > i / 4 ? -std::numeric_limits<float>::infinity() : 0.0F;
  write(folder / "c.safetensors",
        {random.tensor("queries", {1, 1, 4, 2}), random.tensor("keys", {1, 1, 4, 2}), mask},
        {{"tokens", json_list(4, "q")}, {"source_tokens", json_list(4, "k")}});
  const auto trace = trace_of(opened(folder / "c.safetensors"));
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(trace->number(stage(*trace, StageKind::weights, 0, 0), 0, 3), 0.0F);
  EXPECT_EQ(trace->number(stage(*trace, StageKind::weights, 0, 0), 0, 0), 1.0F);
}

TEST(Capture, OptionsAndTextsThatWouldContradictItAreRefused) {
  RandomNumbers random(8);
  const TemporaryFolder folder;
  write(folder / "c.safetensors", {random.weights({2, 2, 4, 4})},
        {{"tokens", json_list(4, "w")}, {"name", "mine"}});
  const Session session = opened(folder / "c.safetensors");
  EXPECT_EQ(session.sentence, "w0 w1 w2 w3");
  EXPECT_EQ(session.model->title(), "mine");
  const auto computed = [](const Session& asked) {
    Engine engine;
    const auto trace = engine.compute(request_of(asked));
    return trace ? std::string() : trace.error().message;
  };
  EXPECT_EQ(computed(session), "");
  AttentionOptions warm = session.attention;
  warm.temperature = 2.0F;
  EXPECT_NE(computed(reduce(session, test::with(session, warm))).find("computed by another program"),
            std::string::npos);
  EXPECT_NE(computed(reduce(session, SetSentence{"other words"})).find("its own text"), std::string::npos);
  const Stack stack = session.architecture.last_stack();
  const auto replaced = [&](Interventions interventions) {
    return computed(reduce(session, set_interventions(std::move(interventions))));
  };
  const char* const kept = "cannot be replaced by other numbers";
  EXPECT_NE(replaced({{{{stack}, 1.0F, Pattern::uniform}}, {}, {}, {}}).find(kept), std::string::npos);
  EXPECT_NE(replaced({{}, {{{stack}, {0, 0}, 0.5F}}, {}, {}}).find(kept), std::string::npos);
  EXPECT_EQ(replaced({{{{stack}, 0.5F, Pattern::own}}, {}, {}, {}}), "");
  const std::array<SettingChange, 1> layers{{{"architecture.layers", 3.0}}};
  ASSERT_FALSE(with_changes(session, layers).has_value());
  EXPECT_NE(with_changes(session, layers).error().message.find("a capture fixes this"), std::string::npos);
  const std::array<SettingChange, 1> temperature{{{"attention.temperature", 2.0}}};
  EXPECT_FALSE(with_changes(session, temperature).has_value());
  // Other weights can be opened from here, and nothing of the capture is left.
  const Session untrained = reduce(session, OpenModel{nullptr, {}, {}});
  EXPECT_FALSE(untrained.architecture.foreign.captured.has_value());
  EXPECT_TRUE(validate(untrained.architecture));
  EXPECT_EQ(computed(reduce(untrained, SetSentence{"other words"})), "");
}

TEST(Capture, ArraysAndWeightsOfSingleLayersAndHeadsAreGathered) {
  RandomNumbers random(8);
  const TemporaryFolder folder;
  const Numbers all = random.weights({2, 3, 4, 4});
  const auto part = [&](std::string name, std::size_t first, std::vector<std::size_t> shape) {
    const std::size_t n = shape.size() > 2 ? 48 : 16;
    const auto begin = all.values.begin() + static_cast<std::ptrdiff_t>(first);
    return Numbers{std::move(name), std::move(shape), {begin, begin + static_cast<std::ptrdiff_t>(n)}};
  };
  std::vector<Numbers> heads;
  for (std::size_t l = 0; l < 2; ++l) {
    for (std::size_t h = 0; h < 3; ++h) {
      heads.push_back(
          part("encoder.layers." + std::to_string(l) + ".self.heads." + std::to_string(h) + ".weights",
               l * 48 + h * 16, {4, 4}));
    }
  }
  write(folder / "whole.safetensors", {all}, {});
  write(folder / "cache.safetensors",
        {part("blocks.0.attn.hook_pattern", 0, {3, 4, 4}), part("blocks.1.attn.hook_pattern", 48, {3, 4, 4})},
        {});
  write(folder / "trace.safetensors", heads, {{"session", "{}"}});
  const auto put_all = [&](const RowSink& put) { return put({all.values.data(), 24, 4, 4}); };
  ASSERT_TRUE(write_npy(folder / "array.npy", {2, 3, 4, 4}, put_all).has_value());
  const auto numbers = [&](const char* name) {
    EXPECT_TRUE(is_capture(folder / name)) << name;
    const auto trace = trace_of(opened(folder / name));
    std::vector<float> found;
    for (int l = 0; l < 2; ++l) {
      for (int h = 0; h < 3; ++h) {
        const MatrixView view = trace->value(stage(*trace, StageKind::weights, l, h));
        for (int row = 0; row < 4; ++row) {
          for (int col = 0; col < 4; ++col) found.push_back(view(row, col));
        }
      }
    }
    return found;
  };
  EXPECT_EQ(numbers("whole.safetensors"), all.values);
  EXPECT_EQ(numbers("cache.safetensors"), all.values);
  EXPECT_EQ(numbers("trace.safetensors"), all.values);
  EXPECT_EQ(numbers("array.npy"), all.values);
  ASSERT_TRUE(write_npy(folder / "batch.npy", {2, 1, 3, 4, 4}, put_all).has_value());
  EXPECT_EQ(numbers("batch.npy"), all.values);
  write(folder / "batch.safetensors",
        {part("blocks.0.attn.hook_pattern", 0, {1, 3, 4, 4}),
         part("blocks.1.attn.hook_pattern", 48, {1, 3, 4, 4})},
        {});
  EXPECT_EQ(numbers("batch.safetensors"), all.values);
  const auto put_layer = [&](const RowSink& put) { return put({all.values.data(), 12, 4, 4}); };
  ASSERT_TRUE(write_npy(folder / "layer.npy", {3, 4, 4}, put_layer).has_value());
  EXPECT_EQ(opened(folder / "layer.npy").architecture.n_layers, 1);
  ASSERT_TRUE(write_npy(folder / "two.npy", {1, 2, 3, 4, 4}, put_all).has_value());
  EXPECT_NE(refusal(folder / "two.npy").find("leave out the axis of the batch"), std::string::npos);
  const fs::path fixtures = fs::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/checkpoints";
  const auto written = read_safetensors(fixtures / "attentions.safetensors");
  ASSERT_TRUE(written.has_value());
  for (const char* name : {"list.pt", "stacked.pt", "cache.pt", "dictionary.pt"}) {
    fs::copy(fixtures / name, folder / name);
    EXPECT_EQ(numbers(name), written->tensors.at(0).values) << name;
  }
  EXPECT_FALSE(is_capture(fixtures / "zip.bin"));
  // A trace with two texts shows how one attends to the other.
  Numbers own = part("decoder.layers.0.self.heads.0.weights", 0, {4, 4});
  Numbers cross = random.weights({4, 6});
  cross.name = "decoder.layers.0.cross.heads.0.weights";
  write(folder / "two.safetensors", {own, cross},
        {{"tokens", json_list(4, "t")}, {"source_tokens", json_list(6, "s")}});
  EXPECT_TRUE(is_capture(folder / "two.safetensors"));
  const auto between = trace_of(opened(folder / "two.safetensors"));
  ASSERT_NE(between, nullptr);
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t col = 0; col < 6; ++col)
      EXPECT_EQ(number(*between, stage(*between, StageKind::weights, 0, 0), row, col), cross.at({row, col}));
  }
  write(folder / "unlike.safetensors",
        {part("blocks.0.attn.hook_pattern", 0, {3, 4, 4}), part("blocks.1.attn.hook_pattern", 0, {4, 4})},
        {});
  EXPECT_NE(refusal(folder / "unlike.safetensors").find("neither attentions"), std::string::npos);
}

TEST(Capture, WhatDoesNotFitIsNamed) {
  RandomNumbers random(9);
  const TemporaryFolder folder;
  const fs::path file = folder / "c.safetensors";
  const auto said = [&](const std::vector<Numbers>& all, const TensorMetadata& metadata = {}) {
    write(file, all, metadata);
    return refusal(file);
  };
  const auto has = [](const std::string& message, const char* words) {
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  has(said({random.weights({2, 2, 4, 4, 4})}), "leave out the axis of the batch");
  has(said({random.weights({4, 4})}), "attentions is [4, 4], but it must be [layers, heads, queries, keys]");
  has(said({random.tensor("queries", {1, 1, 4, 2})}), "it has queries but no keys");
  has(said({random.tensor("queries", {1, 2, 4, 2}), random.tensor("keys", {1, 2, 4, 3})}),
      "keys is [1, 2, 4, 3], but");
  has(said({random.tensor("queries", {1, 3, 4, 2}), random.tensor("keys", {1, 2, 4, 2})}),
      "cannot share 2 heads of keys");
  has(said({random.weights({1, 2, 3, 4})}), "need the metadata source_tokens");
  has(said({random.weights({1, 2, 4, 4})}, {{"tokens", json_list(3, "w")}}),
      "tokens has 3 texts, but there are 4 queries");
  has(said({random.weights({1, 2, 4, 4})}, {{"tokens", "not a list"}}), "must be a JSON array of texts");
  has(said({random.weights({1, 2, 4, 4}), random.tensor("hidden_states", {1, 4, 3})}), "must be [2, 4, 3]");
  has(said({random.weights({1, 2, 4, 4}), random.tensor("mask", {3, 4})}), "mask is [3, 4]");
  Numbers scale = random.tensor("scale", {1});
  scale.values[0] = 0.0F;
  has(said({random.tensor("queries", {1, 1, 4, 2}), random.tensor("keys", {1, 1, 4, 2}), scale}),
      "greater than 0");
  Numbers queries = random.tensor("queries", {1, 1, 4, 2});
  queries.values[5] = 1e20F;
  has(said({queries, random.tensor("keys", {1, 1, 4, 2})}),
      "queries[0, 0, 2] holds NaN, ±∞ or a number beyond");
  Numbers weights = random.weights({2, 2, 4, 4});
  weights.values[(3 * 4 + 2) * 4 + 1] = std::numeric_limits<float>::quiet_NaN();
  has(said({weights}), "attentions[1, 1, 2] is not a row of weights: it holds NaN");
  weights.values[(3 * 4 + 2) * 4 + 1] = -0.25F;
  has(said({weights}), "a number below 0");
  weights.values[(3 * 4 + 2) * 4 + 1] = 1.5F;
  has(said({weights}), "its sum is above 1");
  Numbers mask = random.tensor("mask", {4, 4});
  for (std::size_t i = 0; i < mask.values.size(); ++i) mask.values[i] = i % 3 == 0 ? 0.0F : 1.0F;
  has(said({random.tensor("queries", {1, 1, 4, 2}), random.tensor("keys", {1, 1, 4, 2}), mask}), ".bool()");
}

TEST(Capture, HostileFilesGetAMessage) {
  RandomNumbers random(10);
  const TemporaryFolder folder;
  write(folder / "whole.safetensors", {random.weights({2, 2, 5, 5}), random.tensor("values", {2, 2, 5, 3})},
        {{"tokens", json_list(5, "w")}});
  const std::string whole = content_of(folder / "whole.safetensors");
  std::mt19937 damage(11);
  for (int i = 0; i < 600; ++i) {
    std::string bytes = whole;
    const std::size_t at = damage() % bytes.size();
    if (i % 3 == 0) {
      bytes.resize(at);
    } else {
      bytes[at] = static_cast<char>(damage());
    }
    ASSERT_TRUE(write_atomically(folder / "damaged.safetensors", bytes).has_value());
    const auto model = open_capture(folder / "damaged.safetensors", "damaged");
    if (!model) {
      EXPECT_NE(model.error().message.find("damaged.safetensors"), std::string::npos)
          << model.error().message;
    }
  }
  for (const char* text :
       {"", "[]", "{}", "{\"tokens\": 3, \"attention\": []}", "{\"tokens\": [1], \"attention\": [[[1]]]}",
        "{\"tokens\": [\"a\"], \"attention\": [[[\"x\"]]]}",
        "{\"tokens\": [\"a\"], \"attention\": [[[1, 2], [3]]]}",
        "{\"tokens\": [\"a\", \"b\"], \"attention\": [[[1]]]}"}) {
    ASSERT_TRUE(write_atomically(folder / "c.json", text).has_value());
    EXPECT_NE(refusal(folder / "c.json").find("c.json"), std::string::npos) << text;
  }
}

CapturedText text_of(const std::vector<std::string>& tokens) {
  CapturedPieces pieces;
  return captured_text(tokens, pieces);
}

TEST(Capture, TokensAreReadAsPeopleReadThem) {
  const CapturedText bytes = text_of({"<|endoftext|>", "The", "Ġna", "Ã¯ve", "Ġcat", "Ċ"});
  EXPECT_EQ(bytes.text, "<|endoftext|>The naïve cat\n");
  const std::vector<Token> tokens = bytes.tokenizer->tokenize(bytes.text);
  ASSERT_EQ(tokens.size(), 6U);
  EXPECT_TRUE(tokens[0].is_special);
  EXPECT_FALSE(tokens[1].continues_word);
  EXPECT_EQ(tokens[2].text, " na");
  EXPECT_TRUE(tokens[3].continues_word);
  EXPECT_EQ(tokens[5].text, "⏎");
  EXPECT_EQ(text_of({"▁Hello", "▁wor", "ld"}).text, " Hello world");
  const CapturedText pieces = text_of({"[CLS]", "un", "##happy", "."});
  EXPECT_EQ(pieces.text, "[CLS] unhappy .");
  EXPECT_TRUE(pieces.tokenizer->tokenize(pieces.text)[2].continues_word);
  CapturedPieces distinct;
  const CapturedText odd = captured_text({"Ġa", "Ģ", "ģ", "Ģ"}, distinct);
  EXPECT_EQ(distinct.shown.size(), 3U) << "tokens that look the same are told apart";
  EXPECT_EQ(odd.tokenizer->tokenize(odd.text)[3].id, odd.tokenizer->tokenize(odd.text)[1].id);
  EXPECT_EQ(pieces.tokenizer->tokenize("another text").front().id, -1);
}

TEST(Capture, PublishedAttentionOfGpt2IsShownExactly) {
  const fs::path data =
      fs::path(HEADSCOPE_SOURCE_DIR) /
      "../shared/reference/checkpoints/attention/gpt2-small-circuitsvis/layer4.circuitsvis.json";
  if (!fs::exists(data)) GTEST_SKIP() << "there is no reference data at " << data;
  const Session session = opened(data);
  const auto trace = trace_of(session);
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(trace->n_tokens(), 25);
  EXPECT_EQ(trace->tokens()[2].text, " head");
  // Head 11 of layer 4 looks at the token before.
  const StageId previous = stage(*trace, StageKind::weights, 0, 11);
  for (int row = 2; row < 25; ++row) EXPECT_GT(trace->number(previous, row, row - 1), 0.9F) << row;
  const auto about = describe_capture(data);
  ASSERT_TRUE(about.has_value());
  EXPECT_EQ(*about, "Captured attention · 1 layer × 12 heads · 25 tokens");
  const std::array places{data};
  const auto shelf = models_in(places);
  ASSERT_EQ(shelf.size(), 1U);
  EXPECT_EQ(shelf.front().about, *about);
}

}  // namespace
}  // namespace headscope
