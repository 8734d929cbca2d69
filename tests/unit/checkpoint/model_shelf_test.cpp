#include "core/checkpoint/model_shelf.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "core/io/safetensors.h"
#include "tests/unit/io/gguf_writer.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

/// Writes the headers of a GPT-2 of one layer with two heads. Its weights are not read.
void write_model(const fs::path& folder, const std::string& type = "gpt2") {
  write(folder / "config.json",
        R"({"model_type": ")" + type + R"(", "n_layer": 1, "n_head": 2, "n_embd": 8, "vocab_size": 5})");
  const std::vector<float> table(40, 0.0F);
  const std::array tensors{TensorView{"wte.weight", {5, 8}, {table.data(), 5, 8, 8}}};
  ASSERT_TRUE(write_safetensors(folder / "model.safetensors", tensors, {}));
}

TEST(ModelShelf, ListsTheCacheOfTheHubAndFoldersOfFolders) {
  const TemporaryFolder folder;
  const fs::path hub = folder / "hub";
  const fs::path repository = hub / "models--openai-community--gpt2";
  write_model(repository / "snapshots" / "aaa");
  write_model(repository / "snapshots" / "bbb", "unheard-of");
  write(repository / "refs" / "main", "aaa\n");
  write(hub / "models--empty--repository" / "refs" / "main", "none");
  write_model(folder / "mine" / "organisation" / "own");
  write_model(folder / "mine" / "strange", "unheard-of");

  const std::array places{hub, fs::path(folder / "mine"), fs::path(folder / "missing"), hub};
  const std::vector<DiscoveredModel> found = models_in(places);
  ASSERT_EQ(found.size(), 3U) << "each folder once";
  EXPECT_EQ(found[0].name, "openai-community/gpt2");
  EXPECT_EQ(found[0].path, repository / "snapshots" / "aaa") << "the snapshot that is called main";
  EXPECT_NE(found[0].about.find("1 layer × 2 heads"), std::string::npos)
      << found[0].about << found[0].problem;
  EXPECT_EQ(found[1].name, "organisation/own");
  EXPECT_EQ(found[2].name, "strange");
  EXPECT_TRUE(found[2].about.empty());
  EXPECT_NE(found[2].problem.find("unheard-of"), std::string::npos) << found[2].problem;
}

/// Writes the headers of a GGUF file. Its weights are not read.
void write_gguf(const fs::path& file, const std::string& architecture = "gpt2") {
  GgufWriter writer;
  writer.text("general.architecture", architecture);
  for (const char* key :
       {"block_count", "embedding_length", "feed_forward_length", "attention.head_count", "context_length"})
    writer.whole("gpt2." + std::string(key), 2);
  writer.decimal("gpt2.attention.layer_norm_epsilon", 1e-5F);
  writer.floats("token_embd.weight", {5, 2}, std::vector<float>(10));
  write(file, writer.bytes());
}

TEST(ModelShelf, ListsGgufFilesOfLmStudioOfOllamaAndOfTheHub) {
  const TemporaryFolder folder;
  const fs::path studio = folder / "lmstudio";
  write_gguf(studio / "publisher" / "model-GGUF" / "model-Q4_K_M.gguf");
  write(studio / "publisher" / "model-GGUF" / "damaged.gguf", "GGUF");
  write(studio / "publisher" / "model-GGUF" / "notes.txt", "GGUF");
  const fs::path ollama = folder / "ollama";
  const auto manifest = [](const std::string& type, const std::string& digest) {
    return R"({"layers": [{"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:0"},
                          {"mediaType": "application/vnd.ollama.image.)" +
           type + R"(", "digest": ")" + digest + R"("}]})";
  };
  const fs::path registry = ollama / "manifests" / "registry.ollama.ai";
  write_gguf(ollama / "blobs" / "sha256-12ab", "mamba");
  write(registry / "library" / "llama3.2" / "1b", manifest("model", "sha256:12ab"));
  write(registry / "somebody" / "own" / "latest", manifest("model", "sha256:34cd"));
  write(registry / "library" / "outside" / "latest", manifest("model", "../../lmstudio"));
  write(registry / "library" / "adapter" / "latest", manifest("adapter", "sha256:12ab"));
  write(registry / "library" / "broken" / "latest", "{\"layers\": [1, {\"mediaType\": 2}]}");
  const fs::path hub = folder / "hub";
  write_gguf(hub / "models--a--b-GGUF" / "snapshots" / "aaa" / "b-F16.gguf");
  write(hub / "models--a--b-GGUF" / "refs" / "main", "aaa");
  write_gguf(folder / "single.gguf");

  const std::array places{studio, ollama, hub, fs::path(folder / "single.gguf")};
  const std::vector<DiscoveredModel> found = models_in(places);
  std::vector<std::string> names;
  for (const DiscoveredModel& model : found) names.push_back(model.name);
  ASSERT_EQ(names, (std::vector<std::string>{"b-F16", "damaged", "llama3.2:1b", "model-Q4_K_M", "single",
                                             "somebody/own:latest"}));
  EXPECT_EQ(found[0].about, "GPT-2 · 2 layers × 2 heads · below 1 MB · F32") << found[0].problem;
  EXPECT_NE(found[1].problem.find("cut off"), std::string::npos) << found[1].problem;
  EXPECT_EQ(found[2].path, ollama / "blobs" / "sha256-12ab");
  EXPECT_NE(found[2].problem.find("mamba"), std::string::npos) << found[2].problem;
  EXPECT_EQ(found[3].about, found[0].about) << found[3].problem;
  EXPECT_EQ(found[4].about, found[0].about) << found[4].problem;
  EXPECT_NE(found[5].problem.find("sha256-34cd"), std::string::npos) << found[5].problem;
}

}  // namespace
}  // namespace headscope
