#include "core/figure/curves.h"

#include <algorithm>
#include <limits>

#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

CurvesSpec spec_of(std::vector<CurveSeries::At> points) {
  CurvesSpec spec;
  spec.title = "Loss";
  spec.x_axis = "steps";
  spec.series = {{"train", {1, 2, 3, 255}, std::move(points), 1.5F}};
  spec.x_high = 100.0;
  return spec;
}

TEST(Curves, RiseWithTheirNumbersAndStayInTheirArea) {
  std::mt19937 generator(9);
  std::uniform_real_distribution<double> uniform(0.0, 40.0);
  for (int round = 0; round < 50; ++round) {
    std::vector<CurveSeries::At> points;
    for (int x = 0; x <= 100; x += 10) points.push_back({static_cast<double>(x), uniform(generator)});
    const Box area{10.0F, 20.0F, 200.0F + static_cast<float>(round), 150.0F};
    const Figure figure = draw_curves(spec_of(points), area, light_theme(), test::uniform_measure());
    const auto lines = test::items_of<Line>(figure);
    ASSERT_EQ(lines.size(), points.size() - 1);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      EXPECT_LT(lines[i].from.x, lines[i].to.x);
      const bool rises = points[i + 1].y > points[i].y;
      EXPECT_EQ(lines[i].to.y <= lines[i].from.y, rises) << "y grows downwards";
      for (const Point at : {lines[i].from, lines[i].to}) {
        EXPECT_GE(at.x, area.x);
        EXPECT_LE(at.x, area.right());
        EXPECT_GE(at.y, area.y);
        EXPECT_LE(at.y, area.bottom());
      }
    }
  }
}

TEST(Curves, LeaveOutWhatIsNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const Figure figure = draw_curves(spec_of({{0.0, 1.0}, {30.0, nan}, {60.0, infinity}, {90.0, 2.0}}),
                                    {0.0F, 0.0F, 300.0F, 100.0F}, light_theme(), test::uniform_measure());
  EXPECT_EQ(test::items_of<Line>(figure).size(), 1U);
  EXPECT_EQ(test::items_of<Line>(draw_curves(spec_of({}), {0.0F, 0.0F, 300.0F, 100.0F}, light_theme(),
                                             test::uniform_measure()))
                .size(),
            0U);
}

TEST(Curves, TheDotStandsWhereTheLegendReads) {
  const auto dot_of = [](std::optional<double> marker) {
    CurvesSpec spec = spec_of({{0.0, 1.0}, {50.0, 2.0}, {100.0, 3.0}});
    spec.marker = marker;
    const Box area{0.0F, 0.0F, 300.0F, 100.0F};
    const Figure figure = draw_curves(spec, area, light_theme(), test::uniform_measure());
    const Box box = test::items_of<FilledRect>(figure).back().box;
    const Box plot = plot_of_curves(spec, area, test::uniform_measure());
    return (box.x + 0.5F * box.w - plot.x) / plot.w;
  };
  EXPECT_NEAR(dot_of({}), 1.0F, 1e-3F);
  EXPECT_NEAR(dot_of(60.0), 0.5F, 1e-3F);
}

TEST(Curves, WritesNothingBeyondANarrowAreaOrOnTheAxis) {
  CurvesSpec spec = spec_of({});
  spec.if_empty = "Press Train to begin.";
  const Box area{0.0F, 0.0F, 100.0F, 100.0F};
  for (const Label& label :
       test::items_of<Label>(draw_curves(spec, area, light_theme(), test::uniform_measure()))) {
    EXPECT_NE(label.text, "steps") << "it has no room between 0 and the end";
    if (label.text != spec.if_empty) continue;
    const float width = test::uniform_measure()(label.text, label.font, label.size).width;
    EXPECT_LE(label.at.x + width / 2.0F, area.right() + 0.1F);
  }
  spec.x_high = 5.0;
  const auto wide = test::items_of<Label>(
      draw_curves(spec, {0.0F, 0.0F, 400.0F, 100.0F}, light_theme(), test::uniform_measure()));
  EXPECT_EQ(std::ranges::count(wide, "steps", &Label::text), 1);
}

TEST(Curves, ManyPointsBecomeOneAPixel) {
  std::vector<CurveSeries::At> points;
  for (int i = 0; i <= 10'000; ++i) points.push_back({i / 100.0, 3.0});
  const Figure figure =
      draw_curves(spec_of(points), {0.0F, 0.0F, 300.0F, 100.0F}, light_theme(), test::uniform_measure());
  EXPECT_LE(test::items_of<Line>(figure).size(), 300U);
}

}  // namespace
}  // namespace headscope
