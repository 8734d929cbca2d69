// Tests the notation of covered cells, and what becomes of covered cells when the session changes.
#include <gtest/gtest.h>

#include "core/session/history.h"
#include "core/session/notation.h"
#include "core/session/settings.h"
#include "tests/unit/session/invariants.h"
#include "tests/unit/session/random_session.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

Session covered(const char* words) {
  Session session = default_session();
  EXPECT_NO_THROW(parse_cover(session, words)) << words;
  return repaired(session, session);
}

TEST(CoverWords, SayWhatTheyRead) {
  const std::string stage = "encoder.layers.0.self.heads.0.weights";
  for (const std::string rules :
       {"all", "rows:0,2", "columns:3", "every:2", "random:0.5", "random:0.25:7", "cells:0.1,7.3",
        "all+except:1.1", "rows:1+columns:2+every:3+random:0.1:9+cells:5.5+except:1.1,2.2"}) {
    EXPECT_EQ(format_cover(covered(rules.c_str())), rules + "@" + stage);
    EXPECT_EQ(covered((rules + "@" + stage).c_str()).cover, covered(rules.c_str()).cover);
  }
  EXPECT_EQ(format_cover(default_session()), "none");
  EXPECT_EQ(covered("none").cover, Cover{});
}

TEST(CoverWords, RefuseWhatHasNoMeaning) {
  for (const auto& [words, told] : std::initializer_list<std::pair<const char*, const char*>>{
           {"some", "“some” must be all, rows"},
           {"rows:x", "“x” must be an index"},
           {"rows:", "“” must be an index"},
           {"cells:3", "“3” must be a row and a column"},
           {"cells:-1.0", "“-1.0” must be a row and a column"},
           {"every:0", "“0” must be a number from 1 to 1000"},
           {"random:2", "“2” must be a share"},
           {"random:nan", "“nan” must be a share"},
           {"random:0.5:x", "“0.5:x” must be a share"},
           {"all@nowhere", "“nowhere” must be the path of a stage"}}) {
    Session session = default_session();
    const auto read = result_of([&] { parse_cover(session, words); });
    ASSERT_FALSE(read) << words;
    EXPECT_NE(read.error().message.find(told), std::string::npos) << read.error().message;
    EXPECT_EQ(session.cover, Cover{}) << "the session stays as it was";
  }
}

TEST(CoveredCells, FollowTheirTokens) {
  Session session = default_session();
  session.sentence = "the cat sat here";
  session = reduce(session, set_selected(&Selection::pin, {}));
  ASSERT_NO_THROW(parse_cover(session, "rows:2+cells:1.3+except:2.0"));
  session = reduce(session, SetSentence{"now the cat sat here"});
  EXPECT_EQ(session.cover.rows, std::vector{3});
  EXPECT_EQ(session.cover.cells, (std::vector<StageCell>{{2, 4}}));
  EXPECT_EQ(session.cover.except, (std::vector<StageCell>{{3, 1}}));
  session = reduce(session, SetSentence{"now the cat here"});
  EXPECT_TRUE(session.cover.rows.empty()) << "its token went";
  EXPECT_EQ(session.cover.cells, (std::vector<StageCell>{{2, 3}}));
}

TEST(CoveredCells, OfDimensionsStayWhereTheyAre) {
  Session session = default_session();
  session = reduce(session, select_stage(StageKind::query));
  ASSERT_NO_THROW(parse_cover(session, "columns:3+rows:7"));
  const int row = session.cover.rows.front();
  session = reduce(session, SetSentence{"Yes " + session.sentence});
  EXPECT_EQ(session.cover.columns, std::vector{3});
  EXPECT_EQ(session.cover.rows, std::vector{row + 1});
}

TEST(CoveredCells, GoWithTheirStage) {
  Session session = default_session();
  session.architecture.n_heads = 4;
  ASSERT_NO_THROW(parse_cover(session, "all@encoder.layers.0.self.heads.3.weights"));
  session = repaired(session, session);
  ASSERT_TRUE(session.cover.stage);
  Architecture fewer = session.architecture;
  fewer.n_heads = 2;
  EXPECT_FALSE(reduce(session, test::with(session, fewer)).cover.stage);
  EXPECT_EQ(reduce(session, select_head(0)).cover, session.cover) << "it stays over the stage that it is of";
}

TEST(Answers, GoWhereTheNumbersChange) {
  Session session = covered("all");
  session.cover.right = {{0, 0}};
  session = reduce(session, SetView{PageName::stages});
  session = reduce(session, select_stage(StageKind::query));
  session = reduce(session, select_head(0));
  EXPECT_EQ(session.cover.right.size(), 1U) << "what is looked at changes no number";
  const Session other = reduce(session, set_to("attention.temperature", 2.0));
  EXPECT_TRUE(other.cover.right.empty());
  EXPECT_TRUE(other.cover.all);
  EXPECT_TRUE(reduce(session, SetSentence{"Another one"}).cover.right.empty());
  EXPECT_EQ(reduce(default_session(), OpenSession{session}).cover, session.cover);
}

TEST(Answers, AreOfCoveredCells) {
  Session session = covered("rows:1");
  session.cover.right = {{3, 3}, {1, 2}, {1, 2}, {1, 99}};
  session = repaired(session, session);
  EXPECT_EQ(session.cover.right, (std::vector<StageCell>{{1, 2}}));
}

TEST(CoveredCells, AreUndone) {
  History history(default_session());
  Cover cover;
  cover.stage = StageId{};
  cover.all = true;
  history.apply(set_cover(cover), false);
  history.apply(set_cover(with_cell(history.present().cover, {1, 1}, false)), false);
  EXPECT_FALSE(history.present().cover.covers(1, 1));
  history.undo();
  EXPECT_TRUE(history.present().cover.covers(1, 1));
  history.undo();
  EXPECT_FALSE(history.present().cover.stage);
}

TEST(CoveredCells, OfRandomSessionsHaveAPlace) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    RandomSession random(seed);
    Session session = random.session();
    session = reduce(session, set_cover(random.cover()));
    const Cover& cover = session.cover;
    EXPECT_EQ(repaired(session, session), session) << seed;
    if (!cover.stage) {
      EXPECT_EQ(cover, Cover{}) << seed;
      continue;
    }
    const int rows = axis_size(session, *cover.stage, info(cover.stage->kind).rows);
    const int cols = axis_size(session, *cover.stage, info(cover.stage->kind).cols);
    for (const int row : cover.rows) EXPECT_TRUE(is_index(row, rows));
    for (const std::vector<StageCell>* cells : {&cover.cells, &cover.except, &cover.right})
      for (const StageCell& cell : *cells) EXPECT_TRUE(is_index(cell.row, rows) && is_index(cell.col, cols));
    for (const StageCell& cell : cover.right) EXPECT_TRUE(cover.covers(cell.row, cell.col));
    Session read = session;
    read.cover = {};
    ASSERT_NO_THROW(parse_cover(read, format_cover(session)));
    ASSERT_NO_THROW(parse_answers(read, format_answers(session)));
    read.cover.solution = cover.solution;
    EXPECT_EQ(read.cover, cover) << format_cover(session);
  }
}

}  // namespace
}  // namespace headscope
