#include <gtest/gtest.h>

#include "core/engine/head_study.h"
#include "core/train/trainer.h"

namespace headscope {
namespace {

/// A small model for a task after this many training steps.
std::shared_ptr<TrainedModel> model_after(TaskKind kind, int steps) {
  TrainingRecipe made = training_recipe(kind);
  made.architecture.d_model = 32;
  made.architecture.n_heads = 2;
  made.architecture.d_ff = 32;
  made.options.batch_size = 32;
  ThreadPool pool(2);
  const Task& learned = task(kind);
  const auto trainer = Trainer::make(learned, made.architecture, made.options, pool);
  EXPECT_TRUE(trainer) << trainer.error().message;
  for (int step = 0; step < steps; ++step) (*trainer)->step();
  return std::make_shared<TrainedModel>(
      TrainedModel{"", std::string(learned.name()), steps, 0, 0, (*trainer)->model(), learned.vocabulary()});
}

TEST(RepresentativeHead, IsOneOfTheModelAndSaysWhatItShows) {
  const std::pair<TaskKind, const char*> expected[] = {
      {TaskKind::pronouns, " of 240 minimal pairs"},
      {TaskKind::copying, "previous occurrence of the current word"},
      {TaskKind::reversing, "source word to be written next"}};
  for (const auto& [kind, words] : expected) {
    const auto model = model_after(kind, 0);
    const auto found = representative_head(model);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_TRUE(found->layer >= 0 && found->layer < model->model.architecture.n_layers);
    EXPECT_TRUE(found->head >= 0 && found->head < 2);
    EXPECT_TRUE(found->share >= 0.0 && found->share < 0.5) << "nothing is learned yet: " << found->text;
    EXPECT_NE(found->text.find(words), std::string::npos) << found->text;
    const auto again = representative_head(model);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->text, found->text);
    EXPECT_EQ(again->share, found->share);
  }
}

TEST(RepresentativeHead, OfATrainedModelShowsWhatWasLearned) {
  const double before = representative_head(model_after(TaskKind::reversing, 0))->share;
  const double after = representative_head(model_after(TaskKind::reversing, 400))->share;
  EXPECT_LT(before, 0.3);
  EXPECT_GT(after, 0.6);
}

TEST(RepresentativeHead, LooksForNothingInAModelOfNoTask) {
  const auto model = model_after(TaskKind::copying, 0);
  model->task = "";
  const auto without_task = representative_head(model);
  ASSERT_FALSE(without_task);
  EXPECT_NE(without_task.error().message.find("without a task"), std::string::npos);
  model->task = "reversing";
  const auto without_stacks = representative_head(model);
  ASSERT_FALSE(without_stacks);
  EXPECT_NE(without_stacks.error().message.find("stacks"), std::string::npos);
}

}  // namespace
}  // namespace headscope
