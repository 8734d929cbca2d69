#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "core/checkpoint/model_folder.h"
#include "core/checkpoint/portable_files.h"
#include "core/checkpoint/saved_session.h"
#include "core/model/parameters.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

Session trained_here() {
  Architecture a;
  a.d_model = 8;
  a.n_heads = 2;
  const std::vector<std::string> words{"[pad]", "[blank]", "[new0]", "sky", "is", "blue"};
  const ParameterLayout layout = layout_of(a, static_cast<int>(words.size()));
  Session session = default_session();
  session.sentence = "sky is blue";
  session.architecture = a;
  session.task = "pronouns";
  session.selection.token.reset();
  session.model = std::make_shared<const TrainedModel>(
      TrainedModel{"",
                   "pronouns",
                   7,
                   0,
                   0,
                   model_of(layout, std::vector<float>(layout.size, 0.25F)),
                   *Vocabulary::make(words),
                   {},
                   TaskSource{"pronouns", 1}});
  return session;
}

/// Puts sent files into a folder, as a page does, and opens the first one.
Result<LoadedSession> received(const std::vector<PortableFile>& files, const fs::path& folder) {
  for (const PortableFile& file : files) {
    fs::create_directories((folder / file.name).parent_path());
    std::ofstream(folder / file.name, std::ios::binary) << file.bytes;
  }
  return read_scene(folder / files.front().name, {HEADSCOPE_SOURCE_DIR "/assets/models"});
}

TEST(SentFiles, TrainedWeightsTravelWithTheirScene) {
  const Session session = trained_here();
  const auto sent = portable_scene(session);
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_TRUE(sent->missing_parts.empty());
  const TemporaryFolder elsewhere;
  const auto kept = received(sent->files, elsewhere / "received");
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->complaint, "");
  ASSERT_TRUE(kept->session.model);
  EXPECT_EQ(content_hash(*kept->session.model), content_hash(*session.model));
  EXPECT_EQ(kept->session.sentence, session.sentence);
}

TEST(SentFiles, AModelInAFolderTravelsWithoutItsPath) {
  const TemporaryFolder here;
  const fs::path folder = here / "secret place" / "sky";
  Session session = trained_here();
  fs::create_directories(folder.parent_path());
  ASSERT_TRUE(save_model(folder, *session.model));
  std::ofstream(folder / "weights.bin") << "the same weights for another program";
  std::ofstream(folder / "notes.txt") << "private";
  session.model = *open_model(folder.string(), {});
  const auto sent = portable_scene(session);
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_TRUE(sent->missing_parts.empty()) << sent->missing_parts;
  for (const PortableFile& file : sent->files) {
    EXPECT_EQ(file.bytes.find("secret place"), std::string::npos) << file.name;
    EXPECT_FALSE(file.name.ends_with(".bin") || file.name.ends_with("notes.txt")) << file.name;
  }
  fs::remove_all(here / "secret place");
  const TemporaryFolder elsewhere;
  const auto kept = received(sent->files, elsewhere / "received");
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->complaint, "");
  ASSERT_TRUE(kept->session.model);
  EXPECT_EQ(content_hash(*kept->session.model), content_hash(*session.model));
}

TEST(SentFiles, NothingIsReadThroughALink) {
  const TemporaryFolder here;
  std::ofstream(here / "diary.txt") << "private";
  Session session = trained_here();
  ASSERT_TRUE(save_model(here / "sky", *session.model));
  session.model = *open_model((here / "sky").string(), {});
  fs::create_symlink(here / "diary.txt", here / "sky" / "tokenizer.json");
  const auto sent = portable_scene(session);
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(sent->files.size(), 1U) << "only the scene";
  EXPECT_NE(sent->missing_parts.find("link"), std::string::npos) << sent->missing_parts;
}

TEST(SentFiles, AModelThatIsTooLargeIsLeftOutAndNamed) {
  const TemporaryFolder here;
  Session session = trained_here();
  ASSERT_TRUE(save_model(here / "sky", *session.model));
  session.model = *open_model((here / "sky").string(), {});
  std::ofstream(here / "sky" / "tokenizer.json");
  fs::resize_file(here / "sky" / "tokenizer.json", max_portable_bytes + 1);
  const auto sent = portable_scene(session);
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(sent->files.size(), 1U) << "only the scene";
  EXPECT_NE(sent->missing_parts.find("sky: together"), std::string::npos) << sent->missing_parts;
  EXPECT_EQ(sent->missing_parts.find((here / "").string()), std::string::npos)
      << "the path is told: " << sent->missing_parts;
}

TEST(SentFiles, WeightsThatStandForTheirFolderTakeItAlong) {
  const TemporaryFolder here;
  Session session = trained_here();
  ASSERT_TRUE(save_model(here / "sky", *session.model));
  session.model = *open_model((here / "sky" / "model.safetensors").string(), {});
  const auto sent = portable_scene(session);
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_TRUE(sent->missing_parts.empty()) << sent->missing_parts;
  const TemporaryFolder elsewhere;
  fs::remove_all(here / "sky");
  const auto kept = received(sent->files, elsewhere / "received");
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->complaint, "");
  EXPECT_TRUE(kept->session.model);
}

TEST(SentFiles, TheirNumberOfBytesIsLimitedTogether) {
  std::vector<PortableFile> files;
  const std::string half(max_portable_bytes / 2, 'x');
  EXPECT_TRUE(add_portable({{"a", half}, {"a", half}, {"b", half}}, files));
  EXPECT_EQ(files.size(), 2U) << "a name is sent once";
  EXPECT_FALSE(add_portable({{"c", "x"}}, files));
}

TEST(SentFiles, AMaskTravelsWithoutItsPath) {
  Session session = default_session();
  auto mask = std::make_shared<LoadedMask>();
  mask->name = "clinic/patients.csv";
  mask->rows = mask->cols = 2;
  mask->values = {1.0F, 0.0F, 1.0F, 1.0F};
  session.attention.mask.loaded.push_back(mask);
  const auto sent = portable_scene(session);
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(sent->files.front().bytes.find("clinic"), std::string::npos);
  EXPECT_NE(sent->files.front().bytes.find("patients.csv"), std::string::npos);
}

TEST(SentFiles, ABundledModelIsOnlyNamed) {
  Session session = default_session();
  session.model = *open_model("pronouns", {HEADSCOPE_SOURCE_DIR "/assets/models"});
  session.architecture = session.model->model.architecture;
  const auto sent = portable_scene(session);
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(sent->files.size(), 1U);
}

}  // namespace
}  // namespace headscope
