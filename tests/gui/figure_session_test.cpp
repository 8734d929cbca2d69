// What a figure says of itself, opened again: from the words of its command to the window that it is dropped
// on.
#include "app/cli/figure_session.h"

#include <gtest/gtest.h>

#include <fstream>

#include "app/cli/render_command_text.h"
#include "app/cli/shell_words.h"
#include "core/figure/png_writer.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/session/random_session.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

TEST(ShellWords, AreTheWordsThatWereQuoted) {
  const std::vector<std::string> words{"plain",     "two words", "it's",   "",  "a\nline", "\x1b[31m",  "\\",
                                       "$HOME `x`", "“é” 동물",  "--x=-1", "'", "|x",      "a\x1b'b\\c"};
  std::string command = "headscope";
  std::vector<std::string> expected{"headscope"};
  for (const std::string& word : words) {
    command += " " + shell_quoted(word);
    expected.push_back(word);
  }
  const auto read = shell_words(command);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, expected);
  EXPECT_EQ(*shell_words("printf '%s\\n' a | b"),
            (std::vector<std::string>{"printf", "%s\\n", "a", "|", "b"}));
  for (const char* open : {"'", "a 'b", "$'x", "$'\\'"}) EXPECT_FALSE(shell_words(open)) << open;
}

/// What a command has no word for, or says in another way, set to what opens.
Session as_told(Session session) {
  session.selection = {};
  session.sampling = {};
  session.training = {};
  session.task.clear();
  if (!session.attention.drops()) {
    session.attention.train = false;
    session.attention.dropout = AttentionOptions{}.dropout;
    session.attention.dropout_seed = 0;
  }
  if (!session.architecture.has_cross()) {
    session.target = default_target;
    session.attention.target_mask = AttentionOptions{}.target_mask;
    session.attention.cross_mask = {};
  }
  return session;
}

TEST(FigureSession, TheCommandOfAnySessionOpensItAgain) {
  RandomSession random(77);
  int n_opened = 0;
  for (int run = 0; run < 300; ++run) {
    Session session = random.session();
    const bool can_be_told = validate(session.architecture) && n_source_tokens(session) > 0 &&
                             n_target_tokens(session) > 0 && session.batch.size() != 1 &&
                             can_be_piped(session.batch);
    if (!can_be_told) continue;
    session.picture = {};
    const std::string command = render_command_text(session, {}, FigureChoice{}.usual_size(), "x.png");
    const auto opened = session_of_command(command, "");
    ASSERT_TRUE(opened) << opened.error().message << "\n" << command;
    const Request before = request_of(as_told(session));
    const Request after = request_of(as_told(*opened));
    EXPECT_EQ(after.sentence, before.sentence) << command;
    EXPECT_EQ(after.architecture.has_output_bias(), before.architecture.has_output_bias()) << command;
    EXPECT_EQ(after.attention, before.attention) << command;
    EXPECT_EQ(after.output_words, before.output_words) << command;
    ++n_opened;
  }
  EXPECT_GT(n_opened, 50);
}

TEST(FigureSession, ABatchIsInTheCommand) {
  Session session =
      reduce(default_session(), SetBatch{{"one two", "|", "- it's $HOME | so", "headscope render"}});
  session = reduce(session, SelectSequence{2});
  const std::string command = render_command_text(session, {}, FigureChoice{}.usual_size(), "x.png");
  const auto opened = session_of_command(command, "");
  ASSERT_TRUE(opened) << opened.error().message << "\n" << command;
  EXPECT_EQ(opened->batch, session.batch);
  EXPECT_EQ(opened->sequence, 2);
}

TEST(FigureSession, OtherCommandsAreRefused) {
  for (const char* command :
       {"", "rm -rf x", "headscope", "headscope trace --out x.npy",
        "cat /etc/passwd | headscope render --out x.png", "headscope render --out x.png --no-such-option",
        "headscope render --out x.png --batch /dev/stdin",
        "headscope render --out x.png --model nowhere-at-all", "headscope render --help",
        "headscope render 'x"}) {
    const auto session = session_of_command(command, "");
    ASSERT_FALSE(session) << command;
    EXPECT_FALSE(session.error().message.empty());
  }
}

class DroppedFigures : public testing::Test {
 protected:
  void drop(const fs::path& file) {
    driver.window().drop_file(file.string());
    driver.settle();
  }
  fs::path exported(FigureFormat format) {
    const ExportRequest request{ExportKind::figure, format, 1, (folder / "").string()};
    driver.app().start_export(request);
    driver.settle();
    return folder / export_name(driver.session(), request);
  }
  TemporaryFolder folder;
  AppDriver driver;
};

TEST_F(DroppedFigures, OpenTheSessionThatTheyShow) {
  driver.paste_sentence("It's a “cat”, isn't it?");
  driver.set_sizes(48, 6);
  driver.press(CommandId::toggle_causal);
  driver.app().apply(SelectStage{StageKind::scaled});
  driver.app().apply(SelectHead{4});
  driver.app().apply(SelectToken{2});
  driver.settle();
  const Session shown = driver.session();
  for (const FigureFormat format : {FigureFormat::png, FigureFormat::svg}) {
    const fs::path file = exported(format);
    driver.app().apply(LoadPreset{"GPT-like"});
    driver.press(CommandId::toggle_theme);
    const ThemeName theme = driver.session().picture.theme;
    drop(file);
    const Session& opened = driver.session();
    EXPECT_EQ(opened.sentence, shown.sentence);
    EXPECT_EQ(opened.architecture, shown.architecture);
    EXPECT_EQ(opened.attention, shown.attention);
    EXPECT_EQ(opened.selection, shown.selection);
    EXPECT_EQ(opened.picture.theme, theme) << "it is the window's";
    EXPECT_TRUE(screen_says("Opened the session of"));
    driver.press(CommandId::undo);
    EXPECT_EQ(driver.session().architecture.stacks, Stacks::decoder) << "one step of undo";
    driver.press(CommandId::redo);
  }
}

TEST_F(DroppedFigures, OtherPicturesSayWhatWouldOpen) {
  const Session before = driver.session();
  const auto png = png_bytes(Image{1, 1, {Color{1, 2, 3}}}, {{"Comment", "a cat"}});
  ASSERT_TRUE(png);
  std::ofstream(folder / "cat.png", std::ios::binary) << *png;
  std::ofstream(folder / "cat.pdf", std::ios::binary) << "%PDF-1.5";
  std::ofstream(folder / "nameless", std::ios::binary) << *png;
  for (const char* name : {"cat.png", "cat.pdf", "nameless", "missing.png"}) {
    drop(folder / name);
    EXPECT_EQ(driver.session(), before) << name;
  }
  EXPECT_TRUE(screen_says("only PNG and SVG figures made by Headscope"));
}

}  // namespace
}  // namespace headscope
