#!/usr/bin/python3
# Set: all
# Needs: program module python3-numpy xvfb xauth
"""A window shows what Python pushes into it, and opens on what show() is given."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

PROGRAM = Path(os.environ["HEADSCOPE"])
sys.path.insert(0, str(PROGRAM.parent / "python"))
try:
    import headscope
except ImportError as error:
    print(f"skip - the window and Python: {error}")
    sys.exit(0)


def check(name, good, about=""):
    print(f"{'ok' if good else 'not ok'} - {name}", flush=True)
    if not good:
        print(f"#   {about}")


def until(happens, seconds=60):
    end = time.monotonic() + seconds
    while not happens() and time.monotonic() < end:
        time.sleep(0.05)
    return happens()


def session_of(folder):
    """The session that the window has left."""
    return json.loads((folder / "config/headscope/settings.json").read_text())["session"]


def weights(seed, n=4):
    return np.random.default_rng(seed).dirichlet(np.ones(n), (3, 2, n)).astype(np.float32)


def pushes(folder):
    window = subprocess.Popen([PROGRAM, "--listen", "--page", "heads", "--size", "900x700"])
    address = folder / "run/headscope.socket"
    check("a window listens", until(address.exists))
    check("only for its user", address.stat().st_mode & 0o777 == 0o600, oct(address.stat().st_mode))
    connection = headscope.connect()
    for step in range(20):
        connection.push(weights(step), list("abcd"), name=f"step {step}")
    try:
        connection.push(weights(1) * 2, list("abcd"))
        check("weights that are none are refused", False)
    except ValueError as error:
        check("weights that are none are refused", "attentions[" in str(error), error)
    for hostile in (b"\n", b"{\n", b"[]\n", b'{"path": 3}\n', b'{"path": "/etc/passwd"}\n', b"x" * 100000, b"\xff\xfe\n",
                    b"[" * 4000 + b"\n", b'{"path": "/nowhere", "name": "\\ud800"}\n', b""):
        with socket.socket(socket.AF_UNIX) as other:
            other.connect(str(address))
            try:
                other.sendall(hostile)
                other.shutdown(socket.SHUT_WR)
                other.recv(4096)
            except OSError:
                pass
    connection.push(weights(77), list("efgh"), name="step 77")
    check("a second window does not take the socket", second_window_says())
    def running():
        return "".join(each.read_text() for each in folder.glob("state/headscope/running-*/session.json"))
    check("the window shows what came last", until(lambda: "step 77" in running()), running())
    check("the page and the layer stay", '"view": "heads"' in running() and '"layer": 1' in running(), running())
    window.send_signal(signal.SIGTERM)
    window.wait(30)
    check("the next start does not look for what was pushed", session_of(folder)["model"] != "step 77" and
          session_of(folder)["sentence"].startswith("The animal"))
    check("the socket is gone", not address.exists())
    try:
        headscope.connect()
        check("no window is refused", False)
    except RuntimeError as error:
        check("no window is refused", "headscope --listen" in str(error), error)


def second_window_says():
    second = subprocess.run(["timeout", "-s", "TERM", "5", PROGRAM, "--listen"], capture_output=True, text=True, check=False)
    return "Sanitizer" not in second.stderr and headscope.connect() is not None


def shows(folder):
    trace = headscope.load("pronouns").run("The cat slept because it was tired")
    view = headscope.View(trace, 300, {"page": "lines"})
    shutil.rmtree(folder / "config")  # What was opened and left unchanged is kept only if nothing is kept yet.
    window = view.open()
    time.sleep(5)
    window.send_signal(signal.SIGTERM)
    window.wait(30)
    kept = session_of(folder)
    check("show() opens the window", kept["sentence"] == "The cat slept because it was tired", (window.returncode, kept))


def main():
    if "DISPLAY" not in os.environ:
        os.execvp("xvfb-run", ["xvfb-run", "-a", "-s", "-screen 0 1280x900x24", sys.executable, __file__])
    folder = Path(tempfile.mkdtemp())
    (folder / "run").mkdir(mode=0o700)
    os.environ.update(XDG_CONFIG_HOME=str(folder / "config"), XDG_STATE_HOME=str(folder / "state"),
                      XDG_RUNTIME_DIR=str(folder / "run"), PATH=f"{PROGRAM.parent}:{os.environ['PATH']}")
    try:
        pushes(folder)
        shows(folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
