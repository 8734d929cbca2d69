// The names and layouts of TransformerLens: each tensor holds the stage that its name means, and the tensors
// add up as those of TransformerLens do.
#include "core/trace/lens_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/export.h"
#include "core/io/safetensors.h"
#include "tests/unit/engine/transformers.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

class LensNames : public testing::Test {
 protected:
  static constexpr std::uint64_t n_seeds = 80;

  SharedTrace random_trace(std::uint64_t seed) {
    Request request = random_transformer(seed, seed % 2 == 0 ? Stacks::encoder : Stacks::decoder);
    if (seed % 3 == 0) request.attention.mask.causal = true;
    return computed(engine_, request);
  }

  /// The cache of a pass as it is read from a file.
  std::map<std::string, Tensor> cache_of(const Trace& trace) const {
    const auto file = folder_ / "cache.safetensors";
    const auto written =
        write_trace(trace, file, "{}", TracedParameters::left_out, TensorNames::transformer_lens);
    EXPECT_TRUE(written) << written.error().message;
    auto read = read_safetensors(file);
    EXPECT_TRUE(read) << read.error().message;
    std::map<std::string, Tensor> tensors;
    for (Tensor& tensor : read->tensors) tensors[tensor.name] = std::move(tensor);
    return tensors;
  }

  Engine engine_{1};
  TemporaryFolder folder_;
};

/// The stages of the heads that do not share this stage with an earlier head.
std::vector<StageId> heads_of(const Trace& trace, const StageId& first) {
  std::vector<StageId> heads;
  for (int head = 0; head < trace.architecture().n_heads; ++head) {
    StageId id = first;
    id.head = head;
    if (canonical(trace.architecture(), id) == id) heads.push_back(id);
  }
  return heads;
}

TEST_F(LensNames, EachTensorHoldsItsStageInItsLayout) {
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    const SharedTrace trace = random_trace(seed);
    const auto cache = cache_of(*trace);
    const auto tensors = lens_tensors(*trace);
    ASSERT_EQ(cache.size(), tensors.size()) << "each name once";
    for (const LensTensor& each : tensors) {
      const Tensor& tensor = cache.at(each.name);
      const Extent size = trace->extent(each.stage);
      const auto rows = static_cast<std::size_t>(size.rows);
      const auto cols = static_cast<std::size_t>(size.cols);
      const bool has_heads = each.heads != LensHeads::none;
      const auto heads = has_heads ? heads_of(*trace, each.stage) : std::vector<StageId>{each.stage};
      const std::size_t n = heads.size();
      const bool is_between = each.heads == LensHeads::between;
      std::vector<std::size_t> shape{rows, cols};
      if (has_heads) shape = is_between ? std::vector{rows, n, cols} : std::vector{n, rows, cols};
      ASSERT_EQ(tensor.shape, shape) << each.name;
      for (std::size_t h = 0; h < n; ++h) {
        const StageNumbers numbers = trace->read(heads[h], {0, 0, size.rows, size.cols});
        for (std::size_t row = 0; row < rows; ++row) {
          const std::size_t first = (is_between ? row * n + h : h * rows + row) * cols;
          const auto stored = numbers.view.row(static_cast<int>(row));
          for (std::size_t col = 0; col < cols; ++col)
            ASSERT_EQ(tensor.values[first + col], stored[col]) << each.name << " head " << h;
        }
      }
    }
  }
}

/// The greatest difference between a tensor and the sum of others, as a share of the greatest number in it.
double difference(const Tensor& sum, const std::vector<const Tensor*>& parts) {
  double greatest = 1e-6;
  double most = 0.0;
  for (std::size_t i = 0; i < sum.values.size(); ++i) {
    double total = 0.0;
    for (const Tensor* part : parts) total += static_cast<double>(part->values[i]);
    greatest = std::max(greatest, std::abs(static_cast<double>(sum.values[i])));
    most = std::max(most, std::abs(static_cast<double>(sum.values[i]) - total));
  }
  return most / greatest;
}

TEST_F(LensNames, TheResidualStreamAddsUp) {
  constexpr double few_roundings = 1e-5;
  int n_sums = 0;
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    const SharedTrace trace = random_trace(seed);
    const Architecture& a = trace->architecture();
    if (!a.residual) continue;
    const auto cache = cache_of(*trace);
    for (int layer = 0; layer < a.n_layers; ++layer) {
      const auto of = [&](const std::string& name) {
        return &cache.at("blocks." + std::to_string(layer) + "." + name);
      };
      const Tensor* before = of("hook_resid_pre");
      const Tensor* attention = of("hook_attn_out");
      const Tensor* forward = of("hook_mlp_out");
      n_sums += 1;
      if (a.is_parallel()) {
        EXPECT_LT(difference(*of("hook_resid_post"), {before, attention, forward}), few_roundings) << seed;
        continue;
      }
      EXPECT_LT(difference(*of("hook_resid_mid"), {before, attention}), few_roundings) << seed;
      const bool has_normed = a.norm != Norm::post || a.norm_kind == NormKind::layer;
      EXPECT_EQ(cache.contains("blocks." + std::to_string(layer) + ".ln1.hook_normalized"),
                a.has_sublayer_norm() && a.norm_kind == NormKind::layer)
          << "an RMS norm is kept without its gain";
      if (!has_normed) continue;
      const Tensor* middle = of(a.norm == Norm::post ? "ln1.hook_normalized" : "hook_resid_mid");
      EXPECT_LT(difference(*of("hook_resid_post"), {middle, forward}), few_roundings) << seed;
      if (layer + 1 == a.n_layers) continue;
      const Tensor* after = of(a.norm == Norm::post ? "hook_normalized_resid_post" : "hook_resid_post");
      EXPECT_EQ(after->values, cache.at("blocks." + std::to_string(layer + 1) + ".hook_resid_pre").values);
    }
  }
  EXPECT_GT(n_sums, 60);
}

TEST_F(LensNames, EachNameMeansItsStage) {
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    const SharedTrace trace = random_trace(seed);
    for (const LensTensor& each : lens_tensors(*trace)) {
      const auto stage = parse_lens_name(trace->architecture(), each.name);
      ASSERT_TRUE(stage) << each.name;
      EXPECT_EQ(path(*stage), path(each.stage));
    }
    for (const char* other :
         {"", "blocks", "blocks..hook_resid_pre", "blocks.x.hook_resid_pre", "blocks.-1.hook_resid_pre",
          "blocks.0x.hook_resid_pre", "blocks.99999999999.hook_resid_pre", "blocks.0.attn.hook_nothing",
          "hook_embedx", "blocks.{}.hook_resid_pre", "hook_resid_pre"})
      EXPECT_FALSE(parse_lens_name(trace->architecture(), other)) << other;
  }
}

TEST_F(LensNames, AreOfModelsWithOneStack) {
  const SharedTrace trace = computed(engine_, random_transformer(1, Stacks::encoder_decoder));
  EXPECT_TRUE(lens_tensors(*trace).empty());
  EXPECT_FALSE(parse_lens_name(trace->architecture(), "hook_embed"));
  const auto written = write_trace(*trace, folder_ / "no.safetensors", "{}", TracedParameters::written,
                                   TensorNames::transformer_lens);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, Error::Kind::usage);
  EXPECT_NE(written.error().message.find("one stack"), std::string::npos);
}

}  // namespace
}  // namespace headscope
