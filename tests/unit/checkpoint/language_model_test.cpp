#include "core/checkpoint/language_model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/checkpoint/model_folder.h"
#include "core/tensor/random.h"
#include "core/tokenizers/sentencepiece_model.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

LanguageModel small_model(OutputLayer output) {
  LanguageModel model;
  Architecture sizes;
  sizes.n_layers = 2;
  sizes.d_model = 12;
  sizes.n_heads = 2;
  sizes.n_kv_heads = 1;
  sizes.d_head = 8;
  sizes.d_ff = 20;
  sizes.output_layer = output;
  sizes.foreign.context = 32;
  model.architecture = llama_architecture(sizes);
  model.pieces = *train_pieces({"the hen and the goose and the hen"}, PieceKind::byte_pairs, 600).finish();
  const ParameterLayout layout = layout_of(model.architecture, static_cast<int>(model.pieces.pieces.size()));
  RandomStream random(5);
  // Numbers that F16 holds exactly.
  for (std::size_t i = 0; i < layout.size; ++i)
    model.parameters.push_back(static_cast<float>(draw_below(random, 512)) / 1024.0F - 0.25F);
  model.steps = 7;
  model.trained_on = "Trained on hens.";
  return model;
}

/// The names, shapes and layouts that are written are those of the Llama family's table.
TEST(LanguageModel, OpensAsALlamaModelWithTheSameParameters) {
  for (const OutputLayer output : {OutputLayer::tied, OutputLayer::linear}) {
    const LanguageModel model = small_model(output);
    const TemporaryFolder folder;
    const auto saved = save_language_model(folder / "m", model, {}, {});
    ASSERT_TRUE(saved) << saved.error().message;
    const auto opened = load_model(folder / "m");
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ((*opened)->family, "Llama");
    EXPECT_TRUE((*opened)->unused.empty());
    ASSERT_NE((*opened)->tokenizer, nullptr);
    EXPECT_EQ((*opened)->vocabulary.end(), end_piece);
    Architecture expected = model.architecture;
    expected.init = (*opened)->model.architecture.init;
    EXPECT_EQ((*opened)->model.architecture, expected);
    const ParameterLayout layout =
        layout_of(model.architecture, static_cast<int>(model.pieces.pieces.size()));
    EXPECT_EQ(parameters_of((*opened)->model, layout), model.parameters);
  }
}

TEST(LanguageModel, TheStateLiesBesideAnUnfinishedModelAlone) {
  const LanguageModel model = small_model(OutputLayer::tied);
  const TemporaryFolder folder;
  const std::vector<float> numbers{1.0F, 1e-9F};
  const std::vector<TensorView> state{{"parameters", {2}, {numbers.data(), 1, 2, 2}}};
  ASSERT_TRUE(save_language_model(folder / "m", model, state, {{"run", "{}"}}));
  const auto read = read_safetensors(folder / "m" / training_state_name);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->tensors.front().values, numbers);
  ASSERT_TRUE(save_language_model(folder / "m", model, {}, {}));
  EXPECT_FALSE(std::filesystem::exists(folder / "m" / training_state_name));
}

TEST(LanguageModel, IsNotWrittenOverOtherFilesOrModelsOfAnotherKind) {
  const TemporaryFolder folder;
  using enum WrittenModel;
  const auto takes = [&](const char* name, WrittenModel kind) {
    return check_model_folder(folder / name, kind).has_value();
  };
  const auto configure = [&](const char* json) { std::ofstream(folder / "full" / "config.json") << json; };
  EXPECT_TRUE(takes("new", of_text));
  std::filesystem::create_directories(folder / "full");
  EXPECT_TRUE(takes("full", of_text));
  std::ofstream(folder / "full" / "thesis.txt") << "years of work";
  EXPECT_FALSE(takes("full", of_text));
  for (const char* json :
       {R"({"model_type": "llama"})", R"({"model_type": "llama", "headscope": null})",
        R"({"model_type": "headscope"})", R"({"model_type": "headscope", "version": 2})"}) {
    configure(json);
    EXPECT_FALSE(takes("full", of_text)) << json;
    EXPECT_FALSE(takes("full", of_task)) << json;
  }
  ASSERT_TRUE(save_language_model(folder / "own", small_model(OutputLayer::tied), {}, {}));
  EXPECT_TRUE(takes("own", of_text));
  EXPECT_FALSE(takes("own", of_task)) << "an interrupted run may lie there";
}

}  // namespace
}  // namespace headscope
