#!/usr/bin/python3
# Set: all
# Needs: program chromium python3-websocket python3-numpy python3-pil xvfb xauth
# Time limit: 2400 s
"""The page of app/web in a headless browser: it opens from disk without a request, shows what the native window shows,
computes the same numbers, takes input, keeps the session, and refuses hostile links."""

import base64
import functools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from PIL import Image

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from browser import Browser, difference, pixels  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
HEADSCOPE = os.environ["HEADSCOPE"]
PAGES = ["explore", "stages", "heads", "model", "positions", "words", "split", "train", "compare", "effects", "lines",
         "tiles", "decoding", "textbooks", "scale", "by-hand", "watch", "lessons"]
# The options of those that take others than their name.
OPTIONS = {"explore": [], "compare": ["--page", "compare", "--against", "--sentence", "The street was too wide"]}
MOST_BYTES = 9_000_000
MOST_MS_OF_A_SLICE, MOST_MS_OF_A_KEY = 30, 50
SIZE = (1280, 800)


def check(name, good, about=""):
    print(f"{'ok' if good else 'not ok'} - {name}", flush=True)
    if not good and about:
        print(f"#   {about}")


def scene_of(folder, *options):
    """The scene that render makes of the options, and beside it in the folder the figure."""
    file = Path(folder) / "scene.svg"
    subprocess.run([HEADSCOPE, "render", *options, "--out", file], check=True, stderr=subprocess.DEVNULL)
    return ElementTree.parse(file).find("{http://www.w3.org/2000/svg}metadata").text


def link_to(page, scene):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(scene.encode()) + packer.flush()
    return f"file://{page}#scene={base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def session_in(browser):
    """The session that the page keeps."""
    browser.js("headscope.program.ccall('web_save', 'string', [], [])")
    return json.loads(browser.js("headscope.program.FS.readFile('/user/.config/headscope/settings.json',"
                                 " {encoding: 'utf8'})"))["session"]


def texts_of(svg):
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def compare_pages(browser, page, folder):
    slices = []
    for name in PAGES:
        scene = scene_of(folder, "--model", "pronouns", *OPTIONS.get(name, ["--page", name]))
        file = Path(folder) / f"{name}.headscope"
        file.write_text(scene, encoding="utf-8")
        texts = texts_of((Path(folder) / "scene.svg").read_bytes())
        slices += browser.timed(lambda scene=scene: browser.open(link_to(page, scene)))["web_jobs"]
        compare_picture(browser, file, SIZE, name)
        seen = texts_of(browser.js("headscope.program.ccall('web_picture', 'string', [], [])").encode())
        check(f"the texts of {name} are those of the window", seen == texts and len(texts) > 5, set(seen) ^ set(texts))
    smaller = (1000, 700)
    browser.resize(*smaller)
    browser.settle()
    compare_picture(browser, file, smaller, "a smaller page")
    browser.resize(*SIZE)
    check_slices("the jobs of every page", slices)


def check_slices(name, times):
    """Slices of jobs are short. Some of them may be longer, as the browser compiles while the program runs, and other
    programs slow down the memory that they share."""
    took = sorted(each for each in times if each > 1.0)
    print(f"#   {len(took)} slices of {name}: median {took[len(took) // 2]:.0f} ms, longest {took[-1]:.0f} ms")
    check(f"{name} run in short slices", took[len(took) * 95 // 100] <= MOST_MS_OF_A_SLICE, took[-9:])


def window_picture(scene, size=SIZE):
    """What the window shows of a scene."""
    picture = scene.with_suffix(".png")
    subprocess.run(["xvfb-run", "-a", HEADSCOPE, scene, "--size", "x".join(map(str, size)), "--screenshot", picture],
                   check=True, stderr=subprocess.DEVNULL)
    return picture.read_bytes()


def compare_picture(browser, scene, size, name):
    """Compares what the page shows with what the window shows of the same scene."""
    percent = difference(window_picture(scene, size), browser.screenshot())
    check(f"the page shows {name} as the window does", percent <= 1.0, f"they differ by {percent:.2f} %")


def answer_keys(page, folder):
    """How much work of the program a key waits for, beside the drawing."""
    with Browser(*SIZE) as browser:
        for model in ("pronouns", "stories"):
            browser.open(link_to(page, scene_of(folder, "--model", model, "--page", "explore")))
            browser.click(200, 87)
            browser.press("a", "KeyA", 65, ctrl=True)
            browser.settle()
            took = sorted(sum(browser.timed(lambda letter=letter: (browser.type(letter), browser.settle()))["web_jobs"])
                          for letter in "the cat sat")
            check(f"a key in {model} is answered at once", took[-1] <= MOST_MS_OF_A_KEY, took[-5:])
            print(f"#   jobs after a key in {model}: median {took[len(took) // 2]:.0f} ms, longest {took[-1]:.0f} ms")


def random_options(seed):
    """The options of a small random session."""
    draw = random.Random(seed)
    sentence = " ".join(draw.choices("the cat sat on a mat because it was tired and slept".split(), k=draw.randint(2, 9)))
    kind = draw.choice(["trained", "random", "random", "random", "preset"])
    if kind == "trained":
        return ["--model", draw.choice(["pronouns", "stories", "copying", "reversing"])]
    if kind == "preset":
        return ["--preset", draw.choice(["GPT-2", "Llama 3", "Gemma 2", "DeepSeek-V2"]), "--sentence", sentence]
    heads = draw.choice([1, 2, 4])
    options = ["--sentence", sentence, "--heads", str(heads), "--d-model", str(heads * draw.choice([4, 8, 16])),
               "--layers", str(draw.randint(1, 3)), "--seed", str(draw.randint(0, 999))]
    for name, values in {"--positions": ["none", "learned", "sinusoidal", "rotary", "alibi"], "--mask": ["none", "causal"],
                         "--attention-temperature": ["0.5", "1.0", "2.0"], "--scale-head": ["0.0=0", "0.0=2"]}.items():
        if draw.random() < 0.6:
            options += [name, draw.choice(values)]
    return options


def compare_numbers(browser, page, folder):
    cases = [["--preset", "GPT-2"], ["--preset", "Llama 3"], ["--preset", "Gemma 2"], ["--preset", "DeepSeek-V2"],
             ["--sentence", "a b c d", "--linear-attention", "--mask", "causal"],
             ["--heads", "6", "--d-model", "48", "--kv-heads", "2"], *map(random_options, range(44))]
    browser.open(f"file://{page}")
    browser.js("headscope.program.copyText = (text) => { window.copied = text; }")
    worst, n_compared = 0.0, 0
    for i, options in enumerate(cases):
        csv = Path(folder) / "weights.csv"
        traced = subprocess.run([HEADSCOPE, "trace", *options, "--stage", "weights", "--out", csv], capture_output=True,
                                text=True, check=False)
        if traced.returncode:
            check("the program takes the options of a random session", False, f"{options}: {traced.stderr}")
            continue
        native = [[float(cell) for cell in re.findall(r",(-?[0-9][^,\s]*|nan|-?inf)", line)]
                  for line in csv.read_text().splitlines()[1:]]
        scene = scene_of(folder, *options, "--stage", "weights", "--page", "explore")
        browser.js(f"""{{ const {{FS, ccall}} = headscope.program, path = "/user/Opened/{i}.headscope";
            FS.mkdirTree("/user/Opened"); FS.writeFile(path, {json.dumps(scene)});
            ccall("web_dropped", null, ["string"], [path]); ccall("web_frame"); window.copied = ""; }}""")
        browser.settle()
        browser.press("C", "KeyC", 67, ctrl=True, shift=True)
        browser.wait(lambda: browser.js("window.copied !== ''"), "nothing was copied")
        seen = [[float(cell) for cell in line.split("\t")[1:]] for line in browser.js("window.copied").splitlines()[1:]]
        same = np.shape(native) == np.shape(seen) and np.isfinite(seen).all()
        far = np.abs(np.subtract(native, seen)).max() if same else np.inf
        if not far <= 1e-5:
            check("the page computes the numbers of the program", False, f"{options}: {far}")
            return
        worst, n_compared = max(worst, far), n_compared + 1
    check("the page computes the numbers of the program in 50 sessions", n_compared == 50, str(n_compared))
    print(f"#   largest difference {worst:.2g}")


def words_in(browser):
    return browser.js("document.getElementById('words').innerText")


def use(browser, page):
    browser.open(f"file://{page}")
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
    check("a reload keeps the session", session_in(browser)["sentence"] == sentence)
    frames = len(browser.timed(lambda: time.sleep(3)).get("web_frame", ()))
    check("an idle page draws nothing", frames <= 3, f"{frames} frames in 3 s")
    times = browser.timed(lambda: (browser.press("ArrowRight", "ArrowRight", 39), browser.settle()))
    check("a key wakes it", len(times.get("web_frame", ())) > 0)
    browser.wait(lambda: "tired" in words_in(browser), "the words of the page lag behind", 10)
    words = words_in(browser)
    check("a screen reader finds the language, the title, the strongest weight and the row",
          browser.js("document.documentElement.lang") == "en" and "Where does “it” look?" in words and "“cat”" in words
          and len(re.findall(r"^\d+\t", words, re.MULTILINE)) == 7, words)
    notices = browser.js("headscope.program.FS.readFile('/share/notices.txt', {encoding: 'utf8'})")
    check("the page holds the notices of what it is made of", all(
        each in notices for each in ("Dear ImGui", "FreeType", "Oniguruma", "Emscripten", "Eigen", "Inter")))
    browser.click(200, 87)
    browser.paste("very long ", 400_000)
    check("a paste of 4 MB does no harm", browser.js("headscope.program.ccall('web_settled', 'number', [], [])") == 1)


def letters(browser, page, folder):
    """Letters that the page's fonts lack are drawn with those of the browser."""
    browser.open(link_to(page, scene_of(folder, "--sentence", "שלום عالم 你好 🙂")))
    fonts = browser.js("headscope.program.FS.readdir('/share/fonts').filter((name) => name.startsWith('drawn')).length")
    check("letters that the page lacks come from the browser's fonts", fonts >= 2, f"{fonts} fonts")


def drop(browser, file):
    data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        browser.call("Input.dispatchDragEvent", type=kind, x=600, y=400, data=data)


def open_files(browser, page, folder):
    """Scenes and models that the user chooses."""
    browser.open(f"file://{page}")

    def choose(*files):
        document = browser.call("DOM.getDocument")["root"]["nodeId"]
        node = browser.call("DOM.querySelector", nodeId=document, selector="#chooser")["nodeId"]
        browser.call("DOM.setFileInputFiles", nodeId=node, files=[str(file) for file in files])

    scene = Path(folder) / "chosen.headscope"
    for name, give in (("a chosen scene", choose), ("a dropped scene", functools.partial(drop, browser))):
        scene.write_text(scene_of(folder, "--sentence", name), encoding="utf-8")
        give(scene)
        browser.wait(lambda: session_in(browser)["sentence"] == name, f"{name} does not open", 20)
        check(f"{name} opens", True)
    drop(browser, folder)
    browser.settle()
    check("a dropped folder does no harm", session_in(browser)["sentence"] == "a dropped scene")
    model = ROOT.parent / "shared/reference/checkpoints/models/tiny-bloom"
    if not model.is_dir():
        print("#   no checkpoint is chosen: ../shared/reference is absent")
        return
    choose(*(file for file in model.iterdir() if file.is_file()))
    browser.wait(lambda: session_in(browser).get("model", "").startswith("/user/Opened/"), "the checkpoint does not open", 20)
    browser.settle()
    check("the files of a checkpoint open together as a model", True)


def walk_lesson(browser, page):
    """A lesson, walked to its end with the keyboard."""
    browser.open(f"file://{page}")
    browser.press("k", "KeyK", 75, ctrl=True)
    browser.settle()
    browser.type("lesson one head by hand")
    browser.settle()
    browser.press("Enter", "Enter", 13)
    steps = []
    lesson = "document.getElementById('lesson').textContent"
    for _ in range(12):
        browser.settle()
        before = steps[-1] if steps else ""
        try:
            browser.wait(lambda: browser.js(lesson) not in ("", before), "the lesson stays", 5)
        except TimeoutError:
            break
        steps.append(browser.js(lesson))
        browser.press("F8", "F8", 119)
    ends = [re.search(r"step (\d+) of (\d+)", step) for step in steps]
    check("a lesson is walked to its end", bool(ends) and all(ends) and [int(end[1]) for end in ends] == list(
        range(1, int(ends[0][2]) + 1)), "; ".join(step[:60] for step in steps))


def train(browser, page):
    """A text that is pasted is learned for half a minute while the page answers."""
    browser.open(f"file://{page}")
    browser.click(348, 24)  # Train
    browser.settle()
    browser.paste("The cat sleeps here. A small dog runs home. ", 200)
    before = session_in(browser)["sentence"]
    browser.click(170, 218)  # The tasks
    browser.settle()
    browser.click(222, 338)  # Your own text from the clipboard
    browser.wait(lambda: session_in(browser)["sentence"] != before, "the pasted text does not open", 20)
    browser.settle()
    untrained = browser.screenshot()
    browser.press("T", "KeyT", 84, alt=True, shift=True)
    times = browser.timed(lambda: time.sleep(30))
    check("the page trains, and answers while it does", len(times["web_frame"]) > 10 and difference(
        untrained, browser.screenshot()) > 0.5, f"{len(times['web_frame'])} frames")
    check_slices("30 s of training", times["web_jobs"])
    print(f"#   the longest of {len(times['web_frame'])} frames took {max(times['web_frame']):.0f} ms of the processor")


def wander(browser, page):
    """Random events do no harm."""
    browser.open(f"file://{page}")
    browser.call("Page.setInterceptFileChooserDialog", enabled=True)
    seed = int(os.environ.get("HEADSCOPE_SEED", time.time()))
    draw = random.Random(seed)
    keys = [("Tab", "Tab", 9), ("Enter", "Enter", 13), ("Escape", "Escape", 27), ("ArrowDown", "ArrowDown", 40),
            ("ArrowRight", "ArrowRight", 39), ("F8", "F8", 119), ("Delete", "Delete", 46)]
    for _ in range(2000):
        what = draw.random()
        if what < 0.4:
            browser.click(draw.randrange(SIZE[0]), draw.randrange(SIZE[1]))
        elif what < 0.5:
            browser.call("Input.dispatchMouseEvent", type="mouseWheel", x=draw.randrange(SIZE[0]), y=draw.randrange(SIZE[1]),
                         deltaX=0, deltaY=draw.choice([-240, 240]))
        elif what < 0.7:
            browser.type(draw.choice("abcdeit "))
        elif what < 0.85:
            browser.press(*draw.choice(keys), shift=draw.random() < 0.3)
        else:
            letter = draw.choice("abcdefghijklmopqrstuvxyz")
            browser.press(letter, f"Key{letter.upper()}", ord(letter.upper()), ctrl=draw.random() < 0.5,
                          alt=draw.random() < 0.5)
    said = browser.said()
    complaints = browser.complaints()
    check("2,000 random events do no harm", not said and not complaints, f"seed {seed}: {said} {complaints[:3]}")


def touch(page):
    """Fingers tap, scroll and zoom."""
    with Browser(*SIZE) as browser:
        browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
        browser.open(f"file://{page}")
        before = words_in(browser)

        def fingers(kind, *points):
            browser.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i}
                                                                             for i, (x, y) in enumerate(points)])
            time.sleep(0.1)

        def tap(x, y):
            fingers("touchStart", (x, y))
            fingers("touchEnd")

        tap(351, 24)
        browser.wait(lambda: words_in(browser) != before, "a tap opens no page", 10)
        check("a tap opens a page", True)
        browser.settle()
        still = browser.screenshot()
        fingers("touchStart", (800, 700))
        for y in range(690, 400, -20):
            fingers("touchMove", (800, y))
        fingers("touchEnd")
        browser.settle()
        check("a finger scrolls", difference(still, browser.screenshot()) > 0.2)
        still = browser.screenshot()
        fingers("touchStart", (600, 400), (700, 400))
        for apart in range(60, 200, 10):
            fingers("touchMove", (650 - apart, 400), (650 + apart, 400))
        fingers("touchEnd")
        browser.settle()
        check("two fingers zoom", difference(still, browser.screenshot()) > 1.0)
        complaints = browser.complaints()
        check("touching does no harm", not complaints, str(complaints[:3]))


def surroundings(page):
    """A dark system with small pixels, an input method, and a graphics card that is lost."""
    with Browser(*SIZE, ratio=2) as browser:
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        browser.open(f"file://{page}")
        seen = pixels(browser.screenshot())
        check("a dark system has a dark page in all its pixels", seen.shape == (2 * SIZE[1], 2 * SIZE[0], 3) and seen.mean() < 80,
              f"{seen.shape} {seen.mean()}")
        browser.click(200, 87)
        browser.press("a", "KeyA", 65, ctrl=True)
        browser.call("Input.dispatchKeyEvent", type="keyUp", key="Control", code="ControlLeft", windowsVirtualKeyCode=17)
        browser.call("Input.imeSetComposition", text="ㅔ", selectionStart=1, selectionEnd=1)
        browser.settle()
        browser.call("Input.insertText", text="네 café")
        browser.settle()
        sentence = session_in(browser)["sentence"]
        check("an input method writes its words once", sentence == "네 café", sentence)
        browser.press("Dead", "Quote", 222)
        browser.press("ä", "KeyA", 65, "ä")
        browser.settle()
        sentence = session_in(browser)["sentence"]
        check("a dead key writes one letter", sentence == "네 caféä", sentence)
        browser.js("document.getElementById('canvas').getContext('webgl2').getExtension('WEBGL_lose_context').loseContext()")
        browser.wait(lambda: "graphics" in browser.said(), "a lost graphics card is not told", 10)
        browser.open(f"file://{page}")
        check("the session survives a lost graphics card", session_in(browser)["sentence"] == sentence)


def serve(browser, page, folder):
    """The folder for web servers makes the same page."""
    handler = functools.partial(type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None}),
                                directory=page.with_name("site"))
    browser.call("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
    browser.complaints()
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        own = f"it requested http://127.0.0.1:{server.server_port}/"
        said = browser.open(f"http://127.0.0.1:{server.server_port}/")
        check("the folder for web servers opens", not said, said)
        requests = browser.complaints()
        browser.js("""Object.defineProperty(navigator, "clipboard",
            {configurable: true, value: {writeText: async (text) => { window.link = text; }}}); window.link = ''""")
        browser.press("c", "KeyC", 67, ctrl=True, alt=True)
        browser.wait(lambda: browser.js("window.link !== ''"), "no link was copied")
        link = browser.js("window.link")
        check("a link is short", len(link.split("#scene=")[1]) < 8192, link)
        browser.open(link)
        browser.wait(lambda: "animal" in words_in(browser), "the link opens another sentence", 10)
        check("a copied link opens on what was seen", True)
        check("it requests only its own files", len(requests) == 2 and all(each.startswith(own) for each in requests),
              str(requests))
        server.shutdown()


def without_graphics(page):
    with Browser(*SIZE, options=["--disable-3d-apis"]) as browser:
        said = browser.open(f"file://{page}")
        check("without WebGL 2, the page says so", "WebGL 2" in said, said)
        check("it shows the picture and the words", browser.js("document.images.length") > 0 and "animal" in words_in(browser),
              words_in(browser))


def cut_off(browser, page, folder):
    whole = page.read_bytes()
    for share in (0.001, 0.5, 0.99):
        part = Path(folder) / "part.html"
        part.write_bytes(whole[:int(len(whole) * share)])
        browser.call("Page.navigate", url=f"file://{part}")
        browser.wait(lambda: browser.js("document.readyState") == "complete", "it does not load")
        time.sleep(1)
        said = browser.said()
        check(f"the first {share:.1%} of the page says that it is cut off", said and "cut off" in said, str(said))
    browser.complaints()


def send(browser, folder):
    """A page with something inside opens on what was sent, without a network."""
    folder = Path(folder)
    train_model(folder / "own")
    models = ROOT.parent / "shared/reference/checkpoints/models"
    capture = folder / "capture.json"
    capture.write_text(json.dumps({"tokens": ["a", "b"], "attention": [[[1.0, 0.0], [0.25, 0.75]]]}))
    cases = [["--model", "pronouns", "--page", "heads", "--title", "Who is <it>? </script>"],
             ["--model", "stories", "--page", "decoding", "--sentence", "Once upon a time"],
             ["--model", "reversing", "--page", "lines"], ["--model", "copying", "--page", "words"],
             ["--preset", "GPT-2", "--page", "stages"], ["--preset", "Llama 3", "--page", "positions"],
             ["--model", "pronouns", "--page", "compare", "--against", "--mask", "causal"],
             ["--model", folder / "own", "--page", "explore"], ["--model", capture, "--page", "explore"]]
    if models.is_dir():
        cases.append(["--model", models / "tiny-bloom", "--sentence", "Hello there", "--page", "heads"])
    else:
        print("#   no checkpoint is sent: ../shared/reference is absent")
    browser.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
    for options in cases:
        sent = folder / "sent.html"
        subprocess.run([HEADSCOPE, "render", *options, "--out", sent], check=True, stderr=subprocess.DEVNULL)
        scene = folder / "sent.headscope"
        scene.write_text(scene_of(folder, *options), encoding="utf-8")
        said = browser.open(f"file://{sent}")
        percent = 100.0 if said else difference(window_picture(scene), browser.screenshot())
        check(f"a page that was sent shows {' '.join(map(str, options[:4]))}", percent <= 1.0, f"{said} {percent:.2f} %")
        title = browser.js("document.title")
        if "--title" in options:
            check("its title is the scene's", title.startswith(options[-1]), title)
    with open(folder / "own/tokenizer.json", "wb") as large:
        large.truncate(65 << 20)
    subprocess.run([HEADSCOPE, "render", "--model", folder / "own", "--out", folder / "large.html"], check=True,
                   stderr=subprocess.DEVNULL)
    browser.open(f"file://{folder / 'large.html'}")
    said = browser.js("document.getElementById('still').innerText")
    check("in place of a model that is too large, the page shows the picture", "does not hold the model" in said and browser.js(
        "document.querySelector('#still img').naturalWidth") > 100, said)
    lesson = folder / "lesson.html"
    subprocess.run([HEADSCOPE, "render", "course/course.md", "--out", lesson], cwd=course_in(folder), check=True)
    browser.open(f"file://{lesson}")
    browser.wait(lambda: "A copy" in browser.js("document.getElementById('lesson').textContent"), "no lesson opens", 10)
    check("a lesson that was sent opens with the weights of its step", browser.js(
        "headscope.program.FS.analyzePath('/user/sent/own/model.safetensors').exists") and "missing" not in browser.js(
        "document.getElementById('lesson').textContent"), words_in(browser))


def train_model(folder):
    subprocess.run([HEADSCOPE, "train", "--task", "copying", "--d-model", "8", "--heads", "1", "--steps", "2", "--out",
                    folder], check=True, capture_output=True)


def course_in(folder):
    """A folder with a lesson whose step needs a model of its own."""
    course = folder / "course"
    course.mkdir()
    train_model(course / "own")
    (course / "course.md").write_text("# A lesson\n\nAbout it.\n\n## A copy\n\n```scene\n--model own\n```\n\n"
                                      "Look.\n")
    return folder


def download(browser, page, folder):
    """What Export writes is downloaded."""
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    browser.open(f"file://{page}")
    browser.press("e", "KeyE", 69, ctrl=True)
    browser.settle()
    browser.press("Enter", "Enter", 13)
    names = "headscope-explore-layer-*-weights-head-*.png"
    try:
        browser.wait(lambda: any(Path(folder).glob(names)), "nothing was downloaded", 20)
        (written,) = Path(folder).glob(names)
        picture = Image.open(written)
        check("a figure is downloaded with its scene", "Scene" in picture.text and picture.width > 800)
        written.unlink()
        browser.open(f"file://{page}")
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
        problem = said or browser.js("headscope.program.ccall('web_problem', 'string', [], [])")
        check(f"a link with {name} opens the program with a message", not said and "could not be opened" in problem, problem)


def main():
    subprocess.run([ROOT / "app/web/build"], check=True, stderr=subprocess.DEVNULL)
    page = Path(os.environ.get("HEADSCOPE_BUILD", ROOT / ".build")) / "web/headscope.html"
    size = page.stat().st_size
    check("the page has at most 9 MB", size <= MOST_BYTES, f"{size} bytes")
    with tempfile.TemporaryDirectory() as folder, Browser(*SIZE) as browser:
        started = time.monotonic()
        said = browser.open(f"file://{page}")
        check("the page opens from disk", not said, said)
        print(f"#   opened and settled in {time.monotonic() - started:.1f} s")
        use(browser, page)
        compare_numbers(browser, page, folder)
        compare_pages(browser, page, folder)
        refuse(browser, page)
        download(browser, page, folder)
        letters(browser, page, folder)
        open_files(browser, page, folder)
        walk_lesson(browser, page)
        cut_off(browser, page, folder)
        send(browser, folder)
        complaints = browser.complaints()
        check("nothing went wrong and nothing was requested", not complaints, "\n#   ".join(complaints[:5]))
        serve(browser, page, folder)
        touch(page)
        surroundings(page)
        with Browser(*SIZE) as other:
            train(other, page)
            wander(other, page)
        answer_keys(page, folder)
        without_graphics(page)


if __name__ == "__main__":
    main()
