#include "core/checkpoint/saved_session.h"

#include <gtest/gtest.h>

#include "core/model/parameters.h"
#include "core/system/owned_folder.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/system/killed_child.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> known{"[pad]", "[blank]", "[new0]", "sky", "is", "blue"};

/// Weights as training in the window produces them: they belong to no folder. All of their numbers are equal.
ModelRef trained_here(int steps, int run = 1) {
  Architecture a;
  a.d_model = 8;
  a.n_heads = 2;
  const ParameterLayout layout = layout_of(a, static_cast<int>(known.size()));
  const std::vector<float> numbers(layout.size, static_cast<float>(run * steps));
  return std::make_shared<const TrainedModel>(TrainedModel{"",
                                                           "pronouns",
                                                           steps,
                                                           0,
                                                           0,
                                                           model_of(layout, numbers),
                                                           *Vocabulary::make(known),
                                                           {},
                                                           TaskSource{"pronouns", 1}});
}

/// A session that holds these weights and names their number of steps in its sentence.
Session session_with(const ModelRef& model) {
  Session session = default_session();
  session.sentence = "sky is blue " + std::to_string(model->steps);
  session.architecture = model->model.architecture;
  session.task = model->task;
  session.model = model;
  session.selection.token.reset();
  return session;
}

std::vector<float> numbers_of(const TrainedModel& model) {
  return parameters_of(model.model, layout_of(model.model.architecture, model.vocabulary.size()));
}

void expect_whole(const fs::path& folder) {
  const auto kept = load_session(folder, {});
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->complaint, "");
  const Session& session = kept->session;
  ASSERT_TRUE(session.model);
  EXPECT_EQ(session.sentence, "sky is blue " + std::to_string(session.model->steps));
  EXPECT_EQ(session.model->name, "")
      << "the folder that they were kept in is no place to look for them later";
  for (const float number : numbers_of(*session.model)) {
    ASSERT_EQ(number, static_cast<float>(session.model->steps));
  }
}

int n_entries(const fs::path& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(SavedSession, IsThereAgainWithTheWeightsThatWereTrained) {
  const TemporaryFolder folder;
  for (const int steps : {3, 3, 7, 11}) {
    const auto saved = save_session(folder / "", session_with(trained_here(steps)));
    ASSERT_TRUE(saved) << saved.error().message;
    expect_whole(folder / "");
    EXPECT_EQ(n_entries(folder / ""), 2) << "the file, and the weights of this session alone";
  }
  ASSERT_TRUE(save_session(folder / "", default_session()));
  EXPECT_EQ(n_entries(folder / ""), 1);
  EXPECT_EQ(load_session(folder / "", {})->session, default_session());
}

TEST(SavedSession, WeightsOfAnotherProcessThatCountTheSameAreOthers) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_session(folder / "", session_with(trained_here(4))));
  // These weights come from another run, after the same four steps.
  const Session other = session_with(trained_here(4, 2));
  ASSERT_TRUE(save_session(folder / "", other));
  const auto kept = load_session(folder / "", {});
  ASSERT_TRUE(kept && kept->session.model);
  EXPECT_EQ(numbers_of(*kept->session.model), numbers_of(*other.model));
}

TEST(SavedSession, AKillAtAnyMomentLeavesTheOldOneOrTheNewOne) {
  const TemporaryFolder folder;
  std::mt19937 random(13);
  ASSERT_TRUE(save_session(folder / "", session_with(trained_here(1))));
  const std::vector<ModelRef> models{trained_here(1), trained_here(2), trained_here(3)};
  for (int kill = 0; kill < 300; ++kill) {
    std::size_t next = static_cast<std::size_t>(kill);
    run_and_kill(
        [&] { static_cast<void>(save_session(folder / "", session_with(models[++next % models.size()]))); },
        20'000, random);
    expect_whole(folder / "");
    if (HasFailure()) FAIL() << "after kill " << kill;
  }
}

TEST(SavedSession, WeightsThatAreGoneTakeNothingElseAlong) {
  const TemporaryFolder folder;
  const Session session = session_with(trained_here(5));
  ASSERT_TRUE(save_session(folder / "", session));
  for (const auto& entry : fs::directory_iterator(folder / "")) {
    if (entry.is_directory()) fs::remove_all(entry.path());
  }
  const auto kept = load_session(folder / "", {});
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->session.sentence, session.sentence);
  EXPECT_FALSE(kept->session.model);
  EXPECT_FALSE(kept->has_model);
  EXPECT_NE(kept->complaint.find("Its model could not be opened"), std::string::npos) << kept->complaint;
}

TEST(OwnedFolder, IsFoundAsAbandonedOnlyWhenItsOwnerIsGone) {
  const TemporaryFolder parent;
  EXPECT_TRUE(abandoned_folders(parent / "nowhere").empty());
  auto mine = OwnedFolder::make(parent / "state");
  auto other = OwnedFolder::make(parent / "state");
  ASSERT_TRUE(mine && other);
  EXPECT_NE(mine->path(), other->path());
  EXPECT_TRUE(abandoned_folders(parent / "state").empty());
  EXPECT_FALSE(OwnedFolder::take_over(mine->path())) << "somebody owns it";
  const fs::path left = other->path();
  { const OwnedFolder gone = std::move(*other); }
  EXPECT_EQ(abandoned_folders(parent / "state"), std::vector<fs::path>{left});
  auto taken = OwnedFolder::take_over(left);
  ASSERT_TRUE(taken);
  taken->remove();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(mine->path()));
}

}  // namespace
}  // namespace headscope
