#include <png.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>

#include "core/figure/color_scale.h"
#include "core/paint/pdf_writer.h"
#include "core/paint/png_file.h"
#include "core/paint/rasterize.h"
#include "core/paint/svg_painter.h"
#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

struct Decoded {
  Image image;
  std::map<std::string, std::string> texts;
};

Decoded decode(const std::filesystem::path& path) {
  Decoded decoded;
  FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return decoded;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  decoded.image.width = static_cast<int>(png_get_image_width(png, info));
  decoded.image.height = static_cast<int>(png_get_image_height(png, info));
  constexpr std::uint8_t opaque = 255;
  const int n_channels = png_get_channels(png, info);
  png_bytepp rows = png_get_rows(png, info);
  for (int y = 0; y < decoded.image.height; ++y) {
    for (int x = 0; x < decoded.image.width; ++x) {
      const png_bytep p = rows[y] + n_channels * x;
      decoded.image.pixels.push_back({p[0], p[1], p[2], n_channels == 4 ? p[3] : opaque});
    }
  }
  png_textp texts = nullptr;
  int n_texts = 0;
  png_get_text(png, info, &texts, &n_texts);
  for (int i = 0; i < n_texts; ++i) decoded.texts[texts[i].key] = texts[i].text;
  png_destroy_read_struct(&png, &info, nullptr);
  std::fclose(file);
  return decoded;
}

Color pixel(const Image& image, float x, float y) {
  return image.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                      static_cast<std::size_t>(x)];
}

/// A matrix of tests/fixtures/golden/cells.txt and the colours that its cells must have.
struct Golden {
  std::string name;
  PictureOptions options;
  bool is_signed = false;
  OwnedMatrix matrix;
  std::vector<std::string> colors;  ///< "#rrggbb", or "hatch"
};

std::vector<Golden> read_golden() {
  std::ifstream file(HEADSCOPE_SOURCE_DIR "/tests/fixtures/golden/cells.txt");
  std::vector<Golden> cases;
  std::string word;
  while (file >> word) {
    if (word == "#") {
      std::getline(file, word);
      continue;
    }
    Golden golden;
    std::string theme;
    std::string transfer;
    std::string sign;
    int rows = 0;
    int cols = 0;
    file >> golden.name >> theme >> transfer >> sign >> rows >> cols;
    golden.options.theme = theme == "dark" ? ThemeName::dark : ThemeName::light;
    golden.options.transfer = transfer == "log"     ? Transfer::logarithmic
                              : transfer == "gamma" ? Transfer::gamma
                                                    : Transfer::linear;
    golden.is_signed = sign == "signed";
    golden.matrix = OwnedMatrix(rows, cols);
    for (float& value : golden.matrix.values) {
      file >> word;
      value = word == "-inf" ? minus_infinity : std::stof(word);
      file >> word;
      golden.colors.push_back(word);
    }
    cases.push_back(std::move(golden));
  }
  return cases;
}

std::string hex(Color color) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", color.r, color.g, color.b);
  return text.data();
}

/// Checks that every pixel inside a cell has the cell's colour. A hatched cell may only have ground and
/// strokes.
void check_cell(const Image& image, const Box& box, float scale, const std::string& expected,
                const Theme& theme) {
  int strokes = 0;
  for (float y = box.y * scale + 1.0F; y < box.bottom() * scale - 1.0F; ++y) {
    for (float x = box.x * scale + 1.0F; x < box.right() * scale - 1.0F; ++x) {
      const Color color = pixel(image, x, y);
      if (expected != "hatch") {
        ASSERT_EQ(hex(color), expected) << "at " << x << ", " << y << " of scale " << scale;
        continue;
      }
      if (color != theme.panel) ++strokes;
      const auto between = [](int value, int a, int b) {
        return value >= std::min(a, b) - 1 && value <= std::max(a, b) + 1;
      };
      const Color stroke = hatch_color(theme);
      ASSERT_TRUE(between(color.r, stroke.r, theme.panel.r) && between(color.g, stroke.g, theme.panel.g) &&
                  between(color.b, stroke.b, theme.panel.b))
          << "a hatched cell has a colour of the map: " << hex(color);
    }
  }
  if (expected == "hatch") {
    EXPECT_GT(strokes, 0);
  }
}

class Png : public testing::Test {
 protected:
  void SetUp() override {
    fonts_ = test::installed_fonts();
    ASSERT_NE(fonts_, nullptr) << "no font is installed";
  }
  static Figure cells_of(const Golden& golden, HeatmapLayout& layout) {
    HeatmapSpec spec;
    spec.source = source_of(golden.matrix.view());
    spec.scale = ColorScale(golden.options, golden.is_signed, golden.matrix.view());
    spec.numbers = false;
    spec.color_bar = false;
    layout = layout_heatmap(spec, {10, 10, 220, 160}, test::uniform_measure());
    Figure figure = draw_heatmap(spec, layout, theme_of(golden.options.theme), test::uniform_measure());
    figure.width = 240.0F;
    figure.height = 180.0F;
    return figure;
  }
  Result<void> write(const Figure& figure, float scale, const std::filesystem::path& path,
                     const std::vector<Metadata>& metadata = {}) {
    return rasterized(figure, scale, *fonts_).and_then([&](const Image& image) {
      return write_png(image, path, metadata);
    });
  }

  std::shared_ptr<FontFaces> fonts_;
};

TEST_F(Png, CellsHaveTheirExactColoursAtEveryScale) {
  const std::vector<Golden> cases = read_golden();
  ASSERT_GE(cases.size(), 5U);
  const test::TemporaryFolder folder;
  for (const Golden& golden : cases) {
    for (const float scale : {1.0F, 2.0F, 3.0F}) {
      SCOPED_TRACE(golden.name);
      HeatmapLayout layout;
      const Figure figure = cells_of(golden, layout);
      ASSERT_TRUE(write(figure, scale, folder / "cells.png"));
      const Decoded decoded = decode(folder / "cells.png");
      ASSERT_EQ(decoded.image.width, static_cast<int>(240 * scale));
      ASSERT_EQ(decoded.image.height, static_cast<int>(180 * scale));
      for (int row = 0; row < golden.matrix.rows; ++row) {
        for (int col = 0; col < golden.matrix.cols; ++col) {
          const auto index = static_cast<std::size_t>(row * golden.matrix.cols + col);
          check_cell(decoded.image, layout.box_of(row, col), scale, golden.colors[index],
                     theme_of(golden.options.theme));
        }
      }
    }
  }
}

TEST_F(Png, RasterCellsHaveTheirExactColours) {
  std::mt19937 generator(31);
  OwnedMatrix matrix = test::random_matrix(40, 40, generator, 0.0F, 1.0F);
  HeatmapSpec spec;
  spec.source = source_of(matrix.view());
  spec.scale = ColorScale({}, false, matrix.view());
  spec.color_bar = false;
  const HeatmapLayout layout = layout_heatmap(spec, {10, 10, 240, 220}, test::uniform_measure());
  ASSERT_TRUE(layout.raster);
  const Figure figure = draw_heatmap(spec, layout, light_theme(), test::uniform_measure());
  for (const float scale : {1.0F, 2.0F}) {
    const auto image = rasterized(figure, scale, *fonts_);
    ASSERT_TRUE(image);
    for (int row = 0; row < 40; ++row) {
      for (int col = 0; col < 40; ++col) {
        const Box box = layout.box_of(row, col);
        const Color inside = pixel(*image, (box.x + 0.5F * box.w) * scale, (box.y + 0.5F * box.h) * scale);
        EXPECT_EQ(inside, *spec.scale.color(matrix.at(row, col), row));
      }
    }
  }
}

TEST_F(Png, CarriesItsMetadata) {
  const test::TemporaryFolder folder;
  const Figure figure{40, 30, {255, 255, 255}, {}};
  const std::string command = "headscope render --text \"안녕 — déjà\"";
  ASSERT_TRUE(write(figure, 1.0F, folder / "a.png", {{"Software", "headscope"}, {"Command", command}}));
  const Decoded decoded = decode(folder / "a.png");
  EXPECT_EQ(decoded.texts.at("Software"), "headscope");
  EXPECT_EQ(decoded.texts.at("Command"), command);
  EXPECT_FALSE(png_bytes(decoded.image, {{"", "x"}}));
  EXPECT_FALSE(png_bytes(decoded.image, {{std::string(80, 'k'), "x"}}));
}

TEST_F(Png, WhatCannotBeWrittenIsAnErrorThatNamesThePath) {
  const Figure figure{40, 30, {255, 255, 255}, {}};
  for (const std::string path : {"/nonexistent/folder/a.png", "/proc/a.png"}) {
    const auto written = write(figure, 1.0F, path);
    ASSERT_FALSE(written);
    EXPECT_NE(written.error().message.find(path), std::string::npos) << written.error().message;
  }
  for (const float scale : {0.0F, -1.0F, std::numeric_limits<float>::quiet_NaN(), 2000.0F}) {
    EXPECT_FALSE(rasterized(figure, scale, *fonts_)) << scale;
  }
}

TEST_F(Png, TheSameFigureGivesTheSameBytes) {
  const std::vector<Golden> cases = read_golden();
  HeatmapLayout layout;
  Figure figure = cells_of(cases.front(), layout);
  figure.items.emplace_back(Label{"text 안녕", {20, 20}, {0, 0, 0}, 13});
  const auto first = rasterized(figure, 2.0F, *fonts_);
  const auto second = rasterized(figure, 2.0F, *test::installed_fonts());
  EXPECT_EQ(first->pixels, second->pixels);
  EXPECT_EQ(*png_bytes(*first, {}), *png_bytes(*second, {}));
}

TEST_F(Png, AnOpenClipDoesNotLeak) {
  Figure figure{20, 20, {255, 255, 255}, {}};
  figure.items.emplace_back(ClipEnd{});
  figure.items.emplace_back(ClipBegin{{0, 0, 10, 20}});
  figure.items.emplace_back(FilledRect{{0, 0, 20, 20}, {1, 2, 3}});
  const auto image = rasterized(figure, 1.0F, *fonts_);
  ASSERT_TRUE(image);
  EXPECT_EQ(pixel(*image, 5, 5), (Color{1, 2, 3}));
  EXPECT_EQ(pixel(*image, 15, 5), (Color{255, 255, 255}));
}

TEST_F(Png, SvgAndPdfHoldTheFigureAndItsMetadata) {
  Figure figure{100, 50, {255, 255, 255}, {}};
  figure.items.emplace_back(FilledRect{{10, 10, 20, 20}, {0x1c, 0x2f, 0x66}});
  const auto svg = svg_bytes(figure, *fonts_, {{"Command", "a < b & c"}});
  ASSERT_TRUE(svg);
  EXPECT_NE(svg->find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_NE(svg->find("viewBox=\"0 0 100 50\""), std::string::npos);
  const auto pdf = pdf_bytes(std::span(&figure, 1), *fonts_, {{"Command", "again"}});
  ASSERT_TRUE(pdf);
  EXPECT_EQ(pdf->substr(0, 5), "%PDF-");
  EXPECT_NE(pdf->find("again"), std::string::npos);
}

TEST_F(Png, MeasuredTextIsPaintedWithinItsBox) {
  const MeasureText measure = measure_with(fonts_);
  for (const std::string text : {"animal", "−3.42", "안녕하세요", "“it” → x", "😀", ""}) {
    Figure figure{300, 60, {255, 255, 255}, {}};
    figure.items.emplace_back(Label{text, {20, 20}, {0, 0, 0}, 16});
    const TextSize size = measure(text, Font::sans, 16);
    const auto image = rasterized(figure, 1.0F, *fonts_);
    int inside = 0;
    for (int y = 0; y < image->height; ++y) {
      for (int x = 0; x < image->width; ++x) {
        if (pixel(*image, static_cast<float>(x), static_cast<float>(y)).r > 200) continue;
        ++inside;
        EXPECT_GE(x, 18) << text;
        EXPECT_LE(static_cast<float>(x), 22.0F + size.width) << text;
        EXPECT_GE(y, 16) << text;
        EXPECT_LE(static_cast<float>(y), 24.0F + size.height) << text;
      }
    }
    EXPECT_EQ(inside > 0, !text.empty()) << text;
  }
}

}  // namespace
}  // namespace headscope
