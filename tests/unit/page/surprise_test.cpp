#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/page_builder.h"
#include "core/text/number_text.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

Session session_with(const std::string& model, const std::string& sentence) {
  const auto opened = open_model(model, {HEADSCOPE_SOURCE_DIR "/assets/models"});
  Session session = reduce(default_session(), opening_action(opened.value()));
  session.sentence = sentence;
  session.picture.surprise = true;
  return session;
}

TEST(Surprise, IsTheLogarithmOfWhatTheModelGaveTheTokenBefore) {
  const PageInputs in = test::inputs_of(session_with("stories", "Once upon a time there was a zebra"));
  const std::vector<Token>& tokens = in.trace->tokens();
  const MatrixView probabilities = in.trace->value({.kind = StageKind::probabilities});
  EXPECT_FALSE(surprise(*in.trace, 0)) << "nothing comes before the first";
  for (int i = 1; i < in.trace->n_tokens(); ++i) {
    const auto bits = surprise(*in.trace, i);
    ASSERT_TRUE(bits);
    const float given = probabilities(i - 1, tokens[static_cast<std::size_t>(i)].id);
    EXPECT_NEAR(std::exp2(-*bits), static_cast<double>(given), 1e-6);
  }
  EXPECT_LT(*surprise(*in.trace, 3), 1.0) << "once upon a …";
  EXPECT_GT(*surprise(*in.trace, 8), 5.0) << "… little would have been likelier than ze…";
  EXPECT_FALSE(surprise(*in.trace, in.trace->n_tokens()));
}

TEST(RankedWords, DifferInMoreThanASpaceThatNobodySees) {
  const PageInputs in = test::inputs_of(session_with("stories", "I - I"));
  PageMemo memo;
  PageTools tools{test::uniform_measure(), 0, memo};
  PageBuilder page(in, tools, 600.0F);
  add_ranked_words(page, in, 3, 4000);
  std::set<std::string> seen;
  bool has_mark = false;
  for (const Label& label : test::items_of<Label>(page.take().figure)) {
    if (label.font != Font::sans) continue;
    has_mark = has_mark || label.text.starts_with("␣");
    const std::size_t first = std::min(label.text.find_first_not_of(' '), label.text.size());
    EXPECT_TRUE(seen.insert(label.text.substr(first)).second) << label.text;
  }
  EXPECT_TRUE(has_mark);
}

TEST(Surprise, IsNothingForModelsThatFillIn) {
  const PageInputs in = test::inputs_of(session_with("pronouns", "the dog was tired"));
  for (int i = 0; i < in.trace->n_tokens(); ++i) EXPECT_FALSE(surprise(*in.trace, i));
}

TEST(Surprise, StandsAboveTheWordsWhereItIsWanted) {
  for (const bool is_wanted : {true, false}) {
    Session session = session_with("stories", "Once upon a time there was a zebra");
    session.picture.surprise = is_wanted;
    const PageInputs in = test::inputs_of(session);
    PageMemo memo;
    PageTools tools{test::uniform_measure(), 0, memo};
    const Page page = explore_page(in, {1200.0F, 800.0F}, tools);
    std::size_t n_found = 0;
    for (const Item& item : page.figure.items) {
      const auto* label = std::get_if<Label>(&item);
      n_found += label != nullptr && label->text == decimals_text(*surprise(*in.trace, 8), 1) ? 1 : 0;
    }
    EXPECT_EQ(n_found, is_wanted ? 1U : 0U);
  }
}

}  // namespace
}  // namespace headscope
