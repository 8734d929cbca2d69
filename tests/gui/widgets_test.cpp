#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "app/ui/figure_painter.h"
#include "app/ui/ui.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/sheet.h"
#include "app/widgets/slider.h"
#include "app/widgets/tabs.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "app/widgets/toast.h"
#include "core/text/utf8.h"
#include "tests/gui/headless_window.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

struct Rect {
  ImVec2 min, max;
  Point at(float x, float y) const { return {std::lerp(min.x, max.x, x), std::lerp(min.y, max.y, y)}; }
};

/// Draws one widget at a time in a column 240 units wide, and notes its area.
class WidgetsTest : public testing::Test {
 protected:
  explicit WidgetsTest(float scale = 1.0F)
      : window(make_headless_window({800, 600})), ui(*window), scale(scale) {}

  void run(const std::function<void()>& widget) {
    window->run([&] {
      const WindowBackground ground(ui);
      ImGui::SetCursorPos(ImVec2(20.0F, 20.0F));
      const Panel panel(ui, "panel", ImVec2(ui.px(272), 500.0F));
      const ImVec2 corner = ImGui::GetCursorScreenPos();
      const float right = corner.x + ImGui::GetContentRegionAvail().x;
      widget();
      area = {corner, ImVec2(right, ImGui::GetCursorScreenPos().y - ImGui::GetStyle().ItemSpacing.y)};
    });
    ui.prepare(light_theme(), scale);
  }
  void click(Point point) { window->click(point.x, point.y); }

  void SetUp() override { ui.prepare(light_theme(), scale); }

  std::unique_ptr<HeadlessWindow> window;
  Ui ui;
  float scale;
  Rect area{};
};

TEST_F(WidgetsTest, AClickAnywhereInItsRowSwitchesAToggle) {
  bool on = false;
  int reported = 0;
  const auto widget = [&] { reported += toggle(ui, "Causal mask", on, "") ? 1 : 0; };
  run(widget);
  click(area.at(0.95F, 0.5F));
  run(widget);
  EXPECT_TRUE(on);
  click(area.at(0.1F, 0.5F));
  run(widget);
  EXPECT_FALSE(on);
  EXPECT_EQ(reported, 2);
}

TEST_F(WidgetsTest, ADisabledToggleStays) {
  bool on = false;
  const auto widget = [&] {
    ImGui::BeginDisabled();
    toggle(ui, "Causal mask", on, "locked by the checkpoint");
    ImGui::EndDisabled();
  };
  run(widget);
  click(area.at(0.9F, 0.5F));
  run(widget);
  EXPECT_FALSE(on);
}

TEST_F(WidgetsTest, ClickingASegmentChoosesIt) {
  const std::vector<std::string> options{"None", "Causal", "Window", "Paint"};
  int selected = 0;
  int changes = 0;
  const auto widget = [&] { changes += segmented(ui, "mask", options, selected, "") ? 1 : 0; };
  run(widget);
  for (const int wanted : {2, 3, 0, 1, 1}) {
    click(area.at((static_cast<float>(wanted) + 0.5F) / 4.0F, 0.5F));
    run(widget);
    EXPECT_EQ(selected, wanted);
  }
  EXPECT_EQ(changes, 4) << "choosing the chosen one is no change";
}

TEST_F(WidgetsTest, DraggingASliderFollowsTheMouseInSteps) {
  int value = 64;
  const IntRange range{8, 1024, 8};
  const auto widget = [&] { slider_int(ui, "d_model", value, range, ""); };
  run(widget);
  const float y = 0.75F;
  window->drag(area.at(0.1F, y), area.at(0.5F, y));
  run(widget);
  EXPECT_NEAR(value, 516, 24);
  EXPECT_EQ(value % 8, 0);
  window->drag(area.at(0.5F, y), area.at(1.5F, y));
  run(widget);
  EXPECT_EQ(value, 1024);
  window->drag(area.at(0.99F, y), area.at(-1.0F, y));
  run(widget);
  EXPECT_EQ(value, 8);
}

TEST_F(WidgetsTest, ASliderOnlyReportsChanges) {
  float value = 1.0F;
  int changes = 0;
  const auto widget = [&] { changes += slider_float(ui, "τ", value, {0.1F, 10.0F, 2, true}, "") ? 1 : 0; };
  run(widget);
  window->mouse_move(area.at(0.5F, 0.75F).x, area.at(0.5F, 0.75F).y);
  run(widget);
  EXPECT_EQ(changes, 0);
  click(area.at(0.9F, 0.75F));
  run(widget);
  EXPECT_EQ(changes, 1);
  EXPECT_GT(value, 3.0F);
}

TEST_F(WidgetsTest, AValueCanBeTyped) {
  int value = 64;
  const IntRange range{8, 1024, 8};
  const auto widget = [&] { slider_int(ui, "d_model", value, range, ""); };
  const auto type = [&](const char* text, Chord end) {
    run(widget);
    click(area.at(0.99F, 0.2F));
    run(widget);
    window->type(text);
    window->press(end);
    run(widget);
  };
  type("65", {Key::enter});
  EXPECT_EQ(value, 65) << "a typed value need not be a multiple of the step";
  type("5000", {Key::enter});
  EXPECT_EQ(value, 1024);
  type("-3", {Key::enter});
  EXPECT_EQ(value, 8);
  type("77", {Key::escape});
  EXPECT_EQ(value, 8) << "Escape gives the edit up";
  type("1e", {Key::enter});
  type("99999999999999999999999", {Key::enter});
  EXPECT_EQ(value, 8) << "what is not a number changes nothing";
}

TEST_F(WidgetsTest, CtrlClickOnTheTrackTypesToo) {
  float value = 1.0F;
  const auto widget = [&] { slider_float(ui, "τ", value, {0.1F, 10.0F}, ""); };
  run(widget);
  window->key_down(Key::left_control);
  click(area.at(0.8F, 0.75F));
  window->key_up(Key::left_control);
  run(widget);
  EXPECT_EQ(value, 1.0F) << "the click itself does not move the knob";
  window->type("2.5");
  window->press({Key::enter});
  run(widget);
  EXPECT_EQ(value, 2.5F);
}

TEST_F(WidgetsTest, ASuggestionIsTakenByAClick) {
  int value = 64;
  const IntRange range{8, 1024, 8};
  const Complaint complaint{"65 is not divisible by 8:", {64, 72}};
  const auto widget = [&] {
    slider_int(ui, "d_model", value, range, "", value % 8 != 0 ? &complaint : nullptr);
  };
  run(widget);
  const float height = area.max.y - area.min.y;
  value = 65;
  run(widget);
  EXPECT_EQ(area.max.y - area.min.y, height) << "what is below stays where it is";
  for (float x = 0.4F; x < 1.0F && value == 65; x += 0.03F) {
    click(area.at(x, 0.75F));
    run(widget);
  }
  EXPECT_EQ(value, 64);
}

TEST_F(WidgetsTest, ASliderGoesThroughWhatCanBeAndRefusesTheRest) {
  int value = 12;
  const IntRange range{1, 60, 1};
  const SliderRules rules{[](int n) { return 60 % n == 0; },
                          [](int) {
                            return Complaint{"60 is no multiple:", {6, 10}};
                          }};
  const auto widget = [&] { slider_int(ui, "heads", value, range, "", nullptr, rules); };
  run(widget);
  for (float x = 0.1F; x < 0.9F; x += 0.05F) {
    click(area.at(x, 0.75F));
    run(widget);
    EXPECT_EQ(60 % value, 0);
  }
  EXPECT_GT(value, 12);
  const int before = value;
  click(area.at(0.99F, 0.2F));
  run(widget);
  window->type("7");
  window->press({Key::enter});
  run(widget);
  run(widget);
  EXPECT_EQ(value, before);
  EXPECT_TRUE(screen_contains("60 is no multiple"));
  const auto offered = find_letters("10");
  ASSERT_FALSE(offered.empty());
  click({offered.front().x + 3.0F, offered.front().y + 3.0F});
  run(widget);
  EXPECT_EQ(value, 10);
  run(widget);
  EXPECT_FALSE(screen_contains("60 is no multiple"));
}

TEST_F(WidgetsTest, ANumberOfAnySizeIsTyped) {
  std::uint64_t seed = 0;
  const auto widget = [&] { number_field(ui, "Seed", seed, UINT64_MAX, ""); };
  const auto type = [&](const char* text) {
    run(widget);
    click(area.at(0.99F, 0.5F));
    run(widget);
    window->type(text);
    window->press({Key::enter});
    run(widget);
  };
  type("18446744073709551615");
  EXPECT_EQ(seed, UINT64_MAX);
  type("7");
  EXPECT_EQ(seed, 7U);
  type("-1");
  type("seven");
  type("7.5");
  EXPECT_EQ(seed, 7U);
  type("99999999999999999999");
  EXPECT_EQ(seed, UINT64_MAX);
}

TEST_F(WidgetsTest, AComboOpensAndTakesTheChoiceByKeyboard) {
  const std::vector<std::string> options{"N(0, 1)", "Xavier", "scaled"};
  int selected = 0;
  int changes = 0;
  const auto widget = [&] { changes += combo(ui, "Init", options, selected, "") ? 1 : 0; };
  run(widget);
  click(area.at(0.9F, 0.5F));
  run(widget);
  window->press({Key::down});
  run(widget);
  window->press({Key::enter});
  run(widget);
  EXPECT_EQ(selected, 1);
  EXPECT_EQ(changes, 1);
}

TEST_F(WidgetsTest, ALongListOpensAtItsTopOrAtTheChosenOption) {
  std::vector<std::string> options;
  std::vector<std::string> headings(40);
  for (int i = 0; i < 40; ++i) options.push_back("option-" + std::to_string(i));
  headings.front() = "Trained";
  const std::vector<std::string> subtitles(options.size(), "about it");
  for (int selected : {0, 2, 8, 30, 39}) {
    const auto widget = [&] { combo(ui, "##model", options, selected, "", subtitles, headings); };
    run(widget);
    click(area.at(0.5F, 0.5F));
    for (int i = 0; i < 4; ++i) run(widget);
    const std::string chosen = "option-" + std::to_string(selected);
    EXPECT_GE(find_text(chosen).size(), 2U) << chosen << " in the box and in the list";
    EXPECT_EQ(!find_text("Trained").empty(), selected <= 8) << chosen;
    window->press({Key::escape});
    for (int i = 0; i < 2; ++i) run(widget);
  }
}

TEST_F(WidgetsTest, AButtonAndALinkAreClicked) {
  int clicks = 0;
  const auto widget = [&] {
    clicks += button(ui, "Export", "", "Ctrl+E", ButtonStyle::primary, 200.0F) ? 1 : 0;
  };
  run(widget);
  click(area.at(0.2F, 0.5F));
  run(widget);
  EXPECT_EQ(clicks, 1);
  const auto link_widget = [&] { clicks += link(ui, "64", "") ? 1 : 0; };
  run(link_widget);
  click({area.min.x + 3.0F, area.min.y + 6.0F});
  run(link_widget);
  EXPECT_EQ(clicks, 2);
}

TEST_F(WidgetsTest, TabsThatDoNotFitScrollToTheChosenOne) {
  std::vector<Tab> strip(20, Tab{"stage", "11×64", ""});
  int selected = 0;
  const auto widget = [&] { tabs(ui, "stages", strip, selected); };
  run(widget);
  ASSERT_GT(tabs_width(ui, strip), area.max.x - area.min.x);
  click(area.at(0.15F, 0.5F));
  run(widget);
  EXPECT_EQ(selected, 0);
  selected = 19;
  run(widget);
  click(area.at(0.4F, 0.5F));
  run(widget);
  EXPECT_GE(selected, 16) << "the strip went along to the end";
  EXPECT_LT(selected, 19);
}

TEST_F(WidgetsTest, TheChosenTabStaysInSightWhenTheStripBecomesNarrower) {
  std::vector<Tab> strip(20, Tab{"stage", "11×64", ""});
  strip[6].name = "chosen";
  int selected = 6;
  float width = 0.0F;
  const auto widget = [&] { tabs(ui, "stages", strip, selected, width); };
  run(widget);
  ASSERT_EQ(find_text("chosen").size(), 1U);
  for (width = area.max.x - area.min.x; width > 120.0F; width -= 37.0F) {
    run(widget);
    ASSERT_EQ(find_text("chosen").size(), 1U) << width;
  }
}

class SentenceFieldTest : public WidgetsTest {
 protected:
  void draw() {
    run([&] { edits += sentence_field(ui, "##sentence", text, {}) ? 1 : 0; });
  }
  /// Clicks on the field and puts the caret at the end.
  void enter() {
    draw();
    click(area.at(0.5F, 0.5F));
    window->press({Key::end});
    draw();
  }
  std::string text = "The animal";
  int edits = 0;
};

TEST_F(SentenceFieldTest, EveryKeystrokeIsReported) {
  enter();
  for (const char* letter : {" ", "w", "a", "s"}) {
    window->type(letter);
    draw();
  }
  EXPECT_EQ(text, "The animal was");
  EXPECT_EQ(edits, 4);
  window->press({Key::backspace});
  draw();
  EXPECT_EQ(text, "The animal wa");
}

TEST_F(SentenceFieldTest, ATextFromOutsideReplacesTheEdit) {
  enter();
  window->type(" was");
  draw();
  text = "The";  // as undo would change it
  draw();
  EXPECT_EQ(text, "The");
  window->press({Key::end});
  window->type(" street");
  draw();
  EXPECT_EQ(text, "The street");
}

TEST_F(SentenceFieldTest, FollowsAnyOrderOfTypingAndChangesFromOutside) {
  std::mt19937 random(7);
  enter();
  std::string expected = text;
  for (int i = 0; i < 200; ++i) {
    if (random() % 4 == 0) {
      // The letters have one, two or three bytes, but ImGui stores each of them as one character.
      const std::string letters[] = {std::string(1, static_cast<char>('a' + random() % 26)), "é", "ﷺ"};
      const std::string& letter = letters[random() % 3];
      expected.clear();
      for (auto n = random() % 30; n > 0; --n) expected += letter;
      text = expected;
      draw();
    }
    window->press({Key::end});
    for (unsigned letters = random() % 4; letters > 0; --letters) {
      const auto letter = static_cast<char>('a' + random() % 26);
      window->key_down(static_cast<Key>(letter - 'a' + 'A'));
      window->type(std::string(1, letter));
      window->key_up(static_cast<Key>(letter - 'a' + 'A'));
      expected += letter;
    }
    draw();
    ASSERT_EQ(text, expected) << "step " << i;
  }
}

TEST_F(SentenceFieldTest, LeavesCtrlZToTheProgram) {
  enter();
  window->type(" was");
  draw();
  int undone = 0;
  window->press({Key::z, true});
  window->press({Key::y, true});
  run([&] {
    edits += sentence_field(ui, "##sentence", text, {}) ? 1 : 0;
    undone += chord_pressed({Key::z, true}) ? 1 : 0;
  });
  EXPECT_EQ(text, "The animal was");
  EXPECT_EQ(undone, 1);
}

TEST_F(SentenceFieldTest, EscapeLeavesTheFieldAndKeepsTheText) {
  enter();
  window->type(" was");
  draw();
  window->press({Key::escape});
  draw();
  EXPECT_EQ(text, "The animal was");
  window->type("x");
  draw();
  EXPECT_EQ(text, "The animal was") << "the keyboard is elsewhere";
}

TEST_F(SentenceFieldTest, PlainKeysBelongToTheFieldWhileItIsEdited) {
  int shortcut = 0;
  int escape = 0;
  enter();
  window->press({Key::d});
  window->press({Key::escape});
  run([&] {
    sentence_field(ui, "##sentence", text, {});
    shortcut += chord_pressed({Key::d}) ? 1 : 0;
    escape += chord_pressed({Key::escape}) ? 1 : 0;
  });
  EXPECT_EQ(shortcut, 0);
  EXPECT_EQ(escape, 1);
  window->press({Key::d});
  run([&] {
    sentence_field(ui, "##sentence", text, {});
    shortcut += chord_pressed({Key::d}) ? 1 : 0;
  });
  EXPECT_EQ(shortcut, 1);
}

TEST_F(SentenceFieldTest, TakesALongPasteWithLineBreaks) {
  text.clear();
  enter();
  std::string pasted;
  std::string expected;
  for (int i = 0; i < 5000; ++i) {
    pasted += "word" + std::to_string(i) + (i % 3 == 0 ? "\n" : i % 3 == 1 ? "\t" : " ");
    expected += "word" + std::to_string(i) + " ";
  }
  window->set_clipboard(pasted);
  window->press({Key::v, true});
  draw();
  EXPECT_EQ(text, expected);
}

/// Characters that ImGui's own fields cannot hold or may mangle: beyond 16 bits, joined into one sign,
/// written from right to left, and for private use.
constexpr const char* all_kinds = "a 😀 b 👩‍🚀 한 שלום  é 𠀀 z";

TEST_F(SentenceFieldTest, KeepsEveryCharacterThroughAnEdit) {
  text = all_kinds;
  enter();
  window->press({Key::end});
  window->type("!");
  draw();
  EXPECT_EQ(text, std::string(all_kinds) + "!");
  window->press({Key::home});
  window->type("😁x");
  draw();
  EXPECT_EQ(text, "😁x" + std::string(all_kinds) + "!");
  window->press({Key::del});
  window->press({Key::del});
  window->press({Key::del});
  draw();
  EXPECT_EQ(text, "😁x" + std::string(all_kinds).substr(std::string("a 😀").size()) + "!")
      << "each is one character for the caret";
}

TEST_F(SentenceFieldTest, CopiesCutsAndPastesEveryCharacter) {
  text = "";
  enter();
  window->set_clipboard(all_kinds);
  window->press({Key::v, true});
  draw();
  EXPECT_EQ(text, all_kinds);
  window->set_clipboard("");
  window->press({Key::a, true});
  window->press({Key::c, true});
  draw();
  EXPECT_EQ(window->clipboard(), all_kinds);
  window->press({Key::x, true});
  draw();
  EXPECT_EQ(text, "");
  EXPECT_EQ(window->clipboard(), all_kinds);
  window->press({Key::v, true});
  window->press({Key::v, true});
  draw();
  EXPECT_EQ(text, std::string(all_kinds) + all_kinds);
}

TEST_F(SentenceFieldTest, TellsEqualLookingCharactersApart) {
  text = "😀😁😂";
  enter();
  window->press({Key::home});
  window->press({Key::right});
  window->press({Key::del});
  draw();
  EXPECT_EQ(text, "😀😂");
  window->press({Key::backspace});
  draw();
  EXPECT_EQ(text, "😂");
  window->press({Key::end});
  window->press({Key::left, false, true});
  window->press({Key::c, true});
  draw();
  EXPECT_EQ(window->clipboard(), "😂");
}

/// ImGui cannot draw tens of thousands of letters in one place.
TEST_F(SentenceFieldTest, TakesAHeapOfMarks) {
  text = "";
  enter();
  std::string heap = "e";
  for (int i = 0; i < 40'000; ++i) heap += "́";
  window->set_clipboard(heap);
  window->press({Key::v, true});
  draw();
  EXPECT_EQ(text, heap);
  window->type("x");
  draw();
  EXPECT_EQ(text, heap + "x");
}

TEST(WidgetCharacters, StandForOneCharacterEachForever) {
  WidgetCharacters characters;
  std::string all;
  for (char32_t c = 0x1F000; c < 0x1FFFE; ++c) all += to_utf8(c);
  for (char32_t c = 0x3400; c < 0x4E00; ++c) all += to_utf8(c);  // characters that may stand in for others
  for (char32_t c = 0xE000; c < 0xE100; ++c) all += to_utf8(c);
  const std::string held = characters.held(all);
  EXPECT_EQ(characters.shown(std::string_view(held)), all);
  EXPECT_EQ(characters.held(all), held);
  EXPECT_EQ(code_points(held).size(), code_points(all).size());
  for (const char32_t c : code_points(held)) {
    EXPECT_LE(c, char32_t{IM_UNICODE_CODEPOINT_MAX});
    EXPECT_FALSE(c >= 0xE000 && c <= 0xF8FF) << "ImGui takes none of these";
  }
}

/// A text with as many characters as there are stand-ins, so that none is left for another character.
std::string max_characters() {
  std::string all;
  for (int i = 0; i < WidgetCharacters::max_stand_ins; ++i)
    all += to_utf8(0x20000 + static_cast<char32_t>(i));
  return all;
}
constexpr const char* one_more = "\xF0\xB0\x80\x80";  // U+30000

TEST(WidgetCharacters, SayWhichTextTheyCannotHold) {
  WidgetCharacters characters;
  bool fits = true;
  const std::string all = max_characters();
  const std::string held = characters.held(all, &fits);
  EXPECT_TRUE(fits);
  EXPECT_EQ(characters.shown(std::string_view(held)), all);
  EXPECT_FALSE(characters.held(char32_t{0x30000}));
  characters.held(one_more, &fits);
  EXPECT_FALSE(fits);
  EXPECT_EQ(characters.take_complaint(), "") << "nothing was edited";
}

TEST_F(SentenceFieldTest, ATextThatItCannotHoldStaysAsItIs) {
  WidgetCharacters::current().held(max_characters());
  text = "The animal";
  enter();
  window->set_clipboard(one_more);
  window->press({Key::v, true});
  draw();
  EXPECT_EQ(text, "The animal") << "what is pasted is not taken";
  EXPECT_NE(WidgetCharacters::current().take_complaint(), "");
  text = std::string("The animal ") + one_more;
  draw();
  window->type("x");
  draw();
  EXPECT_EQ(text, std::string("The animal ") + one_more) << "nor is the text that cannot be held edited";
  EXPECT_NE(WidgetCharacters::current().take_complaint(), "");
}

TEST_F(SentenceFieldTest, CharactersBeyondImGuisSurviveBeingLookedAt) {
  text = "smile 😀 안녕";
  enter();
  window->press({Key::left});
  draw();
  EXPECT_EQ(text, "smile 😀 안녕");
  EXPECT_EQ(edits, 0);
}

TEST_F(SentenceFieldTest, EntersWithTheCaretAtTheEnd) {
  run([&] { sentence_field(ui, "##sentence", text, {.take_focus = ImGui::GetFrameCount() < 3}); });
  window->type("!");
  draw();
  EXPECT_EQ(text, "The animal!") << "not selected and replaced";
}

TEST_F(WidgetsTest, EveryWidgetDrawsAtEveryScaleAndInTheDark) {
  const std::vector<HelpRow> rows{{"Edit", "Ctrl+Z", "Undo"}, {"View", "F1", "Help"}};
  const std::vector<std::string> options{"None", "Causal"};
  int selected = 0;
  bool open = true;
  Toasts toasts;
  toasts.push("Written", NoticeKind::information, 1.0);
  for (const float size : {0.75F, 1.0F, 1.5F, 3.0F}) {
    scale = size;
    ui.prepare(dark_theme(), size);
    run([&] {
      section(ui, "Mask");
      segmented(ui, "empty", {}, selected, "");
      segmented(ui, "mask", options, selected, "");
      combo(ui, "##none", {}, selected, "");
      row(ui, "a label that is far too long for the room that there is", "1.0000", true);
      bar_row(ui, "animal", 2.0F, "1.00", {});
      bar_row(ui, "", NAN, "nan", {});
      notice(ui, "A message that wraps over several lines in this narrow column.", NoticeKind::warning);
      divider(ui);
      key_chip(ui, "Ctrl+K");
      paragraph(ui, "", {});
      help_sheet(ui, open, rows, "");
      toasts.advance(ui);
      toasts.draw_line(ui, 200.0F);
      toasts.draw_over(ui);
    });
    EXPECT_GT(window->draw_counts().vertices, 500U);
  }
  EXPECT_TRUE(open);
  window->press({Key::escape});
  run([&] { help_sheet(ui, open, rows, ""); });
  EXPECT_FALSE(open);
}

TEST_F(WidgetsTest, AToastGoesAwayByItself) {
  Toasts toasts;
  EXPECT_LT(toasts.seconds_left(), 0.0);
  toasts.push("Written: attention.png", NoticeKind::information, 0.2);
  run([&] { toasts.advance(ui); });
  EXPECT_GT(toasts.seconds_left(), 0.0);
  EXPECT_GE(ui.take_wake_time(), 0.0) << "the window must not sleep past it";
  for (int i = 0; i < 10; ++i) run([&] { toasts.advance(ui); });
  EXPECT_LT(toasts.seconds_left(), 0.0);
}

TEST_F(WidgetsTest, AWarningStaysUntilItIsReadAndAnswered) {
  Toasts toasts;
  toasts.push("“0.9” is not a size", NoticeKind::warning, 0.2);
  for (int i = 0; i < 10; ++i) run([&] { toasts.advance(ui); });
  EXPECT_FALSE(toasts.empty()) << "it has not been answered";
  toasts.answer();
  run([&] { toasts.advance(ui); });
  EXPECT_TRUE(toasts.empty());
}

TEST_F(WidgetsTest, AnAnsweredWarningDoesNotComeBackAfterANewerMessage) {
  Toasts toasts;
  toasts.push("This file is no model", NoticeKind::warning, 60.0);
  toasts.push("Opened: stories", NoticeKind::information, 0.2);
  toasts.answer();
  for (int i = 0; i < 10; ++i) run([&] { toasts.advance(ui); });
  EXPECT_TRUE(toasts.empty());
}

TEST_F(WidgetsTest, ATooltipComesWhenTheMouseRests) {
  bool on = false;
  bool explained = false;
  const auto widget = [&] {
    toggle(ui, "Causal mask", on, "");
    explained = ui.should_explain_item();
  };
  run(widget);
  window->mouse_move(area.at(0.5F, 0.5F).x, area.at(0.5F, 0.5F).y);
  run(widget);
  EXPECT_FALSE(explained);
  EXPECT_GE(ui.take_wake_time(), 0.0) << "a frame is due when the rest is long enough";
  for (int i = 0; i < 12; ++i) run(widget);
  EXPECT_TRUE(explained);
}

/// A tooltip would cover what the drag has changed.
TEST_F(WidgetsTest, NoTooltipComesWhereADragHasEnded) {
  bool suppressed = false;
  const auto frames = [&](int n) {
    for (int i = 0; i < n; ++i)
      run([&] {
        ui.update_focus_visibility();
        suppressed = ui.suppresses_tooltips();
      });
  };
  constexpr int until_input_is_read = 10;
  frames(1);
  window->drag({40.0F, 40.0F}, {200.0F, 40.0F});
  frames(until_input_is_read);
  EXPECT_TRUE(suppressed);
  window->mouse_move(300.0F, 40.0F);
  frames(until_input_is_read);
  EXPECT_FALSE(suppressed);
}

TEST_F(WidgetsTest, AFigurePaintsEveryItemAndClosesItsClips) {
  Figure figure{.width = 100.0F, .height = 100.0F, .background = {255, 255, 255}, .items = {}};
  const auto image = std::make_shared<const Image>(Image{2, 2, std::vector<Color>(4)});
  figure.items = {FilledRect{{1, 1, 5, 5}, {}, 2},
                  StrokedRect{{1, 1, 5, 5}, {}},
                  Line{{0, 0}, {50, 50}, {}},
                  Curve{{0, 0}, {10, 40}, {60, 40}, {80, 0}, {}},
                  Label{.text = "turned →", .at = {50, 50}, .color = {}, .degrees = 45},
                  Raster{image, {10, 10, 20, 20}},
                  Raster{nullptr, {10, 10, 20, 20}},
                  Hatch{{20, 20, 30, 30}, {}},
                  Hatch{{20, 20, 30, 30}, {}, 0.0F},
                  ClipEnd{},
                  ClipBegin{{0, 0, 10, 10}},
                  ClipBegin{{0, 0, 5, 5}}};
  ImVec2 origin;
  run([&] {
    origin = figure_item(ui, figure);
    EXPECT_GT(ImGui::GetWindowDrawList()->GetClipRectMax().x, origin.x + 100.0F);
  });
  EXPECT_EQ(ui.textures.size(), 1U);
  const Point back = to_figure(ImVec2(origin.x + 30.0F, origin.y + 40.0F), origin, 2.0F);
  EXPECT_EQ(back, (Point{15.0F, 20.0F}));
}

/// The box around the vertices of one label, relative to the figure's origin.
Box painted_box(Ui& ui, HeadlessWindow& window, const Label& label) {
  Box box;
  window.run([&] {
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    const int before = list.VtxBuffer.Size;
    paint_figure(ui, list, Figure{.width = 400, .height = 400, .background = {0, 0, 0, 0}, .items = {label}},
                 ImVec2(100, 100), 1.0F);
    ImVec2 min(1e9F, 1e9F);
    ImVec2 max(-1e9F, -1e9F);
    for (int i = before; i < list.VtxBuffer.Size; ++i) {
      const ImVec2 p = list.VtxBuffer[i].pos;
      min = ImVec2(std::min(min.x, p.x), std::min(min.y, p.y));
      max = ImVec2(std::max(max.x, p.x), std::max(max.y, p.y));
    }
    box = {min.x - 100.0F, min.y - 100.0F, max.x - min.x, max.y - min.y};
  });
  return box;
}

TEST_F(WidgetsTest, LabelsStandWhereTheirAnchorSays) {
  Label label{.text = "HxH", .at = {200, 200}, .color = {}, .size = 20.0F};
  const float width = ui.fonts.measure(label.text, label.font, label.size).width;
  const Box left = painted_box(ui, *window, label);
  EXPECT_NEAR(left.x, 200.0F, 3.0F);
  const float baseline = 200.0F + ui.fonts.ascent(Font::sans) * 20.0F;
  EXPECT_NEAR(left.bottom(), baseline, 1.5F) << "letters without descenders end at the baseline";
  label.horizontal = HorizontalAnchor::right;
  EXPECT_NEAR(painted_box(ui, *window, label).x, left.x - width, 1.5F);
  label.horizontal = HorizontalAnchor::center;
  label.vertical = VerticalAnchor::middle;
  const Box middle = painted_box(ui, *window, label);
  EXPECT_NEAR(middle.x, left.x - width / 2.0F, 1.5F);
  label.degrees = 90.0F;
  const Box turned = painted_box(ui, *window, label);
  EXPECT_NEAR(turned.h, middle.w, 1.5F) << "a quarter turn swaps the sides";
  EXPECT_NEAR(turned.w, middle.h, 1.5F);
  EXPECT_NEAR(turned.y + turned.h / 2.0F, 200.0F, 2.0F) << "about the anchor";
}

}  // namespace
}  // namespace headscope
