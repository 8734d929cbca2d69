#include "core/checkpoint/scene_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/io/read_file.h"
#include "core/model/mask.h"
#include "core/model/parameters.h"
#include "tests/unit/io/killed_child.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/session/random_session.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

Session trained_here(float number) {
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
                   model_of(layout, std::vector<float>(layout.size, number)),
                   *Vocabulary::make(words),
                   {},
                   TaskSource{"pronouns", 1}});
  return session;
}

std::string message_of(const Result<KeptSession>& read) {
  return read ? "" : read.error().message;
}

fs::path file_with(const TemporaryFolder& folder, const std::string& text) {
  const fs::path file = folder / "a.headscope";
  std::ofstream(file) << text;
  return file;
}

TEST(SceneFile, OpensAsWhatItWas) {
  const TemporaryFolder folder;
  const fs::path file = folder / "lesson.headscope";
  RandomSession random(5);
  for (int run = 0; run < 200; ++run) {
    Session session = random.session();
    session.title = random.sentence();
    session.note = random.sentence();
    ASSERT_TRUE(write_scene(file, session));
    const auto first = read_scene(file, {});
    ASSERT_TRUE(first) << first.error().message;
    const std::string written = *read_file(file);
    ASSERT_TRUE(write_scene(file, first->session));
    EXPECT_EQ(*read_file(file), written);
    const auto again = read_scene(file, {});
    ASSERT_TRUE(again);
    EXPECT_EQ(again->session, first->session);
  }
  EXPECT_FALSE(fs::exists(folder / "lesson.headscope.weights")) << "nothing was trained";
}

TEST(SceneFile, HasTheWeightsThatWereTrainedBesideIt) {
  const TemporaryFolder folder;
  const fs::path file = folder / "lesson.headscope";
  for (const float number : {1.0F, 2.0F}) {
    const Session session = trained_here(number);
    ASSERT_TRUE(write_scene(file, session));
    const auto read = read_scene(file, {});
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->complaint, "");
    ASSERT_TRUE(read->session.model);
    EXPECT_EQ(content_hash(*read->session.model), content_hash(*session.model));
  }
  fs::remove_all(folder / "lesson.headscope.weights");
  const auto without = read_scene(file, {});
  ASSERT_TRUE(without);
  EXPECT_NE(without->complaint.find("Its model could not be opened"), std::string::npos);
  EXPECT_EQ(without->session.sentence, "sky is blue");
}

TEST(SceneFile, AKillAtAnyMomentLeavesTheOldOneOrTheNewOne) {
  const TemporaryFolder folder;
  const fs::path file = folder / "lesson.headscope";
  std::mt19937 random(13);
  ASSERT_TRUE(write_scene(file, trained_here(1.0F)));
  for (int kill = 0; kill < 100; ++kill) {
    run_and_kill([&] { static_cast<void>(write_scene(file, trained_here(static_cast<float>(kill % 3)))); },
                 20'000, random);
    const auto read = read_scene(file, {});
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_TRUE(read->session.model) << read->complaint << ", after kill " << kill;
  }
}

TEST(SceneFile, OtherFilesSayWhatIsWrongWithThem) {
  const TemporaryFolder folder;
  const auto says = [&](const std::string& text, const std::string& wanted) {
    const std::string message = message_of(read_scene(file_with(folder, text), {}));
    EXPECT_NE(message.find(wanted), std::string::npos) << message;
    EXPECT_NE(message.find("a.headscope"), std::string::npos) << message;
  };
  says("", "cannot be opened as a scene");
  says("{\"version\": 1", "line 1");
  says("[]", "it is not a JSON object");
  says("{}", "it has no version");
  says(R"({"version": 2})", "a newer Headscope wrote it (version 2, and this one reads 1)");
  says(R"({"version": "1"})", "must be 1");
  says(R"({"version": 1, "title": 3})", "title");
  EXPECT_NE(message_of(read_scene(folder / "none.headscope", {})).find("none.headscope"), std::string::npos);
}

TEST(SceneFile, WhatItCannotHoldIsSaid) {
  const TemporaryFolder folder;
  Session session = default_session();
  session.attention.mask.loaded.push_back(std::make_shared<const LoadedMask>());
  const auto written = write_scene(folder / "a.headscope", session);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("masks that were loaded from files"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "a.headscope"));
}

}  // namespace
}  // namespace headscope
