#include "core/figure/pages.h"

#include "core/checkpoint/model_folder.h"
#include "core/engine/engine.h"
#include "core/engine/opening.h"
#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

using test::items_of;
using test::uniform_measure;

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

/// Whether a figure contains this text, in one label or across labels that follow each other, such as the
/// lines of a note.
bool has_text(const Figure& figure, const std::string& text) {
  std::string all;
  for (const Label& label : items_of<Label>(figure)) all += label.text + " ";
  return all.find(text) != std::string::npos;
}

void check_inside(const Figure& figure) {
  for (const Label& label : items_of<Label>(figure)) {
    for (const Point corner : test::corners(label, uniform_measure())) {
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
    PageSpec page;
    const auto plain = figure_of_stage(*trace, id, page, uniform_measure());
    page.picture.details = true;
    const auto figure = figure_of_stage(*trace, id, page, uniform_measure());
    ASSERT_TRUE(plain && figure);
    EXPECT_TRUE(has_text(*figure, std::string(info(id.kind).title)));
    EXPECT_TRUE(has_text(*figure, shape_text(trace->value(id))));
    EXPECT_FALSE(has_text(*plain, shape_text(trace->value(id)))) << "a detail";
    EXPECT_LE(figure->width, 960.0F);
    EXPECT_LE(figure->height, 800.0F);
    check_inside(*figure);
  }
}

/// Counts how often a text is drawn.
int times_drawn(const Figure& figure, const std::string& text) {
  int n = 0;
  for (const Label& label : items_of<Label>(figure)) n += label.text == text ? 1 : 0;
  return n;
}

TEST(Pages, MapsSayWhatRowsAndColumnsAreAndWhatIsHatched) {
  const auto trace = trace_of("The animal was tired", true);
  ASSERT_NE(trace, nullptr);
  StageId id{StageKind::masked};
  const auto figure = figure_of_stage(*trace, id, {}, uniform_measure());
  ASSERT_TRUE(figure);
  EXPECT_TRUE(has_text(*figure, "rows are queries, columns are keys"));
  EXPECT_TRUE(has_text(*figure, "hatched"));
  EXPECT_TRUE(has_text(*figure, "per map, linear"));
  EXPECT_EQ(items_of<Hatch>(*figure).size(), 6U);
  id.kind = StageKind::weights;
  const auto weights = figure_of_stage(*trace, id, {}, uniform_measure());
  EXPECT_EQ(items_of<Hatch>(*weights).size(), 6U) << "no weight was computed there";
  EXPECT_TRUE(has_text(*weights, "hatched: no weight, hidden by the mask"));
  EXPECT_EQ(times_drawn(*weights, "0"), 1) << "beside the colour bar, and in no cell";
  EXPECT_EQ(times_drawn(*weights, "≈0"), 0);
}

/// A weight of 0 that dropout made and not a mask must be drawn like any other number.
TEST(Pages, AZeroThatNoMaskMadeIsNotHatched) {
  const auto trace = trace_of("The animal was tired");
  ASSERT_NE(trace, nullptr);
  const auto figure = figure_of_stage(*trace, {StageKind::weights}, {}, uniform_measure());
  EXPECT_TRUE(items_of<Hatch>(*figure).empty());
}

TEST(Pages, FiguresOfRandomWeightsSayThatTheyAre) {
  const auto random = trace_of("The animal was tired");
  ASSERT_NE(random, nullptr);
  const std::string said = "random weights";
  EXPECT_TRUE(has_text(*figure_of_stage(*random, head(0), {}, uniform_measure()), said));
  EXPECT_TRUE(has_text(*figure_of_stage(*random, {StageKind::w_output}, {}, uniform_measure()), said));
  EXPECT_FALSE(has_text(*figure_of_stage(*random, {StageKind::positions}, {}, uniform_measure()), said))
      << "sines are computed";
}

TEST(Pages, FiguresOfATrainedModelDoNot) {
  const auto model = load_model(HEADSCOPE_SOURCE_DIR "/assets/models/copying", "copying");
  ASSERT_TRUE(model) << model.error().message;
  const auto trace = Engine(1).compute(request_of(reduce(default_session(), opening_action(*model))));
  ASSERT_TRUE(trace) << trace.error().message;
  const std::string said = "random weights";
  const auto figure = figure_of_stage(**trace, {StageKind::weights, Stack::decoder}, {}, uniform_measure());
  ASSERT_TRUE(figure) << figure.error().message;
  EXPECT_FALSE(has_text(*figure, said));
}

TEST(Pages, LongSentencesFitToo) {
  std::string sentence;
  for (int i = 0; i < 300; ++i) sentence += "word" + std::to_string(i) + " ";
  const auto trace = trace_of(sentence);
  ASSERT_NE(trace, nullptr);
  const auto large = figure_of_stage(*trace, {StageKind::weights}, {}, uniform_measure());
  ASSERT_TRUE(large);
  check_inside(*large);
  PageSpec small;
  small.width = 240.0F;
  small.height = 240.0F;
  const auto stage = figure_of_stage(*trace, {StageKind::weights}, small, uniform_measure());
  ASSERT_TRUE(stage);
  EXPECT_TRUE(items_of<Raster>(*stage).front().image->width < 300) << "pooled";
}

TEST(Pages, AMissingStageIsAnErrorThatNamesIt) {
  const auto trace = trace_of("a b");
  ASSERT_NE(trace, nullptr);
  StageId id{StageKind::weights};
  id.head = 99;
  const auto figure = figure_of_stage(*trace, id, {}, uniform_measure());
  ASSERT_FALSE(figure);
  EXPECT_NE(figure.error().message.find("99"), std::string::npos);
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
