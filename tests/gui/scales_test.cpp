// Tests every interface scale at every screen size. What is drawn must stay finite, and fonts within their
// limits.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "app/shell/view_record.h"
#include "app/ui/figure_painter.h"
#include "app/widgets/text.h"
#include "core/text/utf8.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/draw_data.h"
#include "tests/unit/figure/random_figure.h"

namespace headscope {
namespace {

constexpr PixelSize screen{3840, 2160};

TEST(Scales, RandomFiguresArePaintedFinite) {
  const auto window = make_headless_window({800, 600});
  Ui ui(*window);
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> scales(smallest_ui_scale, largest_ui_scale);
  for (int round = 0; round < 20; ++round) {
    ui.prepare(light_theme(), scales(generator));
    for (int i = 0; i < 20; ++i) {
      const Figure figure = test::random_figure(generator);
      window->begin_frame();
      paint_figure(ui, *ImGui::GetForegroundDrawList(), figure, {7.0F, 9.0F}, ui.scale());
      window->end_frame();
      ASSERT_EQ(draw_data_fault(1e8F), "");
    }
  }
}

/// ImGui subtracts a pixel from a side before it rounds corners, so rectangles about two pixels wide have
/// almost no radius left.
TEST(Scales, CornersOfNextToNoRadiusArePainted) {
  const auto window = make_headless_window({800, 600});
  Ui ui(*window);
  ui.prepare(light_theme(), 1.0F);
  ImDrawList& list = (window->begin_frame(), *ImGui::GetForegroundDrawList());
  float width = 2.0F;
  for (int i = 0; i < 8; ++i) {
    width = std::nextafter(width, 3.0F);
    list.AddRectFilled({0.0F, 0.0F}, {width, 10.0F}, IM_COL32_WHITE, 5.0F);
    list.AddRect({0.5F, 0.5F}, {width, 10.0F}, IM_COL32_WHITE, 5.0F);
  }
  for (const float radius : {1e-12F, 1e-8F, 1e-6F, 0.1F})
    list.AddCircleFilled({5.0F, 5.0F}, radius, IM_COL32_WHITE);
  window->end_frame();
  EXPECT_EQ(draw_data_fault(), "");
}

/// Opens the program on the bundled models and shows every view.
void look_around(AppDriver& driver) {
  for (const CommandId model :
       {CommandId::open_pronouns, CommandId::open_copying, CommandId::open_reversing}) {
    driver.app().run(model);
    driver.settle();
    for (const ViewRecord& view : view_records()) {
      driver.app().run(view.page);
      driver.settle();
      ASSERT_EQ(draw_data_fault(), "");
    }
  }
}

/// A window may leave any part of a view, or none of it.
TEST(ScalesLong, NoWindowIsTooSmall) {
  for (const float scale : {smallest_ui_scale, 1.0F, largest_ui_scale}) {
    Settings settings;
    settings.ui_scale = scale;
    AppDriver driver({1280, 800}, 1.0F, settings);
    for (const PixelSize size : {PixelSize{1, 1}, PixelSize{64, 43}, PixelSize{16, 7}, PixelSize{700, 12},
                                 PixelSize{12, 700}, PixelSize{200, 150}}) {
      driver.window().resize(size);
      for (const Command& command : all_commands()) {
        if (command.group == std::string("File") || command.is(CommandId::train)) continue;
        driver.app().run(command.id);
        driver.frames(2);
        ASSERT_EQ(draw_data_fault(), "") << command.name;
      }
    }
  }
}

/// A word may be as long as a book. The tooltip fills the largest screen with small letters and leaves out
/// the rest of the word.
TEST(Scales, ATooltipOfAnEndlessWordIsCut) {
  const auto window = make_headless_window({7680, 4320});
  Ui ui(*window);
  const std::string word(100'000, 'x');
  for (const float scale : {smallest_ui_scale, largest_ui_scale}) {
    ui.prepare(light_theme(), scale);
    for (int frame = 0; frame < 3; ++frame) {
      window->begin_frame();
      tooltip(ui, word);
      window->end_frame();
      EXPECT_EQ(draw_data_fault(), "");
    }
    EXPECT_GT(window->draw_counts().vertices, 4000U);
    ui.prepare(light_theme(), scale);
  }
}

class EveryScale : public testing::TestWithParam<float> {};

TEST_P(EveryScale, ShowsEveryViewOfEveryModel) {
  Settings settings;
  settings.ui_scale = GetParam();
  AppDriver driver(screen, 1.0F, settings);
  look_around(driver);
  driver.paste_sentence("Ǆ Ωμέγα Ж ﷽ WWWW @ 피곤");
  EXPECT_EQ(draw_data_fault(), "");
}

INSTANTIATE_TEST_SUITE_P(Scales, EveryScale,
                         testing::Values(0.5F, 1.7F, 2.1F, 2.25F, 2.5F, 3.0F, 3.6F, 4.0F));

TEST(Fonts, WhatIsLargerThanTheLargestBakedIsScaledFromIt) {
  const auto window = make_headless_window({800, 600});
  Ui ui(*window);
  ui.prepare(light_theme(), 4.0F);
  ASSERT_EQ(ui.fonts.complaint(), "");
  for (const float size : {20.0F, 100.0F, 1000.0F}) {
    ui.fonts.at(Font::sans, size);
    ui.prepare(light_theme(), 4.0F);
    EXPECT_FALSE(ui.fonts.pending());
    const float line = size * 4.0F * (ui.fonts.ascent(Font::sans) + ui.fonts.descent(Font::sans));
    EXPECT_NEAR(ui.fonts.at(Font::sans, size).line_height, line, 0.01F * line);
    EXPECT_NEAR(ui.fonts.measure("Width", Font::sans, size).width,
                size / 20.0F * ui.fonts.measure("Width", Font::sans, 20.0F).width, 0.02F * size);
  }
  for (const ImFont* font : ImGui::GetIO().Fonts->Fonts) EXPECT_LE(largest_glyph(*font), 250.0F);
}

/// ImGui's own widgets must use the pushed font at the pushed size, and the outer font afterwards.
TEST(Fonts, PushedSizesNest) {
  const auto window = make_headless_window({800, 600});
  Ui ui(*window);
  ui.prepare(light_theme(), 4.0F);
  ui.fonts.at(Font::sans, 100.0F);
  ui.prepare(light_theme(), 4.0F);
  const float em = ui.fonts.ascent(Font::sans) + ui.fonts.descent(Font::sans);
  window->begin_frame();
  const float before = ImGui::GetFontSize();
  EXPECT_NEAR(before, 4.0F * text_size::body * em, 2.0F);
  {
    // The outer size is larger than the baked sizes but smaller than 512 pixels, the largest size that ImGui
    // pushes since version 1.92.
    const PushedFont outer = push_font(ui, Font::sans, 50.0F);
    EXPECT_NEAR(ImGui::GetFontSize(), 200.0F * em, 2.0F);
    {
      const PushedFont inner = push_font(ui, Font::sans, 100.0F);
      EXPECT_NEAR(ImGui::GetFontSize(), 400.0F * em, 4.0F);
    }
    EXPECT_NEAR(ImGui::GetFontSize(), 200.0F * em, 2.0F);
  }
  EXPECT_EQ(ImGui::GetFontSize(), before);
  window->end_frame();
}

/// Text that needs more than an atlas holds must be drawn with smaller letters or as boxes. Afterwards, no
/// more glyphs may be requested.
TEST(Fonts, MoreThanAnAtlasHoldsIsDrawnAllTheSame) {
  const auto window = make_headless_window({800, 600});
  Ui ui(*window);
  ui.prepare(light_theme(), 4.0F);
  std::string text;
  for (char32_t c = 0x100; c < 0xD800; ++c) text += to_utf8(c);
  for (int round = 0; round < 3; ++round) {
    ui.fonts.request_characters(text);
    for (int i = 0; i < 60; ++i) ui.fonts.at(static_cast<Font>(i % 3), 8.0F + 0.5F * static_cast<float>(i));
    ui.prepare(light_theme(), 4.0F);
  }
  ui.fonts.request_characters(text);
  for (int i = 0; i < 60; ++i) {
    const float size = 8.0F + 0.5F * static_cast<float>(i);
    const float line = size * 4.0F * (ui.fonts.ascent(Font::mono) + ui.fonts.descent(Font::mono));
    EXPECT_NEAR(ui.fonts.at(Font::mono, size).line_height, line, 0.03F * line);
  }
  ui.prepare(light_theme(), 4.0F);
  EXPECT_FALSE(ui.fonts.pending()) << "nothing is asked for again and again";
  EXPECT_LE(atlas_height(), 8192);
}

}  // namespace
}  // namespace headscope
