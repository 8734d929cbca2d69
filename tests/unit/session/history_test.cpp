#include "core/session/history.h"

#include <gtest/gtest.h>

#include "core/model/trained_model.h"
#include "core/session/settings.h"
#include "tests/unit/session/random_session.h"

namespace headscope {
namespace {

int undo_all(History& history) {
  int steps = 0;
  for (; history.can_undo(); ++steps) history.undo();
  return steps;
}

TEST(History, UndoAllTheWayGivesTheFirstSessionAndRedoTheLast) {
  RandomSession random(21);
  for (int run = 0; run < 100; ++run) {
    const Session first = random.session();
    History history(first);
    std::vector<Session> steps;
    for (int i = 0; i < 60; ++i) {
      const Action action = random.action(history.present());
      if (undo_role(action).is_step) history.apply(action, random.coin());
    }
    const Session last = history.present();
    const int n_undone = undo_all(history);
    ASSERT_EQ(history.present(), first);
    int n_redone = 0;
    for (; history.can_redo(); ++n_redone) history.redo();
    ASSERT_EQ(history.present(), last);
    ASSERT_EQ(n_redone, n_undone);
  }
}

TEST(History, EveryUndoChangesSomething) {
  RandomSession random(22);
  History history(default_session());
  for (int i = 0; i < 500; ++i) history.apply(random.action(history.present()), random.coin());
  while (history.can_undo()) {
    const Session present = history.present();
    ASSERT_FALSE(history.past().empty());
    history.undo();
    ASSERT_NE(history.present(), present);
  }
  EXPECT_TRUE(history.past().empty());
}

TEST(History, OneRunOfTypingIsOneStep) {
  History history(default_session());
  std::string typed;
  bool continues = false;
  for (const char letter : std::string("hello")) {
    typed += letter;
    history.apply(SetSentence{typed}, continues);
    continues = true;
  }
  history.apply(SetSentence{"another run"}, false);
  history.undo();
  EXPECT_EQ(history.present().sentence, "hello");
  history.undo();
  EXPECT_EQ(history.present(), default_session());
  EXPECT_FALSE(history.can_undo());
}

TEST(History, WhatIsSelectedComesBackWhenAWordIsTypedInFrontOfIt) {
  Session session = default_session();
  session.sentence = "because it was tired";
  session.selection.token = 1;
  session.attention.mask.painted = {{1, 0}, {1, 3}};
  session.attention.mask.padding = {1};
  session.selection.pin = Pin{session.selection.at(StageKind::weights), 1, 3};
  History history(session);
  const std::string typed = "maybe ";
  for (std::size_t n = 1; n <= typed.size(); ++n) {
    history.apply(SetSentence{"because " + typed.substr(0, n) + "it was tired"}, n > 1);
    const int expected = n < typed.size() ? 1 : 2;  // until the space, “maybe” and “it” are one word
    EXPECT_EQ(history.present().selection.token, expected) << n;
    EXPECT_EQ(history.present().attention.mask.padding, std::vector<int>{expected}) << n;
    ASSERT_EQ(history.present().attention.mask.painted.size(), 2U) << n;
    ASSERT_TRUE(history.present().selection.pin) << n;
    EXPECT_EQ(history.present().selection.pin->row, expected) << n;
  }
  EXPECT_EQ(history.present().attention.mask.painted, (std::vector<Cell>{{2, 0}, {2, 4}}));
  history.undo();
  EXPECT_EQ(history.present(), session);
}

TEST(History, DifferentActionsDoNotMerge) {
  History history(default_session());
  history.apply(SetSentence{"a b"}, false);
  history.apply(paint_cell({0, 1}, true), true);
  EXPECT_EQ(undo_all(history), 2);
}

/// The first cell of the second stroke is already painted, so it changes nothing.
TEST(History, AStrokeDoesNotMergeIntoTheOneBefore) {
  History history(default_session());
  history.apply(paint_cell({0, 1}, true), false);
  history.apply(paint_cell({0, 2}, true), true);
  history.apply(paint_cell({0, 2}, true), false);
  history.apply(paint_cell({0, 3}, true), true);
  history.undo();
  EXPECT_EQ(history.present().attention.mask.painted, (std::vector<Cell>{{0, 1}, {0, 2}}));
}

TEST(History, AGestureThatEndsWhereItBeganLeavesNoStep) {
  History slider(default_session());
  slider.apply(set_to("attention.temperature", 2.0), false);
  slider.apply(set_to("attention.temperature", 1.0), true);
  EXPECT_FALSE(slider.can_undo());
  slider.apply(set_to("attention.temperature", 2.0), true);
  EXPECT_EQ(undo_all(slider), 1);
  EXPECT_EQ(slider.present(), default_session());
}

TEST(History, SelectingMakesNoStepAndKeepsWhatCanBeRedone) {
  History history(default_session());
  history.apply(SetSentence{"a b c"}, false);
  history.undo();
  history.apply(SelectToken{2}, false);
  history.apply(select_head(1), false);
  history.apply(PinCell{{{StageKind::weights}, 0, 0}}, false);
  history.apply(set_selected(&Selection::pin, {}), false);
  EXPECT_FALSE(history.can_undo());
  ASSERT_TRUE(history.can_redo());
  history.redo();
  EXPECT_EQ(history.present().sentence, "a b c");
  history.undo();
  EXPECT_EQ(history.present().selection.token, 2);
}

TEST(History, ANewStepEndsRedo) {
  History history(default_session());
  history.apply(SetSentence{"a"}, false);
  history.undo();
  history.apply(SetSentence{"b"}, false);
  EXPECT_FALSE(history.can_redo());
  history.redo();
  EXPECT_EQ(history.present().sentence, "b");
}

TEST(History, UndoStaysOnThePageUnlessTheStepLedToAnother) {
  History history(default_session());
  history.apply(SetView{PageName::textbooks}, false);
  history.apply(SetSentence{"a"}, false);
  history.apply(SetView{PageName::model}, false);
  history.apply(SetSentence{"b"}, false);
  history.apply(SetView{PageName::lines}, false);
  history.undo();
  history.undo();
  EXPECT_EQ(history.present().sentence, default_session().sentence);
  EXPECT_EQ(history.present().view, PageName::lines);
  history.apply(SetView{PageName::words}, false);
  history.redo();
  EXPECT_EQ(history.present().view, PageName::words);
  history.apply(load_preset("Your own 2 × 2"), false);
  ASSERT_EQ(history.present().view, PageName::by_hand);
  history.undo();
  EXPECT_EQ(history.present().view, PageName::words);
}

TEST(History, KeepsAThousandSteps) {
  History history(default_session());
  for (int i = 0; i < 1500; ++i) history.apply(SetSentence{"word" + std::to_string(i)}, false);
  EXPECT_EQ(undo_all(history), 1000);
  EXPECT_EQ(history.present().sentence, "word499");
}

TEST(History, KeepsNoMoreTrainedWeightsThanHalfAGigabyte) {
  Architecture large;
  large.d_model = 1024;
  large.n_heads = 1;
  const double bytes = model_bytes(large);
  const int fit = static_cast<int>(512.0 * (1U << 20U) / bytes);
  ASSERT_GT(fit, 2);
  History history(default_session());
  for (int i = 0; i < 2 * fit; ++i) {
    Model weights;
    weights.architecture = large;
    OpenModel open;
    open.model = std::make_shared<const TrainedModel>(
        TrainedModel{"", "", i, 0, 0, std::move(weights), *Vocabulary::make({"word"})});
    history.apply(open, false);
    for (int word = 0; word < 2; ++word) {  // steps that share weights take no more memory
      history.apply(SetSentence{"word" + std::to_string(2 * i + word)}, false);
    }
  }
  const int steps = undo_all(history);
  EXPECT_GE(steps, 3 * fit);
  EXPECT_LE(steps, 3 * (fit + 1));
}

}  // namespace
}  // namespace headscope
