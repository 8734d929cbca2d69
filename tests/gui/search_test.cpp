// Searches the sentences of a file from the window, and shows one that is found.
#include <gtest/gtest.h>

#include "core/system/atomic_file.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

class SearchSheet : public testing::Test {
 protected:
  SearchSheet() {
    driver_.settle();
    driver_.press(CommandId::search_sentences);
    driver_.settle();
  }
  void click_on(const char* words) {
    const auto letters = find_letters(words);
    ASSERT_FALSE(letters.empty()) << words;
    driver_.click({letters.front().x + 2.0F, letters.front().y + 2.0F});
    driver_.settle();
  }
  /// The last text that reads so, below the title.
  void click_button(const char* words) {
    const auto letters = find_letters(words);
    ASSERT_FALSE(letters.empty()) << words;
    driver_.click({letters.back().x + 2.0F, letters.back().y + 2.0F});
    driver_.settle();
  }
  SearchForm& form() { return driver_.app().screen().search; }

  TemporaryFolder folder_;
  AppDriver driver_{{1600, 1000}};
};

TEST_F(SearchSheet, ShowsASentenceThatIsFound) {
  const std::string wide = "The animal didn't cross the street because it was too wide";
  const auto file = folder_ / "sentences.txt";
  ASSERT_TRUE(write_atomically(file, "The dog slept\n" + driver_.session().sentence + "\n" + wide + "\n"));
  form().file = file.string();
  form().from = "it";
  form().to = "street";
  click_button("Search");
  const auto* found = driver_.app().screen().memo.results.ready_result(*form().question);
  ASSERT_TRUE(found != nullptr && *found);
  const SearchResult result = **found;
  EXPECT_EQ(result.n_sentences, 3);
  ASSERT_EQ(result.n_matches, 2);
  const Finding first = result.found.front();
  EXPECT_GE(first.value, result.found.back().value);
  EXPECT_TRUE(screen_contains("2 sentences of 3 have it"));
  click_on("“it” → “street”");
  EXPECT_FALSE(form().open);
  EXPECT_EQ(driver_.session().sentence, first.sentence);
  EXPECT_EQ(driver_.session().selection.token, first.query);
  driver_.settle();
  form().open = true;
  driver_.frames(2);
  EXPECT_TRUE(screen_contains("2 sentences of 3 have it")) << "the findings are still there";
}

TEST_F(SearchSheet, TheFirstClickFindsSentencesOfTheProgram) {
  click_button("Search");
  const auto result = [&] { return driver_.app().screen().memo.results.ready_result(*form().question); };
  driver_.wait_until("for the search", [&] { return result() != nullptr; });
  const auto* found = result();
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->n_sentences, 200);
  EXPECT_GT((*found)->n_matches, 100);
  EXPECT_EQ((*found)->found.front().query_token, "it");
}

TEST_F(SearchSheet, AFileIsChosenFromAList) {
  ASSERT_TRUE(write_atomically(folder_ / "mine.txt", "The dog slept\n"));
  ASSERT_TRUE(write_atomically(folder_ / "other.gguf", "no text"));
  form().folder = (folder_ / "").string();
  click_button("Browse…");
  EXPECT_FALSE(screen_contains("other.gguf"));
  click_on("mine.txt");
  EXPECT_EQ(std::filesystem::path(form().file).filename(), "mine.txt");
  EXPECT_FALSE(form().chooses_file);
}

TEST_F(SearchSheet, SaysWhyNothingIsSearched) {
  form().file = (folder_ / "missing.txt").string();
  form().from = "it";
  click_button("Search");
  EXPECT_TRUE(screen_contains("Nothing was searched: cannot read"));
  ASSERT_TRUE(write_atomically(folder_ / "missing.txt", "\n\n"));
  form().from = "they";
  click_button("Search");
  EXPECT_TRUE(screen_contains("the file has no sentences"));
}

}  // namespace
}  // namespace headscope
