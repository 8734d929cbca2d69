#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "core/session/presets.h"
#include "core/session/settings.h"
#include "tests/unit/session/invariants.h"
#include "tests/unit/session/random_session.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

Session with_sentence(std::string sentence) {
  Session session;
  session.sentence = std::move(sentence);
  return session;
}

/// A session in which "cat" is selected and padded, and the cell of "sat" (query) and "cat" (key) is painted
/// and pinned.
Session marked() {
  Session session = with_sentence("the cat sat here");
  for (const Action& action : std::vector<Action>{SelectToken{1}, toggle_padding(1), paint_cell({2, 1}, true),
                                                  PinCell{{{StageKind::weights}, 2, 1}}})
    session = reduce(session, action);
  return session;
}

TEST(DefaultSession, HasItSelected) {
  const Session session = default_session();
  ASSERT_TRUE(session.selection.token.has_value());
  const auto token = static_cast<std::size_t>(*session.selection.token);
  EXPECT_EQ(tokenize(session.sentence, session.tokenizer)[token].text, "it");
  expect_invariants(session);
}

TEST(Reduce, MarksFollowAnInsertedWord) {
  const Session next = reduce(marked(), SetSentence{"the big cat suddenly sat here"});
  EXPECT_EQ(next.selection.token, 2);
  EXPECT_EQ(next.attention.mask.padding, std::vector<int>{2});
  EXPECT_EQ(next.attention.mask.painted, (std::vector<Cell>{{4, 2}}));
  ASSERT_TRUE(next.selection.pin.has_value());
  EXPECT_EQ(next.selection.pin->row, 4);
  EXPECT_EQ(next.selection.pin->col, 2);
}

TEST(Reduce, MarksOfARemovedWordGo) {
  const Session next = reduce(marked(), SetSentence{"the sat here"});
  EXPECT_FALSE(next.selection.token.has_value());
  EXPECT_TRUE(next.attention.mask.padding.empty());
  EXPECT_TRUE(next.attention.mask.painted.empty());
  EXPECT_FALSE(next.selection.pin.has_value());
}

TEST(Reduce, OnlyTokenAxesOfAPinFollow) {
  Session session = with_sentence("the cat sat");
  session = reduce(session, PinCell{{{StageKind::query}, 1, 5}});
  session = reduce(session, SetSentence{"now the cat sat"});
  ASSERT_TRUE(session.selection.pin.has_value());
  EXPECT_EQ(session.selection.pin->row, 2);
  EXPECT_EQ(session.selection.pin->col, 5);

  session = reduce(session, PinCell{{{StageKind::w_query}, 3, 5}});
  session = reduce(session, SetSentence{""});
  ASSERT_TRUE(session.selection.pin.has_value()) << "a parameter does not depend on the sentence";
  EXPECT_EQ(session.selection.pin->row, 3);
}

TEST(Reduce, MarksFollowToTheOtherTokenizer) {
  Session session = with_sentence("No, The didn't (cat)");
  session = reduce(session, toggle_padding(3));
  session = reduce(session, SelectToken{5});
  session = reduce(session, set_to("tokenizer", "seed1"));
  EXPECT_EQ(session.attention.mask.padding, std::vector<int>{2});
  EXPECT_EQ(session.selection.token, 3);
  session = reduce(session, set_to("tokenizer", "word"));
  EXPECT_EQ(session.attention.mask.padding, std::vector<int>{3});
  EXPECT_EQ(session.selection.token, 5);
}

TEST(Reduce, InvalidTextIsReplacedOnEntry) {
  EXPECT_EQ(reduce(Session{}, SetSentence{"a\xFF"}).sentence, "a\uFFFD");
}

TEST(Reduce, PaddingTogglesAndPaintingIsASet) {
  Session session = with_sentence("a b c");
  for (const int token : {2, 0, 2, 1, 7, -1}) session = reduce(session, toggle_padding(token));
  EXPECT_EQ(session.attention.mask.padding, (std::vector<int>{0, 1}));
  for (const Cell cell : {Cell{2, 0}, Cell{0, 1}, Cell{2, 0}, Cell{9, 9}})
    session = reduce(session, paint_cell(cell, true));
  EXPECT_EQ(session.attention.mask.painted, (std::vector<Cell>{{0, 1}, {2, 0}}));
  session = reduce(session, paint_cell({2, 0}, false));
  EXPECT_EQ(session.attention.mask.painted, (std::vector<Cell>{{0, 1}}));
  EXPECT_TRUE(reduce(session, clear_painted()).attention.mask.painted.empty());
}

TEST(Reduce, SizesThatDoNotHoldStayAsAsked) {
  Session session = reduce(Session{}, select_head(3));
  Architecture wish;
  wish.d_model = 65;
  wish.n_heads = 2;
  session = reduce(session, test::with(session, wish));
  EXPECT_EQ(session.architecture, wish);
  EXPECT_EQ(session.selection.head, 1);
  for (const int n_heads : {0, -4, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    wish.n_heads = n_heads;
    wish.d_model = n_heads;
    session = reduce(session, test::with(session, wish));
    EXPECT_EQ(session.architecture, wish);
    expect_invariants(session);
  }
}

TEST(Reduce, APinWhoseDimensionIsGoneGoes) {
  Architecture narrow;
  narrow.d_head = 4;
  const Session at_3 = reduce(Session{}, PinCell{{{StageKind::query}, 0, 3}});
  const Session at_4 = reduce(Session{}, PinCell{{{StageKind::query}, 0, 4}});
  ASSERT_TRUE(at_4.selection.pin.has_value());
  EXPECT_TRUE(reduce(at_3, test::with(at_3, narrow)).selection.pin.has_value());
  EXPECT_FALSE(reduce(at_4, test::with(at_4, narrow)).selection.pin.has_value());
}

TEST(Reduce, PinGoesAlongToAnotherHeadAndStaysInItsStage) {
  Session session = reduce(Session{}, PinCell{{{StageKind::scaled}, 1, 2}});
  session = reduce(session, select_head(2));
  EXPECT_EQ(session.selection.pin->stage.head, 2);
  EXPECT_TRUE(reduce(session, select_stage(StageKind::scaled)).selection.pin.has_value());
  EXPECT_FALSE(reduce(session, select_stage(StageKind::masked)).selection.pin.has_value());
  session = reduce(session, PinCell{{{StageKind::concat}, 1, 2}});
  EXPECT_EQ(reduce(session, select_head(1)).selection.pin->stage.head, 0);
  EXPECT_FALSE(reduce(session, set_selected(&Selection::pin, {})).selection.pin.has_value());
}

TEST(Reduce, ACellThatIsNotThereIsNotPinned) {
  const Session session = marked();
  EXPECT_EQ(reduce(session, PinCell{{{StageKind::weights}, 4, 0}}), session);
  EXPECT_EQ(reduce(session, PinCell{{{StageKind::weights}, 0, -1}}), session);
  EXPECT_EQ(reduce(session, PinCell{{{StageKind::weights, Stack::encoder, 3}, 0, 0}}), session);
}

TEST(Reduce, NumbersStayWithinTheirLimits) {
  AttentionOptions attention;
  attention.temperature = 0.0F;
  EXPECT_EQ(reduce(Session{}, test::with(Session{}, attention)).attention.temperature, min_temperature);
  attention.temperature = 1e9F;
  EXPECT_EQ(reduce(Session{}, test::with(Session{}, attention)).attention.temperature, max_temperature);
  attention.temperature = 2.5F;
  const Session warm = reduce(Session{}, test::with(Session{}, attention));
  attention.temperature = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(reduce(warm, test::with(warm, attention)), warm);

  PictureOptions picture;
  picture.fixed_low = 3.0;
  picture.fixed_high = -1.0;
  const Session swapped = reduce(Session{}, test::with(Session{}, picture));
  EXPECT_EQ(swapped.picture.fixed_low, -1.0);
  EXPECT_EQ(swapped.picture.fixed_high, 3.0);
  for (const double both : {0.0, 5.0, -5.0, 1e300, -1e300, 1e17}) {
    picture.fixed_low = picture.fixed_high = both;
    expect_invariants(reduce(Session{}, test::with(Session{}, picture)));
  }
}

TEST(Reduce, APageAboutHeadsDoesNotOpenOnAPartOutsideThem) {
  Session session = default_session();
  session.view = PageName::model;
  session.selection.stage = StageKind::projected;
  EXPECT_EQ(reduce(session, SetView{PageName::lessons}).selection.stage, StageKind::projected);
  EXPECT_EQ(reduce(session, SetView{PageName::explore}).selection.stage, StageKind::weights);
  session.view = PageName::stages;
  EXPECT_EQ(reduce(session, SetView{PageName::explore}).selection.stage, StageKind::projected);
  session.view = PageName::model;
  session.selection.stage = StageKind::query;
  EXPECT_EQ(reduce(session, SetView{PageName::explore}).selection.stage, StageKind::query);
}

TEST(Reduce, APresetKeepsPictureAndView) {
  Session session = reduce(marked(), SetView{PageName::heads});
  PictureOptions dark;
  dark.theme = ThemeName::dark;
  session = reduce(session, test::with(session, dark));
  for (const Preset& preset : presets()) {
    const Session next = reduce(session, load_preset(preset.name));
    EXPECT_EQ(next.picture, dark);
    const PageName own = preset.session.view;
    EXPECT_EQ(next.view, own == Session{}.view ? PageName::heads : own)
        << "but for those with a page of their own";
    EXPECT_EQ(next.sentence, preset.session.sentence);
    EXPECT_EQ(next.architecture, preset.session.architecture);
  }
  EXPECT_EQ(reduce(session, load_preset("no such preset")), session);
}

TEST(Presets, HoldTogetherAndHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(names.insert(preset.name).second);
    EXPECT_FALSE(preset.summary.empty());
    EXPECT_TRUE(preset.session.architecture.d_head ||
                preset.session.architecture.d_model % preset.session.architecture.n_heads == 0);
    expect_invariants(preset.session);
  }
  EXPECT_EQ(presets().front().session, default_session());
}

TEST(Reduce, RandomActionsKeepTheInvariants) {
  RandomSession random(11);
  for (int run = 0; run < 300; ++run) {
    Session session = default_session();
    for (int step = 0; step < 30; ++step) {
      session = reduce(session, random.action(session));
      expect_invariants(session);
      if (testing::Test::HasFailure()) FAIL() << "run " << run << ", step " << step;
    }
  }
}

/// After an edit, a mark stands on a word that was marked before or on one beside a word that stayed.
TEST(Reduce, MarksFollowTheirWordOrTheOneTypedInItsPlace) {
  RandomSession random(12);
  int replaced = 0;
  for (int run = 0; run < 2000; ++run) {
    Session before = with_sentence(random.sentence());
    for (int i = 0; i < 4; ++i) before = reduce(before, toggle_padding(random.whole(0, 8)));
    const Session after = reduce(before, SetSentence{random.sentence()});
    const std::vector<Token> old_tokens = tokenize(before.sentence, before.tokenizer);
    const std::vector<Token> new_tokens = tokenize(after.sentence, after.tokenizer);
    std::set<std::string> old_words;
    std::set<std::string> marked_words;
    for (const Token& token : old_tokens) old_words.insert(token.lookup);
    for (const int i : before.attention.mask.padding) marked_words.insert(old_tokens[std::size_t(i)].lookup);
    ASSERT_LE(after.attention.mask.padding.size(), before.attention.mask.padding.size());
    for (const int i : after.attention.mask.padding) {
      if (marked_words.contains(new_tokens[std::size_t(i)].lookup)) continue;
      ++replaced;
      const bool left_stayed = i > 0 && old_words.contains(new_tokens[std::size_t(i) - 1].lookup);
      const bool right_stayed =
          i + 1 < int(new_tokens.size()) && old_words.contains(new_tokens[std::size_t(i) + 1].lookup);
      ASSERT_TRUE(left_stayed || right_stayed) << before.sentence << " | " << after.sentence;
    }
  }
  EXPECT_GT(replaced, 0);
}

}  // namespace
}  // namespace headscope
