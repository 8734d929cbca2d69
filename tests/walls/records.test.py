#!/usr/bin/python3
# Set: all
# Needs: libgtest-dev
# Time limit: 2400 s
# Runs alone, as it takes every processor
"""Tests that a page, a command and a setting need only one record each.

In a copy of the tree, one of each is added the way core/README.md describes: its record, the name by which the record is
found, and the functions that the record names. The copy must compile, and its window and
command line must have the tab, the key, the entry in the palette and in the help, the control, the option, the JSON and
the step of undo.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ.get("HEADSCOPE_ROOT") or Path(__file__).resolve().parents[2])
BUILD = Path(os.environ.get("HEADSCOPE_BUILD") or ROOT / ".build") / "records"
TREE = BUILD / "tree"
FOLDER = BUILD / "build"
ROOMS = ("app", "core", "assets", "tests", "CMakeLists.txt", "README.md")

# file: (text that the file has, text that is added after it)
ADDED = {
    # The page.
    "core/session/session.h": ("  lessons,\n", "  trial,\n"),
    "core/session/names.h": ('"lessons", ', '"trial", '),
    "core/page/page_record.cpp": ("constexpr std::array records{\n", """    PageRecord{.name = PageName::trial,
               .title = "Trial page",
               .purpose = "A page that only this test has.",
               .workspace = Workspace::ideas,
               .figure = trial_page,
               .keywords = "guinea pig"},
"""),
    "app/shell/view_record.cpp": ("constexpr std::array records{\n",
                                  "    ViewRecord{.page = PageName::trial, .key = {.key = Key::z, .shift = true, .alt = true}, .show = trial_view},\n"),
    # The command.
    "app/parts/frame.h": ("enum class CommandId {\n", "  toggle_trial,\n"),
    "app/shell/commands.cpp": ("    own_commands{\n", """    toggle_command("picture.trial_mark", CommandId::toggle_trial, look, "Toggle the trial mark", alt(Key::q)),
"""),
    # The setting.
    "core/trace/picture_options.h": ("struct PictureOptions {\n", "  bool trial_mark = false;\n"),
    "core/session/picture_settings.h": ("inline constexpr std::array picture_settings{\n", """    Setting{"picture.trial_mark", "the trial mark", "--trial-mark", "", picture_group, "Say that the mark is on", "",
            field::Flag{accessors::picture<&PictureOptions::trial_mark>}, Control{.label = "Trial mark"}},
"""),
    "app/parts/setting_groups.cpp": ("constexpr std::array picture_panel{\n", '    item("picture.trial_mark"),\n'),
}
# What the records name must be declared before them. file: (text that the file has, text that is added before it)
DECLARED = {
    "core/page/page_record.cpp": ('#include "core/page/pages.h"\n',
                                  '#include "core/page/trial/trial_page.h"\n'),
    "app/views/views.h": ("/// The view that plays", "void trial_view(Frame& frame);\n"),
}
# The functions that the records name, and the test of the window with them.
NEW_FILES = {
    "core/page/trial/trial_page.h": """#pragma once
#include "core/page/page.h"
namespace headscope {
Page trial_page(const PageInputs& in, const PageSize& size, PageTools& tools);
}  // namespace headscope
""",
    "core/page/trial/trial_page.cpp": """#include "core/page/trial/trial_page.h"
#include "core/page/parts/page_builder.h"
namespace headscope {
Page trial_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  page.paragraph(in.session.picture.trial_mark ? "The mark is on." : "The mark is off.");
  return page.take();
}
}  // namespace headscope
""",
    "app/views/trial.cpp": """#include "app/views/views.h"
#include "app/parts/page_part.h"
#include "app/widgets/panel.h"
namespace headscope {
void trial_view(Frame& frame) {
  const Panel panel(frame.ui, "trial", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  draw_page(frame, PageName::trial);
}
}  // namespace headscope
""",
    "tests/gui/trial_test.cpp": """#include <gtest/gtest.h>

#include <algorithm>

#include "app/shell/commands.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

Point middle(const Box& box) { return {box.x + 0.5F * box.w, box.y + 0.5F * box.h}; }

bool helps_with(std::string_view name, std::string_view keys) {
  return std::ranges::any_of(help_rows(), [&](const auto& row) { return row.what == name && row.keys == keys; });
}

TEST(Trial, ThePageHasAKeyATabAndEntriesInThePaletteAndTheHelp) {
  AppDriver driver;
  driver.press(PageName::trial);
  EXPECT_TRUE(screen_contains("The mark is off."));
  driver.press(PageName::split);
  EXPECT_FALSE(screen_contains("The mark is off."));
  const auto tabs = find_text("Trial page");
  ASSERT_EQ(tabs.size(), 1U);
  driver.click(middle(tabs.front()));
  EXPECT_EQ(driver.session().view, PageName::trial);
  driver.press(PageName::explore);
  driver.press(CommandId::palette);
  driver.window().type("guinea pig");
  driver.settle();
  driver.press(Chord{Key::enter});
  EXPECT_EQ(driver.session().view, PageName::trial);
  EXPECT_TRUE(helps_with("Trial page", "Alt+Shift+Z"));
}

TEST(Trial, TheCommandHasAKeyAStepOfUndoAndEntriesInThePaletteAndTheHelp) {
  AppDriver driver;
  driver.press(PageName::trial);
  driver.press(CommandId::toggle_trial);
  EXPECT_TRUE(screen_contains("The mark is on."));
  driver.press(CommandId::undo);
  EXPECT_TRUE(screen_contains("The mark is off."));
  driver.press(CommandId::palette);
  driver.window().type("toggle the trial");
  driver.settle();
  driver.press(Chord{Key::enter});
  EXPECT_TRUE(screen_contains("The mark is on."));
  EXPECT_TRUE(helps_with("Toggle the trial mark", "Alt+Q"));
}

TEST(Trial, TheSettingHasAControlAStepOfUndoAndJson) {
  AppDriver driver;
  driver.open_group("Picture");
  const auto control = find_text("Trial mark");
  ASSERT_EQ(control.size(), 1U);
  driver.click(middle(control.front()));
  EXPECT_TRUE(driver.session().picture.trial_mark);
  const Session session = driver.session();
  const auto read = session_from_json(to_json(session), {session.model});
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_TRUE(read->picture.trial_mark);
  driver.press(CommandId::undo);
  EXPECT_FALSE(driver.session().picture.trial_mark);
}

}  // namespace
}  // namespace headscope
""",
}


def add(name, old, new):
    """Replaces the only place where `old` stands in a file of the copy."""
    path = TREE / name
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        sys.exit(f"not ok - {name} has {text.count(old)} times what this test looks for: {old.strip()}")
    path.write_text(text.replace(old, new), encoding="utf-8")


def one_more(match):
    return f"{match.group(1)}{int(match.group(2)) + 1}{match.group(3)}"


def make_tree():
    shutil.rmtree(TREE, ignore_errors=True)
    for room in ROOMS:
        source = ROOT / room
        TREE.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, TREE / room)
        else:
            shutil.copy2(source, TREE / room)
    # The other tests of the window are removed because they walk through the records of the tree itself.
    for test in (TREE / "tests/gui").glob("*_test.cpp"):
        test.unlink()
    for name, (anchor, text) in ADDED.items():
        add(name, anchor, anchor + text)
    for name, (anchor, text) in DECLARED.items():
        add(name, anchor, text + anchor)
    names = TREE / "core/session/names.h"
    text = names.read_text(encoding="utf-8")
    text = re.sub(r"(array<std::string_view, )(\d+)(> names_of<PageName>)", one_more, text)
    names.write_text(text, encoding="utf-8")
    for name, text in NEW_FILES.items():
        (TREE / name).parent.mkdir(parents=True, exist_ok=True)
        (TREE / name).write_text(text, encoding="utf-8")


def run(*command):
    """Whether a command succeeds, and what it prints."""
    done = subprocess.run([str(word) for word in command], text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode == 0, done.stdout


def check(what, holds, said=""):
    print(f"{'ok' if holds else 'not ok'} - {what}")
    if not holds:
        for line in said.splitlines()[-40:]:
            print(f"# {line}")
        sys.exit(1)


make_tree()
check("the copy of the tree is configured", *run("cmake", "-S", TREE, "-B", FOLDER, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                                     "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DHEADSCOPE_TESTS=ON"))
check("the copy compiles", *run("ninja", "-C", FOLDER, "headscope", "gui_tests"))
check("the window has the page, the command and the setting", *run(FOLDER / "tests/gui_tests"))
program = FOLDER / "headscope"
first, second = BUILD / "first.svg", BUILD / "second.svg"
check("a figure of the page is drawn, with the setting as an option",
      *run(program, "render", "--sentence", "a b", "--page", "trial", "--trial-mark", "--out", first))
check("the page shows the setting", "The mark is on." in first.read_text(encoding="utf-8"))
check("the figure opens as the same session", *run(program, "render", first, "--out", second))
drawn = second.read_text(encoding="utf-8").replace(second.name, first.name)
check("that session draws the same page", drawn == first.read_text(encoding="utf-8"))
held, said = run(program, "options", "trial")
check("the help has the option", held and "--trial-mark" in said and "Say that the mark is on" in said, said)
