// Tests that a figure's file is made again from itself.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <map>

#include "app/cli/commands.h"
#include "app/cli/run_command_line.h"
#include "core/paint/picture_reader.h"
#include "core/system/atomic_file.h"
#include "core/system/read_file.h"
#include "core/tasks/task.h"
#include "tests/gui/random_figures.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// Limits sizes so that a hundred figures take only seconds, and removes mask files and tasks that no program
/// has.
Session small(Session session) {
  if (!parse_task_name(session.task)) session.task.clear();
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
  for (Subject& compared : session.compared) compared = small(with_subject(session, compared)).subject();
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
      const auto passes = compute_passes(session);
      const auto fonts = FontFaces::open_installed().value();
      const FigureSize size{700, 500, 1};
      if (!passes) return false;
      const PageInputs shown = inputs_of(session, *passes);
      const auto figure = figure_of(shown, size, measure_with(fonts));
      const FileType type = file.ends_with(".svg") ? FileType::svg : FileType::png;
      return figure && figure_bytes(*figure, type, size, *fonts, metadata_of(shown, size))
                           .and_then([&](const std::string& bytes) { return write_atomically(file, bytes); })
                           .has_value();
    });
  }
  static std::string bytes_of(const fs::path& file) { return read_file(file, std::size_t{1} << 28U).value(); }
  static std::string scene_in(const fs::path& file) {
    for (const Metadata& entry : metadata_in(bytes_of(file)))
      if (entry.key == scene_key) return entry.text;
    return {};
  }
  /// Runs “headscope render FROM --out TO”.
  static bool draw_again(const std::string& from, const std::string& to) {
    return in_child([&] {
      const std::array arguments{"headscope", "render", from.c_str(), "--out", to.c_str()};
      const auto outcome = run_command_line(static_cast<int>(arguments.size()), arguments.data());
      return std::holds_alternative<int>(outcome) && std::get<int>(outcome) == 0;
    });
  }

 private:
  TemporaryFolder folder_;
  fs::path before_ = fs::current_path();
};
using FigureFilesLong = FigureFiles;

/// Figures of all pages must make the same files again.
TEST_F(FigureFilesLong, MakeThemselvesAgain) {
  RandomSettings random(11);
  const auto all = bundled_models_and_none();
  std::map<PageName, int> pages;
  for (int n = 0; n < 100 || (pages.size() < n_views && n < 400);) {
    const Session session =
        small(random.session(random.coin() ? nullptr : all[static_cast<std::size_t>(random.whole(0, 3))]));
    const std::string end = random.coin() ? ".png" : ".svg";
    if (!validate(session.architecture) || !write(session, "figure" + end)) continue;
    ++n;
    ++pages[session.view];
    ASSERT_TRUE(draw_again("figure" + end, "again" + end)) << to_json(session);
    ASSERT_EQ(scene_in("figure" + end), scene_in("again" + end));
    ASSERT_TRUE(bytes_of("figure" + end) == bytes_of("again" + end)) << to_json(session);
    fs::remove("figure" + end);
    fs::remove("again" + end);
  }
  EXPECT_EQ(pages.size(), n_views) << "every page has figures";
}

TEST_F(FigureFiles, KeepTheirPageAndSize) {
  const PageInputs shown = [] {
    const Session session = default_session();
    return inputs_of(session, *compute_passes(session));
  }();
  FigureSize size = size_on(Paper::column, {});
  size.page = PageName::inspector;
  size.is_transparent = true;
  size.look.has_caption = false;
  size.look.is_serif = true;
  size.panels = {{0, 1}, {1, 3}};
  for (const Metadata& entry : metadata_of(shown, size)) {
    if (entry.key != scene_key) continue;
    const auto read = size_in_scene(entry.text);
    ASSERT_TRUE(read && *read);
    EXPECT_EQ(**read, size);
  }
  for (const auto& [figure, problem] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"({"width":0})", "figure.width is 0"},
           {R"({"scale":5})", "figure.scale is 5"},
           {R"({"page":"nowhere"})", "figure.page"},
           {R"({"paper":"sand"})", "figure.paper"},
           {R"({"wide":1})", "figure.wide"},
           {R"({"without":["axes"]})", "figure.without"},
           {R"({"panels":["one"]})", "figure.panels"},
           {"[]", "figure"}}) {
    const auto read = size_in_scene("{\"figure\":" + std::string(figure) + "}");
    ASSERT_FALSE(read) << figure;
    EXPECT_NE(read.error().message.find(problem), std::string::npos) << read.error().message;
  }
}

}  // namespace
}  // namespace headscope
