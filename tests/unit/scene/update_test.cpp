// Tests the scene and the events that change it, without any window, thread or file.
#include "core/scene/update.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/checkpoint/language_model.h"
#include "core/engine/opening.h"
#include "core/engine/request.h"
#include "core/engine/text_training.h"
#include "core/model/parameters.h"
#include "core/session/settings.h"
#include "core/train/trainer.h"

namespace headscope {
namespace {

Architecture small_architecture(TaskKind kind) {
  Architecture a = training_recipe(kind).architecture;
  a.d_model = 8;
  a.n_heads = 2;
  a.d_ff = 8;
  return a;
}

/// Weights for a task, like those from training or from a folder.
std::shared_ptr<const TrainedModel> model_of_task(TaskKind kind, const Architecture& architecture,
                                                  const ModelSource& source, int steps) {
  const Task& learned = task(kind);
  const ParameterLayout layout = layout_of(architecture, learned.vocabulary().size());
  return std::make_shared<const TrainedModel>(
      TrainedModel{"",
                   std::string(learned.name()),
                   steps,
                   0,
                   0,
                   model_of(layout, std::vector<float>(layout.size, 0.1F)),
                   learned.vocabulary(),
                   {},
                   source});
}

std::shared_ptr<const TrainedModel> bundled(TaskKind kind) {
  return model_of_task(kind, small_architecture(kind), FolderSource{std::string(task(kind).name()), 1}, 7);
}

template <class Wanted>
const Wanted* find(const Effects& effects) {
  for (const Effect& effect : effects) {
    if (const auto* found = std::get_if<Wanted>(&effect)) return found;
  }
  return nullptr;
}

bool orders(const Effects& effects, TrainingCommand::Kind kind) {
  return std::ranges::any_of(effects, [kind](const Effect& effect) {
    const auto* order = std::get_if<TrainingCommand>(&effect);
    return order != nullptr && order->kind == kind;
  });
}

/// A scene, and the effects of the last event.
struct Played {
  Scene scene;
  Effects effects;

  explicit Played(Session session = default_session()) : scene(session) {
    Update first = start(std::move(session));
    scene = std::move(first.scene);
    effects = std::move(first.effects);
  }
  void play(const Event& event) {
    Update next = update(scene, event);
    scene = std::move(next.scene);
    effects = std::move(next.effects);
  }
  const Session& session() const { return scene.session(); }
};

/// The scene after opening a task's model.
Played with_task(TaskKind kind) {
  Played played;
  played.play(OpenBundled{std::string(task(kind).name())});
  played.play(BundledRead{std::string(task(kind).name()), bundled(kind), ""});
  return played;
}

std::shared_ptr<TrainingProgress> progress_of(const TrainingRun& run, TrainingState state, int steps) {
  auto progress = std::make_shared<TrainingProgress>();
  progress->run = run;
  progress->state = state;
  progress->steps = steps;
  progress->total_steps = 30;
  const TaskSource source{std::string(task(run.task).name()), run.attempt};
  progress->newest = model_of_task(run.task, run.architecture, source, steps);
  return progress;
}

TEST(Update, OpeningATaskReadsItsModelOnceAndShowsIt) {
  Played played;
  played.play(OpenBundled{"copying"});
  const auto* read = find<ReadBundled>(played.effects);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->name, "copying");
  EXPECT_EQ(played.session().task, "") << "nothing changes before the model is there";
  EXPECT_FALSE(shows_expected_weights(played.scene));
  played.play(BundledRead{"copying", bundled(TaskKind::copying), ""});
  EXPECT_EQ(played.session().task, "copying");
  EXPECT_TRUE(shows_expected_weights(played.scene));
  played.play(OpenBundled{});
  EXPECT_FALSE(played.session().model);
  played.play(OpenBundled{"copying"});
  EXPECT_EQ(find<ReadBundled>(played.effects), nullptr);
  EXPECT_TRUE(played.session().model);
}

TEST(Update, ThePageOnWritingBringsAModelThatWritesUnlessItIsLeft) {
  const std::string name(default_writing_model);
  const ModelSearchPaths places{HEADSCOPE_SOURCE_DIR "/assets/models"};
  const std::shared_ptr<const TrainedModel> writer = open_model(name, places).value();
  for (const bool leaves : {true, false}) {
    Played played;
    played.play(OpenBundled{"pronouns"});
    played.play(BundledRead{"pronouns", open_model("pronouns", places).value(), ""});
    played.play(Edit{SetView{PageName::decoding}});
    ASSERT_NE(find<ReadBundled>(played.effects), nullptr);
    if (leaves) played.play(Edit{SetView{PageName::explore}});
    played.play(BundledRead{name, writer, ""});
    EXPECT_EQ(played.session().model->name, leaves ? "pronouns" : name);
    if (leaves) continue;
    played.play(SceneOrder::undo);
    EXPECT_EQ(played.session().model->name, "pronouns");
    played.play(Edit{SetView{PageName::decoding}});
    EXPECT_EQ(played.session().model->name, "pronouns") << "it was brought back on this page";
  }
}

TEST(Update, AModelThatCannotBeReadIsSaidAndChangesNothing) {
  Played played;
  const Session before = played.session();
  played.play(OpenBundled{"copying"});
  played.play(BundledRead{"copying", nullptr, "it is missing"});
  const auto* said = find<ShowMessage>(played.effects);
  ASSERT_NE(said, nullptr);
  EXPECT_TRUE(said->is_warning);
  EXPECT_EQ(said->message, "it is missing");
  EXPECT_EQ(played.session(), before);
}

TEST(Update, AValueThatASettingCannotHaveIsSaidAndChangesNothing) {
  Played played = with_task(TaskKind::copying);
  const Session before = played.session();
  played.play(Edit{set_to("attention.temperature", -1.0)});
  const auto* said = find<ShowMessage>(played.effects);
  ASSERT_NE(said, nullptr);
  EXPECT_TRUE(said->message.starts_with("Nothing was changed: the temperature must be a number from"));
  EXPECT_EQ(played.session(), before);
}

/// A slider of a trained model changes the architecture, starts a training run for it, and shows its weights.
TEST(Update, AnotherArchitectureIsTrainedAndItsWeightsShown) {
  Played played = with_task(TaskKind::copying);
  Architecture wider = played.session().architecture;
  wider.d_model = 16;
  played.play(Edit{set_to("architecture.d_model", wider.d_model)});
  EXPECT_FALSE(played.session().model);
  const auto* order = find<TrainingCommand>(played.effects);
  ASSERT_NE(order, nullptr);
  EXPECT_EQ(order->kind, TrainingCommand::Kind::start);
  EXPECT_EQ(order->run.architecture, wider);
  const TrainingRun run = order->run;
  played.play(TrainingProgressed{progress_of(run, TrainingState::running, 0)});
  ASSERT_TRUE(played.session().model) << "a session without weights takes the first at once";
  EXPECT_EQ(played.session().model->steps, 0);
  played.play(TrainingProgressed{progress_of(run, TrainingState::running, 20)});
  EXPECT_EQ(played.session().model->steps, 0) << "newer ones wait until those before are computed";
  EXPECT_TRUE(is_behind(played.scene));
  played.play(SceneOrder::show_newest);
  EXPECT_EQ(played.session().model->steps, 20);
  EXPECT_FALSE(is_behind(played.scene));
  played.play(SceneOrder::undo);
  EXPECT_TRUE(orders(played.effects, TrainingCommand::Kind::suspend));
  EXPECT_EQ(played.session().architecture, bundled(TaskKind::copying)->model.architecture);
  EXPECT_TRUE(played.session().model);
  played.play(SceneOrder::redo);
  EXPECT_TRUE(orders(played.effects, TrainingCommand::Kind::restore));
  EXPECT_EQ(played.session().model->steps, 20);
}

TEST(Update, ASnapshotThatIsLookedAtStaysUntilTheTrainingIsFollowedAgain) {
  Played played = with_task(TaskKind::copying);
  played.play(SceneOrder::reset_training);
  const auto* order = find<TrainingCommand>(played.effects);
  ASSERT_NE(order, nullptr);
  const TrainingRun run = order->run;
  const auto early = progress_of(run, TrainingState::running, 5);
  played.play(TrainingProgressed{early});
  played.play(TrainingProgressed{progress_of(run, TrainingState::running, 9)});
  played.play(SceneOrder::show_newest);
  EXPECT_EQ(played.session().model->steps, 9);
  played.play(Edit{ShowWeights{early->newest}});
  played.play(SceneOrder::show_newest);
  EXPECT_EQ(played.session().model->steps, 5);
  played.play(SceneOrder::follow_newest);
  played.play(SceneOrder::show_newest);
  EXPECT_EQ(played.session().model->steps, 9);
}

/// A text stays with the model that learns it, also while its training begins again.
TEST(Update, ATextIsLearnedByItsOwnModelAlone) {
  const auto text_of = [](const std::string& line) {
    std::string text;
    for (int i = 0; i < 100; ++i) text += line;
    return open_text({{}, text}, 0, 1).finish().value();
  };
  const OpenedText own = text_of("The cat went home. ");
  Played played = with_task(TaskKind::copying);
  played.play(OpenText{own.model->corpus->sources});
  ASSERT_NE(find<ReadText>(played.effects), nullptr);
  played.play(ModelRead{"own.txt", own.model, own.training});
  EXPECT_EQ(played.session().view, PageName::train);
  EXPECT_EQ(played.session().training, own.training);
  EXPECT_EQ(played.session().sentence, own.model->example);
  EXPECT_TRUE(can_train(played.session()));
  EXPECT_EQ(find<TrainingCommand>(played.effects), nullptr) << "it waits until one trains";
  played.play(SceneOrder::toggle_training);
  const auto* order = find<TrainingCommand>(played.effects);
  ASSERT_NE(order, nullptr);
  const TrainingRun run = order->run;
  EXPECT_EQ(run.corpus, own.model->corpus);
  const ParameterLayout layout = layout_of(own.model->model.architecture, own.model->vocabulary.size());
  const auto snapshot = [&](int steps, const std::shared_ptr<const Corpus>& corpus) {
    return trained_model(layout, initial_parameters(layout), steps, corpus, run.attempt);
  };
  TrainingProgress progress;
  progress.run = run;
  progress.steps = 20;
  progress.newest = snapshot(20, run.corpus);
  played.play(TrainingProgressed{std::make_shared<const TrainingProgress>(progress)});
  played.play(SceneOrder::show_newest);
  EXPECT_EQ(played.session().model->steps, 20);
  const auto other = text_of("A dog went out. ").model->corpus;
  played.play(Edit{ShowWeights{snapshot(30, other)}});
  EXPECT_EQ(played.session().model->steps, 20) << "weights of another text";
  // Undoing something else does not end the training.
  played.play(Edit{SetSentence{"The cat"}});
  played.play(SceneOrder::undo);
  EXPECT_FALSE(orders(played.effects, TrainingCommand::Kind::suspend));
  played.play(SceneOrder::show_newest);
  EXPECT_EQ(played.session().model->steps, 20);
  // Trained weights that Reset replaces come back.
  played.play(SceneOrder::reset_training);
  EXPECT_EQ(open_corpus(played.session()), run.corpus);
  EXPECT_EQ(played.session().model->steps, 0);
  played.play(SceneOrder::undo);
  ASSERT_TRUE(played.session().model);
  EXPECT_EQ(played.session().model->steps, 20);
  EXPECT_EQ(open_corpus(played.session()), run.corpus);
  played.play(SceneOrder::undo);
  EXPECT_EQ(played.session().task, "copying");
  EXPECT_TRUE(orders(played.effects, TrainingCommand::Kind::suspend));
}

TEST(Update, ProgressOfARunThatWasLeftIsNothing) {
  Played played = with_task(TaskKind::copying);
  played.play(SceneOrder::step_training);
  const auto* order = find<TrainingCommand>(played.effects);
  ASSERT_NE(order, nullptr);
  const TrainingRun run = order->run;
  played.play(OpenBundled{});
  const Session before = played.session();
  played.play(TrainingProgressed{progress_of(run, TrainingState::finished, 30)});
  played.play(SceneOrder::show_newest);
  EXPECT_EQ(played.session(), before);
}

TEST(Update, ATokenThatWentWhileTypingIsFoundAgain) {
  Played played = with_task(TaskKind::pronouns);
  played.play(Edit{SetSentence{"The animal slept because it was tired"}});
  played.play(Edit{SelectToken{4}});
  constexpr bool continues = true;
  played.play(Edit{SetSentence{"So"}});
  EXPECT_EQ(played.session().selection.token, 0) << "the last word until then";
  played.play(Edit{SetSentence{"So many words."}, continues});
  EXPECT_EQ(played.session().selection.token, 2) << "a mark is no word";
  played.play(Edit{SetSentence{"So she said that"}, continues});
  EXPECT_EQ(played.session().selection.token, 1);
  played.play(Edit{SetSentence{"So she said that and went"}, continues});
  EXPECT_EQ(played.session().selection.token, 1) << "it stays";
}

/// Whatever brings a long text must not be carried out in a frame, nor what changes one that is there.
TEST(Update, TakesLongIfATextBeforeOrAfterItIsLong) {
  const std::string text(20'000, 'a');
  const Scene empty = start(Session()).scene;
  Session session;
  session.sentence = text;
  OpenModel example;
  example.example = text;
  Lesson lesson;
  lesson.steps.emplace_back().session = session;
  const auto read = std::make_shared<const Lesson>(lesson);
  const std::vector<Event> bring{Edit{SetSentence{text}},
                                 Edit{SetTarget{text}},
                                 Edit{SetBatch{{text}}},
                                 Edit{SetChoices{{{"one"}, {text}}}},
                                 Edit{OpenSession{session}},
                                 Edit{example},
                                 SceneRead{.path = {}, .session = session, .complaint = {}},
                                 LessonRead{read},
                                 LessonWritten{.lesson = read}};
  for (std::size_t i = 0; i < bring.size(); ++i) EXPECT_TRUE(may_block_frame(empty, bring[i])) << i;
  Session holds;
  holds.compared.push_back(session);
  const std::vector<Scene> have{start(session).scene, start(holds).scene, update(empty, bring[2]).scene,
                                update(start(session).scene, Edit{SetSentence{"a"}}).scene,
                                update(empty, LessonRead{read}).scene};
  const Event small = Edit{SetSentence{"short"}};
  for (std::size_t i = 0; i < have.size(); ++i) EXPECT_TRUE(may_block_frame(have[i], small)) << i;
  EXPECT_FALSE(may_block_frame(empty, small));
}

/// A pass must take the tokens that the edit made, and no unchanged text may be tokenised again.
TEST(Update, WhatIsTypedIsTokenisedOnce) {
  std::string sentence;
  for (int i = 0; i < 8192; ++i) sentence += "word" + std::to_string(i % 100) + " ";
  Played played;
  played.play(Edit{SetBatch{{sentence, "another one"}}});
  played.play(Edit{SetSentence{sentence + "a"}});
  const Texts before = played.session().texts;
  ASSERT_EQ(before.sentence().size(), 8193U);
  constexpr bool continues = true;
  played.play(Edit{SetSentence{sentence + "an"}, continues});
  const Texts& now = played.session().texts;
  EXPECT_EQ(now.sentence().back().text, "an");
  EXPECT_EQ(&now.of_batch(0), &now.sentence());
  EXPECT_EQ(&now.of_batch(1), &before.of_batch(1));
  EXPECT_EQ(&now.target(), &before.target());
  const Texts asked = texts_of(request_of(played.session()));
  EXPECT_EQ(&asked.sentence(), &now.sentence());
  EXPECT_EQ(&asked.batch(), &now.batch());
  played.play(SceneOrder::undo);
  EXPECT_EQ(played.session().texts.sentence().size(), 8192U);
  EXPECT_EQ(&played.session().texts.of_batch(1), &before.of_batch(1));
}

TEST(Update, FilesComeBackAsWhatTheyHold) {
  Played played;
  played.play(OpenFile{"mask.npy"});
  const auto* read = find<ReadFile>(played.effects);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->path, "mask.npy");
  const auto mask = std::make_shared<const LoadedMask>(
      LoadedMask{.name = "mask.npy", .rows = 1, .cols = 1, .values = {1.0F}});
  played.play(MaskRead{"mask.npy", mask, "Rows are queries."});
  EXPECT_EQ(played.session().attention.mask.loaded.size(), 1U);
  played.play(SceneOrder::undo);
  EXPECT_TRUE(played.session().attention.mask.loaded.empty());
  Session other = default_session();
  other.sentence = "one two";
  other.picture.theme = ThemeName::dark;
  played.play(SceneRead{"a.png", other, ""});
  EXPECT_EQ(played.session().sentence, "one two");
  EXPECT_EQ(played.session().picture.theme, ThemeName::light) << "the window's";
  played.play(ShowMessage{"b.txt is no figure", true});
  const auto* said = find<ShowMessage>(played.effects);
  ASSERT_NE(said, nullptr);
  EXPECT_EQ(said->message, "b.txt is no figure");
}

}  // namespace
}  // namespace headscope
