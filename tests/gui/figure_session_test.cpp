// What a figure says of itself, opened again: from the words of its command to the window that it is dropped
// on.
#include "app/cli/figure_session.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "app/cli/commands.h"
#include "app/cli/figure_command.h"
#include "app/cli/run_command_line.h"
#include "app/cli/session_figure.h"
#include "app/cli/shell_words.h"
#include "core/checkpoint/bundled_models.h"
#include "core/figure/picture_reader.h"
#include "core/figure/png_writer.h"
#include "core/io/read_file.h"
#include "core/model/trained_model.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/session/random_settings.h"

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

FigureCommand command_of(const Session& session) {
  return figure_command(session, shown_figure(session).usual_size(), "x.png");
}

/// The bundled models, and none.
std::vector<std::shared_ptr<const TrainedModel>> models() {
  std::vector<std::shared_ptr<const TrainedModel>> models{nullptr};
  for (const std::string_view name : bundled_models)
    models.push_back(files().model(std::string(name)).value());
  return models;
}

bool is_line_with_words(const std::string& text) {
  return text.find_first_of(std::string_view("\n\0", 2)) == std::string::npos &&
         !tokenize(text, TokenizerKind::word).empty();
}

/// The session without what no command can say: what render would refuse beside the rest.
Session tellable(Session session, RandomSettings& random) {
  const Architecture& a = session.architecture;
  const auto hold_zero = [](std::string& text) { std::erase(text, '\0'); };
  for (std::string* text : {&session.sentence, &session.target, &session.output_words}) hold_zero(*text);
  for (std::string& text : session.batch) {
    if (!is_line_with_words(text)) text = "a line " + std::to_string(random.whole(0, 99));
  }
  if (!a.has_cross()) {
    session.target = default_target;
    session.attention.target_mask = AttentionOptions{}.target_mask;
    session.attention.cross_mask = {};
  }
  if (a.output_layer == OutputLayer::none && !session.model) session.architecture.output_bias = false;
  if (a.output_layer == OutputLayer::none || session.model) session.output_words.clear();
  const bool has_task = session.tokenizer == TokenizerKind::word && random.coin();
  if (!session.model)
    session.task = has_task ? bundled_models[static_cast<std::size_t>(random.whole(0, 2))] : "";
  return repaired(session, session);
}

/// What a command leaves out is said with a reason, and all else it makes again.
TEST(FigureSession, TheCommandOfAnySessionMakesIt) {
  RandomSettings random(7);
  const auto all = models();
  for (int run = 0; run < 1000; ++run) {
    const Session any =
        random.session(random.coin() ? nullptr : all[static_cast<std::size_t>(random.whole(0, 3))]);
    for (const std::string& name : command_of(any).left_out)
      ASSERT_TRUE(name.ends_with(")")) << name << "\n" << to_json(any);
    const Session session = tellable(any, random);
    const FigureCommand command = command_of(session);
    ASSERT_EQ(listed(command.left_out), "") << command.text << "\n" << to_json(session);
    const auto made = session_of_command(command.text, held_by(session));
    ASSERT_TRUE(made) << made.error().message << "\n" << command.text;
    ASSERT_EQ(*made, session) << command.text << "\n" << to_json(session) << to_json(*made);
  }
}

/// Sizes with which a hundred figures take seconds, and no files.
Session small(Session session) {
  if (!session.model) {
    Architecture& a = session.architecture;
    a.n_heads = std::min(a.n_heads, 3);
    a.d_model = 24;
    a.n_layers = std::min(a.n_layers, 2);
    a.d_head.reset();
    a.d_value.reset();
    a.d_ff = std::min(a.d_ff, 12);
  }
  for (MaskSpec* mask :
       {&session.attention.mask, &session.attention.target_mask, &session.attention.cross_mask})
    mask->loaded.clear();
  return repaired(session, session);
}

class FigureFiles : public testing::Test {
 protected:
  void SetUp() override { fs::current_path(folder_ / ""); }
  void TearDown() override { fs::current_path(before_); }
  /// What `draw` says in a process of its own, which begins as the program does: Cairo counts what it draws,
  /// and names parts of an SVG by it.
  template <class Draw>
  static bool in_child(const Draw& draw) {
    const pid_t child = fork();
    if (child == 0) _exit(draw() ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    return status == 0;
  }
  /// Whether the session has such a figure, which is then in the file.
  static bool write(const Session& session, const std::string& file) {
    return in_child([&] {
      const auto trace = computed_trace(session);
      const auto fonts = CairoFonts::open(find_font_files().value()).value();
      const FigureSize size{700, 500, 1};
      const auto figure =
          trace ? figure_of(**trace, session, size, cairo_measure(fonts)) : failure(trace.error().message);
      const FileType type = file.ends_with(".svg") ? FileType::svg : FileType::png;
      return figure &&
             write_figure(*figure, type, size.scale, file, *fonts, metadata_of(**trace, session, size, file));
    });
  }
  static std::string bytes_of(const fs::path& file) { return read_file(file, std::size_t{1} << 28U).value(); }
  static std::string command_in(const fs::path& file) {
    for (const Metadata& entry : metadata_in(bytes_of(file))) {
      if (entry.key == "Command") return entry.text;
    }
    return {};
  }
  /// Carries out a command as a shell does.
  static bool run(const std::string& command) {
    const auto words = shell_words(command).value();
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    return in_child([&] {
      const auto outcome = run_command_line(static_cast<int>(arguments.size()), arguments.data());
      return std::holds_alternative<int>(outcome) && std::get<int>(outcome) == 0;
    });
  }

 private:
  TemporaryFolder folder_;
  fs::path before_ = fs::current_path();
};

/// Over all pages: the command found in a file makes the file again.
TEST_F(FigureFiles, HoldTheCommandThatMakesThemAgain) {
  RandomSettings random(11);
  const auto all = models();
  std::map<View, int> pages;
  for (int n = 0; n < 100;) {
    const Session session = small(tellable(
        random.session(random.coin() ? nullptr : all[static_cast<std::size_t>(random.whole(0, 3))]), random));
    const std::string file = random.coin() ? "figure.png" : "figure.svg";
    if (!validate(session.architecture) || !write(session, file)) continue;
    ++n;
    ++pages[session.selection.view];
    const std::string first = bytes_of(file);
    const std::string command = command_in(file);
    fs::remove(file);
    if (command.starts_with("headscope")) {
      ASSERT_TRUE(run(command)) << command;
    } else {
      const auto again = session_of_command(command, files());
      ASSERT_TRUE(again) << again.error().message << command;
      ASSERT_TRUE(write(*again, file)) << command;
    }
    ASSERT_TRUE(bytes_of(file) == first) << command << "\n" << to_json(session);
    fs::remove(file);
  }
  EXPECT_EQ(pages.size(), names_of<View>.size()) << "every page has figures";
}

/// The same of sessions as a person makes them.
TEST(FigureSession, TheCommandOfAnyRunOfActionsMakesItsSession) {
  RandomSession random(77);
  int n_whole = 0;
  for (int run = 0; run < 300; ++run) {
    const Session session = random.session();
    if (!validate(session.architecture)) continue;
    const FigureCommand command = command_of(session);
    for (const std::string& name : command.left_out) ASSERT_TRUE(name.ends_with(")")) << name;
    if (!command.left_out.empty()) continue;
    ++n_whole;
    const auto made = session_of_command(command.text, held_by(session));
    ASSERT_TRUE(made) << made.error().message << "\n" << command.text;
    ASSERT_EQ(*made, session) << command.text;
  }
  EXPECT_GT(n_whole, 30);
}

TEST(FigureSession, WeightsThatAreInNoFileAreNamed) {
  const auto saved = files().model("copying").value();
  const Architecture& a = saved->model.architecture;
  TaskPool pool;
  const auto trained = std::make_shared<const TrainedModel>(TrainedModel{
      "", "copying", 5, 0, 0, random_model(a, saved->vocabulary.size(), pool), saved->vocabulary});
  const FigureCommand command = command_of(reduce(default_session(), OpenModel{trained}));
  EXPECT_EQ(listed(command.left_out), "the trained weights (they are in no file)");
}

TEST(FigureSession, ABatchIsInTheCommand) {
  Session session =
      reduce(default_session(), SetBatch{{"one two", "|", "- it's $HOME | so", "headscope render"}});
  session = reduce(session, SelectSequence{2});
  const FigureCommand command = command_of(session);
  EXPECT_TRUE(command.left_out.empty()) << listed(command.left_out);
  const auto opened = session_of_command(command.text, files());
  ASSERT_TRUE(opened) << opened.error().message << "\n" << command.text;
  EXPECT_EQ(opened->batch, session.batch);
  EXPECT_EQ(opened->sequence, 2);
  session = reduce(session, SetBatch{{"one", "…", ""}});
  EXPECT_EQ(listed(command_of(session).left_out),
            "the batch (one of its sentences is not a line with words); the sentence of the batch (one of "
            "its sentences is not a line with words)");
}

TEST(FigureSession, OtherCommandsAreRefused) {
  for (const char* command :
       {"", "rm -rf x", "headscope", "headscope trace --out x.npy",
        "cat /etc/passwd | headscope render --out x.png", "headscope render --out x.png --no-such-option",
        "headscope render --out x.png --batch /dev/stdin",
        "headscope render --out x.png --model nowhere-at-all", "headscope render --help",
        "headscope render 'x"}) {
    const auto session = session_of_command(command, files());
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
