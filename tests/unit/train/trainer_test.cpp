#include "core/train/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/engine/engine.h"
#include "core/engine/head_study.h"
#include "core/model/trained_model.h"
#include "core/tasks/task.h"
#include "tests/unit/each_target.h"
#include "tests/unit/instrumented.h"

namespace headscope {
namespace {

/// A task's model with smaller sizes.
TrainingRecipe small_model(TaskKind kind) {
  TrainingRecipe model = training_recipe(kind);
  model.architecture.d_model = 32;
  model.architecture.n_heads = 2;
  model.architecture.d_ff = 64;
  model.options.batch_size = 32;
  return model;
}

std::unique_ptr<Trainer> trainer_of(const Task& task, const TrainingRecipe& model, ThreadPool& pool) {
  auto trainer = Trainer::make(task, model.architecture, model.options, pool);
  EXPECT_TRUE(trainer) << trainer.error().message;
  return std::move(*trainer);
}

TEST(Training, TheLossOfEveryTaskFalls) {
  if (is_instrumented) GTEST_SKIP() << "hundreds of steps, which take a minute in an instrumented build";
  ThreadPool pool;
  for (const TaskKind kind : {TaskKind::pronouns, TaskKind::copying, TaskKind::reversing}) {
    const Task& learned = task(kind);
    const auto trainer = trainer_of(learned, small_model(kind), pool);
    const double before = trainer->evaluate(Split::held_out, 64).loss;
    for (int step = 0; step < 200; ++step) ASSERT_FALSE(trainer->step().diverged);
    const double after = trainer->evaluate(Split::held_out, 64).loss;
    EXPECT_LT(after, 0.9 * before) << learned.name();
    EXPECT_EQ(trainer->steps(), 200);
  }
}

TEST(Training, ATasksOwnModelLearnsItInSeconds) {
  if (is_instrumented) GTEST_SKIP() << "hundreds of steps, which take a minute in an instrumented build";
  ThreadPool pool;
  const Task& reversing = task(TaskKind::reversing);
  const auto trainer = trainer_of(reversing, training_recipe(TaskKind::reversing), pool);
  for (int step = 0; step < 300; ++step) ASSERT_FALSE(trainer->step().diverged);
  EXPECT_GT(trainer->evaluate(Split::held_out, 200).accuracy(0), 0.9);
}

TEST(Training, AStepInSlicesIsTheSameAndMayBeAbandoned) {
  const TaskKind kind = TaskKind::pronouns;
  TrainingRecipe model = small_model(kind);
  model.options.batch_size = 96;
  ThreadPool pool(1);
  const auto whole = trainer_of(task(kind), model, pool);
  const auto sliced = trainer_of(task(kind), model, pool);
  for (int step = 0; step < 5; ++step) {
    whole->step();
    {
      auto abandoned = sliced->step_slices();
      for (int i = 0; i <= step; ++i) ASSERT_TRUE(abandoned.next());
    }
    auto slices = sliced->step_slices();
    int n_slices = 1;
    while (slices.next()) ++n_slices;
    EXPECT_GE(n_slices, 6) << "96 sentences of more than 8 words are at least 5 shards";
    slices.take();
    EXPECT_EQ(sliced->steps(), whole->steps());
    ASSERT_TRUE(std::ranges::equal(sliced->parameters(), whole->parameters())) << step;
    ASSERT_TRUE(std::ranges::equal(sliced->gradients(), whole->gradients())) << step;
  }
}

TEST(Training, EveryTaskTakesEveryLayerThatPredicts) {
  ThreadPool pool(1);
  for (const TaskKind kind : {TaskKind::pronouns, TaskKind::copying, TaskKind::reversing}) {
    for (const OutputLayer output : {OutputLayer::linear, OutputLayer::tied}) {
      TrainingRecipe model = small_model(kind);
      model.architecture.output_layer = output;
      const auto trainer = trainer_of(task(kind), model, pool);
      const std::vector<float> drawn(trainer->parameters().begin(), trainer->parameters().end());
      EXPECT_FALSE(trainer->step().diverged);
      EXPECT_NE(drawn, std::vector<float>(trainer->parameters().begin(), trainer->parameters().end()));
    }
  }
}

/// Tries the choices that a model for a task leaves open, one at a time and some together.
TEST(Training, AnyArchitectureThatIsAcceptedTakesSteps) {
  ThreadPool pool(1);
  const Task& copying = task(TaskKind::copying);
  for (const OutputLayer output : {OutputLayer::linear, OutputLayer::tied}) {
    for (const Positions positions :
         {Positions::none, Positions::sinusoidal, Positions::split, Positions::learned, Positions::rotary,
          Positions::relative, Positions::alibi}) {
      for (const Norm norm : {Norm::none, Norm::pre, Norm::post, Norm::both}) {
        TrainingRecipe model = small_model(TaskKind::copying);
        Architecture& a = model.architecture;
        a.d_model = 16;
        a.n_layers = 1;
        a.output_layer = output;
        a.output_bias = norm != Norm::pre;
        a.positions = positions;
        a.norm = norm;
        a.d_ff = norm == Norm::pre ? 0 : 8;
        a.residual = norm != Norm::post;
        a.scales_embedding = norm != Norm::none;
        a.bias = {norm == Norm::pre, true, false, norm != Norm::pre};
        model.options.batch_size = 2;
        const auto trainer = trainer_of(copying, model, pool);
        ASSERT_TRUE(trainer);
        for (const float parameter : trainer->parameters()) ASSERT_TRUE(std::isfinite(parameter));
        trainer->step();
        EXPECT_TRUE(std::isfinite(trainer->evaluate(Split::held_out, 2).loss));
      }
    }
  }
}

TEST(Training, TwoRunsGiveTheSameBytes) {
  const auto parameters_after = [](std::uint64_t seed) {
    ThreadPool pool(2);
    TrainingRecipe model = small_model(TaskKind::reversing);
    model.options.seed = seed;
    model.options.dropout = 0.1F;
    const auto trainer = trainer_of(task(TaskKind::reversing), model, pool);
    for (int step = 0; step < 20; ++step) trainer->step();
    return std::vector<float>(trainer->parameters().begin(), trainer->parameters().end());
  };
  EXPECT_EQ(parameters_after(1), parameters_after(1));
  EXPECT_NE(parameters_after(1), parameters_after(2));
}

TEST(TrainingLong, TheWeightsDoNotDependOnTheProcessorsVectors) {
  std::vector<float> fused;
  for_each_target([&](std::int64_t target) {
    if (!is_fused(target)) return;
    ThreadPool pool(2);
    const auto trainer = trainer_of(task(TaskKind::pronouns), small_model(TaskKind::pronouns), pool);
    for (int step = 0; step < 20; ++step) trainer->step();
    const std::vector<float> learned(trainer->parameters().begin(), trainer->parameters().end());
    if (fused.empty()) fused = learned;
    EXPECT_EQ(fused, learned);
  });
}

TEST(Training, ALearningRateThatDivergesIsNoticedAndTheLastGoodWeightsKept) {
  ThreadPool pool(1);
  TrainingRecipe model = small_model(TaskKind::copying);
  model.options.adam.learning_rate = 5.0F;
  model.options.adam.warm_up = 100;
  const auto trainer = trainer_of(task(TaskKind::copying), model, pool);
  bool diverged = false;
  for (int step = 0; step < 400 && !diverged; ++step) diverged = trainer->step().diverged;
  ASSERT_TRUE(diverged);
  for (const float number : trainer->parameters()) ASSERT_TRUE(std::isfinite(number));
  const std::vector<float> kept(trainer->parameters().begin(), trainer->parameters().end());
  EXPECT_TRUE(trainer->step().diverged);
  EXPECT_EQ(kept, std::vector<float>(trainer->parameters().begin(), trainer->parameters().end()));
  const Score score = trainer->evaluate(Split::train, 64);
  EXPECT_TRUE(std::isfinite(score.loss));
}

TEST(Training, ArchitecturesThatCannotLearnTheTaskAreRefused) {
  ThreadPool pool(1);
  const auto refused = [&pool](auto change) {
    TrainingRecipe model = training_recipe(TaskKind::pronouns);
    change(model.architecture);
    const auto trainer = Trainer::make(task(TaskKind::pronouns), model.architecture, model.options, pool);
    return trainer ? std::string() : trainer.error().message;
  };
  EXPECT_EQ(refused([](Architecture&) {}), "");
  EXPECT_NE(refused([](Architecture& a) { a.stacks = Stacks::decoder; }).find("only an encoder"),
            std::string::npos);
  EXPECT_NE(refused([](Architecture& a) { a.output_layer = OutputLayer::none; }).find("predicts no words"),
            std::string::npos);
  EXPECT_NE(refused([](Architecture& a) { a.d_model = 65; }).find("65"), std::string::npos);
}

/// What training computes for many sentences at once must equal what the engine computes for one.
TEST(Training, ForwardIsThePassThatTheWindowShows) {
  ThreadPool pool(1);
  Engine engine(1);
  for (const TaskKind kind : {TaskKind::pronouns, TaskKind::copying, TaskKind::reversing}) {
    const Task& learned = task(kind);
    for (const Positions positions :
         {Positions::sinusoidal, Positions::rotary, Positions::relative, Positions::alibi}) {
      TrainingRecipe model = small_model(kind);
      model.architecture.positions = positions;
      const auto trainer = trainer_of(learned, model, pool);
      for (int step = 0; step < 3; ++step) trainer->step();

      RandomStream random(5);
      std::vector<Example> examples;
      for (int i = 0; i < 6; ++i) examples.push_back(learned.draw(random, Split::held_out));
      const Shard shard = shards_of(examples, learned.parts(), 1).front();
      Network<float> network(trainer->layout());
      const RowMatrix<float>& logits = network.forward(shard, trainer->parameters().data());

      Request request;
      request.architecture = model.architecture;
      request.attention.mask.causal = kind == TaskKind::copying;
      request.model = std::make_shared<const TrainedModel>(
          TrainedModel{"", std::string(learned.name()), 3, 0, 0, trainer->model(), learned.vocabulary()});
      for (std::size_t e = 0; e < examples.size(); ++e) {
        request.sentence = text_of(learned.vocabulary(), examples[e].source);
        if (!examples[e].target.empty()) request.target = text_of(learned.vocabulary(), examples[e].target);
        const auto trace = engine.compute(request);
        ASSERT_TRUE(trace) << trace.error().message;
        const MatrixView shown = (*trace)->value({.kind = StageKind::logits});
        const int first = shard.last_stack().begin(static_cast<int>(e));
        ASSERT_EQ(shown.rows, shard.last_stack().length(static_cast<int>(e)));
        for (int r = 0; r < shown.rows; ++r) {
          for (int c = 0; c < shown.cols; ++c) ASSERT_NEAR(shown(r, c), logits.row(first + r)[c], 2e-4F);
        }
      }
    }
  }
}

TEST(Training, AContinuedRunGivesTheBytesOfOneThatWasNotInterrupted) {
  ThreadPool pool(2);
  TrainingRecipe model = small_model(TaskKind::copying);
  model.options.max_gradient_norm = 0.5F;
  model.options.adam.decays_matrices_only = true;
  model.options.adam.weight_decay = 0.1F;
  const auto whole = trainer_of(task(TaskKind::copying), model, pool);
  const auto first = trainer_of(task(TaskKind::copying), model, pool);
  for (int step = 0; step < 3; ++step) first->step();
  const auto second = trainer_of(task(TaskKind::copying), model, pool);
  second->restore(first->state());
  for (int step = 0; step < 6; ++step) whole->step();
  for (int step = 0; step < 3; ++step) second->step();
  EXPECT_EQ(second->steps(), 6);
  EXPECT_TRUE(std::ranges::equal(whole->parameters(), second->parameters()));
}

TEST(Training, AGradientAboveTheLimitIsScaledDown) {
  ThreadPool pool(1);
  TrainingRecipe model = small_model(TaskKind::copying);
  model.options.max_gradient_norm = 0.01F;
  const auto trainer = trainer_of(task(TaskKind::copying), model, pool);
  EXPECT_GT(trainer->step().gradient_norm, 0.01);
  double squares = 0.0;
  for (const float g : trainer->gradients()) squares += static_cast<double>(g) * static_cast<double>(g);
  EXPECT_NEAR(std::sqrt(squares), 0.01, 1e-6);
}

}  // namespace
}  // namespace headscope
