#include "core/figure/position_map.h"

#include "core/figure/colormap.h"
#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

PositionSource positions_of(Positions kind) {
  PositionSource source;
  source.architecture.positions = kind;
  source.n_positions = 20;
  source.width = 512;
  return source;
}

TEST(PositionMap, TheDocumentsPictureHasTwentyRowsAndTwoHalves) {
  const PositionSource source = positions_of(Positions::split);
  OwnedMatrix numbers;
  const HeatmapSpec spec = position_map(PositionPicture::rows, source, {}, numbers);
  EXPECT_EQ(spec.extent(), (Extent{20, 512}));
  EXPECT_EQ(spec.source->read({0, 0, 20, 512}).view.data, numbers.values.data());
  EXPECT_EQ(spec.row_labels[19], "19");
  EXPECT_EQ(spec.col_labels[511], "511");
  EXPECT_EQ(spec.scale.high(), 1.0);
  const std::vector<ColumnGroup> halves = position_groups(source, {});
  ASSERT_EQ(halves.size(), 2U);
  EXPECT_EQ(halves[1].first, 256);
  EXPECT_EQ(halves[1].count, 256);
  EXPECT_TRUE(position_groups(positions_of(Positions::sinusoidal), {}).empty());
}

TEST(PositionMap, DistancesRunOnBothSidesOfZero) {
  OwnedMatrix numbers;
  const HeatmapSpec spec = position_map(PositionPicture::biases, positions_of(Positions::alibi), {}, numbers);
  EXPECT_EQ(spec.col_labels[0], "−19");
  EXPECT_EQ(spec.col_labels[19], "0");
  EXPECT_EQ(spec.row_labels[0], "head 0, m 0.25");
}

TEST(PositionMap, TheNeutralColourIsZero) {
  OwnedMatrix numbers;
  for (const Positions kind : {Positions::sinusoidal, Positions::rotary}) {
    const HeatmapSpec spec = position_map(PositionPicture::products, positions_of(kind), {}, numbers);
    EXPECT_TRUE(spec.scale.is_signed()) << "even if all products are positive";
    EXPECT_EQ(spec.scale.color(0.0F), sample(color_map(DivergingMap::headscope, ThemeName::light), 0.5F));
  }
}

TEST(PositionMap, LearnedRowsAreTheTables) {
  std::mt19937 generator(3);
  const OwnedMatrix table = test::random_matrix(40, 6, generator, -1.0F, 1.0F);
  PositionSource source = positions_of(Positions::learned);
  source.table = table.view();
  OwnedMatrix numbers;
  position_map(PositionPicture::rows, source, {}, numbers);
  ASSERT_EQ(numbers.rows, 20);
  EXPECT_EQ(numbers.at(19, 5), table.at(19, 5));
  const HeatmapSpec products = position_map(PositionPicture::products, source, {}, numbers);
  EXPECT_TRUE(products.scale.is_signed());
}

TEST(PositionMap, SaysHowACellCameToBe) {
  OwnedMatrix numbers;
  const PositionSource waves = positions_of(Positions::sinusoidal);
  position_map(PositionPicture::rows, waves, {}, numbers);
  EXPECT_EQ(position_sentence(PositionPicture::rows, waves, numbers, {2, 1}),
            "Position 2, dimension 1: cos(2 / 1) = −0.4161");
  const PositionSource turns = positions_of(Positions::rotary);
  position_map(PositionPicture::angles, turns, {}, numbers);
  EXPECT_EQ(position_sentence(PositionPicture::angles, turns, numbers, {3, 2}),
            "Position 3, dimensions 4 and 5: rotated by 3 / 10000^(4/16) = 0.3 rad; cos 0.9553, sin 0.2955");
  const PositionSource biases = positions_of(Positions::alibi);
  position_map(PositionPicture::biases, biases, {}, numbers);
  EXPECT_EQ(position_sentence(PositionPicture::biases, biases, numbers, {0, 15}),
            "Head 0 adds −1 to the score of a key 4 before the query");
}

}  // namespace
}  // namespace headscope
