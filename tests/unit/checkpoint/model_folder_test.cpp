#include "core/checkpoint/model_folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "core/io/safetensors.h"
#include "core/model/parameters.h"
#include "core/system/atomic_file.h"
#include "core/system/read_file.h"
#include "tests/unit/system/killed_child.h"

namespace headscope {
namespace {

const std::vector<std::string> words{"[pad]", "[blank]", "[new0]", "sky", "is", "blue"};

Architecture small_architecture(Stacks stacks, Positions positions, OutputLayer output) {
  Architecture a;
  a.stacks = stacks;
  a.n_layers = 2;
  a.d_model = 8;
  a.n_heads = 2;
  a.d_value = 3;
  a.d_ff = 5;
  a.norm = Norm::pre;
  a.residual = true;
  a.bias.key = false;
  a.positions = positions;
  a.output_layer = output;
  a.output_bias = positions != Positions::learned;
  a.scales_embedding = true;
  a.seed = 3;
  return a;
}

std::string task_for(Stacks stacks) {
  return stacks == Stacks::encoder ? "pronouns" : stacks == Stacks::decoder ? "copying" : "reversing";
}

TrainedModel model_with(const Architecture& a) {
  const ParameterLayout layout = layout_of(a, static_cast<int>(words.size()));
  std::vector<float> numbers(layout.size);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.001F * static_cast<float>(i);
  return {"", task_for(a.stacks), 12, 1, 1, model_of(layout, numbers), *Vocabulary::make(words)};
}

class ModelFolder : public testing::Test {
 protected:
  ModelFolder() { std::filesystem::create_directories(root_); }
  ~ModelFolder() override { std::filesystem::remove_all(root_); }

  void save(const Architecture& a) {
    const auto saved = save_model(folder_, model_with(a));
    ASSERT_TRUE(saved) << saved.error().message;
  }
  void expect_refused(const std::string& text) {
    const auto loaded = load_model(folder_);
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().message.find(text), std::string::npos) << loaded.error().message;
  }
  void replace_in(const char* file, const std::string& old, const std::string& with) {
    std::string content = *read_file(folder_ / file);
    const auto at = content.find(old);
    ASSERT_NE(at, std::string::npos);
    content.replace(at, old.size(), with);
    ASSERT_TRUE(write_atomically(folder_ / file, content));
  }

  std::filesystem::path root_ =
      std::filesystem::temp_directory_path() / ("headscope-model-" + std::to_string(::getpid()));
  std::filesystem::path folder_ = root_ / "model";
};

const Architecture plain = small_architecture(Stacks::encoder, Positions::sinusoidal, OutputLayer::tied);

TEST_F(ModelFolder, WhatIsSavedIsLoaded) {
  for (const Stacks stacks : {Stacks::encoder, Stacks::decoder, Stacks::encoder_decoder}) {
    for (const Positions positions : {Positions::sinusoidal, Positions::learned, Positions::relative}) {
      for (const OutputLayer output : {OutputLayer::tied, OutputLayer::linear}) {
        const Architecture a = small_architecture(stacks, positions, output);
        save(a);
        const auto loaded = load_model(folder_);
        ASSERT_TRUE(loaded) << loaded.error().message;
        const TrainedModel& model = **loaded;
        EXPECT_EQ(model.model.architecture, a);
        EXPECT_FALSE(model.model.drawn);
        EXPECT_EQ(model.vocabulary.words(), words);
        EXPECT_EQ(model.task, task_for(stacks));
        EXPECT_EQ(model.steps, 12);
        EXPECT_EQ(model.layer, 1);
        EXPECT_EQ(model.head, 1);
        const ParameterLayout layout = layout_of(a, static_cast<int>(words.size()));
        EXPECT_EQ(parameters_of(model.model, layout), parameters_of(model_with(a).model, layout));
      }
    }
  }
}

TEST_F(ModelFolder, OneTableOfRelativePositionsServesBothStacks) {
  const Architecture a = small_architecture(Stacks::encoder_decoder, Positions::relative, OutputLayer::tied);
  save(a);
  auto file = read_safetensors(folder_ / "model.safetensors");
  ASSERT_TRUE(file) << file.error().message;
  const Tensor table = *file->find("encoder.positions.biases");
  std::vector<TensorView> tensors;
  for (const Tensor& tensor : file->tensors) {
    if (tensor.name == "decoder.positions.biases") continue;
    const auto cols = static_cast<int>(tensor.shape.back());
    const int rows = tensor.shape.size() == 1 ? 1 : static_cast<int>(tensor.shape.front());
    const std::string name = tensor.name == table.name ? "positions.table" : tensor.name;
    tensors.push_back({name, tensor.shape, {tensor.values.data(), rows, cols, cols}});
  }
  ASSERT_TRUE(write_safetensors(folder_ / "model.safetensors", tensors, {}));
  const auto loaded = load_model(folder_);
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Model& model = (*loaded)->model;
  const Matrix& of_encoder = model.position_biases(Stack::encoder, 0);
  EXPECT_EQ(of_encoder, model.position_biases(Stack::decoder, 0));
  EXPECT_EQ(of_encoder(1, 2), table.values[static_cast<std::size_t>(a.relative_width()) + 2]);
  tensors.push_back({"decoder.positions.biases",
                     table.shape,
                     {table.values.data(), a.n_heads, a.relative_width(), a.relative_width()}});
  ASSERT_TRUE(write_safetensors(folder_ / "model.safetensors", tensors, {}));
  EXPECT_TRUE(load_model(folder_)) << "the decoder has its own, the encoder the other";
  tensors.push_back({"encoder.positions.biases",
                     table.shape,
                     {table.values.data(), a.n_heads, a.relative_width(), a.relative_width()}});
  ASSERT_TRUE(write_safetensors(folder_ / "model.safetensors", tensors, {}));
  expect_refused("no place for the tensor positions.table");
}

TEST_F(ModelFolder, AFolderOfSomethingElseIsLeftAlone) {
  std::filesystem::create_directories(folder_);
  ASSERT_TRUE(write_atomically(folder_ / "thesis.txt", "years of work"));
  EXPECT_FALSE(save_model(folder_, model_with(plain)));
  EXPECT_EQ(*read_file(folder_ / "thesis.txt"), "years of work");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "config.json"));
}

TEST_F(ModelFolder, AFileIsNoFolder) {
  ASSERT_TRUE(write_atomically(folder_, "a file"));
  EXPECT_FALSE(save_model(folder_, model_with(plain)));
  expect_refused("is a text");
}

TEST_F(ModelFolder, MissingFilesAreNamed) {
  for (const char* file : {"config.json", "vocab.txt", "model.safetensors"}) {
    save(plain);
    std::filesystem::remove(folder_ / file);
    expect_refused(file);
    std::filesystem::remove_all(folder_);
  }
}

TEST_F(ModelFolder, AnotherConfigIsRefusedWithTheReason) {
  save(plain);
  replace_in("config.json", "\"headscope\"", "\"mamba\"");
  expect_refused("model_type");
  replace_in("config.json", "\"mamba\"", "\"headscope\"");
  replace_in("config.json", "\"version\": 1", "\"version\": 2");
  expect_refused("version");
  replace_in("config.json", "\"version\": 2", "\"version\": 1");
  replace_in("config.json", "\"d_model\": 8", "\"d_model\": -8");
  expect_refused("d_model");
}

TEST_F(ModelFolder, WeightsOfAnotherShapeAreRefusedWithBothShapes) {
  save(plain);
  replace_in("config.json", "\"d_ff\": 5", "\"d_ff\": 6");
  expect_refused("feed_forward.W_1 is [8, 5], but the architecture needs [8, 6]");
}

TEST_F(ModelFolder, AWordTooManyIsRefused) {
  save(plain);
  ASSERT_TRUE(write_atomically(folder_ / "vocab.txt", Vocabulary::make(words)->to_text() + "green\n"));
  expect_refused("embedding.table is [6, 8]");
}

TEST_F(ModelFolder, NumbersThatAreNoneAreRefused) {
  TrainedModel model = model_with(plain);
  Matrix table = model.model.embedding_table.all();
  table(2, 3) = std::numeric_limits<float>::quiet_NaN();
  model.model.embedding_table = WordTable(std::move(table));
  ASSERT_TRUE(save_model(folder_, model));
  expect_refused("embedding.table holds a number that is not finite");
}

TEST_F(ModelFolder, WhatAKilledRunLeftIsNoObstacle) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / ".headscope-1-0.tmp") << "half";
  save(plain);
}

TEST_F(ModelFolder, ALinkInAReceivedFolderIsNotWrittenThrough) {
  save(plain);
  ASSERT_TRUE(write_atomically(root_ / "precious", "mine"));
  std::filesystem::remove(folder_ / "vocab.txt");
  std::filesystem::create_symlink(root_ / "precious", folder_ / "vocab.txt");
  save(plain);
  EXPECT_EQ(*read_file(root_ / "precious"), "mine");
  EXPECT_TRUE(load_model(folder_));
}

TEST_F(ModelFolder, AKillAtAnyMomentLeavesTheOldModelOrTheNewOne) {
  Architecture other = plain;
  other.d_ff = 6;
  const TrainedModel models[] = {model_with(plain), model_with(other)};
  ASSERT_TRUE(save_model(folder_, models[0]));
  std::mt19937 random(4);
  for (int kill = 0; kill < 300; ++kill) {
    std::size_t turn = 0;
    run_and_kill([&] { static_cast<void>(save_model(folder_, models[++turn % 2])); }, 6000, random);
    const auto found = load_model(folder_);
    ASSERT_TRUE(found) << "after kill " << kill << ": " << found.error().message;
  }
}

TEST_F(ModelFolder, DeepNestingIsRefused) {
  save(plain);
  for (const std::string& config :
       {std::string(80'000, '['), "{\"architecture\": " + std::string(80'000, '[')}) {
    ASSERT_TRUE(write_atomically(folder_ / "config.json", config));
    expect_refused("config.json");
  }
}

/// The largest amount of memory that this process has had so far.
std::size_t peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) << 10U;
}

TEST_F(ModelFolder, WhatIsClaimedTakesNoMemory) {
  save(plain);
  const std::size_t before = peak_bytes();
  constexpr std::size_t allowed = std::size_t{200} << 20U;
  const std::string config = *read_file(folder_ / "config.json");
  for (const auto& [key, claimed] :
       {std::pair("d_model", "1024"), std::pair("d_ff", "4096"), std::pair("layers", "24")}) {
    std::string text = *read_file(folder_ / "config.json");
    const auto at = text.find(std::string("\"") + key + "\": ");
    ASSERT_NE(at, std::string::npos);
    const auto begin = text.find(' ', at) + 1;
    text.replace(begin, text.find_first_of(",\n", begin) - begin, claimed);
    ASSERT_TRUE(write_atomically(folder_ / "config.json", text));
    expect_refused("model.safetensors");
  }
  ASSERT_TRUE(write_atomically(folder_ / "config.json", config));
  ASSERT_TRUE(write_atomically(folder_ / "vocab.txt", std::string(7'000'000, '\n')));
  expect_refused("line 1");
  std::filesystem::remove(folder_ / "vocab.txt");
  std::filesystem::create_symlink("/dev/zero", folder_ / "vocab.txt");
  expect_refused("not a regular file");
  ::mkfifo((folder_ / "pipe").c_str(), 0600);
  std::filesystem::rename(folder_ / "pipe", folder_ / "config.json");
  expect_refused("not a regular file");
  EXPECT_LT(peak_bytes(), before + allowed);
}

/// A page in a browser draws between the slices.
TEST_F(ModelFolder, IsReadTensorByTensor) {
  const std::filesystem::path folder = HEADSCOPE_SOURCE_DIR "/assets/models/pronouns";
  ModelSlices reading = load_model_slices(folder);
  std::vector<double> shares;
  while (reading.next()) shares.push_back(reading.share());
  const auto model = reading.take();
  ASSERT_TRUE(model.has_value()) << model.error().message;
  const ParameterLayout layout = layout_of((*model)->model.architecture, (*model)->vocabulary.size());
  ASSERT_EQ(shares.size(), layout.named.size()) << "one slice for each tensor";
  EXPECT_TRUE(std::ranges::all_of(shares, [](double share) { return share >= 0.0 && share < 1.0; }));
}

}  // namespace
}  // namespace headscope
