#!/usr/bin/python3
# Needs: program xvfb xauth dpkg-dev file python3-venv python3-numpy
# Time limit: 900 s
# Runs alone, as it builds where the program of the other tests is
"""Every command in the sh blocks of the project's README.md files must succeed, in a folder that looks like the
project's, and the links of the files must lead somewhere. Installations for the whole system are simulated. The build
folder of the tests stands for any that a command names, since tests/install/ tests that an empty one is filled."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("HEADSCOPE") or ROOT / ".build/release/headscope")
# These would run this test or take minutes, so the test only checks that they exist and are executable.
NOT_RUN_HERE = {"tests/run", ".ci/run", "tests/bench/run"}


def commands(text):
    """The lines of ```sh blocks, continued lines joined, without prompts, comments and blank lines."""
    for block in re.findall(r"^```(?:sh|bash|console)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").split("\n"):
            line = line.strip().removeprefix("$ ")
            if line and not line.startswith("#"):
                yield re.sub(r"\s+#\s.*$", "", line)


def report(passed, name, detail=""):
    print(f"{'ok' if passed else 'not ok'} - {name}")
    for line in detail.strip().split("\n")[-15:]:
        if not passed and line:
            print(f"#   {line}")


def run(command, folder):
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment.update(HOME=folder, XDG_CONFIG_HOME=f"{folder}/config", XDG_STATE_HOME=f"{folder}/state",
                       PATH=f"{PROGRAM.parent}:{environment['PATH']}")
    command = command.replace("sudo apt-get install", "apt-get --simulate install")
    environment["HEADSCOPE_BUILD"] = str(PROGRAM.parents[1])
    command = re.sub(r"\bHEADSCOPE_BUILD=\S+", f"HEADSCOPE_BUILD={shlex.quote(str(PROGRAM.parents[1]))}", command)
    shell = ["bash", "-euo", "pipefail", "-c", command]
    if "--screenshot" in command:
        shell = ["xvfb-run", "-a", "-s", "-screen 0 1440x900x24", *shell]
    return subprocess.run(shell, cwd=folder, env=environment, text=True, errors="replace", timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def main():
    readmes = sorted(path for path in ROOT.rglob("README.md") if ".build" not in path.parts)
    report(ROOT / "README.md" in readmes, "there is a README.md")
    found = list(dict.fromkeys(command for path in readmes for command in commands(path.read_text(encoding="utf-8"))))
    report(len(found) > 10, "they show commands in sh blocks")
    folder = tempfile.mkdtemp()
    try:
        for entry in ROOT.iterdir():
            if entry.name not in (".build", ".git"):
                (Path(folder) / entry.name).symlink_to(entry)
        (Path(folder) / ".build").symlink_to(PROGRAM.parents[1])
        for command in found:
            program = command.split()[0].removeprefix("./")
            if program in NOT_RUN_HERE:
                report(os.access(ROOT / program, os.X_OK), f"{command} (there, not run)")
                continue
            try:
                done = run(command, folder)
                report(done.returncode == 0, command, f"exit code {done.returncode}\n{done.stdout}")
            except subprocess.TimeoutExpired:
                report(False, command, "took longer than 300 s")
    finally:
        shutil.rmtree(folder)
    for path in readmes:
        for target in re.findall(r"!?\[[^\]]*\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
            if "://" not in target:
                report((path.parent / target).exists(), f"{path.relative_to(ROOT)}: the link to {target} leads somewhere")


if __name__ == "__main__":
    main()
