#include "core/figure/font_files.h"

#include <fstream>

#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

TEST(FontFiles, MissingFontsAreAnErrorThatNamesThePackages) {
  const test::TemporaryFolder folder;
  const auto files = find_font_files({folder / "."});
  ASSERT_FALSE(files);
  EXPECT_NE(files.error().message.find("fonts-dejavu-core"), std::string::npos);
  EXPECT_FALSE(find_font_files({folder / "missing"}));
}

TEST(FontFiles, OneFontServesForAllAndABrokenOneIsAnError) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "DejaVuSans.ttf") << "not a font";
  const auto files = find_font_files({folder / "."});
  ASSERT_TRUE(files);
  EXPECT_EQ(files->mono, files->sans);
  EXPECT_EQ(files->sans_bold, files->sans);
  const auto fonts = CairoFonts::open(*files);
  ASSERT_FALSE(fonts);
  EXPECT_NE(fonts.error().message.find("DejaVuSans.ttf"), std::string::npos);
}

}  // namespace
}  // namespace headscope
