// Tests trained models in the window: the one that is opened at the start, the other ones, and training while
// the user watches.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/checkpoint/model_folder.h"
#include "core/checkpoint/saved_session.h"
#include "core/engine/opening.h"
#include "core/model/trained_model.h"
#include "core/page/pages.h"
#include "core/paint/picture_reader.h"
#include "core/system/process.h"
#include "core/trace/summary.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

Settings opening_settings() {
  Settings settings;
  const auto session = startup_session(bundled_model_folders());
  EXPECT_TRUE(session.has_value());
  if (session) settings.session = *session;
  return settings;
}

class Training : public testing::Test {
 protected:
  void SetUp() override { driver_.settle(); }

  /// Uses a model that is small enough to learn at once.
  void use_small_model() {
    driver_.app().apply(test::with(driver_.session(), TrainingSettings{30, 4, 2e-3F}));
    driver_.app().apply(test::with(driver_.session(), test::smallest(driver_.session().architecture)));
  }
  Targets targets_shown() {
    const ResultCache& results = driver_.app().screen().memo.results;
    return **results.ready_result(*results.last<ExpectedWords>());
  }
  std::shared_ptr<const TrainingProgress> progress() { return driver_.app().scene().training.progress; }
  void wait_for(TrainingState state) {
    driver_.wait_until("the training's state", [&] { return progress() && progress()->state == state; });
    driver_.settle();
  }
  /// The weight that the selected token gives to a word in the selected head.
  float given_to(const std::string& word) const {
    const Trace& trace = driver_.trace();
    const StageId stage = driver_.session().selection.at(StageKind::weights);
    const auto& tokens = trace.tokens(Stack::encoder);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].lookup == word)
        return trace.value(stage)(*driver_.session().selection.token, static_cast<int>(i));
    }
    return -1.0F;
  }

  /// The number of files and folders in a folder.
  static int n_entries(const std::filesystem::path& folder) {
    return static_cast<int>(
        std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
  }

  AppDriver driver_{{1280, 800}, 1.0F, opening_settings()};
};
using TrainingLong = Training;

/// A text that is opened like any other file is learned on the page, with a sample, and kept in a scene.
TEST_F(Training, LearnsATextOfOnesOwn) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "cats.txt";
  {
    std::ofstream text(file);
    for (int i = 0; i < 200; ++i) text << (i % 3 == 0 ? "The cat sleeps here. " : "A small dog runs home. ");
  }
  driver_.app().dispatch(OpenFile{file.string()});
  driver_.wait_until("the text", [&] { return driver_.session().model->corpus != nullptr; });
  driver_.settle();
  EXPECT_EQ(driver_.session().view, PageName::train);
  EXPECT_FALSE(find_text("cats.txt").empty());
  EXPECT_TRUE(screen_contains("more characters are held out"));
  driver_.app().apply(test::with(driver_.session(), TrainingSettings{40, 4, 4e-3F}));
  driver_.app().dispatch(SceneOrder::toggle_training);
  wait_for(TrainingState::finished);
  EXPECT_EQ(driver_.session().model->steps, 40);
  ASSERT_FALSE(progress()->samples.empty());
  EXPECT_FALSE(find_text("What it writes").empty());
  EXPECT_FALSE(find_text("after " + std::to_string(progress()->samples.back().step) + " steps").empty());
  const ModelRef trained = driver_.session().model;
  const std::filesystem::path figures = folder / "figures";
  std::filesystem::create_directories(figures);
  driver_.app().start_export({ExportKind::figure, FileType::svg, 1, figures.string()});
  driver_.settle();
  EXPECT_EQ(n_entries(figures), 2) << "the figure, and the model that its scene opens";
  const std::filesystem::path scene = folder / "cats.headscope";
  const auto written = write_scene(scene, driver_.session());
  ASSERT_TRUE(written) << written.error().message;
  driver_.app().dispatch(OpenBundled{"copying"});
  driver_.settle();
  driver_.app().dispatch(OpenFile{scene.string()});
  driver_.wait_until("the scene", [&] {
    return driver_.session().model != nullptr && driver_.session().model->task.empty();
  });
  driver_.settle();
  EXPECT_EQ(driver_.session().model->steps, 40);
  EXPECT_EQ(content_hash(*driver_.session().model), content_hash(*trained));
  EXPECT_TRUE(screen_contains("The text is not open"));
}

/// A refused text must not stay refused once another one is open.
TEST_F(Training, ARefusedTextIsForgottenOnceAnotherOneIsOpen) {
  driver_.app().dispatch(OpenText{{{}, "too short"}});
  driver_.wait_until("the refusal", [&] { return screen_contains("training needs 256"); });
  std::string text;
  for (int i = 0; i < 200; ++i) text += i % 3 == 0 ? "The cat sleeps here. " : "A small dog runs home. ";
  driver_.app().dispatch(OpenText{{{}, text}});
  driver_.wait_until("the text", [&] { return driver_.session().model->corpus != nullptr; });
  driver_.wait_until("its message",
                     [&] { return screen_contains("Opened " + std::string(pasted_text_name)); });
  driver_.wait_until("its end", [&] { return driver_.app().screen().toasts.empty(); });
}

TEST_F(Training, AsksBeforeItDropsTrainedWeights) {
  const auto click = [&](const char* text) {
    const std::vector<Box> found = find_text(text);
    ASSERT_FALSE(found.empty()) << text;
    driver_.click({found.back().x + 4.0F, found.back().y + 4.0F});
    driver_.settle();
  };
  driver_.press(PageName::train);
  driver_.settle();
  const ModelRef trained = driver_.session().model;
  ASSERT_TRUE(trained);
  for (const char* button : {"Train", "Step"}) {
    click(button);
    EXPECT_TRUE(screen_contains("Undo brings these weights back"));
    click("Keep these");
    EXPECT_EQ(driver_.session().model, trained);
  }
  for (const CommandId order : {CommandId::train, CommandId::train_step}) {
    driver_.press(PageName::explore);
    driver_.press(order);
    EXPECT_EQ(driver_.session().view, PageName::train);
    EXPECT_TRUE(screen_contains("Undo brings these weights back")) << "a key asks, too";
    click("Keep these");
    EXPECT_EQ(driver_.session().model, trained);
  }
  click("Step");
  click("Begin with random weights");
  EXPECT_NE(driver_.session().model, trained);
  driver_.press(CommandId::undo);
  driver_.settle();
  EXPECT_EQ(driver_.session().model, trained);
}

TEST_F(Training, OpensOnTheHeadThatShowsWhatItStandsFor) {
  EXPECT_EQ(driver_.session().task, "pronouns");
  ASSERT_TRUE(driver_.session().selection.token.has_value());
  EXPECT_GE(given_to("animal"), 0.8F);
  EXPECT_LE(given_to("street"), 0.2F);
  EXPECT_TRUE(screen_contains("The model's answer for “it”"));
  driver_.paste_sentence("The animal didn't cross the street because it was too wide");
  driver_.settle();
  EXPECT_GE(given_to("street"), 0.8F);
  EXPECT_LE(given_to("animal"), 0.2F);
  EXPECT_TRUE(screen_contains("before: animal 0.99")) << "the inspector says what the edit has changed";
  driver_.app().apply(ChangeSettings{{{"attention.temperature", 2.0}}});
  driver_.settle();
  EXPECT_FALSE(screen_contains("before: animal")) << "now more than the sentence has changed";
}

TEST_F(Training, ACausalMaskTakesTheDecidingWordAwayAndTheInspectorSaysSo) {
  const auto row_of_it = [&] {
    const MatrixView weights = driver_.trace().value(driver_.session().selection.at(StageKind::weights));
    const auto row = weights.row(*driver_.session().selection.token);
    return std::vector<float>(row.begin(), row.end());
  };
  driver_.press(CommandId::toggle_causal);
  driver_.settle();
  EXPECT_TRUE(screen_contains("hides the 3 words after"));
  const auto tired = row_of_it();
  driver_.paste_sentence("The animal didn't cross the street because it was too wide");
  driver_.settle();
  EXPECT_EQ(row_of_it(), tired);
  driver_.app().run(CommandId::toggle_causal);  // its key would be typed into the sentence
  driver_.settle();
  EXPECT_FALSE(screen_contains("hides the 3 words after"));
}

TEST_F(Training, EveryTaskOpensWithASentenceOfItsOwnAndUntrainedIsOneStepAway) {
  driver_.press(CommandId::open_copying);
  driver_.settle();
  EXPECT_EQ(driver_.session().task, "copying");
  EXPECT_EQ(driver_.session().sentence, task(TaskKind::copying).example_sentences().front());
  driver_.press(CommandId::open_reversing);
  driver_.settle();
  EXPECT_EQ(driver_.session().selection.attention, AttentionKind::cross);
  EXPECT_TRUE(driver_.session().target.starts_with("[begin]"));
  driver_.press(CommandId::open_untrained);
  driver_.settle();
  EXPECT_EQ(driver_.session().task, "");
  EXPECT_TRUE(driver_.trace().is_untrained());
  driver_.press(CommandId::undo);
  driver_.settle();
  EXPECT_EQ(driver_.session().task, "reversing");
  EXPECT_FALSE(driver_.trace().is_untrained());
}

TEST_F(Training, AnotherArchitectureIsTrainedByItselfAndTheOldOneIsThereAtOnce) {
  const auto bundled = driver_.session().model;
  use_small_model();
  wait_for(TrainingState::finished);
  ASSERT_NE(driver_.session().model, nullptr);
  EXPECT_EQ(driver_.session().model->steps, 30);
  EXPECT_EQ(driver_.trace().architecture().d_model, 8);
  EXPECT_FALSE(driver_.trace().is_untrained());
  driver_.press(CommandId::undo);
  driver_.settle();
  EXPECT_EQ(driver_.session().model, bundled);
  Architecture same = bundled->model.architecture;
  ++same.d_ff;
  driver_.app().apply(test::with(driver_.session(), same));
  driver_.frames(2);
  driver_.app().apply(test::with(driver_.session(), bundled->model.architecture));
  driver_.settle();
  ASSERT_NE(driver_.session().model, nullptr);
  EXPECT_EQ(driver_.session().model->name, "pronouns")
      << "a bundled architecture has the bundled weights at once";
}

TEST_F(Training, TrainingAnewIsOneStepOfUndoAndRedoFindsTheRunAgain) {
  const auto bundled = driver_.session().model;
  driver_.app().dispatch(SceneOrder::step_training);
  driver_.wait_until("a step", [&] { return progress() && progress()->steps == 1; });
  driver_.settle();
  EXPECT_EQ(driver_.session().model->steps, 1);
  driver_.press(CommandId::undo);
  driver_.settle();
  EXPECT_EQ(driver_.session().model, bundled);
  EXPECT_EQ(progress(), nullptr);
  driver_.press(CommandId::redo);
  wait_for(TrainingState::paused);
  EXPECT_EQ(driver_.session().model->steps, 1);
  driver_.press(CommandId::train_step);
  driver_.wait_until("the next step of the same run", [&] { return progress()->steps == 2; });
}

TEST_F(TrainingLong, ARunGoesOnWhereItWasAfterAnotherArchitectureIsUndone) {
  use_small_model();
  wait_for(TrainingState::finished);
  driver_.app().apply(test::with(driver_.session(), TrainingSettings{4000, 64, 2e-3F}));
  driver_.press(CommandId::train);
  driver_.wait_until("some more steps", [&] { return progress() && progress()->steps > 40; });
  driver_.press(CommandId::train);
  wait_for(TrainingState::paused);
  const int steps = progress()->steps;
  Architecture other = driver_.session().architecture;
  other.d_ff = 16;
  driver_.app().apply(test::with(driver_.session(), other));
  driver_.wait_until("the other's training", [&] { return progress() && progress()->newest; });
  driver_.press(CommandId::undo);
  wait_for(TrainingState::paused);
  EXPECT_EQ(progress()->steps, steps);
  EXPECT_EQ(driver_.session().model->steps, steps);
  driver_.press(CommandId::train);
  driver_.wait_until("a later step", [&] { return progress()->steps > steps; });
  driver_.press(CommandId::train);
  wait_for(TrainingState::paused);
}

TEST_F(Training, ThePageTrainsStepsResetsAndLooksBack) {
  use_small_model();
  wait_for(TrainingState::finished);
  driver_.press(PageName::train);
  driver_.settle();
  EXPECT_TRUE(screen_contains("Loss"));
  EXPECT_TRUE(screen_contains("Accuracy"));
  driver_.press(CommandId::train_reset);
  wait_for(TrainingState::paused);
  EXPECT_EQ(driver_.session().model->steps, 0);
  driver_.press(CommandId::train_step);
  driver_.wait_until("a step", [&] { return progress()->steps == 1; });
  driver_.settle();
  EXPECT_EQ(driver_.session().model->steps, 1);
  driver_.press(CommandId::train);
  wait_for(TrainingState::finished);
  EXPECT_EQ(driver_.session().model->steps, 30);

  driver_.app().apply(ShowWeights{progress()->kept.front()});
  driver_.settle();
  EXPECT_EQ(driver_.session().model->steps, 0) << "looking back stays there";
  driver_.frames(5);
  EXPECT_EQ(driver_.session().model->steps, 0);
  driver_.press(CommandId::show_latest_weights);
  driver_.settle();
  EXPECT_EQ(driver_.session().model->steps, 30);
}

TEST_F(Training, EveryPartOfThePageDrawsItself) {
  use_small_model();
  wait_for(TrainingState::finished);
  driver_.window().resize({1920, 1080});
  driver_.press(PageName::train);
  EXPECT_TRUE(screen_contains("Accuracy"));
  driver_.window().mouse_move(1800.0F, 900.0F);
  constexpr float to_the_end = -100.0F;
  driver_.window().mouse_wheel(0.0F, to_the_end);
  driver_.settle();
  EXPECT_TRUE(screen_contains("∂ loss")) << "the gradient of a matrix";
  EXPECT_TRUE(screen_contains("d_model") && screen_contains("d_head")) << "its axes have their names";
  EXPECT_TRUE(screen_contains("one-hot"));
  EXPECT_TRUE(screen_contains("cross-entropy"));
  driver_.press(CommandId::open_untrained);
  driver_.settle();
  EXPECT_TRUE(screen_contains("There is no task to learn here"));
}

TEST_F(Training, ASnapshotThatIsLookedBackToIsCalledSoOnEveryPage) {
  use_small_model();
  wait_for(TrainingState::finished);
  driver_.app().run(PageName::explore);
  driver_.settle();
  EXPECT_TRUE(screen_contains("done"));
  ASSERT_GE(progress()->kept.size(), 2U);
  driver_.app().apply(ShowWeights{progress()->kept.front()});
  for (const PageName view : {PageName::explore, PageName::heads, PageName::words}) {
    driver_.app().run(view);
    driver_.settle();
    EXPECT_TRUE(screen_contains("a snapshot"));
    EXPECT_TRUE(find_text("done").empty());  // “and one”, without its space, also has these letters
    EXPECT_FALSE(screen_contains(", your own"));
    EXPECT_TRUE(screen_contains("step 0 of 30"));
  }
  driver_.app().run(CommandId::show_latest_weights);
  driver_.settle();
  EXPECT_TRUE(screen_contains("done"));
}

TEST_F(Training, WhatCannotBeTrainedSaysWhy) {
  Architecture a = driver_.session().architecture;
  a.output_layer = OutputLayer::none;
  driver_.app().apply(test::with(driver_.session(), a));
  driver_.settle();
  ASSERT_TRUE(progress());
  EXPECT_EQ(progress()->state, TrainingState::refused);
  EXPECT_TRUE(screen_contains("Not trained"));
  EXPECT_TRUE(driver_.trace().is_untrained());
}

TEST_F(Training, TheSheetOfWhatItKnowsChoosesASentence) {
  driver_.press(CommandId::known_words);
  driver_.settle();
  const std::string sentence = task(TaskKind::pronouns).example_sentences()[3];
  ASSERT_TRUE(screen_contains(sentence));
  std::string without_spaces = sentence;  // the chip below the sentence leaves out its middle
  std::erase(without_spaces, ' ');
  const auto letters = find_letters(without_spaces);
  ASSERT_FALSE(letters.empty());
  driver_.click({letters.front().x + 2.0F, letters.front().y + 2.0F});
  driver_.settle();
  EXPECT_EQ(driver_.session().sentence, sentence);
  EXPECT_FALSE(driver_.app().screen().known_words.open);
}

TEST_F(Training, AnUnknownWordIsUnderlined) {
  driver_.paste_sentence("The zorp didn't cross the street because it was too tired");
  driver_.settle();
  const auto& unknown = driver_.app().screen().memo.strip.spec.unknown;
  ASSERT_EQ(unknown.size(), 11U);
  for (std::size_t i = 0; i < unknown.size(); ++i) EXPECT_EQ(unknown[i], i == 1) << i;
}

TEST_F(Training, ASentenceTypedAnewIsLookedAtWhereItsTaskAsks) {
  driver_.paste_sentence("The woman could not cross the river because she was too tired");
  driver_.settle();
  EXPECT_EQ(driver_.session().selection.token, 8);
  driver_.paste_sentence("The sky is ___ and the grass is green");
  driver_.settle();
  EXPECT_EQ(driver_.session().selection.token, 3);
  EXPECT_TRUE(screen_contains("What fills the blank"));
  driver_.app().apply(SelectToken{std::nullopt});
  driver_.paste_sentence("The animal didn't cross the street because it was too tired");
  driver_.settle();
  EXPECT_EQ(driver_.session().selection.token, std::nullopt) << "who looks at nothing is left alone";
}

TEST_F(Training, TheTargetFollowsTheSourceWhileItIsTheWantedOne) {
  driver_.press(CommandId::open_reversing);
  driver_.settle();
  driver_.paste_sentence("dog tree lamp");
  driver_.settle();
  EXPECT_EQ(driver_.session().target, "[begin] lamp tree dog");
  driver_.app().apply(SetTarget{"[begin] lamp"});
  driver_.paste_sentence("dog tree");
  driver_.settle();
  EXPECT_EQ(driver_.session().target, "[begin] lamp") << "what somebody wrote stays";
}

TEST_F(Training, OpeningAModelPutsBackWhatItWasTrainedWith) {
  driver_.press(CommandId::toggle_train);
  driver_.press(CommandId::toggle_causal);
  driver_.press(CommandId::open_copying);
  driver_.settle();
  EXPECT_FALSE(driver_.session().attention.has_dropout());
  EXPECT_TRUE(driver_.session().attention.mask.causal);
  driver_.press(CommandId::open_pronouns);
  driver_.settle();
  EXPECT_FALSE(driver_.session().attention.mask.causal);
}

/// The mouse is over a map of the old task in the very frame in which another task is opened.
TEST_F(Training, TargetsBelongToThePassThatTheyAreShownBeside) {
  driver_.press(PageName::train);
  driver_.settle();
  for (int y = 420; y < 760; y += 20) {
    driver_.window().mouse_move(640.0F, static_cast<float>(y));
    driver_.frames(1);
    driver_.app().run(CommandId::open_copying);
    driver_.frames(1);
    driver_.app().run(CommandId::open_pronouns);
    driver_.frames(1);
  }
  driver_.settle();
  const Targets targets = targets_shown();
  EXPECT_EQ(targets.rows.size(), 11U);
  EXPECT_LT(targets.mean_loss, 0.1);
}

TEST_F(Training, ThePaddingOfABatchIsNotWanted) {
  driver_.press(CommandId::open_reversing);
  driver_.press(PageName::train);
  driver_.settle();
  const double alone = targets_shown().mean_loss;
  driver_.app().apply(SetBatch{{driver_.session().sentence, "cat moon egg fish rain dog bread lamp"}});
  driver_.settle();
  EXPECT_NEAR(targets_shown().mean_loss, alone, 1e-3);
}

TEST_F(Training, OneRestlessWorkerNeverKeepsTheExportsWaiting) {
  use_small_model();
  driver_.app().apply(test::with(driver_.session(), TrainingSettings{training_limits::max_steps, 4, 1e-3F}));
  driver_.press(CommandId::train_reset);
  driver_.app().run(CommandId::train);
  driver_.wait_until("steps", [&] { return progress() && progress()->steps > 20; });
  const auto folder = std::filesystem::temp_directory_path() / "headscope-training-export";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  driver_.app().start_export({ExportKind::csv, FileType::png, 1, folder.string()});
  driver_.app().start_export({ExportKind::figure, FileType::png, 1, folder.string()});
  driver_.app().start_export({ExportKind::model, FileType::png, 1, folder.string()});
  // Counts the models: one beside the figure, and the requested one. A folder that is being written is not
  // yet a model.
  const auto n_models = [&] {
    int n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.is_directory()) n += load_model(entry.path()).has_value() ? 1 : 0;
    }
    return n;
  };
  driver_.wait_until("the files", [&] { return n_entries(folder) == 4 && n_models() == 2; });
  driver_.app().run(CommandId::train);
  driver_.settle();
  std::filesystem::remove_all(folder);
}

TEST_F(Training, AModelIsSavedOnceBesideItsFigures) {
  use_small_model();
  driver_.app().apply(test::with(driver_.session(), TrainingSettings{20, 4, 1e-3F}));
  driver_.press(CommandId::train_reset);
  driver_.app().run(CommandId::train);
  driver_.wait_until("the end", [&] { return progress() && progress()->state == TrainingState::finished; });
  driver_.settle();
  const auto folder = std::filesystem::temp_directory_path() / "headscope-saved-once";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const ExportRequest figure{ExportKind::figure, FileType::svg, 1, folder.string()};
  for (const PageName view : {PageName::explore, PageName::stages, PageName::heads}) {
    driver_.press(view);
    driver_.app().start_export(figure);
    driver_.settle();
  }
  EXPECT_EQ(n_entries(folder), 4) << "three figures, and the model that all of them name";
  std::string name;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_directory()) name = entry.path().filename().string();
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_directory()) continue;
    std::ifstream file(entry.path());
    const std::string svg((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    EXPECT_NE(metadata_in(svg).back().text.find("\"model\":\"" + name + "\""), std::string::npos)
        << entry.path();
  }
  // A model folder that has been removed or now holds something else is written again.
  std::filesystem::remove_all(folder / name);
  driver_.app().start_export(figure);
  driver_.settle();
  EXPECT_TRUE(load_model(folder / name));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace headscope
