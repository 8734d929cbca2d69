// Tests the parts of A on the page of a comparison, and the pages of captured attention.
#include "core/page/compare/compare_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <variant>

#include "core/engine/part_effects.h"
#include "core/io/safetensors.h"
#include "core/page/page_numbers.h"
#include "core/text/number_text.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using test::inputs_of;

constexpr PageSize room_to_compare{1100.0F, 752.0F};

/// The bundled model with two sentences that differ in one word, and so in the noun that “it” stands for.
PageInputs tired_and_wide() {
  const auto model = open_model("pronouns", {HEADSCOPE_SOURCE_DIR "/assets/models"});
  EXPECT_TRUE(model);
  Session session = reduce(default_session(), opening_action(*model));
  for (const Action& action : default_comparison(session)) session = reduce(session, action);
  EXPECT_EQ(session.compared.size(), 1U);
  PageInputs in = inputs_of(session);
  const PageInputs compared = inputs_of(with_subject(session, session.compared.front()));
  in.compared = {{compared.trace, compared.trace_model}};
  return in;
}

/// All texts of a page, one after another.
std::string texts_of_page(const Page& page) {
  std::string all;
  for (const Item& item : page.figure.items) {
    if (const auto* label = std::get_if<Label>(&item)) all += label->text + " ";
  }
  return all;
}

/// The texts of the comparison of `b` with the held subject of `session`, on a wide page.
std::string compared_texts(Session session, const Subject& a) {
  session.compared = {a};
  PageInputs in = inputs_of(session);
  const PageInputs compared = inputs_of(with_subject(session, a));
  in.compared = {{compared.trace, compared.trace_model}};
  return test::headline_text(in, PageName::compare, test::uniform_measure()) + " " +
         texts_of_page(
             test::page_of_session(in, PageName::compare, {2400.0F, 1200.0F}, test::uniform_measure()));
}

const TableCells* table_on(const Page& page, const std::string& slot) {
  for (const HitRegion& region : page.regions) {
    const auto* cells = std::get_if<TableCells>(&region.meaning);
    if (cells != nullptr && cells->table == slot) return cells;
  }
  return nullptr;
}

TEST(ComparePage, NamesBothWordsWhereTheSentencesDiffer) {
  const PageInputs in = tired_and_wide();
  const Page wide = test::page_of_session(in, PageName::compare, room_to_compare, test::uniform_measure());
  EXPECT_TRUE(test::page_contains(wide, "tired/wide"));
  EXPECT_FALSE(test::page_contains(wide, "animal/"));
}

/// In a column of a paper, each map has all of its labels on a line of its own.
TEST(ComparePage, LeavesOutNoLabelInAColumn) {
  const PageInputs in = tired_and_wide();
  PageMemo memo;
  PageTools tools{test::uniform_measure(), 0, memo};
  const Page page = page_of(in, PageName::compare, {432.0F, 372.0F}, tools);
  for (const char* slot : {"compare A", "compare B", "compare difference"}) {
    const HeatmapLayout& layout = memo.maps[slot].layout;
    EXPECT_EQ(layout.row_labels.size(), 11U) << slot;
    EXPECT_EQ(layout.col_labels.size(), 11U) << slot;
  }
  EXPECT_TRUE(test::page_contains(page, "unknown words"));
}

TEST(ComparePage, ShowsHowFarEachPartOfABringsTheAnswer) {
  const PageInputs in = tired_and_wide();
  PageMemo memo;
  PageTools tools{test::uniform_measure(), 0, memo};
  const Page page = page_of(in, PageName::compare, room_to_compare, tools);
  EXPECT_FALSE(patch_progress(in, memo)) << "little work is done at once";
  const TableCells* const heads = table_on(page, patched_parts_slot);
  const TableCells* const rows = table_on(page, patched_rows_slot);
  ASSERT_NE(heads, nullptr);
  ASSERT_NE(rows, nullptr);
  const Architecture& a = in.trace->architecture();
  EXPECT_EQ(heads->grid.n_rows, a.n_layers);
  EXPECT_EQ(heads->grid.n_cols, a.n_heads + 2) << "heads, the feed-forward layer and the whole layer";
  EXPECT_EQ(rows->grid.n_cols, in.trace->n_tokens());
  const OwnedMatrix& shares = memo.tables.at(patched_rows_slot).numbers;
  // The sentences differ only in the last word, so its row brings all of the answer and the other rows
  // nothing.
  for (int token = 0; token < in.trace->n_tokens(); ++token)
    EXPECT_NEAR(shares.at(0, token), token + 1 == in.trace->n_tokens() ? 1.0F : 0.0F, 1e-4F) << token;
  const auto* question = memo.results.last<PatchQuestion>();
  ASSERT_NE(question, nullptr);
  const PatchMap map = patch_map(*in.compared.front().trace, *in.trace, question->difference).finish();
  const OwnedMatrix& of_heads = memo.tables.at(patched_parts_slot).numbers;
  int column = 0;
  for (const PatchedPart& part : map.parts) {
    const double share = (part.difference - map.of_b) / (map.of_a - map.of_b);
    const CellIndex cell{part.part.place.layer, column++ % (a.n_heads + 2)};
    EXPECT_NEAR(of_heads.at(cell.row, cell.col), share, 1e-5);
    const std::string said = describe_patch(in, memo, patched_parts_slot, cell);
    EXPECT_NE(said.find(rounded_text(part.difference)), std::string::npos) << said;
  }
}

TEST(ComparePage, SpeaksOfTheSelectedRowOrOfTheLargestChange) {
  const auto model = open_model("pronouns", {HEADSCOPE_SOURCE_DIR "/assets/models"});
  ASSERT_TRUE(model);
  const Session plain = reduce(default_session(), opening_action(*model));
  Session causal = plain;
  causal.attention.mask.causal = true;
  const Session wide =
      reduce(plain, SetSentence{"The animal didn't cross the street because it was too wide", std::nullopt});
  EXPECT_NE(compared_texts(plain, wide.subject()).find("“it” gives "), std::string::npos);
  // With “wide”, the row of “it” is nearly the same under both masks.
  Session wide_causal = wide;
  wide_causal.attention.mask.causal = true;
  const std::string masks = compared_texts(wide_causal, wide.subject());
  EXPECT_NE(masks.find("The largest change: “"), std::string::npos) << masks;
  // A has no “tired”, and B no “wide”.
  const std::string both = compared_texts(causal, wide.subject());
  for (const char* wrong : {"“tired” gives", "“wide” gives"}) {
    const auto found = both.find(wrong);
    if (found == std::string::npos) continue;
    const std::string sentence = both.substr(found, both.find('.', found + 40) - found);
    const bool is_of_b = std::string(wrong).starts_with("“tired");
    EXPECT_EQ(sentence.find(" in A") < sentence.find(" in B"), !is_of_b) << both;
  }
}

TEST(ComparePage, SaysHowFarInTheNumbersOfTheMap) {
  const PageInputs in = tired_and_wide();
  PageMemo memo;
  PageTools tools{test::uniform_measure(), 0, memo};
  const std::string said = texts_of_page(page_of(in, PageName::compare, {2400.0F, 1200.0F}, tools));
  EXPECT_EQ(said.find(" % of the way"), std::string::npos) << said;
  EXPECT_NE(said.find("Apart from the words themselves, which enter layer 0, the row of “it”"),
            std::string::npos)
      << said;
  const OwnedMatrix& rows = memo.tables.at(patched_rows_slot).numbers;
  EXPECT_EQ(rows.at(0, in.trace->n_tokens() - 1), 1.0F) << "rounding is no difference";
  EXPECT_EQ(rows.at(0, 0), 0.0F);
  EXPECT_NE(describe_patch(in, memo, patched_rows_slot, {0, in.trace->n_tokens() - 1})
                .find("all the way to A's answer"),
            std::string::npos);
}

TEST(ComparePage, TheChoiceBecomesAAndWhatIsShownStaysB) {
  const auto model = open_model("pronouns", {HEADSCOPE_SOURCE_DIR "/assets/models"});
  ASSERT_TRUE(model);
  const Session shown = reduce(reduce(default_session(), opening_action(*model)), open_head({0, 2}));
  for (const PossibleComparison& each : comparisons(shown)) {
    if (each.changes_b) continue;
    Session comparison = shown;
    for (const Action& action : each.actions()) comparison = reduce(comparison, action);
    EXPECT_EQ(comparison.subject(), shown.subject()) << each.name;
  }
}

TEST(ComparePage, MapsOfTheSameRowsShareTheirLabels) {
  const auto comparison = [](const PageInputs& in) {
    PageMemo memo;
    PageTools tools{test::uniform_measure(), 0, memo};
    constexpr PageSize room_for_one_line{1600.0F, 500.0F};
    return page_of(in, PageName::compare, room_for_one_line, tools);
  };
  const auto rows_called = [](const Page& page, const std::string& word) {
    return std::ranges::count_if(page.figure.items, [&](const Item& item) {
      const auto* label = std::get_if<Label>(&item);
      return label != nullptr && label->text == word && label->horizontal == HorizontalAnchor::right;
    });
  };
  const auto n_regions = [](const Page& page) {
    return std::ranges::count_if(page.regions, [](const HitRegion& region) {
      return std::holds_alternative<RowLabels>(region.meaning);
    });
  };
  PageInputs in = tired_and_wide();
  const Page words = comparison(in);
  EXPECT_EQ(rows_called(words, "because"), 3);
  // Two heads over the same sentence share one list of words, in which a token can still be selected.
  in.session.compared.front() = in.session.subject();
  in.session.compared.front().selection.head = 1;
  in.compared.front() = {in.trace, in.trace_model};
  const Page heads = comparison(in);
  EXPECT_EQ(rows_called(heads, "because"), 1);
  EXPECT_EQ(n_regions(heads), 1);
}

TEST(ComparePage, LongWorkWaitsToBeAskedForAndCanBeStopped) {
  PageInputs in = tired_and_wide();
  PageMemo memo;
  Job job;
  PageTools tools{test::uniform_measure(), 0, memo, [&job](Job asked) { job = std::move(asked); }};
  (void)page_of(in, PageName::compare, room_to_compare, tools);
  const auto progress = patch_progress(in, memo);
  ASSERT_TRUE(progress);
  EXPECT_TRUE(progress->is_running);
  EXPECT_EQ(progress->share, 0.0);
  ASSERT_TRUE(job);
  EXPECT_TRUE(job());
  EXPECT_GT(patch_progress(in, memo)->share, 0.0);
  finish(job);
  EXPECT_FALSE(patch_progress(in, memo)) << "it is done";
  EXPECT_NE(table_on(page_of(in, PageName::compare, room_to_compare, tools), patched_parts_slot), nullptr);
  request_patches(in, memo);
  EXPECT_EQ(memo.requested_patches, *memo.results.last<PatchQuestion>());
}

TEST(ComparePage, FindsTheOneWordThatDiffersAsSplittingWould) {
  const auto words_of = [](const std::string& sentence) {
    std::istringstream words(sentence);
    return std::vector<std::string>{std::istream_iterator<std::string>(words), {}};
  };
  unsigned state = 1;
  const auto draw = [&](unsigned n) { return (state = state * 1664525U + 1013904223U) / 65536U % n; };
  int n_found = 0;
  for (int round = 0; round < 3000; ++round) {
    Session session = default_session();
    Subject other = session.subject();
    for (std::string* sentence : {&session.sentence, &other.sentence}) {
      sentence->clear();
      for (unsigned i = draw(4); i < 4; ++i) *sentence += std::string(1 + draw(2), "ab"[draw(2)]) + " ";
      if (draw(2) == 0 && !sentence->empty()) sentence->pop_back();
    }
    session.compared = {other};
    const std::vector<std::string> a = words_of(other.sentence), b = words_of(session.sentence);
    int n_different = a.size() == b.size() ? 0 : 2;
    std::size_t at = 0;
    for (std::size_t i = 0; i < a.size() && a.size() == b.size(); ++i) {
      if (a[i] == b[i]) continue;
      ++n_different;
      at = i;
    }
    const auto found = changed_word(session);
    // One more space at the end is a difference of its own.
    EXPECT_LE(found.has_value(), n_different == 1) << other.sentence << '|' << session.sentence;
    const bool end_alike = other.sentence.ends_with(' ') == session.sentence.ends_with(' ');
    EXPECT_TRUE(found || n_different != 1 || !end_alike) << other.sentence << '|' << session.sentence;
    if (!found) continue;
    ++n_found;
    EXPECT_EQ(found->in_a, a[at]);
    EXPECT_EQ(found->in_b, b[at]);
    EXPECT_EQ(found->before, at == 0 ? "" : a[at - 1]);
    EXPECT_EQ(found->is_last, at + 1 == a.size());
  }
  EXPECT_GT(n_found, 100);
}

TEST(ComparePage, OneAnswerHasNoPartsThatMakeADifference) {
  PageInputs in = tired_and_wide();
  in.compared.front().trace = in.trace;
  PageMemo memo;
  PageTools tools{test::uniform_measure(), 0, memo};
  EXPECT_EQ(table_on(page_of(in, PageName::compare, room_to_compare, tools), patched_parts_slot), nullptr);
  EXPECT_FALSE(patch_progress(in, memo));
}

/// The reason stands above the maps, where it is seen at once.
TEST(ComparePage, SaysWhyTextsOfDifferentLengthsExchangeNoParts) {
  Session session = tired_and_wide().session;
  const Subject a = session.compared.front();
  session.sentence += " yesterday";
  session.texts = {};
  const std::string said = compared_texts(session, a);
  EXPECT_NE(said.find("use texts with the same number of tokens"), std::string::npos) << said;
}

TEST(ComparePage, SaysThatBothGiveTheSameWord) {
  const Session session = tired_and_wide().session;
  Subject a = session.subject();
  a.attention.mask.window = 100;  // It hides nothing.
  const std::string said = compared_texts(session, a);
  EXPECT_NE(said.find("Parts of A are not put into B: both A and B give “"), std::string::npos) << said;
}

/// Captured attention of four tokens, with queries and keys or with weights.
Session of_capture(const TemporaryFolder& folder, bool has_weights) {
  const std::vector<float> numbers(2UL * 2UL * 4UL * 4UL, 0.25F);
  const auto view = [&](const char* name) {
    return TensorView{name, {2, 2, 4, 4}, {numbers.data(), 16, 4, 4}};
  };
  std::vector<TensorView> tensors{view("attentions")};
  if (!has_weights) tensors = {view("queries"), view("keys"), view("values")};
  const auto file = folder / (has_weights ? "weights.safetensors" : "queries.safetensors");
  EXPECT_TRUE(write_safetensors(file, tensors, {{"tokens", R"(["a", "b", "c", "d"])"}}));
  const auto model = open_model(file.string(), {});
  EXPECT_TRUE(model) << model.error().message;
  return reduce(default_session(), opening_action(*model));
}

TEST(PagesOfCaptures, ShowWhatTheyCanOrSayWhatIsMissing) {
  const TemporaryFolder folder;
  for (const bool has_weights : {true, false}) {
    const PageInputs in = inputs_of(of_capture(folder, has_weights));
    ASSERT_NE(in.trace, nullptr);
    for (const PageRecord& record : page_records()) {
      SCOPED_TRACE(record.title);
      if (!record.workspace) continue;
      const Page page = test::page_of_session(in, record.name, room_to_compare, test::uniform_measure());
      EXPECT_FALSE(page.figure.items.empty());
      if (!record.why_not_for_captures.empty()) {
        EXPECT_TRUE(page.regions.empty());
        EXPECT_EQ(why_empty(in.session, record.name), record.why_not_for_captures);
      }
      (void)numbers_of_page(in, record.name);
    }
    for (const StageId& stage : in.trace->stages())
      EXPECT_FALSE(in.trace->value(stage).data == nullptr) << path(stage);
  }
}

}  // namespace
}  // namespace headscope
