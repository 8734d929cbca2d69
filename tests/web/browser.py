"""A headless Chromium that a test drives through the DevTools protocol."""

import base64
import io
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

import websocket


# Marks when the program is called and when it returns. Marks hold the processor time of the page's thread.
MARK_CALLS = """Object.defineProperty(window, "headscope", {configurable: true, set(page) {
  const call = page.program.ccall;
  page.program.ccall = (name, ...rest) => {
    console.timeStamp("begin " + name);
    try { return call(name, ...rest); } finally { console.timeStamp("end " + name); }
  };
  Object.defineProperty(window, "headscope", {value: page});
}})"""


def pixels(png):
    import numpy
    from PIL import Image

    return numpy.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=float)


def difference(a, b):
    """The mean difference of two pictures in per cent."""
    first, second = pixels(a), pixels(b)
    return abs(first - second).mean() / 2.55 if first.shape == second.shape else 100.0


class Browser:
    def __init__(self, width=1280, height=800, ratio=1, options=()):
        self.profile = tempfile.mkdtemp()
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
             "--enable-unsafe-swiftshader", "--remote-debugging-port=0", "--remote-allow-origins=*",
             f"--user-data-dir={self.profile}", f"--window-size={width},{height}", *options, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port_file = Path(self.profile) / "DevToolsActivePort"
        self.wait(lambda: port_file.exists() and "\n" in port_file.read_text(), "Chromium did not start")
        port = port_file.read_text().split()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
            tab = next(tab for tab in json.load(answer) if tab["type"] == "page")
        self.socket = websocket.create_connection(tab["webSocketDebuggerUrl"], timeout=120)
        self.last_id, self.events = 0, []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.addScriptToEvaluateOnNewDocument", source=MARK_CALLS)
        self.resize(width, height, ratio)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    @staticmethod
    def wait(is_done, why_not, seconds=60):
        end = time.monotonic() + seconds
        while not is_done():
            if time.monotonic() > end:
                raise TimeoutError(why_not)
            time.sleep(0.05)

    def call(self, method, **parameters):
        self.last_id += 1
        self.socket.send(json.dumps({"id": self.last_id, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def js(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def open(self, url):
        """Opens the page, and waits until everything is drawn. Otherwise, returns what the page says instead."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        self.wait(lambda: self.js("!!window.headscope || !/^Opening/.test(document.getElementById('message')"
                                  "?.textContent ?? 'Opening')"), "the page did not open")
        said = self.said()
        if not said:
            self.settle()
        return said

    def said(self):
        return self.js("document.getElementById('message')?.textContent")

    def settle(self):
        self.wait(lambda: self.js("headscope.program.ccall('web_settled', 'number', [], [])") == 1,
                  "the page did not settle")

    def resize(self, width, height, ratio=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=False)

    def timed(self, act):
        """The processor time in ms of each call of the program during an act, by its name. What else runs on the machine
        hardly changes it."""
        self.call("Tracing.start", transferMode="ReportEvents", traceConfig={"includedCategories": ["devtools.timeline"]})
        act()
        self.call("Tracing.end")
        while all(event["method"] != "Tracing.tracingComplete" for event in self.events):
            self.events.append(json.loads(self.socket.recv()))
        marks = [mark for event in self.events if event["method"] == "Tracing.dataCollected"
                 for mark in event["params"]["value"] if mark["name"] == "TimeStamp"]
        self.events = [event for event in self.events if not event["method"].startswith("Tracing.")]
        times, begun = {}, {}
        for mark in sorted(marks, key=lambda mark: mark["ts"]):
            kind, name = mark["args"]["data"]["message"].split()
            if kind == "begin":
                begun[name] = mark["tts"]
            elif name in begun:
                times.setdefault(name, []).append((mark["tts"] - begun[name]) / 1000)
        return times

    def screenshot(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def click(self, x, y):
        for kind, button in (("mouseMoved", "none"), ("mousePressed", "left"), ("mouseReleased", "left")):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1)

    def press(self, key, code, number, text="", ctrl=False, shift=False, alt=False):
        modifiers = (1 if alt else 0) + (2 if ctrl else 0) + (8 if shift else 0)
        parameters = dict(key=key, code=code, windowsVirtualKeyCode=number, modifiers=modifiers)
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **parameters)
        self.call("Input.dispatchKeyEvent", type="keyUp", **parameters)

    def paste(self, text, times=1):
        self.js(f"""{{ const data = new DataTransfer(); data.setData("text/plain", {json.dumps(text)}.repeat({times}));
            document.dispatchEvent(new ClipboardEvent("paste", {{clipboardData: data}})); }}""")
        self.settle()

    def type(self, text):
        for letter in text:
            self.press(letter, "Space" if letter == " " else f"Key{letter.upper()}", ord(letter.upper()), letter)

    def complaints(self):
        """What went wrong in the page, and what it asked the network for."""
        found = []
        for event in self.events:
            details = json.dumps(event["params"])[:400]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(details)
            if event["method"] == "Runtime.consoleAPICalled" and event["params"]["type"] in ("error", "warning"):
                found.append(details)
            if event["method"] == "Network.requestWillBeSent":
                url = event["params"]["request"]["url"]
                if not url.startswith(("file:", "data:", "blob:", "about:")):
                    found.append(f"it requested {url}")
        self.events.clear()
        return found
