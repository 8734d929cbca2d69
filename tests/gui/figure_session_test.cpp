// Tests the scene that a figure stores, and the command that makes a session.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "app/cli/session_command.h"
#include "core/checkpoint/model_folder.h"
#include "core/checkpoint/saved_session.h"
#include "core/engine/opening.h"
#include "core/model/trained_model.h"
#include "core/page/figure_file.h"
#include "core/paint/picture_reader.h"
#include "core/paint/png_file.h"
#include "core/session/settings.h"
#include "core/system/atomic_file.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/random_figures.h"
#include "tests/gui/screen_reader.h"
#include "tests/gui/session_of_command.h"
#include "tests/unit/instrumented.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/session/random_settings.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

TEST(ShellWords, AreTheWordsThatWereQuoted) {
  const std::vector<std::string> words{"plain",    "two words", "it's",       "",         "a\nline",
                                       "\x1b[31m", "\\",        "$HOME `x`",  "“é” 동물", "--x=-1",
                                       "'",        "|x",        "a\x1b'b\\c", "-\x1b%d!", "\x1b\n"};
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
  for (const char* open : {"'", "a 'b", "$'x", "$'\\'", "\"$(printf 'x", "\"$(printf 'x'"})
    EXPECT_FALSE(shell_words(open)) << open;
}

/// The words of a command as a shell reads them, printed one per line.
std::string printed_by(const std::string& shell, const std::string& words) {
  const fs::path script = fs::temp_directory_path() / ("headscope-words-" + std::to_string(::getpid()));
  std::ofstream(script) << "printf '%s\\n'" << words << "\n";
  const std::string command = shell + " '" + script.string() + "' 2>&1";
  std::string text;
  if (FILE* pipe = ::popen(command.c_str(), "r"); pipe != nullptr) {
    for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe))
      text += static_cast<char>(letter);
    ::pclose(pipe);
  }
  fs::remove(script);
  return text;
}

/// Expects that a shell reads quoted words as they were.
void expect_read_by(const std::string& shell, const std::vector<std::string>& words) {
  const std::string name = shell.substr(0, shell.find(' '));
  if (std::system(("command -v " + name + " >/dev/null").c_str()) != 0) return;
  std::string quoted;
  std::string expected;
  for (const std::string& word : words) {
    quoted += " " + shell_quoted(word);
    expected += word + "\n";
  }
  EXPECT_EQ(printed_by(shell, quoted), expected) << shell;
}

TEST(ShellWords, MeanThemselvesInEveryShell) {
  const std::vector<std::string> plain{
      "=ls",   "==ls",    "a=b", "a==ls", "a:=ls", "~",    "~root", "a=~",  "a:~",  "{a,b}", "[a-z]",
      "*",     "?",       "!",   "!!",    "#a",    "^a^b", "$HOME", "`ls`", "a;b",  "a&b",   "<a",
      "%1",    "-n",      "a b", "'",     "\"",    "\\",   "(a)",   "@(a)", "+(a)", "a|b",   "--a=b",
      "--a=~", "--a==ls", ".",   "1>2",   "0",     "é",    ",",     "a%b",  "\\n"};
  std::vector<std::string> with_controls{"-\x1b", "a\nb"};
  for (int byte = 1; byte < 256; ++byte)
    with_controls.push_back(std::string("é\x1b") + static_cast<char>(byte) + "1%!'");
  // The last shell has options that expand more words than usual.
  const std::string expanding = "zsh -o extendedglob -o magicequalsubst";
  for (const std::string& shell : {std::string("bash"), std::string("dash"), std::string("zsh"), expanding})
    expect_read_by(shell, plain);
  for (const std::string& shell : {std::string("bash"), std::string("zsh"), expanding})
    expect_read_by(shell, with_controls);
}

/// A boolean or an additive mask of one row.
std::shared_ptr<const LoadedMask> random_mask(RandomSession& random) {
  LoadedMask mask;
  mask.name = "a “mask”.npy";
  mask.rows = 1;
  mask.cols = random.whole(1, 5);
  mask.additive = random.coin();
  for (int i = 0; i < mask.cols; ++i) {
    const float added = random.coin() ? MaskValue::minus_infinity : 0.1F * static_cast<float>(i);
    mask.values.push_back(mask.additive ? added : static_cast<float>(i % 2));
  }
  return std::make_shared<const LoadedMask>(std::move(mask));
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + "; ";
  return text;
}

/// Expects that a command makes the whole session.
void expect_whole(const Session& session) {
  const SessionCommand command = command_of(session, "x.png");
  ASSERT_EQ(listed(command.left_out), "") << command.text << "\n" << to_json(session);
  const auto made = session_of_command(command.text, session_loader(session));
  ASSERT_TRUE(made) << made.error().message << "\n" << command.text;
  ASSERT_EQ(*made, session) << command.text << "\n" << to_json(session) << to_json(*made);
}

TEST(SessionCommandLong, MakesAnySession) {
  RandomSettings random(7);
  const auto all = bundled_models_and_none();
  for (int run = 0; run < 1000 && !HasFatalFailure(); ++run)
    expect_whole(expressible_as_command(
        random.session(random.coin() ? nullptr : all[static_cast<std::size_t>(random.whole(0, 3))])));
}

/// The same must hold for sessions made by a user's actions.
TEST(SessionCommand, MakesTheSessionOfAnyRunOfActions) {
  RandomSession random(77);
  for (int run = 0; run < rounds(300) && !HasFatalFailure(); ++run) {
    const Session session = random.session();
    if (validate(session.architecture)) expect_whole(expressible_as_command(session));
  }
}

TEST(SessionCommand, NamesOnlyWhatDiffersFromTheDefaults) {
  EXPECT_EQ(command_of(session_of_command("headscope render --out x.png", files()).value(), "x.png").text,
            "headscope render --model pronouns --page explore --out x.png");
  Session session = session_of_command("headscope render --head 2 --no-scale --out x.png", files()).value();
  session.attention.mask.window = 3;
  EXPECT_EQ(
      command_of(session, "x.png").text,
      "headscope render --model pronouns --no-scale --set attention.window=3 --page explore --head 2 --out x.png");
}

TEST(SessionCommand, KeepsTheArchitectureOfAModelWithoutItsWeights) {
  Session session = reduce(default_session(), opening_action(files().model("pronouns").value()));
  expect_whole(reduce(reduce(session, OpenModel{nullptr}), SetView{PageName::words}));
}

TEST(SessionCommand, NamesWeightsThatAreInNoFile) {
  const auto saved = files().model("copying").value();
  const Architecture& a = saved->model.architecture;
  ThreadPool pool;
  const auto trained = std::make_shared<const TrainedModel>(TrainedModel{
      "", "copying", 5, 0, 0, random_model(a, saved->vocabulary.size(), pool), saved->vocabulary});
  const SessionCommand command = command_of(reduce(default_session(), OpenModel{trained}), "x.png");
  EXPECT_NE(listed(command.left_out).find("the trained weights; "), std::string::npos) << command.text;
}

TEST(SessionCommand, HoldsABatch) {
  for (const std::vector<std::string>& batch :
       {std::vector<std::string>{"one two", "|", "- it's $HOME | so", "headscope render"},
        std::vector<std::string>{"one", "…", "two\nlines", ""}}) {
    Session session = reduce(default_session(), SetBatch{batch});
    expect_whole(reduce(session, set_to("sequence", 2)));
  }
}

TEST(SetOption, KeysAreNoPaths) {
  const Session session = default_session();
  for (const Setting& each : all_settings) {
    EXPECT_FALSE(parse_path(each.key)) << each.key;
    for (const StageInfo& shape : all_stage_kinds()) EXPECT_NE(shape.name, each.key);
  }
  EXPECT_EQ(find_setting("figure"), nullptr) << "a scene keeps the size of its figure there";
}

/// A figure must store its whole session, bit for bit.
TEST(FigureSession, EveryFileHoldsItsScene) {
  const TemporaryFolder folder;
  const auto fonts = FontFaces::open_installed().value();
  Figure figure;
  figure.width = 40.0F;
  figure.height = 30.0F;
  RandomSession random(23);
  for (int run = 0; run < rounds(60); ++run) {
    Session session = random.session();
    session.title = random.sentence();
    session.note = random.sentence() + "\x7f <&> \"]]>\n\xf0\x9f\x98\x80";
    session.attention.mask.loaded =
        run % 2 == 0 ? std::vector<std::shared_ptr<const LoadedMask>>{} : std::vector{random_mask(random)};
    const auto scene = scene_text(session);
    ASSERT_TRUE(scene) << scene.error().message;
    const std::vector<Metadata> metadata{{"Software", "headscope"}, {scene_key, *scene}};
    for (const auto& [name, type] :
         {std::pair("a.png", FileType::png), {"a.svg", FileType::svg}, {"a.pdf", FileType::pdf}}) {
      const auto bytes = figure_bytes(figure, type, {40, 30, 1}, *fonts, metadata);
      ASSERT_TRUE(bytes) << bytes.error().message;
      ASSERT_TRUE(write_atomically(folder / name, *bytes));
    }
    const auto in_file = write_scene(folder / "a.headscope", session);
    ASSERT_TRUE(in_file) << in_file.error().message;
    const auto expected = read_session_file(folder / "a.headscope");
    ASSERT_TRUE(expected) << expected.error().message;
    for (const char* name : {"a.png", "a.svg", "a.pdf"}) {
      const auto read = read_session_file(folder / name);
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(to_json(*read), to_json(*expected)) << name;
      const auto& loaded = read->attention.mask.loaded;
      ASSERT_EQ(loaded.size(), session.attention.mask.loaded.size());
      if (loaded.empty()) continue;
      EXPECT_EQ(*loaded.front(), *session.attention.mask.loaded.front());
    }
  }
}

TEST(FigureSession, AFigureWithoutASceneSaysHowItIsMadeAgain) {
  const TemporaryFolder folder;
  const auto png =
      png_bytes(Image{1, 1, {Color{1, 2, 3}}}, {{"Command", "headscope render --head 2 --out x.png"}});
  std::ofstream(folder / "old.png", std::ios::binary) << *png;
  const auto read = read_session_file(folder / "old.png");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("old.png"), std::string::npos);
  EXPECT_NE(read.error().message.find("headscope render --head 2 --out x.png"), std::string::npos);
}

class DroppedFigures : public testing::Test {
 protected:
  void drop(const fs::path& file) {
    driver.window().drop_file(file.string());
    driver.settle();
  }
  fs::path exported(FileType format) {
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
  driver.app().apply(select_stage(StageKind::scaled));
  driver.app().apply(select_head(4));
  driver.app().apply(SelectToken{2});
  driver.settle();
  const Session shown = driver.session();
  for (const FileType format : {FileType::png, FileType::svg, FileType::pdf}) {
    const fs::path file = exported(format);
    driver.app().apply(load_preset("GPT-2"));
    driver.press(CommandId::toggle_theme);
    const ThemeName theme = driver.session().picture.theme;
    drop(file);
    const Session& opened = driver.session();
    EXPECT_EQ(opened.sentence, shown.sentence);
    EXPECT_EQ(opened.architecture, shown.architecture);
    EXPECT_EQ(opened.attention, shown.attention);
    EXPECT_EQ(opened.selection, shown.selection);
    EXPECT_EQ(opened.picture.theme, theme) << "it is the window's";
    EXPECT_TRUE(screen_contains("Opened "));
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
  bool is_said = false;
  for (const char* name : {"cat.png", "cat.pdf", "nameless", "missing.png"}) {
    drop(folder / name);
    EXPECT_EQ(driver.session(), before) << name;
    is_said = is_said || screen_contains("only figures made by Headscope");
    driver.frames(90);  // until the next message is no longer joined to this one
  }
  EXPECT_TRUE(is_said);
}

}  // namespace
}  // namespace headscope
