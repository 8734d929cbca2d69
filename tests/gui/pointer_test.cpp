#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/platform/imgui_context.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

Pin weights_cell(const Session& session, int row, int col) {
  return {{StageKind::weights, Stack::encoder, 0, AttentionKind::self, session.selection.head}, row, col};
}

TEST(Pointer, ARestOnACellSaysItsValue) {
  AppDriver driver;
  const auto at = driver.cell("large", 7, 1);
  ASSERT_TRUE(at);
  driver.frames(2);
  EXPECT_EQ(driver.app().screen().hovered, weights_cell(driver.session(), 7, 1));
  EXPECT_FALSE(driver.session().selection.pin);
  EXPECT_TRUE(screen_contains("(query 7)"));
  EXPECT_TRUE(screen_contains("“animal”") || screen_contains("'animal'"));
  driver.hover({1.0F, 1.0F});
  driver.frames(2);
  EXPECT_FALSE(driver.app().screen().hovered);
}

TEST(Pointer, AClickIntoASentenceInSmallLettersPutsTheCaretWhereItPoints) {
  const std::string sentence =
      "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau "
      "upsilon phi chi psi omega";
  for (const std::string word : {"gamma", "kappa", "sigma"}) {
    AppDriver driver({1280, 800});
    driver.paste_sentence(sentence);
    driver.press({Key::escape});
    const std::vector<Box> found = find_letters(word);
    ASSERT_FALSE(found.empty());
    const Box at = *std::ranges::min_element(found, {}, &Box::y);
    driver.click({at.x + 1.0F, at.y + at.h / 2.0F});
    driver.window().type("X");
    driver.settle();
    std::string expected = sentence;
    EXPECT_EQ(driver.session().sentence, expected.insert(sentence.find(word), "X"));
  }
}

TEST(Pointer, AClickPinsTheCellAndEscapeUnpins) {
  AppDriver driver;
  const auto at = driver.cell("large", 9, 2);
  ASSERT_TRUE(at);
  driver.click(*at);
  EXPECT_EQ(driver.session().selection.pin, weights_cell(driver.session(), 9, 2));
  EXPECT_EQ(driver.session().selection.token, 9);
  driver.hover({1.0F, 1.0F});
  driver.frames(2);
  EXPECT_TRUE(screen_contains("How it was computed")) << "the inspector holds it";
  EXPECT_FALSE(screen_contains("encoder.layers.0.self.heads.0.weights")) << "a detail";
  show_details(driver);
  EXPECT_TRUE(screen_contains("encoder.layers.0.self.heads.0.weights"));
  driver.press(CommandId::unpin);
  EXPECT_FALSE(driver.session().selection.pin);
}

TEST(Pointer, APressBesideAnOpenListClosesItAndActs) {
  AppDriver driver;
  const auto at = [](const char* text) {
    const std::vector<Box> found = find_text(text);
    EXPECT_FALSE(found.empty()) << text;
    return found.empty() ? Point{} : Point{found.front().x + 4.0F, found.front().y + 4.0F};
  };
  driver.press(PageName::heads);
  driver.settle();
  const Point list = at("model order");
  driver.click(list);
  driver.frames(2);
  ASSERT_TRUE(screen_contains("entropy")) << "the list is open";
  const std::size_t n_open = find_text("model order").size();
  driver.click(list);
  driver.frames(2);
  EXPECT_LT(find_text("model order").size(), n_open) << "a press on its own control closes it";
  driver.click(list);
  driver.frames(2);
  driver.click(at("Explore"));
  driver.settle();
  EXPECT_EQ(driver.session().view, PageName::explore);
}

TEST(Pointer, ASheetHasACrossThatClosesIt) {
  AppDriver driver({1280, 800});
  driver.press(CommandId::help);
  driver.frames(2);
  ASSERT_TRUE(screen_contains("Keyboard and mouse"));
  const Box title = find_text("Keyboard and mouse").front();
  const float beside = 1280.0F - title.x;
  driver.click({beside + 24.0F - 31.0F, title.y - 9.0F});
  driver.frames(2);
  EXPECT_FALSE(screen_contains("Keyboard and mouse"));
}

TEST(Pointer, APinFollowsItsWords) {
  AppDriver driver;
  const auto at = driver.cell("large", 7, 1);
  ASSERT_TRUE(at);
  driver.click(*at);
  driver.paste_sentence("Yesterday " + std::string(default_sentence));
  EXPECT_EQ(driver.session().selection.pin, weights_cell(driver.session(), 8, 2));
}

TEST(Pointer, EveryCellOfTheMapIsUnderItsPlace) {
  AppDriver driver({900, 700}, 1.0F);
  driver.paste_sentence("a b c d");
  for (int row = 0; row < 4; ++row) {
    for (int col = 0; col < 4; ++col) EXPECT_TRUE(driver.cell("large", row, col)) << row << ", " << col;
  }
}

TEST(Pointer, CellsAreFoundAtTwiceTheScaleToo) {
  AppDriver driver({2560, 1600}, 2.0F);
  EXPECT_TRUE(driver.cell("large", 10, 0));
  EXPECT_TRUE(driver.cell("large", 0, 10));
}

TEST(Pointer, AStrokeHidesCellsAndOneUndoShowsThem) {
  AppDriver driver;
  const auto from = driver.cell("large", 2, 5);
  const auto to = driver.cell("large", 2, 8);
  ASSERT_TRUE(from && to);
  driver.press(CommandId::toggle_paint);
  driver.window().drag(*from, *to);
  driver.settle();
  const std::vector<Cell> stroke{{2, 5}, {2, 6}, {2, 7}, {2, 8}};
  ASSERT_EQ(driver.session().attention.mask.painted, stroke);
  for (int head = 0; head < driver.trace().architecture().n_heads; ++head) {
    for (const Cell& cell : stroke) EXPECT_EQ(weight(driver.trace(), head, cell.query, cell.key), 0.0F);
  }
  expect_rows_sum_to_one(driver.trace());
  EXPECT_FALSE(driver.session().selection.pin) << "painting pins nothing";
  driver.press(CommandId::undo);
  EXPECT_TRUE(driver.session().attention.mask.painted.empty());
  EXPECT_GT(weight(driver.trace(), 0, 2, 5), 0.0F);
  driver.press(CommandId::redo);
  EXPECT_EQ(driver.session().attention.mask.painted, stroke);
}

TEST(Pointer, AStrokeFromAHiddenCellShows) {
  AppDriver driver;
  const auto from = driver.cell("large", 4, 1);
  const auto to = driver.cell("large", 4, 3);
  ASSERT_TRUE(from && to);
  driver.press(CommandId::toggle_paint);
  driver.window().drag(*from, *to);
  driver.settle();
  ASSERT_EQ(driver.session().attention.mask.painted.size(), 3U);
  driver.window().drag(*to, *from);
  driver.settle();
  EXPECT_TRUE(driver.session().attention.mask.painted.empty());
  driver.press(CommandId::undo);
  EXPECT_EQ(driver.session().attention.mask.painted.size(), 3U) << "two strokes are two steps";
}

TEST(Pointer, AFullyMaskedRowIsAllZeroAndExplained) {
  AppDriver driver({1280, 1600});
  const auto from = driver.cell("large", 0, 0);
  ASSERT_TRUE(from);
  driver.press(CommandId::toggle_paint);
  driver.click(*from);
  driver.press(CommandId::toggle_causal);
  driver.open_group("Mask");
  for (int key = 0; key < driver.trace().n_tokens(); ++key)
    EXPECT_EQ(weight(driver.trace(), 0, 0, key), 0.0F);
  EXPECT_TRUE(screen_contains("every key is hidden"));
}

TEST(Pointer, InPaddingModeAClickOnATokenPadsIt) {
  AppDriver driver;
  const auto animal = driver.strip_token(1);
  ASSERT_TRUE(animal);
  driver.press(CommandId::toggle_padding_clicks);
  driver.click(*animal);
  EXPECT_EQ(driver.session().attention.mask.padding, std::vector<int>{1});
  for (int query = 0; query < driver.trace().n_tokens(); ++query)
    EXPECT_EQ(weight(driver.trace(), 0, query, 1), 0.0F);
  expect_rows_sum_to_one(driver.trace());
  const auto street = driver.strip_token(5);
  ASSERT_TRUE(street);
  driver.click(*street);
  EXPECT_EQ(driver.session().attention.mask.padding, (std::vector<int>{1, 5}));
  driver.press(CommandId::undo);
  EXPECT_EQ(driver.session().attention.mask.padding, std::vector<int>{1});
  driver.paste_sentence("So the animal");
  EXPECT_EQ(driver.session().attention.mask.padding, std::vector<int>{2}) << "it follows its word";
}

TEST(Pointer, AClickOnATokenSelectsIt) {
  AppDriver driver;
  const auto street = driver.strip_token(5);
  ASSERT_TRUE(street);
  driver.click(*street);
  EXPECT_EQ(driver.session().selection.token, 5);
  EXPECT_TRUE(driver.session().attention.mask.padding.empty());
}

TEST(Pointer, TheWheelZoomsTheLargeMap) {
  AppDriver driver;
  const auto at = driver.cell("large", 5, 5);
  ASSERT_TRUE(at);
  for (int i = 0; i < 3; ++i) driver.window().mouse_wheel(0.0F, 1.0F);
  driver.settle();
  const StageWindow zoomed = driver.app().screen().memo.maps["large"].window;
  EXPECT_GT(zoomed.n_rows, 0);
  EXPECT_LT(zoomed.n_rows, 11);
  EXPECT_LE(zoomed.first_row, 5);
  EXPECT_GT(zoomed.first_row + zoomed.n_rows, 5) << "the cell under the mouse stays in sight";
  for (int i = 0; i < 9; ++i) driver.window().mouse_wheel(0.0F, -1.0F);
  driver.settle();
  EXPECT_EQ(driver.app().screen().memo.maps["large"].window, StageWindow{}) << "all of it again";
}

TEST(Pointer, ADoubleClickShowsTheWholeMapAgain) {
  AppDriver driver;
  const auto at = driver.cell("large", 5, 5);
  ASSERT_TRUE(at);
  for (int i = 0; i < 3; ++i) driver.window().mouse_wheel(0.0F, 1.0F);
  driver.settle();
  ASSERT_NE(driver.app().screen().memo.maps["large"].window, StageWindow{});
  driver.window().click(at->x, at->y);
  driver.window().click(at->x, at->y);
  driver.settle();
  EXPECT_EQ(driver.app().screen().memo.maps["large"].window, StageWindow{});
}

TEST(Pointer, ATabChoosesTheStage) {
  AppDriver driver({1920, 1080});
  for (const auto& [name, kind] :
       {std::pair("scores", StageKind::raw), std::pair("masked", StageKind::masked),
        std::pair("weights", StageKind::weights)}) {
    driver.app().apply(select_stage(StageKind::scaled));
    driver.settle();
    bool chosen = false;
    for (const Box& box : find_text(name)) {
      driver.click({box.x + box.w / 2.0F, box.y + box.h / 2.0F});
      chosen = chosen || driver.session().selection.stage == kind;
    }
    EXPECT_TRUE(chosen) << name;
  }
}

/// Drags at points between a slider's label and the next label until d_model changes.
void drag_d_model(AppDriver& driver) {
  const auto label = find_text("d_model");
  const auto next = find_text("heads");
  ASSERT_FALSE(label.empty() || next.empty());
  const int before = driver.session().architecture.d_model;
  for (float y = label.front().bottom() + 2.0F; y < next.front().y; y += 3.0F) {
    driver.window().drag({label.front().x + 20.0F, y}, {label.front().x + 60.0F, y});
    driver.settle();
    if (driver.session().architecture.d_model != before) return;
  }
  ADD_FAILURE() << "no slider below its label";
}

TEST(Pointer, DraggingTheSliderOfDModelChangesTheShapesInOneStep) {
  AppDriver driver;
  driver.set_sizes(512, 8);
  drag_d_model(driver);
  const int d_model = driver.session().architecture.d_model;
  EXPECT_LT(d_model, 512);
  EXPECT_EQ(d_model % 8, 0);
  EXPECT_EQ(driver.app().error(), "");
  EXPECT_EQ(driver.trace().value({StageKind::input}).cols, d_model);
  EXPECT_EQ(driver.trace().value({StageKind::query}).cols, d_model / 8);
  driver.press(CommandId::undo);
  EXPECT_EQ(driver.session().architecture.d_model, 512);
}

TEST(Pointer, ACellOfAnyStageOnItsPageIsPinned) {
  AppDriver driver({1920, 3000});
  driver.press(PageName::stages);
  for (const char* stage : {"query", "raw"}) {
    const auto at = driver.cell("stages " + std::string(stage), 3, 2);
    ASSERT_TRUE(at) << stage;
    driver.click(*at);
    ASSERT_TRUE(driver.session().selection.pin);
    EXPECT_EQ(info(driver.session().selection.pin->stage.kind).name, stage);
    EXPECT_EQ(driver.session().selection.pin->row, 3);
    EXPECT_EQ(driver.session().selection.pin->col, 2);
  }
}

TEST(DoubleClick, IsMeasuredByThePressesAndNotByTheFrames) {
  const AppDriver driver;
  ImGuiIO& io = ImGui::GetIO();
  InputQueue queue;
  const auto click = [&](double at) {
    queue.push(MouseButtonChanged{0, true, at});
    queue.apply(io);
    const float allowed = io.MouseDoubleClickTime;
    queue.push(MouseButtonChanged{0, false, at + 0.05});
    queue.apply(io);
    return allowed;
  };
  EXPECT_EQ(click(1.0), 0.0F);
  EXPECT_GT(click(1.3), 60.0F) << "however long the frames between them take";
  EXPECT_EQ(click(2.5), 0.0F) << "however short they are";
}

}  // namespace
}  // namespace headscope
