#include "app/shell/files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>

#include "app/shell/view_record.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/paint/picture_reader.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/checkpoint/tiny_gguf.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/io/written_matrix.h"
#include "tests/unit/session/random_session.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

class Exports : public testing::Test {
 protected:
  ExportRequest request(ExportKind kind, FileType format = FileType::png) const {
    return {kind, format, 1, (folder / "").string()};
  }
  /// The content of the only file that a request writes.
  std::string written(const ExportRequest& request) {
    driver.app().start_export(request);
    driver.settle();
    const fs::path file = folder / export_name(driver.session(), request);
    EXPECT_EQ(folder.n_files(), 1U);
    EXPECT_TRUE(screen_contains("Saved"));
    std::string content = content_of(file);
    fs::remove(file);
    return content;
  }
  MatrixView shown() const {
    return driver.trace().value({StageKind::weights, Stack::encoder, 0, AttentionKind::self, 0});
  }
  TemporaryFolder folder;
  AppDriver driver;
};

TEST_F(Exports, AFigureOfEveryViewInEveryFormat) {
  for (const ViewRecord& record : view_records()) {
    SCOPED_TRACE(page_record(record.page).title);
    driver.press(record.page);
    driver.settle();
    const std::string png = written(request(ExportKind::figure));
    EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1A\n");
    EXPECT_EQ(std::ranges::count(metadata_in(png), scene_key, &Metadata::key), 1);
    EXPECT_NE(written(request(ExportKind::figure, FileType::svg)).find("<svg"), std::string::npos);
    EXPECT_EQ(written(request(ExportKind::figure, FileType::pdf)).substr(0, 5), "%PDF-");
  }
}

TEST_F(Exports, TheCommandDrawsWhatIsShown) {
  driver.press(CommandId::toggle_causal);
  driver.settle();
  const std::string command = written(request(ExportKind::command));
  EXPECT_TRUE(command.starts_with("headscope render \\\n  --model untrained \\\n")) << command;
  EXPECT_NE(command.find("\n  --set attention.causal=on \\\n"), std::string::npos) << command;
}

TEST_F(Exports, WhatWasSavedIsSaidOnceBelowASheetToo) {
  driver.app().start_export(request(ExportKind::csv));
  driver.settle();
  EXPECT_EQ(find_letters("Saved").size(), 1U);
  driver.press(CommandId::open_file);
  EXPECT_EQ(find_letters("Saved").size(), 1U);
}

TEST_F(Exports, CsvHasALineForEveryQuery) {
  std::istringstream lines(written(request(ExportKind::csv)));
  std::string line;
  int n_lines = 0;
  for (; std::getline(lines, line); ++n_lines) EXPECT_EQ(std::ranges::count(line, ','), 11) << line;
  EXPECT_EQ(n_lines, 12);
}

TEST_F(Exports, NpyHoldsTheNumbersOfTheStage) {
  const auto array = parse_npy(written(request(ExportKind::npy)), "weights");
  ASSERT_TRUE(array) << array.error().message;
  EXPECT_EQ(array->shape, (std::vector<int>{11, 11}));
  for (std::size_t i = 0; i < array->values.size(); ++i)
    EXPECT_EQ(array->values[i], shown()(static_cast<int>(i) / 11, static_cast<int>(i) % 11));
}

TEST_F(Exports, ATraceHoldsEveryStageAndTheSession) {
  const auto file = parse_safetensors(written(request(ExportKind::trace)), "trace");
  ASSERT_TRUE(file) << file.error().message;
  for (const StageId& stage : driver.trace().stages())
    EXPECT_NE(file->find(path(stage)), nullptr) << path(stage);
  const Tensor* weights = file->find("encoder.layers.0.self.heads.0.weights");
  ASSERT_NE(weights, nullptr);
  EXPECT_EQ(weights->values.at(12), shown()(1, 1));
  const auto session = session_from_json(file->metadata.at("session"));
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(*session, driver.session());
}

TEST_F(Exports, EveryExportGetsAFileOfItsOwn) {
  constexpr int n_exports = 6;
  for (int i = 0; i < n_exports; ++i) driver.app().start_export(request(ExportKind::csv));
  driver.settle();
  EXPECT_EQ(folder.n_files(), static_cast<std::size_t>(n_exports)) << "none was overwritten";
}

TEST_F(Exports, WhatCannotBeWrittenIsSaidAndLeavesNothing) {
  std::ofstream(folder / "a-file") << "not a folder";
  for (const ExportKind kind : {ExportKind::figure, ExportKind::csv, ExportKind::npy, ExportKind::trace}) {
    ExportRequest asked = request(kind);
    asked.folder = (folder / "a-file").string();
    driver.app().start_export(asked);
    driver.settle();
    EXPECT_FALSE(screen_contains("Saved"));
    EXPECT_TRUE(screen_contains("a-file/" + export_name(driver.session(), asked)));
    driver.frames(90);  // until the next message is no longer joined to this one
  }
  EXPECT_EQ(folder.n_files(), 1U);
  EXPECT_EQ(content_of(folder / "a-file"), "not a folder");
}

TEST_F(Exports, APassIsNeverSavedWithOtherSettings) {
  driver.set_sizes(65, 4);
  ASSERT_NE(driver.app().error(), "");
  driver.app().start_export(request(ExportKind::trace));
  driver.settle();
  driver.app().start_export(request(ExportKind::figure));
  driver.settle();
  for (const auto& file : fs::directory_iterator(folder / "")) {
    const std::string content = content_of(file.path());
    EXPECT_EQ(content.find("--d-model 65"), std::string::npos) << "this command makes no figure";
    if (file.path().extension() != ".safetensors") continue;
    const auto trace = parse_safetensors(content, "trace");
    ASSERT_TRUE(trace) << trace.error().message;
    const auto session = session_from_json(trace->metadata.at("session"));
    ASSERT_TRUE(session) << session.error().message;
    const Tensor* input = trace->find("encoder.input");
    ASSERT_NE(input, nullptr);
    EXPECT_EQ(static_cast<int>(input->shape.at(1)), session->architecture.d_model);
  }
}

TEST_F(Exports, AWindowWithoutPixelsSaysSo) {
  driver.app().start_export(request(ExportKind::window));
  driver.settle();
  EXPECT_EQ(folder.n_files(), 0U);
  EXPECT_TRUE(screen_contains("no pixels to read"));
}

TEST_F(Exports, WithoutASentenceThereIsNothingToExport) {
  driver.paste_sentence("");
  driver.app().start_export(request(ExportKind::figure));
  driver.settle();
  EXPECT_EQ(folder.n_files(), 0U);
  EXPECT_TRUE(screen_contains("Nothing was exported"));
}

TEST_F(Exports, TheSheetSavesIntoItsFolder) {
  driver.app().screen().export_form.folder = (folder / "").string();
  driver.press(CommandId::export_sheet);
  EXPECT_TRUE(screen_contains("Folders…"));
  driver.press(Chord{Key::enter});
  EXPECT_FALSE(driver.app().screen().export_form.open);
  EXPECT_EQ(folder.n_files(), 1U);
  driver.press(CommandId::export_sheet);
  driver.press(Chord{Key::escape});
  EXPECT_FALSE(driver.app().screen().export_form.open);
  EXPECT_EQ(folder.n_files(), 1U);
  driver.press(CommandId::export_npy);
  EXPECT_EQ(folder.n_files(), 2U) << "the shortcuts use the same folder";
}

TEST_F(Exports, OnlyAPageHasAResolutionToChoose) {
  driver.press(CommandId::export_sheet);
  EXPECT_TRUE(screen_contains("Resolution"));
  driver.app().screen().export_form.paper = Paper::slide;
  driver.frames(2);
  EXPECT_FALSE(screen_contains("Resolution")) << "a slide has 1920 × 1080 pixels";
  EXPECT_TRUE(screen_contains("1920 × 1080"));
}

TEST_F(Exports, EnterSavesWhileThePathIsTypedInto) {
  driver.app().screen().export_form.folder = (folder / "").string();
  driver.press(CommandId::export_sheet);
  const auto button = find_text("Folders…");
  ASSERT_FALSE(button.empty());
  driver.click({button.front().x - 60.0F, button.front().y});
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  driver.press(Chord{Key::enter});
  driver.settle();
  EXPECT_FALSE(driver.app().screen().export_form.open);
  EXPECT_EQ(folder.n_files(), 1U);
}

TEST_F(Exports, AFinishedFileWakesTheWindow) {
  driver.set_sizes(1024, 4);
  driver.app().start_export(request(ExportKind::trace));
  driver.frames_until_asleep();
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  while (!driver.app().settled()) {  // otherwise the message would only arrive with the next input
    if (driver.window().wait_events(10.0)) driver.app().frame();
    ASSERT_LT(Clock::now() - begin, std::chrono::seconds(60));
  }
  EXPECT_EQ(folder.n_files(), 1U);
}

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

class DroppedFiles : public testing::Test {
 protected:
  void drop(const std::string& name) {
    driver.window().drop_file((folder / name).string());
    driver.settle();
  }
  TemporaryFolder folder;
  AppDriver driver;
};

TEST_F(DroppedFiles, AMaskIsAddedToTheScoresAndUndone) {
  OwnedMatrix mask(11, 11);
  mask.at(3, 4) = -1000.0F;
  ASSERT_TRUE(write_npy(folder / "mask.npy", mask.view()));
  const float before = weight(driver.trace(), 0, 3, 4);
  drop("mask.npy");
  EXPECT_EQ(driver.app().error(), "");
  EXPECT_EQ(weight(driver.trace(), 0, 3, 4), 0.0F);
  EXPECT_GT(weight(driver.trace(), 0, 4, 3), 0.0F);
  EXPECT_TRUE(screen_contains("mask.npy"));
  driver.press(CommandId::undo);
  EXPECT_EQ(weight(driver.trace(), 0, 3, 4), before);
}

TEST_F(DroppedFiles, AGgufFileOpensAndIsListedFromThenOn) {
  write_text(folder / "tiny.gguf", tiny_llama().bytes());
  const FolderListing listing = listing_of((folder / "").string());
  ASSERT_EQ(listing.files.size(), 1U);
  EXPECT_EQ(listing.files[0].second, "model");
  drop("tiny.gguf");
  driver.wait_until("for the model",
                    [&] { return driver.session().model && driver.session().model->is_foreign(); });
  EXPECT_EQ(driver.session().model->family, "Llama");
  EXPECT_EQ(driver.session().model->title(), "tiny.gguf");
  EXPECT_EQ(driver.app().settings().model_folders.front(), (folder / "tiny.gguf").string());
  write_text(folder / "cut.gguf", tiny_llama().bytes().substr(0, 500));
  driver.frames(90);  // until the next message is no longer joined to this one
  driver.window().drop_file((folder / "cut.gguf").string());
  driver.wait_until("for the message", [] { return screen_contains("cut.gguf"); });
  EXPECT_EQ(driver.session().model->title(), "tiny.gguf") << "the model that is open stays";
}

TEST_F(DroppedFiles, AModelOpensByTheTypedPathOfItsFolder) {
  const fs::path from = fs::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/foreign/phi";
  fs::copy(from, folder / "tiny");
  driver.press(CommandId::open_file);
  ASSERT_TRUE(driver.app().screen().open_form.open);
  driver.window().type((folder / "tiny").string());
  driver.frames(3);
  driver.window().press({Key::enter});
  driver.wait_until("for the model",
                    [&] { return driver.session().model && driver.session().model->is_foreign(); });
  EXPECT_EQ(driver.session().model->title(), "tiny");
  EXPECT_FALSE(driver.app().screen().open_form.open);
}

TEST_F(DroppedFiles, AModelThatChangesOnTheDiskIsNoLongerShown) {
  const fs::path file = folder / "tiny.gguf";
  write_text(file, tiny_llama().bytes());
  drop("tiny.gguf");
  driver.wait_until("for the model",
                    [&] { return driver.session().model && driver.session().model->is_foreign(); });
  driver.settle();
  ASSERT_NE(driver.app().trace(), nullptr);
  fs::last_write_time(file, fs::file_time_type::clock::now() + std::chrono::hours(1));
  driver.frames(2);
  EXPECT_EQ(driver.app().trace(), nullptr);
  EXPECT_TRUE(screen_contains("was changed after it was opened"));
  driver.settle();
  write_text(file, tiny_llama().bytes());
  driver.window().drop_file(file.string());
  driver.wait_until("for the model to be there again", [&] { return driver.app().trace() != nullptr; });
  EXPECT_FALSE(screen_contains("was changed after it was opened"));
}

TEST_F(DroppedFiles, AModuleAsksForItsHeadsAndOpens) {
  const fs::path module =
      fs::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/modules/separate_linear.safetensors";
  fs::copy_file(module, folder / "mine.safetensors");
  const Session before = driver.app().session();
  drop("mine.safetensors");
  EXPECT_TRUE(screen_contains("Open the module “mine.safetensors”"));
  EXPECT_TRUE(screen_contains("“separate”"));
  EXPECT_EQ(driver.app().session(), before) << "nothing is opened before it is said how many heads there are";
  driver.press({Key::enter});
  driver.settle();
  const Session& opened = driver.app().session();
  EXPECT_EQ(opened.architecture.n_heads, 1);
  EXPECT_NE(opened.given.at("encoder.layers.0.self.heads.0.W_Q"), nullptr);
  EXPECT_EQ(driver.app().error(), "");
  EXPECT_FALSE(screen_contains("Open the module"));
  driver.press(CommandId::undo);
  EXPECT_EQ(driver.app().session(), before);
}

TEST_F(DroppedFiles, AModuleWithoutAKnownFormatAsksForIt) {
  write_text(folder / "other.safetensors", std::string("\x02\0\0\0\0\0\0\0{}", 10));
  drop("other.safetensors");
  EXPECT_TRUE(screen_contains("read it as:"));
  const auto torch = find_text("torch");
  ASSERT_FALSE(torch.empty());
  driver.click({torch.back().x + 4.0F, torch.back().y + 4.0F});
  driver.settle();
  EXPECT_TRUE(screen_contains("read it as:")) << "it is no module in that format either";
}

TEST_F(DroppedFiles, AMaskOfAnotherShapeIsRefusedInWords) {
  OwnedMatrix mask(3, 3);
  mask.at(0, 1) = -2.0F;
  ASSERT_TRUE(write_npy(folder / "small.npy", mask.view()));
  const auto before = driver.app().trace();
  drop("small.npy");
  EXPECT_EQ(driver.app().trace(), before) << "the last pass stays";
  EXPECT_TRUE(screen_contains("small.npy") || screen_contains("3, 3") || screen_contains("3 × 3"))
      << driver.app().error();
  driver.press(CommandId::undo);
  EXPECT_EQ(driver.app().error(), "");
}

TEST_F(DroppedFiles, AMaskSaysHowItIsReadAndItsAxesAreSwapped) {
  driver.window().resize({1280, 1800});
  driver.settle();
  std::string boolean = npy_bytes(OwnedMatrix(11, 11).view());
  boolean.resize(boolean.size() - 3 * 11 * 11);  // one byte each
  boolean.replace(boolean.find("<f4"), 3, "|b1");
  std::fill(boolean.end() - 11 * 11, boolean.end(), '\1');
  boolean[boolean.size() - 11 * 11 + 2 * 11 + 7] = '\0';  // row 2, column 7
  write_text(folder / "square.npy", boolean);
  drop("square.npy");
  EXPECT_TRUE(screen_contains("Rows are queries, columns are keys"));
  EXPECT_TRUE(screen_contains("of nn.MultiheadAttention, True hides"));
  EXPECT_EQ(weight(driver.trace(), 0, 2, 7), 0.0F);
  EXPECT_GT(weight(driver.trace(), 0, 7, 2), 0.0F);
  driver.open_group("Mask");
  const auto swap = find_text("swap axes");
  ASSERT_FALSE(swap.empty());
  driver.click({swap.front().x + 4.0F, swap.front().y + 4.0F});
  EXPECT_TRUE(screen_contains("Rows are keys, columns are queries"));
  EXPECT_GT(weight(driver.trace(), 0, 2, 7), 0.0F);
  EXPECT_EQ(weight(driver.trace(), 0, 7, 2), 0.0F);
  EXPECT_NE(to_json(driver.session()).find("\"axes\": \"ji\""), std::string::npos);
}

TEST_F(DroppedFiles, WhatIsNoMaskChangesNothing) {
  const Session before = driver.session();
  write_text(folder / "letter.txt", "Dear reader");
  write_text(folder / "short.npy", "\x93NUMPY");
  for (const char* name : {"letter.txt", "short.npy", "missing.npy", ""}) {
    drop(name);
    EXPECT_EQ(driver.session(), before) << name;
    if (std::string_view(name) == "missing.npy") {
      EXPECT_TRUE(screen_contains("missing.npy"));
    }
    driver.frames(90);  // until the next message is no longer joined to this one
  }
}

}  // namespace
}  // namespace headscope
