#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <sstream>
#include <string>

#include "core/paint/svg_painter.h"
#include "tests/unit/figure/figure_helpers.h"
#include "tests/unit/figure/random_figure.h"

namespace headscope {
namespace {

class Svg : public testing::Test {
 protected:
  void SetUp() override {
    fonts_ = test::installed_fonts();
    ASSERT_TRUE(fonts_);
  }
  std::string elements_of(std::vector<Item> items) const {
    return svg_elements(Figure{200, 100, {255, 255, 255, 0}, std::move(items)}, *fonts_);
  }
  std::shared_ptr<FontFaces> fonts_;
};

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// The value of an attribute of the first element that begins with `start`, or -1.
double attribute_after(const std::string& text, std::string_view start, const std::string& name) {
  const std::size_t element = text.find(start);
  const std::size_t at = element == std::string::npos ? element : text.find(name + "=\"", element);
  return at == std::string::npos ? -1.0 : std::stod(text.substr(at + name.size() + 2));
}

TEST_F(Svg, LabelsAreTextWithTheLengthTheyWereMeasuredWith) {
  const std::string text = "√d_k → −0.995 “animal” 안녕";
  const std::string svg = elements_of({Label{text, {10, 20}, {1, 2, 3}, 16}});
  EXPECT_NE(svg.find(">" + text + "</text>"), std::string::npos) << svg;
  EXPECT_NEAR(attribute_after(svg, "<text", "textLength"), measure_with(fonts_)(text, Font::sans, 16).width,
              0.01);
  EXPECT_NE(svg.find("sans-serif\""), std::string::npos);
  EXPECT_NE(elements_of({Label{"1", {}, {}, 12, Font::mono}}).find("monospace\""), std::string::npos);
}

TEST_F(Svg, TextFromTheRightStaysTextAndKeepsItsPlace) {
  const auto svg = [&](const std::string& text, HorizontalAnchor anchor) {
    return elements_of({Label{text, {50, 40}, {1, 2, 3}, 16, Font::sans, anchor}});
  };
  const std::string house = svg("بيت", HorizontalAnchor::left);
  EXPECT_NE(house.find(">بيت</text>"), std::string::npos) << house;
  EXPECT_NE(house.find("direction=\"rtl\""), std::string::npos) << house;
  EXPECT_NE(house.find("text-anchor=\"end\""), std::string::npos) << "its end is its left side: " << house;
  EXPECT_EQ(svg("بيت", HorizontalAnchor::right).find("text-anchor"), std::string::npos);
  EXPECT_NE(svg("بيت", HorizontalAnchor::center).find("text-anchor=\"middle\""), std::string::npos);
  EXPECT_EQ(svg("house", HorizontalAnchor::left).find("direction"), std::string::npos);
}

TEST_F(Svg, AnchorsAndTurnsAreThoseOfTheLabel) {
  const Label label{
      "it", {50, 40}, {1, 2, 3}, 16, Font::sans, HorizontalAnchor::right, VerticalAnchor::middle, 45.0F};
  const std::string svg = elements_of({label});
  EXPECT_NE(svg.find("text-anchor=\"end\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("translate(50 40) rotate(-45)"), std::string::npos) << svg;
  EXPECT_GT(attribute_after(svg, "<text", "y"), 0.0) << "the middle is above the base line";
  EXPECT_LT(attribute_after(svg, "<text", "y"), 16.0);
}

TEST_F(Svg, WhatXmlCannotHoldIsReplaced) {
  const std::string svg = elements_of({Label{std::string("a\x01<&>\"\n\xff ") + "\xED\xA0\x80", {}, {}, 12}});
  EXPECT_NE(svg.find(">a␁&lt;&amp;&gt;&quot; \uFFFD "), std::string::npos) << svg;
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
  EXPECT_EQ(svg.find("\xED\xA0\x80"), std::string::npos) << "a surrogate is no character";
}

TEST_F(Svg, ImagesArePngsInTheFile) {
  const auto image = std::make_shared<Image>(Image{2, 1, {{255, 0, 0}, {0, 0, 255, 9}}});
  const std::string svg = elements_of({Raster{image, {10, 20, 30, 40}}});
  const std::string start = "data:image/png;base64,";
  const std::size_t at = svg.find(start);
  ASSERT_NE(at, std::string::npos) << svg;
  const std::string data = svg.substr(at + start.size(), svg.find('"', at) - at - start.size());
  EXPECT_TRUE(data.starts_with("iVBORw0KGgo")) << "what every PNG begins with";
  EXPECT_EQ(data.size() % 4, 0U);
  EXPECT_EQ(count(svg, "preserveAspectRatio=\"none\""), 1U);
}

TEST_F(Svg, WhatCannotBeSeenIsLeftOut) {
  const Color clear{1, 2, 3, 0};
  const Box box{1, 2, 30, 40};
  EXPECT_EQ(
      elements_of({FilledRect{box, clear}, StrokedRect{box, clear}, Line{{1, 2}, {3, 4}, clear},
                   Curve{{1, 2}, {3, 4}, {5, 6}, {7, 8}, clear}, Label{"it", {}, clear}, Hatch{box, clear}}),
      "");
}

TEST_F(Svg, ItemsThatLookAlikeShareAGroup) {
  const Color red{255, 0, 0};
  const Color half{0, 0, 255, 51};
  const std::string svg = elements_of(
      {FilledRect{{0, 0, 5, 5}, red}, FilledRect{{5, 0, 5, 5}, red}, FilledRect{{9, 0, 5, 5}, half}});
  EXPECT_EQ(count(svg, "#ff0000"), 1U) << svg;
  EXPECT_EQ(count(svg, "<g"), 1U) << svg;
  EXPECT_EQ(count(svg, "<rect"), 3U) << svg;
  EXPECT_EQ(count(svg, "fill-opacity=\"0.2\""), 1U) << svg;
}

TEST_F(Svg, HatchesStayInTheirBoxes) {
  const Box box{10, 20, 37, 23};
  const std::string svg = elements_of({Hatch{box, {1, 2, 3}, 4.0F}});
  std::string path = svg.substr(svg.find(" d=\"") + 4);
  path.erase(path.find('"'));
  EXPECT_GT(count(path, "M"), 5U);
  std::ranges::replace_if(
      path, [](char c) { return c == 'M' || c == 'L'; }, ' ');
  std::istringstream numbers(path);
  for (double x = 0.0, y = 0.0; numbers >> x >> y;) {
    EXPECT_TRUE(x >= 10 && x <= 47 && y >= 20 && y <= 43) << x << " " << y;
    const double spacing = 4.0 * std::numbers::sqrt2;
    EXPECT_NEAR(std::remainder(x + y, spacing), 0.0, 0.01) << "strokes of neighbours meet";
  }
}

TEST_F(Svg, EveryGroupThatIsOpenedIsClosed) {
  std::mt19937 generator(24);
  for (int round = 0; round < 200; ++round) {
    const std::string svg = svg_elements(test::random_figure(generator, 40), *fonts_);
    EXPECT_EQ(count(svg, "<g"), count(svg, "</g>"));
    EXPECT_EQ(count(svg, "<text"), count(svg, "</text>"));
    EXPECT_EQ(count(svg, "nan") + count(svg, "inf\""), 0U) << svg;
  }
}

TEST_F(Svg, ClipsAreNestedAndDefinedOnce) {
  const std::string svg = elements_of({ClipEnd{}, ClipBegin{{0, 0, 9, 9}}, ClipBegin{{1, 1, 5, 5}}, ClipEnd{},
                                       ClipBegin{{1, 1, 5, 5}}, FilledRect{{0, 0, 5, 5}, {1, 2, 3}}});
  EXPECT_EQ(count(svg, "<clipPath"), 2U) << svg;
  EXPECT_EQ(count(svg, "url(#"), 3U) << svg;
  EXPECT_EQ(count(svg, "</g>"), 3U) << svg;
}

TEST_F(Svg, APictureWithoutSizeIsAnError) {
  for (const float size : {0.0F, -1.0F, std::numeric_limits<float>::quiet_NaN(), 1e30F}) {
    EXPECT_FALSE(svg_bytes(Figure{size, 10, {}, {}}, *fonts_, {}));
    EXPECT_FALSE(svg_bytes(Figure{10, size, {}, {}}, *fonts_, {}));
  }
}

}  // namespace
}  // namespace headscope
