#!/usr/bin/python3
"""clang-tidy finds nothing in the product's files.

A file takes seconds, all of them more than a test run may. So a clean verdict is kept in .build/tidy until the
file or a header that it includes changes, what was changed last goes first, and after BUDGET seconds the rest
waits for the next run, which is said. HEADSCOPE_TIDY_SECONDS sets another budget.
"""

import hashlib
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build" / "tests"
CLEAN = ROOT / ".build" / "tidy"
BUDGET = int(os.environ.get("HEADSCOPE_TIDY_SECONDS", "30"))
# GCC's own warning names are no findings of clang's.
COMMAND = ["clang-tidy", "--quiet", "-p", str(BUILD), "--extra-arg=-Wno-unknown-warning-option"]


def project_headers_of_each_source():
    """{source: the project's files that it is compiled from}, as the last build found them."""
    listed = subprocess.run(["ninja", "-C", str(BUILD), "-t", "deps"], text=True, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    found = {}
    for block in listed.split("\n\n"):
        paths = [Path(os.path.normpath(BUILD / line.strip())) for line in block.split("\n")[1:] if line.strip()]
        if paths:
            found[paths[0]] = sorted(path for path in paths if path.is_relative_to(ROOT))
    return found


def changes_by_age():
    """The files of the tree, those not committed yet and then those of the last commits first."""
    names = []
    if (ROOT / ".git").exists() and shutil.which("git"):
        for command in (["ls-files", "-mo", "--exclude-standard"], ["log", "--format=", "--name-only", "-n", "200"]):
            names += subprocess.run(["git", "-C", str(ROOT), *command], text=True, check=False,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.split("\n")
    return list(dict.fromkeys(ROOT / name for name in names if name))


def key_of(source, headers, settings):
    """Names a verdict: equal where the settings and all that the file is compiled from are equal."""
    digest = hashlib.sha256(settings)
    for path in headers:
        digest.update(str(path).encode() + b"\0" + (path.read_bytes() if path.exists() else b"") + b"\0")
    return f"{source.stem}-{digest.hexdigest()[:24]}"


def main():
    version = subprocess.run(["clang-tidy", "--version"], text=True, capture_output=True, check=False).stdout \
        if shutil.which("clang-tidy") else ""
    # A later version knows more checks under the same names.
    if "version 14." not in version:
        print("skip - clang-tidy: this machine has no clang-tidy 14")
        return
    if not (BUILD / "compile_commands.json").exists():
        print("not ok - clang-tidy: .build/tests is not configured")
        return
    CLEAN.mkdir(parents=True, exist_ok=True)
    settings = (version + " ".join(COMMAND)).encode() + (ROOT / ".clang-tidy").read_bytes()
    everything = sorted(path for folder in ("core", "app") for path in (ROOT / folder).rglob("*.[ch]*"))
    headers = project_headers_of_each_source()
    age = {path: index for index, path in enumerate(changes_by_age())}
    sources = sorted((path for path in everything if path.suffix == ".cpp"), key=lambda p: age.get(p, len(age)))
    end = time.monotonic() + BUDGET

    def is_clean(source):
        """True, False with what was found, or None where the time was up."""
        verdict = CLEAN / key_of(source, headers.get(source, everything), settings)
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
