#!/usr/bin/python3 -B
# Set: all
# Needs: program module python3-numpy xvfb xauth
"""A window shows what Python pushes into it, and opens on what show() is given."""

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

from package import PROGRAM, check, headscope, refused, run


def until(happens, seconds=60):
    end = time.monotonic() + seconds
    while not happens() and time.monotonic() < end:
        time.sleep(0.05)
    return happens()


def left_by(window, folder):
    """The session that a window leaves."""
    window.send_signal(signal.SIGTERM)
    window.wait(30)
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
    check("all pushes are one subject", until(lambda: np.array_equal(kept_weights(folder, "step 19"), weights(19))))
    refused("what is no weights", lambda: connection.push(weights(1) * 2, list("abcd")), "attentions[")
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
    connection.push(weights(76), list("abcd"), name="\N{SNOWMAN}" * 5000)
    connection.push(weights(77), list("efgh"), name="step 77")
    second = subprocess.run(["timeout", "-s", "TERM", "5", PROGRAM, "--listen"], capture_output=True, text=True, check=False)
    check("a second window does not take the socket", "Sanitizer" not in second.stderr and can_connect())

    def running():
        return "".join(each.read_text() for each in folder.glob("state/headscope/running-*/session.json"))

    check("the window shows what came last", until(lambda: '"e f g h"' in running()), running())
    check("what came last survives a crash", np.array_equal(kept_weights(folder, "step 77"), weights(77)))
    check("the page and the layer stay", '"view": "heads"' in running() and '"layer": 1' in running(), running())
    kept = left_by(window, folder)
    check("the next start does not look for what was pushed", kept["model"] != "step 77" and
          kept["sentence"].startswith("The animal"))
    check("the socket is gone", not address.exists())
    refused("no window", headscope.connect, "headscope --listen", RuntimeError)


def kept_weights(folder, name):
    """The weights that the window keeps in case of a crash, if they were pushed with this name."""
    for file in folder.glob("state/headscope/running-*/weights-*/model.safetensors"):
        tensors, metadata = headscope._capture.read_safetensors(file)
        if metadata["name"] == name:
            return tensors["attentions"]
    return None


def shows(folder):
    trace = headscope.load("pronouns").run("The cat slept because it was tired")
    view = headscope.View(trace, 300, {"page": "lines", "layer": 1, "head": 2})
    shutil.rmtree(folder / "config")  # What was opened and left unchanged is kept only if nothing is kept yet.
    window = view.open()
    time.sleep(5)
    check("a window listens only if it is told to", not (folder / "run/headscope.socket").exists())
    kept = left_by(window, folder)
    check("show() opens the window", kept["sentence"] == "The cat slept because it was tired", (window.returncode, kept))
    check("with its options", [kept["selection"][each] for each in ("layer", "head")] == [1, 2], kept["selection"])
    script = subprocess.Popen([sys.executable, "-c", f"import sys; sys.path.insert(0, {sys.path[0]!r}); import headscope; "
                               "headscope.show(headscope.load('pronouns').run('The street was wide'))"])
    children = Path(f"/proc/{script.pid}/task/{script.pid}/children")
    shutil.rmtree(folder / "config")
    check("a script opens a window", until(lambda: children.read_text().split()))
    time.sleep(5)
    check("a script waits for its window", script.poll() is None and children.read_text().split())
    for child in children.read_text().split():
        os.kill(int(child), signal.SIGTERM)
    check("it ends with its window", script.wait(30) == 0)
    kept = left_by(script, folder)
    check("and the window shows its trace", kept["sentence"] == "The street was wide", kept)


def sockets(folder):
    """A window leaves the socket of another one alone, and a window that does not answer is told."""
    address = folder / "run/headscope.socket"
    window = subprocess.Popen([PROGRAM, "--listen"])
    check("a window listens again", until(address.exists))
    headscope.connect()
    limits = resource.prlimit(window.pid, resource.RLIMIT_NOFILE)
    with socket.socket(socket.AF_UNIX) as waiting:
        resource.prlimit(window.pid, resource.RLIMIT_NOFILE, (3, limits[1]))
        waiting.connect(str(address))
        ticks = seconds_of(window)
        time.sleep(3)
        check("a window that has no files left waits", seconds_of(window) - ticks < 1.5, seconds_of(window) - ticks)
        resource.prlimit(window.pid, resource.RLIMIT_NOFILE, limits)
    check("and listens again", can_connect())
    address.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(address))
        other.listen()
        left_by(window, folder)
        check("the socket of another program stays", address.exists())
        threading.Thread(target=lambda: other.accept()[0].close()).start()
        refused("a missing answer", headscope.connect, "", RuntimeError)
    second = subprocess.Popen([PROGRAM, "--listen"])
    check("a window takes the place of a killed one", until(can_connect))
    left_by(second, folder)
    picture = subprocess.run([PROGRAM, "--listen", "--screenshot", "F.png"], capture_output=True, text=True, check=False)
    check("a picture of a listening window is refused", picture.returncode == 2 and "--listen" in picture.stderr, picture)


def seconds_of(process):
    """The time that a process has computed."""
    after_name = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, after_name[11:13])) / os.sysconf("SC_CLK_TCK")


def can_connect():
    try:
        return headscope.connect() is not None
    except RuntimeError:
        return False


def folders(folder):
    """Where a window keeps its files."""
    (folder / "run").mkdir(mode=0o700)
    os.environ.update(XDG_CONFIG_HOME=str(folder / "config"), XDG_STATE_HOME=str(folder / "state"),
                      XDG_RUNTIME_DIR=str(folder / "run"), PATH=f"{PROGRAM.parent}:{os.environ['PATH']}")


if "DISPLAY" not in os.environ:
    os.execvp("xvfb-run", ["xvfb-run", "-a", "-s", "-screen 0 1280x900x24", __file__])
run(folders, pushes, shows, sockets)
