#include "core/figure/split_figure.h"

#include <algorithm>

#include "core/figure/column_groups.h"
#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

using test::items_of;
using test::uniform_measure;

bool says(const Figure& figure, const std::string& text) {
  const std::vector<Label> labels = items_of<Label>(figure);
  return std::ranges::any_of(labels, [&](const Label& label) { return label.text == text; });
}

void expect_labels_apart(const Figure& figure) {
  const std::vector<Label> labels = items_of<Label>(figure);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t j = i + 1; j < labels.size(); ++j) {
      EXPECT_FALSE(test::overlap(test::corners(labels[i], uniform_measure()),
                                 test::corners(labels[j], uniform_measure())))
          << labels[i].text << " and " << labels[j].text;
    }
  }
}

Figure document_example(int n_heads) {
  const std::vector<float> numbers{1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F};
  return draw_split(split_into_heads(numbers, numbers, n_heads), {}, true, light_theme(), uniform_measure());
}

TEST(SplitFigure, ShowsTheNumbersOfTheDocument) {
  const Figure two = document_example(2);
  EXPECT_TRUE(says(two, "1 + 4 + 9 = 14"));
  EXPECT_TRUE(says(two, "14 / √3 = 8.083"));
  EXPECT_TRUE(says(two, "16 + 25 + 36 = 77"));
  const Figure three = document_example(3);
  EXPECT_TRUE(says(three, "1 + 4 = 5"));
  EXPECT_TRUE(says(three, "5 / √2 = 3.536"));
  EXPECT_TRUE(says(three, "5 + 25 + 61 = 91, the product of the whole rows"));
}

TEST(SplitFigure, LabelsStandApartAndInside) {
  for (const int n_heads : {1, 2, 3, 6}) {
    const Figure figure = document_example(n_heads);
    expect_labels_apart(figure);
    for (const Label& label : items_of<Label>(figure)) {
      for (const Point& corner : test::corners(label, uniform_measure())) {
        EXPECT_GE(corner.x, 0.0F) << label.text;
        EXPECT_LE(corner.x, figure.width + 0.5F) << label.text;
        EXPECT_LE(corner.y, figure.height) << label.text;
      }
    }
  }
}

TEST(HeadScores, SayWhatEachHeadMakesOfThePair) {
  HeadScoresSpec spec;
  spec.raw = {-39.8, 11.0};
  spec.scaled = {-9.951, 2.75};
  spec.scaling = " / √16";
  const Figure figure = draw_head_scores(spec, 360.0F, light_theme(), uniform_measure());
  EXPECT_TRUE(says(figure, "−39.80"));
  EXPECT_TRUE(says(figure, "11"));
  EXPECT_TRUE(says(figure, "= −9.951"));
  EXPECT_TRUE(says(figure, "= 2.750"));
  expect_labels_apart(figure);
  EXPECT_GT(head_score_box(0, 400.0F).y, 0.0F) << "below the names of the columns";
  EXPECT_EQ(head_score_box(0, 400.0F).bottom(), head_score_box(1, 400.0F).y);
  EXPECT_EQ(head_score_box(1, 400.0F).bottom(), head_scores_height(spec));
}

TEST(HeadScores, HaveOneColumnWhereNothingIsScaled) {
  HeadScoresSpec spec;
  spec.raw = {9.5, 11.0};
  const Figure figure = draw_head_scores(spec, 360.0F, light_theme(), uniform_measure());
  EXPECT_TRUE(says(figure, "9.500"));
  EXPECT_FALSE(says(figure, "= 9.500"));
  EXPECT_FALSE(says(figure, "scaled"));
  expect_labels_apart(figure);
}

TEST(SplitFigure, NeedNotDivide) {
  const std::vector<float> numbers{1.0F, 2.0F, 3.0F, 4.0F};
  const Figure figure =
      draw_split(split_into_heads(numbers, numbers, 2), {}, false, light_theme(), uniform_measure());
  EXPECT_TRUE(says(figure, "1 + 4 = 5"));
  for (const Label& label : items_of<Label>(figure)) EXPECT_EQ(label.text.find("√"), std::string::npos);
}

TEST(ColumnGroups, BracketsSpanTheirColumnsInsideTheWindow) {
  std::mt19937 generator(1);
  const OwnedMatrix matrix = test::random_matrix(2, 64, generator, -1.0F, 1.0F);
  HeatmapSpec spec;
  spec.source = source_of(matrix.view());
  spec.scale = ColorScale({}, true, matrix.view());
  spec.window = {0, 16, 2, 32};
  constexpr float size = 11.0F;
  const Box area{0.0F, column_groups_height(size), 600.0F, 120.0F};
  const HeatmapLayout layout = layout_heatmap(spec, area, uniform_measure());
  std::vector<ColumnGroup> groups;
  for (int head = 0; head < 4; ++head) {
    groups.push_back({16 * head, 16, "head " + std::to_string(head), head_color({}, head, 4), head == 1});
  }
  const Figure figure = draw_column_groups(groups, layout, size, light_theme(), uniform_measure());
  const std::vector<Label> names = items_of<Label>(figure);
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[0].text, "head 1");
  EXPECT_EQ(names[0].font, Font::sans_bold);
  for (const FilledRect& part : items_of<FilledRect>(figure)) {
    EXPECT_GE(part.box.x, layout.cells.x);
    EXPECT_LE(part.box.right(), layout.cells.right());
    EXPECT_GE(part.box.y, 0.0F);
    EXPECT_LE(part.box.bottom(), layout.cells.y);
  }
}

}  // namespace
}  // namespace headscope
