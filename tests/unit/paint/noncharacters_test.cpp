#include "core/paint/pdf_writer.h"
#include "core/paint/png_file.h"
#include "core/paint/rasterize.h"
#include "core/paint/svg_painter.h"
#include "core/text/letters.h"
#include "core/text/utf8.h"
#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

/// All 66 noncharacters, after control characters that a sentence on the command line may contain.
std::string odd_text() {
  std::string text = "a\x01\x7F";
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (is_noncharacter(c)) text += to_utf8(c);
  }
  return text;
}

TEST(Noncharacters, AreValidAndOneIsTheLastCodePoint) {
  int n = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) n += is_noncharacter(c) ? 1 : 0;
  EXPECT_EQ(n, 66);
  EXPECT_TRUE(is_noncharacter(0x10FFFF));
  EXPECT_FALSE(is_noncharacter(0xFFFD));
  EXPECT_EQ(valid_utf8(odd_text()), odd_text()) << "a sentence keeps them";
}

TEST(Noncharacters, ArePaintedAsAReplacementInEveryFormat) {
  const auto fonts = test::installed_fonts();
  ASSERT_TRUE(fonts);
  Figure figure;
  figure.width = 900.0F;
  figure.height = 40.0F;
  figure.items.emplace_back(Label{odd_text(), {4.0F, 4.0F}, {}});
  const auto image = rasterized(figure, 1.0F, *fonts);
  ASSERT_TRUE(image) << image.error().message;
  const std::vector<Metadata> metadata{{"Command", odd_text()}};
  EXPECT_TRUE(png_bytes(*image, metadata));
  const auto svg = svg_bytes(figure, *fonts, metadata);
  ASSERT_TRUE(svg) << svg.error().message;
  for (const char32_t c : code_points(*svg)) {
    ASSERT_FALSE(is_noncharacter(c) || (c < 0x20 && c != U'\n')) << "no XML: " << static_cast<unsigned>(c);
  }
  const auto pdf = pdf_bytes(std::span(&figure, 1), *fonts, metadata);
  EXPECT_TRUE(pdf) << pdf.error().message;
  const MeasureText measure = measure_with(fonts);
  EXPECT_EQ(measure("\uFFFF", Font::sans, 12.0F).width, measure("\uFFFD", Font::sans, 12.0F).width);
}

}  // namespace
}  // namespace headscope
