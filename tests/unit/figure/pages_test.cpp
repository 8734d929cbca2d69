#include "core/figure/pages.h"

#include "core/checkpoint/model_folder.h"
#include "core/engine/engine.h"
#include "core/engine/opening.h"
#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

using test::even_measure;
using test::items_of;

std::shared_ptr<const Trace> trace_of(const std::string& sentence, bool causal = false) {
  Session session;
  session.sentence = sentence;
  session.attention.mask.causal = causal;
  Engine engine(1);
  const auto trace = engine.compute(request_of(session));
  return trace ? *trace : nullptr;
}

StageId head(int index) {
  StageId id;
  id.head = index;
  return id;
}

bool has_text(const Figure& figure, const std::string& text) {
  for (const Label& label : items_of<Label>(figure)) {
    if (label.text.find(text) != std::string::npos) return true;
  }
  return false;
}

void check_inside(const Figure& figure) {
  for (const Label& label : items_of<Label>(figure)) {
    for (const Point corner : test::corners(label, even_measure())) {
      EXPECT_GE(corner.x, -1.0F) << label.text;
      EXPECT_LE(corner.x, figure.width + 1.0F) << label.text;
      EXPECT_GE(corner.y, -1.0F) << label.text;
      EXPECT_LE(corner.y, figure.height + 1.0F) << label.text;
    }
  }
  for (const FilledRect& rect : items_of<FilledRect>(figure)) {
    EXPECT_LE(rect.box.right(), figure.width + 0.5F);
    EXPECT_LE(rect.box.bottom(), figure.height + 0.5F);
  }
}

TEST(Pages, EveryStageOfAPassHasAFigureWithItsTitleAndShape) {
  const auto trace = trace_of("The animal was tired");
  ASSERT_NE(trace, nullptr);
  for (const StageId& id : trace->stages()) {
    SCOPED_TRACE(path(id));
    const auto figure = figure_of_stage(*trace, id, {}, even_measure());
    ASSERT_TRUE(figure);
    EXPECT_TRUE(has_text(*figure, std::string(info(id.kind).title)));
    EXPECT_TRUE(has_text(*figure, shape_text(trace->value(id))));
    EXPECT_LE(figure->width, 960.0F);
    EXPECT_LE(figure->height, 800.0F);
    check_inside(*figure);
  }
}

/// How often each text is drawn.
int times_drawn(const Figure& figure, const std::string& text) {
  int n = 0;
  for (const Label& label : items_of<Label>(figure)) n += label.text == text ? 1 : 0;
  return n;
}

TEST(Pages, MapsSayWhatRowsAndColumnsAreAndWhatIsHatched) {
  const auto trace = trace_of("The animal was tired", true);
  ASSERT_NE(trace, nullptr);
  StageId id{StageKind::masked};
  const auto figure = figure_of_stage(*trace, id, {}, even_measure());
  ASSERT_TRUE(figure);
  EXPECT_TRUE(has_text(*figure, "rows are queries, columns are keys"));
  EXPECT_TRUE(has_text(*figure, "hatched"));
  EXPECT_TRUE(has_text(*figure, "per map, linear"));
  EXPECT_EQ(items_of<Hatch>(*figure).size(), 6U);
  id.kind = StageKind::weights;
  const auto weights = figure_of_stage(*trace, id, {}, even_measure());
  EXPECT_EQ(items_of<Hatch>(*weights).size(), 6U) << "no weight was computed there";
  EXPECT_TRUE(has_text(*weights, "hatched: no weight, hidden by the mask"));
  EXPECT_EQ(times_drawn(*weights, "0"), 1) << "beside the colour bar, and in no cell";
  EXPECT_EQ(times_drawn(*weights, "<.01"), 0);
}

/// A weight of 0 that no mask made (dropout's) is a number like others.
TEST(Pages, AZeroThatNoMaskMadeIsNotHatched) {
  const auto trace = trace_of("The animal was tired");
  ASSERT_NE(trace, nullptr);
  const auto figure = figure_of_stage(*trace, {StageKind::weights}, {}, even_measure());
  EXPECT_TRUE(items_of<Hatch>(*figure).empty());
}

TEST(Pages, FiguresOfRandomWeightsSayThatTheyAre) {
  const auto random = trace_of("The animal was tired");
  ASSERT_NE(random, nullptr);
  const std::string said = "random weights";
  EXPECT_TRUE(has_text(*figure_of_stage(*random, head(0), {}, even_measure()), said));
  EXPECT_TRUE(has_text(*figure_of_stage(*random, {StageKind::w_output}, {}, even_measure()), said));
  EXPECT_TRUE(has_text(*figure_of_all_heads(*random, {StageKind::weights}, {}, even_measure()), said));
  EXPECT_TRUE(has_text(*figure_of_head_stages(*random, head(0), {}, even_measure()), said));
  EXPECT_FALSE(has_text(*figure_of_stage(*random, {StageKind::positions}, {}, even_measure()), said))
      << "sines are computed";
}

TEST(Pages, FiguresOfATrainedModelDoNot) {
  const auto model = load_model(HEADSCOPE_SOURCE_DIR "/assets/models/copying", "copying");
  ASSERT_TRUE(model) << model.error().message;
  const auto trace = Engine(1).compute(request_of(reduce(default_session(), opening(*model))));
  ASSERT_TRUE(trace) << trace.error().message;
  const std::string said = "random weights";
  EXPECT_FALSE(has_text(*figure_of_stage(**trace, head(0), {}, even_measure()), said));
  EXPECT_FALSE(has_text(*figure_of_all_heads(**trace, {StageKind::weights}, {}, even_measure()), said));
  EXPECT_FALSE(has_text(*figure_of_head_stages(**trace, head(0), {}, even_measure()), said));
}

TEST(Pages, HeadsAndStagesFitTheirPage) {
  for (const std::string sentence : {"one", "The animal didn't cross the street because it was too tired"}) {
    const auto trace = trace_of(sentence, true);
    ASSERT_NE(trace, nullptr);
    for (const RangeMode range : {RangeMode::map, RangeMode::all_heads}) {
      PageSpec page;
      page.picture.range = range;
      const auto heads = figure_of_all_heads(*trace, {StageKind::weights}, page, even_measure());
      ASSERT_TRUE(heads);
      EXPECT_TRUE(has_text(*heads, "head 3"));
      check_inside(*heads);
      EXPECT_LE(heads->width, page.width);
      EXPECT_LE(heads->height, page.height);
      const auto stages = figure_of_head_stages(*trace, head(1), page, even_measure());
      ASSERT_TRUE(stages);
      EXPECT_TRUE(has_text(*stages, "head 1, step by step"));
      check_inside(*stages);
      EXPECT_LE(stages->height, page.height);
    }
  }
}

std::shared_ptr<const Trace> cross_trace() {
  Session session;
  session.sentence = "one two three";
  session.target = "eins zwei drei vier";
  session.architecture.stacks = Stacks::encoder_decoder;
  session.architecture.d_model = 32;
  const auto trace = Engine(1).compute(request_of(session));
  return trace ? *trace : nullptr;
}

TEST(Pages, StagesOfCrossAttentionHaveTheWordsOfBothSentences) {
  const auto trace = cross_trace();
  ASSERT_NE(trace, nullptr);
  StageId id;
  id.stack = Stack::decoder;
  id.attention = AttentionKind::cross;
  const auto figure = figure_of_head_stages(*trace, id, {}, even_measure());
  ASSERT_TRUE(figure) << figure.error().message;
  check_inside(*figure);
  EXPECT_EQ(times_drawn(*figure, "zwei"), 8) << "rows of all but keys and values";
  EXPECT_EQ(times_drawn(*figure, "two"), 7) << "rows of keys and values, columns of the five maps";
}

TEST(Pages, StagesOfSelfAttentionHaveTheirWordsAtEveryPanelAndAboveEveryMap) {
  const auto trace = trace_of("one two three");
  ASSERT_NE(trace, nullptr);
  const auto figure = figure_of_head_stages(*trace, head(0), {}, even_measure());
  ASSERT_TRUE(figure) << figure.error().message;
  EXPECT_EQ(times_drawn(*figure, "two"), 15) << "rows of ten panels, columns of five maps";
}

/// Where the cells of the panel with this title are: the boxes under it, up to the next panel's title.
std::vector<Box> cells_under(const Figure& figure, const std::string& title) {
  std::vector<Box> cells;
  bool is_there = false;
  for (const Item& item : figure.items) {
    const auto* label = std::get_if<Label>(&item);
    if (label != nullptr && label->font == Font::sans_bold) is_there = label->text == title;
    if (!is_there) continue;
    if (const auto* hatch = std::get_if<Hatch>(&item)) cells.push_back(hatch->box);
    if (const auto* rect = std::get_if<FilledRect>(&item)) cells.push_back(rect->box);
  }
  return cells;
}

TEST(Pages, EqualMapsOfAHeadAreOfOneSizeAndItsContributionIsNoStamp) {
  const auto trace = trace_of("The animal didn't cross the street because it was too tired", true);
  ASSERT_NE(trace, nullptr);
  PageSpec page;
  page.height = 1400.0F;
  const auto figure = figure_of_head_stages(*trace, head(1), page, even_measure());
  ASSERT_TRUE(figure);
  check_inside(*figure);
  const std::vector<Box> raw = cells_under(*figure, "Raw scores");
  ASSERT_GE(raw.size(), 121U);
  for (const char* title : {"Scaled scores", "Masked scores", "Attention weights", "Effective weights"}) {
    const std::vector<Box> cells = cells_under(*figure, title);
    ASSERT_GE(cells.size(), 121U) << title;
    EXPECT_EQ(cells.front().w, raw.front().w) << title;
    EXPECT_EQ(cells.front().h, raw.front().h) << title;
  }
  EXPECT_EQ(times_drawn(*figure, "because"), 15) << "the same labels at every panel";
  const std::vector<Box> contribution = cells_under(*figure, "Head contribution");
  ASSERT_FALSE(contribution.empty());
  EXPECT_GE(contribution.front().h, raw.front().h - 1.0F);
  EXPECT_GE(contribution[63].right() - contribution.front().x, 0.5F * figure->width);
}

TEST(Pages, LongSentencesFitToo) {
  std::string sentence;
  for (int i = 0; i < 300; ++i) sentence += "word" + std::to_string(i) + " ";
  const auto trace = trace_of(sentence);
  ASSERT_NE(trace, nullptr);
  const auto heads = figure_of_all_heads(*trace, {StageKind::weights}, {}, even_measure());
  ASSERT_TRUE(heads);
  EXPECT_EQ(items_of<Raster>(*heads).size(), 4U);
  check_inside(*heads);
  PageSpec small;
  small.width = 240.0F;
  small.height = 240.0F;
  const auto stage = figure_of_stage(*trace, {StageKind::weights}, small, even_measure());
  ASSERT_TRUE(stage);
  EXPECT_TRUE(items_of<Raster>(*stage).front().image->width < 300) << "pooled";
}

TEST(Pages, AMissingStageIsAnErrorThatNamesIt) {
  const auto trace = trace_of("a b");
  ASSERT_NE(trace, nullptr);
  StageId id{StageKind::weights};
  id.head = 99;
  const auto figure = figure_of_stage(*trace, id, {}, even_measure());
  ASSERT_FALSE(figure);
  EXPECT_NE(figure.error().message.find("99"), std::string::npos);
  EXPECT_FALSE(figure_of_head_stages(*trace, head(-1), {}, even_measure()));
}

TEST(Pages, TheSharedRangeOfAllHeadsGivesEqualColoursToEqualValues) {
  const auto trace = trace_of("The animal was tired");
  ASSERT_NE(trace, nullptr);
  PictureOptions options;
  options.range = RangeMode::all_heads;
  std::vector<double> highs;
  for (int head = 0; head < trace->architecture().n_heads; ++head) {
    StageId id{StageKind::raw};
    id.head = head;
    highs.push_back(scale_of_stage(*trace, id, options).high());
  }
  for (const double high : highs) EXPECT_EQ(high, highs.front());
}

}  // namespace
}  // namespace headscope
