// Tests the notes below the model's answer: that it is a guess, and that the head attends to another word.
#include <gtest/gtest.h>

#include "core/session/session.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

class AnswerNotes : public testing::Test {
 protected:
  AnswerNotes() {
    driver_.press(CommandId::open_pronouns);
    driver_.settle();
  }

  void type(const std::string& sentence, int token) {
    driver_.app().apply(SetSentence{sentence});
    driver_.settle();
    driver_.app().apply(SelectToken{token});
    driver_.settle();
  }
  AppDriver driver_;
};

TEST_F(AnswerNotes, OutsideOfWhatWasLearnedTheAnswerIsAGuess) {
  type("The animal didn't cross the street because it was too tired", 7);
  EXPECT_FALSE(screen_contains("Only a guess"));
  type("Tom met Peter because he was tired", 4);
  EXPECT_TRUE(screen_contains("Only a guess"));
}

TEST_F(AnswerNotes, TheMarkInAHeadingSaysWhyWhileTheMouseIsOnIt) {
  type("Tom met Peter because he was tired", 4);
  driver_.press(PageName::heads);
  driver_.settle();
  EXPECT_FALSE(screen_contains("unlike what the model was trained on"));
  const auto mark = find_letters("only a guess: “he”");
  ASSERT_FALSE(mark.empty());
  driver_.window().mouse_move(mark.front().x + 4.0F, mark.front().y + 4.0F);
  driver_.settle();
  EXPECT_TRUE(screen_contains("unlike what the model was trained on"));
}

TEST_F(AnswerNotes, UnknownWordsAreCountedBesideTheSentenceAndASentenceWithoutAPronounIsExplained) {
  EXPECT_FALSE(screen_contains("unknown"));
  driver_.paste_sentence("Die Katze schläft auf dem Sofa.");
  EXPECT_TRUE(screen_contains("of 6 words unknown: this model knows only English"));
  EXPECT_TRUE(screen_contains("unknown to this model, which knows 5,101 English words."));
  EXPECT_TRUE(screen_contains("What “Sofa” looks at")) << "the last word is selected";
  EXPECT_TRUE(screen_contains("It repeats every other word."));
  driver_.paste_sentence("It's tired and he's hungry");
  EXPECT_FALSE(screen_contains("words unknown"));
  EXPECT_TRUE(screen_contains("What “It” looks at"));
}

TEST_F(AnswerNotes, ATermIsExplainedWhileTheMouseIsOnIt) {
  driver_.app().apply(SetView{PageName::scale});
  driver_.settle();
  EXPECT_FALSE(screen_contains("Turns a row of scores into shares"));
  const auto word = find_letters("Softmax");
  ASSERT_FALSE(word.empty());
  driver_.window().mouse_move(word.front().x + 4.0F, word.front().y + 4.0F);
  driver_.settle();
  EXPECT_TRUE(screen_contains("Softmax: Turns a row of scores into shares"));
}

TEST_F(AnswerNotes, AHeadThatLooksElsewhereIsSaidTo) {
  type("The animal didn't cross the street because it was too tired", 7);
  EXPECT_FALSE(screen_contains("but the model answers"));
  // In the first layer, the head does not yet find the word.
  driver_.app().apply(select_place(Stack::encoder, 0, AttentionKind::self));
  driver_.settle();
  EXPECT_TRUE(screen_contains("but the model answers"));
}

TEST_F(AnswerNotes, PredictionsListEveryWordWithItsAnswer) {
  type("The animal didn't cross the street because it was too tired", 7);
  driver_.press(PageName::words);
  EXPECT_TRUE(screen_contains("The answer for every token"));
  EXPECT_TRUE(screen_contains("The model's answer for “it”"));
  EXPECT_EQ(find_text("→ animal").size(), 1U) << "the answer for “it”";
  const auto repeated = find_text("stays");
  ASSERT_EQ(repeated.size(), 10U) << "the model repeats all other words";
  driver_.click({repeated[5].x + 4.0F, repeated[5].y + 4.0F});
  EXPECT_EQ(driver_.session().selection.token, 5);
  EXPECT_TRUE(screen_contains("The model's answer for “street”"));
}

}  // namespace
}  // namespace headscope
