// Checkpoints of other programs against what an independent forward pass in double precision computed from
// them (shared/reference/README.md): queries, keys, values, scores, probabilities, hidden states, logits.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/checkpoint/foreign_folder.h"
#include "core/engine/engine.h"
#include "core/io/npy.h"
#include "core/session/action.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

const fs::path reference = fs::path(HEADSCOPE_SOURCE_DIR) / "../shared/reference";

struct ForeignCase {
  std::string name;
  fs::path folder;    ///< of the model
  fs::path expected;  ///< with a folder for each text
};

std::vector<ForeignCase> cases() {
  std::vector<ForeignCase> found;
  for (const fs::path& root : {reference / "checkpoints", reference}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root / "models", error)) {
      const std::string name = entry.path().filename().string();
      if (!fs::exists(entry.path() / "config.json") || name == "rand-vit") continue;
      const bool is_sharded = name == "rand-qwen2-sharded";
      found.push_back({name, entry.path(), root / "expected" / (is_sharded ? "rand-qwen2" : name)});
    }
  }
  return found;
}

std::string ids_text(const NpyArray& ids) {
  std::string text;
  for (const float id : ids.values) text += std::to_string(static_cast<int>(id)) + " ";
  return text;
}

class ForeignModel : public testing::TestWithParam<ForeignCase> {
 protected:
  static std::optional<NpyArray> array(const fs::path& folder, const std::string& name) {
    if (!fs::exists(folder / (name + ".npy"))) return std::nullopt;
    auto read = read_npy(folder / (name + ".npy"));
    if (!read) ADD_FAILURE() << read.error().message;
    return read ? std::optional(*read) : std::nullopt;
  }

  std::shared_ptr<const Trace> pass_of(const std::shared_ptr<const TrainedModel>& model,
                                       const fs::path& texts) {
    Session session = reduce(default_session(), OpenModel{model, {}, {}});
    session.tokenizer = TokenizerKind::ids;
    session.sentence = ids_text(*array(texts, "input_ids"));
    if (const auto target = array(texts, "decoder_input_ids")) session.target = ids_text(*target);
    session.texts = {};
    auto trace = engine_.compute(request_of(session), TooLong::refuse);
    EXPECT_TRUE(trace.has_value()) << trace.error().message;
    return trace ? *trace : nullptr;
  }

  /// The largest difference of a stage from its part of an array.
  static void compare(const Trace& trace, const StageId& id, const float* expected, std::size_t size,
                      double tolerance, const std::string& what) {
    const MatrixView values = trace.value(id);
    ASSERT_EQ(static_cast<std::size_t>(values.rows) * static_cast<std::size_t>(values.cols), size)
        << path(id) << what;
    double largest = 0.0;
    for (int r = 0; r < values.rows; ++r) {
      for (int c = 0; c < values.cols; ++c) {
        const double difference = std::abs(double{values(r, c)} - double{expected[r * values.cols + c]});
        if (std::isfinite(expected[r * values.cols + c])) largest = std::max(largest, difference);
        ASSERT_EQ(std::isnan(values(r, c)), false) << path(id);
      }
    }
    EXPECT_LT(largest, tolerance) << path(id) << " of " << what;
  }

  /// All heads of an array [L, H, T, ·] against stages.
  void compare_heads(const Trace& trace, const fs::path& texts, const std::string& name, StageKind kind,
                     Stack stack, AttentionKind attention, double tolerance) {
    const auto expected = array(texts, name);
    if (!expected) return;
    ASSERT_EQ(expected->shape.size(), 4U);
    const auto size =
        static_cast<std::size_t>(expected->shape[2]) * static_cast<std::size_t>(expected->shape[3]);
    const Architecture& a = trace.architecture();
    const int step = info(kind).of_group ? a.group_size() : 1;
    for (int l = 0; l < expected->shape[0]; ++l) {
      for (int h = 0; h < expected->shape[1]; ++h) {
        const std::size_t at = static_cast<std::size_t>(l * expected->shape[1] + h) * size;
        StageId id{kind, stack, l, attention, h * step};
        if (kind == StageKind::rotated_query || kind == StageKind::rotated_key) {
          const bool is_query = kind == StageKind::rotated_query;
          if (!trace.has(id)) id.kind = is_query ? StageKind::normed_query : StageKind::normed_key;
          if (!trace.has(id)) id.kind = is_query ? StageKind::query : StageKind::key;
        }
        compare(trace, id, expected->values.data() + at, size, tolerance, name + " in " + texts.string());
      }
    }
  }

  void compare_stack(const Trace& trace, const fs::path& texts, const std::string& prefix, Stack stack,
                     AttentionKind attention) {
    using enum StageKind;
    constexpr double tolerance = 1e-4;
    compare_heads(trace, texts, prefix + "q", rotated_query, stack, attention, tolerance);
    compare_heads(trace, texts, prefix + "k", rotated_key, stack, attention, tolerance);
    compare_heads(trace, texts, prefix + "v", value, stack, attention, tolerance);
    compare_heads(trace, texts, prefix + "scores", scaled, stack, attention, tolerance);
    compare_heads(trace, texts, prefix + "probs", weights, stack, attention, tolerance);
    compare_heads(trace, texts, prefix + "ctx", output, stack, attention, tolerance);
    const auto states = array(texts, prefix + "hidden");
    if (!states) return;
    const auto size = static_cast<std::size_t>(states->shape[1]) * static_cast<std::size_t>(states->shape[2]);
    for (int l = 0; l < states->shape[0]; ++l) {
      const StageId id = l == 0 ? StageId{input, stack} : StageId{layer_output, stack, l - 1};
      compare(trace, id, states->values.data() + static_cast<std::size_t>(l) * size, size, tolerance,
              texts.string());
    }
  }

  Engine engine_{2};
};

TEST_P(ForeignModel, IsWhatAnotherForwardPassComputes) {
  const auto model = open_foreign_folder(GetParam().folder, GetParam().folder.string());
  ASSERT_TRUE(model.has_value()) << model.error().message;
  int n_texts = 0;
  for (const auto& texts : fs::directory_iterator(GetParam().expected)) {
    const auto trace = pass_of(*model, texts.path());
    ASSERT_NE(trace, nullptr);
    const Architecture& a = trace->architecture();
    compare_stack(*trace, texts, "", a.last_stack(), AttentionKind::self);
    compare_stack(*trace, texts, "enc_", Stack::encoder, AttentionKind::self);
    compare_stack(*trace, texts, "dec_", Stack::decoder, AttentionKind::self);
    compare_stack(*trace, texts, "cross_", Stack::decoder, AttentionKind::cross);
    const auto logits = array(texts, "logits");
    if (logits && a.output_layer != OutputLayer::none)
      compare(*trace, {.kind = StageKind::logits}, logits->values.data(), logits->values.size(), 1e-4,
              texts.path().string());
    ++n_texts;
  }
  EXPECT_GT(n_texts, 0);
}

INSTANTIATE_TEST_SUITE_P(Reference, ForeignModel, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<ForeignCase>& info) {
                           std::string name = info.param.name;
                           std::ranges::replace_if(
                               name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
                               '_');
                           return name;
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ForeignModel);

TEST(ForeignModels, AreHeldAgainstReferenceData) {
  if (!fs::exists(reference)) GTEST_SKIP() << "no reference data at " << reference;
  EXPECT_GE(cases().size(), 18U);
}

}  // namespace
}  // namespace headscope
