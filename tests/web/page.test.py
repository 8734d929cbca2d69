#!/usr/bin/python3
# Set: all
# Needs: program chromium python3-websocket python3-numpy python3-pil xvfb xauth
"""The page of app/web in a headless browser: it opens from disk without a request, shows what the native window shows,
computes the same numbers, takes input, keeps the session, and refuses hostile links."""

import base64
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from PIL import Image

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from browser import Browser  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
HEADSCOPE = os.environ["HEADSCOPE"]
PAGES = ["explore", "stages", "heads", "model", "positions", "words", "split", "train", "compare", "effects", "lines",
         "tiles", "decoding", "textbooks", "scale", "by-hand", "watch", "lessons"]
MOST_BYTES = 9_000_000
SIZE = (1280, 800)


def check(name, good, about=""):
    print(f"{'ok' if good else 'not ok'} - {name}", flush=True)
    if not good and about:
        print(f"#   {about}")


def scene_of(folder, *options):
    """The scene that render makes of the options."""
    file = Path(folder) / "scene.svg"
    subprocess.run([HEADSCOPE, "render", *options, "--out", file], check=True, stderr=subprocess.DEVNULL)
    return ElementTree.parse(file).find("{http://www.w3.org/2000/svg}metadata").text


def link_to(page, scene):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(scene.encode()) + packer.flush()
    return f"file://{page}#scene={base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def difference(a, b):
    """The mean difference of two pictures in per cent."""
    first, second = (np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=float) for png in (a, b))
    if first.shape != second.shape:
        return 100.0
    return np.abs(first - second).mean() / 2.55


def session_in(browser):
    """The session that the page keeps."""
    browser.js("headscope.program.ccall('web_save', 'string', [], [])")
    return json.loads(browser.js("headscope.program.FS.readFile('/user/.config/headscope/settings.json',"
                                 " {encoding: 'utf8'})"))["session"]


def compare_pages(browser, page, folder):
    for name in PAGES:
        scene = scene_of(folder, "--model", "pronouns", "--page", name)
        file = Path(folder) / f"{name}.headscope"
        file.write_text(scene, encoding="utf-8")
        native = Path(folder) / f"{name}.png"
        subprocess.run(["xvfb-run", "-a", HEADSCOPE, file, "--size", "x".join(map(str, SIZE)), "--screenshot", native],
                       check=True, stderr=subprocess.DEVNULL)
        said = browser.open(link_to(page, scene))
        if said:
            check(f"the page shows {name} as the window does", False, said)
            continue
        browser.settle()
        seen = browser.screenshot()
        percent = difference(native.read_bytes(), seen)
        if kept := os.environ.get("HEADSCOPE_KEEP_PICTURES"):
            (Path(kept) / f"{name}-window.png").write_bytes(native.read_bytes())
            (Path(kept) / f"{name}-page.png").write_bytes(seen)
        check(f"the page shows {name} as the window does", percent <= 1.0, f"they differ by {percent:.2f} %")


def compare_numbers(browser, page, folder):
    cases = [["--model", "pronouns", "--sentence", "The cat slept because it was tired"],
             ["--model", "stories", "--sentence", "Once upon a time there was a"],
             ["--model", "copying", "--sentence", "cat moon egg fish cat"],
             ["--preset", "GPT-2"], ["--preset", "Llama 3"], ["--preset", "Gemma 2"], ["--preset", "DeepSeek-V2"],
             ["--sentence", "a b c d", "--linear-attention", "--mask", "causal"],
             ["--positions", "rotary", "--attention-temperature", "0.5"], ["--heads", "6", "--d-model", "48", "--kv-heads", "2"]]
    worst = 0.0
    for options in cases:
        csv = Path(folder) / "weights.csv"
        subprocess.run([HEADSCOPE, "trace", *options, "--stage", "weights", "--out", csv], check=True,
                       stderr=subprocess.DEVNULL)
        native = [[float(cell) for cell in re.findall(r",(-?[0-9][^,\s]*|nan|-?inf)", line)]
                  for line in csv.read_text().splitlines()[1:]]
        browser.open(link_to(page, scene_of(folder, *options, "--stage", "weights")))
        browser.settle()
        browser.js("headscope.program.copyText = (text) => { window.copied = text; }; window.copied = ''")
        browser.press("C", "KeyC", 67, ctrl=True, shift=True)
        browser.wait(lambda: browser.js("window.copied !== ''"), "nothing was copied")
        seen = [[float(cell) for cell in line.split("\t")[1:]] for line in browser.js("window.copied").splitlines()[1:]]
        same = np.shape(native) == np.shape(seen) and np.isfinite(seen).all()
        far = np.abs(np.subtract(native, seen)).max() if same else np.inf
        if not far <= 1e-5:
            check("the page computes the numbers of the program", False, f"{options}: {far}")
            return
        worst = max(worst, far)
    check(f"the page computes the numbers of the program in {len(cases)} sessions", True)
    print(f"#   largest difference {worst:.2g}")


def use(browser, page):
    browser.open(f"file://{page}")
    browser.settle()
    browser.click(200, 87)
    browser.press("a", "KeyA", 65, ctrl=True)
    browser.type("the cat slept because it was tired")
    browser.settle()
    sentence = session_in(browser)["sentence"]
    check("typing changes the sentence", sentence == "the cat slept because it was tired", sentence)
    browser.press("z", "KeyZ", 90, ctrl=True)
    browser.settle()
    check("Ctrl+Z brings the sentence back", session_in(browser)["sentence"] != sentence)
    browser.press("y", "KeyY", 89, ctrl=True)
    browser.settle()
    session_in(browser)
    browser.js("new Promise((done) => headscope.program.FS.syncfs(false, done))")
    browser.open(f"file://{page}")
    browser.settle()
    check("a reload keeps the session", session_in(browser)["sentence"] == sentence)
    browser.js("""{ const program = headscope.program, call = program.ccall; window.frames = 0;
        program.ccall = (name, ...rest) => { if (name === "web_frame") ++window.frames; return call(name, ...rest); } }""")
    time.sleep(3)
    frames = browser.js("window.frames")
    check("an idle page draws nothing", frames <= 3, f"{frames} frames in 3 s")
    browser.press("ArrowRight", "ArrowRight", 39)
    browser.settle()
    check("a key wakes it", browser.js("window.frames") > frames)
    text = "very long " * 400_000
    browser.click(200, 87)
    browser.js(f"""{{ const data = new DataTransfer(); data.setData("text/plain", "{text[:20]}".repeat({len(text) // 20}));
        document.dispatchEvent(new ClipboardEvent("paste", {{clipboardData: data}})); }}""")
    browser.settle()
    check("a paste of 4 MB does no harm", browser.js("headscope.program.ccall('web_settled', 'number', [], [])") == 1)


def send(browser, folder):
    """A page with a scene inside opens on what was sent, without a network."""
    browser.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
    for options in (["--model", "pronouns", "--page", "heads", "--title", "Who is <it>? </script>"],
                    ["--model", "stories", "--page", "decoding", "--sentence", "Once upon a time"],
                    ["--preset", "GPT-2", "--page", "stages"]):
        sent = Path(folder) / "sent.html"
        subprocess.run([HEADSCOPE, "render", *options, "--out", sent], check=True, stderr=subprocess.DEVNULL)
        scene = Path(folder) / "sent.headscope"
        scene.write_text(scene_of(folder, *options), encoding="utf-8")
        native = Path(folder) / "sent.png"
        subprocess.run(["xvfb-run", "-a", HEADSCOPE, scene, "--size", "x".join(map(str, SIZE)), "--screenshot", native],
                       check=True, stderr=subprocess.DEVNULL)
        said = browser.open(f"file://{sent}")
        if not said:
            browser.settle()
        percent = 100.0 if said else difference(native.read_bytes(), browser.screenshot())
        check(f"a page that was sent shows {' '.join(options[:4])}", percent <= 1.0, f"{said} {percent:.2f} %")
        title = browser.js("document.title")
        if "--title" in options:
            check("its title is the scene's", title.startswith(options[-1]), title)
    own = subprocess.run([HEADSCOPE, "train", "--task", "copying", "--d-model", "8", "--heads", "1", "--steps", "2", "--out",
                          Path(folder) / "own"], capture_output=True, text=True, check=False)
    refused = subprocess.run([HEADSCOPE, "render", "--model", Path(folder) / "own", "--out", Path(folder) / "own.html"],
                             capture_output=True, text=True, check=False)
    check("weights that the page lacks are refused", own.returncode == 0 and refused.returncode != 0
          and "lack the weights" in refused.stderr and not (Path(folder) / "own.html").exists(), refused.stderr)


def download(browser, page, folder):
    """What Export writes is downloaded."""
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    browser.open(f"file://{page}")
    browser.settle()
    browser.press("e", "KeyE", 69, ctrl=True)
    browser.settle()
    browser.press("Enter", "Enter", 13)
    written = Path(folder) / "headscope-explore-layer-1-weights-head-0.png"
    try:
        browser.wait(written.exists, "nothing was downloaded", 20)
        picture = Image.open(written)
        check("a figure is downloaded with its scene", "Scene" in picture.text and picture.width > 800)
        written.unlink()
        browser.open(f"file://{page}")
        browser.settle()
        time.sleep(1)
        check("it is downloaded once", not written.exists())
    except TimeoutError as error:
        check("a figure is downloaded with its scene", False, f"{error}: {list(Path(folder).iterdir())}")


def refuse(browser, page):
    nested = "[" * 3000 + "]" * 3000
    bomb = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = base64.urlsafe_b64encode(bomb.compress(bytes(1 << 26)) + bomb.flush()).decode().rstrip("=")
    hostile = {"no base 64": f"file://{page}#scene=-", "too long": f"file://{page}#scene=" + "A" * 2_000_000,
               "nested": link_to(page, nested), "a bomb": f"file://{page}#scene={bomb}",
               "a newer scene": link_to(page, '{"format": 99}'), "no scene": link_to(page, "[]")}
    for name, url in hostile.items():
        said = browser.open(url)
        if not said:
            browser.settle()
            said = browser.js("headscope.program.ccall('web_problem', 'string', [], [])")
            check(f"a link with {name} opens the program with a message", "could not be opened" in said, said)
        else:
            check(f"a link with {name} opens the program with a message", False, said)


def main():
    subprocess.run([ROOT / "app/web/build"], check=True, stderr=subprocess.DEVNULL)
    page = Path(os.environ.get("HEADSCOPE_BUILD", ROOT / ".build")) / "web/headscope.html"
    size = page.stat().st_size
    check("the page has at most 9 MB", size <= MOST_BYTES, f"{size} bytes")
    with tempfile.TemporaryDirectory() as folder, Browser(*SIZE) as browser:
        started = time.monotonic()
        said = browser.open(f"file://{page}")
        check("the page opens from disk", not said, said)
        browser.settle()
        print(f"#   opened and settled in {time.monotonic() - started:.1f} s")
        use(browser, page)
        compare_numbers(browser, page, folder)
        compare_pages(browser, page, folder)
        refuse(browser, page)
        download(browser, page, folder)
        send(browser, folder)
        complaints = browser.complaints()
        check("nothing went wrong and nothing was requested", not complaints, "\n#   ".join(complaints[:5]))


main()
