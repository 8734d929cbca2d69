// Tests whole models in the window: layers, two stacks, batches, words, and their views.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/parts/stage_picker.h"
#include "app/views/views.h"
#include "core/figure/diagram.h"
#include "core/page/pages.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

Architecture small_pair() {
  Architecture a;
  a.stacks = Stacks::encoder_decoder;
  a.n_layers = 2;
  a.d_model = 32;
  a.d_ff = 64;
  a.norm = Norm::post;
  a.residual = true;
  a.output_layer = OutputLayer::tied;
  return a;
}

class Transformer : public testing::Test {
 protected:
  void SetUp() override { use(small_pair()); }

  void use(const Architecture& architecture) {
    driver_.app().apply(test::with(driver_.session(), architecture));
    driver_.settle();
    ASSERT_EQ(driver_.app().error(), "");
    ASSERT_EQ(driver_.trace().architecture(), architecture);
  }
  StageId selected() const {
    const Selection& selection = driver_.session().selection;
    return selection.at(selection.stage);
  }
  void click_on(const std::string& words) {
    const auto places = find_text(words);
    ASSERT_FALSE(places.empty()) << words;
    driver_.click({places.front().x + 2.0F, places.front().y + 2.0F});
  }

  AppDriver driver_;
};

TEST_F(Transformer, StepsForwardThroughTheWholePassAndBackAgain) {
  show_details(driver_);
  driver_.app().apply(select_stage(StageKind::embedding));
  driver_.settle();
  const StageId start = selected();
  std::vector<StageId> met{start};
  for (int step = 0; step < 300; ++step) {
    driver_.press(CommandId::next_stage);
    ASSERT_TRUE(driver_.trace().has(selected())) << path(selected());
    if (selected() == start) break;
    met.push_back(selected());
  }
  EXPECT_EQ(selected(), start) << "the way goes round";
  for (const StageId& expected :
       {StageId{StageKind::weights, Stack::decoder, 1, AttentionKind::cross},
        StageId{StageKind::hidden, Stack::encoder, 1}, StageId{StageKind::probabilities}}) {
    EXPECT_NE(std::ranges::find(met, expected), met.end()) << path(expected);
  }
  driver_.press(CommandId::previous_stage);
  EXPECT_EQ(selected(), met.back());
}

TEST_F(Transformer, CrossAttentionHasTheTargetsQueriesAndTheSourcesKeys) {
  driver_.press(CommandId::next_attention);
  driver_.press(CommandId::next_attention);
  EXPECT_EQ(selected(), (StageId{StageKind::weights, Stack::decoder, 0, AttentionKind::cross}));
  const auto at = driver_.cell("large", 1, 2);
  ASSERT_TRUE(at);
  driver_.hover(*at);
  driver_.frames(2);
  EXPECT_TRUE(screen_contains("“Tier” (query 1)"));
  EXPECT_TRUE(screen_contains("“didn't” (key 2)"));
  const MatrixView weights = driver_.trace().value(selected());
  EXPECT_EQ(weights.rows, static_cast<int>(driver_.trace().tokens(Stack::decoder).size()));
  EXPECT_EQ(weights.cols, driver_.trace().n_tokens());
}

TEST(CrossAttentionStrip, ShowsBothSentencesAtEverySizeOfTheWindow) {
  for (const float scale : {1.0F, 2.0F}) {
    for (const PixelSize size : {PixelSize{1280, 800}, PixelSize{1920, 1080}}) {
      SCOPED_TRACE(std::to_string(size.width) + " at " + std::to_string(scale));
      AppDriver driver(size, scale);
      driver.app().apply(test::with(driver.session(), small_pair()));
      driver.app().apply(select_place(Stack::decoder, 1, AttentionKind::cross));
      driver.app().apply(SelectToken{4});
      driver.settle();
      const TokenStripLayout& strip = driver.app().screen().memo.strip.layout;
      ASSERT_TRUE(strip.two_sentences);
      EXPECT_EQ(strip.n_visible_rows, strip.n_rows);
    }
  }
}

TEST_F(Transformer, EachKindOfAttentionHasAMaskOfItsOwn) {
  driver_.press(CommandId::next_attention);
  EXPECT_TRUE(driver_.session().attention.target_mask.causal);
  driver_.press(CommandId::toggle_causal);
  EXPECT_FALSE(driver_.session().attention.target_mask.causal);
  EXPECT_FALSE(driver_.session().attention.mask.causal);
  driver_.press(CommandId::next_attention);
  driver_.press(CommandId::toggle_paint);
  const auto at = driver_.cell("large", 1, 3);
  ASSERT_TRUE(at);
  driver_.click(*at);
  EXPECT_EQ(driver_.session().attention.cross_mask.painted, (std::vector<Cell>{{1, 3}}));
  EXPECT_TRUE(driver_.session().attention.mask.painted.empty());
  const StageId weights{StageKind::weights, Stack::decoder, 0, AttentionKind::cross};
  EXPECT_EQ(driver_.trace().value(weights)(1, 3), 0.0F);
}

TEST_F(Transformer, TheLayerKeysGoFromLayerToLayer) {
  driver_.press(CommandId::next_layer);
  EXPECT_EQ(driver_.session().selection.layer, 1);
  EXPECT_TRUE(screen_contains("Encoder layer 1"));
  driver_.press(CommandId::next_layer);
  EXPECT_EQ(driver_.session().selection.layer, 0);
}

/// What stands on the line of layers and stages from the word “Layer” on, without spaces.
std::string line_of_stages() {
  std::vector<ScreenText> texts = read_screen();
  const auto layer =
      std::ranges::find_if(texts, [](const ScreenText& text) { return text.text.starts_with("Layer"); });
  if (layer == texts.end()) return {};
  const Box first = layer->box();
  std::erase_if(texts, [first](const ScreenText& text) {
    return std::abs(text.box().y - first.y) > 9.0F || text.box().x < first.x;
  });
  std::ranges::sort(texts, {}, [](const ScreenText& text) { return text.box().x; });
  std::string line;
  for (const ScreenText& text : texts) line += text.text;
  std::erase(line, ' ');
  return line;
}

Settings untrained_with_layers(int n_layers) {
  Settings settings;
  settings.session = default_session();
  settings.session.task.clear();
  settings.session.architecture.n_layers = n_layers;
  return settings;
}

TEST(StageBar, KeepsTheWholeWayInSightWhateverTheNumberOfLayers) {
  for (const int n_layers : {2, 3, 5, 12}) {
    AppDriver driver({1280, 800}, 1.0F, untrained_with_layers(n_layers));
    driver.settle();
    const std::string line = line_of_stages();
    EXPECT_NE(line.find("input→Q·K·V→scores→scaled→masked→weights→outputothers"), std::string::npos) << line;
    EXPECT_EQ(line.starts_with("Layer01"), n_layers == 2) << line;
  }
}

/// A stage that is no part of the way gets a tab of its own.
TEST(StageBar, TheChoiceOfTheLayerKeepsItsFormWhateverStageIsChosen) {
  AppDriver driver({1280, 800}, 1.0F, untrained_with_layers(2));
  driver.settle();
  for (const StageKind stage : {StageKind::concat, StageKind::w_query, StageKind::input}) {
    driver.app().apply(select_stage(stage));
    driver.settle();
    EXPECT_TRUE(line_of_stages().starts_with("Layer01")) << line_of_stages();
  }
}

/// The stage that the diagram shows.
StageId walked(AppDriver& driver) {
  return walked_stage(driver.app().screen().page_inputs, driver.app().screen().memo).value_or(StageId{});
}

TEST_F(Transformer, AClickInTheDiagramGoesToThePart) {
  driver_.press(PageName::model);
  click_on("+ positions");
  EXPECT_EQ(selected(), (StageId{StageKind::positions, Stack::encoder}));
  EXPECT_EQ(driver_.session().view, PageName::explore) << "there is no room for it beside the diagram";
  driver_.press(CommandId::toggle_controls);
  driver_.press(PageName::model);
  const Selection before = driver_.session().selection;
  click_on("+ residual");
  EXPECT_EQ(driver_.session().view, PageName::model);
  EXPECT_EQ(walked(driver_).kind, StageKind::residual);
  EXPECT_EQ(driver_.session().selection, before);
  click_on("+ residual");
  EXPECT_EQ(driver_.session().view, PageName::explore) << "of what is shown already";
}

TEST_F(Transformer, StepsFollowTheArrowsOfTheDiagramBoxByBox) {
  driver_.app().apply(select_stage(StageKind::embedding));
  driver_.press(PageName::model);
  driver_.press(CommandId::next_stage);
  EXPECT_EQ(walked(driver_).kind, StageKind::positions);
  for (const StageKind kind : {StageKind::query, StageKind::key, StageKind::value}) {
    driver_.press(CommandId::next_stage);
    EXPECT_EQ(walked(driver_).kind, kind);
  }
  driver_.press(CommandId::next_stage);
  EXPECT_EQ(walked(driver_).kind, StageKind::weights) << "what else is inside a head has no box of its own";
  driver_.press(CommandId::previous_stage);
  EXPECT_EQ(walked(driver_).kind, StageKind::value);
}

TEST_F(Transformer, ButtonsLeadTheSelectedRowFromBoxToBox) {
  driver_.app().apply(select_stage(StageKind::embedding));
  driver_.press(PageName::model);
  driver_.settle();
  const std::vector<StageId> way = diagram_path(*driver_.app().trace(), selected().head);
  ASSERT_GT(way.size(), 10U);
  EXPECT_EQ(std::ranges::count(way, way.front()), 1) << "the way has an end";
  const Selection before = driver_.session().selection;
  for (std::size_t i = 1; i < 4; ++i) {
    click_on("›");
    driver_.settle();
    EXPECT_EQ(walked(driver_), way[i]);
    EXPECT_TRUE(screen_contains(std::string(info(way[i].kind).meaning).substr(0, 20))) << path(way[i]);
  }
  click_on("‹");
  EXPECT_EQ(walked(driver_), way[2]);
  EXPECT_EQ(driver_.session().selection, before) << "other pages keep what is selected on them";
  driver_.app().apply(select_stage(StageKind::weights));
  driver_.settle();
  EXPECT_EQ(walked(driver_).kind, StageKind::weights) << "what was chosen last is shown";
}

/// Each step of the way must be found at its own place, in models of all kinds, so that every step leads to
/// the next, in a layer that is unfolded.
TEST_F(Transformer, TheWayThroughTheDiagramVisitsEachBoxOnce) {
  std::vector<Architecture> all{small_pair(), default_session().architecture};
  all.emplace_back().stacks = Stacks::decoder;
  all.push_back(driver_.app().session().architecture);
  all.back().norm = Norm::pre;
  all.back().stacks = Stacks::encoder;
  driver_.press(PageName::model);
  for (const Architecture& architecture : all) {
    use(architecture);
    driver_.settle();
    const PageInputs& in = driver_.app().screen().page_inputs;
    PageMemo& memo = driver_.app().screen().memo;
    const std::vector<StageId> way = diagram_path(*in.trace, in.session.selection.head);
    ASSERT_EQ(n_diagram_steps(in, memo), static_cast<int>(way.size()));
    for (int step = 1; step <= static_cast<int>(way.size()); ++step) {
      const StageId& stage = way[static_cast<std::size_t>(step) - 1];
      EXPECT_EQ(step_of_stage(in, memo, stage), step) << path(stage);
      PageInputs at = in;
      at.session.diagram_step = step;
      EXPECT_EQ(diagram_step(at, memo), step);
      EXPECT_EQ(walked_stage(at, memo), stage);
      if (info(stage.kind).scope >= StageScope::layer) {
        EXPECT_EQ(unfolded_layer(at, memo), stage.layer);
      }
    }
  }
}

TEST_F(Transformer, AStepMovesTheDataUnlessMotionIsReduced) {
  driver_.app().apply(select_stage(StageKind::embedding));
  driver_.press(PageName::model);
  auto& motion = driver_.app().screen().own.of<DiagramAnimation>();
  const auto step = [&] {
    motion.to = {};
    driver_.app().run(CommandId::next_stage);
    driver_.frames(1);
    return motion.started_at >= 0.0;
  };
  EXPECT_TRUE(step());
  EXPECT_EQ(motion.from.kind, StageKind::embedding);
  EXPECT_EQ(motion.to.kind, StageKind::positions);
  driver_.wait_until("the end of the motion", [&] {
    driver_.frames(1);
    return motion.started_at < 0.0;
  });
  driver_.press(CommandId::toggle_motion);
  EXPECT_FALSE(step());
  driver_.press(CommandId::toggle_motion);
  driver_.app().hide_transients();
  EXPECT_FALSE(step()) << "no picture contains it";
}

TEST_F(Transformer, TheFitKeyMakesTheDiagramFitThePage) {
  driver_.press(PageName::model);
  const auto bottom = [&] {
    float lowest = 0.0F;
    for (const HitRegion& region : driver_.app().screen().pages[PageName::model].page.regions)
      if (std::holds_alternative<DiagramArea>(region.meaning)) lowest = std::max(lowest, region.box.bottom());
    return lowest;
  };
  EXPECT_TRUE(driver_.session().picture.readable_diagram) << "at first, its words can be read";
  const float readable = bottom();
  driver_.press(CommandId::fit_diagram);
  EXPECT_FALSE(driver_.session().picture.readable_diagram);
  EXPECT_LT(bottom(), readable);
  driver_.press(CommandId::undo);
  EXPECT_TRUE(driver_.session().picture.readable_diagram);
}

TEST(ModelView, AClickUnfoldsALayer) {
  AppDriver driver({1280, 1600});
  driver.app().apply(test::with(driver.session(), small_pair()));
  driver.press(PageName::model);
  EXPECT_TRUE(screen_contains("a folded layer to unfold it"));
  const auto folded = find_text("layer 1");
  ASSERT_EQ(folded.size(), 2U) << "of either stack";
  driver.click({folded.front().x + 2.0F, folded.front().y + 2.0F});
  EXPECT_EQ(walked(driver).layer, 1);
  EXPECT_EQ(driver.session().view, PageName::model);
}

TEST(ModelView, AClickOnTheLabelOfARowSelectsItsWord) {
  AppDriver driver({1600, 1200});
  driver.press(PageName::model);
  driver.app().apply(select_stage(StageKind::weights));
  driver.settle();
  const auto labels = find_text("street");
  ASSERT_GE(labels.size(), 2U) << "of a row and of a column";
  const auto lowest = std::ranges::max_element(labels, {}, &Box::y);
  driver.click({lowest->x + 2.0F, lowest->y + 2.0F});
  EXPECT_EQ(driver.session().selection.token, 5);
  EXPECT_FALSE(driver.session().selection.pin);
}

TEST_F(Transformer, TheDiagramSaysHowManyRowsHaveChanged) {
  driver_.press(PageName::model);
  driver_.app().apply(SetSentence{"The animal didn't cross the street because it was too wide"});
  driver_.press(CommandId::toggle_difference);
  driver_.wait_until("the pass before",
                     [&] { return driver_.app().screen().memo.results.last<ChangeNotes>() != nullptr; });
  driver_.settle();
  const ResultCache& results = driver_.app().screen().memo.results;
  const std::vector<std::string> notes = **results.ready_result(*results.last<ChangeNotes>());
  EXPECT_NE(std::ranges::find(notes, "1 of 11 rows"), notes.end()) << "the embedding of the new word";
  EXPECT_NE(std::ranges::find(notes, "11 of 11 rows"), notes.end()) << "attention mixes it into all";
  EXPECT_FALSE(find_text("11 of 11 rows").empty()) << "as a whole, not cut";
}

TEST_F(Transformer, SteppingInTheModelViewNamesTheStageAndScrollsToItsBox) {
  show_details(driver_);
  driver_.app().apply(select_stage(StageKind::embedding));
  driver_.press(PageName::model);
  PageMemo& memo = driver_.app().screen().memo;
  const int n_steps = n_diagram_steps(driver_.app().screen().page_inputs, memo);
  for (int step = 1; step <= n_steps; ++step) {
    const StageId stage = walked(driver_);
    SCOPED_TRACE(path(stage));
    EXPECT_TRUE(screen_contains(info(stage.kind).title));
    EXPECT_TRUE(screen_contains(full_shape_text(driver_.trace(), stage)));
    EXPECT_TRUE(screen_contains(formula(driver_.trace(), stage)));
    const Diagram diagram =
        layout_diagram(driver_.trace(), unfolded_layer(driver_.app().screen().page_inputs, memo), 0);
    const auto box = box_of_stage(driver_.trace(), diagram, stage);
    ASSERT_TRUE(box);
    EXPECT_FALSE(find_text(diagram.boxes[*box].name).empty()) << diagram.boxes[*box].name;
    driver_.press(CommandId::next_stage);
  }
}

TEST_F(Transformer, TheNextWordIsAppendedToTheTarget) {
  driver_.press(PageName::words);
  const std::string before = driver_.session().target;
  const auto places = find_letters("Append");
  ASSERT_FALSE(places.empty());
  driver_.click({places.front().x + 4.0F, places.front().y + 2.0F});
  driver_.settle();
  const std::string after = driver_.session().target;
  ASSERT_TRUE(after.starts_with(before + " ")) << after;
  const MatrixView logits = driver_.trace().value({.kind = StageKind::logits});
  EXPECT_EQ(logits.rows, static_cast<int>(driver_.trace().tokens(Stack::decoder).size()));
  driver_.press(CommandId::undo);
  EXPECT_EQ(driver_.session().target, before);
}

TEST_F(Transformer, DropoutShowsWhatItRemoves) {
  const StageId dropped{.kind = StageKind::dropped};
  EXPECT_FALSE(driver_.trace().has(dropped));
  driver_.press(CommandId::toggle_train);
  ASSERT_TRUE(driver_.trace().has(dropped));
  driver_.app().apply(select_stage(StageKind::dropped));
  driver_.settle();
  EXPECT_TRUE(screen_contains("Weights after dropout"));
}

TEST_F(Transformer, ASentenceIsAddedToABatchAndPadded) {
  driver_.press(CommandId::add_sentence);
  ASSERT_EQ(driver_.session().batch.size(), 2U);
  EXPECT_EQ(driver_.session().sequence, 1);
  driver_.paste_sentence("It was tired");
  EXPECT_EQ(driver_.session().batch[1], "It was tired");
  EXPECT_EQ(driver_.trace().batch().n_padded, 8);
  EXPECT_EQ(driver_.trace().n_tokens(), 11);
  show_details(driver_);
  EXPECT_TRUE(screen_contains("[2, 4, 11, 11]")) << "batch, heads, queries, keys";
  const MatrixView weights = driver_.trace().value({.kind = StageKind::weights});
  for (int key = 3; key < 11; ++key) EXPECT_EQ(weights(0, key), 0.0F);
}

TEST_F(Transformer, APassThatTakesLongerThanAFrameNeverBlocksTyping) {
  Architecture paper = small_pair();
  paper.n_layers = 6;
  paper.d_model = 512;
  paper.n_heads = 8;
  paper.d_ff = 2048;
  driver_.app().apply(test::with(driver_.session(), paper));
  driver_.frames(2);
  ASSERT_NE(driver_.trace().architecture(), paper) << "drawing tens of millions of weights takes a while";
  double longest = 0.0;
  std::string typed;
  for (const char letter : std::string("Typing goes on")) {
    typed += letter;
    driver_.app().apply(SetSentence{typed});
    const auto start = std::chrono::steady_clock::now();
    driver_.frames(1);
    longest =
        std::max(longest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  constexpr double a_moment = 0.5;  // frames take milliseconds; this allows for slow machines and sanitizers
  EXPECT_LT(longest, a_moment);
  EXPECT_EQ(driver_.session().sentence, "Typing goes on");
  driver_.settle();
  EXPECT_EQ(driver_.trace().n_tokens(), 3);
  EXPECT_TRUE(driver_.trace().complete());
}

}  // namespace
}  // namespace headscope
