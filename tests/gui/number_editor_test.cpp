#include "app/parts/number_editor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "app/widgets/number_grid.h"
#include "core/io/matrix_text.h"
#include "core/io/npy.h"
#include "core/model/stage.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/io/written_matrix.h"

namespace headscope {
namespace {

/// Opens the editor of the selected head's queries at its first cell.
class NumberEditorTest : public testing::Test {
 protected:
  void open(StageKind kind = StageKind::query) {
    driver.app().apply(select_stage(kind));
    driver.settle();
    before = driver.trace().value(stage(kind))(0, 0);
    driver.press(CommandId::edit_numbers);
    driver.frames(4);
    ASSERT_TRUE(form().stage.has_value());
  }
  StageId stage(StageKind kind) const { return driver.session().selection.at(kind); }
  NumberEditorForm& form() { return driver.app().screen().number_editor; }
  std::shared_ptr<const OwnedMatrix> given() const { return driver.session().given.at(path(stage(kind_))); }
  void type(const char* text) {
    driver.window().type(text);
    driver.settle();
  }
  /// Clicks on the label of a button in the sheet, which is drawn last.
  void click_text(const char* text) {
    auto found = find_text(text);
    if (found.empty()) found = find_letters(text);
    ASSERT_FALSE(found.empty()) << text;
    const Box box = found.back();
    driver.click({box.x + box.w / 2.0F, box.y + box.h / 2.0F});
    driver.settle();
  }
  AppDriver driver;
  StageKind kind_ = StageKind::query;
  float before = 0.0F;
};

TEST_F(NumberEditorTest, ItsCrossClosesItAndKeepsWhatWasTyped) {
  open();
  type("0.5");
  const Box title = find_letters("Numbers of Q").front();
  driver.click({1280.0F - title.x + 24.0F - 31.0F, title.y - 9.0F});
  driver.settle();
  EXPECT_FALSE(form().stage);
  ASSERT_NE(given(), nullptr);
  EXPECT_EQ(given()->at(0, 0), 0.5F);
}

TEST_F(NumberEditorTest, WhatIsTypedReplacesTheNumberAndIsComputedWith) {
  open();
  EXPECT_EQ(given(), nullptr) << "the letter of the key that opens it is not typed";
  type("0.5");
  EXPECT_EQ(given(), nullptr) << "until it is finished";
  driver.press({Key::tab});
  driver.settle();
  ASSERT_NE(given(), nullptr);
  EXPECT_EQ(given()->at(0, 0), 0.5F);
  EXPECT_EQ(driver.trace().value(stage(StageKind::query))(0, 0), 0.5F);
  EXPECT_EQ(form().grid.at, (CellIndex{0, 1}));
  type("-1/4");
  driver.press({Key::enter});
  driver.settle();
  EXPECT_EQ(given()->at(0, 1), -0.25F);
  EXPECT_EQ(form().grid.at, (CellIndex{1, 0})) << "below the cell that Tab began at";
  driver.press({Key::right});
  driver.press({Key::down});
  driver.press({Key::left});
  driver.press({Key::left});
  EXPECT_EQ(form().grid.at, (CellIndex{2, 0}));
  driver.press({Key::up});
  driver.press({Key::tab, false, true});
  EXPECT_EQ(form().grid.at, (CellIndex{0, given()->cols - 1}))
      << "before a row's first cell is the last one above";
  driver.press({Key::tab});
  driver.press({Key::del});
  driver.settle();
  EXPECT_EQ(given()->at(1, 0), 0.0F);
}

TEST_F(NumberEditorTest, AClickElsewhereTakesOverWhatWasTyped) {
  open();
  type("0.5");
  click_text("Done");
  EXPECT_FALSE(form().stage.has_value());
  ASSERT_NE(given(), nullptr);
  EXPECT_EQ(given()->at(0, 0), 0.5F);
}

TEST_F(NumberEditorTest, EachEditIsAStepOfUndo) {
  open();
  for (const char* text : {"1", "2", "3"}) {
    type(text);
    driver.press({Key::enter});
    driver.settle();
  }
  EXPECT_EQ(given()->at(2, 0), 3.0F);
  driver.press({Key::z, true});
  driver.settle();
  EXPECT_NE(given()->at(2, 0), 3.0F);
  EXPECT_EQ(given()->at(1, 0), 2.0F);
  driver.press({Key::z, true});
  driver.press({Key::z, true});
  driver.settle();
  EXPECT_EQ(given(), nullptr);
  EXPECT_EQ(driver.trace().value(stage(StageKind::query))(0, 0), before);
  driver.press({Key::z, true, true});
  driver.settle();
  EXPECT_EQ(given()->at(0, 0), 1.0F);
}

TEST_F(NumberEditorTest, BadTextStaysInItsCellUntilItIsMendedOrGivenUp) {
  open();
  type("abc");
  driver.press({Key::enter});
  driver.settle();
  EXPECT_EQ(given(), nullptr);
  EXPECT_EQ(form().grid.at, (CellIndex{0, 0}));
  ASSERT_TRUE(form().grid.typed.has_value());
  EXPECT_EQ(form().grid.typed->text, "abc");
  EXPECT_TRUE(screen_contains("is not a number"));
  for (int i = 0; i < 3; ++i) driver.press({Key::backspace});
  type("7");
  driver.press({Key::enter});
  driver.settle();
  EXPECT_EQ(given()->at(0, 0), 7.0F);
  type("x");
  driver.press({Key::escape});
  EXPECT_TRUE(form().stage.has_value()) << "Escape gives up what is typed first";
  EXPECT_FALSE(form().grid.typed.has_value());
  driver.press({Key::escape});
  EXPECT_FALSE(form().stage.has_value());
}

TEST_F(NumberEditorTest, PastesARangeFromTheCellOn) {
  open();
  driver.press({Key::down});
  driver.window().set_clipboard("1\t2\n3\t4\n");
  driver.press({Key::v, true});
  driver.settle();
  ASSERT_NE(given(), nullptr);
  EXPECT_EQ(given()->at(0, 0), before);
  EXPECT_EQ(given()->at(1, 0), 1.0F);
  EXPECT_EQ(given()->at(1, 1), 2.0F);
  EXPECT_EQ(given()->at(2, 0), 3.0F);
  EXPECT_EQ(given()->at(2, 1), 4.0F);
  driver.press({Key::right, false, true});
  driver.press({Key::down, false, true});
  driver.press({Key::c, true});
  EXPECT_EQ(driver.window().clipboard(), "1\t2\n3\t4\n");
  const auto kept = given();
  driver.press({Key::end});
  driver.press({Key::v, true});
  driver.settle();
  EXPECT_TRUE(screen_contains("Nothing was pasted"));
  EXPECT_EQ(*given(), *kept);
  driver.window().set_clipboard("no numbers");
  driver.press({Key::v, true});
  driver.settle();
  EXPECT_TRUE(screen_contains("is not a number"));
  OwnedMatrix whole(kept->rows, kept->cols);
  whole.values[5] = 2.5F;
  driver.window().set_clipboard(matrix_text(whole.view(), MatrixFormat::latex));
  driver.press({Key::v, true});
  driver.settle();
  EXPECT_EQ(*given(), whole) << "all, wherever the cell is, where the shape is the same";
}

TEST_F(NumberEditorTest, TheButtonsGiveTheWholeMatrix) {
  open();
  click_text("Zero");
  ASSERT_NE(given(), nullptr);
  EXPECT_TRUE(std::ranges::all_of(given()->values, [](float v) { return v == 0.0F; }));
  click_text("Identity");
  for (int i = 0; i < given()->rows; ++i)
    for (int j = 0; j < given()->cols; ++j) EXPECT_EQ(given()->at(i, j), i == j ? 1.0F : 0.0F);
  type("9");
  driver.press({Key::enter});
  driver.settle();
  click_text("One-hot");
  EXPECT_EQ(given()->at(0, 0), 1.0F);
  driver.window().set_clipboard("5");
  click_text("Paste");
  EXPECT_EQ(form().grid.complaint, "");
  EXPECT_EQ(form().grid.at, (CellIndex{1, 0}));
  EXPECT_EQ(given()->at(1, 0), 5.0F);
  click_text("Computed again");
  EXPECT_EQ(given(), nullptr);
  click_text("Round…");
  click_text("To 1 decimal");
  ASSERT_NE(given(), nullptr);
  EXPECT_NEAR(given()->at(0, 0), before, 0.0501F);
  EXPECT_EQ(given()->at(0, 0), std::round(given()->at(0, 0) * 10.0F) / 10.0F);
  click_text("Copy as…");
  click_text("NumPy");
  EXPECT_EQ(driver.window().clipboard(), matrix_text(given()->view(), MatrixFormat::numpy));
  click_text("Fill…");
  click_text("Every cell with the selected cell's number");
  EXPECT_TRUE(std::ranges::all_of(given()->values, [&](float v) { return v == given()->values[0]; }));
  click_text("Done");
  EXPECT_FALSE(form().stage.has_value());
  EXPECT_TRUE(screen_contains("given by hand")) << "the message above the page";
  click_text("undo");
  EXPECT_EQ(given(), nullptr);
}

TEST_F(NumberEditorTest, DraggingANumberIsOneStep) {
  open();
  driver.frames(2);
  // The label above the first column is 0, and the column's first cell is below it.
  Box label{};
  for (const Box& box : find_text("0"))
    if (label.w == 0.0F || box.y < label.y) label = box;
  const Point from{label.x - 10.0F, label.y + 26.0F};
  driver.window().drag(from, {from.x + 60.0F, from.y});
  driver.settle();
  ASSERT_NE(given(), nullptr);
  EXPECT_GT(given()->at(0, 0), before);
  driver.press({Key::z, true});
  driver.settle();
  EXPECT_EQ(given(), nullptr);
}

TEST_F(NumberEditorTest, OpensFilesOfTheShape) {
  open();
  const auto folder = std::filesystem::temp_directory_path() / "headscope_number_editor";
  std::filesystem::create_directories(folder);
  const Extent size = driver.trace().extent(stage(StageKind::query));
  OwnedMatrix numbers(size.rows, size.cols);
  numbers.values[3] = 4.0F;
  ASSERT_TRUE(write_npy(folder / "q.npy", numbers.view()).has_value());
  std::ofstream(folder / "small.csv") << "1,2\n";
  const auto enter = [&](const char* name) {
    click_text("a .npy or .csv file to open, and Enter");
    driver.frames(2);
    driver.window().type((folder / name).string());
    driver.press({Key::enter});
    driver.settle();
    form().file.clear();
    driver.frames(2);
  };
  enter("q.npy");
  ASSERT_NE(given(), nullptr);
  EXPECT_EQ(*given(), numbers);
  std::filesystem::remove_all(folder);
}

TEST_F(NumberEditorTest, ParametersAreEditedAsWell) {
  kind_ = StageKind::w_query;
  open(StageKind::w_query);
  type("2");
  driver.press({Key::enter});
  driver.settle();
  ASSERT_NE(given(), nullptr);
  EXPECT_EQ(driver.trace().value(stage(StageKind::w_query))(0, 0), 2.0F);
}

TEST(NumberEditor, SaysWhatCanBeEditedWhereTheStageCannot) {
  AppDriver driver;
  driver.press(CommandId::edit_numbers);
  EXPECT_FALSE(driver.app().screen().number_editor.stage.has_value());
  EXPECT_TRUE(screen_contains("to edit their numbers"));
}

TEST(NumberEditor, FitsAt200PercentToo) {
  AppDriver driver({1280, 800}, 2.0F);
  driver.app().apply(select_stage(StageKind::query));
  driver.settle();
  driver.press(CommandId::edit_numbers);
  driver.frames(5);
  for (const char* said : {"Numbers of Q", "Zero", "Done"}) EXPECT_TRUE(screen_contains(said)) << said;
}

TEST(NumberGrid, DrawsOnlyWhatIsSeen) {
  const auto window = make_headless_window({1280, 800});
  Ui ui(*window);
  ui.prepare(light_theme(), 1.0F);
  OwnedMatrix numbers(1000, 1000);
  NumberGridSpec look;
  look.numbers = numbers.view();
  look.row_label = look.col_label = [](int i) { return std::to_string(i); };
  look.size = {900, 600};
  NumberGridState state;
  const auto frame = [&] { number_grid(ui, "grid", look, state); };
  window->run(frame);
  const auto begin = std::chrono::steady_clock::now();
  constexpr int n_frames = 100;
  for (int i = 0; i < n_frames; ++i) {
    ui.prepare(light_theme(), 1.0F);
    window->begin_frame();
    frame();
    window->end_frame();
  }
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  RecordProperty("microseconds_a_frame", static_cast<int>(1000.0 * time.count() / n_frames));
  EXPECT_LT(window->draw_counts().vertices, 60'000U);
  EXPECT_LT(time.count() / n_frames, 20.0);
}

}  // namespace
}  // namespace headscope
