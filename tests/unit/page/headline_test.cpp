// Tests the headlines of the pages: that they ask, and that their answers are the numbers of the pass.
#include "core/page/parts/headline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/page/page_record.h"
#include "core/trace/summary.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

Headline headline(const PageInputs& in, PageName name) {
  PageMemo memo;
  PageTools tools{test::uniform_measure(), 0, memo};
  return headline_of(in, name, tools);
}

Session opening() {
  return *startup_session({HEADSCOPE_SOURCE_DIR "/assets/models"});
}

TEST(Headline, EveryViewOfEverySessionAsks) {
  for (Session session : test::usual_sessions()) {
    for (const PageRecord& page : page_records()) {
      if (!page.workspace) continue;
      session.view = page.name;
      const PageInputs in = test::inputs_of(session);
      if (!in.trace) continue;
      const Headline found = headline(in, page.name);
      EXPECT_FALSE(found.question.empty()) << page.title;
      for (const std::string& sentence : found.answer)
        EXPECT_TRUE(sentence.ends_with('.') || sentence.ends_with("…")) << page.title << ": " << sentence;
    }
  }
}

/// The word and the share are those of the greatest weight in the row, for every word and head.
TEST(Headline, SaysWhereTheSelectedWordLooks) {
  Session session = opening();
  const PageInputs first = test::inputs_of(session);
  const Extent size = first.trace->extent(shown_weights(first));
  for (int head = 0; head < first.trace->architecture().n_heads; ++head) {
    for (int query = 0; query < size.rows; ++query) {
      session.selection.head = head;
      session.selection.token = query;
      PageInputs in = first;
      in.session = session;
      const StageId map = shown_weights(in);
      int best = 0;
      for (int key = 1; key < size.cols; ++key)
        if (in.trace->number(map, query, key) > in.trace->number(map, query, best)) best = key;
      const std::string word = "“" + in.trace->label(map, Axis::key_tokens, best) + "”";
      const std::string share =
          page_number(session.picture, static_cast<double>(in.trace->number(map, query, best)));
      const Headline found = headline(in, PageName::lines);
      EXPECT_EQ(found.question, "Where does “" + in.trace->label(map, Axis::query_tokens, query) + "” look?");
      ASSERT_FALSE(found.answer.empty());
      EXPECT_NE(found.answer.front().find("t " + word + ", " + share), std::string::npos) << found.text();
    }
  }
}

/// A head may do something else in the selected row than on average.
TEST(Headline, SaysWhatAHeadUsuallyDoes) {
  Session session = opening();
  int n = 0;
  for (int layer = 0; layer < session.architecture.n_layers; ++layer) {
    for (int head = 0; head < session.architecture.n_heads; ++head) {
      session.selection.layer = layer;
      session.selection.head = head;
      const std::string found = headline(test::inputs_of(session), PageName::lines).text();
      const bool has_role = found.find(". Head ") != std::string::npos;
      if (!has_role || found.find("was trained") != std::string::npos) continue;
      ++n;
      EXPECT_NE(found.find(" usually looks "), std::string::npos) << found;
      EXPECT_NE(found.find(" on average)."), std::string::npos) << found;
    }
  }
  EXPECT_GT(n, 0);
}

TEST(Headline, CallsAnAnswerAboutUnknownWordsAGuess) {
  Session session = opening();
  session.sentence = "Der Hund jagte die Katze, weil sie mde war";
  session.selection.token = 1;
  const std::string found = headline(test::inputs_of(session), PageName::lines).text();
  EXPECT_TRUE(found.ends_with("Only a guess.")) << found;
}

/// A weight that is hardly greater than the others of its row is no relation.
TEST(Headline, OfSeveralHeadsNamesClearRelationsAlone) {
  const Headline clear = headline(test::inputs_of(opening()), PageName::split);
  EXPECT_NE(clear.text().find("at “tired” in head 0.0 and at “animal” in head 1.0."), std::string::npos)
      << clear.text();
  Session random = default_session();
  random.selection.token = 7;
  const Headline none = headline(test::inputs_of(random), PageName::split);
  EXPECT_NE(none.text().find("no two heads"), std::string::npos) << none.text();
}

TEST(Headline, TellsNothingThatIsCovered) {
  Session session = opening();
  session.cover.stage = shown_weights(test::inputs_of(session));
  session.cover.rows = {*session.selection.token};
  for (const PageRecord& page : page_records()) {
    if (!page.workspace || !page.shows_session_pass) continue;
    session.view = page.name;
    EXPECT_TRUE(headline(test::inputs_of(session), page.name).answer.empty()) << page.title;
  }
}

TEST(Headline, SaysThatRandomWeightsMeanNothing) {
  Session session = default_session();
  session.selection.token = 1;
  for (const PageName name : {PageName::explore, PageName::lines, PageName::watch}) {
    const Headline found = headline(test::inputs_of(session), name);
    EXPECT_NE(found.text().find("random"), std::string::npos) << found.text();
  }
}

TEST(Headline, ComparesWhereAWordLooks) {
  Session session = opening();
  EXPECT_TRUE(headline(test::inputs_of(session), PageName::compare).answer.empty());
  session = reduce(session, SetCompared{});
  session = reduce(session, SetSentence{"The animal didn't cross the street because it was too wide"});
  PageInputs in = test::inputs_of(session);
  const PageInputs compared = test::inputs_of(with_subject(session, session.compared.front()));
  in.compared = {{compared.trace, compared.trace_model}};
  const std::string found = headline(in, PageName::compare).text();
  EXPECT_NE(found.find("“animal” in A"), std::string::npos) << found;
  EXPECT_NE(found.find("“street” in B"), std::string::npos) << found;
}

}  // namespace
}  // namespace headscope
