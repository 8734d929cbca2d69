#include "core/checkpoint/model_shelf.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "core/io/safetensors.h"
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
  const std::vector<ShelvedModel> found = models_in(places);
  ASSERT_EQ(found.size(), 3U) << "each folder once";
  EXPECT_EQ(found[0].name, "openai-community/gpt2");
  EXPECT_EQ(found[0].folder, repository / "snapshots" / "aaa") << "the snapshot that is called main";
  EXPECT_NE(found[0].about.find("1 layer × 2 heads"), std::string::npos)
      << found[0].about << found[0].problem;
  EXPECT_EQ(found[1].name, "organisation/own");
  EXPECT_EQ(found[2].name, "strange");
  EXPECT_TRUE(found[2].about.empty());
  EXPECT_NE(found[2].problem.find("unheard-of"), std::string::npos) << found[2].problem;
}

}  // namespace
}  // namespace headscope
