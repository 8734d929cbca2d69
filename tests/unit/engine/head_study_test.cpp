#include "core/engine/head_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "core/checkpoint/model_folder.h"
#include "core/measures/measure.h"

namespace headscope {
namespace {

HeadStudyRequest study_of(const std::string& name, MeasuredOn on) {
  const auto model = open_model(name, {"/nowhere", HEADSCOPE_SOURCE_DIR "/assets/models"});
  EXPECT_TRUE(model);
  HeadStudyRequest request;
  request.on = on;
  request.model = *model;
  request.architecture = (*model)->model.architecture;
  request.stack = request.architecture.last_stack();
  request.attention.mask.causal = request.architecture.stacks == Stacks::decoder;
  return request;
}

TEST(HeadStudy, ThePronounsHeadFindsTheNounInSentencesThatItNeverLearnedFrom) {
  const HeadStudyRequest request = study_of("pronouns", MeasuredOn::task);
  const auto study = head_study(request).finish();
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->n_texts, n_task_texts);
  const auto role = strongest_role(study->at({request.model->layer, request.model->head}));
  ASSERT_TRUE(role);
  EXPECT_EQ(role->measure, HeadMeasure::noun);
  EXPECT_GT(role->value, 0.9);
  std::cout << "from a pronoun to its noun: " << role->value << " of " << n_task_texts << " sentences\n";
}

TEST(HeadStudy, CopyingHasAPreviousTokenHeadBelowAnInductionHead) {
  const HeadStudyRequest request = study_of("copying", MeasuredOn::random);
  const auto study = head_study(request).finish();
  ASSERT_TRUE(study) << study.error().message;
  const Architecture& a = request.architecture;
  double previous = 0.0;
  double induction = 0.0;
  for (int head = 0; head < a.n_heads; ++head) {
    previous = std::max(previous, value_of(study->at({0, head}), HeadMeasure::previous).value_or(0));
    induction =
        std::max(induction, value_of(study->at({a.n_layers - 1, head}), HeadMeasure::induction).value_or(0));
  }
  std::cout << "previous token " << previous << ", induction " << induction << "\n";
  EXPECT_GT(previous, role_threshold);
  EXPECT_GT(induction, 0.5);
}

/// Its random texts are pieces of its own tokenizer, behind the id that begins its texts.
TEST(HeadStudy, StoriesHasAPreviousTokenHeadBelowAnInductionHead) {
  const HeadStudyRequest request = study_of("stories", MeasuredOn::random);
  const auto study = head_study(request).finish();
  ASSERT_TRUE(study) << study.error().message;
  const auto highest = [&](int layer, HeadMeasure measure) {
    double most = 0.0;
    for (int head = 0; head < request.architecture.n_heads; ++head)
      most = std::max(most, value_of(study->at({layer, head}), measure).value_or(0));
    return most;
  };
  EXPECT_GT(highest(1, HeadMeasure::previous), 0.8);
  EXPECT_GT(highest(2, HeadMeasure::induction), 0.5);
}

TEST(HeadStudy, OfReversingsCrossAttentionHasWhatMeansSomethingThere) {
  HeadStudyRequest request = study_of("reversing", MeasuredOn::task);
  request.kind = AttentionKind::cross;
  const auto study = head_study(request).finish();
  ASSERT_TRUE(study) << study.error().message;
  const HeadMeasures head = study->at({0, 0});
  EXPECT_TRUE(value_of(head, HeadMeasure::entropy));
  EXPECT_TRUE(value_of(head, HeadMeasure::first));
  EXPECT_FALSE(value_of(head, HeadMeasure::previous));
}

TEST(HeadStudy, OfAnUntrainedModelIsTheSameTwice) {
  HeadStudyRequest request;
  request.architecture.n_layers = 2;
  const auto study = head_study(request).finish();
  const auto again = head_study(request).finish();
  ASSERT_TRUE(study && again);
  EXPECT_EQ(study->heads, again->heads);
  EXPECT_TRUE(value_of(study->at({1, 0}), HeadMeasure::induction)) << "words come again";
  request.architecture.seed = 77;
  EXPECT_NE(study->heads, head_study(request).finish()->heads);
}

TEST(HeadStudy, SaysWhyThereIsNone) {
  HeadStudyRequest request;
  request.on = MeasuredOn::task;
  EXPECT_EQ(head_study(request).finish().error().message, "the model was not trained for a task");
  request.on = MeasuredOn::random;
  request.architecture.d_model = 1024;
  request.architecture.n_layers = 24;
  request.architecture.d_ff = 4096;
  EXPECT_EQ(head_study(request).finish().error().message,
            "the model has more than 50 million random weights");
}

}  // namespace
}  // namespace headscope
