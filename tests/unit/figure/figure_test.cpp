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

}  // namespace
}  // namespace headscope
