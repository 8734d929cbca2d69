#!/usr/bin/python3
# Set: all
# Needs: program clang-tidy
"""clang-tidy must find nothing in the product's files.

A file takes seconds, and all files together take more than a test run may. Therefore a clean verdict is kept in
.build/tidy/clean until the file or a header that it includes changes. The files that were changed last are checked
first, and after BUDGET seconds the rest waits for the next run, which the test reports. HEADSCOPE_TIDY_SECONDS sets
another budget.
"""

import hashlib
import os
import re
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("HEADSCOPE_BUILD") or ROOT / ".build") / "tidy"
CLEAN = BUILD / "clean"
BUDGET = int(os.environ.get("HEADSCOPE_TIDY_SECONDS", "30"))
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
# GCC's own warning names must not count as findings.
COMMAND = ["clang-tidy", "--quiet", "-p", str(BUILD), "--extra-arg=-Wno-unknown-warning-option"]


def sources_of(source, known):
    """The project's files that a source is compiled from: itself and everything that it includes."""
    if source not in known:
        known[source] = {source}
        text = source.read_text(encoding="utf-8") if source.exists() else ""
        for name in INCLUDE.findall(text):
            if (ROOT / name).is_file():
                known[source] = known[source] | sources_of(ROOT / name, known)
    return known[source]


def configure():
    """Configures a build that compiles each file by itself, since other builds join files."""
    command = ["cmake", "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
               "-DHEADSCOPE_JOINED=OFF", "-DHEADSCOPE_PYTHON=ON"]
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def changes_by_age():
    """The files of the tree: first those that are not committed yet, then those of the last commits."""
    names = []
    if (ROOT / ".git").exists() and shutil.which("git"):
        for command in (["ls-files", "-mo", "--exclude-standard"], ["log", "--format=", "--name-only", "-n", "200"]):
            names += subprocess.run(["git", "-C", str(ROOT), *command], text=True, check=False,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.split("\n")
    return list(dict.fromkeys(ROOT / name for name in names if name))


def key_of(source, headers, settings):
    """Names a verdict. The name is the same as long as the settings and all the file's sources are the same."""
    digest = hashlib.sha256(settings)
    for path in headers:
        digest.update(str(path).encode() + b"\0" + (path.read_bytes() if path.exists() else b"") + b"\0")
    return f"{source.stem}-{digest.hexdigest()[:24]}"


def main():
    version = subprocess.run(["clang-tidy", "--version"], text=True, capture_output=True, check=False).stdout \
        if shutil.which("clang-tidy") else ""
    # Later versions check more under the same names.
    if "version 14." not in version:
        print("skip - clang-tidy: this machine has no clang-tidy 14")
        return
    if not configure():
        print("not ok - clang-tidy: CMake could not configure .build/tidy")
        return
    CLEAN.mkdir(parents=True, exist_ok=True)
    settings = (version + " ".join(COMMAND)).encode() + (ROOT / ".clang-tidy").read_bytes()
    known = {}
    age = {path: index for index, path in enumerate(changes_by_age())}
    sources = sorted((path for folder in ("core", "app") for path in (ROOT / folder).rglob("*.cpp")),
                     key=lambda p: age.get(p, len(age)))
    keys = {source: key_of(source, sorted(sources_of(source, known)), settings) for source in sources}
    end = time.monotonic() + BUDGET

    def is_clean(source):
        """True, False with the findings, or None if the time was up."""
        verdict = CLEAN / keys[source]
        if verdict.exists():
            return True, ""
        if time.monotonic() > end:
            return None, ""
        done = subprocess.run([*COMMAND, str(source)], text=True, errors="replace", check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if done.returncode == 0:
            verdict.touch()
        return done.returncode == 0, done.stdout

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        verdicts = list(pool.map(is_clean, sources))
    for source, (clean, found) in zip(sources, verdicts):
        if clean is False:
            print(f"not ok - clang-tidy: {source.relative_to(ROOT)}")
            print("\n".join(f"#   {line}" for line in found.strip().split("\n")[:12]))
    count = sum(clean is True for clean, _ in verdicts)
    waiting = sum(clean is None for clean, _ in verdicts)
    if count:
        print(f"ok - clang-tidy: {count} files are clean")
    if waiting:
        print(f"skip - clang-tidy: {waiting} files did not fit into {BUDGET} s; the next run goes on with them")


if __name__ == "__main__":
    main()
