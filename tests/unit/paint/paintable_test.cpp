#include "core/figure/paintable.h"

#include <algorithm>
#include <array>

#include "core/figure/bars.h"
#include "core/figure/color_scale.h"
#include "core/figure/theme.h"
#include "core/paint/rasterize.h"
#include "tests/unit/figure/figure_helpers.h"
#include "tests/unit/figure/random_figure.h"

namespace headscope {
namespace {

using test::random_figure;
using test::uniform_measure;

bool is_sane(float value) {
  return std::abs(value) <= paint_limits::max_coordinate;
}

/// A painter that fails on anything that cannot be painted.
struct StrictPainter {
  int n_items = 0, open_clips = 0;

  void expect(Point p) const { EXPECT_TRUE(is_sane(p.x) && is_sane(p.y)); }
  void expect(const Box& box, float least) const {
    EXPECT_TRUE(is_sane(box.x) && is_sane(box.y) && is_sane(box.w) && is_sane(box.h));
    EXPECT_TRUE(box.w >= least && box.h >= least) << box.w << " × " << box.h;
  }
  void expect_rounding(const Box& box, float rounding) const {
    EXPECT_TRUE(rounding == 0.0F || rounding >= paint_limits::min_rounding) << rounding;
    EXPECT_LE(rounding, 0.5F * std::min(box.w, box.h));
  }
  void expect_thickness(float thickness) const { EXPECT_TRUE(is_sane(thickness) && thickness > 0.0F); }

  void operator()(const FilledRect& rect) {
    ++n_items;
    expect(rect.box, paint_limits::min_extent);
    expect_rounding(rect.box, rect.rounding);
  }
  void operator()(const StrokedRect& rect) {
    ++n_items;
    expect(rect.box, 0.0F);
    expect_rounding(rect.box, rect.rounding);
    expect_thickness(rect.thickness);
  }
  void operator()(const Line& line) {
    ++n_items;
    expect(line.from);
    expect(line.to);
    expect_thickness(line.thickness);
  }
  void operator()(const Curve& curve) {
    ++n_items;
    for (const Point p : {curve.from, curve.control_1, curve.control_2, curve.to}) expect(p);
    expect_thickness(curve.thickness);
  }
  void operator()(const Ribbon& ribbon) {
    ++n_items;
    expect(ribbon.from);
    expect(ribbon.to);
    EXPECT_TRUE(is_sane(ribbon.from_height) && ribbon.from_height >= 0.0F);
    EXPECT_TRUE(is_sane(ribbon.to_height) && ribbon.to_height >= 0.0F);
  }
  void operator()(const Label& label) {
    ++n_items;
    EXPECT_FALSE(label.text.empty());
    expect(label.at);
    EXPECT_TRUE(is_sane(label.degrees));
    EXPECT_GE(label.size, paint_limits::min_font_size);
    EXPECT_LE(label.size, paint_limits::max_font_size);
  }
  void operator()(const Raster& raster) {
    ++n_items;
    ASSERT_TRUE(raster.image);
    EXPECT_EQ(raster.image->pixels.size(),
              static_cast<std::size_t>(raster.image->width) * static_cast<std::size_t>(raster.image->height));
    expect(raster.box, paint_limits::min_extent);
  }
  void operator()(const Hatch& hatch) {
    ++n_items;
    expect(hatch.box, paint_limits::min_extent);
    EXPECT_LE((hatch.box.w + hatch.box.h) / hatch.spacing, 1.01F * paint_limits::max_strokes);
  }
  void operator()(const ClipBegin& clip) {
    ++open_clips;
    expect(clip.box, 0.0F);
  }
  void operator()(const ClipEnd& /*end*/) { --open_clips; }
};

TEST(Paintable, NothingThatCannotBePaintedReachesAPainter) {
  std::mt19937 generator(1);
  int n_painted = 0;
  for (int i = 0; i < 2000; ++i) {
    const Figure figure = random_figure(generator);
    StrictPainter painter;
    paint_items(figure, painter);
    const auto count = [&](auto kind) {
      return static_cast<int>(test::items_of<decltype(kind)>(figure).size());
    };
    EXPECT_EQ(painter.open_clips, count(ClipBegin{}) - count(ClipEnd{})) << "clips stay in pairs";
    n_painted += painter.n_items;
  }
  EXPECT_GT(n_painted, 2000);
}

TEST(Paintable, WhatIsGoodIsPaintedAsItIs) {
  const FilledRect rect{{1, 2, 30, 4}, {1, 2, 3}, 1.5F};
  ASSERT_TRUE(paintable(rect));
  EXPECT_EQ(paintable(rect)->box, rect.box);
  EXPECT_EQ(paintable(rect)->rounding, 1.5F);
  EXPECT_EQ(paintable(FilledRect{{1, 2, 30, 4}, {}, 9.0F})->rounding, 2.0F) << "half of the lower side";
  EXPECT_EQ(paintable(FilledRect{{1, 2, 30, 4}, {}, 1e-8F})->rounding, 0.0F);
  EXPECT_FALSE(paintable(FilledRect{{1, 2, 1e-8F, 4}, {}}));
  EXPECT_FALSE(paintable(Line{{NAN, 0}, {1, 1}, {}}));
  EXPECT_EQ(paintable(ClipBegin{{0, 0, -1, 5}})->box, Box{});
  EXPECT_EQ(paintable(Hatch{{0, 0, 30, 30}, {}, 5.0F})->spacing, 5.0F);
}

/// Cairo drops everything after the first thing that it cannot draw.
TEST(Paintable, CairoDrawsAnyFigureToItsEnd) {
  const auto fonts = test::installed_fonts();
  if (!fonts) GTEST_SKIP() << "no font is installed";
  std::mt19937 generator(2);
  for (int i = 0; i < 200; ++i) {
    Figure figure = random_figure(generator);
    figure.width = figure.height = 200.0F;
    const Result<Image> drawn = rasterized(figure, 1.0F, *fonts);
    EXPECT_TRUE(drawn) << drawn.error().message;
  }
}

TEST(Bars, TheSmallestShareIsASquareBarOfOneUnit) {
  BarListSpec spec;
  for (const double value : {1.0, 1e-3, 1e-8, 1e-30, 1e-300, 0.0})
    spec.bars.push_back({"word", value, "x", {9, 9, 9}});
  spec.maximum = 1.0;
  const Figure figure = draw_bars(spec, 200, light_theme(), uniform_measure());
  std::vector<FilledRect> bars = test::items_of<FilledRect>(figure);
  std::erase_if(bars, [](const FilledRect& rect) { return rect.color != Color{9, 9, 9}; });
  ASSERT_EQ(bars.size(), 5U) << "none for nothing";
  for (const FilledRect& bar : bars) {
    EXPECT_GE(bar.box.w, 1.0F);
    EXPECT_GE(paintable(bar)->rounding, 0.5F);
  }
}

TEST(ColorBar, NumbersStayBesideABarOfAnyHeight) {
  for (const float height : {0.0F, 0.5F, 4.0F, 8.0F, 11.0F, 48.0F, 400.0F}) {
    const Box bar{10, 20, 8, height};
    Figure figure;
    draw_color_bar(ColorScale{}, bar, std::array{ColorScale{}.label()}, 13.0F, light_theme(),
                   uniform_measure(), figure);
    const auto numbers = test::items_of<Label>(figure);
    ASSERT_FALSE(numbers.empty());
    for (const Label& number : numbers) {
      EXPECT_GE(number.at.y, bar.y);
      EXPECT_LE(number.at.y, bar.bottom());
    }
  }
}

}  // namespace
}  // namespace headscope
