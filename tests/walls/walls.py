"""The project's own rules, which a compiler does not check. Each rule is a function that takes the root of a tree and
yields one line for each place that breaks the rule. walls.test.py runs the rules on the product and on small trees that
break them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from standard_headers import uses

TOP_LEVEL = {"app", "core", "assets", "tests", "CMakeLists.txt", "README.md"}

# A line of core/CMakeLists.txt or app/CMakeLists.txt that says which rooms a room may use.
ROOM = re.compile(r"^ *headscope_(app_)?room\(\s*(\w+)\s+\w+([^)]*)\)", re.MULTILINE)
# Folders of app/ that are not rooms.
NO_ROOMS = {"app/packaging", "app/package", "app/web"}

# The folders of app/ that draw.
DRAWING = ("app/ui", "app/widgets", "app/parts", "app/views")

UI_HEADER = re.compile(r"imgui|glfw|^GL/|^GLES|^EGL/|glad|glew|^X11/|^xcb/", re.IGNORECASE)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
COMMENT_OR_STRING = re.compile(
    r'R"([^(\s]*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
STATIC = re.compile(r"^\s*(?:inline\s+)?(?:static|thread_local)\s+(?:static\s+|thread_local\s+|inline\s+)*(.*)$")
SYSTEM_HEADER = re.compile(r"^\s*#\s*include\s*<(?:(?:unistd|fcntl|dlfcn|pthread|sched|poll|spawn|c?signal|(?:sys|linux)/[^>]*"
                           r"|cairo[-\w]*|hb[-\w]*|fribidi|png|gif_lib|GLFW/glfw3)(?:\.h)?|fontconfig/[^>]*|qpdf/[^>]*|webp/[^>]*|xcb/[^>]*)>",
                           re.MULTILINE)
# The rooms for what only a desktop has, and the two files that begin and end a program with a window.
NATIVE = ("core/system/", "core/paint/native/", "app/platform/native/", "app/packaging/", "app/web/")
SYSTEM_FOLDER = re.compile(r'"/(?:proc|sys|usr|etc)/[^"]*"')
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b")




def sources(root, *folders):
    """The .cpp and .h files below some folders, in order."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cpp", ".h") and path.is_file():
                yield path


def code_lines(path):
    """(number, line) for each line, without comments and strings."""

    def blank(match):
        kept = '""' if match.group(0)[0] in "\"'R" else ""
        return kept + "\n" * match.group(0).count("\n")

    code = COMMENT_OR_STRING.sub(blank, path.read_text(encoding="utf-8"))
    return enumerate(code.split("\n"), 1)


def includes(path):
    """(number, included name) for each include line."""
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def room_graph(root):
    """{"core/trace": {"core/model", "core/tensor", …}}: the rooms that each may include, as CMake links them."""
    linked = {}
    for folder in ("core", "app"):
        listing = root / folder / "CMakeLists.txt"
        for prefix, name, links in ROOM.findall(listing.read_text(encoding="utf-8") if listing.is_file() else ""):
            linked[f"{'app' if prefix else 'core'}/{name}"] = {
                f"{'app' if app else 'core'}/{other}" for app, other in re.findall(r"\bheadscope_(app_)?(\w+)", links)
                if (app, other) != ("", "core")}

    def reached(room, seen):
        for other in linked.get(room, set()) - seen:
            seen.add(other)
            reached(other, seen)
        return seen

    return {room: reached(room, set()) for room in linked}


def core_includes_no_ui(root):
    for path in sources(root, "core"):
        for number, name in includes(path):
            if UI_HEADER.search(name) or name.startswith("app/"):
                yield f"{path.relative_to(root)}:{number}: core/ includes {name}"


def rooms_include_only_theirs(root):
    graph = room_graph(root)
    folders = [p for top in ("core", "app") if (root / top).is_dir() for p in sorted((root / top).iterdir()) if p.is_dir()]
    for folder in folders:
        room = str(folder.relative_to(root))
        if room in NO_ROOMS:
            continue
        if room not in graph:
            yield f"{room}: an unknown room; {room.split('/')[0]}/CMakeLists.txt has no line for it"
            continue
        for path in sources(root, room):
            for number, name in includes(path):
                other = "/".join(name.split("/")[:2])
                if name.count("/") > 1 and name.startswith(("core/", "app/")) and other not in graph[room] | {room}:
                    yield f"{path.relative_to(root)}:{number}: {room} may not include {name}"


def no_room_knows_itself(root):
    for room, known in room_graph(root).items():
        if room in known:
            yield f"{room.split(chr(47))[0]}/CMakeLists.txt: {room} knows itself by way of the rooms that it links"


def includes_start_at_the_root(root):
    """One spelling for each header, so that the rules about includes see them all."""
    for path in sources(root, "core", "app"):
        for number, name in includes(path):
            if "../" in name or ((path.parent / name).is_file() and not (root / name).is_file()):
                yield f"{path.relative_to(root)}:{number}: {name} is not spelled from the root (core/…, app/…)"


def pages_have_one_door(root):
    """A page is a folder of core/page. Other folders may only include its NAME_page.h and the header of what it
    remembers, …_memo.h. Pages share core/page/parts, which every file may include."""
    for path in sources(root, "core", "app"):
        for number, name in includes(path):
            match = re.fullmatch(r"core/page/(\w+)/(\w+)\.h", name)
            if not match or match.group(1) == "parts" or path.parent == root / "core/page" / match.group(1):
                continue
            page, header = match.groups()
            if header != f"{page}_page" and not header.endswith("_memo"):
                yield f"{path.relative_to(root)}:{number}: {name} is inside the page of {page}: include {page}_page.h"


def core_neither_prints_nor_exits(root):
    calls = re.compile(
        r"\bstd::(?:cout|cerr|clog|abort|exit|terminate|quick_exit)\b"
        r"|(?<![\w.>:])(?:std::)?(?:v?f?printf|puts|fputs|putchar|perror|abort|exit|_exit)\s*\(")
    for path in sources(root, "core"):
        for number, line in code_lines(path):
            match = calls.search(line)
            if match:
                yield f"{path.relative_to(root)}:{number}: {match.group(0).strip(' (')} in core/"


def texts_are_tokenised_once(root):
    calls = re.compile(r"\btokenize\((?:[\w\s*&]|\(\)|->|\.)*(?:\.|->)(?:sentence|target|batch)\b")
    for path in sources(root, "core", "app"):
        for number, line in code_lines(path):
            if calls.search(line):
                yield f"{path.relative_to(root)}:{number}: a text of a session or a request: texts_of() has its tokens"


def no_mutable_statics(root):
    """core/ and the folders that draw may have no static or thread_local variable that is not constant, apart from the
    threads that all readers share, the jobs of a process without threads and the budget of the file that a thread
    reads."""
    for path in sources(root, "core", *DRAWING):
        if path in (root / "core/tensor/parallel.cpp", root / "core/jobs/job_thread.cpp", root / "core/budget.h"):
            continue
        for number, line in code_lines(path):
            match = STATIC.match(line)
            if not match or re.match(r"(?:const|constexpr|constinit const)\b", match.group(1)):
                continue
            declared = re.split(r"[={;]", match.group(1))[0]
            if "(" not in declared:
                yield f"{path.relative_to(root)}:{number}: a mutable static: {line.strip()}"


def views_know_no_other_view(root):
    """A header of app/views declares several views, and a view may only use those that it defines."""
    declaration = re.compile(r"^[\w:]+ (\w+)\([^{}]*\);", re.MULTILINE)
    declared = set()
    for path in sources(root, "app/views"):
        if path.suffix == ".h":
            declared.update(declaration.findall(path.read_text(encoding="utf-8")))
    for path in sources(root, "app/views"):
        if path.suffix == ".h":
            continue
        text = path.read_text(encoding="utf-8")
        own = set(re.findall(r"^[\w:]+ (\w+)\(", text, re.MULTILINE))
        for number, line in code_lines(path):
            drawn = set(re.findall(r"(?<![:\w])(\w+)\(", line)) & declared
            drawn.update(re.findall(r"(?<![:\w])(\w+_view)\(frame[,)]", line))
            for name in sorted(drawn - own):
                yield f"{path.relative_to(root)}:{number}: a view draws {name}, which is another one"


def views_keep_to_drawing(root):
    headers = {"thread", "fstream", "filesystem", "mutex", "future", "condition_variable", "cstdio"}
    drivers = re.compile(r"glfw|^GL/|^GLES|^EGL/|glad|glew|imgui_impl_|^app/platform/", re.IGNORECASE)
    words = re.compile(r"\bstd::(?:mutex|thread|jthread|async|fopen|[io]?fstream|filesystem)\b|\bgl[A-Z]\w+\s*\(")
    for path in sources(root, "app/views"):
        for number, name in includes(path):
            if name in headers or drivers.search(name):
                yield f"{path.relative_to(root)}:{number}: a view includes <{name}>"
        for number, line in code_lines(path):
            match = words.search(line)
            if match:
                yield f"{path.relative_to(root)}:{number}: a view uses {match.group(0).strip(' (')}"


NAMESPACE = re.compile(r"^namespace(?: ([\w:]+))? \{$")
TYPE = re.compile(r"^(?:class|struct|union|enum|enum class) (\w+)(?: final)?(?: :[^;]*)?(?: \{|$)")


def types_have_names_of_their_own(root):
    """The linker keeps one of two functions of the same name, so the types of two rooms must not share one."""
    seen = {}
    for path in sources(root, "core", "app"):
        inside = []
        for number, line in code_lines(path):
            opened = NAMESPACE.match(line)
            if opened:
                inside.append(opened.group(1) or "")
            elif re.match(r"^\}\s+$", line):  # Only the end of a namespace has a comment, which is blanked here.
                inside = inside[:-1]
            found = TYPE.match(line)
            if not found or "" in inside:
                continue
            name = "::".join([*inside, found.group(1)])
            place = f"{path.relative_to(root)}:{number}"
            first_path, first_place = seen.setdefault(name, (path, place))
            if first_path != path:
                yield f"{first_place}: {name} is also a type of {path.relative_to(root)}"
                yield f"{place}: {name} is also a type of {first_path.relative_to(root)}"


CONSTANT = re.compile(r"^constexpr [^=({;]*?\b(\w+)\s*[={(]", re.MULTILINE)
UNNAMED = re.compile(r"^namespace \{\n(.*?)\n\}  // namespace\n", re.MULTILINE | re.DOTALL)


def constants_of_a_room_are_told_apart(root):
    """The build joins files of a room, and their number decides which files are joined."""
    found = {}
    for path in sources(root, "core", "app"):
        if path.suffix != ".cpp":
            continue
        for part in UNNAMED.findall(path.read_text(encoding="utf-8")):
            for name in CONSTANT.findall(part):
                first = found.setdefault((path.parent, name), path)
                if first != path:
                    yield f"{path.parent.relative_to(root)}: {name} is a constant of {first.name} and of {path.name}"


def project_files(root):
    """The files of the project: those that git knows or would add, or all files without git."""
    if (root / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"],
                                capture_output=True, check=True)
        return sorted({name for name in listed.stdout.decode().split("\0") if name and (root / name).is_file()})
    return sorted(str(path.relative_to(root)) for path in root.rglob("*")
                  if path.is_file() and not {".git", ".build", "__pycache__"} & set(path.parts))


def nothing_is_left_unfinished(root):
    for name in project_files(root):
        if Path(name).suffix not in (".cpp", ".h", ".py", ".sh", ".md", ".txt", ".cmake", "") :
            continue
        try:
            text = (root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            match = UNFINISHED.search(line)
            if match:
                yield f"{name}:{number}: {match.group(0)}"


def only_native_rooms_are_not_portable(root):
    """Only the native rooms may include what a browser lacks (signals, memory maps, processes, Cairo, HarfBuzz,
    FriBidi, fontconfig, libpng, qpdf, libwebp, giflib, GLFW) or name folders of the system, and nobody else includes their
    headers, except those of core/system, which are portable."""
    for path in sources(root, "core", "app"):
        name = str(path.relative_to(root))
        inside = name.startswith(NATIVE)
        code = path.read_text(encoding="utf-8")
        match = SYSTEM_HEADER.search(code) or SYSTEM_FOLDER.search(code)
        if match and not inside:
            yield f"{name}: {match.group(0).strip()} is not portable: keep it in one of {', '.join(NATIVE)}"
        for number, included in includes(path):
            if "/native/" in included and not inside:
                yield f"{name}:{number}: {included} belongs to a native room"


def standard_names_are_included(root):
    """The header of a standard name is included by the file itself or by a header of ours that it includes."""
    own = {}

    def reached(path, seen):
        """Everything that a file includes, directly or through headers of ours."""
        if path in seen or not path.is_file():
            return set()
        seen.add(path)
        if path not in own:
            own[path] = {name for _, name in includes(path)}
        return own[path].union(*(reached(root / name, seen) for name in own[path] if "/" in name))

    for path in sources(root, "core", "app", "tests"):
        included = reached(path, set())
        told = set()
        for number, line in code_lines(path):
            for header, name in uses(line):
                if header not in included | told:
                    told.add(header)
                    yield f"{path.relative_to(root)}:{number}: {name} without <{header}>"


def errors_begin_small(root):
    """Messages begin with a small letter, because they follow a colon: “headscope: …”, “--stage x is not valid: …”."""
    names = "FreeType|Fontconfig|Cairo"
    message = re.compile(rf'\b(?:failure|usage_error)\((?:std::string\()?"(?!(?:{names})\b)([A-Z][a-z]*[^"]*)"')
    for path in sources(root, "core", "app"):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            match = message.search(line)
            if match:
                yield f"{path.relative_to(root)}:{number}: an error that begins with a capital: {match.group(1)}"


def top_level_is_the_map(root):
    present = {name.split(os.sep)[0] for name in project_files(root)}
    present = {name for name in present if not name.startswith(".")}
    # Only a user makes this file: app/run writes its picture into the current folder.
    present.discard("headscope.png")
    for name in sorted(present - TOP_LEVEL):
        yield f"{name}: not one of {', '.join(sorted(TOP_LEVEL))}"
    for name in sorted(TOP_LEVEL - present):
        yield f"{name}: missing from the top level"


RULES = {
    "core/ includes no UI library and nothing of app/": core_includes_no_ui,
    "each room includes only the rooms that CMake links to it": rooms_include_only_theirs,
    "the rooms know each other in no circle": no_room_knows_itself,
    "includes are spelled from the root": includes_start_at_the_root,
    "a page is included by its one door": pages_have_one_door,
    "core/ neither prints nor exits": core_neither_prints_nor_exits,
    "what is not portable keeps to the native rooms": only_native_rooms_are_not_portable,
    "the texts of a session are tokenised in one place": texts_are_tokenised_once,
    "core/ and what draws keep no mutable statics": no_mutable_statics,
    "a view draws no other view": views_know_no_other_view,
    "views open no files, start no threads, call no GL": views_keep_to_drawing,
    "constants of a room are told apart": constants_of_a_room_are_told_apart,
    "types have names of their own": types_have_names_of_their_own,
    "names of the standard library are included": standard_names_are_included,
    "errors go on after a colon in small letters": errors_begin_small,
    "nothing is marked as unfinished": nothing_is_left_unfinished,
    "the top level holds what the map says": top_level_is_the_map,
}
