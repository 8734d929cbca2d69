#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "app/platform/clipboard.h"
#include "app/platform/window.h"
#include "app/ui/ui.h"
#include "core/paint/font_faces.h"
#include "core/paint/font_files.h"
#include "tests/gui/headless_window.h"

namespace headscope {
namespace {

TEST(FramePacer, DrawsAFewFramesAfterAnEventAndThenSleeps) {
  FramePacer pacer;
  for (int i = 0; i < FramePacer::frames_to_settle; ++i) {
    EXPECT_EQ(pacer.sleep_seconds(), 0.0) << "frame " << i;
    pacer.frame_drawn();
  }
  EXPECT_GT(pacer.sleep_seconds(), 1.0);
  pacer.event();
  EXPECT_EQ(pacer.sleep_seconds(), 0.0);
}

TEST(FramePacer, SleepsUntilTheEarliestOfWhatIsDue) {
  FramePacer pacer;
  for (int i = 0; i < FramePacer::frames_to_settle; ++i) pacer.frame_drawn();
  pacer.due_in(2.0);
  pacer.due_in(0.5);
  pacer.due_in(3.0);
  EXPECT_EQ(pacer.sleep_seconds(), 0.5);
  pacer.due_in(-1.0);
  EXPECT_EQ(pacer.sleep_seconds(), 0.0);
  for (int i = 0; i < FramePacer::frames_to_settle; ++i) pacer.frame_drawn();
  EXPECT_GT(pacer.sleep_seconds(), 1.0) << "what was due is asked for again in every frame";
}

TEST(FramePacer, AFrameThatEndsASleepIsFollowedByOthers) {
  FramePacer pacer;
  for (int i = 0; i < FramePacer::frames_to_settle; ++i) pacer.frame_drawn();
  pacer.due_in(0.5);
  ASSERT_GT(pacer.sleep_seconds(), 0.0);
  for (int i = 0; i < FramePacer::frames_to_settle; ++i) {
    pacer.frame_drawn();
    EXPECT_EQ(pacer.sleep_seconds() == 0.0, i + 1 < FramePacer::frames_to_settle);
  }
}

TEST(Clipboard, MakesOneLineOfWhatIsPasted) {
  EXPECT_EQ(text_for_field("one\ntwo\tthree\r\nfour"), "one two three four");
  constexpr bool keeps_lines = true;
  EXPECT_EQ(text_for_field("one\n\ntwo\tthree\r\nfour", keeps_lines), "one\n\ntwo three\nfour");
  EXPECT_EQ(text_for_field(std::string("nul\0bell\a", 9)), "nulbell");
  EXPECT_EQ(text_for_field("bad \xFF byte"), "bad \uFFFD byte");
  EXPECT_EQ(text_for_field("안녕 😀"), "안녕 😀");
}

class HeadlessWindowTest : public testing::Test {
 protected:
  HeadlessWindowTest() : window(make_headless_window({800, 600})), ui(*window) {
    ui.prepare(light_theme(), 1.0F);
  }
  std::unique_ptr<HeadlessWindow> window;
  Ui ui;
};

TEST_F(HeadlessWindowTest, AClickFasterThanAFrameIsSeenDownAndUp) {
  int pressed = 0;
  int released = 0;
  bool at_place = false;
  window->click(120.0F, 80.0F);
  window->run([&] {
    pressed += ImGui::IsMouseClicked(ImGuiMouseButton_Left) ? 1 : 0;
    released += ImGui::IsMouseReleased(ImGuiMouseButton_Left) ? 1 : 0;
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) at_place = ImGui::GetMousePos().x == 120.0F;
  });
  EXPECT_EQ(pressed, 1);
  EXPECT_EQ(released, 1);
  EXPECT_TRUE(at_place);
}

TEST_F(HeadlessWindowTest, TheSameKeyTwiceWithinAFrameCountsTwice) {
  int undone = 0;
  int plain = 0;
  window->press({Key::z, true});
  window->press({Key::z, true});
  window->run([&] {
    undone += chord_pressed({Key::z, true}) ? 1 : 0;
    plain += chord_pressed({Key::z}) ? 1 : 0;
  });
  EXPECT_EQ(undone, 2);
  EXPECT_EQ(plain, 0) << "with Ctrl it is another chord";
}

TEST_F(HeadlessWindowTest, AFieldThatNeverGetsTheKeyboardDoesNotKeepItFromOthers) {
  int pressed = 0;
  for (int i = 0; i < 3; ++i) window->press({Key::z});
  window->run([&] {
    window->hold_keys();
    pressed += chord_pressed({Key::z}) ? 1 : 0;
  });
  EXPECT_EQ(pressed, 3);
}

TEST_F(HeadlessWindowTest, ADragEndsWhereTheButtonWasReleased) {
  ImVec2 last_held;
  window->drag({10.0F, 20.0F}, {300.0F, 200.0F});
  window->run([&] {
    if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) last_held = ImGui::GetMousePos();
  });
  EXPECT_EQ(last_held.x, 300.0F);
  EXPECT_EQ(last_held.y, 200.0F);
}

TEST_F(HeadlessWindowTest, TellsItsSizeFilesAndWishes) {
  window->resize({1024, 768});
  window->begin_frame();
  EXPECT_EQ(ImGui::GetIO().DisplaySize.x, 1024.0F);
  window->end_frame();
  window->drop_file("a.txt");
  window->drop_file("b.npy");
  EXPECT_EQ(window->take_dropped_files(), (std::vector<std::string>{"a.txt", "b.npy"}));
  EXPECT_TRUE(window->take_dropped_files().empty());
  EXPECT_FALSE(window->wait_events(0.0));
  window->wake();
  EXPECT_TRUE(window->wait_events(10.0)) << "a wake ends the sleep";
  EXPECT_FALSE(window->should_close());
  window->close(true);
  EXPECT_TRUE(window->should_close());
  EXPECT_FALSE(window->read_pixels().has_value());
}

TEST_F(HeadlessWindowTest, CountsWhatIsDrawn) {
  window->run([] {});
  const DrawCounts nothing = window->draw_counts();
  window->run([] { ImGui::GetForegroundDrawList()->AddRectFilled({10, 10}, {20, 20}, IM_COL32_WHITE); });
  EXPECT_EQ(window->draw_counts().vertices, nothing.vertices + 4);
}

/// Remembers which textures exist.
class RecordingStore : public TextureStore {
 public:
  ImTextureID create(const Image& image) override {
    if (image.width > largest_side()) return no_texture;
    alive.insert(++last_);
    return texture_from_name(last_);
  }
  void destroy(ImTextureID texture) override { EXPECT_EQ(alive.erase(name_of_texture(texture)), 1U); }
  int largest_side() const override { return 64; }
  std::set<unsigned> alive;

 private:
  unsigned last_ = 0;
};

std::shared_ptr<const Image> image_of(int side) {
  const auto pixels = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  return std::make_shared<Image>(Image{side, side, std::vector<Color>(pixels)});
}

TEST(TextureCache, ATextureLivesAsLongAsItsImage) {
  RecordingStore store;
  {
    TextureCache cache(store);
    auto first = image_of(4);
    const auto second = image_of(4);
    const ImTextureID texture = cache.of(first);
    EXPECT_EQ(cache.of(first), texture) << "made once";
    EXPECT_NE(cache.of(second), texture);
    cache.sweep();
    EXPECT_EQ(store.alive.size(), 2U);
    first.reset();
    EXPECT_EQ(store.alive.size(), 2U) << "a frame may still show it";
    cache.sweep();
    EXPECT_EQ(store.alive.size(), 1U);
    EXPECT_EQ(cache.size(), 1U);
  }
  EXPECT_TRUE(store.alive.empty()) << "the cache leaves nothing behind";
}

TEST(TextureCache, ANewImageAtAnOldAddressGetsItsOwnTexture) {
  RecordingStore store;
  TextureCache cache(store);
  // This address holds two images, one after the other.
  Image place{1, 1, std::vector<Color>(1)};
  const auto nothing = [](const Image*) {};
  std::shared_ptr<const Image> image(&place, nothing);
  const ImTextureID first = cache.of(image);
  image.reset();
  image.reset(&place, nothing);
  EXPECT_NE(cache.of(image), first);
  EXPECT_EQ(store.alive.size(), 1U);
}

TEST(TextureCache, RefusesWhatTheStoreRefuses) {
  RecordingStore store;
  TextureCache cache(store);
  const auto too_large = image_of(65);
  EXPECT_EQ(cache.of(too_large), no_texture);
  EXPECT_EQ(cache.of(nullptr), no_texture);
  EXPECT_TRUE(store.alive.empty());
}

TEST_F(HeadlessWindowTest, BakesCharactersAndSizesWhenTheyAreAskedFor) {
  ASSERT_EQ(ui.fonts.complaint(), "");
  EXPECT_FALSE(ui.fonts.pending());
  ui.fonts.request_characters("plain text, 1/√d → “quoted” Σ");
  EXPECT_FALSE(ui.fonts.pending()) << "the interface's own characters are there from the start";
  ui.fonts.request_characters("Ελληνικά");
  EXPECT_TRUE(ui.fonts.pending());
  EXPECT_TRUE(ui.fonts.prepare(1.0F));
  EXPECT_FALSE(ui.fonts.pending());
  const SizedFont odd = ui.fonts.at(Font::sans, 37.0F);
  EXPECT_TRUE(ui.fonts.pending());
  EXPECT_NEAR(odd.line_height, 37.0F * (ui.fonts.ascent(Font::sans) + ui.fonts.descent(Font::sans)), 1e-3F)
      << "another size stands in at the right height";
  EXPECT_TRUE(ui.fonts.prepare(1.0F));
  EXPECT_FALSE(ui.fonts.prepare(1.0F));
}

TEST_F(HeadlessWindowTest, CharactersThatNoFontHasAreAskedForOnce) {
  ui.fonts.request_characters("\uE000 \u0378 😀 \xFF\xFE");
  ui.fonts.prepare(1.0F);
  ui.fonts.request_characters("\uE000 \u0378 😀 \xFF\xFE");
  EXPECT_FALSE(ui.fonts.pending());
}

TEST_F(HeadlessWindowTest, TextIsAsWideAsItsLettersAtEveryScale) {
  const MeasureText measure = ui.measure();
  const TextSize small = measure("because", Font::sans, 13.0F);
  EXPECT_NEAR(measure("becausebecause", Font::sans, 13.0F).width, 2.0F * small.width, 0.01F);
  EXPECT_EQ(measure("", Font::mono, 12.0F).width, 0.0F);
  EXPECT_NEAR(measure("iiii", Font::mono, 12.0F).width, measure("MMMM", Font::mono, 12.0F).width, 0.01F);
  ui.prepare(light_theme(), 2.0F);
  const TextSize doubled = measure("because", Font::sans, 13.0F);
  EXPECT_NEAR(doubled.width, small.width, 0.02F * small.width) << "figure units do not scale";
  EXPECT_NEAR(doubled.height, small.height, 1e-3F);
}

TEST_F(HeadlessWindowTest, ThePackageOfMissingLettersIsToldOnce) {
  constexpr char32_t ethiopic = 0x1208;
  if (find_font_files()->fallback(ethiopic, false))
    GTEST_SKIP() << "a font with Ethiopic letters is installed";
  EXPECT_EQ(ui.fonts.take_hint(), "");
  ui.fonts.request_characters("\u1208 \uFFFF \uE000");
  ui.fonts.prepare(1.0F);
  EXPECT_NE(ui.fonts.take_hint().find("fonts-noto-core"), std::string::npos);
  EXPECT_EQ(ui.fonts.take_hint(), "");
  ui.fonts.request_characters("\u1209");
  ui.fonts.prepare(1.0F);
  EXPECT_EQ(ui.fonts.take_hint(), "");
}

TEST_F(HeadlessWindowTest, ALetterThatOnlyAFallbackHasIsBaked) {
  constexpr char32_t georgian = 0x10D0;
  const auto file = find_font_files()->fallback(georgian, false);
  ASSERT_TRUE(file);
  const auto face = FontFace::open(*file);
  ASSERT_TRUE(face);
  ui.fonts.request_characters("\u10D0");
  ui.fonts.prepare(1.0F);
  const float width = ui.measure()("\u10D0", Font::mono, 12.0F).width;
  EXPECT_NEAR(width, 12.0F * face->advance(georgian), 0.1F);
  EXPECT_EQ(ui.fonts.take_hint(), "");
}

TEST_F(HeadlessWindowTest, ALineIsAsLongAsItsLettersUnhinted) {
  const auto files = find_font_files();
  ASSERT_TRUE(files);
  const auto face = FontFace::open(files->sans);
  ASSERT_TRUE(face);
  constexpr int n = 40;
  for (const char letter : {'i', 'm', 'e'}) {
    const float width = ui.measure()(std::string(n, letter), Font::sans, 13.0F).width;
    const float true_width = n * 13.0F * face->advance(static_cast<char32_t>(letter));
    EXPECT_NEAR(width, true_width, 0.005F * true_width) << letter;
  }
}

class ShapedLinesTest : public HeadlessWindowTest {
 protected:
  void draw(const std::vector<Label>& labels) {
    ui.prepare(light_theme(), 1.0F);
    window->begin_frame();
    for (const Label& label : labels) ui.shaped.draw(*ImGui::GetBackgroundDrawList(), label);
    window->end_frame();
  }
};

TEST_F(ShapedLinesTest, TextIsAsWideInTheWindowAsInFiles) {
  const auto fonts = FontFaces::open_installed().value();
  for (const char* text : {"بيت", "שלום", "a 안녕", "e\u0301"}) {
    ASSERT_TRUE(ui.fonts.uses_shaping(text)) << text;
    EXPECT_NEAR(ui.measure()(text, Font::sans, 13.0F).width, fonts->line_size(text, Font::sans, 13.0F).width,
                1e-3)
        << text;
  }
  EXPECT_FALSE(ui.fonts.pending()) << "nothing is baked for them";
}

TEST_F(ShapedLinesTest, APictureIsMadeOnceAndOnlyInSight) {
  const Label house{"بيت", {100.0F, 100.0F}, {0, 0, 0}, 20.0F};
  Label elsewhere = house;
  elsewhere.at = {300.0F, 50.0F};
  Label out_of_sight = house;
  out_of_sight.text = "ליד";
  out_of_sight.at = {100.0F, 5000.0F};
  draw({house, elsewhere, out_of_sight});
  EXPECT_EQ(ui.textures.size(), 1U);
  Label faded = house;
  faded.color.a = 100;
  draw({house, faded});
  EXPECT_EQ(ui.textures.size(), 1U) << "opacity needs no other picture";
  Label red = house;
  red.color = {255, 0, 0};
  draw({house, red});
  EXPECT_EQ(ui.textures.size(), 2U);
}

TEST_F(ShapedLinesTest, PicturesThatAreNoLongerInSightAreDropped) {
  std::vector<Label> labels;
  std::size_t most = 0;
  constexpr int n_frames = 60;
  for (int frame = 0; frame < n_frames; ++frame) {
    labels.clear();
    for (int i = 0; i < 10; ++i)
      labels.push_back({"بيت " + std::to_string(frame * 10 + i), {10.0F, 10.0F}, {0, 0, 0}, 200.0F});
    draw(labels);
    most = std::max(most, ui.shaped.n_pixels());
  }
  EXPECT_LT(most, 10'000'000U);
  EXPECT_LT(ui.textures.size(), 100U);
}

TEST_F(ShapedLinesTest, NoTextMakesALargePicture) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "ب";
  for (const float size : {0.0F, 13.0F, 900.0F, 1e6F}) draw({{text, {10.0F, 10.0F}, {0, 0, 0}, size}});
  EXPECT_LT(ui.shaped.n_pixels(), 20'000'000U);
}

TEST(Chord, IsNamedAsOnTheKeyboard) {
  EXPECT_EQ(chord_name({Key::z, true, true}), "Ctrl+Shift+Z");
  EXPECT_EQ(chord_name({Key::f1}), "F1");
  EXPECT_EQ(chord_name({Key::f12, false, false, true}), "Alt+F12");
  EXPECT_EQ(chord_name({Key::left}), "←");
  EXPECT_EQ(chord_name({Key::digit_7}), "7");
}

}  // namespace
}  // namespace headscope
