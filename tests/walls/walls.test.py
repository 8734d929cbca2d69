#!/usr/bin/python3
# Set: quick
# Needs: python3
"""The product must follow the rules of walls.py, and each rule must find the fault that it is there for."""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import walls  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]

ROOMS = """headscope_room(tensor none Eigen3::Eigen)
headscope_room(model pass headscope_tensor)
headscope_room(trace pass
               headscope_model)
"""
APP_ROOMS = "headscope_app_room(ui frame headscope_trace)\nheadscope_app_room(views frame headscope_app_ui)\n"

# rule: (files that keep it, files that break it)
EXAMPLES = {
    walls.core_includes_no_ui: (
        {"core/tensor/a.h": "#include <Eigen/Core>\n"}, {"core/figure/a.cpp": "#include <imgui.h>\n"}),
    walls.rooms_include_only_theirs: (
        {"core/CMakeLists.txt": ROOMS, "core/tensor/a.h": "#include <vector>\n",
         "core/model/a.h": '#include "core/tensor/a.h"\n#include "core/result.h"\n',
         "core/trace/b.h": '#include "core/model/a.h"\n#include "core/tensor/a.h"\n',
         "app/CMakeLists.txt": APP_ROOMS, "app/ui/c.h": '#include "core/trace/b.h"\n',
         "app/views/d.h": '#include "app/ui/c.h"\n'},
        {"core/CMakeLists.txt": ROOMS, "core/tensor/a.h": '#include "core/model/a.h"\n', "core/attic/b.h": "\n",
         "app/CMakeLists.txt": APP_ROOMS, "app/ui/c.h": '#include "app/views/d.h"\n', "app/attic/f.h": "\n"}),
    walls.no_room_knows_itself: (
        {"core/CMakeLists.txt": ROOMS},
        {"core/CMakeLists.txt": "headscope_room(a none headscope_b)\nheadscope_room(b none headscope_a)\n"}),
    walls.includes_start_at_the_root: (
        {"core/io/a.h": '#include "core/io/b.h"\n', "core/io/b.h": ""},
        {"core/io/a.h": '#include "b.h"\n', "core/io/b.h": ""}),
    walls.pages_have_one_door: (
        {"core/page/tiles/a.cpp": '#include "core/page/tiles/rows.h"\n#include "core/page/parts/text.h"\n',
         "core/page/b.cpp": '#include "core/page/tiles/tiles_page.h"\n#include "core/page/tiles/tiles_memo.h"\n'},
        {"app/views/a.cpp": '#include "core/page/tiles/rows.h"\n'}),
    walls.core_neither_prints_nor_exits: (
        {"core/text/a.cpp": '// std::cout\nauto t = "exit(1)"; std::snprintf(b, n, "x"); cleanup_exit(1);\n'},
        {"core/text/a.cpp": 'void f() { std::printf("x"); }\n'}),
    walls.types_have_names_of_their_own: (
        {"core/io/a.h": "namespace headscope {\nstruct A;\nstruct B {\n};\n}  // namespace headscope\n",
         "core/text/a.cpp": "namespace headscope {\nstruct A {\n};\nvoid f() {\n}\nnamespace {\nstruct B {\n};\n"
                            "}  // namespace\n}  // namespace headscope\n"},
        {"core/io/a.h": "namespace headscope {\nclass B {\n};\n}  // namespace headscope\n",
         "core/text/b.h": "namespace headscope {\nstruct B : A {\n};\n}  // namespace headscope\n"}),
    walls.texts_are_tokenised_once: (
        {"core/text/a.cpp": "tokenize(typed, kind);\n", "app/b.cpp": "tokenize(pair.text, kind);\n"},
        {"core/page/a.cpp": "auto t = tokenize(session.sentence, session.tokenizer);\n",
         "app/b.cpp": "tokenize(session().target, kind);\n", "app/c.cpp": "tokenize(session->batch[i], kind);\n"}),
    walls.no_mutable_statics: (
        {"core/text/a.h": "static constexpr int n = 4;\n  static int count(int a = 3);\nstatic_assert(true);\n"},
        {"app/views/a.cpp": "  static int clicks = 0;\n"}),
    walls.constants_of_a_room_are_told_apart: (
        {"core/text/a.cpp": "namespace {\nconstexpr int n = 4;\n}  // namespace\n",
         "core/io/a.cpp": "namespace {\nconstexpr int n = 4;\n}  // namespace\n"},
        {"app/ui/a.cpp": "namespace {\nconstexpr float n = 4;\n}  // namespace\n",
         "app/ui/b.cpp": "namespace {\n\nconstexpr int n{4};\n}  // namespace\n"}),
    walls.views_know_no_other_view: (
        {"app/views/views.h": "void a_view(Frame& frame);\nvoid b_view(Frame& frame);\n",
         "app/views/a.cpp": "void a_view(Frame& frame) {\n  draw(frame);\n}\n"},
        {"app/views/a.cpp": "void a_view(Frame& frame) {\n  b_view(frame);\n}\n"}),
    walls.views_keep_to_drawing: (
        {"app/views/a.cpp": "#include <imgui.h>\nglance(3);\n"},
        {"app/views/a.cpp": "#include <thread>\n", "app/views/b.cpp": "glClear(3);\n"}),
    walls.standard_names_are_included: (
        {"core/text/a.h": "#include <algorithm>\nstd::map_of();\n",
         "tests/unit/b.cpp": '#include "core/text/a.h"\nstd::sort(x);\n'},
        {"core/text/a.cpp": "#include <vector>\nstd::sort(x);\n",
         "tests/unit/b.cpp": "#include <algorithm>\nstd::abs(x);\n"}),
    walls.errors_begin_small: (
        {"core/io/a.cpp": 'return failure("FreeType does not start");\nreturn usage_error("a picture");\n'},
        {"core/io/a.cpp": 'return failure("The file");\n',
         "app/b.cpp": 'return usage_error(std::string("A ") + x);\n'}),
    walls.nothing_is_left_unfinished: (
        {"core/text/a.cpp": "// to do\n"}, {"core/text/a.cpp": "// TO" + "DO: later\n"}),
    walls.only_native_rooms_are_not_portable: (
        {"core/system/a.cpp": "#include <unistd.h>\n", "core/paint/native/a.h": "#include <cairo.h>\n",
         "core/paint/native/b.cpp": '#include "core/paint/native/a.h"\n', "app/b.cpp": "#include <vector>\n"},
        {"core/io/a.cpp": "#include <sys/mman.h>\n", "app/b.cpp": 'open("/proc/self/exe");\n',
         "core/page/c.h": "#include <png.h>\n", "app/ui/d.cpp": '#include "core/paint/native/a.h"\n'}),
    walls.top_level_is_the_map: (
        {name if "." in name else f"{name}/a.txt": "" for name in walls.TOP_LEVEL}, {"docs/a.md": ""}),
}


def breaks(rule, files):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "core").mkdir()
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return list(rule(root))


def report(name, problems):
    print(f"{'not ok' if problems else 'ok'} - {name}")
    for problem in problems:
        print(f"#   {problem}")


for name, rule in walls.RULES.items():
    report(name, list(rule(ROOT)))
for name, rule in walls.RULES.items():
    good, bad = EXAMPLES[rule]
    problems = [f"objects to what is right: {line}" for line in breaks(rule, good)]
    found = breaks(rule, bad)
    broken = [path for path in bad if path.endswith((".cpp", ".h", ".md")) and bad[path]] or list(bad)
    problems += [f"does not see {path}" for path in broken
                 if not any(line.startswith((path, f"{Path(path).parent}:", path.split("/")[0] + ":")) for line in found)]
    report(f"a break is seen: {name}", problems)
