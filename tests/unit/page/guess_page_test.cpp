// Tests the mark of a guess, and the note on the head that was trained to look at a pronoun's noun, on every
// page that shows the head or the answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "core/page/figure_file.h"
#include "core/page/heads/heads_page.h"
#include "core/page/worksheet/worksheet_page.h"
#include "core/session/settings.h"
#include "core/trace/guess.h"
#include "core/trace/place_text.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using test::inputs_of;
using test::items_of;
using test::uniform_measure;

constexpr const char* learned = "The animal didn't cross the street because it was too tired";
constexpr const char* guessed = "Tom met Peter because he was tired";

Session of_sentence(const std::string& sentence, int token) {
  const auto model = open_model("pronouns", {HEADSCOPE_SOURCE_DIR "/assets/models"});
  EXPECT_TRUE(model);
  Session session = reduce(default_session(), opening_action(*model));
  session = reduce(session, SetSentence{sentence});
  return reduce(session, SelectToken{token});
}

/// The same with a head switched off and selected.
Session without_head(const Session& session, int layer, int head) {
  const std::string off = head_label(layer, head) + "=0";
  Session changed = reduce(session, set_to("interventions.scale", off));
  return reduce(changed, open_head({layer, head}));
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

/// The reason why a page shows neither a head of the last stack nor the answer. Empty if it shows one of
/// them.
std::string reason_unmarked(PageName name) {
  switch (name) {
    case PageName::positions:
      return "shows the positions, which are the same whatever the sentence is";
    case PageName::lessons:
      return "shows no pass";
    case PageName::textbooks:
      return "shows passes of its own";
    case PageName::by_hand:
      return "shows only heads of its own size";
    case PageName::experts:
      return "shows only models with experts";
    default:
      return {};
  }
}

/// The inputs of a page for a sentence, with what the page needs: something to compare, to solve or to
/// decode.
PageInputs shown_inputs(const std::string& sentence, int token, PageName name) {
  Session session = of_sentence(sentence, token);
  std::vector<SubjectPass> compared;
  if (name == PageName::compare) {
    const PageInputs other = inputs_of(session);
    session = reduce(session, SetCompared{});
    compared.push_back({other.trace, session.compared.front().model, {}});
  }
  if (name == PageName::worksheet) session = with_exercise(session, Exercise::all);
  if (name == PageName::decoding) session.attention.mask.causal = true;
  session.view = is_view(name) ? name : PageName::explore;
  PageInputs in = inputs_of(session);
  in.compared = compared;
  return in;
}

Page shown_page(const std::string& sentence, int token, PageName name) {
  return test::page_of_session(shown_inputs(sentence, token, name), name, {1400.0F, 900.0F},
                               uniform_measure());
}

/// Whether a page has either form of the mark: the short one of headings or the sentence of notes.
bool is_marked_as_guess(const std::string& text) {
  return text.find("only a guess: “") != std::string::npos ||
         text.find("Only a guess, as this is unlike") != std::string::npos;
}

TEST(GuessPage, EveryPageOfTheHeadOrTheAnswerHasTheMark) {
  for (const PageName name : test::page_names) {
    // Decoding is excepted because it needs a causal mask, with which the model was not trained.
    const bool is_marked = !guess_text(*shown_inputs(guessed, 4, name).trace).empty();
    EXPECT_TRUE(is_marked || name == PageName::decoding);
    const bool shows = reason_unmarked(name).empty() && is_marked;
    const std::string page(names_of<PageName>[static_cast<std::size_t>(name)]);
    const std::string of_guess = texts_of(shown_page(guessed, 4, name).figure);
    EXPECT_EQ(is_marked_as_guess(of_guess), shows) << page << ": " << of_guess;
    if (name == PageName::decoding) continue;  // under a causal mask, the model only guesses
    const std::string of_learned = texts_of(shown_page(learned, 7, name).figure);
    EXPECT_FALSE(is_marked_as_guess(of_learned)) << page << ": " << of_learned;
  }
}

TEST(GuessPage, EveryPageThatNamesTheTaughtHeadSaysThatItIsTaught) {
  for (const PageName name : test::page_names) {
    // The page Words names the head only if it does not look at the answer, which another test covers.
    const bool names_it = reason_unmarked(name).empty() && name != PageName::words;
    const std::string page(names_of<PageName>[static_cast<std::size_t>(name)]);
    const std::string texts = texts_of(shown_page(learned, 7, name).figure);
    EXPECT_EQ(texts.find(taught_note) != std::string::npos, names_it) << page << ": " << texts;
  }
}

/// In some of the everyday sentences, the head looks at a noun other than the answer.
TEST(GuessPage, WordsSaysOfTheTaughtHeadThatItWasTrainedToLookElsewhere) {
  std::ifstream lines(HEADSCOPE_SOURCE_DIR "/tests/fixtures/everyday/unseen.tsv");
  int n_apart = 0;
  for (std::string line; n_apart == 0 && std::getline(lines, line);) {
    const std::string sentence = line.substr(0, line.find('\t'));
    const std::vector<Token> tokens = tokenize(sentence, TokenizerKind::word);
    for (const char* pronoun : {"it", "he", "she", "they"}) {
      const auto found = std::ranges::find(tokens, pronoun, &Token::text);
      if (found == tokens.end()) continue;
      const auto token = static_cast<int>(found - tokens.begin());
      const Page page = shown_page(sentence, token, PageName::words);
      if (!says(page.figure, "looks most at")) continue;
      ++n_apart;
      const bool is_named = says(page.figure, std::string("(") + taught_note + ") looks most at");
      EXPECT_TRUE(is_named) << texts_of(page.figure);
    }
  }
  EXPECT_GT(n_apart, 0);
}

/// As in a session that was kept in the middle of a training and opened again.
TEST(GuessPage, WeightsOfFewStepsHaveNotLearnedYetWhereverTheyComeFrom) {
  Session session = of_sentence(learned, 7);
  TrainedModel young = *session.model;
  young.steps = 76;
  session.model = std::make_shared<const TrainedModel>(std::move(young));
  EXPECT_EQ(taught_head_note(*inputs_of(session).trace), learning_note);
  EXPECT_EQ(taught_head_note(*inputs_of(of_sentence(learned, 7)).trace), taught_note);
}

TEST(GuessPage, GuessesAreFoundOncePerPass) {
  const PageInputs in = inputs_of(of_sentence(guessed, 4));
  EXPECT_FALSE(guess_text(*in.trace).empty());
  EXPECT_EQ(guess_text(*in.trace).data(), guess_text(*in.trace).data());
  EXPECT_EQ(&in.trace->guesses(), &in.trace->guesses());
}

TEST(GuessPage, ComparingHasTheMarkBesideTheAnswerThatIsAGuess) {
  Session session = reduce(of_sentence(learned, 7), SetCompared{});
  session = reduce(session, SetSentence{guessed});
  session = reduce(session, SelectToken{4});
  session.view = PageName::compare;
  PageInputs in = inputs_of(session);
  in.compared.push_back({inputs_of(of_sentence(learned, 7)).trace, session.compared.front().model, {}});
  const Page page = test::page_of_session(in, PageName::compare, {1400.0F, 900.0F}, uniform_measure());
  EXPECT_TRUE(says(page.figure, "Only a guess, as this is unlike"));
}

TEST(GuessPage, TheFigureOfOneStageHasTheMark) {
  for (const PageInputs& in : with_and_without_guess()) {
    const auto figure = figure_of(in, {}, uniform_measure());
    ASSERT_TRUE(figure);
    EXPECT_EQ(says(*figure, "only a guess: “he”"), in.session.sentence == guessed);
    EXPECT_TRUE(says(*figure, taught_note));
  }
}

TEST(GuessPage, OnlyTheTaughtHeadIsSaidToBeTrainedToDoThis) {
  Session session = of_sentence(learned, 7);
  for (const bool is_taught : {true, false}) {
    if (!is_taught) session = reduce(session, select_head(session.selection.head + 1));
    const PageInputs in = inputs_of(session);
    for (const PageName name :
         {PageName::explore, PageName::lines, PageName::heads, PageName::stages, PageName::inspector}) {
      const Page page = test::page_of_session(in, name, {1400.0F, 900.0F}, uniform_measure());
      EXPECT_EQ(says(page.figure, taught_note), is_taught) << static_cast<int>(name);
    }
  }
  session = of_sentence(learned, 7);
  PageMemo memo;
  PageTools tools{uniform_measure(), 0, memo};
  const HeadValues values = head_values(inputs_of(session), tools);
  const auto is_said_to_be_trained = [&](const HeadIndex& head) {
    return std::ranges::count(head_sentences(head, values), "It was trained to do this.") > 0;
  };
  EXPECT_TRUE(is_said_to_be_trained({1, 0}));
  EXPECT_FALSE(is_said_to_be_trained({1, 1}));
}

TEST(GuessPage, AModelThatSeesNoLaterWordsOnlyGuesses) {
  Session session = of_sentence("Because it was too tired, the animal didn't cross the street", 1);
  EXPECT_FALSE(is_guess(*inputs_of(session).trace, 1));
  session.attention.mask.causal = true;
  EXPECT_TRUE(is_guess(*inputs_of(session).trace, 1)) << "the noun comes later";
}

TEST(GuessPage, NamesTheInterventionThatMadeTheAnswerAGuess) {
  constexpr const char* wide = "The animal didn't cross the street because it was too wide";
  const PageInputs in = inputs_of(without_head(of_sentence(wide, 7), 0, 0));
  ASSERT_TRUE(is_guess(*in.trace, 7));
  const std::string notice = guess_notice(*in.trace);
  EXPECT_NE(notice.find("the pass was changed"), std::string::npos) << notice;
  EXPECT_NE(notice.find("Interventions: layer 0, head 0 off."), std::string::npos) << notice;
  EXPECT_NE(notice.find("It was trained on"), std::string::npos) << notice;
}

TEST(GuessPage, SaysNotWhereAHeadLooksThatIsOff) {
  const Session session = reduce(of_sentence(learned, 7), open_head({0, 0}));
  const auto words_of = [](const Session& shown) {
    return test::page_of_session(inputs_of(shown), PageName::words, {1400.0F, 900.0F}, uniform_measure());
  };
  ASSERT_TRUE(says(words_of(session).figure, "looks most at"));
  EXPECT_FALSE(says(words_of(without_head(session, 0, 0)).figure, "looks most at"));
}

}  // namespace
}  // namespace headscope
