#include "app/platform/clipboard.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "core/paint/picture_reader.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

/// The scene in a picture.
std::string scene_in(const std::string& png) {
  for (const Metadata& entry : metadata_in(png))
    if (entry.key == scene_key) return entry.text;
  return {};
}

TEST(CopyPaste, TheFigureIsAPngWithItsScene) {
  AppDriver driver;
  driver.press(CommandId::copy_figure);
  const std::string png = driver.window().clipboard_picture();
  ASSERT_TRUE(png.starts_with("\x89PNG"));
  EXPECT_NE(scene_in(png).find("\"view\":\"explore\""), std::string::npos);
  EXPECT_TRUE(screen_contains("Copied the figure"));
  driver.press(PageName::words);
  driver.press(CommandId::copy_figure);
  EXPECT_NE(driver.window().clipboard_picture(), png) << "of the page in view";
  EXPECT_NE(scene_in(driver.window().clipboard_picture()).find("\"view\":\"words\""), std::string::npos);
}

TEST(CopyPaste, TheNumbersAreATableWithItsLabels) {
  AppDriver driver;
  driver.press(CommandId::copy_numbers);
  std::istringstream table(driver.window().clipboard());
  std::string line;
  std::getline(table, line);
  std::string head = "query \\ key";
  for (const std::string& token : driver.tokens()) head += "\t" + token;
  EXPECT_EQ(line, head);
  const Selection& at = driver.session().selection;
  const StageId weights = at.at(StageKind::weights);
  const auto n = static_cast<int>(driver.tokens().size());
  for (int row = 0; row < n; ++row) {
    ASSERT_TRUE(std::getline(table, line));
    std::istringstream cells(line);
    std::string cell;
    std::getline(cells, cell, '\t');
    EXPECT_EQ(cell, driver.tokens()[static_cast<std::size_t>(row)]);
    for (int col = 0; col < n; ++col) {
      ASSERT_TRUE(std::getline(cells, cell, '\t'));
      EXPECT_FLOAT_EQ(std::stof(cell), driver.trace().value(weights)(row, col));
    }
  }
  EXPECT_FALSE(std::getline(table, line));
}

TEST(CopyPaste, WhatIsCopiedIsThePassOfTheLastChange) {
  AppDriver driver;
  // The first steps start without a sentence, so no pass is shown before the new one; the last goes from one
  // pass to the next.
  for (const char* sentence : {"", "one two three", "", "four five", "six seven eight nine"}) {
    driver.app().apply(SetSentence{sentence});
    if (*sentence == '\0') {
      driver.settle();
      continue;
    }
    driver.app().start_copy(CopyKind::numbers);
    driver.settle();
    std::istringstream table(driver.window().clipboard());
    std::string head;
    std::getline(table, head);
    std::string words = sentence;
    for (char& letter : words) letter = letter == ' ' ? '\t' : letter;
    EXPECT_EQ(head, "query \\ key\t" + words);
  }
}

TEST(CopyPaste, InATextFieldItCopiesTheText) {
  AppDriver driver;
  driver.focus_sentence();
  driver.window().press({Key::a, true});
  driver.press(CommandId::copy_figure);
  EXPECT_EQ(driver.window().clipboard(), driver.session().sentence);
  EXPECT_EQ(driver.window().clipboard_picture(), "");
}

TEST(CopyPaste, WhatCannotBePastedIsSaidAndChangesNothing) {
  AppDriver driver;
  const std::string before = driver.session().sentence;
  driver.window().refuse_clipboard("its owner does not answer");
  driver.focus_sentence();
  driver.window().press({Key::v, true});
  driver.settle();
  EXPECT_TRUE(screen_contains("its owner does not answer"));
  EXPECT_EQ(driver.session().sentence, before);
}

TEST(CopyPaste, WhatCannotBeCopiedIsSaid) {
  AppDriver driver;
  driver.window().refuse_clipboard("xclip is not installed");
  driver.press(CommandId::copy_figure);
  EXPECT_TRUE(screen_contains("xclip is not installed"));
  driver.paste_sentence("");
  driver.press(Chord{Key::escape});
  driver.press(CommandId::copy_numbers);
  EXPECT_TRUE(screen_contains("Nothing was copied"));
}

/// Sets an environment variable and restores it afterwards.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value, 1);
  }
  ~Variable() { setenv(name_, old_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string old_;
};

TEST(PictureClipboard, AMissingProgramIsNamedWithItsPackage) {
  const Variable path("PATH", "/nowhere");
  const Variable wayland("WAYLAND_DISPLAY", "");
  {
    const Variable display("DISPLAY", ":0");
    const auto copied = copy_picture_to_desktop("picture");
    ASSERT_FALSE(copied);
    EXPECT_NE(copied.error().message.find("apt install xclip"), std::string::npos) << copied.error().message;
  }
  const Variable display("DISPLAY", "");
  const auto copied = copy_picture_to_desktop("picture");
  ASSERT_FALSE(copied);
  EXPECT_NE(copied.error().message.find("no display"), std::string::npos);
}

TEST(PictureClipboard, AProgramThatRefusesIsSaid) {
  const Variable wayland("WAYLAND_DISPLAY", "");
  const Variable display("DISPLAY", ":no-such-display");
  const auto copied = copy_picture_to_desktop(std::string(1U << 20U, 'x'));
  EXPECT_FALSE(copied);
}

}  // namespace
}  // namespace headscope
