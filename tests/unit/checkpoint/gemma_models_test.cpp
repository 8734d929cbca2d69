// What the layers of Gemma 3n and 4 have of their own, in all ways of computing and explaining them.
#include <gtest/gtest.h>

#include <cmath>

#include "core/checkpoint/foreign_model.h"
#include "core/checkpoint/model_folder.h"
#include "core/engine/decoding.h"
#include "core/engine/engine.h"
#include "core/engine/part_effects.h"
#include "core/engine/request.h"
#include "core/engine/row_parts.h"
#include "core/model/graph.h"
#include "core/model/interventions.h"
#include "core/session/action.h"
#include "core/trace/explain.h"
#include "tests/unit/model/gemma_stages.h"

namespace headscope {
namespace {

class GemmaModel : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto model =
        open_foreign_folder(HEADSCOPE_SOURCE_DIR "/tests/fixtures/foreign/" + std::string(GetParam()), "");
    ASSERT_TRUE(model.has_value()) << model.error().message;
    Session session = reduce(default_session(), OpenModel{*model, {}, {}});
    session.tokenizer = TokenizerKind::ids;
    session.sentence = "3,7,5,9,4,20,11";
    session.texts = {};
    request_ = request_of(session);
    trace_ = pass(request_);
    ASSERT_TRUE(trace_);
  }

  std::shared_ptr<const Trace> pass(const Request& request) {
    auto trace = engine_.compute(request, TooLong::refuse);
    EXPECT_TRUE(trace.has_value()) << trace.error().message;
    return trace ? *trace : nullptr;
  }

  Engine engine_{1};
  Request request_;
  std::shared_ptr<const Trace> trace_;
};

TEST_P(GemmaModel, ExplainsEveryStage) {
  for (const StageId& id : trace_->stages()) {
    const Extent size = trace_->extent(id);
    ASSERT_GT(size.rows * size.cols, 0) << path(id);
    for (const auto& [row, col] : {std::pair(0, 0), std::pair(size.rows - 1, size.cols - 1),
                                   std::pair(size.rows / 2, size.cols / 2)}) {
      const auto sheet = explain(*trace_, id, row, col);
      ASSERT_TRUE(sheet.has_value()) << path(id) << ": " << sheet.error().message;
      if (std::isinf(sheet->stored)) continue;
      EXPECT_NEAR(sheet->value, sheet->stored, 1e-4 * (1.0 + std::fabs(sheet->stored)))
          << path(id) << ' ' << row << ' ' << col << '\n'
          << to_text(*sheet);
    }
  }
}

TEST_P(GemmaModel, IsTheSameWhateverAPassKeeps) {
  Request frugal = request_;
  frugal.max_bytes = 1;
  while (max_tokens(frugal) < 7) frugal.max_bytes += frugal.max_bytes / 16 + 1;
  const auto little = pass(frugal);
  ASSERT_TRUE(little);
  EXPECT_EQ(little->kept().shape.kept, Retention::layer_inputs);
  for (const StageId& id : trace_->stages()) {
    const Extent size = trace_->extent(id);
    for (int row = 0; row < size.rows; ++row)
      for (int col = 0; col < size.cols; ++col)
        ASSERT_EQ(trace_->number(id, row, col), little->number(id, row, col)) << path(id);
  }
}

TEST_P(GemmaModel, DecodesWhatThePassComputes) {
  EXPECT_EQ(decoding_obstacle(*trace_).text, "");
  std::int64_t cached = 0;
  for (const DecodedToken& token : decoded_text(*trace_).finish()) {
    EXPECT_LT(token.difference, 1e-3);
    cached = token.cached_numbers;
  }
  const Architecture& a = trace_->architecture();
  std::int64_t expected = 0;
  for (int layer = 0; layer < a.n_layers; ++layer)
    expected += a.cached_width(AttentionKind::self, layer) * (a.has_sliding_window(layer) ? 3 : 7);
  EXPECT_EQ(cached, expected);
}

/// The partial passes that switch off a part are the passes that compute everything again.
TEST_P(GemmaModel, SwitchesOffPartsInPartialPasses) {
  const Prediction prediction{6, 3};
  const PartEffects effects = part_effects(*trace_, prediction).finish();
  for (const PartEffect& effect : effects.parts) {
    Request off = request_;
    if (effect.part.kind == ModelPart::Kind::layer) continue;
    if (effect.part.kind == ModelPart::Kind::head) {
      HeadChange change = change_of(off.interventions, effect.part.place);
      change.scale = 0.0F;
      off.interventions = with_change(off.interventions, change);
    } else {
      for (const StageId& stage : written_by(trace_->graph(), effect.part))
        off.interventions.patches.push_back({stage, every_row, PatchSource::zero});
    }
    const auto whole = pass(off);
    ASSERT_TRUE(whole);
    EXPECT_NEAR(effect.logit, whole->number({.kind = StageKind::logits}, prediction.row, prediction.word),
                1e-3);
  }
  // A change of the input reaches the embeddings of the layers and the other streams.
  Request scaled = request_;
  scaled.interventions.patches = {{{StageKind::input, Stack::decoder}, every_row, PatchSource::scaled, 2.0F}};
  const auto whole = pass(scaled);
  const PartEffects same = part_effects(*whole, prediction).finish();
  EXPECT_NEAR(same.logit, whole->number({.kind = StageKind::logits}, prediction.row, prediction.word), 1e-3);
}

/// Rows of every stage can be replaced, and a change of the last row reaches its prediction.
TEST_P(GemmaModel, ReplacesRowsOfEveryStage) {
  const StageId logits{.kind = StageKind::logits};
  const int last = trace_->extent(logits).rows - 1;
  for (const StageId& id : trace_->stages()) {
    if (!can_be_patched(id.kind) || trace_->graph().op(id) == Op::lookup) continue;
    Request zeroed = request_;
    zeroed.interventions.patches = {{id, every_row, PatchSource::zero}};
    const auto whole = pass(zeroed);
    ASSERT_TRUE(whole) << path(id);
    EXPECT_EQ(whole->number(id, last, 0), 0.0F) << path(id);
    bool changes = id == logits;
    for (int word = 0; word < trace_->extent(logits).cols; ++word)
      changes = changes || whole->number(logits, last, word) != trace_->number(logits, last, word);
    const bool is_end = id.kind == StageKind::probabilities;
    EXPECT_TRUE(changes || is_end) << path(id);
  }
}

/// The parts of a row of the streams add up to it.
TEST_P(GemmaModel, SplitsRowsIntoParts) {
  const Architecture& a = trace_->architecture();
  for (int layer = 0; layer < a.n_layers; ++layer) {
    for (const StageKind kind : {StageKind::rotated_query, StageKind::layer_output}) {
      const StageId id{kind, Stack::decoder, layer};
      std::vector<double> sum(static_cast<std::size_t>(trace_->extent(id).cols), 0.0);
      for (const RowPart& part : parts_of_row(*trace_, id, 4))
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part.numbers.at(i);
      for (std::size_t i = 0; i < sum.size(); ++i)
        EXPECT_NEAR(sum[i], trace_->number(id, 4, static_cast<int>(i)), 1e-3) << path(id);
    }
  }
}

/// Without its last layer, a model predicts what the logit lens says of the layer before, from all streams.
TEST_P(GemmaModel, PredictsWithoutItsLastLayerWhatTheLensSays) {
  const int n_layers = trace_->architecture().n_layers;
  const Prediction prediction{6, 3};
  const std::vector<LayerGuess> lens = logit_lens(*trace_, prediction);
  const PartEffects effects = part_effects(*trace_, prediction).finish();
  ASSERT_EQ(effects.parts.back().part.kind, ModelPart::Kind::layer);
  EXPECT_NEAR(effects.parts.back().probability, lens[static_cast<std::size_t>(n_layers) - 2].probability,
              1e-5);
  EXPECT_NEAR(lens.back().probability, trace_->number({.kind = StageKind::probabilities}, 6, 3), 1e-5);
}

/// A row that enters a layer has a part in each stream, and a patch takes all of them.
TEST_P(GemmaModel, TakesTheRowsOfAllStreams) {
  Request of_a = request_;
  of_a.sentence = "3,7,8,9,4,20,11";
  const auto a = pass(of_a);
  ASSERT_TRUE(a);
  constexpr LogitDifference asked{6, 3, 5};
  const PatchMap map = patch_map(*a, *trace_, asked).finish();
  ASSERT_TRUE(map.absent.empty()) << map.absent;
  ASSERT_FALSE(map.layer_rows.empty());
  for (const PatchedPart& row : map.layer_rows) {
    const int layer = row.part.place.layer;
    if (layer == 0 || *row.token != 2) continue;
    Request patched = request_;
    patched.donor = {of_a};
    for (const StageKind kind : {StageKind::layer_output, StageKind::streams_output}) {
      const StageId stage{kind, Stack::decoder, layer - 1};
      if (trace_->has(stage)) patched.interventions.patches.push_back({stage, 2, PatchSource::compared});
    }
    const auto whole = pass(patched);
    ASSERT_TRUE(whole);
    const StageId logits{.kind = StageKind::logits};
    EXPECT_NEAR(row.difference, whole->number(logits, 6, 3) - whole->number(logits, 6, 5), 1e-4) << layer;
  }
}

TEST(GemmaModels, HaveAllStagesThatOthersLack) {
  std::vector<bool> met(all_stage_kinds().size(), false);
  for (const char* name : {"gemma4_a4b", "gemma4_e2b", "gemma3n"}) {
    const auto model =
        open_foreign_folder(HEADSCOPE_SOURCE_DIR "/tests/fixtures/foreign/" + std::string(name), "");
    ASSERT_TRUE(model.has_value()) << model.error().message;
    constexpr bool has_table = true;
    const Graph graph((*model)->model.architecture, {}, has_table);
    for (const StageId& id : graph.stages()) met[static_cast<std::size_t>(id.kind)] = true;
  }
  for (const StageInfo& line : all_stage_kinds())
    EXPECT_TRUE(met[static_cast<std::size_t>(line.kind)] || !is_of_gemma(line)) << line.name;
}

INSTANTIATE_TEST_SUITE_P(Fixtures, GemmaModel,
                         testing::Values("gemma4_text", "gemma4", "gemma4_e2b", "gemma4_e4b", "gemma4_a4b",
                                         "gemma3n_text", "gemma3n"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace headscope
