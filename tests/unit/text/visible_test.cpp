#include "core/text/visible.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "core/text/utf8.h"

namespace headscope {
namespace {

TEST(EscapedControls, NothingLeftMovesACursor) {
  EXPECT_EQ(escaped_controls("a\x1b[2Jb\x07"), "a\\x1b[2Jb\\x07");
  EXPECT_EQ(escaped_controls(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(escaped_controls("\u009b31m"), "\\xc2\\x9b31m") << "C1 controls are controls, too";
  EXPECT_EQ(escaped_controls("m\xFF\xE2\x82"), "m\\xff\\xe2\\x82");
  EXPECT_EQ(escaped_controls("größe 동물\n\t\uFFFD"), "größe 동물\n\t\uFFFD");
}

TEST(EscapedMessage, ANameCannotBeginALine) {
  EXPECT_EQ(escaped_message("there are\n  one\n  two"), "there are\n  one\n  two");
  EXPECT_EQ(escaped_message("no 'a\nheadscope: done'"), "no 'a\\x0aheadscope: done'");
  EXPECT_EQ(escaped_message("end\n"), "end\\x0a");
  EXPECT_EQ(escaped_message("a\tb"), "a\\x09b");
}

TEST(VisibleControls, EveryCodePointBecomesOneThatXmlHolds) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const auto visible = code_points(visible_controls(to_utf8(c)));
    ASSERT_EQ(visible.size(), 1U);
    const char32_t v = visible.front();
    // https://www.w3.org/TR/xml/#charsets
    const bool is_xml = v == 0x9 || v == 0xA || v == 0xD || (v >= 0x20 && v <= 0xD7FF) ||
                        (v >= 0xE000 && v <= 0xFFFD) || v >= 0x10000;
    ASSERT_TRUE(is_xml) << static_cast<std::uint32_t>(c);
    if (c >= 0xA0 && c < 0xFDD0) {
      ASSERT_EQ(v, c);
    }
  }
  EXPECT_EQ(visible_controls("\x1b\x7f\r\xFF"), "␛␡\r\uFFFD");
}

TEST(WithMarks, SpacesThatAreATokenAreSeen) {
  EXPECT_EQ(with_visible_spaces(" "), "␣");
  EXPECT_EQ(with_visible_spaces("   "), "␣␣␣");
  EXPECT_EQ(with_visible_spaces(" the"), " the") << "the token has letters";
  EXPECT_EQ(with_visible_spaces("\u00A0"), "⍽");
  EXPECT_EQ(with_visible_spaces("a\u202Fb"), "a⍽b");
  EXPECT_EQ(with_visible_spaces("\u200B"), "‹200B›");
  EXPECT_EQ(with_visible_spaces("a\u200Bb\uFEFF"), "a‹200B›b‹FEFF›");
  EXPECT_EQ(with_visible_spaces("\u3000"), "‹3000›");
  EXPECT_EQ(with_visible_spaces("\u00AD"), "‹00AD›");
  EXPECT_EQ(with_visible_spaces("\uFE0F"), "‹FE0F›");
}

TEST(WithMarks, JoinersWithinALetterStay) {
  for (const char* token :
       {"👨\u200D👩\u200D👧", "❤\uFE0F", "क्\u200Dष", "می\u200Cخواهم", "\u0301", "漢\u3000字"})
    EXPECT_EQ(with_visible_spaces(token), token);
  EXPECT_EQ(with_visible_spaces("\u200D"), "‹200D›") << "it joins nothing";
}

}  // namespace
}  // namespace headscope
