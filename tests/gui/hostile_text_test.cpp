// Tests text of any length and kind in the window. It must not slow a frame down, and none of it may be lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "app/shell/view_record.h"
#include "core/paint/png_file.h"
#include "tests/gui/app_driver.h"
#include "tests/unit/instrumented.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

constexpr std::size_t long_text = 300'000;  ///< bytes

std::string repeated(std::string_view part, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += part;
  return text;
}

/// Draws frames until nothing is being computed. Returns the time of the slowest frame in seconds.
double slowest_frame(AppDriver& driver) {
  using Clock = std::chrono::steady_clock;
  constexpr int frames_at_rest = 3;
  double slowest = 0.0;
  int at_rest = 0;
  while (at_rest < frames_at_rest) {
    const Clock::time_point begin = Clock::now();
    driver.app().frame();
    slowest = std::max(slowest, std::chrono::duration<double>(Clock::now() - begin).count());
    at_rest = driver.app().settled() && !driver.window().has_pending_input() ? at_rest + 1 : 0;
  }
  return slowest;
}

class HostileText : public testing::TestWithParam<std::pair<const char*, std::string>> {};

TEST_P(HostileText, NoFrameTakesLong) {
  constexpr double longest = is_instrumented ? 10.0 : 1.0;  // in seconds; quadratic time would take minutes
  AppDriver driver;
  const std::string text = GetParam().second;
  driver.focus_sentence();
  driver.window().set_clipboard(text);
  driver.window().press({Key::a, true});
  driver.window().press({Key::v, true});
  EXPECT_LT(slowest_frame(driver), longest) << "pasted";
  const bool makes_choices = text.starts_with("{a|b}");  // the choice becomes two sentences
  EXPECT_TRUE(makes_choices || driver.session().sentence == text);
  driver.window().type("x");
  EXPECT_LT(slowest_frame(driver), longest) << "typed into";
  EXPECT_TRUE(makes_choices || driver.session().sentence == text + "x");
  driver.window().press({Key::escape});
  driver.app().apply(SetCompared{});
  for (const ViewRecord& record : view_records()) {
    const PageName view = record.page;
    if (view == PageName::textbooks || view == PageName::lessons)
      continue;  // they show no text of the session
    driver.window().press(command(view).chord);
    EXPECT_LT(slowest_frame(driver), longest) << command(view).name;
  }
  driver.window().press(command(CommandId::palette).chord);
  EXPECT_LT(slowest_frame(driver), longest) << "the palette";
  driver.window().press({Key::v, true});
  EXPECT_LT(slowest_frame(driver), longest) << "pasted into the palette";
}

INSTANTIATE_TEST_SUITE_P(OfAllKinds, HostileText,
                         testing::Values(std::pair{"a_word", repeated("W", long_text)},
                                         std::pair{"two_words", repeated("W", long_text / 2) + " " +
                                                                    repeated("_", long_text / 2)},
                                         std::pair{"marks", "a" + repeated("\u0301", long_text)},
                                         std::pair{"joiners", "a" + repeated("\u200D", long_text)},
                                         std::pair{"spaces", "a" + repeated(" ", long_text)},
                                         std::pair{"bars", "{" + repeated("|", long_text / 2) + "} " +
                                                               repeated("x", long_text / 2)},
                                         std::pair{"choices", repeated("{a|b}", long_text)},
                                         std::pair{"emoji", repeated("😀", long_text)},
                                         std::pair{"right_to_left", repeated("\u0627", long_text)},
                                         std::pair{"marks_on_joined_letters", repeated("ب\u064E", long_text)},
                                         std::pair{"unassigned", repeated("\u0378", long_text)}),
                         [](const auto& param) { return std::string(param.param.first); });

/// A picture with the longest command that the reader of pictures accepts.
class HostileFigure : public testing::TestWithParam<std::pair<const char*, std::string>> {};

TEST_P(HostileFigure, IsOpenedOrRefusedSoon) {
  constexpr double longest = is_instrumented ? 30.0 : 4.0;  // seconds
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "figure.png";
  const Image pixel{1, 1, {Color{}}};
  ASSERT_TRUE(write_png(pixel, file, {{"Software", "headscope"}, {"Command", GetParam().second}}));
  AppDriver driver;
  const auto begin = std::chrono::steady_clock::now();
  driver.window().drop_file(file.string());
  driver.settle();
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), longest);
}

constexpr std::size_t long_command = 1'000'000;  ///< bytes

INSTANTIATE_TEST_SUITE_P(
    OfAllKinds, HostileFigure,
    testing::Values(
        std::pair{"a_word", "headscope render --sentence " + repeated("W", long_command)},
        std::pair{"words", "headscope render " + repeated("x ", long_command)},
        std::pair{"masks", "headscope render " + repeated("--mask causal ", long_command)},
        std::pair{"subjects", "headscope render " + repeated("--against ", long_command)},
        std::pair{"indices", "headscope render --mask padding:" + repeated("1,", long_command) + "1"},
        std::pair{"cells", "headscope render --cover cells:" + repeated("0.0+", long_command) + "0.0"},
        std::pair{"numbers", "headscope render --set encoder.input=\"" + repeated("1 ", long_command) + "\""},
        std::pair{"quotes", "headscope render --sentence " + repeated("\\' ", long_command)}),
    [](const auto& param) { return std::string(param.param.first); });

}  // namespace
}  // namespace headscope
