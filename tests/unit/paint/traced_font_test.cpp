#include "core/paint/traced_font.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>

#include "core/paint/font_faces.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

TEST(TracedFont, HasTheLettersOfThePicturesWithTheirSizes) {
  constexpr int em = 64;
  // A ring of 20 × 10 pixels, whose lower edge is 4 pixels below the baseline, and a letter without ink.
  GlyphBitmap ring{U'א', 30.5F, 24, 16, -2, 8, std::vector<std::uint8_t>(std::size_t{24} * 16, 0)};
  for (int y = 2; y < 12; ++y) {
    for (int x = 3; x < 23; ++x) {
      const bool is_inside = x > 5 && x < 20 && y > 4 && y < 9;
      ring.coverage[static_cast<std::size_t>(y * 24 + x)] = is_inside ? 100 : 255;
    }
  }
  const GlyphBitmap empty{U'\u2003', 64.0F, 0, 0, 0, 0, {}};
  const GlyphBitmap emoji{U'\U0001F600', 80.0F, 2, 2, 0, 2, {255, 0, 0, 255}};
  const TemporaryFolder folder;
  const auto file = folder / "traced.ttf";
  std::ofstream(file, std::ios::binary) << traced_font(std::vector{ring, empty, emoji}, em);
  const auto face = FontFace::open(FontFile{file});
  ASSERT_TRUE(face) << face.error().message;
  EXPECT_TRUE(face->has(U'א'));
  EXPECT_TRUE(face->has(U'\u2003'));
  EXPECT_TRUE(face->has(U'\U0001F600'));
  EXPECT_FALSE(face->has(U'b'));
  EXPECT_FLOAT_EQ(face->advance(U'א'), 30.5F / em);
  EXPECT_FLOAT_EQ(face->advance(U'\u2003'), 1.0F);
  EXPECT_FLOAT_EQ(face->glyph_size(U'א').width, 20.0F / em);
  EXPECT_FLOAT_EQ(face->glyph_size(U'א').height, 10.0F / em);
  EXPECT_FLOAT_EQ(face->glyph_size(U'\u2003').width, 0.0F);
  EXPECT_FLOAT_EQ(face->glyph_size(U'\U0001F600').height, 2.0F / em);
}

}  // namespace
}  // namespace headscope
