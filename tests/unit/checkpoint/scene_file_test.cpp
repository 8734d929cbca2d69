#include <gtest/gtest.h>

#include <fstream>

#include "core/checkpoint/model_folder.h"
#include "core/checkpoint/saved_session.h"
#include "core/model/mask.h"
#include "core/model/parameters.h"
#include "core/system/read_file.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/session/random_session.h"
#include "tests/unit/system/killed_child.h"

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

std::string message_of(const Result<LoadedSession>& read) {
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

LoadedMask given_mask(bool additive) {
  LoadedMask mask;
  mask.name = "mask.npy";
  mask.n_heads = 2;
  mask.rows = 2;
  mask.cols = 3;
  mask.additive = additive;
  mask.values = {0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 0};
  if (additive) mask.values[1] = MaskValue::minus_infinity;
  if (additive) mask.values[5] = -0.1F;
  return mask;
}

TEST(SceneFile, HoldsTheMasksThatCameFromFiles) {
  const TemporaryFolder folder;
  Session session = default_session();
  session.attention.mask.loaded = {std::make_shared<const LoadedMask>(given_mask(false)),
                                   std::make_shared<const LoadedMask>(given_mask(true))};
  session.compared.push_back(session.subject());
  session.compared.front().attention.mask.loaded.pop_back();
  ASSERT_TRUE(write_scene(folder / "a.headscope", session));
  const auto read = read_scene(folder / "a.headscope", {});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->complaint, "");
  const auto& loaded = read->session.attention.mask.loaded;
  ASSERT_EQ(loaded.size(), 2U);
  EXPECT_EQ(*loaded[0], given_mask(false));
  EXPECT_EQ(*loaded[1], given_mask(true));
  ASSERT_EQ(read->session.compared.size(), 1U);
  EXPECT_EQ(read->session.compared.front().attention.mask.loaded.size(), 1U);
}

TEST(SceneFile, AMaskMustHoldTheNumbersOfItsShape) {
  const TemporaryFolder folder;
  Session session = default_session();
  session.attention.mask.loaded.push_back(std::make_shared<const LoadedMask>(given_mask(false)));
  ASSERT_TRUE(write_scene(folder / "a.headscope", session));
  const std::string text = *read_file(folder / "a.headscope");
  for (const auto& [from, to] :
       {std::pair("\"011\"", "\"01\""), std::pair("\"011\"", "\"012\""), std::pair("\"011\"", "[0, 1, 1]"),
        std::pair("\"011\",", ""), std::pair("\"additive\": false", "\"additive\": 1")}) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    changed.replace(at, std::string(from).size(), to);
    EXPECT_NE(message_of(read_scene(file_with(folder, changed), {})).find("mask"), std::string::npos) << to;
  }
}

TEST(SceneFile, AModelThatWasMovedWithItIsFoundBesideIt) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "before");
  const fs::path model = folder / "before/sky";
  Session session = trained_here(1.0F);
  ASSERT_TRUE(save_model(model, *session.model));
  session.model = ModelRef(*load_model(model));
  ASSERT_TRUE(write_scene(folder / "before/lesson.headscope", session));
  fs::rename(folder / "before", folder / "after");
  const auto read = read_scene(folder / "after/lesson.headscope", {});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->complaint, "");
  ASSERT_TRUE(read->session.model);
}

TEST(SceneFile, AModelElsewhereMayNotReachFurther) {
  const TemporaryFolder folder;
  const fs::path file = folder / "course/a.headscope";
  fs::create_directories(folder / "course");
  Session session = trained_here(1.0F);
  const fs::path models = folder / "models--a--b";
  for (const char* where : {"sky", "models--a--b/snapshots/1"}) {
    SCOPED_TRACE(where);
    const fs::path model = folder / where;
    fs::create_directories(model.parent_path());
    ASSERT_TRUE(save_model(model, *session.model));
    Session named = session;
    named.model = ModelRef(*load_model(model));
    ASSERT_TRUE(write_scene(file, named));
    EXPECT_TRUE(read_scene(file, {})->session.model);
    // The hash of a model of another program does not include its tokenizer.
    std::ofstream(folder / "secret.json") << "{}";
    fs::create_symlink(folder / "secret.json", model / "tokenizer.json");
    const auto read = read_scene(file, {});
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_FALSE(read->session.model);
    EXPECT_NE(read->complaint.find("Its model could not be opened"), std::string::npos) << read->complaint;
    fs::remove(model / "tokenizer.json");
  }
  std::ofstream(models / "blob") << "{}";
  fs::create_symlink("../../blob", models / "snapshots/1/tokenizer.json");
  EXPECT_TRUE(read_scene(file, {})->session.model) << "a snapshot's files are links into its repository";
}

TEST(SceneFile, ATextSaysThatWeightsOfTheWindowAreInNoFile) {
  const auto text = scene_text(trained_here(1.0F));
  ASSERT_TRUE(text);
  const auto read = read_scene_text(*text, "figure.png", {});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->has_model);
  EXPECT_NE(read->complaint.find("are in no file"), std::string::npos) << read->complaint;
  const auto again = read_scene_text(*text, "figure.png", {}, trained_here(1.0F).model);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->has_model) << "a model with the same numbers stands in for them";
}

/// A scene whose weights are in the folder beside it.
fs::path scene_with_weights(const TemporaryFolder& folder) {
  fs::create_directory(folder / "lesson");
  EXPECT_TRUE(write_scene(folder / "lesson/a.headscope", trained_here(1.0F)));
  return folder / "lesson/a.headscope";
}

TEST(SceneFile, ReadsWeightsOnlyBesideIt) {
  const TemporaryFolder folder;
  const fs::path file = scene_with_weights(folder);
  ASSERT_TRUE(read_scene(file, {})->has_model);
  fs::rename(weights_of(file), folder / "elsewhere");
  fs::create_symlink("../elsewhere", weights_of(file));
  EXPECT_FALSE(read_scene(file, {})->has_model) << "through a link";
  fs::remove(weights_of(file));
  const fs::path weights = fs::directory_iterator(folder / "elsewhere")->path();
  const std::string name = weights.filename().string();
  for (const std::string& named : {weights.string(), "../../elsewhere/" + name}) {
    std::string text = content_of(file);
    text.replace(text.find(name), name.size(), named);
    std::ofstream(folder / "lesson/b.headscope") << text;
    const auto read = read_scene(folder / "lesson/b.headscope", {});
    ASSERT_TRUE(read);
    EXPECT_FALSE(read->session.model) << named;
    EXPECT_NE(read->complaint.find("not in the folder of the scene"), std::string::npos) << read->complaint;
  }
}

TEST(SceneFile, ReachesAModelElsewhereOnlyWithTheNumbersThatItWasSavedWith) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "lesson");
  Session session = trained_here(1.0F);
  ASSERT_TRUE(save_model(folder / "sky", *session.model));
  session.model = ModelRef(*load_model(folder / "sky"));
  const fs::path file = folder / "lesson/a.headscope";
  ASSERT_TRUE(write_scene(file, session));
  EXPECT_EQ(read_scene(file, {})->complaint, "") << "the reader's own scene opens as before";
  ASSERT_TRUE(save_model(folder / "sky", *trained_here(2.0F).model));
  const auto changed = read_scene(file, {});
  ASSERT_TRUE(changed);
  EXPECT_FALSE(changed->session.model);
  EXPECT_NE(changed->complaint.find("copy it beside the scene"), std::string::npos) << changed->complaint;
  std::ofstream(folder / "sky/config.json")
      << R"({"model_type": "headscope", "version": 1, "task": "a secret"})";
  EXPECT_EQ(read_scene(file, {})->complaint.find("secret"), std::string::npos);
}

TEST(SceneFile, RemovesOnlyWeightsThatItHadNamed) {
  const TemporaryFolder folder;
  const fs::path file = scene_with_weights(folder);
  const fs::path old = fs::directory_iterator(weights_of(file))->path();
  for (const char* name : {"weights-of-mine", "removed-by-me"}) fs::create_directory(weights_of(file) / name);
  ASSERT_TRUE(write_scene(file, trained_here(2.0F)));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(weights_of(file) / "weights-of-mine"));
  EXPECT_TRUE(fs::exists(weights_of(file) / "removed-by-me"));
  ASSERT_TRUE(read_scene(file, {})->has_model);
  fs::rename(weights_of(file), folder / "elsewhere");
  fs::create_symlink("../elsewhere", weights_of(file));
  const auto written = write_scene(file, trained_here(3.0F));
  ASSERT_FALSE(written) << "nothing is written through a link";
  EXPECT_NE(written.error().message.find("link"), std::string::npos) << written.error().message;
  ASSERT_TRUE(write_scene(file, default_session()));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "elsewhere"), {}), 3) << "nor removed";
}

TEST(SceneFile, WeightsWithAFileOfTheUsersOwnStay) {
  const TemporaryFolder folder;
  const fs::path file = scene_with_weights(folder);
  const fs::path weights = fs::directory_iterator(weights_of(file))->path();
  std::ofstream(weights / "notes.txt") << "mine";
  ASSERT_TRUE(write_scene(file, default_session()));
  EXPECT_EQ(content_of(weights / "notes.txt"), "mine");
}

}  // namespace
}  // namespace headscope
