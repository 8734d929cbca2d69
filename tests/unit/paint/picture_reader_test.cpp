#include "core/paint/picture_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "core/figure/icon.h"
#include "core/paint/pdf_writer.h"
#include "core/paint/png_file.h"
#include "core/paint/rasterize.h"
#include "core/paint/svg_painter.h"
#include "core/system/read_file.h"
#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

Image random_image(int width, int height, std::mt19937& generator) {
  std::uniform_int_distribution<int> byte(0, 255);
  const auto channel = [&] { return static_cast<std::uint8_t>(byte(generator)); };
  Image image{width, height, {}};
  for (int i = 0; i < width * height; ++i)
    image.pixels.push_back({channel(), channel(), channel(), channel()});
  return image;
}

std::string text_of(const std::vector<Metadata>& metadata, const std::string& key) {
  for (const Metadata& entry : metadata) {
    if (entry.key == key) return entry.text;
  }
  return "(nothing)";
}

const std::vector<Metadata>& odd_metadata() {
  static const std::vector<Metadata> metadata{
      {"Software", "headscope"},
      {"Command", "headscope render --sentence 'a <b> & \n“c” &lt; é\t' --out x.svg"},
      {"Command before", "headscope render\n --out y"}};
  return metadata;
}

TEST(PictureReader, ReadsWhatWasWrittenToTheLastPixel) {
  std::mt19937 generator(9);
  for (const auto& [width, height] : {std::pair(1, 1), std::pair(7, 3), std::pair(64, 65)}) {
    const Image image = random_image(width, height, generator);
    const auto png = png_bytes(image, odd_metadata());
    ASSERT_TRUE(png) << png.error().message;
    EXPECT_TRUE(is_picture(*png));
    const auto read = image_in(*png);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->width, width);
    EXPECT_EQ(read->height, height);
    EXPECT_EQ(read->pixels, image.pixels);
  }
}

TEST(PictureReader, FindsWhatAFileSaysOfItself) {
  const auto files = find_font_files();
  ASSERT_TRUE(files);
  const auto fonts = FontFaces::open(*files);
  ASSERT_TRUE(fonts);
  const Figure figure{20.0F, 10.0F, Color{255, 255, 255}, {}};
  const auto image = rasterized(figure, 1.0F, **fonts);
  ASSERT_TRUE(image);
  const auto png = png_bytes(*image, odd_metadata());
  const auto svg = svg_bytes(figure, **fonts, odd_metadata());
  ASSERT_TRUE(png && svg);
  for (const std::string& bytes : {*png, *svg}) {
    const auto found = metadata_in(bytes);
    for (const Metadata& entry : odd_metadata())
      EXPECT_EQ(text_of(found, entry.key), entry.text) << entry.key;
  }
  EXPECT_TRUE(metadata_in(*png_bytes(*image, {})).empty());
  EXPECT_TRUE(metadata_in(*svg_bytes(figure, **fonts, {})).empty());
  EXPECT_FALSE(is_picture(*svg)) << "no pixels";
}

/// A small file may contain a very long text in compressed form.
TEST(PictureReader, TextsAreBounded) {
  std::mt19937 generator(11);
  std::vector<Metadata> many;
  for (int i = 0; i < 200; ++i) many.push_back({"Text " + std::to_string(i), std::string(10'000, 'a')});
  const auto png = png_bytes(random_image(4, 4, generator), many);
  ASSERT_TRUE(png);
  EXPECT_LE(metadata_in(*png).size(), 16U);
  const auto svg_with = [](std::size_t entities) {
    std::string text = "<svg><desc>Command: ";
    for (std::size_t i = 0; i < entities; ++i) text += "&lt;";
    return text + "</desc></svg>";
  };
  const auto found = metadata_in(svg_with(500'000));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().text, std::string(500'000, '<'));
  EXPECT_TRUE(metadata_in(svg_with(30'000'000)).empty());
  EXPECT_TRUE(metadata_in("<svg><metadata>" + std::string(std::size_t{17} << 20U, 'a') + "</metadata></svg>")
                  .empty());
}

/// A PDF file with a stream attached to it as the scene, whose dictionary has these entries. `table` begins
/// what is at the place of the table of objects.
std::string pdf_with_scene(const std::string& entries, const std::string& content,
                           const std::string& trailer = "", const std::string& table = "xref") {
  const std::string name = "(" + std::string(scene_attachment) + ")";
  const std::array objects{
      "<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [" + name + " 3 0 R] >> >> >>",
      std::string("<< /Type /Pages /Kids [] /Count 0 >>"),
      "<< /Type /Filespec /F " + name + " /UF " + name + " /EF << /F 4 0 R /UF 4 0 R >> >>",
      "<< /Length " + std::to_string(content.size()) + entries + " >>\nstream\n" + content + "\nendstream"};
  std::string pdf = "%PDF-1.5\n";
  std::string places;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::string digits = std::to_string(pdf.size());
    places += std::string(10 - digits.size(), '0') + digits + " 00000 n \n";
    pdf += std::to_string(i + 1) + " 0 obj\n" + objects.at(i) + "\nendobj\n";
  }
  const std::string place = std::to_string(pdf.size());
  return pdf + table + "\n0 5\n0000000000 65535 f \n" + places + "trailer\n<< /Size 5 /Root 1 0 R" + trailer +
         " >>\nstartxref\n" + place + "\n%%EOF\n";
}

TEST(PictureReader, ReadsAnAttachmentOnlyAsItIsWritten) {
  EXPECT_EQ(text_of(metadata_in(pdf_with_scene("", "{}")), scene_key), "{}");
  for (const char* entries :
       {" /F#69lter /ASCIIHexDecode", " /Filter [/FlateDecode /FlateDecode]",
        " /DecodeP#61rms << /Predictor 12 /C#6flumns 2000000000 >>", " /Filter /LZWDecode"})
    EXPECT_TRUE(metadata_in(pdf_with_scene(entries, "{}")).empty()) << entries;
  for (const char* trailer : {" /Pr#65v 9", " /Prev 9", " /XRefStm 9", " /Encrypt 9 0 R"})
    EXPECT_TRUE(metadata_in(pdf_with_scene("", "{}", trailer)).empty()) << trailer;
  EXPECT_TRUE(metadata_in(pdf_with_scene("", "{}", "", "9 0 obj << /Type /X#52ef >>")).empty());
}

TEST(PictureReader, DamagedFilesAreErrorsAndNothingElse) {
  std::mt19937 generator(10);
  const std::string whole = *png_bytes(random_image(30, 20, generator), odd_metadata());
  for (std::size_t length = 0; length < whole.size(); length += 13) {
    const std::string cut = whole.substr(0, length);
    EXPECT_FALSE(image_in(cut)) << length;
    metadata_in(cut);
  }
  std::uniform_int_distribution<std::size_t> place(0, whole.size() - 1);
  for (int round = 0; round < 500; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 3; ++i) damaged[place(generator)] = static_cast<char>(generator() & 0xFFU);
    const auto image = image_in(damaged);
    if (image) {
      EXPECT_EQ(image->pixels.size(), static_cast<std::size_t>(image->width * image->height));
    }
    metadata_in(damaged);
  }
  for (const char* text :
       {"", "Dear reader", "<svg", "<svg><desc>", "<svg><desc></desc>", "\x89PNG\r\n\x1A\n"}) {
    EXPECT_FALSE(image_in(text)) << text;
    EXPECT_TRUE(metadata_in(text).empty()) << text;
  }
}

TEST(PictureReader, HugePicturesAreRefusedBeforeMemoryIsTaken) {
  std::mt19937 generator(11);
  std::string png = *png_bytes(random_image(2, 2, generator), {});
  const std::string huge("\x00\x00\x08\x01\x00\x00\x08\x00", 8);  // 2049 × 2048
  png.replace(16, huge.size(), huge);                             // width and height of the header
  const auto image = image_in(png);
  ASSERT_FALSE(image);
  EXPECT_NE(image.error().message.find("2049 × 2048 pixels"), std::string::npos) << image.error().message;
}

TEST(Icon, TheOneThatIsShippedIsTheOneThatIsDrawn) {
  const auto bytes = read_file(std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "assets/icon.png");
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto shipped = image_in(*bytes);
  ASSERT_TRUE(shipped) << shipped.error().message;
  const auto fonts = FontFaces::open_installed();
  ASSERT_TRUE(fonts);
  const auto drawn = rasterized(icon_strip(), 1.0F, **fonts);
  ASSERT_TRUE(drawn);
  ASSERT_EQ(shipped->pixels.size(), drawn->pixels.size());
  // Cairo smooths round corners a little differently from version to version.
  constexpr int rounding = 3;
  for (std::size_t i = 0; i < drawn->pixels.size(); ++i) {
    const Color a = shipped->pixels[i];
    const Color b = drawn->pixels[i];
    ASSERT_LE(std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b) + std::abs(a.a - b.a),
              4 * rounding)
        << "write it anew with headscope_icons";
  }
}

TEST(Icon, EachSizeIsCutOutOfTheStripAsItIsDrawnAlone) {
  const auto fonts = FontFaces::open_installed();
  ASSERT_TRUE(fonts);
  const auto strip = rasterized(icon_strip(), 1.0F, **fonts);
  ASSERT_TRUE(strip);
  const std::vector<Image> icons = split_icons(*strip);
  ASSERT_EQ(icons.size(), icon_sizes.size());
  for (std::size_t i = 0; i < icons.size(); ++i) {
    const auto alone = rasterized(icon_figure(icon_sizes[i]), 1.0F, **fonts);
    ASSERT_TRUE(alone);
    EXPECT_EQ(icons[i].width, icon_sizes[i]);
    EXPECT_EQ(icons[i].pixels, alone->pixels) << icon_sizes[i];
  }
  EXPECT_TRUE(split_icons(Image{2, 2, std::vector<Color>(4)}).empty());
}

}  // namespace
}  // namespace headscope
