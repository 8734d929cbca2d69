// The mark of a guess, and the note on the head that was trained to look at a pronoun's noun, wherever the
// head or the answer is shown.
#include <gtest/gtest.h>

#include "core/page/figure_file.h"
#include "core/page/head_values.h"
#include "core/trace/guess.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using test::even_measure;
using test::inputs_of;
using test::items_of;

constexpr const char* learned = "The animal didn't cross the street because it was too tired";
constexpr const char* guessed = "Tom met Peter because he was tired";

Session of_sentence(const std::string& sentence, int token) {
  const auto model = open_model("pronouns", {HEADSCOPE_SOURCE_DIR "/assets/models"});
  EXPECT_TRUE(model);
  Session session = reduce(default_session(), opening(*model));
  session = reduce(session, SetSentence{sentence});
  return reduce(session, SelectToken{token});
}

std::string texts_of(const Figure& figure) {
  std::string all;
  for (const Label& label : items_of<Label>(figure)) all += label.text + " ";
  return all;
}

bool says(const Figure& figure, std::string_view text) {
  return texts_of(figure).find(text) != std::string::npos;
}

std::vector<PageInputs> with_and_without_guess() {
  return {inputs_of(of_sentence(learned, 7)), inputs_of(of_sentence(guessed, 4))};
}

TEST(GuessPage, EveryPageOfTheHeadOrTheAnswerHasTheMark) {
  for (const PageInputs& in : with_and_without_guess()) {
    const bool is_guess = in.session.sentence == guessed;
    for (const PageName name : {PageName::explore, PageName::lines, PageName::heads, PageName::stages,
                                PageName::words, PageName::effects, PageName::inspector}) {
      const Page page = test::page_of_session(in, name, {1400.0F, 900.0F}, even_measure());
      EXPECT_EQ(says(page.figure, "a guess"), is_guess) << static_cast<int>(name) << texts_of(page.figure);
    }
  }
}

TEST(GuessPage, ComparingHasTheMarkBesideTheAnswerThatIsAGuess) {
  Session session = reduce(of_sentence(learned, 7), Hold{});
  session = reduce(session, SetSentence{guessed});
  session = reduce(session, SelectToken{4});
  session.view = PageName::compare;
  PageInputs in = inputs_of(session);
  in.held.push_back({inputs_of(of_sentence(learned, 7)).trace, session.held.front().model, {}});
  const Page page = test::page_of_session(in, PageName::compare, {1400.0F, 900.0F}, even_measure());
  EXPECT_TRUE(says(page.figure, guess_notice));
}

TEST(GuessPage, TheFigureOfOneStageHasTheMark) {
  for (const PageInputs& in : with_and_without_guess()) {
    const auto figure = figure_of(in, {}, even_measure());
    ASSERT_TRUE(figure);
    EXPECT_EQ(says(*figure, "outside what it learned, a guess: “he”"), in.session.sentence == guessed);
    EXPECT_TRUE(says(*figure, taught_note));
  }
}

TEST(GuessPage, OnlyTheTaughtHeadIsSaidToBeTrainedToDoThis) {
  Session session = of_sentence(learned, 7);
  for (const bool is_taught : {true, false}) {
    if (!is_taught) session = reduce(session, SelectHead{session.selection.head + 1});
    const PageInputs in = inputs_of(session);
    for (const PageName name :
         {PageName::explore, PageName::lines, PageName::heads, PageName::stages, PageName::inspector}) {
      const Page page = test::page_of_session(in, name, {1400.0F, 900.0F}, even_measure());
      EXPECT_EQ(says(page.figure, taught_note), is_taught) << static_cast<int>(name);
    }
  }
  session = of_sentence(learned, 7);
  PageMemo memo;
  PageTools tools{even_measure(), 0, memo};
  const HeadValues values = head_values(inputs_of(session), tools);
  EXPECT_NE(head_sentence({1, 0}, values).find("was trained to"), std::string::npos);
  EXPECT_EQ(head_sentence({1, 1}, values).find("was trained to"), std::string::npos);
}

TEST(GuessPage, AModelThatSeesNoLaterWordsOnlyGuesses) {
  Session session = of_sentence("Because it was too tired, the animal didn't cross the street", 1);
  EXPECT_FALSE(is_guess(*inputs_of(session).trace, 1));
  session.attention.mask.causal = true;
  EXPECT_TRUE(is_guess(*inputs_of(session).trace, 1)) << "the noun comes later";
}

}  // namespace
}  // namespace headscope
