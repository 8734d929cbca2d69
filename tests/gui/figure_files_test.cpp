// Tests that running the command in a figure's file makes the same file again.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "app/cli/commands.h"
#include "app/cli/figure_command.h"
#include "app/cli/run_command_line.h"
#include "core/io/read_file.h"
#include "core/paint/picture_reader.h"
#include "tests/gui/random_figures.h"
#include "tests/gui/session_of_command.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// Limits sizes so that a hundred figures take only seconds, and removes mask files.
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
  for (Subject& held : session.held) held = small(with_subject(session, held)).subject();
  return repaired(session, session);
}

class FigureFiles : public testing::Test {
 protected:
  void SetUp() override { fs::current_path(folder_ / ""); }
  void TearDown() override { fs::current_path(before_); }
  /// Returns the result of `draw` in a child process that starts as the program does. That is necessary
  /// because Cairo names parts of an SVG by a count of what it has drawn.
  template <class Draw>
  static bool in_child(const Draw& draw) {
    const pid_t child = fork();
    if (child == 0) _exit(draw() ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    return status == 0;
  }
  /// Writes the session's figure to the file. Returns false if the session has no such figure.
  static bool write(const Session& session, const std::string& file) {
    return in_child([&] {
      const auto passes = computed_passes(session);
      const auto fonts = CairoFonts::open(find_font_files().value()).value();
      const FigureSize size{700, 500, 1};
      if (!passes) return false;
      const PageInputs shown = inputs_of(session, *passes);
      const auto figure = figure_of(shown, size, cairo_measure(fonts));
      const FileType type = file.ends_with(".svg") ? FileType::svg : FileType::png;
      return figure && write_figure(*figure, type, size, file, *fonts, metadata_of(shown, size, file));
    });
  }
  static std::string bytes_of(const fs::path& file) { return read_file(file, std::size_t{1} << 28U).value(); }
  static std::string command_in(const fs::path& file) {
    for (const Metadata& entry : metadata_in(bytes_of(file))) {
      if (entry.key == "Command") return entry.text;
    }
    return {};
  }
  /// Runs a command as a shell does.
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
using FigureFilesLong = FigureFiles;

/// The command in a file must make the same file again, for all pages.
TEST_F(FigureFilesLong, HoldTheCommandThatMakesThemAgain) {
  RandomSettings random(11);
  const auto all = bundled_and_none();
  std::map<PageName, int> pages;
  for (int n = 0; n < 100 || (pages.size() < n_views && n < 400);) {
    const Session session = small(tellable(
        random.session(random.coin() ? nullptr : all[static_cast<std::size_t>(random.whole(0, 3))]), random));
    const std::string file = random.coin() ? "figure.png" : "figure.svg";
    if (!validate(session.architecture) || !write(session, file)) continue;
    ++n;
    ++pages[session.view];
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
  EXPECT_EQ(pages.size(), n_views) << "every page has figures";
}

}  // namespace
}  // namespace headscope
