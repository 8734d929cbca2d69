#include "core/figure/heatmap.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "core/figure/heatmap_metrics.h"
#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

using test::corners;
using test::items_of;
using test::uniform_measure;

constexpr float hidden = -std::numeric_limits<float>::infinity();

struct Case {
  OwnedMatrix matrix;
  HeatmapSpec spec;
  Box area;
};

Case random_case(std::mt19937& generator) {
  const auto between = [&generator](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(generator);
  };
  Case made;
  const int rows = between(0, 3) == 0 ? between(1, 400) : between(1, 40);
  const int cols = between(0, 1) == 0 ? rows : between(1, 300);
  made.matrix = test::random_matrix(rows, cols, generator, 0.0F, 1.0F);
  made.area = {static_cast<float>(between(0, 50)), static_cast<float>(between(0, 50)),
               static_cast<float>(between(220, 1400)), static_cast<float>(between(200, 1000))};
  HeatmapSpec& spec = made.spec;
  spec.source = source_of(made.matrix.view());
  spec.row_labels = test::random_words(rows, generator);
  if (between(0, 2) == 0) {
    spec.col_labels = {cols, [](int i) { return std::to_string(i); }};
  } else {
    spec.col_labels = test::random_words(cols, generator);
  }
  spec.row_axis = "queries";
  spec.col_axis = "keys";
  spec.title = "Layer 0, head 3";
  spec.formula = "softmax(M) over keys";
  spec.shape = "[n × n]";
  spec.scale = ColorScale({}, false, made.matrix.view());
  if (between(0, 1) == 0) spec.marked_row = between(0, rows - 1);
  if (between(0, 1) == 0) spec.marked_col = between(0, cols - 1);
  return made;
}

TEST(Heatmap, CellsLieInsideTheAreaAndAreSquareWhereTheMatrixIs) {
  std::mt19937 generator(11);
  for (int round = 0; round < 300; ++round) {
    const Case made = random_case(generator);
    const HeatmapLayout layout = layout_heatmap(made.spec, made.area, uniform_measure());
    SCOPED_TRACE(testing::Message() << made.matrix.rows << " × " << made.matrix.cols << " in " << made.area.w
                                    << " × " << made.area.h);
    EXPECT_GE(layout.cells.x, made.area.x);
    EXPECT_GE(layout.cells.y, made.area.y);
    EXPECT_LE(layout.cells.right(), made.area.right() + 1.0F);
    EXPECT_LE(layout.cells.bottom(), made.area.bottom() + 1.0F);
    EXPECT_LE(layout.color_bar.right(), made.area.right() + 1.0F);
    EXPECT_GT(layout.cell_width, 0.0F);
    EXPECT_GT(layout.cell_height, 0.0F);
    if (made.matrix.rows == made.matrix.cols) {
      EXPECT_EQ(layout.cell_width, layout.cell_height);
    }
  }
}

TEST(Heatmap, CellAtIsTheInverseOfBoxOf) {
  std::mt19937 generator(12);
  for (int round = 0; round < 100; ++round) {
    Case made = random_case(generator);
    std::uniform_int_distribution<int> row(0, made.matrix.rows - 1);
    std::uniform_int_distribution<int> col(0, made.matrix.cols - 1);
    made.spec.window = {row(generator), col(generator), row(generator), col(generator)};
    const HeatmapLayout layout = layout_heatmap(made.spec, made.area, uniform_measure());
    for (int i = 0; i < 50; ++i) {
      const CellIndex cell{layout.first_row + row(generator) % layout.n_rows,
                           layout.first_col + col(generator) % layout.n_cols};
      const Box box = layout.box_of(cell.row, cell.col);
      EXPECT_EQ(layout.cell_at({box.x + 0.5F * box.w, box.y + 0.5F * box.h}), cell);
    }
    EXPECT_FALSE(layout.cell_at({layout.cells.x - 1.0F, layout.cells.y}));
    EXPECT_FALSE(layout.cell_at({layout.cells.right() + 1.0F, layout.cells.y}));
    EXPECT_FALSE(layout.cell_at({layout.cells.x, layout.cells.bottom() + 1.0F}));
  }
}

TEST(Heatmap, ALongTitleBeginsAtTheEdgeAndIsWrittenSmallerBeforeItIsCut) {
  std::mt19937 generator(15);
  Case made = random_case(generator);
  made.area = {0.0F, 0.0F, 300.0F, 300.0F};
  made.spec.shape = "";
  const auto title = [&](const std::string& text) {
    made.spec.title = text;
    const HeatmapLayout layout = layout_heatmap(made.spec, made.area, uniform_measure());
    const Figure figure = draw_heatmap(made.spec, layout, light_theme(), uniform_measure());
    const auto labels = test::items_of<Label>(figure);
    return *std::ranges::find(labels, Font::sans_bold, &Label::font);
  };
  EXPECT_EQ(title("Head 3").size, made.spec.font_size);
  const Label smaller = title("Layer 0, head 3 · Attention weights, long");
  EXPECT_EQ(smaller.text, made.spec.title) << "nothing is cut";
  EXPECT_LT(smaller.size, made.spec.font_size);
  EXPECT_EQ(smaller.at.x, 0.0F);
  EXPECT_TRUE(title(std::string(200, 'm')).text.ends_with("…"));
}

TEST(Heatmap, NoTwoLabelsOverlap) {
  std::mt19937 generator(13);
  for (int round = 0; round < 200; ++round) {
    const Case made = random_case(generator);
    const HeatmapLayout layout = layout_heatmap(made.spec, made.area, uniform_measure());
    const Figure figure = draw_heatmap(made.spec, layout, light_theme(), uniform_measure());
    std::vector<std::vector<Point>> shapes;
    std::vector<std::string> texts;
    std::vector<float> shared;  // the part of a turned label's line that its neighbour may share
    for (const Label& label : items_of<Label>(figure)) {
      if (label.text.empty()) continue;
      shapes.push_back(corners(label, uniform_measure()));
      texts.push_back(label.text);
      const float line = uniform_measure()(label.text, label.font, label.size).height;
      shared.push_back(label.degrees != 0.0F ? 0.12F * line : 0.0F);
    }
    SCOPED_TRACE(testing::Message() << made.matrix.rows << " × " << made.matrix.cols << " in " << made.area.w
                                    << " × " << made.area.h << " cell " << layout.cell_width << " × "
                                    << layout.cell_height << " turn " << static_cast<int>(layout.turn));
    int overlaps = 0;
    for (std::size_t a = 0; a < shapes.size(); ++a) {
      for (std::size_t b = a + 1; b < shapes.size(); ++b) {
        constexpr float rounding = 0.05F;
        if (!test::overlap(shapes[a], shapes[b], std::min(shared[a], shared[b]) + rounding)) continue;
        ++overlaps;
        ADD_FAILURE() << texts[a] << " (" << a << ") overlaps " << texts[b] << " (" << b << ")";
        if (overlaps > 2) return;
      }
    }
  }
}

TEST(Heatmap, LabelsStayInsideTheFigure) {
  std::mt19937 generator(14);
  for (int round = 0; round < 200; ++round) {
    const Case made = random_case(generator);
    const HeatmapLayout layout = layout_heatmap(made.spec, made.area, uniform_measure());
    const Figure figure = draw_heatmap(made.spec, layout, light_theme(), uniform_measure());
    for (const Label& label : items_of<Label>(figure)) {
      for (const Point corner : corners(label, uniform_measure())) {
        EXPECT_GE(corner.x, made.area.x - 1.0F) << label.text;
        EXPECT_LE(corner.x, made.area.right() + 2.0F) << label.text;
        EXPECT_GE(corner.y, made.area.y - 1.0F) << label.text;
        EXPECT_LE(corner.y, made.area.bottom() + 2.0F) << label.text;
      }
    }
  }
}

TEST(Heatmap, HiddenCellsAreHatchedAndEveryOtherCellIsFilled) {
  OwnedMatrix matrix(3, 3);
  matrix.values = {1.0F, hidden, hidden, 2.0F, -1.0F, hidden, 0.0F, 1.0F, 2.0F};
  HeatmapSpec spec;
  spec.source = source_of(matrix.view());
  spec.scale = ColorScale({}, true, matrix.view());
  spec.color_bar = false;
  const HeatmapLayout layout = layout_heatmap(spec, {0, 0, 200, 200}, uniform_measure());
  const Figure figure = draw_heatmap(spec, layout, light_theme(), uniform_measure());
  EXPECT_EQ(items_of<Hatch>(figure).size(), 3U);
  EXPECT_EQ(items_of<FilledRect>(figure).size(), 6U);
  EXPECT_EQ(items_of<Label>(figure).size(), 6U) << "a number in every cell that has one";
}

TEST(Heatmap, NumbersFitTheirCells) {
  std::mt19937 generator(15);
  for (int round = 0; round < 100; ++round) {
    Case made = random_case(generator);
    for (float& value : made.matrix.values) value = std::pow(10.0F, 8.0F * value - 4.0F);
    const HeatmapLayout layout = layout_heatmap(made.spec, made.area, uniform_measure());
    const auto cells = read_cells(made.spec, layout);
    if (fit_numbers(made.spec, layout, *cells, uniform_measure()).size == 0.0F) continue;
    const Figure figure = draw_heatmap(made.spec, layout, light_theme(), uniform_measure());
    for (const Label& label : items_of<Label>(figure)) {
      if (label.font != Font::mono || label.horizontal != HorizontalAnchor::center) continue;
      const TextSize size = uniform_measure()(label.text, label.font, label.size);
      EXPECT_LE(size.width, layout.cell_width - layout.gap) << label.text;
      EXPECT_LE(size.height, layout.cell_height - layout.gap + 0.01F) << label.text;
    }
  }
}

TEST(Heatmap, SmallPrintHasNumbersOfAReadableSizeOrNone) {
  OwnedMatrix matrix(8, 8);
  std::ranges::fill(matrix.values, 0.12F);
  HeatmapSpec spec;
  spec.source = source_of(matrix.view());
  spec.scale = ColorScale({}, false, matrix.view());
  spec.color_bar = false;
  spec.min_number = 12.1F;
  int n_with_numbers = 0;
  for (float side = 100.0F; side < 500.0F; side += 7.0F) {
    const HeatmapLayout layout = layout_heatmap(spec, {0, 0, side, side}, uniform_measure());
    const auto numbers = items_of<Label>(draw_heatmap(spec, layout, light_theme(), uniform_measure()));
    for (const Label& number : numbers) EXPECT_GE(number.size, spec.min_number);
    if (!numbers.empty()) ++n_with_numbers;
  }
  EXPECT_GT(n_with_numbers, 20);
}

/// The numbers drawn in cells of this width, in reading order.
std::vector<std::string> numbers_in_cells(OwnedMatrix matrix, float cell, bool leaves_out_small = false) {
  HeatmapSpec spec;
  if (leaves_out_small) spec.leaves_out_below = small_share;
  spec.source = source_of(matrix.view());
  spec.scale = ColorScale({}, false, matrix.view());
  spec.color_bar = false;
  spec.max_cell = cell;
  const HeatmapLayout layout = layout_heatmap(spec, {0, 0, 600, 600}, uniform_measure());
  std::vector<std::string> numbers;
  for (const Label& label : items_of<Label>(draw_heatmap(spec, layout, light_theme(), uniform_measure())))
    numbers.push_back(label.text);
  return numbers;
}

TEST(Heatmap, ANumberThatIsTooLongHidesNoOther) {
  OwnedMatrix matrix(4, 4);
  std::ranges::fill(matrix.values, 0.12F);
  for (float cell = 44.0F; cell > 8.0F; cell -= 1.0F) {
    matrix.at(1, 2) = -12345.0F;
    const std::vector<std::string> numbers = numbers_in_cells(matrix, cell);
    matrix.at(1, 2) = 0.12F;
    EXPECT_GE(numbers.size() + 1, numbers_in_cells(matrix, cell).size()) << "cells of " << cell;
  }
}

TEST(Heatmap, AGreatShareIsNeverLeftEmptyAmongOthers) {
  OwnedMatrix matrix(4, 4);
  std::ranges::fill(matrix.values, 0.12F);
  matrix.at(1, 2) = 0.998F;
  std::set<std::string> spellings;
  for (float cell = 44.0F; cell > 8.0F; cell -= 1.0F) {
    const std::vector<std::string> numbers = numbers_in_cells(matrix, cell, true);
    if (numbers.empty()) continue;
    ASSERT_EQ(numbers.size(), 16U) << "cells of " << cell;
    spellings.insert(numbers[6]);
  }
  EXPECT_EQ(spellings, (std::set<std::string>{"≈1", ".998", "0.998"}));
}

TEST(Heatmap, AllNumbersHaveTheUsualDigitsOrAllHaveTwo) {
  std::mt19937 generator(17);
  // Shares have no digits before the point, for which small cells would have no room.
  std::uniform_real_distribution<float> exponent(-4.0F, -0.01F);
  for (int round = 0; round < 20; ++round) {
    OwnedMatrix matrix(5, 5);
    for (float& value : matrix.values) value = std::pow(10.0F, exponent(generator));
    matrix.at(0, 0) = 0.58F;
    CellDigits before = CellDigits::two;
    for (float cell = 8.0F; cell < 80.0F; cell += 1.0F) {
      const std::vector<std::string> numbers = numbers_in_cells(matrix, cell);
      if (numbers.empty()) continue;
      ASSERT_EQ(numbers.size(), 25U) << "cells of " << cell;
      const CellDigits digits = numbers[0] == "0.580" ? CellDigits::three : CellDigits::two;
      for (std::size_t i = 0; i < numbers.size(); ++i)
        EXPECT_EQ(numbers[i], rounded_text(static_cast<double>(matrix.values[i]), digits))
            << "cells of " << cell;
      EXPECT_GE(digits, before) << "a larger cell never has fewer digits";
      before = digits;
    }
    EXPECT_EQ(before, CellDigits::three);
  }
}

TEST(Heatmap, LargeMapsAreOneImageAndPoolTheGreatest) {
  OwnedMatrix matrix(1000, 1000);
  matrix.at(503, 207) = 1.0F;
  matrix.at(10, 990) = hidden;
  HeatmapSpec spec;
  spec.source = source_of(matrix.view());
  spec.scale = ColorScale({}, false, matrix.view());
  const HeatmapLayout layout = layout_heatmap(spec, {0, 0, 400, 320}, uniform_measure());
  EXPECT_TRUE(layout.raster);
  EXPECT_TRUE(layout.pooled);
  const auto cells = read_cells(spec, layout);
  const auto image = cells->image;
  EXPECT_LE(image->width, static_cast<int>(layout.cells.w));
  const Color darkest = spec.scale.color_at(1.0F);
  EXPECT_EQ(std::count(image->pixels.begin(), image->pixels.end(), darkest), 1)
      << "the one weight is not lost";
  const Figure figure = draw_heatmap(spec, layout, cells.get(), light_theme(), uniform_measure());
  ASSERT_EQ(items_of<Raster>(figure).size(), 1U);
  EXPECT_EQ(items_of<Raster>(figure).front().image, image);
}

TEST(Heatmap, PoolingKeepsTheSignOfTheGreatestMagnitude) {
  OwnedMatrix matrix(600, 600);
  for (float& value : matrix.values) value = 0.1F;
  matrix.at(300, 300) = -2.0F;
  HeatmapSpec spec;
  spec.source = source_of(matrix.view());
  spec.scale = ColorScale({}, true, matrix.view());
  const HeatmapLayout layout = layout_heatmap(spec, {0, 0, 300, 240}, uniform_measure());
  ASSERT_TRUE(layout.pooled);
  const auto cells = read_cells(spec, layout);
  const auto image = cells->image;
  EXPECT_EQ(std::count(image->pixels.begin(), image->pixels.end(), spec.scale.color_at(0.0F)), 1);
}

TEST(Heatmap, UnpooledImagesHaveOnePixelACell) {
  std::mt19937 generator(16);
  OwnedMatrix matrix = test::random_matrix(70, 70, generator, 0.0F, 1.0F);
  matrix.at(3, 5) = hidden;
  HeatmapSpec spec;
  spec.source = source_of(matrix.view());
  spec.scale = ColorScale({}, false, matrix.view());
  const HeatmapLayout layout = layout_heatmap(spec, {0, 0, 400, 320}, uniform_measure());
  ASSERT_TRUE(layout.raster);
  ASSERT_FALSE(layout.pooled);
  const auto cells = read_cells(spec, layout);
  const auto image = cells->image;
  ASSERT_EQ(image->width, 70);
  ASSERT_EQ(image->height, 70);
  for (int row = 0; row < 70; ++row) {
    for (int col = 0; col < 70; ++col) {
      const Color pixel = image->pixels[static_cast<std::size_t>(row * 70 + col)];
      const auto color = spec.scale.color(matrix.at(row, col), row);
      if (color) {
        EXPECT_EQ(pixel, *color);
      } else {
        EXPECT_EQ(pixel.a, 0);
      }
    }
  }
  EXPECT_EQ(items_of<Hatch>(draw_heatmap(spec, layout, cells.get(), light_theme(), uniform_measure())).size(),
            1U);
}

TEST(Heatmap, EmptyMatricesAndTinyAreasDoNoHarm) {
  HeatmapSpec spec;
  EXPECT_TRUE(draw_heatmap(spec, layout_heatmap(spec, {0, 0, 100, 100}, uniform_measure()), light_theme(),
                           uniform_measure())
                  .items.empty());
  const OwnedMatrix matrix(30, 30);
  spec.source = source_of(matrix.view());
  spec.row_labels = std::vector<std::string>(30, "word");
  spec.col_labels = std::vector<std::string>(30, "word");
  for (const float side : {0.0F, 1.0F, 20.0F, 60.0F}) {
    const HeatmapLayout layout = layout_heatmap(spec, {0, 0, side, side}, uniform_measure());
    for (const Label& label : items_of<Label>(draw_heatmap(spec, layout, light_theme(), uniform_measure()))) {
      EXPECT_TRUE(std::isfinite(label.at.x) && std::isfinite(label.at.y));
    }
  }
}

TEST(Heatmap, WindowsOutsideTheMatrixAreClamped) {
  const OwnedMatrix matrix(5, 6);
  HeatmapSpec spec;
  spec.source = source_of(matrix.view());
  spec.window = {-3, 40, 100, 2};
  const HeatmapLayout layout = layout_heatmap(spec, {0, 0, 300, 300}, uniform_measure());
  EXPECT_EQ(layout.first_row, 0);
  EXPECT_EQ(layout.n_rows, 5);
  EXPECT_EQ(layout.first_col, 5);
  EXPECT_EQ(layout.n_cols, 1);
}

TEST(AxisLabels, TheMarkedLabelIsAlwaysThere) {
  const AxisTexts words(std::vector<std::string>(200, "word"));
  for (int marked = 0; marked < 200; marked += 7) {
    const ChosenLabels chosen =
        choose_row_labels({words, 0, 200, 5.0F, 10.0F, 100.0F, marked}, uniform_measure());
    EXPECT_TRUE(std::any_of(chosen.labels.begin(), chosen.labels.end(),
                            [marked](const AxisLabel& label) { return label.index == marked; }));
    EXPECT_LT(chosen.labels.size(), 200U);
  }
}

TEST(AxisLabels, TheMarkedLabelIsThereHoweverNarrowTheCells) {
  const AxisTexts words(std::vector<std::string>(3000, "a longer word"));
  for (const float cell : {4.0F, 1.0F, 0.3F}) {
    std::optional<float> widest;
    for (const int marked : {0, 17, 1500, 2999}) {
      const AxisLabelRequest source{words, 0, 3000, cell, 10.0F, 100.0F, marked};
      for (const ChosenLabels& chosen :
           {choose_row_labels(source, uniform_measure()), choose_col_labels(source, {}, uniform_measure())}) {
        EXPECT_EQ(std::ranges::count(chosen.labels, marked, &AxisLabel::index), 1) << cell;
        EXPECT_EQ(chosen.widest, widest.value_or(chosen.widest))
            << "the room is the same whichever is marked";
        widest = chosen.widest;
      }
    }
  }
  const AxisLabelRequest elsewhere{words, 100, 2000, 0.5F, 10.0F, 100.0F, 50};
  EXPECT_TRUE(choose_col_labels(elsewhere, {}, uniform_measure()).labels.empty())
      << "it is scrolled out of sight";
}

TEST(AxisLabels, AreWrittenUpwardsBeforeAnyIsLeftOut) {
  const AxisTexts words(std::vector<std::string>(9, "a longer word"));
  for (const auto& [cell, turn] : {std::pair(200.0F, LabelTurn::flat), std::pair(24.0F, LabelTurn::slanted),
                                   std::pair(14.0F, LabelTurn::upright)}) {
    const ChosenLabels chosen =
        choose_col_labels({words, 0, 9, cell, 10.0F, 100.0F, {}}, {}, uniform_measure());
    EXPECT_EQ(chosen.turn, turn) << cell;
    ASSERT_EQ(chosen.labels.size(), 9U) << cell;
    EXPECT_EQ(chosen.labels.front().text, "a longer word") << cell;
  }
}

TEST(AxisLabels, OnlyNumbersThatCountUpAreThinnedOut) {
  const auto chosen = [](std::vector<std::string> labels) {
    const AxisTexts texts(std::move(labels));
    return choose_col_labels({texts, 0, texts.size(), 24.0F, 10.0F, 100.0F, {}}, {}, uniform_measure());
  };
  const ChosenLabels ids = chosen({"1012", "2044", "3000", "44", "555", "1666"});
  EXPECT_NE(ids.turn, LabelTurn::flat);
  EXPECT_EQ(ids.labels.size(), 6U) << "no id tells its neighbours";
  const ChosenLabels places = chosen({"−102", "−101", "−100", "−99", "−98", "−97"});
  EXPECT_EQ(places.turn, LabelTurn::flat);
  EXPECT_LT(places.labels.size(), 6U);
}

TEST(AxisLabels, RoundSteps) {
  EXPECT_EQ(round_step(0.2F), 1);
  EXPECT_EQ(round_step(1.1F), 2);
  EXPECT_EQ(round_step(3.0F), 5);
  EXPECT_EQ(round_step(11.0F), 20);
}

}  // namespace
}  // namespace headscope
