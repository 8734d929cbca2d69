// Tests that the bundled models have learned their tasks.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/checkpoint/model_folder.h"
#include "core/engine/engine.h"
#include "core/engine/head_study.h"
#include "core/engine/opening.h"
#include "core/tasks/pronouns.h"
#include "core/train/network.h"
#include "core/train/trainer.h"

namespace headscope {
namespace {

const ModelSearchPaths places{"/nowhere", HEADSCOPE_SOURCE_DIR "/assets/models"};

/// The score on held-out sentences other than those with which the training command measures the model.
Score score_of(const TrainedModel& model, TaskKind kind, int n) {
  const Task& learned = task(kind);
  const ParameterLayout layout = layout_of(model.model.architecture, model.vocabulary.size());
  const std::vector<float> parameters = parameters_of(model.model, layout);
  RandomStream random(12345, "bundled models");
  std::vector<Example> examples;
  examples.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) examples.push_back(learned.draw(random, Split::held_out));
  Network<float> network(layout);
  return network.evaluate(shards_of(examples, learned.parts(), 1).front(), learned.parts().size(),
                          parameters.data());
}

class Bundled : public testing::TestWithParam<TaskKind> {
 protected:
  void SetUp() override {
    auto opened = open_model(std::string(task(GetParam()).name()), places);
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    model_ = *opened;
  }
  std::shared_ptr<const TrainedModel> model_;
};

TEST_P(Bundled, IsOfItsRecipeAndItsTasksWords) {
  const TrainingRecipe recipe = training_recipe(GetParam());
  EXPECT_EQ(model_->model.architecture, recipe.architecture);
  EXPECT_EQ(model_->steps, recipe.steps);
  EXPECT_EQ(model_->name, task(GetParam()).name());
  EXPECT_EQ(model_->vocabulary.words(), task(GetParam()).vocabulary().words());
}

/// The limit for pronouns is lower because a few of their sentences can be read in two ways.
TEST_P(Bundled, KnowsWhatIsAskedInSentencesThatItNeverSaw) {
  const Score score = score_of(*model_, GetParam(), 1000);
  EXPECT_GE(score.accuracy(0), GetParam() == TaskKind::pronouns ? 0.96 : 0.99);
  ASSERT_TRUE(model_->accuracy.has_value());
  EXPECT_NEAR(*model_->accuracy, score.accuracy(0), GetParam() == TaskKind::pronouns ? 0.02 : 0.006);
}

INSTANTIATE_TEST_SUITE_P(Tasks, Bundled,
                         testing::Values(TaskKind::pronouns, TaskKind::copying, TaskKind::reversing),
                         [](const auto& instance) { return std::string(task(instance.param).name()); });

std::shared_ptr<const TrainedModel> bundled(TaskKind kind) {
  auto opened = open_model(std::string(task(kind).name()), places);
  return opened ? *opened : nullptr;
}

/// The token with the greatest logit at the last row.
std::string next_of(const std::shared_ptr<const TrainedModel>& model, const std::string& text) {
  Session session = reduce(default_session(), opening_action(model));
  session.sentence = text;
  Engine engine(1);
  const auto trace = engine.compute(request_of(session));
  if (!trace) return trace.error().message;
  const auto logits = (*trace)->value({.kind = StageKind::logits}).row((*trace)->n_tokens() - 1);
  return (*trace)->vocabulary()[static_cast<std::size_t>(std::ranges::max_element(logits) - logits.begin())];
}

TEST(BundledStories, SaysWhatItWasTrainedOnAndGoesOnInEnglish) {
  const auto opened = open_model(std::string(default_writing_model), places);
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  const auto& model = *opened;
  EXPECT_EQ(model->steps, 6500);
  EXPECT_NE(model->trained_on.find("bits per character"), std::string::npos);
  const Session session = reduce(default_session(), opening_action(model));
  EXPECT_EQ(session.sentence, model->example);
  EXPECT_EQ(next_of(model, "Once upon a time, there was a little"), " girl");
  EXPECT_EQ(next_of(model, "Once upon a"), " time");
  EXPECT_EQ(next_of(model, "The dog was hungry, so"), " he");
}

/// What it has written belongs to it; what a person has typed stays.
TEST(BundledStories, TakesItsOwnTextAwayAndLeavesTypedOnes) {
  const auto stories = open_model(std::string(default_writing_model), places).value();
  const auto pronouns = open_model("pronouns", places).value();
  Session session = reduce(default_session(), opening_action(stories));
  session.sentence += " little pigs";
  EXPECT_EQ(reduce(session, opening_action(pronouns)).sentence, opening_action(pronouns).example);
  session.sentence = "the dog was tired because it ran";
  EXPECT_EQ(reduce(session, opening_action(pronouns)).sentence, session.sentence);
  EXPECT_EQ(reduce(reduce(session, opening_action(pronouns)), opening_action(stories)).sentence,
            session.sentence);
}

/// Random words cannot be guessed, so a model that could see them through its causal mask would be right
/// about them.
TEST(BundledCopying, CannotSeeTheWordsToCome) {
  const auto model = bundled(TaskKind::copying);
  ASSERT_NE(model, nullptr);
  const Score score = score_of(*model, TaskKind::copying, 400);
  EXPECT_GT(score.rows[1], 1000);
  EXPECT_LT(score.accuracy(1), 0.1);
}

TEST(BundledPronouns, OneHeadShowsTheRightNounInMinimalPairs) {
  const auto model = bundled(TaskKind::pronouns);
  ASSERT_NE(model, nullptr);
  constexpr int n_pairs = 1200;
  Engine engine(1);
  int n_shown = 0;
  // These sentences are not the ones by which the head was chosen.
  for (const MinimalPair& pair : minimal_pairs(n_pairs, 4321)) {
    Request request;
    request.sentence = pair.text;
    request.architecture = model->model.architecture;
    request.model = model;
    const auto trace = engine.compute(request);
    ASSERT_TRUE(trace.has_value());
    const StageId head{StageKind::weights, Stack::encoder, model->layer, AttentionKind::self, model->head};
    const MatrixView weights = (*trace)->value(head);
    const auto& tokens = (*trace)->tokens(Stack::encoder);
    const auto row_of = [&](const std::string& word) {
      return static_cast<int>(std::ranges::find(tokens, word, &Token::lookup) - tokens.begin());
    };
    const int row = row_of(pair.pronoun);
    n_shown += weights(row, row_of(pair.right)) >= 0.8F && weights(row, row_of(pair.wrong)) <= 0.2F ? 1 : 0;
  }
  EXPECT_GE(n_shown, n_pairs * 95 / 100);
}

/// The words that one document calls unrelated must be less likely than every word that fits.
TEST(BundledPronouns, FillsBlanksWithWhatFits) {
  const auto model = bundled(TaskKind::pronouns);
  ASSERT_NE(model, nullptr);
  Engine engine(1);
  for (const char* sentence :
       {"The sky is ___ and the grass is green", "The sky is ___ and the world is round"}) {
    Request request;
    request.sentence = sentence;
    request.architecture = model->model.architecture;
    request.model = model;
    const auto trace = engine.compute(request);
    ASSERT_TRUE(trace.has_value());
    const MatrixView logits = (*trace)->value({.kind = StageKind::logits});
    constexpr int blank = 3;
    const auto logit = [&](const char* word) { return logits(blank, *model->vocabulary.find(word)); };
    for (const char* fits : {"blue", "grey", "clear", "cloudy"}) {
      for (const char* unrelated : {"hesitating", "destroyed", "skipping"}) {
        EXPECT_GT(logit(fits), logit(unrelated)) << sentence << ": " << fits << ", " << unrelated;
      }
    }
    EXPECT_EQ(std::ranges::max_element(logits.row(blank)) - logits.row(blank).begin(),
              *model->vocabulary.find("blue"));
  }
}

TEST(Opening, IsTheDefaultSentenceReadByTheHeadThatShowsIt) {
  const auto session = startup_session(places);
  ASSERT_TRUE(session.has_value());
  EXPECT_EQ(session->sentence, default_sentence);
  EXPECT_EQ(session->task, "pronouns");
  EXPECT_EQ(session->selection.head, session->model->head);
  EXPECT_EQ(session->selection.layer, session->model->layer);
  EXPECT_EQ(session->selection.token, default_session().selection.token);
  EXPECT_EQ(session->training.steps, training_recipe(TaskKind::pronouns).quick_steps);
}

TEST(Opening, AModelThatDoesNotKnowTheSentenceBringsOne) {
  const Session session = reduce(default_session(), opening_action(bundled(TaskKind::reversing)));
  EXPECT_EQ(session.sentence, task(TaskKind::reversing).example_sentences().front());
  EXPECT_TRUE(session.target.starts_with("[begin] "));
  EXPECT_EQ(session.selection.attention, AttentionKind::cross);
  const Session kept = reduce(default_session(), opening_action(bundled(TaskKind::pronouns)));
  EXPECT_EQ(kept.sentence, default_sentence) << "most of its words are known";
}

TEST(OpenModel, SaysWhatIsMissing) {
  const auto missing = open_model("no such model", places);
  ASSERT_FALSE(missing.has_value());
  EXPECT_NE(missing.error().message.find("no such model"), std::string::npos);
  const auto nowhere = open_model("copying", {"/nowhere", "/neither"});
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_NE(nowhere.error().message.find("copying"), std::string::npos);
  EXPECT_NE(nowhere.error().message.find("/nowhere, /neither"), std::string::npos);
  EXPECT_TRUE(is_bundled("copying"));
  EXPECT_FALSE(is_bundled("./copying"));
}

}  // namespace
}  // namespace headscope
