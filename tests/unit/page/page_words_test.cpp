#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/page/page_record.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

TEST(PageTranscript, TellTheSelectedRow) {
  const Session session = *startup_session({HEADSCOPE_SOURCE_DIR "/assets/models"});
  const PageInputs in = test::inputs_of(session);
  const PageTranscript words = transcribe_page(in);
  EXPECT_EQ(words.title, "Map");
  EXPECT_NE(words.purpose.find("“it”"), std::string::npos) << words.purpose;
  EXPECT_NE(words.headline.find("“animal”"), std::string::npos) << words.headline;
  ASSERT_EQ(words.rows.size(), in.trace->tokens().size());
  double strongest = 0.0;
  std::string looked_at;
  for (const std::vector<std::string>& row : words.rows) {
    ASSERT_EQ(row.size(), words.columns.size());
    const double weight = std::atof(row[2].c_str());
    if (weight > strongest) looked_at = row[1];
    strongest = std::max(strongest, weight);
  }
  EXPECT_EQ(looked_at, "animal");
}

TEST(PageTranscript, KeepWhatAnExerciseCovers) {
  Session session = *startup_session({HEADSCOPE_SOURCE_DIR "/assets/models"});
  session.cover.stage = shown_weights(test::inputs_of(session));
  session.cover.rows = {*session.selection.token};
  const PageTranscript words = transcribe_page(test::inputs_of(session));
  EXPECT_TRUE(words.rows.empty());
  EXPECT_EQ(words.headline.find("animal"), std::string::npos) << words.headline;
}

TEST(PageTranscript, AreThereForEveryPageOfEverySession) {
  for (Session session : test::usual_sessions()) {
    for (const PageRecord& page : page_records()) {
      if (!page.workspace) continue;
      session.view = page.name;
      const PageInputs in = test::inputs_of(session);
      if (!in.trace) continue;
      const PageTranscript words = transcribe_page(in);
      EXPECT_FALSE(words.title.empty());
      EXPECT_FALSE(words.purpose.empty());
    }
  }
}

}  // namespace
}  // namespace headscope
