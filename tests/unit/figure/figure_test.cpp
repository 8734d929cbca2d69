#include "core/figure/figure.h"

#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

TEST(Figure, AppendMovesEveryItem) {
  Figure part;
  part.items = {
      FilledRect{{1, 2, 3, 4}, {}},    Line{{1, 2}, {3, 4}, {}}, Curve{{1, 2}, {1, 2}, {1, 2}, {3, 4}, {}},
      Label{"x", {1, 2}, {}},          ClipBegin{{1, 2, 3, 4}},  ClipEnd{},
      Ribbon{{1, 2}, 3, {3, 4}, 5, {}}};
  Figure whole;
  append(whole, part, 10.0F, 20.0F);
  ASSERT_EQ(whole.items.size(), part.items.size());
  EXPECT_EQ(std::get<FilledRect>(whole.items[0]).box, (Box{11, 22, 3, 4}));
  EXPECT_EQ(std::get<Line>(whole.items[1]).to, (Point{13, 24}));
  EXPECT_EQ(std::get<Curve>(whole.items[2]).control_2, (Point{11, 22}));
  EXPECT_EQ(std::get<Label>(whole.items[3]).at, (Point{11, 22}));
  EXPECT_EQ(std::get<ClipBegin>(whole.items[4]).box, (Box{11, 22, 3, 4}));
  EXPECT_EQ(std::get<Ribbon>(whole.items[6]).lower().from, (Point{13, 29}));
}

/// The edge crosses no box, and no heading is left without what it belongs to.
TEST(Figure, BeginsWithWholeParts) {
  Figure figure{100.0F, 480.0F, {}, {}};
  for (const float y : {20.0F, 140.0F, 260.0F, 380.0F}) {
    figure.write("heading", {0.0F, y - 16.0F}, {}, 10.0F, Font::sans_bold);
    figure.items.emplace_back(FilledRect{{0.0F, y, 50.0F, 80.0F}, {}});
  }
  EXPECT_EQ(beginning_of(figure, 480.0F), figure) << "all of it fits";
  const Figure cut = beginning_of(figure, 401.0F);
  EXPECT_EQ(cut.items.size(), 6U) << "three boxes with their headings; the fourth heading would fit";
  EXPECT_EQ(cut.height, 360.0F) << "with the old margin below";
  Figure one = figure;
  one.items.emplace_back(Line{{60.0F, 0.0F}, {60.0F, 460.0F}, {}});
  EXPECT_EQ(beginning_of(one, 401.0F), one) << "a picture without gaps is not cut";
}

}  // namespace
}  // namespace headscope
