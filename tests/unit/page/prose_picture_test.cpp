// Tests that the text of lessons, drawn as a figure, stays within its width and is complete.
#include "core/page/parts/prose_picture.h"

#include <gtest/gtest.h>

#include "core/figure/theme.h"
#include "core/lesson/lesson.h"
#include "core/lesson/read_lesson.h"
#include "core/session/presets.h"
#include "core/textbook/worked_examples.h"
#include "tests/unit/lesson/reading.h"

namespace headscope {
namespace {

/// Measures every letter as half as wide as it is high.
TextSize measured(std::string_view text, Font, float size) {
  const auto letters = std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
  return {0.5F * size * static_cast<float>(letters), size};
}

ProsePicture picture_of(const std::string& markdown, float width) {
  const auto prose = read_prose(markdown, 1);
  EXPECT_TRUE(prose) << prose.error().message;
  return prose_picture(*prose, width, 13.0F, {}, light_theme(), measured);
}

std::string letters_of(const std::string& text) {
  std::string letters;
  for (const char c : text) {
    if (c != ' ' && c != '\n') letters += c;
  }
  return letters;
}

std::string drawn(const ProsePicture& picture) {
  std::string text;
  for (const Item& item : picture.figure.items) {
    if (const auto* label = std::get_if<Label>(&item)) text += label->text;
  }
  return text;
}

void expect_inside(const ProsePicture& picture, float width) {
  for (const Item& item : picture.figure.items) {
    const auto* label = std::get_if<Label>(&item);
    if (label == nullptr) continue;
    EXPECT_LE(label->at.x + measured(label->text, label->font, label->size).width, width + 0.01F)
        << label->text;
    EXPECT_LE(label->at.y, picture.figure.height) << label->text;
  }
}

TEST(ProsePicture, OfEveryLessonFitsIntoNarrowAndWideColumns) {
  const SceneReader scene = [](const std::string&, const LessonScene& before) -> Result<LessonScene> {
    return before;
  };
  for (const EmbeddedFile& file : lesson_files()) {
    const auto lesson = read_lesson(std::string(file.name), file.text, scene);
    ASSERT_TRUE(lesson) << file.name << ": " << lesson.error().message;
    for (const LessonStep& step : lesson->steps) {
      for (const float width : {168.0F, 280.0F, 560.0F}) {
        const ProsePicture picture = prose_picture(step.body, width, 13.0F, {}, light_theme(), measured);
        expect_inside(picture, width);
        EXPECT_EQ(letters_of(drawn(picture)), letters_of(plain_text(step.body)))
            << file.name << " " << step.title;
      }
    }
  }
}

TEST(ProsePicture, BreaksWordsThatAreWiderThanTheLine) {
  const ProsePicture picture =
      picture_of(std::string(200, 'x') + " **" + std::string(100, 'y') + "**", 100.0F);
  expect_inside(picture, 100.0F);
  EXPECT_EQ(letters_of(drawn(picture)), std::string(200, 'x') + std::string(100, 'y'));
}

TEST(ProsePicture, HasABoxForEachLineOfALink) {
  const ProsePicture picture =
      picture_of("Some words and [a link of several words](https://a.b) after it", 120.0F);
  ASSERT_GE(picture.links.size(), 2U);
  for (const ProsePicture::Link& link : picture.links) {
    EXPECT_EQ(link.address, "https://a.b");
    EXPECT_GT(link.box.w, 0.0F);
    EXPECT_LE(link.box.right(), 120.01F);
  }
}

TEST(ProsePicture, OfNothingIsEmpty) {
  EXPECT_EQ(prose_picture({}, 100.0F, 13.0F, {}, light_theme(), measured).figure.height, 0.0F);
}

TEST(Explanations, AreProseAndLeadToLessonsThatExist) {
  for (const WorkedExample& example : worked_examples()) {
    for (const std::string& text : {example.shows, example.note})
      EXPECT_TRUE(read_prose(text, 1)) << example.name;
    EXPECT_TRUE(example.lesson.empty() || lesson_file(example.lesson)) << example.name;
  }
  for (const Preset& preset : presets())
    EXPECT_TRUE(preset.lesson.empty() || lesson_file(preset.lesson)) << preset.name;
}

}  // namespace
}  // namespace headscope
