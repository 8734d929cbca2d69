#!/usr/bin/python3 -B
# Set: all
# Needs: program module chromium python3-websocket python3-numpy python3-pandas python3-pil mypy
# Time limit: 1800 s
"""What a notebook shows: the live page in a cell, in a headless browser; data frames; and no growth over 10,000 loads and
passes, as in a loop that is left alone."""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "web"))
from package import PROGRAM, ROOT, check, headscope, notebook, run
from browser import Browser, difference, pixels


def cells(folder):
    subprocess.run([ROOT / "app/web/build"], check=True, stderr=subprocess.DEVNULL)
    displayed = []
    weights = np.random.default_rng(1).dirichlet(np.ones(4), (2, 1, 3)).astype(np.float32)
    with notebook(displayed.append):
        view = headscope.show(headscope.load("pronouns").run("The cat slept because it was tired"), page="lines")
        headscope.head_view([layer[None] for layer in weights], list("abc"), source_tokens=list("efgh"), layer=1)
        headscope.model_view([layer[None] for layer in weights], list("abc"), source_tokens=list("efgh"))
    seen, whole = displayed
    check("show() returns a view in a notebook", isinstance(view, headscope.View) and
          seen.trace.source_tokens == list("efgh"))
    check("attention weights of others are shown live", seen._repr_html_().startswith("<iframe") and
          whole._repr_html_().startswith("<iframe"))
    cell, page = folder / "cell.html", folder / "page.html"
    style = "<!doctype html><meta charset=utf-8><style>* { margin: 0; overflow: hidden }</style>"
    cell.write_text(style + view._repr_html_(), encoding="utf-8")
    view.trace.figure(page="lines").save(page)
    with Browser(1280, 720) as browser:
        browser.open(f"file://{page}")
        alone = browser.screenshot()
        browser.call("Page.navigate", url=f"file://{cell}")
        browser.wait(lambda: browser.js("!!document.querySelector('iframe')"), "the cell did not open")
        # The sandbox keeps the page from being asked whether it has settled.
        for _ in range(120):
            shown = browser.screenshot()
            if difference(alone, shown) < 1.0:
                break
            time.sleep(0.5)
        check("the page in the cell shows what the page alone shows", difference(alone, shown) < 1.0 and
              pixels(shown).std() > 10, difference(alone, shown))
        check("the page cannot reach the notebook", browser.js("document.querySelector('iframe').contentDocument === null"))
        complaints = browser.complaints()
        check("nothing went wrong and nothing was requested", not complaints, "\n#   ".join(complaints[:5]))


def frames():
    import pandas

    trace = headscope.load("pronouns").run("The cat sat")
    frame = trace.frame("encoder.layers.0.self.heads.1.weights")
    check("a stage as a data frame", isinstance(frame, pandas.DataFrame) and list(frame.index) == trace.tokens and
          np.array_equal(frame.values, trace.pattern[0, 1]))
    tables = headscope.load("pronouns").effects("The cat was too tired")
    check("tables are data frames", isinstance(tables.heads, pandas.DataFrame) and len(tables.heads) == 8)


def types_hold(folder):
    """What editors and type checkers know."""
    used = folder / "used.py"
    used.write_text("import headscope\nm = headscope.load('stories')\nt = m.run('The cat')\n"
                    "reveal_type(t.pattern[0, 1])\nreveal_type(m.run(['a', 'b']))\nt.explain('logits', 'a')\n",
                    encoding="utf-8")
    said = subprocess.run(["mypy", "--no-error-summary", "--ignore-missing-imports", used], capture_output=True, text=True, check=False, cwd=folder,
                          env={**os.environ, "MYPYPATH": str(PROGRAM.parent / "python")}).stdout
    check("types are known", "ndarray" in said and "List[headscope._model.Trace]" in said.replace("builtins.list", "List") and
          'Missing positional argument "column"' in said and said.count("error") == 1, said)


def growth():
    def loads(n):
        for i in range(n):
            trace = headscope.load("pronouns").run(f"The cat number {i} sat")
            assert trace.pattern[1, 1].shape == (5, 5)
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024

    loads(500)
    before = loads(500)
    after = loads(9000)
    files = len(os.listdir("/proc/self/fd"))
    check("10,000 loads do not grow", after - before < 8 * 1024 and files < 64,
          f"{before} KiB, then {after} KiB; {files} open files")
    print(f"#   {before} KiB after 1,000 and {after} KiB after 10,000 loads; "
          f"at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss} KiB")


run(cells, types_hold, frames, growth)
