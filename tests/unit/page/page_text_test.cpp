#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/figure/text_fit.h"
#include "core/page/parts/page_builder.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using Lines = std::vector<std::string>;

Lines wrapped(std::string_view text, float letters,
              std::size_t most = std::numeric_limits<std::size_t>::max()) {
  return wrapped_lines(text, letters * 0.6F * 10.0F + 0.1F, Font::sans, 10.0F, test::uniform_measure(), most);
}

TEST(WrappedLines, BreakAtSpacesAndLongWordsWhereTheyMust) {
  EXPECT_EQ(wrapped("one two three", 8), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("one two three", 6), (Lines{"one", "two", "three"}));
  EXPECT_EQ(wrapped("a incomprehensible word", 6), (Lines{"a", "incomp", "rehens", "ible", "word"}));
  EXPECT_EQ(wrapped("first\nsecond line\n\nlast ", 20), (Lines{"first", "second line", "", "last"}));
  EXPECT_EQ(wrapped("", 8), Lines{""});
  EXPECT_EQ(wrapped("한국어", 0), (Lines{"한", "국", "어"})) << "at least a letter a line";
  EXPECT_EQ(wrapped("one two three four", 5, 2), (Lines{"one", "two"}));
}

TEST(PageBuilder, AHeadingIsCutInTheWindowAndGoesOnInTheNextLineOfAFile) {
  PageInputs in;
  PageMemo memo;
  const MeasureText measure = test::uniform_measure();
  const PageTools tools{measure, 0, memo};
  const std::string place = "Decoder layer 1, cross-attention, head 11";
  for (const bool in_file : {false, true}) {
    in.in_file = in_file;
    PageBuilder page(in, tools, 200.0F);
    page.line({{"Attention weights", Font::sans_bold, 13.0F, {}}, {place, Font::sans, 13.0F, {}}});
    std::string said;
    for (const Label& label : test::items_of<Label>(page.take().figure)) {
      EXPECT_LE(label.at.x + measure(label.text, label.font, label.size).width, 200.1F) << label.text;
      said += label.text + " ";
    }
    EXPECT_EQ(said.find("…") == std::string::npos, in_file);
    EXPECT_EQ(said.find("head 11") != std::string::npos, in_file);
  }
}

TEST(WrappedLines, LoseNothingAndFit) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> length(1, 14);
  for (int i = 0; i < 200; ++i) {
    std::string text;
    for (int word = 0; word < 12; ++word)
      text += (word == 0 ? "" : " ") + std::string(static_cast<std::size_t>(length(random)), 'm');
    std::string joined;
    for (const std::string& line : wrapped(text, 8)) {
      EXPECT_LE(line.size(), 8U);
      joined += line;
    }
    std::erase(text, ' ');
    std::erase(joined, ' ');
    EXPECT_EQ(joined, text);
  }
}

/// Counts the letters that are measured, and stops a test that would take hours.
struct LetterBudget {
  std::size_t measured = 0;
  std::size_t most = 0;
  MeasureText measure() {
    return [this](std::string_view text, Font font, float size) {
      measured += text.size();
      if (measured > most) throw std::runtime_error("too many letters are measured");
      return test::uniform_measure()(text, font, size);
    };
  }
};

TEST(WrappedLines, MeasureEachLetterAFewTimes) {
  for (const std::string part : {"W", "word ", "W\n", " "}) {
    std::string text;
    while (text.size() < 1'000'000) text += part;
    LetterBudget budget{0, 20 * text.size()};
    EXPECT_NO_THROW(wrapped_lines(text, 400.0F, Font::sans, 10.0F, budget.measure())) << part;
    LetterBudget few{0, 10'000};
    EXPECT_NO_THROW(wrapped_lines(text, 400.0F, Font::sans, 10.0F, few.measure(), 4)) << part;
  }
}

/// No page may measure a long word many times, wherever it stands in the sentence.
TEST(Pages, MeasureALongWordAFewTimes) {
  constexpr std::size_t n = 300'000;
  for (Session session : test::usual_sessions()) {
    session.sentence = "it " + std::string(n, 'W') + " " + std::string(n, '_') + " was";
    if (session.architecture.has_cross()) session.target = session.sentence;
    session.selection.token = 1;
    session.selection.pin = Pin{{StageKind::weights}, 1, 1};
    session = reduce(session, SetCompared{});
    PageInputs in = test::inputs_of(session);
    ASSERT_NE(in.trace, nullptr);
    in.compared = {{in.trace, in.trace_model, ""}};
    std::vector<PageName> names(test::page_names.begin(), test::page_names.end());
    names.insert(names.end(), {PageName::compare, PageName::effects});
    for (const PageName name : names) {
      LetterBudget budget{0, 2'000'000};
      EXPECT_NO_THROW(test::page_of_session(in, name, {1100.0F, 700.0F}, budget.measure()))
          << static_cast<int>(name);
    }
  }
}

}  // namespace
}  // namespace headscope
