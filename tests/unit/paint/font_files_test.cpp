#include <fstream>

#include "core/paint/font_faces.h"
#include "tests/unit/figure/figure_helpers.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// A folder into which a test copies some of the installed font files.
class FolderOfFonts {
 public:
  void take(const FontFile& font) { fs::copy_file(font.path, folder_ / font.path.filename().string()); }
  FontFile taken(const FontFile& font) const { return {folder_ / font.path.filename().string(), font.index}; }
  Result<FontFiles> find() const { return find_font_files({folder_ / ""}); }

 private:
  TemporaryFolder folder_;
};

FontFile dejavu_sans() {
  const auto files = find_font_files();
  constexpr char32_t georgian = 0x10D0;  // neither Inter nor JetBrains Mono has this letter
  return files && files->fallback(georgian, false) ? *files->fallback(georgian, false) : FontFile{};
}

TEST(FontFiles, ThePreferredFamiliesAreFound) {
  const auto files = find_font_files();
  ASSERT_TRUE(files);
  EXPECT_EQ(files->sans.path.filename(), "Inter-Regular.otf");
  EXPECT_EQ(files->sans_bold.path.filename(), "Inter-SemiBold.otf");
  EXPECT_EQ(files->mono.path.filename(), "JetBrainsMono-Regular.ttf");
  EXPECT_EQ(dejavu_sans().path.filename(), "DejaVuSans.ttf");
}

TEST(FontFiles, MissingFontsAreAnErrorThatNamesThePackages) {
  const TemporaryFolder folder;
  const auto files = find_font_files({folder / "."});
  ASSERT_FALSE(files);
  EXPECT_NE(files.error().message.find("fonts-dejavu-core"), std::string::npos);
  EXPECT_FALSE(find_font_files({folder / "missing"}));
  std::ofstream(folder / "DejaVuSans.ttf") << "not a font";
  EXPECT_FALSE(find_font_files({folder / "."})) << "a file that only has a font's name";
}

TEST(FontFiles, OneFontServesForAll) {
  FolderOfFonts fonts;
  fonts.take(dejavu_sans());
  const auto files = fonts.find();
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(files->sans, fonts.taken(dejavu_sans()));
  EXPECT_EQ(files->mono, files->sans);
  EXPECT_EQ(files->sans_bold, files->sans);
  EXPECT_TRUE(FontFaces::open(*files));
}

TEST(FontFiles, AnyFontServesWhereThePreferredAreMissing) {
  const auto installed = find_font_files();
  ASSERT_TRUE(installed);
  FolderOfFonts fonts;
  fonts.take(installed->mono);
  const auto files = fonts.find();
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(files->sans, fonts.taken(installed->mono));
}

TEST(FontFiles, ALetterFallsBackToAFontThatHasIt) {
  const auto installed = find_font_files();
  ASSERT_TRUE(installed);
  FolderOfFonts fonts;
  fonts.take(installed->sans);
  constexpr char32_t georgian = 0x10D0;
  EXPECT_FALSE(fonts.find()->fallback(georgian, false));
  fonts.take(dejavu_sans());
  EXPECT_EQ(fonts.find()->fallback(georgian, false), fonts.taken(dejavu_sans()));
  EXPECT_EQ(fonts.find()->sans, fonts.taken(installed->sans)) << "the text's own typeface stays";
}

TEST(FontFiles, ABrokenFileIsAnErrorThatNamesIt) {
  const TemporaryFolder folder;
  const FontFile broken{folder / "Broken.ttf"};
  std::ofstream(broken.path) << "not a font";
  const auto fonts = FontFaces::open({broken, broken, broken, broken, broken, nullptr});
  ASSERT_FALSE(fonts);
  EXPECT_NE(fonts.error().message.find("Broken.ttf"), std::string::npos);
}

TEST(MissingLetters, ThePackageThatHasThemIsTold) {
  EXPECT_EQ(package_with(U'한'), "fonts-noto-cjk");
  EXPECT_EQ(package_with(U'字'), "fonts-noto-cjk");
  EXPECT_EQ(package_with(U'か'), "fonts-noto-cjk");
  EXPECT_EQ(package_with(0x1F642), "fonts-noto-color-emoji");
  EXPECT_EQ(package_with(0x1D538), "fonts-symbola");
  EXPECT_EQ(package_with(0x1208), "fonts-noto-core") << "Ethiopic";
  for (const char32_t c : {0x7, 0x200D, 0xE000, 0xFE0F, 0xFFFF, 0x10FFFF}) EXPECT_EQ(package_with(c), "");
}

TEST(MissingLetters, EveryPackageIsToldOnce) {
  std::set<std::string_view> told;
  EXPECT_EQ(font_hint({0x7, 0xFFFF}, told), "");
  const std::string first = font_hint({U'한', U'국', 0x1F642}, told);
  EXPECT_NE(first.find("apt install fonts-noto-cjk fonts-noto-color-emoji"), std::string::npos) << first;
  EXPECT_EQ(font_hint({U'어', 0x1F642}, told), "");
  EXPECT_NE(font_hint({U'어', 0x1208}, told).find("fonts-noto-core"), std::string::npos);
}

TEST(MissingLetters, ThoseThatWereMeasuredAreKnown) {
  const auto installed = find_font_files();
  ASSERT_TRUE(installed);
  FolderOfFonts folder;
  folder.take(installed->sans);
  const auto lacking = FontFaces::open(*folder.find());
  ASSERT_TRUE(lacking);
  measure_with (*lacking)("a \u10D0 \u10D1", Font::mono, 12.0F);
  EXPECT_EQ((*lacking)->missing_letters(), (std::set<char32_t>{0x10D0, 0x10D1}));
  folder.take(dejavu_sans());
  const auto complete = FontFaces::open(*folder.find());
  ASSERT_TRUE(complete);
  measure_with (*complete)("a \u10D0 \u10D1", Font::mono, 12.0F);
  EXPECT_TRUE((*complete)->missing_letters().empty());
}

}  // namespace
}  // namespace headscope
